//! The behaviour of crashsift, from reading files to printing reports. The library is called as other programs call it,
//! the program is run as users run it.
//!
//! All tests are one program, so that the library is linked once. They run in threads of one process: a test must not
//! change the process's state (its environment, its folder, its limits), and tests that measure the process use
//! [`own_process`].

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that can't go on fails, and its inputs are known"
)]

mod own_process;
mod program;

mod reading;

mod joining;

mod rules;

mod reports;

mod commands;

mod privacy;

mod hostile;

mod known_answers;
mod readme;
