//! What typesetting, spreadsheets and tools put between the digits of a code, or between a word and its number.

/// Removes the GPU's place between `Xid` and its number: `NVRM: Xid (PCI:0000:01:00): 79, ...` becomes `NVRM: Xid : 79,
/// ...`.
pub(super) fn without_place_of_xid(text: &str) -> String {
    let place = text.to_ascii_lowercase().find("xid (pci").and_then(|at| at.checked_add("xid ".len()));
    let end = place.and_then(|at| text.get(at..)?.find(')')?.checked_add(at)?.checked_add(1));
    match place.zip(end) {
        Some((at, end)) => [text.get(..at).unwrap_or_default(), text.get(end..).unwrap_or_default()].concat(),
        None => text.to_owned(),
    }
}

/// `3.221.226.505` is `3221226505`: spreadsheets write large numbers in groups of three digits, each country with another
/// separator. Only numbers of ten digits are meant, which all codes that are written in decimal have, and no version has.
pub(super) fn without_grouping(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let within = plain.ends_with(|c: char| c.is_ascii_alphanumeric() || SEPARATORS.contains(&c) && c != ' ');
        let (number, end) = match grouped(rest).filter(|_| !within) {
            Some((number, length)) => (number, length),
            None => (next.to_string(), next.len_utf8()),
        };
        plain.push_str(&number);
        rest = rest.get(end..).unwrap_or_default();
    }
    plain
}

/// Separators between groups of digits; the last three are blanks at which no line breaks.
const SEPARATORS: &[char] = &['.', ',', '\'', '\u{2019}', ' ', '\u{A0}', '\u{202F}', '\u{2009}'];

/// The number of 32 bits and ten digits in groups that a text begins with, without what separates them, and its length.
fn grouped(text: &str) -> Option<(String, usize)> {
    let mut rest = text.strip_prefix(|c: char| c.is_ascii_digit())?;
    let separator = rest.chars().next().filter(|c| SEPARATORS.contains(c))?;
    let mut digits = text.get(..1)?.to_owned();
    for _ in 0..3 {
        let group = rest.strip_prefix(separator)?.get(..3).filter(|g| g.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.push_str(group);
        rest = rest.strip_prefix(separator)?.get(3..)?;
    }
    let goes_on = rest.starts_with(|c: char| c.is_ascii_alphanumeric())
        || rest.strip_prefix(separator).is_some_and(|more| more.starts_with(|c: char| c.is_ascii_digit()));
    let is_code = !goes_on && digits.parse::<u32>().is_ok();
    is_code.then(|| (digits, text.len().saturating_sub(rest.len())))
}

/// `c000 0005` and `c000-0005` are `c0000005`.
pub(super) fn without_blank_in_status(text: &str) -> String {
    let hexadecimal = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let upper_half = |word: &str| {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        hexadecimal(digits) && digits.to_ascii_lowercase().starts_with("c0")
    };
    let trimmed = |half: &str| hexadecimal(half.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()));
    let joined_by_hyphen = |word: &&str| {
        let halves = word.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).split_once('-');
        halves.is_some_and(|(upper, lower)| upper_half(upper) && trimmed(lower))
    };
    let text = &text
        .split(' ')
        .map(|word| Some(word).filter(joined_by_hyphen).map_or_else(|| word.to_owned(), |word| word.replace('-', "")))
        .collect::<Vec<_>>()
        .join(" ");
    let words: Vec<&str> = text.split(' ').collect();
    let mut joined = String::with_capacity(text.len());
    for (place, word) in words.iter().enumerate() {
        joined.push_str(word);
        let next = words.get(place.saturating_add(1));
        let halves = upper_half(word) && next.is_some_and(|next| trimmed(next));
        if next.is_some() && !halves {
            joined.push(' ');
        }
    }
    joined
}
