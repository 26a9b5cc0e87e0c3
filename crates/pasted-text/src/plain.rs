//! A line as it was meant: without what mail programs, web pages and editors put into it on its way.

use std::borrow::Cow;

/// `line` without quotation marks of mails, HTML entities, Markdown's bold marks and tables. Look-alikes of digits and
/// minus signs become ASCII; letters that text recognition put in the place of a code's digits (`O` for 0) become
/// digits.
pub fn plain(line: &str) -> Cow<'_, str> {
    let mut plain = Cow::Borrowed(line);
    replace(&mut plain, |line| line.contains('&').then(|| without_entities(line)));
    replace(&mut plain, |line| (!line.is_ascii()).then(|| with_ascii_numbers(line)));
    replace(&mut plain, |line| line.contains(['x', 'X']).then(|| with_read_digits(line)).flatten());
    replace(&mut plain, unquoted);
    replace(&mut plain, |line| line.contains("**").then(|| without_bold(line)));
    replace(&mut plain, field_of_a_table);
    plain
}

fn replace(line: &mut Cow<'_, str>, with: impl Fn(&str) -> Option<String>) {
    if let Some(replaced) = with(line) {
        *line = Cow::Owned(replaced);
    }
}

/// Replaces HTML entities by their characters.
fn without_entities(line: &str) -> String {
    // The mark itself is last: `&amp;gt;` is `&gt;`.
    const ENTITIES: [(&str, &str); 7] = [
        ("&gt;", ">"),
        ("&lt;", "<"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    ENTITIES.iter().fold(line.to_owned(), |line, (name, character)| line.replace(name, character))
}

/// Word processors make a minus sign of U+2212 or a dash, and input methods of East Asia write digits, letters and
/// parentheses as wide as their own characters (U+FF01 to U+FF5E, ASCII's order).
fn with_ascii_numbers(line: &str) -> String {
    const MINUS: [char; 8] =
        ['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}', '\u{FE63}', '\u{FF0D}'];
    let narrow = |wide: char| {
        let narrow = u32::from(wide).checked_sub(0xFEE0).and_then(char::from_u32);
        narrow.filter(|narrow| narrow.is_ascii_alphanumeric() || matches!(narrow, '(' | ')')).unwrap_or(wide)
    };
    let mut meant = String::with_capacity(line.len());
    let mut characters = line.chars().map(narrow).peekable();
    while let Some(character) = characters.next() {
        // Between numbers it is a dash: `10–20`.
        let minus = MINUS.contains(&character)
            && characters.peek().is_some_and(char::is_ascii_digit)
            && !meant.ends_with(|before: char| before.is_ascii_alphanumeric());
        meant.push(if minus { '-' } else { character });
    }
    meant
}

/// The line with the digits that text recognition took for letters: `0xc00O0409` becomes `0xc0000409`. Only words with
/// as many digits as codes and addresses have, and otherwise only digits, are changed.
fn with_read_digits(line: &str) -> Option<String> {
    const WIDTHS: [usize; 2] = [8, 16];
    let digit_for = |letter: char| match letter {
        'O' | 'o' | 'Q' => '0',
        'I' | 'l' => '1',
        'S' | 's' => '5',
        other => other,
    };
    let is_misread = |word: &str| {
        let digits = word.strip_prefix(['0', 'O', 'o']).and_then(|rest| rest.strip_prefix(['x', 'X']));
        let wrong =
            |digits: &str| word.starts_with(['O', 'o']) || digits.contains(|letter| digit_for(letter) != letter);
        digits.is_some_and(|digits| {
            WIDTHS.contains(&digits.len())
                && wrong(digits)
                && digits.chars().all(|digit| digit_for(digit).is_ascii_hexdigit())
        })
    };
    let mut words = line.split(|letter: char| !letter.is_ascii_alphanumeric());
    if !words.any(is_misread) {
        return None;
    }
    let mut meant = String::with_capacity(line.len());
    for part in line.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let word = part.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
        match word.get(2..).filter(|_| is_misread(word)) {
            Some(digits) => {
                meant.push_str("0x");
                meant.extend(digits.chars().map(digit_for));
                meant.push_str(part.get(word.len()..).unwrap_or_default());
            }
            None => meant.push_str(part),
        }
    }
    Some(meant)
}

/// Mail programs and Markdown put `>` before what they quote, once for each level. Python's prompt looks like three.
fn unquoted(line: &str) -> Option<String> {
    if !line.starts_with('>') || line.starts_with(">>> ") {
        return None;
    }
    let mut rest = line;
    while let Some(inside) = rest.strip_prefix('>') {
        // Visual Studio's mark of a stack's current frame.
        if inside.starts_with('\t') {
            break;
        }
        rest = inside.strip_prefix(' ').unwrap_or(inside);
    }
    Some(rest.to_owned())
}

/// `**bold**` is `bold`. Other pairs of stars, as in `*** STOP` and `** On entry to`, stay.
fn without_bold(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, inside)) = rest.split_once("**") {
        let begins = !before.ends_with('*') && inside.starts_with(|first: char| !first.is_whitespace() && first != '*');
        let Some((bold, after)) = inside.split_once("**").filter(|_| begins) else {
            plain.push_str(before);
            let stars = inside.len().saturating_sub(inside.trim_start_matches('*').len());
            plain.push_str("**");
            plain.push_str(inside.get(..stars).unwrap_or_default());
            rest = inside.get(stars..).unwrap_or_default();
            continue;
        };
        plain.push_str(before);
        plain.push_str(bold);
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// `| label | value |` is `label: value`. Rows with more or fewer cells stay: their columns may mean anything.
fn field_of_a_table(line: &str) -> Option<String> {
    let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let (label, value) = inside.split_once('|').filter(|(_, value)| !value.contains('|'))?;
    let (label, value) = (label.trim().trim_end_matches([':', '：']), value.trim());
    let words = |cell: &str| cell.chars().any(char::is_alphanumeric);
    (words(label) && words(value)).then(|| format!("{label}: {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_that_looks_like_a_minus_before_a_number_is_one() {
        for minus in ["\u{2212}", "\u{2013}", "\u{2014}", "\u{2011}", "\u{2010}", "\u{FF0D}", "-"] {
            assert_eq!(plain(&format!("exit code {minus}1073740791")), "exit code -1073740791", "{minus}");
        }
        assert_eq!(plain("10\u{2013}20, Größe \u{2013} 3"), "10\u{2013}20, Größe \u{2013} 3");
        assert_eq!(plain("０ｘＣ００００００５（－３）"), "0xC0000005(-3)");
    }

    #[test]
    fn digits_that_were_read_off_a_photo_as_letters_are_digits() {
        assert_eq!(
            plain("exception (0xc00O0409) at OxFFFFFFFFc000l409"),
            "exception (0xc0000409) at 0xFFFFFFFFc0001409"
        );
        for line in ["0xc0000409", "0xcOffee", "ox yoke", "0xc00O04099", "Oxidised0"] {
            assert_eq!(plain(line), line);
        }
    }

    #[test]
    fn quoting_is_no_part_of_a_line() {
        for (quoted, meant) in [
            ("> Exception code: 1", "Exception code: 1"),
            (">>   File \"a.py\"", "  File \"a.py\""),
            ("&gt; a &lt;b&gt; &amp;c &x", "a <b> &c &x"),
            (">>> import torch", ">>> import torch"),
            (">\ttool.exe!main() Line 3", "\ttool.exe!main() Line 3"),
        ] {
            assert_eq!(plain(quoted).trim_start_matches('>'), meant.trim_start_matches('>'), "{quoted}");
        }
    }

    #[test]
    fn markdown_is_no_part_of_a_line() {
        for (marked, meant) in [
            ("**Exit code:** `-5` and **more**", "Exit code: `-5` and more"),
            ("*** STOP: 0x1A", "*** STOP: 0x1A"),
            (" ** On entry to DGEMM", " ** On entry to DGEMM"),
            ("| **Exception code** | 0xc0000005 |", "Exception code: 0xc0000005"),
            ("| Exception code: | 0xc0000005 |", "Exception code: 0xc0000005"),
            ("|---|---|", "|---|---|"),
            ("| a | b | c |", "| a | b | c |"),
            ("**", "**"),
        ] {
            assert_eq!(plain(marked), meant, "{marked}");
        }
    }
}
