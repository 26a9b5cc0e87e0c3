//! The words by which a text says that something is only mentioned, as `rules/data/mentions.yaml` has them.

use std::ops::Range;
use std::sync::LazyLock;

use expressions::Literals;

pub(super) use crate::cue_words::{Cue, words_of};
use crate::sentences::is_apart;

/// The most bytes of a line that is searched: a longer line is no sentence that somebody wrote.
pub(super) const LONGEST: usize = 4096;
/// The most cue words that are taken from one line.
pub(super) const MOST_CUES: usize = 64;

/// The cue words that every line is searched for, and the kind of each.
pub(super) struct Cues {
    pub(super) finder: Literals,
    pub(super) kinds: Vec<Cue>,
}

pub(super) static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let words = Cue::searched().flat_map(|cue| {
        let words = words_of(cue).iter();
        words.flat_map(|word| [Some((*word).to_owned()), begun_large(word)]).map(move |word| (word, cue))
    });
    let (words, kinds): (Vec<String>, Vec<Cue>) = words.filter_map(|(word, kind)| Some((word?, kind))).unzip();
    Cues { finder: Literals::new(words), kinds }
});

/// Cue words with a capital first letter, as at the beginning of a sentence. Only for words whose first letter is not
/// ASCII: the finder ignores the case of ASCII letters by itself.
fn begun_large(words: &str) -> Option<String> {
    let first = words.chars().next().filter(|first| !first.is_ascii() && first.is_lowercase())?;
    Some(first.to_uppercase().chain(words.chars().skip(1)).collect())
}

/// The kinds of cue words in a line, one bit a kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kinds(u128);

/// The bit of a kind.
const fn bit(kind: Cue) -> u128 {
    1_u128.wrapping_shl(kind as u32)
}

impl Kinds {
    /// The kinds of cue words in a line, quoted words included; none for a line over [`LONGEST`].
    pub(super) fn in_line(line: &str) -> Self {
        if line.len() > LONGEST {
            return Self::default();
        }
        let found = CUES.finder.all_in(line).into_iter().filter(|cue| is_apart(line, cue.range.clone()));
        let kinds = found.filter_map(|cue| CUES.kinds.get(cue.index));
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

/// The cue words of the wanted kinds in a line with their byte ranges, quoted words included.
pub(super) fn cues_of(line: &str, wanted: impl Fn(Cue) -> bool) -> impl Iterator<Item = (Cue, Range<usize>)> {
    let found = CUES.finder.all_in(line).into_iter().filter_map(move |cue| {
        let kind = CUES.kinds.get(cue.index).copied().filter(|kind| wanted(*kind))?;
        is_apart(line, cue.range.clone()).then_some((kind, cue.range))
    });
    found.take(MOST_CUES)
}
