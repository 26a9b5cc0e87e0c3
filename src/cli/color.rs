//! Colours and width of texts.

use std::io;

use clap::ValueEnum;

/// When texts are coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// The choice for standard output. anstream knows NO_COLOR, CLICOLOR_FORCE and the abilities of the Windows console.
    pub fn choice(self) -> anstream::ColorChoice {
        match self {
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
            Self::Auto => anstream::AutoStream::choice(&io::stdout()),
        }
    }
}
