//! Making text from artifacts safe to show.
//!
//! Module names, paths, computer names and event texts are written by whoever made the artifact. Shown as they are,
//! they could move a terminal's cursor, recolour it, reverse the order in which a line is read, or start a line of
//! their own that looks like one of the report's.

use std::borrow::Cow;

/// Characters of one text that are shown; a longer text is cut with the number of those left out.
const SHOWN_CHARACTERS: usize = 4000;

/// The text with every character that acts instead of being seen written as an escape (`\n`, `\u{1b}`): one line,
/// read from left to right as far as its letters allow. Very long texts are cut, with the number of characters that were left out.
#[must_use]
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if text.len() <= SHOWN_CHARACTERS && !may_act(text) {
        return Cow::Borrowed(text);
    }
    let too_long = text.char_indices().nth(SHOWN_CHARACTERS).map(|(end, _)| text.split_at(end));
    match too_long {
        None if !text.contains(acts) => Cow::Borrowed(text),
        None => Cow::Owned(escaped(text)),
        Some((shown, rest)) => Cow::Owned(format!("{}... ({} more characters)", escaped(shown), rest.chars().count())),
    }
}

/// Whether a character of a text may act: found out byte by byte, which is enough for the texts that are nothing but
/// visible ASCII.
pub fn may_act(text: &str) -> bool {
    // Not `any`: without a way out early, the processor looks at many bytes at once.
    text.bytes().fold(false, |found, byte| found | !matches!(byte, b' '..=b'~'))
}

/// Whether a character acts on what shows it, or is invisible, instead of being seen.
pub fn acts(character: char) -> bool {
    // C0, DEL and C1; the bidirectional controls; line and paragraph separators; zero-width and other invisible
    // format characters (general category Cf), with which two different names look alike.
    character.is_control()
        || matches!(
            character,
            '\u{AD}'
                | '\u{600}'..='\u{605}'
                | '\u{61C}'
                | '\u{6DD}'
                | '\u{70F}'
                | '\u{180E}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => shown.extend(character.escape_default()),
            _ if acts(character) => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_sequences_are_shown_not_obeyed() {
        assert_eq!(sanitise("\u{1b}[2Jevil.dll"), "\\u{1b}[2Jevil.dll");
        assert_eq!(sanitise("\u{9b}31mred\u{7f}"), "\\u{9b}31mred\\u{7f}");
    }

    #[test]
    fn reversing_and_invisible_characters_are_shown() {
        assert_eq!(sanitise("gpj\u{202e}lld.exe"), "gpj\\u{202e}lld.exe");
        assert_eq!(sanitise("nt\u{200b}dll.dll"), "nt\\u{200b}dll.dll");
        assert_eq!(sanitise("a\u{2028}b\u{2066}c\u{feff}"), "a\\u{2028}b\\u{2066}c\\u{feff}");
    }

    #[test]
    fn a_text_stays_on_one_line() {
        assert_eq!(sanitise("a\r\nTOTALS\tb"), "a\\r\\nTOTALS\\tb");
    }

    #[test]
    fn names_in_any_script_stay_as_they_are() {
        for name in ["C:\\Users\\Jürgen\\модуль.dll", "東京-PC", "حاسوب", "a b"] {
            assert!(matches!(sanitise(name), Cow::Borrowed(same) if same == name), "{name}");
        }
    }

    #[test]
    fn a_very_long_text_is_cut_with_an_exact_count() {
        let text = "x".repeat(SHOWN_CHARACTERS + 3);
        assert_eq!(sanitise(&text), format!("{}... (3 more characters)", "x".repeat(SHOWN_CHARACTERS)));
        assert_eq!(sanitise(&"x".repeat(SHOWN_CHARACTERS)).len(), SHOWN_CHARACTERS);
    }
}
