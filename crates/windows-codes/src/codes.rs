//! Looking up what is said of codes beyond what every run needs.

use std::sync::OnceLock;

use knowledge_tables::codes::{CodeRow, CodeTables, NoteRow};

/// The tables as the build encoded them.
static ENCODED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/code_tables.bin"));

/// The tables inside the program.
pub fn tables() -> &'static CodeTables<'static> {
    static TABLES: OnceLock<CodeTables<'static>> = OnceLock::new();
    // Only a program that was put together wrongly can't decode them; a test finds that out.
    TABLES.get_or_init(|| postcard::from_bytes(ENCODED).unwrap_or_default())
}

/// The row of a code in a table that is sorted by its code.
pub fn row<'t>(table: &'t [CodeRow<'static>], code: u32) -> Option<&'t CodeRow<'static>> {
    table.get(table.binary_search_by_key(&code, |row| row.code).ok()?)
}

/// What is to be said of a code of a kind: its own row, or else the row of its kind.
pub fn note(of: &str, code: u32) -> Option<&'static NoteRow<'static>> {
    let mut rows = tables().notes.iter().filter(|note| note.of == of);
    let of_kind = rows.clone().find(|note| note.codes.is_empty());
    rows.find(|note| note.codes.contains(&code)).or(of_kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Knowledge;
    use evidence::{BugcheckCode, ExceptionCode, FastFailCode};

    #[test]
    fn the_tables_are_whole_and_sorted() {
        let tables = tables();
        for (table, least) in [
            (&tables.statuses, 2_000),
            (&tables.win_errors, 2_000),
            (&tables.hresults, 2_000),
            (&tables.exit_codes, 10),
            (&tables.status_facilities, 20),
            (&tables.hresult_facilities, 40),
        ] {
            assert!(table.len() >= least, "{}", table.len());
            assert!(table.is_sorted_by(|a, b| a.code < b.code));
        }
    }

    #[test]
    fn known_codes_have_the_names_of_the_headers() {
        let tables = tables();
        for (table, code, name) in [
            (&tables.win_errors, 126, "ERROR_MOD_NOT_FOUND"),
            (&tables.win_errors, 1114, "ERROR_DLL_INIT_FAILED"),
            (&tables.win_errors, 1722, "RPC_S_SERVER_UNAVAILABLE"),
            (&tables.win_errors, 10054, "WSAECONNRESET"),
            (&tables.hresults, 0x8000_4005, "E_FAIL"),
            (&tables.hresults, 0x887A_0005, "DXGI_ERROR_DEVICE_REMOVED"),
            (&tables.statuses, 0xC000_000F, "STATUS_NO_SUCH_FILE"),
        ] {
            assert_eq!(row(table, code).map(|row| row.name), Some(name));
        }
    }

    #[test]
    fn no_status_stands_in_two_tables() {
        let known = Knowledge::builtin();
        let twice = tables().statuses.iter().filter(|row| known.exception(ExceptionCode(row.code)).is_some());
        assert_eq!(twice.map(|row| row.name).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn meanings_are_sentences_without_full_stop() {
        let tables = tables();
        for row in [&tables.win_errors, &tables.hresults, &tables.exit_codes].into_iter().flatten() {
            let means = row.means.unwrap_or("fine");
            assert!(!means.ends_with('.') && !means.is_empty() && means.len() < 150, "{}: {means}", row.name);
        }
    }

    #[test]
    fn notes_are_about_codes_that_have_a_name_and_collect_what_there_is() {
        let (tables, known) = (tables(), Knowledge::builtin());
        for note in &tables.notes {
            for code in &note.codes {
                let named = match note.of {
                    "exception" => known.exception(ExceptionCode(*code)).is_some(),
                    "fast-fail" => known.fast_fail(FastFailCode(*code)).is_some(),
                    "bugcheck" => known.bugcheck(BugcheckCode(*code)).is_some(),
                    "win-error" => row(&tables.win_errors, *code).is_some(),
                    "hresult" => row(&tables.hresults, *code).is_some(),
                    "exit-code" => row(&tables.exit_codes, *code).is_some(),
                    "cuda-error" => row(&tables.cuda_errors, *code).is_some(),
                    _ => false,
                };
                assert!(named, "{} {code:#x}", note.of);
                let rows = tables.notes.iter().filter(|other| other.of == note.of && other.codes.contains(code));
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
        for text in tables().notes.iter().flat_map(|note| note.not.iter().chain(&note.look)) {
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
