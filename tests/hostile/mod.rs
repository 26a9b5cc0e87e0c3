//! Damaged and hostile input: it takes bounded time and memory, hides no other evidence, and never ends a run.

mod damage;
mod dump_mutants;
mod files;
#[cfg(target_os = "linux")]
mod interference;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod rule_sets;
mod symbols;
#[cfg(unix)]
mod texts;
#[cfg(unix)]
mod writing;
