//! Codes that a line writes twice, in decimal and in hexadecimal digits: `-1073740791 (0xC0000409)`.

use std::ops::Range;

use super::cue_words::is_one_of;
use super::values::code;
use windows_codes::Knowledge;

/// How many codes of a line are looked at.
const MOST_CODES: usize = 16;
/// The longest text that can be a code, in characters: a sign and ten digits, or `0x` and 64 bits.
const LONGEST_CODE: usize = 18;
/// How many decimal digits a failure status has: `3221225477`.
const DIGITS_OF_A_FAILURE: usize = 10;
/// Numbers below are no failures.
///
/// Source: `ntstatus.h`, the severity in the two highest bits.
const LEAST_FAILURE: u32 = 0x8000_0000;
/// Characters that may separate the two spellings of one code. A comma would separate two codes.
const MARKS: [char; 5] = ['(', '[', '=', '/', ']'];

/// A failure's code in a line.
struct Spelled {
    at: Range<usize>,
    code: u32,
    hexadecimal: bool,
}

/// The two values of one code that a line writes twice, in decimal and in hexadecimal digits, if they differ.
pub(super) fn disagreeing(line: &str) -> Option<[u32; 2]> {
    if !(line.contains("0x") || line.contains("0X")) {
        return None;
    }
    let codes = codes(line);
    let mut pairs = codes.iter().zip(codes.iter().skip(1));
    let disagree = |first: &Spelled, second: &Spelled| {
        let between = line.get(first.at.end..second.at.start).unwrap_or_default();
        first.hexadecimal != second.hexadecimal && first.code != second.code && is_respelling(between)
    };
    let (first, second) = pairs.find(|(first, second)| disagree(first, second))?;
    Some([first.code, second.code])
}

/// Whether the text between two codes marks the second as another spelling of the first.
fn is_respelling(between: &str) -> bool {
    let word = between.trim_matches(|mark: char| mark.is_whitespace() || MARKS.contains(&mark) || mark == ':');
    if word.is_empty() {
        between.contains(MARKS)
    } else {
        is_one_of(word, Knowledge::builtin().text_words("respelled"))
    }
}

/// The codes of failures in a line.
fn codes(line: &str) -> Vec<Spelled> {
    let mut codes = Vec::new();
    let mut end = 0;
    while let Some(found) = line.get(end..).and_then(|rest| rest.find(|digit: char| digit.is_ascii_digit())) {
        let start = end.saturating_add(found);
        let rest = line.get(start..).unwrap_or_default();
        let digits = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        end = start.saturating_add(digits.len().max(1));
        let before = line.get(..start).unwrap_or_default();
        let start = if before.ends_with('-') { start.saturating_sub(1) } else { start };
        let text = line.get(start..end).unwrap_or_default();
        let glues = |last: char| last.is_alphanumeric() || matches!(last, '_' | '.' | '+' | '`' | '-');
        let alone = !line.get(..start).unwrap_or_default().ends_with(glues);
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let decimal = text.starts_with('-') || text.len() == DIGITS_OF_A_FAILURE;
        let number = (alone && text.len() <= LONGEST_CODE && (hexadecimal || decimal)).then(|| code(text)).flatten();
        if let Some(code) = number.filter(|code| *code >= LEAST_FAILURE) {
            codes.push(Spelled { at: start..end, code, hexadecimal });
        }
        if codes.len() >= MOST_CODES {
            break;
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_one_code_may_disagree() {
        for text in [
            "exit code -1073740791 (0xC0000374)",
            "exited with code 3221226505 (0xc0000374).",
            "exit code: -1073740791 / 0xC0000374",
            "ended with -1073740791 = 0xC0000374",
            "code -1073740791 (hex: 0xC0000374)",
        ] {
            assert_eq!(disagreeing(text), Some([0xC000_0409, 0xC000_0374]), "{text}");
        }
        assert_eq!(disagreeing("0xC0000374 (-1073740791)"), Some([0xC000_0374, 0xC000_0409]));
    }

    #[test]
    fn other_numbers_are_no_second_spelling() {
        for text in [
            "exit code -1073740791 (0xC0000409)",
            "exit code 3221226505 (0xffffffffc0000409)",
            "first -1073740791, then 0xC0000374",
            "-1073740791 0xC0000374",
            "-1073740791, 0xC0000374",
            "-1073740791 or 0xC0000374",
            "exit code -1073740791 (0x1)",
            "exit code 53 (0xC0000374)",
            "0xC0000374 (0xC0000409)",
            "",
        ] {
            assert_eq!(disagreeing(text), None, "{text}");
        }
    }
}
