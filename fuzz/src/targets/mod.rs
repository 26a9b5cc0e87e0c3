//! The list of targets.

mod answer;
mod archives;
mod dumps;
mod event_logs;
mod program;
mod reports;
mod rules;
mod symbols;
mod texts;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Target;

/// All targets, by group.
#[must_use]
pub fn all() -> Vec<Target> {
    let groups: [&[Target]; 8] = [
        event_logs::TARGETS,
        dumps::TARGETS,
        symbols::TARGETS,
        archives::TARGETS,
        texts::TARGETS,
        rules::TARGETS,
        reports::TARGETS,
        program::TARGETS,
    ];
    groups.concat()
}

/// The target with this name.
#[must_use]
pub fn find(name: &str) -> Option<Target> {
    all().into_iter().find(|target| target.name == name)
}

/// Runs the target with this name on an input, for the programs of `fuzz_targets`.
///
/// # Panics
/// When there is no such target, or the input breaks a promise.
pub fn try_input(name: &str, input: &[u8]) {
    static TARGETS: LazyLock<HashMap<&str, Target>> =
        LazyLock::new(|| all().into_iter().map(|target| (target.name, target)).collect());
    (TARGETS.get(name).expect("a target").run)(input);
}
