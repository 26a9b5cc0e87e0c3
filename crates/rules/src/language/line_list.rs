//! Lists of expressions for lines of texts that rules refer to by name (`line|listed`): messages that programs print, and
//! phrases that people use. A line of a list can name other lists: `{crashes}` stands for any line of the list `crashes`.

use std::sync::Arc;

use strum::{EnumString, VariantNames};

use crate::language::value::fold;
use expressions::Pattern;
use facts::FactType;
use spanned_yaml::{Node, Span, YamlText};

/// Who wrote the lines that a list describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Author {
    /// A program printed them: a line proves what it states.
    Program,
    /// A person described what happened.
    Person,
}

/// A list of regular expressions for texts.
#[derive(Debug)]
pub(crate) struct LineList {
    pub(crate) name: String,
    pub(crate) author: Option<Author>,
    pub(crate) lines: Vec<Line>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) examples: Vec<LineExample>,
    pub(crate) file: Arc<YamlText>,
}

/// A line of a list as it is written, and the value that holds it.
#[derive(Debug)]
pub(crate) struct Line {
    pub text: String,
    pub node: Node,
    /// The reason for it, if the list gives one.
    pub why: Option<String>,
}

/// A text that a list is meant to be found in, or not.
#[derive(Debug, Clone)]
pub(crate) struct LineExample {
    pub(crate) text: String,
    pub(crate) found: bool,
    pub(crate) span: Span,
}

/// The results of the examples in lists of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExampleOutcome {
    /// Lists with examples.
    pub lists: usize,
    /// Examples that matched or did not match as expected.
    pub passed: usize,
    /// Examples with another result than expected, in the order of lists and examples.
    pub failed: Vec<ExampleFailure>,
}

/// An example of a list of lines with another result than expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFailure {
    /// The list's name.
    pub list: String,
    /// Its file.
    pub file: String,
    /// The line of the example.
    pub line: u32,
    /// The example.
    pub text: String,
    /// Whether an expression of the list should match it.
    pub expected: bool,
}

impl LineList {
    /// Whether the list declares that a program writes its lines (`written_by: program`).
    pub(crate) fn is_printed(&self) -> bool {
        self.author == Some(Author::Program)
    }

    /// Whether one of its expressions is found in a folded text.
    pub(crate) fn fits(&self, folded: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(folded))
    }

    /// The reason that the first of its lines which is found in a text gives.
    pub(crate) fn reason(&self, text: &str) -> Option<&str> {
        let folded = fold(FactType::Text, text);
        let mut lines = self.lines.iter().zip(&self.patterns);
        let (line, _) = lines.find(|(_, pattern)| pattern.is_match(&folded))?;
        line.why.as_deref()
    }

    /// Whether one of its expressions is found in a text.
    pub(crate) fn fits_text(&self, text: &str) -> bool {
        self.fits(&fold(FactType::Text, text))
    }

    /// Whether it has an example in which it is found, and one in which it is not.
    pub(crate) fn has_examples(&self) -> bool {
        [true, false].iter().all(|found| self.examples.iter().any(|example| example.found == *found))
    }

    /// Adds what its examples give.
    pub(crate) fn run_examples(&self, outcome: &mut ExampleOutcome) {
        outcome.lists = outcome.lists.saturating_add(usize::from(!self.examples.is_empty()));
        for LineExample { text, found, span } in &self.examples {
            if self.fits(&fold(FactType::Text, text)) == *found {
                outcome.passed = outcome.passed.saturating_add(1);
            } else {
                outcome.failed.push(ExampleFailure {
                    list: self.name.clone(),
                    file: self.file.name.clone(),
                    line: span.line,
                    text: text.clone(),
                    expected: *found,
                });
            }
        }
    }
}
