//! Facts from event records, beyond the crash itself.

use crate::FactSet;
use crate::value::{evidence, text};
use evidence::{EventBody, base_name};
use incident::{JoinedIncident, StackKind};

/// Sets the facts with one value that only some kinds of events have.
pub(super) fn events(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    for (number, event) in joined.evidence.events() {
        let from = evidence(number);
        match &event.content.body {
            EventBody::DotNet { exception_type, .. } => {
                facts.set_known("exception.managed_type", exception_type.clone(), from);
                let thrown = joined.incident.thrown.iter().find(|thrown| thrown.of == StackKind::Managed);
                facts.set_known("exception.managed_text", thrown.and_then(|thrown| thrown.text.clone()), from);
            }
            EventBody::SideBySide { assembly, .. } => {
                facts.set_known("start_failure.assembly", assembly.clone(), from);
            }
            EventBody::Popup { message, dlls, .. } => {
                facts.set("start_failure.message", message.clone(), from);
                facts.set_known("start_failure.module", dlls.first().cloned(), from);
            }
            EventBody::ImageRefused { blocked: true, file, .. } => {
                facts.set_missing("refused.file", file.clone(), from);
            }
            EventBody::OpenGlDriver { code, .. } => facts.set_known("opengl.error_code", *code, from),
            EventBody::UncleanRestart { power_button, long_press, sleeping, hardware_errors, .. } => {
                let pressed = power_button.is_some() || *long_press == Some(true);
                facts.set("power.button_pressed", pressed, from);
                facts.set_known("power.sleeping", *sleeping, from);
                facts.set_known("power.hardware_errors", *hardware_errors, from);
                facts.set_known("power.shut_down", Some(true).filter(|_| joined.incident.shut_down), from);
            }
            EventBody::ProcessExit(exit) => {
                facts.set("process.exit_code", exit.code, from);
                facts.set_known(
                    "exit.ended_by",
                    exit.ended_by.as_deref().map(|process| text(base_name(process))),
                    from,
                );
            }
            EventBody::ShutDownByHeat { .. } => facts.set("power.too_hot", true, from),
            EventBody::ServiceEnded(end) => facts.set_known("service.name", end.name.clone(), from),
            _ => {}
        }
    }
}
