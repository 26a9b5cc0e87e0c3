//! Windows' binary XML, the content of an event log's records (MS-EVEN6, section 2.2.12).
//!
//! A record is an instance of a template: the template's definition, in the same chunk, has the tokens of the XML, and the
//! instance has the values that are put into it. Some records have their tokens themselves.
//!
//! Only shapes that are known exactly are read. For all others the error is [`Unusual`], and the record is left to the `evtx`
//! crate, which reads more shapes, and damaged records as far as possible.

pub(crate) mod elements;
pub(crate) mod names;
pub(crate) mod raw_fields;
pub(crate) mod system;
pub(crate) mod text;
pub(crate) mod token;
pub(crate) mod value;

#[cfg(test)]
mod tests;

/// Why a record is left to the `evtx` crate: a shape that is not known exactly, or damage. The text is for developers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unusual(pub(crate) &'static str);
