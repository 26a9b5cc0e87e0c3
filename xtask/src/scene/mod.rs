//! The building blocks of samples: sets of loaded modules, and processes that crash.

mod images;
mod process;
mod programs;

pub use images::Images;
pub use process::{Fault, STACK_LIMIT, Scene};
pub use programs::{ENVIRONMENT, Windows, python, tensorflow, torch, windows_program};
