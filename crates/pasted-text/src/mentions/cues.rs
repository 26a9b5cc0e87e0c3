//! The words by which a text says that something is only mentioned, as `rules/data/mentions.yaml` has them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::sentences::is_apart;
use windows_codes::Knowledge;

/// A longer line is no sentence that somebody wrote.
pub(super) const LONGEST: usize = 4096;
/// As many words of a line as are looked at: no sentence has more.
pub(super) const MOST_CUES: usize = 64;

/// What words do to a sentence, as `rules/data/mentions.yaml` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    Denial,
    Neither,
    Contrast,
    Absence,
    Past,
    Answer,
    Advice,
    Elsewhere,
    Instance,
    Condition,
    Request,
    Question,
    Recovery,
    Survived,
    Source,
    Retraction,
    Succeeded,
    Now,
    Still,
    Month,
    Misplaced,
    Disregarded,
    OfAnother,
    Corrected,
    Others,
    Mine,
    Expected,
    Mended,
    Topic,
    Well,
    Works,
}

impl Cue {
    const ALL: [(&'static str, Self); 31] = [
        ("denial", Self::Denial),
        ("neither", Self::Neither),
        ("contrast", Self::Contrast),
        ("absence", Self::Absence),
        ("past", Self::Past),
        ("answer", Self::Answer),
        ("advice", Self::Advice),
        ("elsewhere", Self::Elsewhere),
        ("instance", Self::Instance),
        ("condition", Self::Condition),
        ("request", Self::Request),
        ("question", Self::Question),
        ("recovery", Self::Recovery),
        ("survived", Self::Survived),
        ("source", Self::Source),
        ("retraction", Self::Retraction),
        ("succeeded", Self::Succeeded),
        ("now", Self::Now),
        ("still", Self::Still),
        ("month", Self::Month),
        ("misplaced", Self::Misplaced),
        ("disregarded", Self::Disregarded),
        ("of_another", Self::OfAnother),
        ("corrected", Self::Corrected),
        ("others", Self::Others),
        ("mine", Self::Mine),
        ("expected", Self::Expected),
        ("mended", Self::Mended),
        ("topic", Self::Topic),
        ("well", Self::Well),
        ("works", Self::Works),
    ];

    const fn bit(self) -> u32 {
        1_u32.wrapping_shl(self as u32)
    }

    /// Whether it also counts behind a level or an error's name, where programs advise and people deny.
    pub(super) const fn denies(self) -> bool {
        matches!(self, Self::Denial | Self::Past)
    }

    /// Whether it also holds for the next line, where its own ends with a colon.
    pub(super) const fn announces(self) -> bool {
        matches!(self, Self::Denial | Self::Past | Self::Elsewhere | Self::Condition) || self.announces_from_anywhere()
    }

    /// Whether it does so with other clauses between its words and the colon.
    pub(super) const fn announces_from_anywhere(self) -> bool {
        matches!(self, Self::Advice | Self::Instance | Self::Request)
    }

    /// Whether it says something of the sentence that it stands in, and not of the lines around it.
    pub(super) const fn is_of_a_sentence(self) -> bool {
        !matches!(
            self,
            Self::Survived
                | Self::Source
                | Self::Retraction
                | Self::Succeeded
                | Self::Now
                | Self::Still
                | Self::Month
                | Self::Misplaced
                | Self::Disregarded
                | Self::OfAnother
                | Self::Corrected
                | Self::Others
                | Self::Mine
                | Self::Expected
                | Self::Mended
                | Self::Topic
                | Self::Well
                | Self::Works
        )
    }
}

/// The words, and what each does.
pub(super) struct Cues {
    pub(super) finder: Option<AhoCorasick>,
    pub(super) kinds: Vec<Cue>,
    /// What errors say of themselves.
    pub(super) own: &'static [&'static str],
    /// How messages go on in a sentence of their own.
    pub(super) continued: &'static [&'static str],
    /// Words that say that something appeared or happened.
    pub(super) report: &'static [&'static str],
    /// More of them, in forms that stand with a negation.
    pub(super) appearing: &'static [&'static str],
    /// Words for what ought to be: without it, something failed.
    pub(super) wanted: &'static [&'static str],
    /// Words that deny the word behind them, and those that deny a whole clause.
    pub(super) negation: &'static [&'static str],
    pub(super) negation_behind: &'static [&'static str],
    /// Words that join a clause to the one before it.
    pub(super) joining: &'static [&'static str],
    /// Words behind a retraction that speaks of remedies: `none of these helped`.
    pub(super) helping: &'static [&'static str],
    /// Words behind which a denial denies nothing that happened: `I don't get why it ...`.
    pub(super) undenied: &'static [&'static str],
    /// Words that begin what is so today.
    pub(super) today: &'static [&'static str],
    /// Words that begin what goes on whatever was done about it.
    pub(super) goes_on: &'static [&'static str],
    /// Parts of a log: a wrong one of these is no wrong log.
    pub(super) part_of_log: &'static [&'static str],
    /// What people ask to disregard beside the evidence.
    pub(super) beside_evidence: &'static [&'static str],
    /// Words by which one's own computer has no trouble.
    pub(super) fine: &'static [&'static str],
    /// Words for computers, with which rows tell of one of several.
    pub(super) computer: &'static [&'static str],
    /// Words of who speaks of what happened to them, alone or with others.
    pub(super) oneself: &'static [&'static str],
    pub(super) ourselves: &'static [&'static str],
    /// Ends of a line that names who speaks next.
    pub(super) wrote: &'static [&'static str],
    /// Words by which what began then goes on: `since last year`.
    pub(super) since: &'static [&'static str],
    /// Words by which a clause says what is so, and not what somebody did.
    pub(super) state: &'static [&'static str],
    /// Words that speak of what stands before.
    pub(super) that: &'static [&'static str],
    /// What was, said behind the word that it is over.
    pub(super) it_was: &'static [&'static str],
    /// Words that join the first word of a clause to what stands before it.
    pub(super) introducing: &'static [&'static str],
    /// Words behind which a clause begins that names something.
    pub(super) opening: &'static [&'static str],
    /// Words for what somebody did about a failure.
    pub(super) deed: &'static [&'static str],
    /// Words by which what was well is not, or not all of it.
    pub(super) relapse: &'static [&'static str],
    /// Words for what happens to programs that end.
    pub(super) happening: &'static [&'static str],
    /// Words that explain a code or ask what it means.
    pub(super) explaining: &'static [&'static str],
}

pub(super) static CUES: LazyLock<Cues> = LazyLock::new(|| {
    let knowledge = Knowledge::builtin();
    let words = Cue::ALL.iter().flat_map(|(name, kind)| {
        knowledge
            .mention_cues(name)
            .iter()
            .flat_map(|word| [Some((*word).to_owned()), begun_large(word)])
            .map(|word| (word, *kind))
    });
    let (words, kinds): (Vec<String>, Vec<Cue>) = words.filter_map(|(word, kind)| Some((word?, kind))).unzip();
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
    Cues {
        finder,
        kinds,
        own: knowledge.mention_cues("own"),
        continued: knowledge.mention_cues("continued"),
        report: knowledge.mention_cues("report"),
        appearing: knowledge.mention_cues("appearing"),
        wanted: knowledge.mention_cues("wanted"),
        negation: knowledge.mention_cues("negation"),
        negation_behind: knowledge.mention_cues("negation_behind"),
        joining: knowledge.mention_cues("joining"),
        helping: knowledge.mention_cues("helping"),
        undenied: knowledge.mention_cues("undenied"),
        today: knowledge.mention_cues("today"),
        goes_on: knowledge.mention_cues("goes_on"),
        part_of_log: knowledge.mention_cues("part_of_log"),
        beside_evidence: knowledge.mention_cues("beside_evidence"),
        fine: knowledge.mention_cues("fine"),
        computer: knowledge.mention_cues("computer"),
        oneself: knowledge.mention_cues("oneself"),
        ourselves: knowledge.mention_cues("ourselves"),
        wrote: knowledge.mention_cues("wrote"),
        since: knowledge.mention_cues("since"),
        state: knowledge.mention_cues("state"),
        that: knowledge.mention_cues("that"),
        it_was: knowledge.mention_cues("it_was"),
        introducing: knowledge.mention_cues("introducing"),
        opening: knowledge.mention_cues("opening"),
        deed: knowledge.mention_cues("deed"),
        relapse: knowledge.mention_cues("relapse"),
        happening: knowledge.mention_cues("happening"),
        explaining: knowledge.mention_cues("explaining"),
    }
});

/// Words as they begin a sentence, where their first letter is none of ASCII's, of which the finder knows both forms.
fn begun_large(words: &str) -> Option<String> {
    let first = words.chars().next().filter(|first| !first.is_ascii() && first.is_lowercase())?;
    Some(first.to_uppercase().chain(words.chars().skip(1)).collect())
}

/// Which kinds of words a line has, a bit for each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kinds(u32);

impl Kinds {
    /// The kinds of words in a line, whoever wrote it; none of a line that is no sentence.
    pub(super) fn of(line: &str) -> Self {
        if line.len() > LONGEST {
            return Self::default();
        }
        let Some(finder) = CUES.finder.as_ref() else { return Self::default() };
        let found = finder.find_overlapping_iter(line).filter(|cue| is_apart(line, cue.range()));
        let kinds = found.filter_map(|cue| CUES.kinds.get(cue.pattern().as_usize()));
        Self(kinds.fold(0, |kinds, kind| kinds | kind.bit()))
    }

    pub(super) fn has(self, kind: Cue) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Whether one of the kinds is `wanted`.
    pub(super) fn any(self, wanted: impl Fn(Cue) -> bool) -> bool {
        self.0 != 0 && Cue::ALL.iter().any(|(_, kind)| self.has(*kind) && wanted(*kind))
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
