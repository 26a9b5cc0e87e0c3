//! The blue screen that ended a session, or the kernel error report that the system survived: its code and the meaning of
//! its parameters.

use std::sync::Arc;

use super::incident::{Bugcheck, ParameterMeaning};
use super::joined_evidence::JoinedEvidence;
use evidence::{Address, BugcheckCode, ErrorDetail, KernelDump};
use windows_codes::{ExplainedParameter, Holds, Knowledge, McaStatus};

/// The incident's bugcheck, from whichever evidence has it.
pub(super) fn bugcheck(evidence: &JoinedEvidence<'_>) -> Option<Bugcheck> {
    let (_, code, parameters) = evidence.bugcheck()?;
    let dump = evidence.kernel_dump().map(|(_, dump)| dump);
    let explained = (1..=4).filter_map(|number| Knowledge.stop(code)?.explain(number, &parameters));
    Some(Bugcheck {
        code: BugcheckCode(code.plain()),
        name: Knowledge.bugcheck_name(code).map(Arc::from),
        live: Knowledge.is_live_report(code),
        status: Knowledge.stop(code).and_then(|stop| stop.status(&parameters)),
        bits_differ: bits_differ(code, &parameters),
        machine_check: machine_check(code, &parameters).or_else(|| recorded_machine_check(dump?)),
        meanings: explained.map(|parameter| meaning(parameter, dump)).collect(),
        parameters,
    })
}

fn meaning(explained: ExplainedParameter, dump: Option<&KernelDump>) -> ParameterMeaning {
    // An address means something where the dump has the driver there.
    let place = || {
        let dump = dump.filter(|_| explained.parameter.holds == Holds::Code)?;
        let address = Address(explained.value);
        if let Some((driver, offset)) = dump.driver_at(address) {
            return Some(format!("{}+{offset}", driver.name));
        }
        let (driver, offset) = dump.unloaded_at(address)?;
        Some(format!("{}+{offset}, already unloaded", driver.name))
    };
    ParameterMeaning {
        number: explained.parameter.number,
        is: explained.parameter.is,
        means: explained.means().map(str::to_owned).or_else(place),
    }
}

/// In how many bits parameters 3 and 4 differ, where both record the same page, of a blue screen by which page table and
/// list of pages contradict each other.
///
/// Source: Microsoft's page of bug check 0x1A, which reads a difference of a single bit as an error of hardware.
fn bits_differ(code: BugcheckCode, parameters: &[u64]) -> Option<u32> {
    let [first, _, third, fourth] = *parameters else { return None };
    (code.plain() == 0x1A && first == 0x403 && third != 0 && fourth != 0).then(|| (third ^ fourth).count_ones())
}

/// The status of the bank of a machine check (a hardware error that the processor reports), of the blue screens that hold
/// it: 0x124 with source 0, and 0x9C. Its upper and its lower 32 bits are a parameter each.
///
/// Source: Microsoft's pages of bug checks 0x124 and 0x9C.
fn machine_check(code: BugcheckCode, parameters: &[u64]) -> Option<McaStatus> {
    let [first, _, upper, lower] = *parameters else { return None };
    let holds_status = match code.plain() {
        0x124 => first == 0,
        0x9C => true,
        _ => false,
    };
    if !holds_status || upper >> 32 != 0 || lower >> 32 != 0 {
        return None;
    }
    McaStatus::new(upper << 32 | lower)
}

/// The status of the bank in the record of the hardware error.
fn recorded_machine_check(dump: &KernelDump) -> Option<McaStatus> {
    let record = dump.state.error_record.as_ref()?;
    record.sections.iter().find_map(|section| match section.detail {
        ErrorDetail::MachineCheck { status, .. } => McaStatus::new(status),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use windows_codes::McaClass;

    #[test]
    fn the_status_of_a_bank_tells_what_kind_of_error_it_was() {
        let status = machine_check(BugcheckCode(0x124), &[0, 1, 0xBE00_0000, 0x0080_0400]).expect("a status");
        assert_eq!(status.class(), McaClass::Internal);
        assert!(status.is_uncorrected());
        let old = machine_check(BugcheckCode(0x9C), &[5, 1, 0xB200_0000, 0x0135]).expect("a status");
        assert_eq!(old.class(), McaClass::Cache);
    }

    #[test]
    fn records_of_a_page_are_compared_only_where_they_are_such() {
        let of = |code, parameters: [u64; 4]| bits_differ(BugcheckCode(code), &parameters);
        assert_eq!(of(0x1A, [0x403, 1, 0x8400_0001_9A3C_7867, 0x8400_0001_9A38_7867]), Some(1));
        assert_eq!(of(0x1A, [0x403, 1, 0x1234, 0]), None, "an absent record is no record");
        assert_eq!(of(0x1A, [0x411, 1, 3, 1]), None);
        assert_eq!(of(0x50, [0x403, 1, 3, 1]), None);
    }

    #[test]
    fn a_status_that_is_not_valid_or_not_one_tells_nothing() {
        for (code, parameters) in [
            (0x124, [4, 1, 0xBE00_0000, 0x135]),
            (0x124, [0, 1, 0, 0]),
            (0x124, [0, 1, 0xFFFF_8000_BE00_0000, 0x135]),
            (0x1A, [0, 1, 0xBE00_0000, 0x135]),
        ] {
            assert_eq!(machine_check(BugcheckCode(code), &parameters), None, "{code:#x}");
        }
        assert_eq!(machine_check(BugcheckCode(0x124), &[0, 1]), None);
    }
}
