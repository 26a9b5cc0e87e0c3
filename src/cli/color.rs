//! Colours and width of texts.

use std::io::{self, IsTerminal};

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

/// The width of a text: that of the terminal, or a fixed one in files.
pub fn width(terminal: bool) -> usize {
    const FILE_WIDTH: usize = 100;
    if terminal { textwrap::termwidth() } else { FILE_WIDTH }
}

/// Whether standard output is a terminal.
pub fn on_terminal() -> bool {
    io::stdout().is_terminal()
}
