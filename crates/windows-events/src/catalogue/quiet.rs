//! Events of which nearly all records are of no interest.

use evtx_scan::{Quiet, QuietWhen};

use super::Meaning;

/// The number of all updates of Defender's definitions. There are several a day, and Defender itself records what they
/// bring.
///
/// Source: Microsoft's catalogue of updates, KB2267602.
pub(crate) const DEFINITIONS: &str = "KB2267602";

/// Whether a process that ended with this code failed: with an exception, because the loader refused it, or with a failure of
/// the .NET runtime. Ends by Ctrl+C or by logging off, and codes that a program chooses itself, are no failures.
///
/// Source: layout of NTSTATUS values (MS-ERREF, section 2.3): the upper bits of errors are `1100`, of those that
/// language runtimes define `1110`; `corerror.h` of .NET.
fn is_failure(exit_code: u32) -> bool {
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

/// The field that marks records of no interest, for events of which logs have many, up to millions, and nearly all of them are
/// of no interest.
pub(super) fn quiet(meaning: Meaning) -> Option<Quiet> {
    let (field, when) = match meaning {
        Meaning::ProcessExit => ("Status", QuietWhen::Number(|code| !is_failure(code))),
        Meaning::FileSystemState => ("CorruptionActionState", QuietWhen::Number(|state| state == 0)),
        Meaning::UpdateInstalled | Meaning::UpdateFailed => ("updateTitle", QuietWhen::Contains(DEFINITIONS.into())),
        _ => return None,
    };
    Some(Quiet { field: field.into(), when })
}

#[cfg(test)]
mod tests {
    use super::super::wanted;

    /// Whether a record with these fields is wanted.
    fn wants(provider: &str, id: u32, fields: &[(&str, &str)]) -> bool {
        let fields = fields.iter().map(|(name, value)| (Some(*name), *value)).collect();
        wanted().wants(provider, id, &fields)
    }

    #[test]
    fn records_that_say_that_all_is_well_are_not_wanted() {
        let wants =
            |provider: &str, id, field: &str, value: &str| self::wants(provider, id, &[("Other", "1"), (field, value)]);
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
        let wants = |provider: &str, id, status: &str| self::wants(provider, id, &[("Status", status)]);
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
