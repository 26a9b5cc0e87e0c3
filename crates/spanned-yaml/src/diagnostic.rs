//! A mistake in a file, shown in the lines of that file.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as SnippetLevel, Renderer, Snippet};
use diagnostic_codes::{Code, Level};

use super::text::{Span, YamlText};

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
            message: message.into(),
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
        self.help = Some(help.into());
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
        let mut snippet = Snippet::source(&*self.file.text)
            .path(self.file.name.as_str())
            .annotation(AnnotationKind::Primary.span(caret(&self.file, self.span)));
        let mut second = None;
        if let Some(other) = &self.other {
            let mark = AnnotationKind::Context.span(caret(&other.file, other.span)).label(other.label.as_str());
            if Arc::ptr_eq(&other.file, &self.file) {
                snippet = snippet.annotation(mark);
            } else {
                let elsewhere = Snippet::source(&*other.file.text).path(other.file.name.as_str());
                second = Some(elsewhere.annotation(mark));
            }
        }
        let mut group: Group<'_> = level.primary_title(self.message.as_str()).id(self.code.id).element(snippet);
        if let Some(second) = second {
            group = group.element(second);
        }
        if let Some(help) = &self.help {
            group = group.element(SnippetLevel::HELP.message(help.as_str()));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
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
