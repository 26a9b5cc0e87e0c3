//! The characters of a text file whose encoding is not recorded anywhere.
//!
//! Texts that come with crashes are UTF-8, UTF-16 with or without byte order mark (Windows' own files, redirected
//! PowerShell output), or in a code page of Windows (older editors and consoles), mostly Windows-1252. The bytes decide.

use std::io::{self, Read, Seek, SeekFrom};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::WINDOWS_1252;

use super::Loss;

/// A decoded text.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    /// The characters, without byte order mark.
    pub characters: String,
    /// What could not be decoded; `U+FFFD` is in its place.
    pub losses: Vec<Loss>,
}

/// At most `limit` bytes from the beginning of a file of `bytes` bytes.
///
/// # Errors
///
/// When the file can't be read.
pub fn read_beginning(file: &mut (impl Read + Seek), bytes: u64, limit: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let expected = usize::try_from(bytes.min(limit)).unwrap_or_default();
    let mut content = Vec::with_capacity(expected);
    file.take(limit).read_to_end(&mut content)?;
    Ok(content)
}

/// How the characters of a text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, the lower byte first.
    Utf16Le,
    /// UTF-16, the upper byte first.
    Utf16Be,
    /// A code page.
    CodePage(&'static encoding_rs::Encoding),
}

/// As many bytes beyond ASCII as a text must have for a code page other than Windows-1252 to be guessed.
const ENOUGH_TO_GUESS: usize = 6;
/// As many bytes of a text as are looked at to guess its code page.
const GUESSED_BY: usize = 256 << 10;

/// The encoding of a text that begins with `bytes`, and the length of its byte order mark.
#[must_use]
pub fn encoding_of(bytes: &[u8]) -> (Encoding, usize) {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
        [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
        [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
        // Without a mark, UTF-16 shows by the zero halves of its first characters, which are ASCII in all that we read.
        [1..=255, 0, 1..=255, 0, ..] => (Encoding::Utf16Le, 0),
        [0, 1..=255, 0, 1..=255, ..] => (Encoding::Utf16Be, 0),
        _ if is_utf8_with_damage(bytes) => (Encoding::Utf8, 0),
        _ => (Encoding::CodePage(code_page(bytes)), 0),
    }
}

/// The code page that a text most likely is in.
fn code_page(bytes: &[u8]) -> &'static encoding_rs::Encoding {
    let bytes = bytes.get(..GUESSED_BY).unwrap_or(bytes);
    let beyond_ascii = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    if beyond_ascii < ENOUGH_TO_GUESS {
        return WINDOWS_1252;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Decodes `bytes` as what they look like.
#[must_use]
pub fn decode(bytes: &[u8]) -> Text {
    let (encoding, mark) = encoding_of(bytes);
    decode_in(bytes.get(mark..).unwrap_or_default(), encoding)
}

/// Decodes `bytes`, which have no byte order mark.
#[must_use]
pub fn decode_in(bytes: &[u8], encoding: Encoding) -> Text {
    match encoding {
        Encoding::Utf8 => decode_utf8(bytes),
        Encoding::Utf16Le => decode_utf16(bytes, u16::from_le_bytes),
        Encoding::Utf16Be => decode_utf16(bytes, u16::from_be_bytes),
        Encoding::CodePage(page) => {
            let mut characters = page.decode_without_bom_handling(bytes).0.into_owned();
            // Five bytes have no character.
            if page == WINDOWS_1252 && characters.contains(is_undefined) {
                characters = characters.replace(is_undefined, "\u{FFFD}");
            }
            Text { characters, losses: Vec::new() }
        }
    }
}

/// Whether a file that begins with `first_bytes` is text: letters and no control characters but those that
/// consoles print.
#[must_use]
pub fn looks_like_text(first_bytes: &[u8]) -> bool {
    let text = decode(first_bytes);
    // The end of `first_bytes` may have cut a character in two.
    let damaged = text.characters.trim_end_matches(char::REPLACEMENT_CHARACTER).contains(char::REPLACEMENT_CHARACTER);
    !damaged
        && text.characters.chars().all(|character| !character.is_control() || is_console_control(character))
        && text.characters.chars().any(char::is_alphabetic)
}

/// Tabulators, line and page ends; backspace and escape, with which programs redraw progress bars and set colours.
fn is_console_control(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{8}' | '\u{1B}')
}

/// Whether the bytes are UTF-8, or were before something damaged them: then more characters of several bytes are whole
/// than broken, while texts in other encodings hold some such bytes by chance.
fn is_utf8_with_damage(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        whole = whole.saturating_add(chunk.valid().chars().filter(|character| !character.is_ascii()).count());
        broken = broken.saturating_add(usize::from(!chunk.invalid().is_empty()));
    }
    broken == 0 || (whole > 0 && whole >= broken)
}

fn decode_utf8(bytes: &[u8]) -> Text {
    let mut damage = Damage::default();
    let mut characters = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        characters.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            damage.at(&characters);
            characters.push(char::REPLACEMENT_CHARACTER);
        }
    }
    Text { losses: damage.losses("bytes that are not UTF-8"), characters }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Text {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut damage = Damage::default();
    let mut characters = String::with_capacity(pairs.len());
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        if character.is_err() {
            damage.at(&characters);
        }
        characters.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let mut losses = damage.losses("half characters of UTF-16");
    if !odd.is_empty() {
        losses.push(Loss::new("last byte", "the file is cut in the middle of a character: UTF-16 has two bytes each"));
    }
    Text { characters, losses }
}

/// The units of a text of UTF-16, the lower byte first. A half unit at the end is left out.
pub fn utf16_units(bytes: &[u8]) -> impl Iterator<Item = u16> + Clone + '_ {
    bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit))
}

/// The text that these units of UTF-16 are, with `U+FFFD` in the place of half characters.
pub fn utf16_lossy(units: impl IntoIterator<Item = u16>) -> String {
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The text in `bytes` of UTF-16; `None` when a character of it is no more than a half.
#[must_use]
pub fn utf16(bytes: &[u8]) -> Option<String> {
    char::decode_utf16(utf16_units(bytes)).collect::<Result<_, _>>().ok()
}

/// Counts what can't be decoded, so that a file full of it is one loss and not thousands.
#[derive(Default)]
struct Damage {
    first_line: usize,
    places: usize,
}

impl Damage {
    /// Something after `so_far` can't be decoded.
    fn at(&mut self, so_far: &str) {
        if self.places == 0 {
            self.first_line = so_far.matches('\n').count().saturating_add(1);
        }
        self.places = self.places.saturating_add(1);
    }

    fn losses(&self, what: &str) -> Vec<Loss> {
        match self.places {
            0 => Vec::new(),
            places => vec![Loss::new(format!("line {}", self.first_line), format!("{what}, at {places} places"))],
        }
    }
}

/// Whether a character is the result of decoding a byte that Windows-1252 does not define: decoders give the control
/// character of Latin-1.
fn is_undefined(character: char) -> bool {
    ('\u{80}'..='\u{9F}').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn every_usual_encoding_gives_the_same_text() {
        let text = "Fehler: Größe\r\n0xc0000005";
        let windows: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
        let encodings = [
            text.as_bytes().to_vec(),
            ["\u{FEFF}", text].concat().into_bytes(),
            utf16(text, u16::to_le_bytes),
            utf16(text, u16::to_be_bytes),
            utf16(&["\u{FEFF}", text].concat(), u16::to_le_bytes),
            utf16(&["\u{FEFF}", text].concat(), u16::to_be_bytes),
            windows,
        ];
        for bytes in encodings {
            assert_eq!(decode(&bytes), Text { characters: text.into(), losses: vec![] }, "{bytes:?}");
            assert!(looks_like_text(&bytes));
        }
    }

    #[test]
    fn windows_1252_has_quotes_and_the_euro_where_latin_1_has_controls() {
        assert_eq!(decode(b"\x93so\x94 \x80").characters, "“so” €");
    }

    #[test]
    fn other_code_pages_of_windows_are_told_by_their_letters() {
        for (page, text) in [
            (encoding_rs::WINDOWS_1251, "Имя сбойного приложения: tool.exe\r\nКод исключения: 0xc0000005\r\n"),
            (encoding_rs::GBK, "错误应用程序名称: tool.exe，版本: 1.0.0.0\r\n异常代码: 0xc0000005\r\n"),
            (encoding_rs::SHIFT_JIS, "障害が発生しているアプリケーション名: tool.exe\r\n例外コード: 0xc0000005\r\n"),
            (
                encoding_rs::WINDOWS_1250,
                "Nazwa aplikacji powodującej błąd: tool.exe\r\nŚcieżka aplikacji powodującej błąd",
            ),
            (WINDOWS_1252, "Chemin d’accès de l’application défaillante: tool.exe\r\nDécalage d’erreur: 0x1\r\n"),
        ] {
            let (bytes, _, lossy) = page.encode(text);
            assert!(!lossy, "{text}");
            assert_eq!(decode(&bytes).characters, text);
            assert!(looks_like_text(&bytes));
        }
    }

    #[test]
    fn damaged_utf8_stays_utf8_and_says_where() {
        let text = decode(b"gr\xC3\xB6\xC3\x9Fer\nab\xFFcd\xFE");
        assert_eq!(text.characters, "größer\nab\u{FFFD}cd\u{FFFD}");
        assert_eq!(text.losses, [Loss::new("line 2", "bytes that are not UTF-8, at 2 places")]);
    }

    #[test]
    fn damaged_utf16_says_where() {
        let mut bytes = utf16("ab\n", u16::to_le_bytes);
        bytes.extend([0x00, 0xD8, b'c', 0, b'd']);
        let text = decode(&bytes);
        assert_eq!(text.characters, "ab\n\u{FFFD}c");
        assert_eq!(text.losses[0].to_string(), "line 2: half characters of UTF-16, at 1 places");
        assert_eq!(
            text.losses[1].to_string(),
            "last byte: the file is cut in the middle of a character: UTF-16 has two bytes each"
        );
    }

    #[test]
    fn a_beginning_that_cuts_a_character_is_still_text() {
        assert!(looks_like_text("größer".as_bytes().get(..3).expect("cut in ö")));
        assert!(looks_like_text(&utf16("größer", u16::to_le_bytes)[..7]));
    }

    #[test]
    fn colours_and_progress_bars_are_text() {
        assert!(looks_like_text(b"\x1b[31mError\x1b[0m 50%\x08\x08\x08\r\n"));
    }

    #[test]
    fn binary_files_are_not_text() {
        let files: [&[u8]; 7] = [
            b"MDMP\x93\xA7\x00\x00",
            b"PK\x03\x04\x14\x00",
            b"ElfFile\x00",
            b"\x1F\x8B\x08",
            b"\x00\x00\xB7\x04\x00\x00\xBE\x05",
            b"",
            b"12 34 56",
        ];
        for bytes in files {
            assert!(!looks_like_text(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn no_more_than_the_limit_is_read() {
        let mut file = io::Cursor::new(b"0123456789".to_vec());
        assert_eq!(read_beginning(&mut file, 10, 4).expect("readable"), b"0123");
        assert_eq!(read_beginning(&mut file, u64::MAX, 40).expect("readable"), b"0123456789");
    }
}
