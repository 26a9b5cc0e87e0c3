//! Conditions on values that an expression can't express.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use knowledge_tables::private::PrivateClass;

use super::patterns::TABLE;

/// The fewest digits of a telephone number with its area.
pub(crate) const SHORTEST_PHONE: usize = 7;
/// The shortest name that is replaced, letters. Shorter ones are part of many words, and no one's alone.
pub(crate) const SHORTEST_NAME: usize = 3;
/// Endings of files that are programs or parts of programs: what ends so is no name of a person or computer.
const PROGRAM_ENDINGS: &[&str] = &[
    ".exe", ".dll", ".sys", ".pyd", ".so", ".drv", ".ocx", ".cpl", ".scr", ".efi", ".mui", ".ax", ".node", ".com",
    ".pdb", ".dmp", ".log", ".txt", ".ini", ".json", ".xml", ".evtx", ".wer", ".py", ".cpp", ".h", ".cs", ".js",
];
/// Beginnings of words before addresses of networks.
const NETWORK_WORDS: &[&str] = &[
    "ip", "addr", "host", "server", "peer", "gateway", "dns", "remote", "client", "endpoint", "ping", "listen", "bind",
    "connect", "subnet", "route", "tcp", "udp", "socket", "proxy",
];
/// Words before versions.
const VERSION_WORDS: &[&str] = &[
    "v", "ver", "versions", "driver", "release", "build", "dll", "exe", "sys", "update", "upgrade", "firmware", "bios",
];
/// Words in the place of a password or key, beside the names that are no one's, in lower case.
const NO_SECRETS: &[&str] = &[
    "***",
    "****",
    "false",
    "true",
    "yes",
    "no",
    "none",
    "null",
    "nil",
    "empty",
    "required",
    "incorrect",
    "wrong",
    "invalid",
    "missing",
    "expired",
    "unknown",
    "changed",
    "change",
    "reset",
    "prompt",
    "optional",
    "failed",
    "error",
    "denied",
    "not",
    "is",
    "the",
    "and",
    "for",
    "with",
    "was",
    "has",
    "string",
    "value",
    "password",
    "passwd",
    "secret",
    "token",
    "hidden",
    "redacted",
    "removed",
    "protected",
    "encrypted",
    "default",
    "blank",
    "disabled",
    "enabled",
    "field",
    "input",
    "needed",
    "must",
    "may",
    "undefined",
    "object",
    "text",
    "str",
    "bytes",
    "manager",
    "policy",
    "reset,",
    "here",
    "your",
];

/// Whether a text is what stands in the place of something that was removed, or a pseudonym.
pub(crate) fn is_removed(value: &str) -> bool {
    value.starts_with("[removed:") || is_pseudonym(value)
}

/// Whether a text is a pseudonym of this crate, or begins with one.
pub(crate) fn is_pseudonym(value: &str) -> bool {
    let Some((class, rest)) = value.split_once('-') else { return false };
    let is_class = PrivateClass::NAMED.iter().any(|(name, _)| *name == class);
    let code = rest.get(..super::key::CODE_LENGTH).unwrap_or_default();
    let ended =
        !rest.get(super::key::CODE_LENGTH..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
    is_class && ended && !code.is_empty() && code.chars().all(|c| c.is_ascii_lowercase() || ('2'..='7').contains(&c))
}

/// The value without what only stands beside it: blanks, and at its end the signs of a sentence.
pub(crate) fn trimmed(text: &str, range: Range<usize>, class: PrivateClass) -> Range<usize> {
    let value = text.get(range.clone()).unwrap_or_default();
    let front = value.len().saturating_sub(value.trim_start().len());
    let end = if class == PrivateClass::Secret {
        value.trim_end()
    } else {
        value.trim_end_matches(|c: char| c.is_whitespace() || ".,;:!?".contains(c))
    };
    let start = range.start.saturating_add(front);
    start..range.start.saturating_add(end.len()).max(start)
}

/// Whether a name is someone's or of some computer.
pub(crate) fn is_name(value: &str) -> bool {
    let lower = value.trim_end_matches('$').to_lowercase();
    let letters = lower.chars().filter(|c| c.is_alphanumeric()).count();
    letters >= 2
        && !lower.chars().all(|c| c.is_ascii_digit())
        && !lower.starts_with(['%', '$', '{', '<', '*'])
        && !is_removed(&lower)
        && TABLE.kept.binary_search(&lower.as_str()).is_err()
        && !PROGRAM_ENDINGS.iter().any(|ending| lower.ends_with(ending) && lower.matches('.').count() == 1)
}

/// Whether a name looks like that of a computer, and not like a word.
pub(crate) fn is_coded(value: &str) -> bool {
    let has_sign = value.chars().any(|c| c.is_ascii_digit() || "-_.".contains(c));
    let is_plain = || value.chars().all(|c| c.is_ascii_uppercase()) && !is_word(value);
    has_sign || is_plain()
}

/// Whether a name is a word of the trade, which a sentence can have without any computer being called so.
fn is_word(value: &str) -> bool {
    TABLE.words.binary_search(&value.to_lowercase().as_str()).is_ok()
}

/// Whether a value is no word that only tells about a secret.
pub(crate) fn is_no_mere_word(value: &str) -> bool {
    let lower = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let repeated = value.chars().all(|c| value.starts_with(c));
    !repeated
        && !lower.is_empty()
        && !is_removed(value)
        && !value.starts_with(['%', '{', '<'])
        && !NO_SECRETS.contains(&lower.as_str())
        && TABLE.kept.binary_search(&lower.as_str()).is_err()
}

/// Whether a value is as mixed as keys are: letters and digits, that change often, and hardly a letter many times.
pub(crate) fn is_random(value: &str) -> bool {
    const SHORTEST: usize = 8;
    let is_number = value.strip_prefix("0x").or_else(|| value.strip_prefix("0X")).unwrap_or(value);
    let hex_number =
        is_number.len() <= 16 && is_number.len() < value.len() && is_number.chars().all(|c| c.is_ascii_hexdigit());
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_ascii_alphabetic()).count();
    if value.len() < SHORTEST
        || hex_number
        || digits == 0
        || letters == 0
        || is_removed(value)
        || !is_no_mere_word(value)
    {
        return false;
    }
    // What changes from one kind of letter to another at every fifth place or less often is words, versions and paths.
    let kind = |c: char| match c {
        'a'..='z' => 0,
        'A'..='Z' => 1,
        '0'..='9' => 2,
        _ => 3,
    };
    let kinds: Vec<u8> = value.chars().map(kind).collect();
    let changes = kinds.windows(2).filter(|pair| pair.first() != pair.last()).count();
    let signs = kinds.iter().filter(|kind| **kind == 3).count();
    let few_signs = signs.saturating_mul(4) <= value.len();
    !is_words(value)
        && changes.saturating_mul(5) >= value.len()
        && few_signs
        && bits_a_letter(value) >= needed_bits(value.len())
}

/// Whether a value is random and not in hexadecimal, nor any other text of one case.
pub(crate) fn is_mixed(value: &str) -> bool {
    /// What 40 letters of Base64 hardly ever fall below; words and paths do.
    const BITS: f64 = 4.1;
    let has = |kind: fn(&char) -> bool| value.chars().any(|c| kind(&c));
    let all = has(char::is_ascii_lowercase) && has(char::is_ascii_uppercase) && has(char::is_ascii_digit);
    all && is_random(value) && bits_a_letter(value) >= BITS
}

/// Whether a text is made of words and short numbers, as identifiers, names of files and versions are.
fn is_words(value: &str) -> bool {
    const LONGEST_NUMBER: usize = 5;
    value.split(|c: char| !c.is_ascii_alphanumeric()).all(|part| {
        let number = part.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let word = part.get(..part.len().saturating_sub(number.len())).unwrap_or_default();
        let plain =
            word.chars().skip(1).all(|c| c.is_ascii_lowercase()) || word.chars().all(|c| c.is_ascii_uppercase());
        plain && number.len() <= LONGEST_NUMBER && number.chars().all(|c| c.is_ascii_digit())
    })
}

/// The fewest bits a letter of a key of this length: the text itself limits them, to the logarithm of its length.
fn needed_bits(length: usize) -> f64 {
    match length {
        ..12 => 2.3,
        12..20 => 2.7,
        20..40 => 3.0,
        _ => 3.4,
    }
}

/// Shannon's entropy of the letters of a text, bits a letter.
fn bits_a_letter(text: &str) -> f64 {
    let mut counts: BTreeMap<char, u32> = BTreeMap::new();
    for c in text.chars() {
        let count = counts.entry(c).or_default();
        *count = count.saturating_add(1);
    }
    let all = f64::from(counts.values().copied().fold(0, u32::saturating_add).max(1));
    counts.values().map(|count| f64::from(*count) / all).map(|share| -share * share.log2()).sum()
}

/// Whether the last digit of a card's number is the check digit of the others.
pub(crate) fn is_card(value: &str) -> bool {
    let digits: Vec<u32> = value.chars().filter_map(|c| c.to_digit(10)).collect();
    let doubled = |(place, digit): (usize, &u32)| match (place % 2, digit) {
        (0, digit) => *digit,
        (_, digit @ ..=4) => digit.saturating_mul(2),
        (_, digit) => digit.saturating_mul(2).saturating_sub(9),
    };
    let sum = digits.iter().rev().enumerate().map(doubled).fold(0, u32::saturating_add);
    digits.len() >= 13 && sum % 10 == 0 && digits.iter().any(|digit| *digit != 0)
}

/// Whether the check digits of an account's number are right.
pub(crate) fn is_iban(value: &str) -> bool {
    let plain: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    if !(15..=34).contains(&plain.len()) {
        return false;
    }
    let Some((front, rest)) = plain.split_at_checked(4) else { return false };
    // The remainder of the number that has two digits for each letter, digit by digit.
    let add = |remainder: u32, digit: u32| {
        remainder.saturating_mul(if digit > 9 { 100 } else { 10 }).saturating_add(digit) % 97
    };
    let digits: Option<Vec<u32>> = rest.chars().chain(front.chars()).map(|c| c.to_digit(36)).collect();
    digits.is_some_and(|digits| digits.into_iter().fold(0, add) == 1)
}

/// Whether a text is the address of some computer in a network. Versions are written like addresses: what stands before and
/// behind decides.
pub(crate) fn is_private_address(value: &str, before: &str, after: &str) -> bool {
    if let Ok(address) = value.parse::<Ipv6Addr>() {
        let groups = value.split(':').filter(|group| !group.is_empty()).count();
        // `::` within names of programs, and times.
        let plain = groups >= 3 && (groups == 8 || value.contains("::"));
        let known = address.segments().first().is_some_and(|first| *first >= 0x2000);
        return plain && known && value.chars().any(|c| c.is_ascii_digit());
    }
    let Ok(address) = value.parse::<Ipv4Addr>() else { return false };
    if address.is_loopback() || address.is_unspecified() || address.is_broadcast() || address.is_multicast() {
        return false;
    }
    const CONTEXT: usize = 28;
    let start = (before.len().saturating_sub(CONTEXT)..=before.len()).find(|start| before.is_char_boundary(*start));
    let before = before.get(start.unwrap_or_default()..).unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default().to_lowercase();
    let words = || before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_network = before.contains("//")
        || before.contains('@')
        || words().any(|word| NETWORK_WORDS.iter().any(|known| word.starts_with(known)) || word.ends_with("address"));
    let is_version = words().any(|word| VERSION_WORDS.contains(&word) || word.ends_with("version"))
        || before.ends_with(['=', '~', '^']) && !is_network;
    let port = after.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if port || (is_network && !is_version) {
        return true;
    }
    if is_version {
        return false;
    }
    let [first, second, third, last] = address.octets();
    match (first, second) {
        (192, 168) | (172, 16..=31) | (169, 254) | (100, 64..=127) => true,
        (10, _) => u16::from(second).saturating_add(u16::from(third)).saturating_add(u16::from(last)) >= 20,
        // Versions begin with small numbers.
        (20.., _) => u16::from(second).saturating_add(u16::from(third)).saturating_add(u16::from(last)) >= 100,
        _ => false,
    }
}

/// Whether a text is a hardware address, and not the parts of a time.
pub(crate) fn is_hardware_address(value: &str) -> bool {
    let digits: Vec<char> = value.chars().filter(char::is_ascii_hexdigit).collect();
    let same = digits.iter().all(|digit| digits.first() == Some(digit));
    digits.len() == 12 && !same && (value.contains(':') || digits.iter().any(char::is_ascii_alphabetic))
}

/// Whether a text is a mail address.
pub(crate) fn is_mail(value: &str) -> bool {
    let lower = value.to_lowercase();
    let last = lower.rsplit('.').next().unwrap_or_default();
    !PROGRAM_ENDINGS.iter().any(|ending| ending.get(1..) == Some(last) && last != "com")
        && !lower.starts_with(['.', '%'])
}

/// Whether a text is the number of one device, and not a word in its place.
pub(crate) fn is_serial(value: &str) -> bool {
    let digits: Vec<char> = value.chars().filter(char::is_ascii_digit).collect();
    !digits.is_empty()
        && value.chars().any(|c| c.is_ascii_alphanumeric() && c != '0')
        && !is_removed(value)
        && !value.starts_with("0x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_random_and_words_versions_paths_and_codes_are_not() {
        for key in ["9fQ2x7Lm4Vt8Zr1K", "31d4d96e407aad42a7c9", "mF_9.B5f-4.1JqM7dQzX2kLw8"] {
            assert!(is_random(key), "{key}");
        }
        for word in [
            "classification",
            "cudnn_ops_infer64_8",
            "10.0.19041.1806",
            "0xC0000005",
            "msvcp140_atomic_wait.dll",
            "python310",
            "Release-2024-11-11",
            "C:/Windows/System32",
            "********",
            "abcabcabcabc",
        ] {
            assert!(!is_random(word), "{word}");
        }
    }

    #[test]
    fn a_pseudonym_is_no_name() {
        assert!(is_pseudonym("host-abcdefg2") && is_pseudonym("host-abcdefg2.domain-abcdefg2"));
        assert!(!is_pseudonym("host-abcdefg2x") && !is_pseudonym("host-1") && !is_pseudonym("pc-abcdefg2"));
        assert!(!is_name("user-abcdefg2") && is_name("user-1"));
    }

    #[test]
    fn versions_stay_and_addresses_do_not() {
        let private = |text: &str, value: &str| {
            let (before, after) = text.split_once(value).expect("in the text");
            is_private_address(value, before, after)
        };
        assert!(private("from 192.168.4.7 now", "192.168.4.7"));
        assert!(private("server 8.8.4.4", "8.8.4.4"));
        assert!(!private("driver 31.0.15.31", "31.0.15.31"));
        assert!(!private("version: 192.168.4.7", "192.168.4.7"));
        assert!(!private("numpy 1.2.3.4", "1.2.3.4"));
    }
}
