//! A YAML file's text, and places in it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The text of one file, under the name that diagnostics print.
#[derive(PartialEq, Eq)]
pub struct YamlText {
    /// Its name in diagnostics: a path, or `builtin/...` for files inside the program.
    pub name: String,
    /// The text, without byte order mark.
    pub text: Cow<'static, str>,
    /// The encoded tree of a file inside the program, which the build has read.
    pub(super) tree: Option<&'static [u8]>,
}

// By its name: how a file was read makes no difference.
impl fmt::Debug for YamlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("YamlText").field(&self.name).finish()
    }
}

impl YamlText {
    /// A text under a name. A byte order mark is dropped, so that places count from the first visible character.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<Cow<'static, str>>) -> Arc<Self> {
        let text = match text.into() {
            Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix('\u{FEFF}').unwrap_or(text)),
            Cow::Owned(text) => Cow::Owned(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text)),
        };
        Arc::new(Self { name: name.into(), text, tree: None })
    }

    /// A text inside the program, with its tree if the build has encoded one. The text itself is not read, so that it need
    /// not be loaded into memory.
    #[must_use]
    pub fn builtin(name: String, text: &'static str, tree: Option<&'static [u8]>) -> Arc<Self> {
        Arc::new(Self { name, text: Cow::Borrowed(text), tree })
    }

    /// The lines at a place, without the indentation of the first line.
    #[must_use]
    pub fn lines_of(&self, span: Span) -> Vec<String> {
        let indent = (span.column as usize).saturating_sub(1);
        let line = |(number, line): (usize, &str)| {
            let own = line.len().saturating_sub(line.trim_start().len());
            let cut = if number == 0 { 0 } else { indent.min(own) };
            line.get(cut..).unwrap_or(line).trim_end().to_owned()
        };
        self.slice(span).lines().enumerate().map(line).collect()
    }

    /// The text at a place.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The place of a byte range of this text. A range outside of the text gives the place of its end.
    #[must_use]
    pub fn span(&self, range: Range<usize>) -> Span {
        let start = self.floor_char(range.start);
        let end = self.floor_char(range.end).max(start);
        let before = self.text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
        let line = before.bytes().filter(|byte| *byte == b'\n').count().saturating_add(1);
        let column = before.get(line_start..).unwrap_or_default().chars().count().saturating_add(1);
        Span { start, end, line: clamp(line), column: clamp(column) }
    }

    /// Line and column of the first character behind a place; `None` where the place has no characters.
    #[must_use]
    pub fn end_of(&self, span: Span) -> Option<(u32, u32)> {
        let behind = self.span(span.end..span.end);
        (span.end > span.start).then_some((behind.line, behind.column))
    }

    /// The nearest character boundary at or before `offset`.
    fn floor_char(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset = offset.saturating_sub(1);
        }
        offset
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
}

impl Span {
    /// The byte range.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// From the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { end: other.end.max(self.end), ..self }
    }

    /// The very start of a file, for what is wrong with a file as a whole.
    #[must_use]
    pub fn file_start() -> Self {
        Self { start: 0, end: 0, line: 1, column: 1 }
    }
}

/// A count as a place has it. Files are far too small for a larger one.
pub(super) fn clamp(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_not_bytes() {
        let text = YamlText::new("a.yaml", "ä: ü\nß: x\n".to_owned());
        let start = text.text.find('x').expect("an x");
        let span = text.span(start..start + 1);
        assert_eq!((span.line, span.column, text.slice(span)), (2, 4, "x"));
        assert_eq!((text.end_of(span), text.end_of(Span::file_start())), (Some((2, 5)), None));
    }

    #[test]
    fn ranges_outside_of_the_text_are_cut() {
        let text = YamlText::new("a.yaml", "ä".to_owned());
        assert_eq!(text.span(1..90).range(), 0..2);
        assert_eq!(text.span(50..90).range(), 2..2);
    }
}
