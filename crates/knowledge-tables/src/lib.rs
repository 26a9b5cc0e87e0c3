//! The tables below `rules/data` that the program has inside it: what each file holds, and what is wrong with it.
//!
//! A table is read from YAML once, by the build script of the crate that looks things up in it: [`Embedding`] encodes what
//! a reader of this crate gives, and [`embedded!`] declares the static that is decoded when it is first asked for. So a row
//! has one type for both, over the text that it holds: `String` where it is read from YAML, `&'static str` in the program,
//! where texts stay where they are in the encoded bytes. `crashsift rules check` runs the same readers over a rule set that
//! somebody works on.

pub mod codes;
pub mod compatibility;
pub mod cues;
mod embedded;
mod embedding;
pub mod events;
pub mod facts;
pub mod leads;
pub mod measured;
pub mod patterns;
pub mod private;
pub mod stops;
pub mod table;

pub use embedded::{Sorted, decoded};
pub use embedding::Embedding;
