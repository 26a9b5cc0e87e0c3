//! What symbols show of a place in the code.

/// The function at a place, its source line, and what was inlined into it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSource {
    pub function: String,
    /// The line of the function itself: where code was inlined, the line that calls it.
    pub source: Option<SourceLine>,
    /// Functions that the compiler put into it at this place, innermost first.
    pub inlined: Vec<Inlined>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// A function that was put into another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inlined {
    pub function: String,
    pub source: Option<SourceLine>,
}
