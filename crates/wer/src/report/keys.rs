//! The lines of a `Report.wer`: keys and values.
//!
//! The file is an INI file without sections. A value is everything after the line's first `=`. Lists are keys with an
//! index: `LoadedModule[0]`, `Sig[0].Value`.

use std::collections::BTreeMap;

use untrusted::Loss;

/// The keys of a report with their values.
#[derive(Debug, Default)]
pub(super) struct Keys<'t> {
    values: BTreeMap<&'t str, &'t str>,
    /// The lines without a value.
    lines: Vec<&'t str>,
    /// The key of the first line.
    pub first: Option<&'t str>,
    /// The key of the last line.
    pub last: Option<&'t str>,
}

impl<'t> Keys<'t> {
    /// Reads the lines of `text`. What is no `key=value`, and keys that come twice, is reported to `losses`.
    pub fn read(text: &'t str, losses: &mut Vec<Loss>) -> Self {
        let mut keys = Self::default();
        let (mut without_value, mut repeated) = (Vec::new(), Vec::new());
        for (number, line) in (1_u32..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                without_value.push(number);
                keys.lines.push(line);
                continue;
            };
            keys.first = keys.first.or(Some(key));
            keys.last = Some(key);
            if *keys.values.entry(key).or_insert(value) != value {
                repeated.push(number);
            }
        }
        losses.extend(loss(&without_value, "no `=` in the line, so no value"));
        losses.extend(loss(&repeated, "a key that an earlier line gave another value"));
        keys
    }

    /// Gives the values of lines of which one character is damaged, in the key or in place of the `=`, to the keys that
    /// `expected` names, and reports them.
    pub fn mend(&mut self, expected: &[&'static str], losses: &mut Vec<Loss>) {
        for key in expected {
            if self.values.contains_key(key) {
                continue;
            }
            let damaged = self.values.iter().filter(|(found, _)| differs_in_one_character(found, key));
            let without_sign = self.lines.iter().filter_map(|line| {
                let mut rest = line.strip_prefix(key)?.chars();
                rest.next().map(|_| (key, rest.as_str()))
            });
            let mut found = damaged.map(|(found, value)| (found, *value)).chain(without_sign);
            // Of two that resemble it, either may be another key.
            if let (Some((found, value)), None) = (found.next(), found.next()) {
                let reason = format!("one character of the line differs from `{key}=`, as which it is read");
                losses.push(Loss::new(format!("key {found}"), reason));
                self.values.insert(key, value);
            }
        }
    }

    /// The value of `key`; `None` where it is empty too.
    pub fn get(&self, key: &str) -> Option<&'t str> {
        self.values.get(key).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Whether the key is there, with or without a value.
    pub fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// The values of the keys `NAME[index]SUFFIX`, by index.
    pub fn list(&self, name: &str, suffix: &str) -> BTreeMap<u32, &'t str> {
        let opening = format!("{name}[");
        let closing = format!("]{suffix}");
        self.values
            .range(opening.as_str()..)
            .take_while(|(key, _)| key.starts_with(&opening))
            .filter_map(|(key, value)| {
                let index = key.strip_prefix(opening.as_str())?.strip_suffix(closing.as_str())?;
                Some((index.parse().ok()?, *value))
            })
            .collect()
    }
}

/// Whether the texts have the same length and differ in exactly one character.
pub(crate) fn differs_in_one_character(one: &str, other: &str) -> bool {
    let (mut ones, mut others) = (one.chars(), other.chars());
    let mut different: u32 = 0;
    loop {
        match (ones.next(), others.next()) {
            (None, None) => return different == 1,
            (Some(a), Some(b)) => different = different.saturating_add(u32::from(a != b)),
            _ => return false,
        }
    }
}

/// The loss of lines with the same fault, of which the numbers are given.
fn loss(lines: &[u32], reason: &str) -> Option<Loss> {
    let place = format!("line {}", lines.first()?);
    match lines.len() {
        1 => Some(Loss::new(place, reason)),
        lines => Some(Loss::new(place, format!("{reason} ({lines} such lines)"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equals_sign_ends_the_key() {
        let mut losses = Vec::new();
        let keys = Keys::read("Version=1\r\nA=x=\"y\";z\r\nB= \r\n", &mut losses);
        assert_eq!(keys.get("A"), Some("x=\"y\";z"));
        assert_eq!((keys.get("B"), keys.has("B"), keys.has("C")), (None, true, false));
        assert_eq!((keys.first, keys.last), (Some("Version"), Some("B")));
        assert_eq!(losses, []);
    }

    #[test]
    fn lists_are_sorted_by_number_and_not_by_name() {
        let text = "M[10]=k\nM[2]=c\nM[0]=a\nM[x]=?\nM[-1]=?\nM[1].Name=n\nMM[3]=?";
        let keys = Keys::read(text, &mut Vec::new());
        assert_eq!(keys.list("M", "").into_iter().collect::<Vec<_>>(), [(0, "a"), (2, "c"), (10, "k")]);
        assert_eq!(keys.list("M", ".Name").into_iter().collect::<Vec<_>>(), [(1, "n")]);
    }

    #[test]
    fn what_is_no_key_and_value_is_a_loss() {
        let mut losses = Vec::new();
        Keys::read("Version=1\nEvent\n\nA=1\nA=1\nA=2\nmore\n", &mut losses);
        let losses: Vec<String> = losses.iter().map(ToString::to_string).collect();
        assert_eq!(
            losses,
            [
                "line 2: no `=` in the line, so no value (2 such lines)",
                "line 6: a key that an earlier line gave another value"
            ]
        );
    }
}
