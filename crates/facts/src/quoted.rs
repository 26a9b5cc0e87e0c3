//! Writing values into YAML so that they are read as they were.

use untrusted::sanitise;

/// A value as YAML: plain where that is safe, else in single quotes, on one line.
#[must_use]
pub fn quoted(value: &str) -> String {
    let value = sanitise(value);
    let plain = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    // A leading dash could begin a list entry, and without quotes these words mean nothing at all.
    let nothing = ["null", "Null", "NULL"].contains(&&*value);
    if plain && !value.starts_with('-') && !nothing {
        value.into_owned()
    } else {
        format!("'{}'", value.replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_when_yaml_would_read_them_otherwise() {
        assert_eq!(quoted("ntdll.dll"), "ntdll.dll");
        assert_eq!(quoted("0xC0000409"), "0xC0000409");
        assert_eq!(quoted("C:\\a b"), "'C:\\a b'");
        assert_eq!(quoted("it's"), "'it''s'");
        assert_eq!(quoted("- a"), "'- a'");
        assert_eq!(quoted("null"), "'null'");
        assert_eq!(quoted("[a, b]"), "'[a, b]'");
    }
}
