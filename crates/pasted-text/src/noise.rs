//! Bytes that pass for text and that nobody wrote: one byte again and again, encoded data, random bytes, programs and
//! data in one line. Reading them as a ticket costs time and finds nothing but chance.

use std::collections::HashMap;

use untrusted::text::{Encoding, Text, decode_in, encoding_of};

/// Texts with fewer characters, blanks not counted, are never noise.
const FEWEST: usize = 256;
/// The least share of one character among all that are not blank, per cent, that makes a text noise.
const SAME_PERCENT: usize = 90;
/// The shortest run of letters and digits that is encoded data and no word, and the least share of such runs in a noisy
/// text, per cent. Base64 has lines of 64 or 76 characters.
const ENCODED_RUN: usize = 40;
const ENCODED_PERCENT: usize = 80;
/// In a text in a code page: the least share of characters beyond ASCII, and among these the least share of characters
/// that are no letters, per cent. Measured: mails and logs have less than 5 % of the latter, random bytes more than 16
/// %.
const FOREIGN_PERCENT: usize = 20;
const SYMBOL_PERCENT: usize = 12;
/// The least share of the characters `{}();=` in a program or in data without line ends, per cent, and the fewest
/// characters of such a text.
const CODE_PERCENT: usize = 10;
const LONG_LINE: usize = 3800;
/// Random text contains at least [`EVEN_SIGNS`] of the 32 ASCII punctuation characters, each at least once in
/// [`EVEN_SHARE`] characters.
const EVEN_SIGNS: usize = 28;
const EVEN_SHARE: usize = 250;

/// What kind of noise the file is that begins with `first_bytes`, in words for a report; `None` if it may be a ticket.
pub(super) fn noise(first_bytes: &[u8]) -> Option<&'static str> {
    let (encoding, mark) = encoding_of(first_bytes);
    let Text { characters: text, .. } = decode_in(first_bytes.get(mark..).unwrap_or_default(), encoding);
    let mut counts: HashMap<char, usize> = HashMap::new();
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        let count = counts.entry(character).or_default();
        *count = count.saturating_add(1);
    }
    let total = counts.values().sum();
    if total < FEWEST {
        return None;
    }
    let share = |part: usize, whole: usize| part.saturating_mul(100).checked_div(whole).unwrap_or_default();
    let sum_of = |is: &dyn Fn(char) -> bool| -> usize {
        counts.iter().filter(|(character, _)| is(**character)).map(|(_, count)| count).sum()
    };
    if counts.values().any(|count| share(*count, total) >= SAME_PERCENT) {
        return Some("one character again and again");
    }
    if share(encoded(&text), total) >= ENCODED_PERCENT {
        return Some("encoded data");
    }
    let foreign = sum_of(&|character| !character.is_ascii());
    let symbols = sum_of(&|character| !character.is_ascii() && !character.is_alphabetic());
    let in_code_page = matches!(encoding, Encoding::CodePage(_));
    if in_code_page && share(foreign, total) >= FOREIGN_PERCENT && share(symbols, foreign) >= SYMBOL_PERCENT {
        return Some("bytes without words");
    }
    let often = |sign: char| counts.get(&sign).is_some_and(|count| count.saturating_mul(EVEN_SHARE) >= total);
    let signs = (0..=0x7F_u8).map(char::from).filter(char::is_ascii_punctuation);
    if total > EVEN_SHARE.saturating_mul(4) && signs.filter(|sign| often(*sign)).count() >= EVEN_SIGNS {
        return Some("bytes without words");
    }
    let in_one_line = !text.trim_end().contains('\n') && total >= LONG_LINE;
    let code = sum_of(&|character| "{}();=".contains(character));
    (in_one_line && share(code, total) >= CODE_PERCENT).then_some("a program or data in one line")
}

/// How many characters are in runs of the letters, digits and signs of Base64 that are longer than words, and in which
/// digits and letters are mixed.
fn encoded(text: &str) -> usize {
    let in_run = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '=');
    let runs = text.split(|character: char| !in_run(character)).filter(|run| {
        let digits = run.bytes().any(|byte| byte.is_ascii_digit());
        run.len() >= ENCODED_RUN && digits && run.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    runs.map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without order, always the same ones.
    fn random(count: usize) -> impl Iterator<Item = u32> {
        let mut state = 7_u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(state >> 33).unwrap_or_default()
        })
        .take(count)
    }

    fn noise_in(bytes: impl IntoIterator<Item = u8>) -> Option<&'static str> {
        let bytes: Vec<u8> = bytes.into_iter().take(4104).collect();
        noise(&bytes)
    }

    fn pick(set: &[u8]) -> Vec<u8> {
        random(4104).map(|number| set[(number as usize).checked_rem(set.len()).unwrap_or_default()]).collect()
    }

    #[test]
    fn one_byte_again_and_again_is_no_writing() {
        for byte in [0xFF, 0xE9, b'a', b'=', 0x80] {
            assert_eq!(noise_in([byte; 4104]), Some("one character again and again"), "{byte:#x}");
        }
        assert_eq!(noise_in([b'='; 80]), None, "a line under a heading");
    }

    #[test]
    fn random_bytes_are_no_writing() {
        let printable: Vec<u8> = (0x20..0x7F).collect();
        let latin: Vec<u8> = (0x20..0x7F).chain(0xA0..=0xFF).collect();
        assert_eq!(noise_in(pick(&printable)), Some("bytes without words"));
        assert!(noise_in(pick(&latin)).is_some());
    }

    #[test]
    fn encoded_data_is_no_writing() {
        let base64: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*b"+/").collect();
        assert_eq!(noise_in(pick(&base64)), Some("encoded data"));
        let lines: Vec<u8> = pick(&base64).chunks(76).flat_map(|line| [line, b"\r\n"].concat()).collect();
        assert_eq!(noise_in(lines), Some("encoded data"));
        assert_eq!(noise_in(pick(b"0123456789abcdef")), Some("encoded data"));
    }

    #[test]
    fn a_program_in_one_line_is_no_writing() {
        let script = "!function(e,t){\"object\"==typeof exports?module.exports=t():e.x=t()}(this,function(){var a=1});";
        assert_eq!(noise_in(script.repeat(60).into_bytes()), Some("a program or data in one line"));
    }

    #[test]
    fn what_people_write_and_paste_is_writing() {
        let modules = (0..60).map(|number| {
            format!("C:\\Windows\\System32\\DriverStore\\FileRepository\\nv_dispi.inf_amd64_0a1b2c3d4e5f6071\\part{number}.dll\n")
        });
        let table = "|   0  NVIDIA GeForce RTX 3080      WDDM  | 00000000:01:00.0  On |                  N/A |\n\
                     +-----------------------------------------+----------------------+----------------------+\n";
        let hex = "0000bf6d`5fe3c8 00007ff9`5e2c1f10 : 00000000`00000003 00000000`00000000 : part!run+0x4e\n";
        let sentence = "the trainer crashed with exit code 3 and nobody knows why, because the log ends there. ";
        let russian = encoding_rs::WINDOWS_1251
            .encode(&"Имя сбойного приложения: «tool.exe» — версия 1.0; ".repeat(90))
            .0
            .into_owned();
        let texts: [Vec<u8>; 6] = [
            modules.collect::<String>().into_bytes(),
            table.repeat(40).into_bytes(),
            hex.repeat(50).into_bytes(),
            sentence.repeat(60).into_bytes(),
            russian,
            "ドライバーが停止しました。原因は分かりません。".repeat(80).into_bytes(),
        ];
        for text in texts {
            let shown = String::from_utf8_lossy(&text).chars().take(40).collect::<String>();
            assert_eq!(noise_in(text), None, "{shown}");
        }
    }
}
