//! A sentence for each piece of evidence. Event logs hold values, not sentences, and the sentences that Windows shows are
//! translated.

use std::fmt::{self, Write};

use super::dump_detail::dump_details;
use super::environment::version_parts::nvidia_release;
use evidence::{
    ApplicationError, BugcheckCode, DriveHealth, DumpReason, Event, EventBody, ExceptionCode, Inventory, MemoryHeld,
    ModuleOffset, NtStatus, Observation, ProcessDump, SigmaMatch, SigmaRule, StorageRetry, Ticket, WerReport,
    base_name,
};
use windows_codes::{Knowledge, McaStatus, win_error};

/// The sentence for an observation.
#[must_use]
pub fn sentence(observation: &Observation) -> String {
    match observation {
        Observation::Process(dump) => dump_sentence(dump),
        Observation::Kernel(dump) => {
            format!("stop {}, Windows build {}", stop_with_parameters(dump.code, &dump.parameters), dump.build)
        }
        Observation::Event(event) => event_sentence(event),
        Observation::Wer(report) => format!("WER report: {}", report_text(report)),
        Observation::Ticket(ticket) => ticket_sentence(ticket),
        Observation::Sigma(found) => sigma_sentence(found),
    }
}

/// The sentence for a record that a Sigma rule matches.
pub(super) fn sigma_sentence(found: &SigmaMatch) -> String {
    let SigmaRule { title, level, file, .. } = &*found.rule;
    let level = level.map_or_else(String::new, |level| format!("{level}, "));
    format!("Sigma rule \"{title}\" ({level}{}) matches {} {}", base_name(file), found.provider, found.event_id)
}

fn code_text(code: ExceptionCode) -> String {
    with_name(code, Knowledge.exception_name(code))
}

fn stop_text(code: BugcheckCode) -> String {
    with_name(code, Knowledge.bugcheck_name(code))
}

fn stop_with_parameters(code: BugcheckCode, parameters: &[u64]) -> String {
    format!("{}, parameters {}", stop_text(code), parameters_text(parameters))
}

fn status_text(status: NtStatus) -> String {
    with_name(status, Knowledge.status_name(status))
}

/// `0xC0000005 (STATUS_ACCESS_VIOLATION)`, or the code alone.
fn with_name(code: impl fmt::Display, name: Option<impl fmt::Display>) -> String {
    name.map_or_else(|| code.to_string(), |name| format!("{code} ({name})"))
}

/// How a request ended before it was tried again, and what it wanted.
fn retry_text(retry: StorageRetry) -> String {
    let what = match retry.command {
        0x08 | 0x28 | 0x88 | 0xA8 => "a read".to_owned(),
        0x0A | 0x2A | 0x8A | 0xAA => "a write".to_owned(),
        command => format!("command {command:#04x}"),
    };
    match retry.srb_status {
        // The status of the device is more exact, where it has one.
        0x04 if retry.scsi_status == 0 => format!("{what} that ended in an error"),
        0x09 => format!("{what} that took too long"),
        0x0B => format!("{what} that ended in a timeout of the command"),
        0x0E => format!("{what} that a reset of the bus ended"),
        status => format!("{what} that ended with SRB status {status:#04x}, SCSI status {:#04x}", retry.scsi_status),
    }
}

fn write_health(out: &mut String, health: &DriveHealth) -> fmt::Result {
    /// What the bits of a warning mean, from the lowest on.
    const WARNINGS: [&str; 5] =
        ["spare blocks", "temperature", "reliability", "being read-only", "the backup of its volatile memory"];
    let warned: Vec<&str> = (0_u32..)
        .zip(WARNINGS)
        .filter(|(bit, _)| health.warning.checked_shr(*bit).is_some_and(|rest| rest & 1 != 0))
        .map(|(_, name)| name)
        .collect();
    write!(out, "the drive {}", health.model.as_deref().unwrap_or("of unknown model"))?;
    if !warned.is_empty() {
        write!(out, " warns of {}; it", warned.join(", "))?;
    }
    let DriveHealth { spare, spare_threshold, used, media_errors, temperature, .. } = health;
    write!(out, " reports {spare} % spare blocks (threshold {spare_threshold} %), {used} % of its life used")?;
    write!(out, ", {media_errors} media errors, {temperature} C")
}

fn parameters_text(parameters: &[u64]) -> String {
    parameters.iter().map(|parameter| format!("{parameter:#x}")).collect::<Vec<_>>().join(", ")
}

fn dump_sentence(dump: &ProcessDump) -> String {
    let program = dump.executable().map_or("the process", |module| module.name());
    let Some(exception) = &dump.exception else {
        let asked = match dump.reason() {
            Some(DumpReason::Request) => ", which was asked for while it ran",
            Some(DumpReason::Debugger) => ", which a debugger wrote that had stopped it",
            Some(DumpReason::Assertion) => ", which it wrote at a failed assertion and went on",
            None => "",
        };
        return format!("dump of {program}{asked} without an exception, {} threads", dump.thread_count);
    };
    let what = match &exception.foreign_reason {
        Some(reason) => reason.to_string(),
        None => code_text(exception.code),
    };
    let found = dump.fault_addresses().into_iter().find_map(|address| Some((address, dump.module_at(address)?.1)));
    let place = match found {
        Some((address, module)) => place_text(module.name(), module.offset_of(address)),
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
    format!("{program}: {what} {place}{parameters}{delay_load}{}", dump_details(dump))
}

fn place_text(module: &str, offset: Option<ModuleOffset>) -> String {
    offset.map_or_else(|| format!("in {module}"), |offset| format!("in {module}+{offset}"))
}

fn report_text(report: &WerReport) -> String {
    let signature = &report.signature;
    let mut parts = vec![report.event_type.to_string()];
    parts.extend(signature.app.as_ref().map(|app| format!("of {app}")));
    parts.extend(signature.code.map(code_text));
    parts.extend(signature.bugcheck.map(|(code, parameters)| stop_with_parameters(code, &parameters)));
    parts.extend(signature.module.as_ref().map(|module| place_text(module, signature.offset)));
    parts.extend(signature.data.map(|data| format!("exception data {data:#x}")));
    parts.extend(signature.managed_exception.as_ref().map(|kind| format!("exception {kind}")));
    parts.extend(signature.waiting_for.as_ref().map(|process| format!("waiting for {process}")));
    parts.join(" ")
}

fn ticket_sentence(ticket: &Ticket) -> String {
    let mut parts = Vec::new();
    parts.extend(ticket.app.as_ref().map(|app| format!("program {app}")));
    parts.extend(ticket.code.map(|code| format!("code {}", code_text(code))));
    parts.extend(ticket.module.as_ref().map(|module| format!("module {module}")));
    parts.extend(ticket.bugcheck.as_ref().map(|(code, _)| format!("stop {}", stop_text(*code))));
    parts.extend(ticket.win_errors.iter().map(|error| format!("Win32 error {error}")));
    parts.extend(ticket.events.iter().map(|event| format!("event {} {}", event.provider, event.id)));
    parts.extend(inventory_parts(&ticket.inventory));
    if parts.is_empty() {
        let lines = ticket.lines.len();
        format!("text of {lines} line{}", if lines == 1 { "" } else { "s" })
    } else {
        format!("text names {}", parts.join(", "))
    }
}

/// What a text states of the machine.
fn inventory_parts(inventory: &Inventory) -> Vec<String> {
    let mut parts: Vec<String> = inventory.gpus.iter().map(|gpu| format!("GPU {gpu}")).collect();
    parts.extend(inventory.nvidia_driver.map(|driver| format!("NVIDIA driver {}", nvidia_release(driver))));
    parts.extend(inventory.os_build.map(|build| format!("Windows build {build}")));
    parts.extend(inventory.memory.map(|bytes| format!("{} MiB of memory", bytes >> 20)));
    if !inventory.packages.is_empty() {
        parts.push(format!("{} packages", inventory.packages.len()));
    }
    parts
}

/// The sentence for an event: its source, and what it means with its values.
pub(super) fn event_sentence(event: &Event) -> String {
    // Logs hold tens of thousands of events, and most sentences fit.
    let mut sentence = String::with_capacity(128);
    // Writing to a string cannot fail.
    let _ = write!(sentence, "{} {}: ", event.content.provider, event.content.id);
    let _ = write_meaning(&mut sentence, &event.content.body);
    if let (EventBody::Said { .. }, Some(name)) = (&event.content.body, system_error(event, &sentence)) {
        let _ = write!(sentence, ", {name}");
    }
    sentence.shrink_to_fit();
    sentence
}

/// The name of the system error with whose number an event's sentence ends, for providers that use these numbers.
fn system_error(event: &Event, sentence: &str) -> Option<&'static str> {
    /// The event of a service that ended with an error of its own numbering.
    const OWN_NUMBER: u32 = 7024;
    match &*event.content.provider {
        "Service Control Manager" if event.content.id != OWN_NUMBER => {}
        "MsiInstaller" => {}
        _ => return None,
    }
    let sentence = sentence.trim_end_matches(')');
    let (_, number) = sentence.rsplit_once("error ")?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    Some(win_error(number.parse().ok().filter(|_| is_number)?)?.name)
}

fn write_meaning(out: &mut String, body: &EventBody) -> fmt::Result {
    match body {
        EventBody::ApplicationError(error) => {
            let ApplicationError { app, module, module_unloaded, code, offset, .. } = &**error;
            let code = code.map_or_else(|| "an exception".to_owned(), code_text);
            let unloaded = if *module_unloaded { " (already unloaded)" } else { "" };
            write!(out, "{app} died of {code} ")?;
            match (module, offset) {
                (Some(module), Some(offset)) => write!(out, "in {module}{unloaded}+{offset}"),
                (Some(module), None) => write!(out, "in {module}{unloaded}"),
                (None, Some(offset)) => write!(out, "at {offset}, in no module"),
                (None, None) => out.write_str("in no module"),
            }
        }
        EventBody::InPageError { file, app, status, .. } => {
            let file = file.as_deref().unwrap_or("a file");
            let app = app.as_deref().unwrap_or("a program");
            write!(out, "a page of {file} could not be read for {app}")?;
            status.map_or(Ok(()), |status| write!(out, " ({})", status_text(status)))
        }
        EventBody::Wer(report) => out.write_str(&report_text(report)),
        EventBody::Hang { app, hang_type, .. } => {
            write!(out, "{app} stopped answering and was closed")?;
            hang_type.as_ref().map_or(Ok(()), |kind| write!(out, " (kind of hang: {kind})"))
        }
        EventBody::DotNet { app, exception_type, .. } => {
            let app = app.as_deref().unwrap_or("a .NET program");
            match exception_type {
                Some(kind) => write!(out, "{app} ended by an unhandled {kind}"),
                None => write!(out, "{app} was ended by the .NET runtime"),
            }
        }
        EventBody::SideBySide { assembly, app } => {
            let app = app.as_deref().map_or("a program", base_name);
            match assembly {
                Some(assembly) => write!(out, "{app} did not start: assembly {assembly}"),
                None => write!(out, "{app} did not start because of its manifest"),
            }
        }
        EventBody::Popup { caption, message, .. } => {
            write!(out, "message box \"{caption}\": ")?;
            write_one_line(out, message)
        }
        EventBody::BugCheck { code, parameters, .. } => {
            write!(out, "the system stopped with {} and restarted", stop_with_parameters(*code, parameters))
        }
        EventBody::UncleanRestart { code, power_button, long_press, .. } => {
            let was_pressed = power_button.is_some() || *long_press == Some(true);
            out.write_str("the system went off without shutting down; ")?;
            match code {
                Some(code) => write!(out, "stop {} was recorded", stop_text(*code)),
                None if was_pressed => out.write_str("the power button had been pressed"),
                None => out.write_str("no stop code and no power button was recorded"),
            }
        }
        EventBody::ShutDownByHeat { zone } => {
            out.write_str("the system had shut itself down because a part was too hot")?;
            zone.as_deref().map_or(Ok(()), |zone| write!(out, ", thermal zone {zone}"))
        }
        EventBody::UncleanShutdown { last_alive } => {
            out.write_str("the session before ended without shutdown")?;
            last_alive.map_or(Ok(()), |time| write!(out, "; last known alive {time}"))
        }
        EventBody::DisplayReset { driver } => write!(out, "display driver {driver} stopped answering and was reset"),
        EventBody::DisplayDriver { driver, text, .. } => match text {
            Some(text) => write!(out, "display driver {driver}: {text}"),
            None => write!(out, "display driver {driver} reported an error"),
        },
        EventBody::OpenGlDriver { text, .. } => write_one_line(out, text),
        EventBody::Hardware { component, corrected, status, bank, apic_id, device, address, .. } => {
            let kind = if *corrected { "a corrected" } else { "an uncorrected" };
            write!(out, "the hardware reported {kind} error of {}", component_text(component))?;
            let check = status.filter(|_| *component == "processor").and_then(McaStatus::new);
            let class = check.and_then(|check| check.class().about());
            let lost = check.filter(|check| check.overflowed()).map(|_| "were lost");
            let details = [
                ("APIC id", apic_id.map(|id| id.to_string())),
                ("bank", bank.map(|bank| bank.to_string())),
                ("status", status.map(|status| format!("{status:#x}"))),
                ("class", class.map(str::to_owned)),
                ("errors before it", lost.map(str::to_owned)),
                ("address", address.map(|address| format!("{address:#x}"))),
                ("device", device.as_deref().map(str::to_owned)),
            ];
            let details = details.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
            let details: Vec<String> = details.collect();
            if details.is_empty() { Ok(()) } else { write!(out, " ({})", details.join(", ")) }
        }
        EventBody::Storage { device, status, retry } => {
            let device = device.as_deref().unwrap_or("a storage device");
            write!(out, "a request to {device} failed or was repeated")?;
            if let Some(retry) = retry {
                write!(out, ", {}", retry_text(*retry))?;
            }
            status.map_or(Ok(()), |status| write!(out, ", status {}", status_text(status)))
        }
        EventBody::DriveHealth(health) => write_health(out, health),
        EventBody::FileSystem { volume, damaged } => {
            let volume = volume.as_deref().unwrap_or("a volume");
            if *damaged {
                write!(out, "structures of {volume} are damaged")
            } else {
                write!(out, "{volume} was checked")
            }
        }
        EventBody::MemoryExhausted { commit_limit, commit_charge, top, held } => {
            let mib = |bytes: &u64| bytes >> 20;
            out.write_str("memory ran low")?;
            if let (Some(charge), Some(limit)) = (commit_charge, commit_limit) {
                write!(out, ": {} of {} MiB committed", mib(charge), mib(limit))?;
            }
            let by_kernel = |held: &&MemoryHeld| commit_charge.is_some_and(|charge| held.pools > charge >> 1);
            if let Some(held) = held.as_deref().filter(by_kernel) {
                write!(out, "; most by the kernel's pools ({} MiB", mib(&held.pools))?;
                if let Some((tag, bytes)) = &held.tag {
                    write!(out, ", {} MiB of them under the tag {tag}", mib(bytes))?;
                }
                return out.write_str(")");
            }
            top.first().map_or(Ok(()), |(name, _, bytes)| write!(out, "; most by {name} ({} MiB)", mib(bytes)))
        }
        EventBody::ImageRefused { file, process, blocked, .. } => {
            let verb = if *blocked { "was refused" } else { "would have been refused" };
            write!(out, "{} {verb}", file.as_deref().unwrap_or("an image"))?;
            process.as_deref().map_or(Ok(()), |process| write!(out, " in {}", base_name(process)))
        }
        EventBody::ProcessExit(exit) => {
            let program = base_name(&exit.path);
            write!(out, "{program} ended with code {}", code_text(ExceptionCode(exit.code)))?;
            let other = exit.ended_by.as_deref().map(base_name);
            other.map_or(Ok(()), |other| write!(out, "; {other} ended it"))
        }
        EventBody::MemoryTest { errors: true } => out.write_str("the memory test found errors"),
        EventBody::MemoryTest { errors: false } => out.write_str("the memory test found no errors"),
        EventBody::ServiceEnded(end) => write!(out, "service {} ended unexpectedly", end.described()),
        EventBody::SystemStarted { build, .. } => {
            out.write_str("the system started")?;
            build.as_deref().map_or(Ok(()), |build| write!(out, ", build {build}"))
        }
        EventBody::Said { sentence, .. } => out.write_str(sentence),
        EventBody::Other { text } => write_one_line(out, text),
    }
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

/// Writes a text with line ends turned into spaces.
fn write_one_line(out: &mut String, text: &str) -> fmt::Result {
    let mut before = "";
    for word in text.split_whitespace() {
        out.write_str(before)?;
        out.write_str(word)?;
        before = " ";
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use evidence::{EventContent, EventFields};

    fn said(provider: &str, id: u32, sentence: &str) -> String {
        let content = EventContent {
            provider: provider.into(),
            id,
            channel: None,
            body: EventBody::Said { sentence: sentence.into(), kind: None },
            fields: EventFields::default(),
        };
        let event = Event { computer: None, time: None, content: Arc::new(content) };
        event_sentence(&event)
    }

    #[test]
    fn an_error_of_the_system_is_told_by_its_name() {
        const SERVICES: &str = "Service Control Manager";
        let timeout = said(SERVICES, 7000, "the service Demo did not start: error 1053");
        assert!(timeout.ends_with("error 1053, ERROR_SERVICE_REQUEST_TIMEOUT"), "{timeout}");
        let own = said(SERVICES, 7024, "the service Demo ended with an error: error 5");
        assert!(own.ends_with("error 5"), "{own}");
        let product = said("MsiInstaller", 1033, "Tool 1.0 was not installed (error 1603)");
        assert!(product.ends_with("(error 1603), ERROR_INSTALL_FAILURE"), "{product}");
        assert!(said("Demo", 1, "error 5").ends_with("error 5"));
    }

    #[test]
    fn a_status_that_is_no_error_has_its_name_too() {
        let text = status_text(NtStatus(0x8000_0016));
        assert_eq!(text, "0x80000016 (STATUS_VERIFY_REQUIRED)");
    }
}
