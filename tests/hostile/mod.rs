//! Damaged and hostile input: it costs no more than itself, hides nothing else, and never ends a run.

mod damage;
mod dump_mutants;
mod files;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod texts;
