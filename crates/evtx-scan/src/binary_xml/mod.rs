//! Windows' binary XML, in which an event log holds its records (MS-EVEN6, section 2.2.12).
//!
//! A record is an instance of a template: the template's definition lies in the same chunk and holds the tokens of the
//! XML, the instance holds the values that are put into it. Some records hold their tokens themselves.
//!
//! Only shapes that are known exactly are read. For all others the answer is [`Unusual`], and the record is left to
//! the `evtx` crate, which knows more of them and reads damaged records as far as possible.

pub(crate) mod elements;
pub(crate) mod raw_fields;
pub(crate) mod system;
pub(crate) mod text;
pub(crate) mod token;
pub(crate) mod value;

#[cfg(test)]
mod tests;

use std::fmt;

/// A shape that this decoder does not know exactly, damage included; which one, for those who look for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unusual(pub(crate) &'static str);

impl fmt::Display for Unusual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
