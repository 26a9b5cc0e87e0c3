//! Facts of the moment at which the system stopped, by a kernel dump: process, processor, the record of a hardware error, the
//! request for power that hangs, and what parts of Windows keep for the case of a stop.

use std::sync::Arc;

use jiff::Timestamp;

use crate::value::{evidence, text, word};
use crate::{EvidenceRef, FactSet, Record, Value};
use evidence::{BlackBoxes, ErrorDetail, ErrorRecord, KernelProcessor, SavedEvent, SecondaryBlock};
use incident::JoinedIncident;
use windows_codes::McaStatus;

/// Sets the facts of the incident's kernel dump.
pub(super) fn kernel_state(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let Some((number, dump)) = joined.evidence.kernel_dump() else { return };
    let from = evidence(number);
    let state = &dump.state;
    if let Some(process) = &state.process {
        facts.set("bugcheck.process", Arc::clone(&process.name), from);
        facts.set_known("bugcheck.process_id", process.id, from);
    }
    if let Some(request) = &state.power_request {
        facts.set_known("bugcheck.power_driver", request.holder.clone(), from);
        facts.set_known("bugcheck.power_bus_driver", request.bus_driver.clone(), from);
    }
    processors(&state.processors, from, facts);
    if let Some(record) = &state.error_record {
        error_record(record, from, facts);
    }
    black_boxes(&state.black_boxes, from, facts);
    let event = |event: &SavedEvent| saved_event(event, dump.time, from);
    facts.set_filled_list("saved_events", state.saved_events.iter().map(event));
    facts.set_filled_list("secondary_data", state.blocks.iter().map(|block| secondary_block(block, from)));
}

/// The first processor is the one that stopped the system.
fn processors(processors: &[KernelProcessor], from: Option<EvidenceRef>, facts: &mut FactSet) {
    let Some(first) = processors.first() else { return };
    facts.set_known("cpu.vendor", first.kind.vendor.clone(), from);
    facts.set_known("cpu.family", first.kind.family, from);
    facts.set_known("cpu.model", first.kind.model, from);
    facts.set_known("cpu.stepping", first.kind.stepping, from);
    facts.set_known("cpu.name", first.name.clone(), from);
    facts.set_known("cpu.megahertz", first.megahertz, from);
    facts.set_known("cpu.microcode", first.microcode, from);
    let mut others = processors.iter().skip(1).filter_map(|other| other.microcode).peekable();
    if let (Some(own), true) = (first.microcode, others.peek().is_some()) {
        facts.set("cpu.microcode_differs", others.any(|other| other != own), from);
    }
}

fn error_record(record: &ErrorRecord, from: Option<EvidenceRef>, facts: &mut FactSet) {
    facts.set("error_record.component", word(record.component().word()), from);
    facts.set("error_record.severity", word(record.severity.word()), from);
    let unit = record.sections.iter().find_map(|section| section.unit.clone());
    facts.set_known("error_record.unit", unit, from);
    for section in &record.sections {
        match &section.detail {
            ErrorDetail::None => {}
            ErrorDetail::Processor { kind, apic_id, signature, address, .. } => {
                facts.set_missing("error_record.part", kind.map(|kind| word(kind.word())), from);
                facts.set_missing("error_record.apic_id", *apic_id, from);
                facts.set_missing("error_record.signature", *signature, from);
                facts.set_missing("error_record.address", *address, from);
            }
            ErrorDetail::MachineCheck { bank, status, address, .. } => {
                facts.set_missing("error_record.bank", Some(*bank), from);
                facts.set_missing("error_record.status", Some(*status), from);
                let class = McaStatus::new(*status).map(|status| word(status.class().word()));
                facts.set_missing("error_record.machine_check", class, from);
                facts.set_missing("error_record.address", *address, from);
            }
            ErrorDetail::Memory { kind, address, bank, .. } => {
                facts.set_missing("error_record.memory_error", kind.map(|kind| word(kind.word())), from);
                facts.set_missing("error_record.address", *address, from);
                facts.set_missing("error_record.bank", bank.map(u32::from), from);
            }
            ErrorDetail::Pcie { device, .. } => {
                facts.set_missing("error_record.device", device.map(|device| text(&device.to_string())), from);
            }
        }
    }
}

fn black_boxes(boxes: &BlackBoxes, from: Option<EvidenceRef>, facts: &mut FactSet) {
    if let Some(device) = &boxes.plug_and_play {
        facts.set_known("black_box.device", device.device.clone(), from);
        facts.set("black_box.device_in_progress", device.in_progress, from);
        facts.set("black_box.device_problem", device.problem, from);
        facts.set_known("black_box.device_veto", device.veto.clone(), from);
    }
    if let Some(waits) = boxes.file_system {
        facts.set("black_box.slow_requests", waits.slow_requests, from);
        facts.set("black_box.oplock_timeouts", waits.oplock_timeouts, from);
    }
    if let Some(boot) = boxes.boot {
        facts.set("black_box.boot_succeeded", boot.boot_succeeded, from);
        facts.set("black_box.shut_down", boot.shut_down, from);
        facts.set("black_box.shutdown_in_progress", boot.shutdown_in_progress, from);
        facts.set("black_box.sleep_in_progress", boot.sleep_in_progress, from);
    }
    if let Some(logon) = &boxes.logon {
        facts.set("black_box.logon_pending", logon.pending, from);
        facts.set_known("black_box.logon_thread", logon.thread.clone(), from);
    }
}

fn saved_event(event: &SavedEvent, stopped: Option<Timestamp>, from: Option<EvidenceRef>) -> Record {
    let before = stopped
        .zip(event.time)
        .and_then(|(stopped, logged)| u64::try_from(stopped.duration_since(logged).as_secs()).ok());
    let fields = [
        ("provider", Some(event.provider.clone().into())),
        ("id", Some(u32::from(event.id).into())),
        ("level", Some(u32::from(event.level).into())),
        ("session", Some(event.session.clone().into())),
        ("seconds_before", before.map(Value::Number)),
    ];
    Record::of_known(fields, from)
}

fn secondary_block(block: &SecondaryBlock, from: Option<EvidenceRef>) -> Record {
    Record::of_known([("tag", Some(block.tag.clone().into())), ("bytes", Some(block.bytes.into()))], from)
}
