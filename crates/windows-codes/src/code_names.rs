//! Codes by their names, as headers have them and as people write them.

use super::codes::{HRESULTS, STATUSES, WIN_ERRORS};
use super::{Knowledge, Meaning};
use knowledge_tables::Sorted;

/// What kind of code a name is looked up as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A status with which an exception is raised or a process ends, or an HRESULT.
    Status,
    /// A stop.
    Stop,
    /// The sub-code of a fast fail.
    FastFail,
    /// A system error.
    SystemError,
}

/// The code of a name, whatever its case.
pub fn code_of(named: Named, name: &str) -> Option<u32> {
    among(named, |codes| {
        let known = |name: &String| codes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        aliases(name.trim()).iter().find_map(known).map(|(_, code)| *code)
    })
}

/// All names of a kind.
pub fn names_of(named: Named) -> Vec<String> {
    among(named, |codes| codes.iter().map(|(name, _)| (*name).to_owned()).collect())
}

/// What is found among all codes of a kind, which go by their names.
fn among<T>(named: Named, find: impl FnOnce(&[(&str, u32)]) -> T) -> T {
    let knowledge = Knowledge::builtin();
    let rows = |table: &'static Sorted<u32, Meaning>| table.iter().map(|(code, row)| (row.name, *code));
    let codes: Vec<(&str, u32)> = match named {
        Named::Status => {
            let exceptions = knowledge.exceptions().map(|(code, meaning)| (meaning.name, code.0));
            exceptions.chain(rows(&STATUSES)).chain(rows(&HRESULTS)).collect()
        }
        Named::Stop => knowledge.bugchecks().map(|(code, meaning)| (meaning.name, code.0)).collect(),
        Named::FastFail => knowledge.fast_fails().map(|(code, meaning)| (meaning.name, code.0)).collect(),
        Named::SystemError => rows(&WIN_ERRORS).collect(),
    };
    find(&codes)
}

/// A name, and what the same code is called elsewhere: programs see `STATUS_ACCESS_VIOLATION` as
/// `EXCEPTION_ACCESS_VIOLATION`, and people leave out what stands before the name proper.
pub fn aliases(text: &str) -> Vec<String> {
    let upper = text.to_ascii_uppercase();
    let mut names = vec![text.to_owned()];
    if let Some(rest) = upper.strip_prefix("EXCEPTION_") {
        let long = [("FLT_", "FLOAT_"), ("INT_", "INTEGER_"), ("PRIV_", "PRIVILEGED_")]
            .iter()
            .find_map(|(short, long)| rest.strip_prefix(short).map(|rest| format!("STATUS_{long}{rest}")));
        names.push(long.unwrap_or_else(|| format!("STATUS_{rest}")));
    }
    if upper.contains('_') && !upper.contains(' ') {
        names.extend(["STATUS_", "FAST_FAIL_", "ERROR_"].map(|prefix| format!("{prefix}{upper}")));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_as_what_is_asked_for() {
        for (named, name, code) in [
            (Named::Status, "STATUS_STACK_BUFFER_OVERRUN", 0xC000_0409),
            (Named::Status, "exception_access_violation", 0xC000_0005),
            (Named::Status, "DXGI_ERROR_DEVICE_REMOVED", 0x887A_0005),
            (Named::Status, "STATUS_NO_SUCH_FILE", 0xC000_000F),
            (Named::Stop, "VIDEO_TDR_FAILURE", 0x116),
            (Named::FastFail, "FAST_FAIL_FATAL_APP_EXIT", 7),
            (Named::FastFail, "fatal_app_exit", 7),
            (Named::SystemError, "ERROR_MOD_NOT_FOUND", 126),
        ] {
            assert_eq!(code_of(named, name), Some(code), "{name}");
        }
        for (named, name) in
            [(Named::Stop, "STATUS_STACK_BUFFER_OVERRUN"), (Named::Status, "VIDEO_TDR"), (Named::Stop, "")]
        {
            assert_eq!(code_of(named, name), None, "{name}");
        }
    }
}
