//! Reads YAML text into a tree of nodes, with all mistakes that do not end the reading.

mod syntax_error;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use diagnostic_codes::Code;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

use super::diagnostic::Diagnostic;
use super::node::{Entry, Kind, Node, Style};
use super::text::{Span, YamlText, clamp};

/// The largest file that is read.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most nodes that a file may have.
pub const MAX_NODES: usize = 200_000;
/// The deepest nesting of mappings and sequences.
pub const MAX_DEPTH: usize = 32;

/// The most mistakes that do not end the reading of a file.
const MAX_MISTAKES: usize = 100;

/// Reads a file from disk. `name` is its name in diagnostics.
///
/// # Errors
/// One diagnostic when the file can't be read, is too large or is not UTF-8.
pub fn read_file(path: &Path, name: &str) -> Result<Arc<YamlText>, Diagnostic> {
    let fail = |message: String| {
        Diagnostic::error(Code::R001, &YamlText::new(name, String::new()), Span::file_start(), message)
    };
    let bytes = opener::read(path, MAX_BYTES as u64).map_err(|error| fail(format!("cannot be read: {error}")))?;
    if is_utf16(&bytes) {
        return Err(fail("the file is UTF-16, and not UTF-8".to_owned()).with_help("save it as UTF-8"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        fail(format!("the file is not UTF-8 (byte {at})")).with_help("save it as UTF-8")
    })?;
    Ok(YamlText::new(name, text))
}

/// Whether a text is in UTF-16: by its byte order mark, or because one of its first two bytes is zero, which YAML forbids.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        [first, second, ..] => (*first == 0) != (*second == 0),
        _ => false,
    }
}

/// Reads a text into its tree.
///
/// # Errors
/// All duplicate keys, anchors and tags, or the one place from which on the text is not YAML.
pub fn parse(file: &Arc<YamlText>) -> Result<Node, Vec<Diagnostic>> {
    if let Some(root) = file.tree.and_then(Node::decode) {
        return Ok(root);
    }
    let mut roots = read(file, 1)?;
    // There is one: a file without content is a mistake.
    roots.pop().ok_or_else(Vec::new)
}

/// Reads a text in spite of mistakes, for callers that report every mistake of a file: of a key that is there twice the
/// first counts, and anchors and tags are ignored. Gives the tree, and the mistakes; no tree where the text is not YAML.
pub fn parse_leniently(file: &Arc<YamlText>) -> (Option<Node>, Vec<Diagnostic>) {
    if let Some(root) = file.tree.and_then(Node::decode) {
        return (Some(root), Vec::new());
    }
    match build(file, 1) {
        Ok(mut builder) => (builder.roots.pop(), builder.mistakes),
        Err(mistakes) => (None, mistakes),
    }
}

/// Reads a text that may hold several documents, each behind a line `---`.
///
/// # Errors
/// All duplicate keys, anchors and tags, or the one place from which on the text is not YAML.
pub fn parse_documents(file: &Arc<YamlText>) -> Result<Vec<Node>, Vec<Diagnostic>> {
    read(file, usize::MAX)
}

/// Reads a text with at most so many documents.
fn read(file: &Arc<YamlText>, most_documents: usize) -> Result<Vec<Node>, Vec<Diagnostic>> {
    let builder = build(file, most_documents)?;
    if builder.mistakes.is_empty() { Ok(builder.roots) } else { Err(builder.mistakes) }
}

/// Reads a text into a builder with its trees and the mistakes that did not end the reading.
fn build(file: &Arc<YamlText>, most_documents: usize) -> Result<Builder<'_>, Vec<Diagnostic>> {
    if file.text.len() > MAX_BYTES {
        let message = format!("the file has {} bytes, more than the {MAX_BYTES} that are read", file.text.len());
        return Err(vec![Diagnostic::error(Code::R001, file, Span::file_start(), message)]);
    }
    let offsets = Offsets::of(&file.text);
    let mut builder = Builder { file, offsets, open: Vec::new(), roots: Vec::new(), nodes: 0, mistakes: Vec::new() };
    match builder.run(most_documents) {
        Ok(()) if builder.roots.is_empty() => {
            builder.mistakes.push(no_content(file));
            Err(builder.mistakes)
        }
        Ok(()) => Ok(builder),
        Err(fatal) => {
            builder.mistakes.push(*fatal);
            Err(builder.mistakes)
        }
    }
}

fn no_content(file: &Arc<YamlText>) -> Diagnostic {
    let help =
        "there is nothing in it, or only comments: was it saved? Rules begin with the lines `schema: 1` and `rules:`";
    Diagnostic::error(Code::R002, file, Span::file_start(), "the file has no content").with_help(help)
}

/// A collection that is still open.
enum Open {
    Sequence { start: Span, items: Vec<Node> },
    Mapping { start: Span, entries: Vec<Entry>, key: Option<Key>, seen: HashMap<String, Span> },
}

/// A key whose value comes next.
struct Key {
    node: Node,
    /// Whether the mapping has the key already: its value is ignored.
    again: bool,
}

struct Builder<'a> {
    file: &'a Arc<YamlText>,
    offsets: Offsets,
    open: Vec<Open>,
    roots: Vec<Node>,
    nodes: usize,
    mistakes: Vec<Diagnostic>,
}

impl Builder<'_> {
    fn run(&mut self, most_documents: usize) -> Result<(), Box<Diagnostic>> {
        let mut parser = Parser::new_from_str(&self.file.text);
        let mut documents = 0_usize;
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| Box::new(self.not_yaml(&error)))?;
            let span = self.span(span);
            if self.mistakes.len() >= MAX_MISTAKES {
                let message = format!("{MAX_MISTAKES} mistakes in one file; the rest of it was not read");
                return Err(self.fatal(Code::R004, span, &message, "correct these, and check the file again"));
            }
            match event {
                Event::DocumentStart(_) => {
                    documents = documents.saturating_add(1);
                    if documents > most_documents {
                        let message = "a second document begins here; a file holds one";
                        return Err(self.fatal(Code::R002, span, message, "remove the `---` or use another file"));
                    }
                }
                Event::Alias(_) => return Err(Box::new(alias(self.file, span))),
                Event::Scalar(text, style, anchor, tag) => {
                    self.refuse_extras(span, anchor, tag.is_some());
                    let style = match style {
                        ScalarStyle::Plain => Style::Plain,
                        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
                        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                    };
                    let span = if style == Style::Block { self.without_line_end(span) } else { span };
                    self.place(Node { span, kind: Kind::Scalar { text: Cow::Owned(text.into_owned()), style } })?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.refuse_extras(span, anchor, tag.is_some());
                    self.push(Open::Sequence { start: span, items: Vec::new() }, span)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.refuse_extras(span, anchor, tag.is_some());
                    let seen = HashMap::new();
                    self.push(Open::Mapping { start: span, entries: Vec::new(), key: None, seen }, span)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        Ok(())
    }

    fn push(&mut self, open: Open, span: Span) -> Result<(), Box<Diagnostic>> {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(Box::new(Diagnostic::error(Code::R004, self.file, span, message)));
        }
        self.open.push(open);
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Box<Diagnostic>> {
        let node = match self.open.pop() {
            Some(Open::Sequence { start, items }) => {
                let last = items.last().map(|item| item.span);
                Node { span: self.collection_span(start, last, end), kind: Kind::Sequence(items) }
            }
            Some(Open::Mapping { start, entries, .. }) => {
                let last = entries.last().map(Entry::span);
                Node { span: self.collection_span(start, last, end), kind: Kind::Mapping(entries) }
            }
            None => return Ok(()),
        };
        self.place(node)
    }

    /// A collection in brackets ends with its bracket; one in block style with its last member, although the parser
    /// only notices that at whatever comes next.
    fn collection_span(&self, start: Span, last: Option<Span>, end: Span) -> Span {
        let bracket = self.file.text.get(start.start..).is_some_and(|rest| rest.starts_with(['{', '[']));
        if bracket { start.to(end) } else { last.map_or(start, |last| start.to(last)) }
    }

    /// The parser lets a block text end where the next line begins.
    fn without_line_end(&self, span: Span) -> Span {
        let kept = self.file.slice(span).trim_end().len();
        Span { end: span.start.saturating_add(kept), ..span }
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node) -> Result<(), Box<Diagnostic>> {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > MAX_NODES {
            let message = format!("more than {MAX_NODES} values in one file");
            return Err(Box::new(Diagnostic::error(Code::R004, self.file, node.span, message)));
        }
        match self.open.last_mut() {
            None => self.roots.push(node),
            Some(Open::Sequence { items, .. }) => items.push(node),
            Some(Open::Mapping { entries, key, seen, .. }) => match key.take() {
                Some(Key { again: true, .. }) => {}
                Some(Key { node: key, .. }) => entries.push(Entry { key, value: node }),
                None => {
                    let Some(name) = node.text() else {
                        let message = format!("a key must be a text, not {}", node.kind_name());
                        let help = "a text with `{`, `[` or `? ` at its start needs quotes";
                        return Err(self.fatal(Code::R006, node.span, &message, help));
                    };
                    let again = seen.contains_key(name);
                    if let Some(first) = seen.get(name) {
                        let help = if name.contains('|') {
                            "to ask for either, write its values as one list; to ask for both, add `|all` to that list \
                             (texts), or put one of the two into a selection of its own"
                        } else {
                            "remove one of the two, or write its values as one list"
                        };
                        self.mistakes.push(
                            Diagnostic::error(
                                Code::R005,
                                self.file,
                                node.span,
                                format!("the key `{name}` stands twice"),
                            )
                            .with_other(self.file, *first, "first here")
                            .with_help(help),
                        );
                    } else {
                        seen.insert(name.to_owned(), node.span);
                    }
                    *key = Some(Key { node, again });
                }
            },
        }
        Ok(())
    }

    fn refuse_extras(&mut self, span: Span, anchor: usize, tag: bool) {
        if anchor != 0 {
            let message = "anchors (`&name`) are not used in these files";
            let help = "a text that begins with `&` needs quotes";
            self.mistakes.push(Diagnostic::error(Code::R003, self.file, span, message).with_help(help));
        }
        if tag {
            let message = "tags (`!name`) are not used in these files";
            let help = "a text that begins with `!` needs quotes";
            self.mistakes.push(Diagnostic::error(Code::R003, self.file, span, message).with_help(help));
        }
    }

    fn fatal(&self, code: Code, span: Span, message: &str, help: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, self.file, span, message).with_help(help))
    }

    fn not_yaml(&self, error: &ScanError) -> Diagnostic {
        let at = self.mark(error.marker());
        let info = error.info();
        if info.contains("unknown anchor") {
            return alias(self.file, at);
        }
        if info.contains("recursion limit") {
            return Diagnostic::error(Code::R004, self.file, at, format!("nested deeper than {MAX_DEPTH} levels"));
        }
        syntax_error::diagnose(self.file, info, at)
    }

    fn span(&self, span: saphyr_parser::Span) -> Span {
        let start = self.mark(&span.start);
        Span { end: self.offsets.byte(span.end.index()).max(start.start), ..start }
    }

    fn mark(&self, mark: &Marker) -> Span {
        let start = self.offsets.byte(mark.index());
        Span { start, end: start, line: clamp(mark.line().max(1)), column: clamp(mark.col().saturating_add(1)) }
    }
}

fn alias(file: &Arc<YamlText>, span: Span) -> Diagnostic {
    Diagnostic::error(Code::R003, file, span, "aliases (`*name`) are not used in these files")
        .with_help(syntax_error::instead_of_alias(file, span))
}

/// Byte offsets of characters, as the parser counts characters. No table where every character is one byte.
struct Offsets {
    table: Option<Vec<usize>>,
    len: usize,
}

impl Offsets {
    fn of(text: &str) -> Self {
        let table = (!text.is_ascii()).then(|| text.char_indices().map(|(byte, _)| byte).collect());
        Self { table, len: text.len() }
    }

    fn byte(&self, character: usize) -> usize {
        match &self.table {
            Some(table) => table.get(character).copied().unwrap_or(self.len),
            None => character.min(self.len),
        }
    }
}

#[cfg(test)]
mod tests;
