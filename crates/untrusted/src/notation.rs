//! How Windows writes numbers, times and identifiers into texts: event fields and `Report.wer` values.
//!
//! Which base a number is written in is a matter of the field, so the caller chooses it; what is tolerated in every
//! field (blanks around it, a `0x` before hexadecimal digits) is decided here.

use std::borrow::Cow;

use data_encoding::HEXLOWER_PERMISSIVE;
use jiff::Timestamp;

/// FILETIME ticks (100 ns) from 1601-01-01, where FILETIME begins, to the Unix epoch.
///
/// Source: Windows SDK documentation, `FILETIME`.
const FILETIME_TO_UNIX: i128 = 116_444_736_000_000_000;

/// The text without blanks around it; `None` for the ways in which Windows writes "none": empty, `NULL`, `(NULL)`
/// and `unknown`.
#[must_use]
pub fn present(text: &str) -> Option<&str> {
    let text = text.trim();
    let none = text.is_empty() || ["NULL", "(NULL)", "unknown"].iter().any(|word| text.eq_ignore_ascii_case(word));
    (!none).then_some(text)
}

/// A hexadecimal number of at most 64 bits, with or without `0x`.
#[must_use]
pub fn hex_u64(text: &str) -> Option<u64> {
    let text = present(text)?;
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    // `from_str_radix` would take a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(digits, 16).ok()
}

/// A hexadecimal number of at most 32 bits, with or without `0x`.
#[must_use]
pub fn hex_u32(text: &str) -> Option<u32> {
    u32::try_from(hex_u64(text)?).ok()
}

/// A number that is decimal unless it begins with `0x`.
#[must_use]
pub fn number_u64(text: &str) -> Option<u64> {
    let text = present(text)?;
    if text.starts_with("0x") || text.starts_with("0X") {
        return hex_u64(text);
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// As [`number_u64`], for 32 bits.
#[must_use]
pub fn number_u32(text: &str) -> Option<u32> {
    u32::try_from(number_u64(text)?).ok()
}

/// The time of a FILETIME: 100 ns units since 1601-01-01 UTC. Zero is "none".
#[must_use]
pub fn filetime(ticks: u64) -> Option<Timestamp> {
    if ticks == 0 {
        return None;
    }
    let since_epoch = i128::from(ticks).checked_sub(FILETIME_TO_UNIX)?;
    Timestamp::from_nanosecond(since_epoch.checked_mul(100)?).ok()
}

/// A GUID as this program writes it: lower case, without braces. `None` for anything else and for the GUID of all
/// zeros.
#[must_use]
pub fn guid(text: &str) -> Option<String> {
    let text = present(text)?;
    let bare = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    let groups: Vec<&str> = bare.split('-').collect();
    let well_formed = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let zero = bare.bytes().all(|byte| matches!(byte, b'0' | b'-'));
    (well_formed && !zero).then(|| bare.to_ascii_lowercase())
}

/// A GUID that a file holds in 16 bytes, whose first three groups are little-endian numbers, as this program writes it.
#[must_use]
pub fn guid_of(bytes: [u8; 16]) -> String {
    let [a, b, c, d, e, f, g, h, i, j, rest @ ..] = bytes;
    let head = format!("{d:02x}{c:02x}{b:02x}{a:02x}-{f:02x}{e:02x}-{h:02x}{g:02x}-{i:02x}{j:02x}-");
    rest.iter().fold(head, |text, byte| format!("{text}{byte:02x}"))
}

/// The shortest text, in UTF-16 units, that [`repaired`] looks at. Below it a real word in Chinese could pass for
/// pairs of Latin letters.
const SHORTEST_REPAIR: usize = 8;

/// The text as it was meant, where a component handed 8-bit text to Windows as if it were UTF-16 (`楆敬` for `File`).
///
/// Only a text all of whose UTF-16 units are two printable ASCII characters is taken for such, and only when what
/// comes out reads as text: at least three of four characters are letters, digits or blanks, and it does not
/// consist of units of one block, as a word in kana would.
#[must_use]
pub fn repaired(text: &str) -> Cow<'_, str> {
    repair(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn repair(text: &str) -> Option<String> {
    // Nearly every text begins with an ASCII character and is done here.
    if text.chars().next().is_none_or(|first| first.is_ascii()) {
        return None;
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    if units.len() < SHORTEST_REPAIR {
        return None;
    }
    let mut bytes = Vec::with_capacity(units.len().saturating_mul(2));
    for (index, unit) in units.iter().enumerate() {
        let [low, high] = unit.to_le_bytes();
        // Text of an odd length ends in a unit whose upper half is the terminating zero.
        let last = index.checked_add(1) == Some(units.len());
        if !is_text_byte(low) || !(is_text_byte(high) || (last && high == 0)) {
            return None;
        }
        bytes.push(low);
        if high != 0 {
            bytes.push(high);
        }
    }
    let one_block = units.iter().all(|unit| unit >> 8 == units.first().map_or(0, |first| first >> 8));
    let wordlike = bytes.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte == b' ').count();
    if one_block || wordlike.saturating_mul(4) < bytes.len().saturating_mul(3) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

fn is_text_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n')
}

/// The bytes that hexadecimal digits write, two a byte.
#[must_use]
pub fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(present(text)?.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_written_in_several_ways() {
        for text in ["", "  ", "NULL", "(NULL)", "unknown", "Unknown"] {
            assert_eq!(present(text), None, "{text:?}");
        }
        assert_eq!(present(" nullsoft.dll "), Some("nullsoft.dll"));
    }

    #[test]
    fn hexadecimal_numbers_may_carry_0x_and_nothing_else() {
        assert_eq!(hex_u64("1ab0"), Some(0x1AB0));
        assert_eq!(hex_u64("0x1dc8b3a7b7f1c4e"), Some(0x01DC_8B3A_7B7F_1C4E));
        assert_eq!(hex_u32("C0000005"), Some(0xC000_0005));
        for text in ["", "0x", "+1f", "-1f", "12g4", "1 2", "10000000000000000"] {
            assert_eq!(hex_u64(text), None, "{text:?}");
        }
        assert_eq!(hex_u32("100000000"), None);
    }

    #[test]
    fn other_numbers_are_decimal_unless_0x_says_otherwise() {
        assert_eq!(number_u64("159"), Some(159));
        assert_eq!(number_u64("0x9f"), Some(0x9F));
        assert_eq!(number_u32("4294967296"), None);
        assert_eq!(number_u64("+1"), None);
        assert_eq!(number_u64("9f"), None);
    }

    #[test]
    fn a_filetime_counts_100_ns_since_1601_and_zero_is_none() {
        assert_eq!(filetime(116_444_736_000_000_000 + 10_000_000).map(|t| t.as_second()), Some(1));
        assert_eq!(filetime(0), None);
        assert_eq!(filetime(u64::MAX), None);
    }

    #[test]
    fn guids_lose_braces_and_case() {
        let plain = "0a1b2c3d-0001-0002-0003-00112233aabb";
        assert_eq!(guid("{0A1B2C3D-0001-0002-0003-00112233AABB}").as_deref(), Some(plain));
        assert_eq!(guid(plain).as_deref(), Some(plain));
        for text in ["040612-50390-01", "{00000000-0000-0000-0000-000000000000}", "0a1b2c3d", ""] {
            assert_eq!(guid(text), None, "{text:?}");
        }
    }

    /// `text`'s ASCII bytes taken for UTF-16, as the faulty component does.
    fn mojibake(text: &str) -> String {
        let units: Vec<u16> = text
            .as_bytes()
            .chunks(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]))
            .collect();
        String::from_utf16(&units).expect("valid UTF-16")
    }

    #[test]
    fn eight_bit_text_that_was_taken_for_utf16_is_repaired() {
        for text in ["File: somewhere.cpp 120", "File: somewhere.cpp 1201"] {
            assert_eq!(repaired(&mojibake(text)), text);
        }
    }

    #[test]
    fn real_text_in_other_scripts_is_left_alone() {
        for text in
            ["应用程序错误", "あかさたなはまやらわ", "あいうえおかきくけこ", "Fehler in Datei", "ошибка приложения", ""]
        {
            assert_eq!(repaired(text), text);
        }
    }

    #[test]
    fn binary_values_are_written_as_pairs_of_digits() {
        assert_eq!(hex_bytes("00fFa0"), Some(vec![0, 255, 160]));
        for text in ["", "0", "0g", "é0"] {
            assert_eq!(hex_bytes(text), None, "{text:?}");
        }
    }
}
