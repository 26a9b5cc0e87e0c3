//! Exit codes, the same for every format.

/// How a run ended; the number is the exit code. The shell uses 130 and 143 for interrupted programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::FromRepr)]
#[repr(u8)]
pub enum Exit {
    /// The run finished, with or without incidents.
    Success = 0,
    /// A condition of `--fail-on` was met; `rules test`: a test failed.
    FailOn = 1,
    /// A mistake in the command line or in rules; nothing was analyzed.
    Usage = 2,
    /// `--strict`, and an artifact could not be read whole.
    Strict = 3,
    /// There was nothing to analyze; `why`, `rules diff`: no incident.
    Nothing = 4,
    /// A defect of the program.
    Internal = 5,
}
