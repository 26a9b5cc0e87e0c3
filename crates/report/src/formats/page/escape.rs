//! Escapes texts so that nothing in them is markup.

use std::fmt::{self, Write};

/// Writes a text for HTML: between tags, and in attributes with quotation marks.
pub(super) fn html(text: &str, out: &mut dyn Write) -> fmt::Result {
    for character in text.chars() {
        match character {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '"' => out.write_str("&quot;")?,
            '\'' => out.write_str("&#39;")?,
            _ => out.write_char(character)?,
        }
    }
    Ok(())
}

/// Writes a text for CommonMark and GitHub's tables, at the beginning of a line or within one.
///
/// Characters that are no markup at their position stay as they are, so that paths and names can be read in the source, too.
pub(super) fn markdown(text: &str, out: &mut dyn Write) -> fmt::Result {
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let mut before: Option<char> = None;
    // Behind the digits at the beginning, a dot or bracket would make them the number of a list.
    let mut number = true;
    for (at, character) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        let after = rest.chars().nth(1);
        let markup = match character {
            '*' | '`' | '[' | ']' | '|' | '~' | '#' | '$' => true,
            // Before letters and digits a backslash is no escape.
            '\\' => !is_word(after) && after != Some(' '),
            '_' => !(is_word(before) && is_word(after)),
            '+' | '-' | '=' | ':' if before.is_none() => true,
            // Addresses in a text become links by themselves.
            ':' => rest.starts_with("://"),
            '.' if number && before.is_some() => true,
            '.' => text.get(..at).is_some_and(|before| before.to_ascii_lowercase().ends_with("www")),
            ')' => number && before.is_some(),
            _ => false,
        };
        number &= character.is_ascii_digit();
        before = Some(character);
        match character {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            // GitHub looks for names and mail addresses after it has read all markup, so that a backslash does not help.
            // A comment divides the text, and is not copied from the page.
            '@' => out.write_str("@<!-- -->")?,
            _ if markup => write!(out, "\\{character}")?,
            _ => out.write_char(character)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(escape: fn(&str, &mut dyn Write) -> fmt::Result, text: &str) -> String {
        let mut out = String::new();
        escape(text, &mut out).expect("memory");
        out
    }

    #[test]
    fn no_text_is_html() {
        assert_eq!(escaped(html, "<script>alert('a' & \"b\")"), "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)");
        assert_eq!(escaped(html, r"C:\Users\Jürgen/a.dll"), r"C:\Users\Jürgen/a.dll");
    }

    #[test]
    fn no_text_is_markdown() {
        for (text, expected) in [
            ("a|b", r"a\|b"),
            ("<b>", "&lt;b&gt;"),
            ("&lt;", "&amp;lt;"),
            ("*a* _b_ `c` ~~d~~", r"\*a\* \_b\_ \`c\` \~\~d\~\~"),
            ("[a](http://b)", r"\[a\](http\://b)"),
            ("www.example.org", r"www\.example.org"),
            ("# a", r"\# a"),
            ("- a", r"\- a"),
            ("+ a", r"\+ a"),
            ("=== a", r"\=== a"),
            ("1. a", r"1\. a"),
            ("12) a", r"12\) a"),
            (r"a\", r"a\\"),
            (r"a\_b\*", r"a\\\_b\\\*"),
            ("$x$", r"\$x\$"),
            ("user@example.org", "user@<!-- -->example.org"),
            ("@team", "@<!-- -->team"),
        ] {
            assert_eq!(escaped(markdown, text), expected, "{text}");
        }
    }

    #[test]
    fn paths_and_names_can_be_read_in_the_source() {
        for text in [
            r"C:\Program Files (x86)\a_b\python3.9.exe",
            "2024-05-06T08:33:19Z",
            "e1 samples/a-b/c.dmp, stream Exception: 0xC06D007E",
            "cudnn_ops_infer64_8.dll 6.14.11.6050 (basis: scanned)",
            "act on it (97 %)",
        ] {
            assert_eq!(escaped(markdown, text), text);
        }
    }
}
