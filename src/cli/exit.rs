//! Exit codes, the same for every format.

use std::process::ExitCode;

/// How a run ended. 130 and 143 are the shell's words for an interrupted program and not ours to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It ran, whatever it found.
    Success,
    /// `--fail-on` was met; `rules test`: a test failed.
    FailOn,
    /// Usage, configuration or rule error; nothing was analyzed.
    Usage,
    /// `--strict`, and some artifact could not be read whole.
    Strict,
    /// Nothing that can be analyzed was found; `why`, `rules diff`: no incident.
    Nothing,
    /// A defect of the program.
    Internal,
}

impl Exit {
    /// The number that the system is given.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::FailOn => 1,
            Self::Usage => 2,
            Self::Strict => 3,
            Self::Nothing => 4,
            Self::Internal => 5,
        }
    }
}

impl Exit {
    const ALL: [Self; 6] = [Self::Success, Self::FailOn, Self::Usage, Self::Strict, Self::Nothing, Self::Internal];

    /// The end that has this number.
    #[must_use]
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|exit| exit.code() == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
