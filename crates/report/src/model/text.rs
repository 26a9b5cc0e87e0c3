//! Texts of a document: borrowed from the report that is written, or owned by a document that was read.

use std::borrow::Cow;
use std::fmt::Display;

/// A text of a report that is written, or of one that was read.
pub type Text<'a> = Cow<'a, str>;

/// A value as it displays itself.
pub fn shown(value: impl Display) -> Text<'static> {
    Cow::Owned(value.to_string())
}
