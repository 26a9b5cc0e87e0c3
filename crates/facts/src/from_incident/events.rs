//! What event records say beyond the crash itself.

use std::sync::Arc;

use super::{evidence, text};
use crate::{FactSet, Value};
use evidence::{EventBody, base_name};
use incident::Built;

/// Facts with one value that events bring.
pub(super) fn events(built: &Built<'_>, facts: &mut FactSet) {
    for (number, event) in built.gathered.events() {
        let from = evidence(number);
        match &event.content.body {
            EventBody::DotNet { exception_type: Some(kind), .. } => {
                facts.set("exception.managed_type", Value::Text(Arc::clone(kind)), from);
            }
            EventBody::SideBySide { assembly: Some(assembly), .. } => {
                facts.set("start_failure.assembly", Value::Text(Arc::clone(assembly)), from);
            }
            EventBody::Popup { message, dlls, .. } => {
                facts.set("start_failure.message", Value::Text(Arc::clone(message)), from);
                if let Some(dll) = dlls.first() {
                    facts.set("start_failure.module", Value::Text(Arc::clone(dll)), from);
                }
            }
            EventBody::OpenGlDriver { code: Some(code), .. } => {
                facts.set("opengl.error_code", Value::Number(u64::from(*code)), from);
            }
            EventBody::UncleanRestart { power_button, long_press, sleeping, hardware_errors, .. } => {
                let pressed = power_button.is_some() || *long_press == Some(true);
                facts.set("power.button_pressed", Value::Flag(pressed), from);
                if let Some(sleeping) = sleeping {
                    facts.set("power.sleeping", Value::Flag(*sleeping), from);
                }
                if let Some(count) = hardware_errors {
                    facts.set("power.hardware_errors", Value::Number(u64::from(*count)), from);
                }
            }
            EventBody::ProcessExit(exit) => {
                facts.set("process.exit_code", Value::Number(u64::from(exit.code)), from);
                if let Some(process) = &exit.ended_by {
                    facts.set("exit.ended_by", text(base_name(process)), from);
                }
            }
            EventBody::ShutDownByHeat { .. } => facts.set("power.too_hot", Value::Flag(true), from),
            EventBody::ServiceEnded(end) => {
                if let Some(name) = &end.name {
                    facts.set("service.name", Value::Text(Arc::clone(name)), from);
                }
            }
            _ => {}
        }
    }
}
