//! What each item of evidence says, in a sentence. The text lives here because event logs hold values, not sentences,
//! and those that Windows shows are translated.

use crate::evidence::{
    BugcheckCode, Event, EventBody, ExceptionCode, KernelDump, Observation, ProcessDump, Ticket, WerReport, base_name,
};
use crate::knowledge::Knowledge;

/// The sentence for an observation.
#[must_use]
pub fn says(observation: &Observation, knowledge: &Knowledge) -> String {
    match observation {
        Observation::Process(dump) => of_dump(dump, knowledge),
        Observation::Kernel(dump) => of_kernel_dump(dump, knowledge),
        Observation::Event(event) => of_event(event, knowledge),
        Observation::Wer(report) => format!("WER report: {}", of_report(report, knowledge)),
        Observation::Ticket(ticket) => of_ticket(ticket, knowledge),
    }
}

fn code_text(code: ExceptionCode, knowledge: &Knowledge) -> String {
    match knowledge.exception_name(code) {
        Some(name) => format!("{code} ({name})"),
        None => code.to_string(),
    }
}

fn stop_text(code: BugcheckCode, knowledge: &Knowledge) -> String {
    match knowledge.bugcheck_name(code) {
        Some(name) => format!("{code} ({name})"),
        None => code.to_string(),
    }
}

fn parameters_text(parameters: &[u64]) -> String {
    parameters.iter().map(|parameter| format!("{parameter:#x}")).collect::<Vec<_>>().join(", ")
}

fn of_dump(dump: &ProcessDump, knowledge: &Knowledge) -> String {
    let program = dump.executable().map_or("the process", |module| module.name());
    let Some(exception) = &dump.exception else {
        return format!("dump of {program} without an exception, {} threads", dump.thread_count);
    };
    let what = match &exception.foreign_reason {
        Some(reason) => reason.to_string(),
        None => code_text(exception.code, knowledge),
    };
    let found = dump.fault_addresses().into_iter().find_map(|address| Some((address, dump.module_at(address)?.1)));
    let place = match found {
        Some((address, module)) => {
            let offset = module.offset_of(address).map(|offset| format!("+{offset}")).unwrap_or_default();
            format!("in {}{offset}", module.name())
        }
        None => format!("at {}, in no loaded module", exception.address),
    };
    let parameters = match exception.parameters.as_slice() {
        [] => String::new(),
        some => format!(", parameters {}", parameters_text(some)),
    };
    let delay_load = dump
        .delay_load
        .as_ref()
        .and_then(|failed| failed.module.as_deref())
        .map_or_else(String::new, |dll| format!("; the DLL that was to be loaded is {dll}"));
    format!("{program}: {what} {place}{parameters}{delay_load}")
}

fn of_kernel_dump(dump: &KernelDump, knowledge: &Knowledge) -> String {
    format!(
        "stop {}, parameters {}, Windows build {}",
        stop_text(dump.code, knowledge),
        parameters_text(&dump.parameters),
        dump.build
    )
}

fn of_report(report: &WerReport, knowledge: &Knowledge) -> String {
    let signature = &report.signature;
    let mut parts = vec![report.event_type.to_string()];
    parts.extend(signature.app.as_ref().map(|app| format!("of {app}")));
    parts.extend(signature.code.map(|code| code_text(code, knowledge)));
    if let Some((code, parameters)) = signature.bugcheck {
        parts.push(format!("{}, parameters {}", stop_text(code, knowledge), parameters_text(&parameters)));
    }
    if let Some(module) = &signature.module {
        let offset = signature.offset.map(|offset| format!("+{offset}")).unwrap_or_default();
        parts.push(format!("in {module}{offset}"));
    }
    parts.extend(signature.data.map(|data| format!("exception data {data:#x}")));
    parts.extend(signature.managed_exception.as_ref().map(|kind| format!("exception {kind}")));
    parts.extend(signature.waiting_for.as_ref().map(|process| format!("waiting for {process}")));
    parts.join(" ")
}

fn of_ticket(ticket: &Ticket, knowledge: &Knowledge) -> String {
    let mut parts = Vec::new();
    parts.extend(ticket.app.as_ref().map(|app| format!("program {app}")));
    parts.extend(ticket.code.map(|code| format!("code {}", code_text(code, knowledge))));
    parts.extend(ticket.module.as_ref().map(|module| format!("module {module}")));
    parts.extend(ticket.bugcheck.as_ref().map(|(code, _)| format!("stop {}", stop_text(*code, knowledge))));
    parts.extend(ticket.win_errors.iter().map(|error| format!("Win32 error {error}")));
    if parts.is_empty() {
        format!("text of {} lines", ticket.lines.len())
    } else {
        format!("text names {}", parts.join(", "))
    }
}

/// The sentence for an event: what it means, with its values.
#[must_use]
pub fn of_event(event: &Event, knowledge: &Knowledge) -> String {
    let source = format!("{} {}", event.provider, event.id);
    let text = match &event.body {
        EventBody::ApplicationError { app, module, module_unloaded, code, offset, .. } => {
            let code = code.map_or_else(|| "an exception".to_owned(), |code| code_text(code, knowledge));
            let unloaded = if *module_unloaded { " (already unloaded)" } else { "" };
            let place = match (module, offset) {
                (Some(module), Some(offset)) => format!("in {module}{unloaded}+{offset}"),
                (Some(module), None) => format!("in {module}{unloaded}"),
                (None, Some(offset)) => format!("at {offset}, in no module"),
                (None, None) => "in no module".to_owned(),
            };
            format!("{app} died of {code} {place}")
        }
        EventBody::InPageError { file, app, status, .. } => {
            let status = status.map_or_else(String::new, |status| format!(" ({status})"));
            let file = file.as_deref().unwrap_or("a file");
            let app = app.as_deref().unwrap_or("a program");
            format!("a page of {file} could not be read for {app}{status}")
        }
        EventBody::Wer(report) => return format!("{source}: {}", of_report(report, knowledge)),
        EventBody::Hang { app, .. } => format!("{app} stopped answering and was closed"),
        EventBody::DotNet { app, exception_type, .. } => {
            let app = app.as_deref().unwrap_or("a .NET program");
            match exception_type {
                Some(kind) => format!("{app} ended by an unhandled {kind}"),
                None => format!("{app} was ended by the .NET runtime"),
            }
        }
        EventBody::SideBySide { assembly, app } => {
            let app = app.as_deref().map_or("a program", base_name);
            match assembly {
                Some(assembly) => format!("{app} did not start: assembly {assembly}"),
                None => format!("{app} did not start because of its manifest"),
            }
        }
        EventBody::Popup { caption, message, .. } => format!("message box \"{caption}\": {message}"),
        EventBody::BugCheck { code, parameters, .. } => {
            format!(
                "the system restarted after stop {}, parameters {}",
                stop_text(*code, knowledge),
                parameters_text(parameters)
            )
        }
        EventBody::UncleanRestart { code, power_button, long_press, .. } => match code {
            Some(code) => {
                format!("the system restarted without shutdown; stop {} was recorded", stop_text(*code, knowledge))
            }
            None if power_button.is_some() || *long_press == Some(true) => {
                "the system restarted without shutdown; the power button had been pressed".to_owned()
            }
            None => "the system restarted without shutdown; no stop code and no power button was recorded".to_owned(),
        },
        EventBody::UncleanShutdown { last_alive } => match last_alive {
            Some(time) => format!("the session before ended without shutdown; last known alive {time}"),
            None => "the session before ended without shutdown".to_owned(),
        },
        EventBody::DisplayReset { driver } => format!("display driver {driver} stopped answering and was reset"),
        EventBody::DisplayDriver { driver, text, .. } => match text {
            Some(text) => format!("display driver {driver}: {text}"),
            None => format!("display driver {driver} reported an error"),
        },
        EventBody::OpenGlDriver { text, .. } => one_line(text),
        EventBody::Hardware { component, corrected, status, bank, apic_id, device, .. } => {
            let kind = if *corrected { "a corrected" } else { "an uncorrected" };
            let mut details = Vec::new();
            details.extend(apic_id.map(|id| format!("APIC id {id}")));
            details.extend(bank.map(|bank| format!("bank {bank}")));
            details.extend(status.map(|status| format!("status {status:#x}")));
            details.extend(device.as_ref().map(|device| format!("device {device}")));
            let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
            format!("the hardware reported {kind} error of {}{details}", component_text(component))
        }
        EventBody::Storage { device, status } => {
            let device = device.as_deref().unwrap_or("a storage device");
            let status = status.map_or_else(String::new, |status| format!(", status {status}"));
            format!("a request to {device} failed or was repeated{status}")
        }
        EventBody::FileSystem { volume, damaged } => {
            let volume = volume.as_deref().unwrap_or("a volume");
            if *damaged { format!("structures of {volume} are damaged") } else { format!("{volume} was checked") }
        }
        EventBody::MemoryExhausted { commit_limit, commit_charge, top } => {
            let mib = |bytes: &u64| bytes >> 20;
            let charge = match (commit_charge, commit_limit) {
                (Some(charge), Some(limit)) => format!(": {} of {} MiB committed", mib(charge), mib(limit)),
                _ => String::new(),
            };
            let most = top
                .first()
                .map(|(name, _, bytes)| format!("; most by {name} ({} MiB)", mib(bytes)))
                .unwrap_or_default();
            format!("memory ran low{charge}{most}")
        }
        EventBody::ImageRefused { file, process, blocked, .. } => {
            let verb = if *blocked { "was refused" } else { "would have been refused" };
            let process = process.as_deref().map_or_else(String::new, |process| format!(" in {}", base_name(process)));
            format!("{} {verb}{process}", file.as_deref().unwrap_or("an image"))
        }
        EventBody::MemoryTest { errors } => {
            if *errors {
                "the memory test found errors".to_owned()
            } else {
                "the memory test found no errors".to_owned()
            }
        }
        EventBody::ServiceEnded(end) => {
            format!("service {} ended unexpectedly", end.name.as_deref().unwrap_or(&end.display_name))
        }
        EventBody::Other { text } => one_line(text),
    };
    format!("{source}: {text}")
}

fn component_text(component: &str) -> &str {
    match component {
        "processor" => "the processor",
        "memory" => "the memory",
        "pcie" => "a PCI Express device",
        "pci" => "a PCI device",
        _ => "a part that it does not name",
    }
}

/// The text with line ends turned into spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
