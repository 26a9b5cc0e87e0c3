//! The bounded runner: a process for each target, which tries mutants of the target's inputs for so many seconds or
//! executions.
//!
//! Mutants depend on the seed and on the inputs alone. An input whose outcome has a new [`Shape`](crate::Shape) is kept and
//! mutated later, too. A finding is
//!
//! - a panic, in the reader or in the target's own checks,
//! - an execution that takes longer than `limits::most_time` for the input's length,
//! - more than `limits::MOST_MEMORY` of memory beyond what the target needs for its seeds,
//! - an abort, or an execution without end.
//!
//! Its input goes into the folder of findings with the message and the command that repeats it.

mod finding;
mod limits;
mod supervisor;
mod tally;
mod worker;

use std::path::PathBuf;
use std::time::Duration;

pub use finding::{Finding, Findings};
pub use supervisor::supervise;
pub use tally::Tally;
pub use worker::{repeat, work};

/// What a run of a target does.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long mutants are tried.
    pub time: Duration,
    /// How many executions are enough.
    pub executions: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The folder with a folder of inputs for each target; kept inputs are written there.
    pub corpus: Option<PathBuf>,
    /// The folder of findings.
    pub findings: PathBuf,
}
