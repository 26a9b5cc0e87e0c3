//! Many literals, found in a text all at once.
//!
//! Preparing them takes little more than reading them, which matters to a program that has thousands and reads one small text.
//! In a text, each run of a few bytes is looked up among the runs of which every literal has one. Literals that share all their
//! runs are compared one by one, so they should be the program's own and not somebody's.

use std::cmp::Reverse;
use std::ops::Range;

/// The length of the runs by which literals are found, bytes. Shorter literals are a run of their own.
const RUN: usize = 3;

/// Spreads runs over the places: 2 to the 32nd divided by the golden ratio, as is usual for numbers that are close to each
/// other.
const SPREAD: u32 = 0x9E37_79B1;

/// Finds literals without regard to the case of ASCII letters.
#[derive(Debug, Default)]
pub struct Literals {
    all: Vec<Box<[u8]>>,
    /// Of each length of runs that the literals have.
    tables: Vec<Table>,
}

/// A literal that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLiteral {
    /// Where it stands in the list that [`Literals`] was made of.
    pub index: usize,
    /// Where it is in the text, in bytes.
    pub range: Range<usize>,
}

/// The runs of one length, by their place.
#[derive(Debug)]
struct Table {
    length: usize,
    /// How far a run's number is moved to the right to give its place.
    shift: u32,
    /// Where the runs of a place begin; the last is the number of all.
    begins: Vec<u32>,
    runs: Vec<Run>,
}

/// A run of a literal.
#[derive(Debug, Clone, Copy)]
struct Run {
    number: u32,
    /// The literal.
    index: u32,
    /// Where the run is in it.
    at: u32,
}

impl Literals {
    /// Prepares literals. Empty ones are found nowhere.
    pub fn new<L: AsRef<str>>(literals: impl IntoIterator<Item = L>) -> Self {
        let all: Vec<Box<[u8]>> =
            literals.into_iter().map(|literal| literal.as_ref().to_ascii_lowercase().into_bytes().into()).collect();
        // Of the runs of a literal, the one that the fewest literals have, as far as few counters tell.
        const COUNTERS: u32 = 12;
        let counter = |number: u32| place(number, 32 - COUNTERS);
        let mut counters = vec![0_u32; 1 << COUNTERS];
        for run in all.iter().flat_map(|literal| literal.windows(RUN)) {
            if let Some(count) = counters.get_mut(counter(number(run))) {
                *count = count.saturating_add(1);
            }
        }
        let mut runs: [Vec<Run>; RUN] = Default::default();
        for (index, literal) in all.iter().enumerate() {
            let length = literal.len().min(RUN);
            let Some(of_length) = length.checked_sub(1).and_then(|at| runs.get_mut(at)) else { continue };
            let numbers = literal.windows(length).map(number).enumerate();
            // Of equally rare ones the last: words of a language are more alike in their beginnings.
            let rarest = numbers.min_by_key(|(at, number)| (counters.get(counter(*number)), Reverse(*at)));
            let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
            of_length.extend(rarest.map(|(at, number)| Run { number, index: narrow(index), at: narrow(at) }));
        }
        let tables = runs.into_iter().zip(1..).filter(|(runs, _)| !runs.is_empty());
        let tables = tables.map(|(runs, length)| Table::new(length, runs)).collect();
        Self { all, tables }
    }

    /// All places of all literals in a text: by their beginnings, of one place the longest first, then in the order of the list.
    #[must_use]
    pub fn all_in(&self, text: &str) -> Vec<FoundLiteral> {
        let text = text.as_bytes();
        let mut found = Vec::new();
        for table in &self.tables {
            for (at, run) in text.windows(table.length).enumerate() {
                for run in table.of(number(run)) {
                    found.extend(self.there(text, at, run));
                }
            }
        }
        found.sort_unstable_by_key(|found| (found.range.start, Reverse(found.range.end), found.index));
        found
    }

    /// Of literals that overlap in a text, the first one, and of those with one beginning the longest.
    pub fn longest_in(&self, text: &str) -> impl Iterator<Item = FoundLiteral> + use<> {
        let mut end = 0;
        self.all_in(text).into_iter().filter(move |found| {
            let follows = found.range.start >= end;
            if follows {
                end = found.range.end;
            }
            follows
        })
    }

    /// The literal of a run that is at `at` in a text, where the rest of it is there, too.
    fn there(&self, text: &[u8], at: usize, run: &Run) -> Option<FoundLiteral> {
        let index = usize::try_from(run.index).ok()?;
        let literal = self.all.get(index)?;
        let start = at.checked_sub(usize::try_from(run.at).ok()?)?;
        let range = start..start.checked_add(literal.len())?;
        text.get(range.clone())?.eq_ignore_ascii_case(literal).then_some(FoundLiteral { index, range })
    }
}

impl Table {
    fn new(length: usize, mut runs: Vec<Run>) -> Self {
        // Twice as many places as runs, so that most places of a text have none: 2 to 65,536.
        let bits = runs.len().next_power_of_two().trailing_zeros().saturating_add(1).min(16);
        let shift = 32_u32.saturating_sub(bits);
        runs.sort_unstable_by_key(|run| (place(run.number, shift), run.number, run.index));
        let mut begins = vec![0; 1_usize.wrapping_shl(bits).saturating_add(1)];
        for run in &runs {
            if let Some(count) = begins.get_mut(place(run.number, shift).saturating_add(1)) {
                *count = u32::saturating_add(*count, 1);
            }
        }
        let mut sum = 0_u32;
        for begin in &mut begins {
            sum = sum.saturating_add(*begin);
            *begin = sum;
        }
        Self { length, shift, begins, runs }
    }

    /// The runs with this number.
    fn of(&self, number: u32) -> impl Iterator<Item = &Run> {
        let at = place(number, self.shift);
        let ends = self.begins.get(at..).and_then(<[u32]>::first_chunk::<2>);
        let range = ends.map_or(0..0, |[begin, end]| *begin as usize..*end as usize);
        self.runs.get(range).unwrap_or_default().iter().filter(move |run| run.number == number)
    }
}

/// The bytes of a run as a number, without regard to the case of ASCII letters.
pub(crate) fn number(run: &[u8]) -> u32 {
    run.iter().fold(0, |number, byte| (number << 8) | u32::from(byte.to_ascii_lowercase()))
}

/// The place of a run in a table.
pub(crate) fn place(number: u32, shift: u32) -> usize {
    number.wrapping_mul(SPREAD).wrapping_shr(shift) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(literals: &[&str], text: &'t str) -> Vec<(usize, &'t str)> {
        Literals::new(literals).all_in(text).into_iter().map(|found| (found.index, &text[found.range])).collect()
    }

    #[test]
    fn literals_are_found_wherever_they_are_in_any_case() {
        let literals = ["exit code", "code", "Exit", "de", "x", "größe", "", "code"];
        let text = "An EXIT CODE, größe; GRÖSSE x";
        let expected =
            [(0, "EXIT CODE"), (2, "EXIT"), (4, "X"), (1, "CODE"), (7, "CODE"), (3, "DE"), (5, "größe"), (4, "x")];
        assert_eq!(found(&literals, text), expected);
        assert_eq!(found(&literals, ""), []);
        assert_eq!(found(&[], "exit"), []);
    }

    #[test]
    fn of_literals_that_overlap_the_first_and_longest_is_found() {
        let literals = Literals::new(["kernel", "kernel power", "power", "power loss", "l"]);
        let text = "Kernel Power loss, power loss";
        let longest = literals.longest_in(text).map(|found| &text[found.range]);
        assert_eq!(longest.collect::<Vec<_>>(), ["Kernel Power", "l", "power loss"]);
    }

    #[test]
    fn what_is_found_is_what_a_search_for_each_finds() {
        let mut state = 7_u64;
        let mut letters = |count: u64| -> String {
            let mut letter = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                char::from(b'a' + (state >> 60) as u8 % 4)
            };
            (0..count).map(|_| letter()).collect()
        };
        let literals: Vec<String> = (0..300).map(|number| letters(1 + number % 9)).collect();
        let text = letters(500);
        let mut expected: Vec<(usize, Range<usize>)> = Vec::new();
        for (index, literal) in literals.iter().enumerate() {
            let starts = (0..text.len()).filter(|start| text[*start..].starts_with(literal.as_str()));
            expected.extend(starts.map(|start| (index, start..start + literal.len())));
        }
        expected.sort_unstable_by_key(|(index, range)| (range.start, Reverse(range.end), *index));
        let found = Literals::new(&literals).all_in(&text).into_iter().map(|found| (found.index, found.range));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
