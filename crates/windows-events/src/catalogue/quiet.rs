//! Events of which nearly all records tell of nothing.

use super::{Entry, Meaning};
use untrusted::notation::number_u32;

/// The number of every update of Defender's definitions. There are several a day, and what they bring is told by
/// Defender itself.
///
/// Source: Microsoft's catalogue of updates, KB2267602.
pub(crate) const DEFINITIONS: &str = "KB2267602";

/// When a record tells of nothing, by one of its fields. These are the events of which logs hold many, up to millions,
/// and nearly all are of no interest, so that their data decide, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quiet {
    /// Name of the field that tells.
    pub(crate) field: &'static str,
    /// What it says then.
    pub(crate) when: QuietWhen,
}

/// What a field says when its record tells of nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuietWhen {
    /// A process's exit code that is no failure.
    OrdinaryExit,
    /// Zero.
    Zero,
    /// A text with this part, in ASCII.
    Mentions(&'static str),
}

impl Quiet {
    /// Whether the field, as written, says that the record tells of nothing.
    pub(super) fn is_told_by(&self, value: &str) -> bool {
        match self.when {
            QuietWhen::OrdinaryExit => number_u32(value).is_some_and(|code| !is_failure(code)),
            QuietWhen::Zero => number_u32(value) == Some(0),
            QuietWhen::Mentions(part) => value.contains(part),
        }
    }
}

/// The ids of the events of which some may tell of nothing: those of other ids need not be looked up.
pub(crate) const MAY_BE_QUIET: [u32; 4] = [19, 20, 98, 4689];

/// Whether a process that ended with this code did so for something that went wrong: with an exception, the loader's
/// refusal, or a failure of the .NET runtime. Ends by Ctrl+C, by logging off, and with numbers that a program chooses
/// itself are none.
///
/// Source: layout of NTSTATUS values (MS-ERREF, section 2.3): the upper bits of errors are `1100`, of those that
/// language runtimes define `1110`; `corerror.h` of .NET.
pub(crate) fn is_failure(exit_code: u32) -> bool {
    const CONTROL_C_EXIT: u32 = 0xC000_013A;
    const DLL_INIT_FAILED_LOGOFF: u32 = 0xC000_026B;
    match exit_code {
        CONTROL_C_EXIT | DLL_INIT_FAILED_LOGOFF => false,
        0xC000_0000..=0xCFFF_FFFF | 0xE000_0000..=0xEFFF_FFFF => true,
        // Guard page, misalignment, breakpoint and single step; then the .NET runtime.
        0x8000_0001..=0x8000_0004 | 0x8013_1500..=0x8013_16FF => true,
        _ => false,
    }
}

impl Entry {
    /// When a record of this event tells of nothing.
    pub(crate) fn quiet(&self) -> Option<Quiet> {
        let (field, when) = match self.meaning {
            Meaning::ProcessExit => ("Status", QuietWhen::OrdinaryExit),
            Meaning::FileSystemState => ("CorruptionActionState", QuietWhen::Zero),
            Meaning::Update { .. } => ("updateTitle", QuietWhen::Mentions(DEFINITIONS)),
            _ => return None,
        };
        Some(Quiet { field, when })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Ids::{Any, These};
    use super::super::table::CATALOGUE;
    use super::super::wants;
    use super::*;

    #[test]
    fn the_ids_of_events_that_may_tell_of_nothing_are_those_of_the_table() {
        let quiet = CATALOGUE.iter().filter(|entry| entry.quiet().is_some());
        let ids: Vec<u32> = quiet
            .flat_map(|entry| match &entry.ids {
                Any => panic!("all ids"),
                These(ranges) => ranges.iter().cloned().flatten(),
            })
            .collect();
        let mut sorted = ids;
        sorted.sort_unstable();
        assert_eq!(sorted, MAY_BE_QUIET);
    }

    #[test]
    fn records_that_say_that_all_is_well_are_not_wanted() {
        let wants = |provider: &str, id, field: &str, value: &str| {
            wants(provider, id, [(Some("Other"), "1"), (Some(field), value)].into_iter())
        };
        const NTFS: &str = "Microsoft-Windows-Ntfs";
        assert!(!wants(NTFS, 98, "CorruptionActionState", "0"));
        assert!(wants(NTFS, 98, "CorruptionActionState", "2") && wants(NTFS, 98, "Other", "0"));
        assert!(wants(NTFS, 55, "CorruptionActionState", "0"));
        const UPDATES: &str = "Microsoft-Windows-WindowsUpdateClient";
        for id in [19, 20] {
            assert!(!wants(UPDATES, id, "updateTitle", "Security Intelligence Update - KB2267602 (Version 1.2)"));
            assert!(wants(UPDATES, id, "updateTitle", "Update - KB5001234"));
        }
        assert!(wants("Microsoft-Windows-WHEA-Logger", 19, "updateTitle", "KB2267602"));
    }

    #[test]
    fn of_the_ends_of_processes_only_failures_are_wanted() {
        let wants = |provider: &str, id, status: &str| wants(provider, id, [(Some("Status"), status)].into_iter());
        const SECURITY: &str = "Microsoft-Windows-Security-Auditing";
        for failure in
            ["0xc0000409", "0xc0000005", "0xe06d7363", "0xe0434352", "0x80000003", "0x80131506", "0xc0000135"]
        {
            assert!(wants(SECURITY, 4689, failure), "{failure}");
        }
        for ordinary in ["0x0", "0x1", "0x40010004", "0xc000013a", "0xc000026b", "0xffffffff", "0x80004005"] {
            assert!(!wants(SECURITY, 4689, ordinary), "{ordinary}");
        }
        assert!(wants(SECURITY, 4689, "?"), "a code that can't be read may be a failure");
        assert!(wants("Application Error", 1000, "0x0") && !wants(SECURITY, 4688, "0xc0000005"));
    }
}
