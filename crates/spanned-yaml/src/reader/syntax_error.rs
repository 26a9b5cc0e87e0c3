//! Diagnoses text that is not YAML: the place of the mistake, and what its author most probably meant.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::text::{Span, YamlText};
use diagnostic_codes::Code;

/// How many lines before the line where the parser stopped can have the mistake: the parser takes lines behind a value as
/// more of that value.
const LINES_BEFORE: usize = 10;

/// A line of a file, without its end.
#[derive(Clone, Copy)]
struct Line<'t> {
    start: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    /// The number of spaces at its beginning.
    fn indentation(self) -> usize {
        self.text.len().saturating_sub(self.text.trim_start_matches(' ').len())
    }

    /// The line without its indentation.
    fn content(self) -> &'t str {
        self.text.trim_start_matches(' ')
    }

    /// Whether the line is blank or a comment.
    fn is_empty(self) -> bool {
        self.content().trim().is_empty() || self.content().starts_with('#')
    }

    /// The place in the file of a part of the line.
    fn place(self, part: Range<usize>) -> Range<usize> {
        self.start.saturating_add(part.start)..self.start.saturating_add(part.end)
    }
}

/// The lines around the place where the parser stopped.
struct Around<'t> {
    /// Those before, the nearest first.
    before: Vec<Line<'t>>,
    here: Line<'t>,
    /// The line after it.
    next: Option<Line<'t>>,
}

impl<'t> Around<'t> {
    fn new(text: &'t str, at: usize) -> Option<Self> {
        let here_starts = text.get(..at)?.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
        let line = |start: usize| {
            let rest = text.get(start..)?;
            Some(Line { start, text: rest.lines().next().unwrap_or_default() })
        };
        let mut before = Vec::new();
        let mut start = here_starts;
        while let (true, Some(end)) = (before.len() < LINES_BEFORE, start.checked_sub(1)) {
            start = text.get(..end)?.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
            before.extend(line(start));
        }
        let here = line(here_starts)?;
        let next =
            text.get(here_starts..)?.find('\n').and_then(|end| line(here_starts.saturating_add(end).saturating_add(1)));
        Some(Self { before, here, next })
    }

    /// The nearest line above that is neither blank nor a comment.
    fn above(&self) -> Option<Line<'t>> {
        self.before.iter().copied().find(|line| !line.is_empty())
    }
}

/// The mistake where the parser stopped with this message.
pub(super) fn diagnose(file: &Arc<YamlText>, info: &str, at: Span) -> Diagnostic {
    let error = |span: Span, message: &str| Diagnostic::error(Code::R002, file, span, format!("not YAML: {message}"));
    if let Some(around) = Around::new(&file.text, at.start) {
        if let Some(tab) = tab(&around) {
            return error(file.span(tab), "a tab in the indentation").with_help("indent with spaces");
        }
        if let Some(space) = non_ascii_space(&around) {
            let help = "it looks like a space and is none, as in texts from web pages; write spaces in its place";
            return error(file.span(space), "a no-break space in the indentation").with_help(help);
        }
        if let Some((colon, meant)) = colon_without_space(info, &around) {
            return error(file.span(colon), "no space after this `:`").with_help(format!("write `{meant}`"));
        }
        if info.contains("trailing content") {
            let before = file.text.get(..at.start).unwrap_or_default().trim_end();
            let help = if before.ends_with('\'') {
                "an apostrophe inside single quotes is written twice: `'Don''t'`; or put the text into double quotes"
            } else {
                "use single quotes around a text with `\"` in it, or write `\\\"`"
            };
            return error(at, "a quote ends the text before this").with_help(help);
        }
        if info.contains("mapping values") && is_item_below_a_value(&around) {
            let help = "a list stands below a key of its own; is a line such as `rules:` missing above it?";
            return error(at, "a list begins here, and no key above has it").with_help(help);
        }
        if info.contains("'-' indicator") || info.contains("expected key") || info == "invalid indentation" {
            let above = around.above().map_or(String::new(), |above| {
                let column = |line: Line<'_>| line.indentation().saturating_add(1);
                format!("this line begins in column {}, the one above in {}; ", column(around.here), column(above))
            });
            let help = format!(
                "{above}lines that belong together begin in one column, and each item of a list with `- `; is the \
                 indentation right?"
            );
            return error(at, info).with_help(help);
        }
    }
    let diagnostic = error(at, info);
    match help_for(info) {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// Help for an alias: what to write instead.
pub(super) fn instead_of_alias(file: &YamlText, at: Span) -> &'static str {
    let before = file.text.get(..at.start).unwrap_or_default();
    if before.lines().last().is_some_and(|line| line.trim_start().trim_start_matches("- ").starts_with("<<")) {
        "nothing is merged into a mapping (`<<`): write all of its keys"
    } else {
        "a text that begins with `*` needs quotes: '*.dll'; what stands elsewhere is written out again"
    }
}

/// The place of a tab in the indentation of the line where the parser stopped, or of the next line.
fn tab(around: &Around<'_>) -> Option<Range<usize>> {
    [Some(around.here), around.next].into_iter().flatten().find_map(|line| {
        let indentation = line.text.len().saturating_sub(line.text.trim_start_matches([' ', '\t']).len());
        let tab = line.text.get(..indentation)?.find('\t')?;
        Some(line.place(tab..tab.saturating_add(1)))
    })
}

/// The place of a space that is not ASCII in the indentation of a line.
fn non_ascii_space(around: &Around<'_>) -> Option<Range<usize>> {
    let is_non_ascii =
        |c: char| (c.is_whitespace() && !c.is_ascii()) || matches!(c, '\u{200B}' | '\u{2060}' | '\u{FEFF}');
    let lines = [Some(around.here), around.next].into_iter().flatten().chain(around.before.iter().copied());
    lines.into_iter().find_map(|line| {
        let (at, space) = line.text.char_indices().find(|(_, c)| *c != ' ')?;
        // The mark of UTF-8 at the start of a file is none.
        let is_mark = line.start == 0 && at == 0 && space == '\u{FEFF}';
        (is_non_ascii(space) && !is_mark).then(|| line.place(at..at.saturating_add(space.len_utf8())))
    })
}

/// The place of the colon of a key without a space behind it, and the corrected line.
fn colon_without_space(info: &str, around: &Around<'_>) -> Option<(Range<usize>, String)> {
    if !info.contains("simple key expect") {
        return None;
    }
    let lines = around.above().into_iter().chain([around.here]);
    lines.into_iter().find_map(|line| {
        let content = line.content();
        let (key, value) = content.split_once(':')?;
        let name = key.strip_prefix("- ").unwrap_or(key);
        let is_key =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '|' | '-'));
        let lacks = is_key && !value.is_empty() && !value.starts_with(char::is_whitespace);
        lacks.then(|| {
            let colon = line.indentation().saturating_add(key.len());
            (line.place(colon..colon.saturating_add(1)), format!("{key}: {}", value.trim_end()))
        })
    })
}

/// Whether an item of a list begins on the line, indented deeper than a key with a value above it.
fn is_item_below_a_value(around: &Around<'_>) -> bool {
    let is_value = |line: Line<'_>| {
        let value = line.content().split_once(": ").map(|(_, value)| value.trim());
        line.indentation() < around.here.indentation() && value.is_some_and(|value| !value.is_empty())
    };
    around.here.content().starts_with("- ") && around.above().is_some_and(is_value)
}

/// Help for a message of the YAML parser: its most frequent cause.
fn help_for(info: &str) -> Option<&'static str> {
    Some(match info {
        _ if info.contains("mapping values") => "a text with `: ` in it needs quotes",
        _ if info.contains("indentation in quoted") || info.contains("end of stream") => "is the quote closed?",
        _ if info.contains("quote") || info.contains("escape") => {
            "use single quotes for paths and patterns: no character but ' means anything special in them"
        }
        _ if info.contains("any token") || info.contains("can't start") => {
            "a text that begins with one of % @ ` needs quotes"
        }
        _ if info.contains("flow mapping") => {
            "between `{` and `}`, a text with `: `, `, ` or a bracket in it needs quotes; is the `}` there?"
        }
        _ if info.contains("flow sequence") || info.contains("flow construct") => {
            "between `[` and `]`, a text with `, ` or a bracket in it needs quotes; is the `]` there?"
        }
        _ if info.contains("simple key") => "a line here is `key: value`, with a space after the `:`",
        _ if info.contains("indent") => "lines that belong together begin in one column; is the indentation right?",
        _ if info.contains("not allowed in this context") => {
            "is the indentation right, and a key above without a value?"
        }
        _ if info.contains("document start") || info.contains("document-start") => {
            "is a line above without its `:`, or one begun farther to the left than the first?"
        }
        _ if info.contains("block scalar") => "the text below `|` and `>-` is indented by spaces, all of it",
        _ => return None,
    })
}
