//! Reading the words by which texts doubt, deny and tell, and those around their facts.

use std::sync::Arc;

use super::table::{Table, read};
use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, YamlText};

/// Declares what words can do: a line each with the name that the table uses.
macro_rules! cues {
    (
        of_a_sentence { $($sentence:ident: $sentence_name:literal,)+ }
        of_lines { $($line:ident: $line_name:literal,)+ }
        listed { $($(#[$about:meta])* $listed:ident: $listed_name:literal,)+ }
    ) => {
        /// What words do to a sentence, to the lines around it, or beside others: the head of `rules/data/mentions.yaml` says
        /// it of each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Cue {
            $(#[allow(missing_docs)] $sentence,)+
            $(#[allow(missing_docs)] $line,)+
            $($(#[$about])* $listed,)+
        }

        impl Cue {
            /// All by the names that the table uses.
            const NAMED: &[(&str, Self)] = &[
                $(($sentence_name, Self::$sentence),)+
                $(($line_name, Self::$line),)+
                $(($listed_name, Self::$listed),)+
            ];

            /// Those that are looked for in every line; their words are in one search.
            pub const SEARCHED: &[Self] = &[$(Self::$sentence,)+ $(Self::$line,)+];

            /// Whether it says something of the sentence that it stands in, and not of the lines around it.
            #[must_use]
            pub const fn is_of_a_sentence(self) -> bool {
                matches!(self, $(Self::$sentence)|+)
            }
        }
    };
}

cues! {
    of_a_sentence {
        Denial: "denial",
        Neither: "neither",
        Contrast: "contrast",
        Absence: "absence",
        Past: "past",
        Answer: "answer",
        Advice: "advice",
        Elsewhere: "elsewhere",
        Instance: "instance",
        Condition: "condition",
        Request: "request",
        Question: "question",
        Recovery: "recovery",
    }
    of_lines {
        Survived: "survived",
        Source: "source",
        Retraction: "retraction",
        Succeeded: "succeeded",
        Now: "now",
        Still: "still",
        Month: "month",
        Misplaced: "misplaced",
        Disregarded: "disregarded",
        OfAnother: "of_another",
        Corrected: "corrected",
        Others: "others",
        Mine: "mine",
        Expected: "expected",
        Mended: "mended",
        Topic: "topic",
        Well: "well",
        Works: "works",
    }
    listed {
        /// Words by which a message says that a file is missing.
        Absent: "absent",
        /// Words that say that something appeared or happened, in forms that stand with a negation.
        Appearing: "appearing",
        /// What people ask to disregard beside the evidence.
        BesideEvidence: "beside_evidence",
        /// Words for computers, with which rows tell of one of several.
        Computer: "computer",
        /// How messages go on in a sentence of their own.
        Continued: "continued",
        /// Labels of what is counted.
        Counted: "counted",
        /// Words for what somebody did about a failure.
        Deed: "deed",
        /// Words by which a clause denies something.
        Denying: "denying",
        /// Words that explain a code or ask what it means.
        Explaining: "explaining",
        /// Words by which one's own computer has no trouble.
        Fine: "fine",
        /// Words that begin what goes on whatever was done about it.
        GoesOn: "goes_on",
        /// Words for what happens to programs that end.
        Happening: "happening",
        /// Words behind a retraction that speaks of remedies: `none of these helped`.
        Helping: "helping",
        /// Words that join the first word of a clause to what stands before it.
        Introducing: "introducing",
        /// What was, said behind the word that it is over.
        ItWas: "it_was",
        /// Words that join a clause to the one before it.
        Joining: "joining",
        /// Words of tables that explain codes.
        Meaning: "meaning",
        /// Words that deny the word behind them.
        Negation: "negation",
        /// Words that deny a whole clause.
        NegationBehind: "negation_behind",
        /// Words of who speaks of what happened to them.
        Oneself: "oneself",
        /// Words behind which a clause begins that names something.
        Opening: "opening",
        /// The same of who speaks for several.
        Ourselves: "ourselves",
        /// What errors say of themselves.
        Own: "own",
        /// Parts of a log: a wrong one of these is no wrong log.
        PartOfLog: "part_of_log",
        /// Words by which what was well is not, or not all of it.
        Relapse: "relapse",
        /// Words that say that something appeared or happened.
        Report: "report",
        /// Headings of forms in which people report what happened.
        ReportHeading: "report_heading",
        /// Words by which what began then goes on: `since last year`.
        Since: "since",
        /// Labels of solutions in guides.
        Solution: "solution",
        /// Words by which a clause says what is so, and not what somebody did.
        State: "state",
        /// Words by which a sentence supposes something.
        Supposing: "supposing",
        /// Words that speak of what stands before.
        That: "that",
        /// Words that begin what is so today.
        Today: "today",
        /// Words behind which a denial denies nothing that happened: `I don't get why it ...`.
        Undenied: "undenied",
        /// Values behind a label that say no.
        Value: "value",
        /// Words for what ought to be: without it, something failed.
        Wanted: "wanted",
        /// Ends of a line that names who speaks next.
        Wrote: "wrote",
        /// Values behind a label that say no where the label counts something.
        Zero: "zero",
    }
}

impl Cue {
    /// Whether it also counts behind a level or an error's name, where programs advise and people deny.
    pub const fn denies(self) -> bool {
        matches!(self, Self::Denial | Self::Past)
    }

    /// Whether it also holds for the next line, where its own ends with a colon.
    pub const fn announces(self) -> bool {
        matches!(self, Self::Denial | Self::Past | Self::Elsewhere | Self::Condition) || self.announces_from_anywhere()
    }

    /// Whether it does so with other clauses between its words and the colon.
    pub const fn announces_from_anywhere(self) -> bool {
        matches!(self, Self::Advice | Self::Instance | Self::Request)
    }
}

/// Words by what they do to a sentence: `cues` with `of`, `words` and `examples`.
pub fn cues(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<Cue, Vec<String>> {
    read(file, "cues", &["of", "words", "examples"], &[], mistakes, |row| {
        let of = row.text("of")?;
        let Some((_, cue)) = Cue::NAMED.iter().find(|(known, _)| *known == of) else {
            let mut known: Vec<&str> = Cue::NAMED.iter().map(|(known, _)| *known).collect();
            known.sort_unstable();
            return Err(row.wrong("of", &format!("`of` is one of {}", known.join(", "))));
        };
        let words = row.optional_texts("words")?;
        if words.is_empty() || words.iter().any(|words| words.trim() != words || words.to_lowercase() != *words) {
            return Err(row.wrong("words", "`words` are texts in lower case, without blanks around them"));
        }
        Ok((*cue, with_typographic_apostrophes(words)))
    })
}

/// Word processors and phones write `didn’t` for what the file has as `didn't`.
fn with_typographic_apostrophes(mut words: Vec<String>) -> Vec<String> {
    let others: Vec<String> =
        words.iter().filter(|word| word.contains('\'')).map(|word| word.replace('\'', "’")).collect();
    words.extend(others);
    words
}

/// What words around a fact are for, with whether they may have upper case and blanks around them.
const TEXT_WORDS: [(&str, bool); 19] = [
    ("attempt", false),
    ("clause", false),
    ("code_label", false),
    ("event", false),
    ("event_number", false),
    ("event_source", false),
    ("everyday_stop", false),
    ("image", false),
    ("level", false),
    ("library", false),
    ("no_name", false),
    ("no_program", false),
    ("printed_start", true),
    ("program", false),
    ("raising", false),
    ("release", false),
    ("respelled", false),
    ("showing", false),
    ("test_runner", false),
];

/// Words around the facts of texts by what they are for: `words` with `of`, `words` and `examples`.
pub fn text_words(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, Vec<String>> {
    read(file, "words", &["of", "words", "examples"], &[], mistakes, |row| {
        let of = row.text("of")?;
        let Some((_, as_written)) = TEXT_WORDS.iter().find(|(known, _)| *known == of) else {
            let known: Vec<&str> = TEXT_WORDS.iter().map(|(known, _)| *known).collect();
            return Err(row.wrong("of", &format!("`of` is one of {}", known.join(", "))));
        };
        let words = row.optional_texts("words")?;
        let wrong = |words: &String| words.trim() != words || words.to_lowercase() != *words;
        if words.is_empty() || words.iter().any(String::is_empty) || (!as_written && words.iter().any(wrong)) {
            return Err(row.wrong("words", "`words` are texts in lower case, without blanks around them"));
        }
        Ok((of.to_owned(), words))
    })
}
