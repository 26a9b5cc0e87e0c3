//! Patterns with `*` and `?`.

use std::fmt;

/// A pattern in which `*` is any text and `?` any one character. Both pattern and text are expected folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wildcard {
    pattern: Vec<char>,
    /// What every text that fits begins with: decides most comparisons without a walk.
    prefix: String,
}

impl Wildcard {
    /// The pattern that `text` writes.
    pub fn new(text: &str) -> Self {
        let mut pattern: Vec<char> = text.chars().collect();
        pattern.dedup_by(|a, b| *a == '*' && *b == '*');
        let prefix = text.split(['*', '?']).next().unwrap_or_default().to_owned();
        Self { pattern, prefix }
    }

    /// Whether `text` holds nothing that makes it a pattern.
    pub fn is_plain(text: &str) -> bool {
        !text.contains(['*', '?'])
    }

    /// Whether every text fits.
    pub fn fits_all(&self) -> bool {
        self.pattern == ['*']
    }

    /// The longest text without a wildcard that is part of every text that fits.
    pub fn longest_part(&self) -> String {
        let parts = self.pattern.split(|c| ['*', '?'].contains(c));
        parts.max_by_key(|part| part.len()).unwrap_or_default().iter().collect()
    }

    /// A text that fits, and is as short as can be.
    pub fn shortest(&self) -> String {
        self.pattern.iter().filter(|c| **c != '*').map(|c| if *c == '?' { '0' } else { *c }).collect()
    }

    /// Whether the whole text fits.
    pub fn fits(&self, text: &str) -> bool {
        if !text.starts_with(&self.prefix) {
            return false;
        }
        let text: Vec<char> = text.chars().collect();
        let (mut at, mut wanted) = (0_usize, 0_usize);
        // Where the last star stands, and where the text that it covers ends: the only place to come back to.
        let mut star: Option<(usize, usize)> = None;
        while let Some(character) = text.get(at) {
            match self.pattern.get(wanted) {
                Some('*') => {
                    star = Some((wanted, at));
                    wanted = wanted.saturating_add(1);
                }
                Some(expected) if *expected == '?' || expected == character => {
                    at = at.saturating_add(1);
                    wanted = wanted.saturating_add(1);
                }
                _ => {
                    let Some((place, covered)) = star else { return false };
                    let covered = covered.saturating_add(1);
                    star = Some((place, covered));
                    at = covered;
                    wanted = place.saturating_add(1);
                }
            }
        }
        self.pattern.get(wanted..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
    }
}

impl fmt::Display for Wildcard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pattern.iter().try_for_each(|character| write!(f, "{character}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_texts() {
        let fits = |pattern: &str, text: &str| Wildcard::new(pattern).fits(text);
        assert!(fits("cudnn*64_8.dll", "cudnn_ops_infer64_8.dll"));
        assert!(fits("cudnn*64_8.dll", "cudnn64_8.dll"));
        assert!(!fits("cudnn*64_8.dll", "cudnn64_8.dll.bak"));
        assert!(fits("python3?.dll", "python39.dll"));
        assert!(!fits("python3?.dll", "python310.dll"));
        assert!(fits("*", ""));
        assert!(fits("**a*b*", "xaxxbx"));
        assert!(!fits("a*b*c", "aXbX"));
        assert!(fits("", ""));
        assert!(!fits("", "a"));
        assert!(fits("?", "ß"));
    }

    #[test]
    fn many_stars_stay_cheap() {
        let pattern = Wildcard::new(&"a*".repeat(50));
        assert!(!pattern.fits(&format!("{}b", "x".repeat(20_000))));
        assert!(pattern.fits(&"a".repeat(20_000)));
    }
}
