//! Checking rule sets: lints, the tests of rules, mutants of rules, and expectations of folders of artifacts.

mod command_line;
mod expected;
mod lint;
mod mutants;
mod run_tests;

pub use expected::{ExpectedFolder, ExpectedIncident};
pub use mutants::{LeftOut, Mutant, Mutants};
