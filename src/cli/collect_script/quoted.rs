//! Values in scripts. They are from evidence and can be anything: a file may be called `$(calc).exe`, `%PATH%` or `a' & b`.

/// The longest value that is written, characters: the longest path without a prefix.
const LONGEST: usize = 260;

/// A text as an expression of PowerShell with this value. The script is ASCII, whatever the text is: between single quotes
/// nothing but a quote has a meaning, and it is doubled; all that is not printable ASCII, to which the other quotes of
/// PowerShell belong (U+2018 to U+201B), is written as a number.
pub fn powershell(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut literal = String::new();
    for c in text.chars().take(LONGEST) {
        if c == '\'' {
            literal.push_str("''");
        } else if c == ' ' || c.is_ascii_graphic() {
            literal.push(c);
        } else {
            parts.push(format!("'{literal}'"));
            literal.clear();
            let mut units = [0_u16; 2];
            parts.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("[char]0x{unit:04X}")));
        }
    }
    if parts.is_empty() {
        return format!("'{literal}'");
    }
    if !literal.is_empty() {
        parts.push(format!("'{literal}'"));
    }
    format!("({})", parts.join(" + "))
}

/// A text between the quotation marks of `set "NAME=..."` in a batch file; `None` where it has a character that could have a
/// meaning there or in a later line, or that depends on the code page: only letters, digits and `._-+() \:` of ASCII have none.
pub fn batch(text: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ._-+()\\:".contains(c);
    (text.len() <= LONGEST && text.chars().all(is_plain)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_one_value_of_powershell_whatever_is_in_them() {
        for (text, expression) in [
            ("ledger.exe", "'ledger.exe'"),
            ("", "''"),
            ("a'; calc; '", "'a''; calc; '''"),
            ("$(calc)`n\"%x%\"", "'$(calc)`n\"%x%\"'"),
            ("a\nb", "('a' + [char]0x000A + 'b')"),
            ("\u{2019}x", "('' + [char]0x2019 + 'x')"),
            ("\u{1F600}", "('' + [char]0xD83D + [char]0xDE00)"),
        ] {
            assert_eq!(powershell(text), expression);
        }
        assert!(powershell(&"a".repeat(10_000)).len() < 300);
    }

    #[test]
    fn batch_files_get_harmless_names_only() {
        assert_eq!(batch("Ledger (x86) 2.exe"), Some("Ledger (x86) 2.exe"));
        for hostile in ["%PATH%", "a&calc", "a\"b", "a^b", "a|b", "a!b", "a\nb", "ä.exe", "a>b", "a*.exe", "a=b", "a;b"]
        {
            assert_eq!(batch(hostile), None, "{hostile}");
        }
    }
}
