//! Many lines, asked all together for what expressions need.

use std::collections::BTreeSet;

use memchr::memmem::Finder;

use super::literals;
use super::needed::{Literal, has_second_forms};
use super::pattern::Pattern;

/// The number of bits for the triples of bytes that the lines have, a power of 2: a log of some megabytes has 40,000 different
/// ones, which leaves seven in ten bits clear.
const BITS: usize = 1 << 17;

/// Lines in lower case, prepared to be asked which of them may fit expressions. That takes less time than asking each line as
/// soon as there are several.
#[derive(Debug)]
pub struct Lines {
    /// The lines given to `new`, in lower case and in one text, so that one search covers them all: a newline ends each.
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
    /// The lines of which nothing is known from what expressions need.
    odd: Vec<usize>,
    /// The triples of bytes in the lines.
    triples: Vec<u64>,
}

impl Lines {
    /// Prepares lines in lower case. A line that is `None` may fit everything.
    pub fn new<'l>(lines: impl Iterator<Item = Option<&'l str>>) -> Self {
        let mut all = Self { text: String::new(), starts: Vec::new(), odd: Vec::new(), triples: vec![0; BITS / 64] };
        for (index, line) in lines.enumerate() {
            if line.is_none_or(has_second_forms) {
                all.odd.push(index);
            }
            all.starts.push(all.text.len());
            all.text.push_str(line.unwrap_or_default());
            all.text.push('\n');
        }
        for triple in all.text.as_bytes().windows(3) {
            let (word, bit) = place(triple);
            if let Some(word) = all.triples.get_mut(word) {
                *word |= bit;
            }
        }
        all
    }

    /// The lines, by their index, that have a literal in lower case, and others that may have it in other letters.
    #[must_use]
    pub fn with(&self, literal: &Finder<'_>) -> BTreeSet<usize> {
        let mut found = self.odd.iter().copied().collect();
        self.add_with(literal.needle(), |rest| literal.find(rest), &mut found);
        found
    }

    /// The lines, by their index, that may fit one of these expressions; `None`: all of them.
    pub fn that_may_fit<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> Option<BTreeSet<usize>> {
        let mut found: BTreeSet<usize> = self.odd.iter().copied().collect();
        let mut literals = Vec::new();
        for pattern in patterns {
            let needs = pattern.needs()?;
            if needs.hold(&|literal| self.may_have(literal.text().as_bytes())) {
                literals.clear();
                needs.rarest(&mut literals);
                literals.iter().for_each(|literal: &&Literal| {
                    self.add_with(literal.text().as_bytes(), |rest| literal.find(rest), &mut found);
                });
            }
        }
        Some(found)
    }

    /// Adds the lines with a literal, of which `find` gives the first place in a text.
    fn add_with(&self, literal: &[u8], find: impl Fn(&[u8]) -> Option<usize>, found: &mut BTreeSet<usize>) {
        if !self.may_have(literal) {
            return;
        }
        let mut from = 0_usize;
        while let Some(rest) = self.text.as_bytes().get(from..)
            && let Some(at) = find(rest)
        {
            let next = self.starts.partition_point(|start| *start <= from.saturating_add(at));
            found.insert(next.saturating_sub(1));
            match self.starts.get(next) {
                Some(start) => from = *start,
                None => break,
            }
        }
    }

    /// Whether some line may have a literal: each of its triples of bytes is in a line.
    fn may_have(&self, literal: &[u8]) -> bool {
        literal.windows(3).all(|triple| {
            let (word, bit) = place(triple);
            self.triples.get(word).is_some_and(|word| word & bit != 0)
        })
    }
}

/// The place of a triple of bytes among the bits: the word and the bit in it.
fn place(triple: &[u8]) -> (usize, u64) {
    let spread = literals::place(literals::number(triple), 32_u32.saturating_sub(BITS.trailing_zeros()));
    (spread / 64, 1 << (spread % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitting(lines: &[&str], expressions: &[&str]) -> Option<Vec<usize>> {
        let patterns: Vec<Pattern> = expressions.iter().map(|one| Pattern::new(one)).collect();
        let lines = Lines::new(lines.iter().map(|line| Some(*line)));
        lines.that_may_fit(patterns.iter()).map(|found| found.into_iter().collect())
    }

    #[test]
    fn only_lines_with_what_is_needed_may_fit() {
        let lines = ["could not load", "", "the driver crashed, the driver crashed", "load it", "crash \u{17F}"];
        assert_eq!(fitting(&lines, &["Driver (crash|hung)", "no such thing"]), Some(vec![2, 4]));
        assert_eq!(fitting(&lines, &["load|it"]), Some(vec![0, 3, 4]));
        assert_eq!(fitting(&lines, &["load", r"\w+"]), None);
        assert_eq!(fitting(&[], &["load"]), Some(vec![]));
        let unknown = Lines::new([None, Some("load"), Some("x")].into_iter());
        assert_eq!(unknown.with(&Finder::new("load")), BTreeSet::from([0, 1]));
    }

    #[test]
    fn every_line_that_fits_is_among_those_that_may() {
        let lines: Vec<String> =
            (0..3000).map(|number| format!("line {number}: größe {:x} 断电", number * 7919)).collect();
        for expression in ["e 29[0-9]+:", "größe 5a", "断电", r"\b2f", "ab|cd", r"größe.{0,3}7.*断"] {
            let pattern = Pattern::new(expression);
            let fit: BTreeSet<usize> = (0..lines.len()).filter(|index| pattern.is_match(&lines[*index])).collect();
            let may = Lines::new(lines.iter().map(|line| Some(line.as_str()))).that_may_fit([&pattern].into_iter());
            assert!(!fit.is_empty() && may.is_none_or(|may| may.is_superset(&fit)), "{expression}");
        }
    }
}
