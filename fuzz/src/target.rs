//! A fuzz target.

use crate::Shape;

/// What targets of one group have in common: the crate that reads their inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Event logs.
    EventLogs,
    /// Minidumps and kernel dumps.
    Dumps,
    /// Symbols and images beside dumps.
    Symbols,
    /// Archives.
    Archives,
    /// `Report.wer` and pasted text.
    Texts,
    /// Rules and what is in them.
    Rules,
    /// Reports and what is kept between runs.
    Reports,
    /// The whole program.
    Program,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 8] = [
        Self::EventLogs,
        Self::Dumps,
        Self::Symbols,
        Self::Archives,
        Self::Texts,
        Self::Rules,
        Self::Reports,
        Self::Program,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EventLogs => "event-logs",
            Self::Dumps => "dumps",
            Self::Symbols => "symbols",
            Self::Archives => "archives",
            Self::Texts => "texts",
            Self::Rules => "rules",
            Self::Reports => "reports",
            Self::Program => "program",
        }
    }
}

/// A function that reads foreign bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, lower case with `-`.
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// What its bytes are and what must hold, in a sentence.
    pub about: &'static str,
    /// Reads an input. Panics when a promise is broken.
    pub run: fn(&[u8]) -> Shape,
    /// The inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Makes checksums right after damage, for formats that have them. The runner does so to a half of its mutants.
    pub repair: Option<fn(&mut [u8])>,
    /// Words of the format, which mutation inserts.
    pub words: &'static [&'static str],
    /// The longest input, bytes.
    pub longest: usize,
}

impl Target {
    /// A target whose inputs have no checksums and no words.
    #[must_use]
    pub(crate) const fn new(
        name: &'static str,
        group: Group,
        about: &'static str,
        run: fn(&[u8]) -> Shape,
        seeds: fn() -> Vec<Vec<u8>>,
    ) -> Self {
        Self { name, group, about, run, seeds, repair: None, words: &[], longest: 256 << 10 }
    }

    pub(crate) const fn repaired(mut self, repair: fn(&mut [u8])) -> Self {
        self.repair = Some(repair);
        self
    }

    pub(crate) const fn with_words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    pub(crate) const fn at_most(mut self, longest: usize) -> Self {
        self.longest = longest;
        self
    }
}
