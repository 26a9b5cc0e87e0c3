//! How dumps are read.

use evidence::Names;

use crate::minidump::Symbols;

/// How dumps are read.
#[derive(Debug, Clone, Copy)]
pub struct Options<'c> {
    /// Shares equal names between the dumps of a run.
    pub names: &'c Names,
    /// Whether stacks are walked.
    pub walk_stacks: bool,
    /// Symbols and images from outside of the dumps, if there are any.
    pub symbols: Option<&'c Symbols>,
}
