//! The tables of codes: a name and a meaning by number, one or several tables for each kind of code.

use knowledge_tables::codes::{Event, Meaning, Note};
use knowledge_tables::{Sorted, embedded};

/// Names and meanings by code.
pub(crate) type Codes = Sorted<u32, Meaning>;

embedded! {
    /// Stop codes of blue screens and of live kernel reports.
    pub(crate) BUGCHECKS: Codes = "bugchecks";
    /// Statuses of cuBLAS.
    pub(crate) CUBLAS_STATUSES: Codes = "cublas-statuses";
    /// Errors of CUDA by the names that its driver gives them: the same numbers as [`CUDA_ERRORS`].
    pub(crate) CUDA_DRIVER_ERRORS: Codes = "cuda-driver-errors";
    /// Errors of CUDA's runtime.
    pub(crate) CUDA_ERRORS: Codes = "cuda-errors";
    /// Statuses of cuDNN.
    pub(crate) CUDNN_STATUSES: Codes = "cudnn-statuses";
    /// Problem codes of devices in Device Manager.
    pub(crate) DEVICE_PROBLEMS: Codes = "device-problems";
    /// Errors of the C runtime.
    pub(crate) ERRNOS: Codes = "errnos";
    /// Statuses with which exceptions are raised and processes end, each with its meaning.
    pub(crate) EXCEPTIONS: Codes = "exception-codes";
    /// Exit codes by convention.
    pub(crate) EXIT_CODES: Codes = "exit-codes";
    /// Reasons with which programs shut themselves down, below status 0xC0000409.
    pub(crate) FAST_FAILS: Codes = "fast-fail";
    /// HRESULTs that are more than a wrapped system error or status.
    pub(crate) HRESULTS: Codes = "hresults";
    /// The owners of the facilities of HRESULTs.
    pub(crate) HRESULT_FACILITIES: Codes = "hresult-facilities";
    /// Statuses that are not in [`EXCEPTIONS`], by name only.
    pub(crate) STATUSES: Codes = "statuses";
    /// The owners of the facilities of statuses.
    pub(crate) STATUS_FACILITIES: Codes = "status-facilities";
    /// System errors.
    pub(crate) WIN_ERRORS: Codes = "win-errors";
    /// Xid errors of NVIDIA's driver.
    pub(crate) XIDS: Codes = "xids";
    NOTES: Vec<Note> = "code-notes";
    EVENTS: Vec<Event> = "events";
}

/// The events of logs that have an explanation, in the order of their file.
#[must_use]
pub fn events() -> &'static [Event] {
    &EVENTS
}

/// The note on a code, or else the note on all codes of its kind. `kind` is the kind's word in the table.
pub(crate) fn note(kind: &str, code: u32) -> Option<&'static Note> {
    let mut notes = NOTES.iter().filter(|note| note.of == kind);
    let of_kind = notes.clone().find(|note| note.codes.is_empty());
    notes.find(|note| note.codes.contains(&code)).or(of_kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Knowledge;
    use evidence::{BugcheckCode, ExceptionCode, FastFailCode};

    #[test]
    fn the_tables_are_whole_and_sorted() {
        for (table, least) in [
            (&STATUSES, 2_000),
            (&WIN_ERRORS, 2_000),
            (&HRESULTS, 2_000),
            (&EXIT_CODES, 10),
            (&STATUS_FACILITIES, 20),
            (&HRESULT_FACILITIES, 40),
        ] {
            assert!(table.iter().len() >= least, "{}", table.iter().len());
            assert!(table.iter().is_sorted_by(|a, b| a.0 < b.0));
        }
    }

    #[test]
    fn known_codes_have_the_names_of_the_headers() {
        for (table, code, name) in [
            (&WIN_ERRORS, 126, "ERROR_MOD_NOT_FOUND"),
            (&WIN_ERRORS, 1114, "ERROR_DLL_INIT_FAILED"),
            (&WIN_ERRORS, 1722, "RPC_S_SERVER_UNAVAILABLE"),
            (&WIN_ERRORS, 10054, "WSAECONNRESET"),
            (&HRESULTS, 0x8000_4005, "E_FAIL"),
            (&HRESULTS, 0x887A_0005, "DXGI_ERROR_DEVICE_REMOVED"),
            (&STATUSES, 0xC000_000F, "STATUS_NO_SUCH_FILE"),
        ] {
            assert_eq!(table.get(&code).map(|row| row.name), Some(name));
        }
    }

    #[test]
    fn no_status_stands_in_two_tables() {
        let known = Knowledge::builtin();
        let twice = STATUSES.iter().filter(|(code, _)| known.exception(ExceptionCode(*code)).is_some());
        assert_eq!(twice.map(|(_, row)| row.name).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn meanings_are_sentences_without_full_stop() {
        for (_, row) in [&WIN_ERRORS, &HRESULTS, &EXIT_CODES].into_iter().flat_map(|table| table.iter()) {
            let means = row.means.unwrap_or("fine");
            assert!(!means.ends_with('.') && !means.is_empty() && means.len() < 150, "{}: {means}", row.name);
        }
    }

    #[test]
    fn notes_are_about_codes_that_have_a_name_and_collect_what_there_is() {
        let known = Knowledge::builtin();
        for note in NOTES.iter() {
            for code in &note.codes {
                let named = match note.of {
                    "exception" => known.exception(ExceptionCode(*code)).is_some(),
                    "fast-fail" => known.fast_fail(FastFailCode(*code)).is_some(),
                    "bugcheck" => known.bugcheck(BugcheckCode(*code)).is_some(),
                    "win-error" => WIN_ERRORS.get(code).is_some(),
                    "hresult" => HRESULTS.get(code).is_some(),
                    "exit-code" => EXIT_CODES.get(code).is_some(),
                    "cuda-error" => CUDA_ERRORS.get(code).is_some(),
                    _ => false,
                };
                assert!(named, "{} {code:#x}", note.of);
                let rows = NOTES.iter().filter(|other| other.of == note.of && other.codes.contains(code));
                assert_eq!(rows.count(), 1, "{} {code:#x}", note.of);
            }
            for id in &note.collect {
                assert!(known.collect(id).is_some(), "{id}");
            }
            for text in note.not.iter().chain(&note.look) {
                assert!(!text.ends_with('.') && !text.is_empty() && text.len() < 220, "{text}");
            }
        }
        for kind in ["exception", "exit-code", "fast-fail", "bugcheck", "win-error", "hresult", "cuda-error"] {
            assert!(note(kind, 0xDEAD_0000).is_some_and(|note| note.codes.is_empty()), "{kind} has no row of its own");
        }
    }

    #[test]
    fn both_spellings_of_a_code_in_a_note_are_of_the_same_code() {
        let mut seen = 0;
        for text in NOTES.iter().flat_map(|note| note.not.iter().chain(&note.look)) {
            for (at, _) in text.match_indices(" (-") {
                let (before, after) = text.split_at(at);
                let hex = before.rsplit("0x").next().and_then(|digits| u32::from_str_radix(digits, 16).ok());
                let signed = after.trim_start_matches(" (").split(')').next().and_then(|text| text.parse::<i32>().ok());
                assert_eq!(hex, signed.map(i32::cast_unsigned), "{text}");
                seen += 1;
            }
        }
        assert!(seen > 10, "only {seen} codes with both spellings");
    }
}
