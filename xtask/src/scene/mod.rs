//! What samples are put together from: sets of loaded modules, and processes that crash.

mod images;
mod process;
mod programs;

pub use images::Images;
pub use process::{Fault, Scene};
pub use programs::{Windows, python, tensorflow, torch, windows_program};
