//! Exit codes, the same for every format.

/// How a run ended; the number is the exit code. The shell uses 130 and 143 for interrupted programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::FromRepr)]
#[repr(u8)]
pub enum Exit {
    /// The run finished, with or without incidents.
    Success = 0,
    /// A condition of `--fail-on` was met; `rules test`: a test failed; `verify`: a claim was not found.
    FailOn = 1,
    /// A mistake in the command line or in rules; nothing was analyzed. Or the result can't be written (a full disk).
    Usage = 2,
    /// `--strict`, and an artifact could not be read whole.
    Strict = 3,
    /// There was nothing to analyze; `why`, `rules diff`: no incident.
    Nothing = 4,
    /// A defect of the program.
    Internal = 5,
}

impl Exit {
    /// Whether a run that was carried out and wrote its result ends so.
    pub fn is_of_run(self) -> bool {
        matches!(self, Self::Success | Self::FailOn | Self::Strict | Self::Nothing)
    }
}
