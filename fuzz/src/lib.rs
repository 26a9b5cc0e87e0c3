//! Fuzz targets of everything in crashsift that reads foreign bytes, and a bounded runner for them.
//!
//! A [`Target`] is a function over bytes with the seeds that belong to it. The function panics where a promise is broken;
//! what it returns is the [`Shape`] of the outcome, by which the runner keeps inputs that lead to something new. The same list
//! serves three users:
//!
//! - `cargo run -p fuzz -- TARGET` on a stable toolchain: the runner of [`run`], equal for equal seeds;
//! - `cargo fuzz run TARGET` on a nightly toolchain: libFuzzer, by the programs of `fuzz_targets`;
//! - the tests in `tests/hostile` of the workspace, which damage files with [`mutate`] and judge what is read with
//!   [`damaged_samples`].

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "this crate damages bytes that it made or chose itself; what reads them is in other crates"
)]

pub mod damaged_samples;
pub mod mutate;
pub mod packed;
#[cfg(unix)]
pub mod run;
mod scratch;
mod seeds;
mod shape;
pub mod shop;
mod target;
mod targets;

pub use shape::Shape;
pub use target::{Group, Target};
pub use targets::{all, find, try_input};
