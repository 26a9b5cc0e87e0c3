//! What a kernel dump shows of the moment of the stop, in sentences.

use super::kernel_card::in_two_units;
use evidence::{
    BlackBoxes, ErrorDetail, ErrorRecord, ErrorSection, KernelDump, KernelProcess, PowerRequest, SavedEvent,
};
use windows_codes::McaStatus;

/// The sentences about a dump, in a fixed order.
pub(super) fn sentences(dump: &KernelDump) -> Vec<String> {
    let state = &dump.state;
    let mut said: Vec<String> =
        dump.uptime.iter().map(|uptime| format!("Windows had run for {}.", in_two_units(*uptime))).collect();
    said.extend(state.process.as_ref().map(process));
    said.extend(state.error_record.as_ref().map(error_record));
    said.extend(state.power_request.as_ref().and_then(power_request));
    said.extend(black_boxes(&state.black_boxes));
    said.extend(saved_events(&state.saved_events));
    said
}

fn process(process: &KernelProcess) -> String {
    let id = process.id.map_or_else(String::new, |id| format!(" ({id})"));
    format!("The processor was running a thread of {}{id} when the system stopped.", process.name)
}

fn error_record(record: &ErrorRecord) -> String {
    let parts: Vec<String> = record.sections.iter().filter_map(section).collect();
    let parts = if parts.is_empty() { record.component().word().to_owned() } else { parts.join("; ") };
    format!("Record of the hardware error ({}): {parts}.", record.severity.word())
}

fn section(section: &ErrorSection) -> Option<String> {
    let unit = section.unit.as_ref().map_or_else(String::new, |unit| format!(" in {unit}"));
    let said = match &section.detail {
        ErrorDetail::None => return None,
        ErrorDetail::Processor { kind: Some(kind), operation, level, apic_id, .. } => {
            let level = level.map_or_else(String::new, |level| format!("level {level} "));
            let operation = operation.map_or_else(String::new, |operation| format!(" ({})", operation.word()));
            let processor = apic_id.map_or_else(String::new, |id| format!(", processor with APIC id {id}"));
            format!("{level}{}{operation}{processor}", kind.word())
        }
        // Which processor it was, and nothing of the error.
        ErrorDetail::Processor { .. } => return None,
        ErrorDetail::MachineCheck { bank, status, .. } => {
            let class = McaStatus::new(*status).and_then(|status| status.class().about());
            let class = class.map_or_else(String::new, |class| format!(" ({class})"));
            format!("machine-check bank {bank}, status {status:#x}{class}")
        }
        ErrorDetail::Memory { kind, address, .. } => {
            let kind = kind.map_or("unknown", |kind| kind.word());
            let address = address.map_or_else(String::new, |address| format!(" at physical address {address:#x}"));
            format!("memory, {kind}{address}")
        }
        ErrorDetail::Pcie { device, uncorrected, .. } => {
            let device = device.map_or_else(|| "a device".to_owned(), |device| device.to_string());
            let status = uncorrected.map_or_else(String::new, |status| format!(", status {status:#x}"));
            format!("PCI Express, {device}{status}")
        }
    };
    Some(format!("{said}{unit}"))
}

fn power_request(request: &PowerRequest) -> Option<String> {
    let bus = request.bus_driver.as_ref().map_or_else(String::new, |bus| format!(", for a device of {bus}"));
    request.holder.as_ref().map(|holder| format!("The power request that failed was with {holder}{bus}."))
}

fn black_boxes(boxes: &BlackBoxes) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(device) = boxes.plug_and_play.as_ref().filter(|device| device.in_progress) {
        let name = device.device.as_deref().unwrap_or("a device");
        let veto = device.veto.as_ref().map_or_else(String::new, |veto| format!("; {veto} refused"));
        said.push(format!("Plug and Play was still working on {name}{veto}."));
    }
    if let Some(waits) = boxes.file_system.filter(|waits| waits.slow_requests > 0 || waits.oplock_timeouts > 0) {
        let (slow, locks) = (waits.slow_requests, waits.oplock_timeouts);
        said.push(format!("NTFS had waited too long for {slow} requests to drives and for {locks} locks."));
    }
    if let Some(boot) = boxes.boot {
        said.extend(boot.shutdown_in_progress.then(|| "Windows was shutting down.".to_owned()));
        said.extend(boot.sleep_in_progress.then(|| "Windows was going to sleep or waking up.".to_owned()));
    }
    if let Some(thread) = boxes.logon.as_ref().filter(|logon| logon.pending).and_then(|logon| logon.thread.as_ref()) {
        said.push(format!("Winlogon was still working on: {thread}."));
    }
    said
}

/// How many errors the saved sessions hold.
fn saved_events(events: &[SavedEvent]) -> Option<String> {
    let of = |levels: std::ops::RangeInclusive<u8>| events.iter().filter(|event| levels.contains(&event.level)).count();
    let (errors, warnings) = (of(1..=2), of(3..=3));
    (errors > 0 || warnings > 0).then(|| {
        format!("The dump holds {} events from before the stop: errors {errors}, warnings {warnings}.", events.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{
        BootStatus, ErrorComponent, ErrorSeverity, FileSystem, MemoryError, PciDevice, PlugAndPlay, ProcessorOperation,
        ProcessorPart,
    };

    fn recorded(component: ErrorComponent, unit: Option<&str>, detail: ErrorDetail) -> String {
        let severity = ErrorSeverity::Fatal;
        let section = ErrorSection { primary: true, severity, component, unit: unit.map(Into::into), detail };
        error_record(&ErrorRecord { severity, time: None, sections: vec![section] })
    }

    #[test]
    fn records_name_the_part_that_failed() {
        let processor = ErrorDetail::Processor {
            kind: Some(ProcessorPart::Cache),
            operation: Some(ProcessorOperation::Read),
            level: Some(1),
            apic_id: Some(6),
            signature: None,
            address: None,
            instruction: None,
        };
        assert_eq!(
            recorded(ErrorComponent::Processor, None, processor),
            "Record of the hardware error (fatal): level 1 cache (read), processor with APIC id 6."
        );
        let memory = ErrorDetail::Memory {
            kind: Some(MemoryError::MultiBit),
            address: Some(0x1000),
            node: None,
            card: None,
            module: None,
            bank: None,
        };
        assert_eq!(
            recorded(ErrorComponent::Memory, Some("DIMM_A2"), memory),
            "Record of the hardware error (fatal): memory, multi-bit at physical address 0x1000 in DIMM_A2."
        );
        let device = PciDevice { vendor: 0x10DE, device: 0x2684, segment: 0, bus: 1, slot: 0, function: 0 };
        let device = ErrorDetail::Pcie { device: Some(device), uncorrected: Some(0x4000), corrected: None };
        assert_eq!(
            recorded(ErrorComponent::Pcie, None, device),
            r"Record of the hardware error (fatal): PCI Express, PCI\VEN_10DE&DEV_2684, status 0x4000."
        );
        assert_eq!(
            recorded(ErrorComponent::Processor, None, ErrorDetail::None),
            "Record of the hardware error (fatal): processor."
        );
    }

    #[test]
    fn black_boxes_say_only_what_was_going_on() {
        let device = PlugAndPlay { in_progress: true, device: Some("USB\\X".into()), problem: 0, veto: None };
        let boot = BootStatus {
            boot_succeeded: true,
            shut_down: false,
            shutdown_in_progress: true,
            sleep_in_progress: false,
            power_button: None,
        };
        let waits = FileSystem { slow_requests: 2, oplock_timeouts: 0 };
        let busy =
            BlackBoxes { plug_and_play: Some(device.clone()), file_system: Some(waits), boot: Some(boot), logon: None };
        assert_eq!(
            black_boxes(&busy),
            [
                "Plug and Play was still working on USB\\X.",
                "NTFS had waited too long for 2 requests to drives and for 0 locks.",
                "Windows was shutting down.",
            ]
        );
        let idle = BlackBoxes {
            plug_and_play: Some(PlugAndPlay { in_progress: false, ..device }),
            file_system: Some(FileSystem::default()),
            ..BlackBoxes::default()
        };
        assert!(black_boxes(&idle).is_empty());
    }
}
