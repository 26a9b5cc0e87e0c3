//! Codes by their names, as headers have them and as people write them.

use super::Kind;

/// The code of a name, in upper or lower case, among the codes of a kind. Exceptions include HRESULTs, with which
/// exceptions are raised, too.
pub fn code_of(kind: Kind, name: &str) -> Option<u32> {
    let code = |alias: &String| names(kind).find(|(known, _)| known.eq_ignore_ascii_case(alias)).map(|(_, code)| code);
    aliases(name.trim()).iter().find_map(code)
}

/// All names among which [`code_of`] looks for one.
pub fn names_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    names(kind).map(|(name, _)| name)
}

fn names(kind: Kind) -> impl Iterator<Item = (&'static str, u32)> {
    let also = (kind == Kind::Exception).then_some(Kind::HResult);
    let tables = [Some(kind), also].into_iter().flatten().flat_map(Kind::tables);
    tables.flat_map(|table| table.iter().map(|(code, row)| (row.name, *code)))
}

/// A name with the other names under which its code is in the tables: programs see `STATUS_ACCESS_VIOLATION` as
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
        for (kind, name, code) in [
            (Kind::Exception, "STATUS_STACK_BUFFER_OVERRUN", 0xC000_0409),
            (Kind::Exception, "exception_access_violation", 0xC000_0005),
            (Kind::Exception, "DXGI_ERROR_DEVICE_REMOVED", 0x887A_0005),
            (Kind::Exception, "STATUS_NO_SUCH_FILE", 0xC000_000F),
            (Kind::Bugcheck, "VIDEO_TDR_FAILURE", 0x116),
            (Kind::FastFail, "FAST_FAIL_FATAL_APP_EXIT", 7),
            (Kind::FastFail, "fatal_app_exit", 7),
            (Kind::WinError, "ERROR_MOD_NOT_FOUND", 126),
        ] {
            assert_eq!(code_of(kind, name), Some(code), "{name}");
        }
        for (kind, name) in
            [(Kind::Bugcheck, "STATUS_STACK_BUFFER_OVERRUN"), (Kind::Exception, "VIDEO_TDR"), (Kind::Bugcheck, "")]
        {
            assert_eq!(code_of(kind, name), None, "{name}");
        }
    }
}
