//! Reading the words with which texts doubt, deny and report something, and the words around their facts.

use std::sync::Arc;

use super::table::{Table, read};
use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, YamlText};
use strum::{EnumIter, EnumString, IntoEnumIterator, VariantNames};

/// The effect of words on a sentence, on the lines around it, or beside other words. The head of
/// `rules/data/mentions.yaml` describes each in full, by the name that the table has for it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, EnumIter, EnumString, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Cue {
    // Cues for the sentence that they are in.
    /// What follows the words in their clause is denied; with a colon behind them, also the next line.
    Denial,
    /// What follows the words is denied if it begins with an error or a code.
    Neither,
    /// What follows the words in their clause is denied as a contrast.
    Contrast,
    /// What a clause that begins with the words names is denied: it is absent.
    Absence,
    /// The sentence is about the past: it was true and is not any more.
    Past,
    /// The line answers a question or ends one: `... not the case:`.
    Answer,
    /// The sentence is advice.
    Advice,
    /// From the words to the end of the clause, another computer or case is meant.
    Elsewhere,
    /// The sentence gives an example.
    Instance,
    /// The sentence begins with a condition.
    Condition,
    /// From the words to the end of the sentence, somebody asks for something.
    Request,
    /// The sentence is a question.
    Question,
    /// The program went on after the part of the line before the words.
    Recovery,
    // Cues for the lines around them.
    /// The program went on after the lines before.
    Survived,
    /// The line is source text, a translation or the output of a test.
    Source,
    /// Messages of other people before in the thread are taken back.
    Retraction,
    /// The error in the lines before was overcome by a later attempt.
    Succeeded,
    /// The label of a history's row for today.
    Now,
    /// The trouble goes on.
    Still,
    /// The beginning of the label of a history's row.
    Month,
    /// The lines before, or behind a colon, were pasted by mistake.
    Misplaced,
    /// The lines before, or behind a colon, are to be disregarded where a word of [`Cue::OfAnother`] is with it.
    Disregarded,
    /// The evidence is of another computer or case.
    OfAnother,
    /// The end of lines that were pasted by mistake.
    Corrected,
    /// The sentence is about somebody else's computer.
    #[strum(serialize = "others")]
    OnOtherComputer,
    /// The sentence is about the writer's own computer.
    #[strum(serialize = "mine")]
    OnOwnComputer,
    /// A heading below which a form asks for what should have happened.
    Expected,
    /// Something was repaired or replaced: the trouble before it is over.
    #[strum(serialize = "mended")]
    Repaired,
    /// A new topic begins: the failure before it is not the one that is asked about.
    Topic,
    /// All trouble that the text names before is over.
    #[strum(serialize = "well")]
    AllWellNow,
    /// All trouble before is over, if a word of [`Cue::Deed`] is before these words.
    #[strum(serialize = "works")]
    WorksAgain,
    // Words that help to understand the cues above: they are not looked for in every line.
    /// Words with which a message reports that a file is missing.
    Absent,
    /// Words for something that appeared or happened, in the forms that follow a negation.
    Appearing,
    /// Things beside the evidence that people ask to disregard.
    BesideEvidence,
    /// Words for computers, with which rows are about one of several.
    Computer,
    /// Beginnings of the further sentences of a message.
    Continued,
    /// Labels of numbers that count something.
    Counted,
    /// Words for what somebody did about a failure.
    Deed,
    /// Words with which a clause denies something.
    Denying,
    /// Words that explain a code or ask what it means.
    Explaining,
    /// Words for the writer's own computer having no trouble.
    #[strum(serialize = "fine")]
    OwnComputerFine,
    /// Words that begin a statement of what goes on in spite of what was done about it.
    GoesOn,
    /// Words for what happens to programs that end.
    Happening,
    /// Words behind a retraction that is about remedies: `none of these helped`.
    Helping,
    /// Words that join the first word of a clause to the text before it.
    Introducing,
    /// Words that name the failure after a word that it is over: `solved, it was ...`.
    ItWas,
    /// Words that join a clause to the one before it.
    Joining,
    /// Words of tables that explain codes.
    Meaning,
    /// Words that deny the word behind them.
    Negation,
    /// Words that deny a whole clause.
    NegationBehind,
    /// Words of a writer who reports what happened to them.
    Oneself,
    /// Words behind which a clause begins that names something.
    Opening,
    /// Words of a writer who reports for several people.
    Ourselves,
    /// Words of denial that errors have in their own messages.
    #[strum(serialize = "own")]
    OfErrors,
    /// Parts of a log: a wrong one of these does not make the log a wrong one.
    PartOfLog,
    /// Words with which something that was well fails again, or in part.
    Relapse,
    /// Words for something that appeared or happened.
    Report,
    /// Headings of forms in which people report what happened.
    ReportHeading,
    /// Words with which something began that goes on: `since last year`.
    Since,
    /// Labels of solutions in guides.
    Solution,
    /// Words for how something is, and not for what somebody did.
    State,
    /// Words with which a sentence supposes something.
    Supposing,
    /// Words that point back to the text before.
    #[strum(serialize = "that")]
    PointingBack,
    /// Words that begin a statement about today's state.
    Today,
    /// Words behind which a denial denies nothing that happened: `I don't get why it ...`.
    Undenied,
    /// Values behind a label that mean no.
    Value,
    /// Words for what ought to be: its absence is a failure.
    Wanted,
    /// Ends of a line that names the next writer.
    Wrote,
    /// Values behind a label that mean no where the label counts something.
    Zero,
}

impl Cue {
    /// The cues that are looked for in every line; their words are in one search.
    pub fn searched() -> impl Iterator<Item = Self> {
        Self::iter().filter(|cue| *cue <= Self::WorksAgain)
    }

    /// Whether the cue is for the sentence that it is in, and not for the lines around it.
    #[must_use]
    pub fn is_of_a_sentence(self) -> bool {
        self <= Self::Recovery
    }

    /// Whether the cue also counts behind a log level or an error's name, where programs advise and people deny.
    pub const fn denies(self) -> bool {
        matches!(self, Self::Denial | Self::Past)
    }

    /// Whether the cue also holds for the next line, where its own line ends with a colon.
    pub const fn announces(self) -> bool {
        matches!(self, Self::Denial | Self::Past | Self::Elsewhere | Self::Condition) || self.announces_from_anywhere()
    }

    /// Whether it also holds for the next line with other clauses between its words and the colon.
    pub const fn announces_from_anywhere(self) -> bool {
        matches!(self, Self::Advice | Self::Instance | Self::Request)
    }
}

/// Words by their effect: `cues` with `of`, `words` and `examples`.
pub fn cues(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<Cue, Vec<String>> {
    read(file, "cues", &["of", "words", "examples"], &[], mistakes, |row| {
        let cue = row.text("of")?.parse::<Cue>().map_err(|_| {
            let mut known = Cue::VARIANTS.to_vec();
            known.sort_unstable();
            row.not_one_of("of", &known)
        })?;
        let words = row.words("words", false)?;
        // Word processors and phones write `didn’t` for `didn't`.
        let typographic: Vec<String> =
            words.iter().filter(|word| word.contains('\'')).map(|word| word.replace('\'', "’")).collect();
        Ok((cue, [words, typographic].concat()))
    })
}

/// The purposes of words around a fact.
const TEXT_WORDS: [&str; 19] = [
    "attempt",
    "clause",
    "code_label",
    "event",
    "event_number",
    "event_source",
    "everyday_stop",
    "image",
    "level",
    "library",
    "no_name",
    "no_program",
    PRINTED_START,
    "program",
    "raising",
    "release",
    "respelled",
    "showing",
    "test_runner",
];
/// The words that may have upper case and blanks around them.
const PRINTED_START: &str = "printed_start";

/// Words around the facts of texts by their purpose: `words` with `of`, `words` and `examples`.
pub fn text_words(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, Vec<String>> {
    read(file, "words", &["of", "words", "examples"], &[], mistakes, |row| {
        let of = row.one_of("of", &TEXT_WORDS)?;
        Ok((of.to_owned(), row.words("words", of == PRINTED_START)?))
    })
}
