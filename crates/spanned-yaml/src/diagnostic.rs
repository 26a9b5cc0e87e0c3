//! A mistake in a file, shown in the lines of that file.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as SnippetLevel, Origin, Renderer, Snippet};
use diagnostic_codes::{Code, Level};

use super::text::{Span, YamlText};

/// The longest message and the longest help, bytes: both quote what is in the file, which may be megabytes.
const LONGEST: usize = 2_000;

/// The longest lines of a file that are shown with a mistake in them, bytes; of longer ones only the place is.
const LONGEST_LINES: usize = 4_000;

/// One mistake: its place, a message, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of mistake it is.
    pub code: Code,
    /// How bad it is.
    pub level: Level,
    /// The file it is in.
    pub file: Arc<YamlText>,
    /// The place in that file.
    pub span: Span,
    /// The mistake, in one sentence without full stop.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    /// Another place that belongs to it, such as the first of two equal keys.
    pub other: Option<Box<OtherPlace>>,
}

/// A second place that a mistake is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherPlace {
    /// The file it is in.
    pub file: Arc<YamlText>,
    /// The place in that file.
    pub span: Span,
    /// A label for the place.
    pub label: String,
}

impl Diagnostic {
    /// An error.
    #[must_use]
    pub fn error(code: Code, file: &Arc<YamlText>, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            level: Level::Error,
            file: Arc::clone(file),
            span,
            message: shortened(message.into()),
            help: None,
            other: None,
        }
    }

    /// A warning.
    #[must_use]
    pub fn warning(code: Code, file: &Arc<YamlText>, span: Span, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::error(code, file, span, message) }
    }

    /// Adds a sentence about what would be right.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(shortened(help.into()));
        self
    }

    /// Adds another place that belongs to it.
    #[must_use]
    pub fn with_other(mut self, file: &Arc<YamlText>, span: Span, label: impl Into<String>) -> Self {
        self.other = Some(Box::new(OtherPlace { file: Arc::clone(file), span, label: label.into() }));
        self
    }

    /// Whether it keeps the file from being used.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.level == Level::Error
    }

    /// The mistake in the file's own lines, with a caret under it. No line break at the end.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let level = match self.level {
            Level::Error => SnippetLevel::ERROR,
            Level::Warning => SnippetLevel::WARNING,
        };
        let primary = Mark { file: &self.file, span: self.span, kind: AnnotationKind::Primary, label: None };
        let second = self.other.as_ref().map(|other| Mark {
            file: &other.file,
            span: other.span,
            kind: AnnotationKind::Context,
            label: Some(&other.label),
        });
        let group = Group::with_title(level.primary_title(self.message.as_str()).id(self.code.id));
        let is_same = second.as_ref().is_some_and(|second| Arc::ptr_eq(second.file, primary.file));
        let mut group = match second {
            Some(second) if is_same => show(group, &[primary, second]),
            Some(second) => show(show(group, &[primary]), &[second]),
            None => show(group, &[primary]),
        };
        if let Some(help) = &self.help {
            group = group.element(SnippetLevel::HELP.message(help.as_str()));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// A place of a file that is shown.
struct Mark<'d> {
    file: &'d Arc<YamlText>,
    span: Span,
    kind: AnnotationKind,
    label: Option<&'d str>,
}

/// Adds places of one file to what is shown: with the lines around them, or, where these are too long, as line and column.
fn show<'d>(group: Group<'d>, marks: &[Mark<'d>]) -> Group<'d> {
    let Some(first) = marks.iter().min_by_key(|mark| mark.span.start) else { return group };
    let (file, name) = (first.file, first.file.name.as_str());
    let carets: Vec<std::ops::Range<usize>> = marks.iter().map(|mark| caret(file, mark.span)).collect();
    let from = carets.iter().map(|caret| caret.start).min().unwrap_or_default();
    let to = carets.iter().map(|caret| caret.end).max().unwrap_or_default();
    let before = file.text.get(..from).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |line_end| line_end.saturating_add(1));
    let behind = file.text.get(to..).unwrap_or_default();
    let end = behind.find('\n').map_or(file.text.len(), |line_end| to.saturating_add(line_end).saturating_add(1));
    let lines = file.text.get(start..end).unwrap_or_default();
    if lines.split('\n').any(|line| line.len() > LONGEST_LINES) {
        return marks.iter().fold(group, |group, mark| {
            let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
            group.element(Origin::path(name).line(number(mark.span.line)).char_column(number(mark.span.column)))
        });
    }
    let first_line = usize::try_from(first.span.line).unwrap_or(usize::MAX);
    let annotations = marks.iter().zip(carets).map(|(mark, caret)| {
        let within = caret.start.saturating_sub(start)..caret.end.saturating_sub(start);
        mark.kind.span(within).label(mark.label)
    });
    group.element(Snippet::source(lines).line_start(first_line).path(name).annotations(annotations))
}

/// A text cut to [`LONGEST`].
fn shortened(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// The part of a place that carets mark: only its first line, and at least one character where there is one.
fn caret(file: &YamlText, span: Span) -> std::ops::Range<usize> {
    let line = file.text.get(span.range()).unwrap_or_default().lines().next().unwrap_or_default().trim_end();
    let end = span.start.saturating_add(line.len());
    if end > span.start {
        return span.start..end;
    }
    let next = file.text.get(span.start..).and_then(|rest| rest.chars().next());
    let next = next.filter(|next| !matches!(next, '\r' | '\n')).map_or(0, char::len_utf8);
    span.start..span.start.saturating_add(next)
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: error[R000]: message`, for editors and scripts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = self.level.word();
        let (file, line, column) = (&self.file.name, self.span.line, self.span.column);
        write!(f, "{file}:{line}:{column}: {level}[{}]: {}", self.code, self.message)
    }
}

/// Sorts mistakes by file and place, so that equal files give equal lists.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| {
        let key = |d: &Diagnostic| (d.span.start, d.code, d.level);
        a.file.name.cmp(&b.file.name).then_with(|| key(a).cmp(&key(b))).then_with(|| a.message.cmp(&b.message))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_shown_in_the_users_file() {
        let file = YamlText::new("my.yaml", "a: 1\nb: wrong\n".to_owned());
        let mistake =
            Diagnostic::error(Code::R012, &file, file.span(8..13), "this is wrong").with_help("write `right`");
        assert_eq!(mistake.to_string(), "my.yaml:2:4: error[R012]: this is wrong");
        let shown = mistake.render(false);
        let expected = "\
error[R012]: this is wrong
 --> my.yaml:2:4
  |
2 | b: wrong
  |    ^^^^^
  |
  = help: write `right`";
        assert_eq!(shown, expected);
    }

    #[test]
    fn places_at_the_very_end_can_be_shown() {
        for text in ["", "a", "a\n", "\n"] {
            let file = YamlText::new("end.yaml", text.to_owned());
            let span = file.span(text.len()..text.len());
            assert!(Diagnostic::error(Code::R012, &file, span, "ends too early").render(false).contains("end.yaml"));
        }
    }
}
