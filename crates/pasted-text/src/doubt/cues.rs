//! The words by which a text says that something is only mentioned, as `rules/data/mentions.yaml` has them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

pub(super) use crate::cue_words::{Cue, words_of};
use crate::sentences::is_apart;

/// A longer line is no sentence that somebody wrote.
pub(super) const LONGEST: usize = 4096;
/// How many words of a line are looked at: no sentence has more.
pub(super) const MOST_CUES: usize = 64;

/// The words that are looked for in every line, and what each does.
pub(super) struct Cues {
    pub(super) finder: Option<AhoCorasick>,
    pub(super) kinds: Vec<Cue>,
}

pub(super) static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let words = Cue::searched().flat_map(|cue| {
        let words = words_of(cue).iter();
        words.flat_map(|word| [Some((*word).to_owned()), begun_large(word)]).map(move |word| (word, cue))
    });
    let (words, kinds): (Vec<String>, Vec<Cue>) = words.filter_map(|(word, kind)| Some((word?, kind))).unzip();
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
    Cues { finder, kinds }
});

/// Words as they begin a sentence, where their first letter is none of ASCII's, of which the finder knows both forms.
fn begun_large(words: &str) -> Option<String> {
    let first = words.chars().next().filter(|first| !first.is_ascii() && first.is_lowercase())?;
    Some(first.to_uppercase().chain(words.chars().skip(1)).collect())
}

/// Which kinds of words a line has, a bit for each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kinds(u128);

/// The bit of a kind.
const fn bit(kind: Cue) -> u128 {
    1_u128.wrapping_shl(kind as u32)
}

impl Kinds {
    /// The kinds of words in a line, whoever wrote it; none of a line that is no sentence.
    pub(super) fn in_line(line: &str) -> Self {
        if line.len() > LONGEST {
            return Self::default();
        }
        let Some(finder) = CUES.finder.as_ref() else { return Self::default() };
        let found = finder.find_overlapping_iter(line).filter(|cue| is_apart(line, cue.range()));
        let kinds = found.filter_map(|cue| CUES.kinds.get(cue.pattern().as_usize()));
        Self(kinds.fold(0, |kinds, kind| kinds | bit(*kind)))
    }

    pub(super) fn has(self, kind: Cue) -> bool {
        self.0 & bit(kind) != 0
    }

    /// Whether one of the kinds is `wanted`.
    pub(super) fn any(self, wanted: impl Fn(Cue) -> bool) -> bool {
        self.0 != 0 && Cue::searched().any(|kind| self.has(kind) && wanted(kind))
    }
}

/// The words of some kinds in a line, whoever wrote it.
pub(super) fn cues_of(line: &str, wanted: impl Fn(Cue) -> bool) -> impl Iterator<Item = (Cue, Range<usize>)> {
    let found = CUES.finder.iter().flat_map(move |finder| finder.find_overlapping_iter(line));
    let found = found.filter_map(move |cue| {
        let kind = CUES.kinds.get(cue.pattern().as_usize()).copied().filter(|kind| wanted(*kind))?;
        is_apart(line, cue.range()).then(|| (kind, cue.range()))
    });
    found.take(MOST_CUES)
}
