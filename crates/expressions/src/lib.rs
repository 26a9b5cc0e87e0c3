//! Regular expressions by the hundred, asked about texts that hardly any of them fits.
//!
//! Rules and patterns of tickets have thousands of expressions, and one text is asked nearly all of them. Compiling one takes
//! longer than asking it a thousand times, so what an expression needs is read from its letters first ([`needed`]): only
//! where the text has them is it compiled ([`Pattern`]). Of many lines, those with the letters are found all together
//! ([`Lines`]), and in one line all letters that are looked for ([`Literals`]).

mod lines;
mod literals;
mod needed;
mod pattern;

pub use lines::Lines;
pub use literals::{FoundLiteral, Literals};
pub use needed::{has_second_forms, needed};
pub use pattern::{Pattern, check, is_too_long};
