//! Pointers that are made of characters: a text was written over them, or they were read out of one.

/// The characters that a pointer consists of, if it can hardly be anything else: one byte a character, or two.
pub(super) fn text(pointer: u64, wide: bool) -> Option<String> {
    let bytes = pointer.to_le_bytes();
    let (bytes, least) = if wide { (bytes.as_slice(), 6) } else { (bytes.get(..4)?, 4) };
    narrow(bytes, least).or_else(|| utf16(bytes))
}

/// Characters of one byte; behind the last one there may be the end of the text.
fn narrow(bytes: &[u8], least: usize) -> Option<String> {
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (text, rest) = bytes.split_at_checked(length)?;
    let letters = text.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let likely = text.iter().all(|byte| is_in_texts(*byte)) && rest.iter().all(|byte| *byte == 0);
    // Mostly letters: addresses can look like a few signs.
    (likely && length >= least && letters.saturating_mul(4) >= length.saturating_mul(3))
        .then(|| text.iter().map(|byte| char::from(*byte)).collect())
}

/// Characters of two bytes.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (pairs, _) = bytes.as_chunks::<2>();
    pairs.iter().map(|[low, high]| (*high == 0 && low.is_ascii_alphanumeric()).then(|| char::from(*low))).collect()
}

fn is_in_texts(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" _-./\\:,".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn only_what_can_hardly_be_an_address_is_text() {
        assert_eq!(text(0x4141_4141, false).as_deref(), Some("AAAA"));
        assert_eq!(text(0x0064_0036, false).as_deref(), Some("6d"));
        assert_eq!(text(0x7365_6D61_6E2E_6D79, true).as_deref(), Some("ym.names"));
        assert_eq!(text(0x0041_0041_0041_0041, true).as_deref(), Some("AAAA"));
        assert_eq!(text(0x2534_0000, false), None);
        assert_eq!(text(0x0040_1000, false), None);
        assert_eq!(text(0x7FF6_4141_4141, true), None, "a module's address");
        assert_eq!(text(0x4141_4141, true), None, "four characters of eight");
        assert_eq!(text(0, true), None);
        assert_eq!(text(0x2F2E_2F2E, false), None, "signs alone");
    }
}
