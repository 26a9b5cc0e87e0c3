//! Damaged and hostile input: it takes bounded time and memory, hides no other evidence, and never ends a run.

mod damage;
mod dump_mutants;
mod files;
#[cfg(target_os = "linux")]
mod memory;
mod symbols;
#[cfg(unix)]
mod texts;
