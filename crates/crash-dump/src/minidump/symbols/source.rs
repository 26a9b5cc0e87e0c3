//! What symbols show of a place in the code.

use evidence::{InlinedFunction, SourceLine};

/// The function at a place, its source line, and what was inlined into it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSource {
    pub function: String,
    /// The line of the function itself: where code was inlined, the line that calls it.
    pub source: Option<SourceLine>,
    /// Functions that the compiler put into it at this place, innermost first.
    pub inlined: Vec<InlinedFunction>,
}

/// How deep inlined functions are followed; what is further in is left out.
pub const DEEPEST: usize = 256;
