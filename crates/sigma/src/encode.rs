//! Encodings of texts that rules look for: UTF-16 and Base64.

use data_encoding::BASE64;

/// A form of UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Utf16 {
    /// The lower byte first.
    Little,
    /// The upper byte first.
    Big,
    /// The lower byte first, behind a byte order mark.
    Marked,
}

/// The bytes of a text.
pub(super) fn bytes(text: &str, utf16: Option<Utf16>) -> Vec<u8> {
    match utf16 {
        None => text.as_bytes().to_vec(),
        Some(Utf16::Little) => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Some(Utf16::Big) => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Some(Utf16::Marked) => [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
    }
}

/// The part of the bytes' Base64 that is the same in every longer text: one for each of the three ways in which Base64 can
/// cut the bytes into groups of three.
pub(super) fn base64_at_offsets(bytes: &[u8]) -> [String; 3] {
    // The number of digits that also have bits of the bytes before, by the number of those bytes.
    const BEFORE: [usize; 3] = [0, 2, 3];
    [0, 1, 2].map(|before: usize| {
        let shifted: Vec<u8> = std::iter::repeat_n(0, before).chain(bytes.iter().copied()).collect();
        // Six bits a digit: the last ones are only certain where all of their bits are of these bytes.
        let certain = shifted.len().saturating_mul(8) / 6;
        let from = BEFORE.get(before).copied().unwrap_or_default();
        BASE64.encode(&shifted).get(from..certain).unwrap_or_default().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_wherever_the_text_stands_in_what_was_encoded() {
        for text in ["http://", "IEX", "a longer text", "xy"] {
            for utf16 in [None, Some(Utf16::Little), Some(Utf16::Big)] {
                let wanted = bytes(text, utf16);
                let variants = base64_at_offsets(&wanted);
                for before in 0..6 {
                    for after in 0..4 {
                        let around = |count: usize| std::iter::repeat_n(b'\xA7', count);
                        let whole: Vec<u8> = around(before).chain(wanted.clone()).chain(around(after)).collect();
                        let encoded = BASE64.encode(&whole);
                        let variant = &variants[before % 3];
                        assert!(encoded.contains(variant.as_str()), "{text} {before} {after}: {variant} in {encoded}");
                    }
                }
            }
        }
    }

    #[test]
    fn texts_are_bytes_of_utf_8_or_utf_16() {
        assert_eq!(bytes("ä", None), [0xC3, 0xA4]);
        assert_eq!(bytes("ä", Some(Utf16::Little)), [0xE4, 0]);
        assert_eq!(bytes("ä", Some(Utf16::Big)), [0, 0xE4]);
        assert_eq!(bytes("ä", Some(Utf16::Marked)), [0xFF, 0xFE, 0xE4, 0]);
        assert_eq!(BASE64.encode(&bytes("ping", Some(Utf16::Little))), "cABpAG4AZwA=");
    }
}
