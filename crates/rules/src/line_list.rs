//! Lists of expressions for lines of texts that rules refer to by name (`line|listed`): messages that programs print, and
//! phrases that people use. A line of a list can name other lists: `{crashes}` stands for any line of the list `crashes`.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::list::Lists;
use super::pattern::{self, Pattern};
use super::pattern_error;
use super::value::fold;
use facts::FactType;
use rule_syntax::mistakes::{Mistakes, listing, suggestion};
use spanned_yaml::{Code, Diagnostic, Node, Span, YamlText};

/// Who wrote the lines that a list describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// A program printed them: a line proves what it states.
    Program,
    /// A person described what happened.
    Person,
}

impl Author {
    const WORDS: [(&str, Self); 2] = [("program", Self::Program), ("person", Self::Person)];
}

/// A list of regular expressions for texts.
pub(super) struct LineList {
    name: String,
    author: Option<Author>,
    lines: Vec<Line>,
    patterns: Vec<Pattern>,
    examples: Vec<Example>,
    file: Arc<YamlText>,
}

/// A line of a list as it is written, and the value that holds it.
#[derive(Debug)]
pub(super) struct Line {
    pub text: String,
    pub node: Node,
}

/// A text that a list is meant to be found in, or not.
#[derive(Debug, Clone)]
struct Example {
    text: String,
    found: bool,
    span: Span,
}

/// What running the examples of lists of lines gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExampleOutcome {
    /// Lists with examples.
    pub lists: usize,
    /// Examples that are as they say.
    pub passed: usize,
    /// Examples that are not, in the order of lists and examples.
    pub failed: Vec<ExampleFailure>,
}

/// An example of a list that is not as it says.
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
    /// Whether the list is meant to be found in it.
    pub expected: bool,
}

impl fmt::Debug for LineList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expressions: Vec<&str> = self.patterns.iter().map(Pattern::written).collect();
        let Self { name, author, .. } = self;
        f.debug_struct("LineList")
            .field("name", name)
            .field("author", author)
            .field("lines", &expressions)
            .finish_non_exhaustive()
    }
}

impl LineList {
    /// Its name, which is its file's name without ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its file.
    pub(super) fn file(&self) -> &Arc<YamlText> {
        &self.file
    }

    /// Whether the list says that a program writes its lines.
    pub(super) fn is_printed(&self) -> bool {
        self.author == Some(Author::Program)
    }

    /// Its lines as they are written, each with its expression, in which names of other lists are replaced by their lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&Line, &Pattern)> {
        self.lines.iter().zip(&self.patterns)
    }

    /// Its expressions.
    pub(super) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Whether one of its expressions is found in a folded text.
    pub(super) fn fits(&self, folded: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(folded))
    }

    /// Whether it has an example in which it is found, and one in which it is not.
    pub(super) fn has_examples(&self) -> bool {
        [true, false].iter().all(|found| self.examples.iter().any(|example| example.found == *found))
    }

    /// Adds what its examples give.
    pub(super) fn run_examples(&self, outcome: &mut ExampleOutcome) {
        outcome.lists = outcome.lists.saturating_add(usize::from(!self.examples.is_empty()));
        for Example { text, found, span } in &self.examples {
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

/// A list of lines whose lines may name other lists that are not read yet.
#[derive(Debug)]
pub(super) struct Unresolved {
    name: String,
    author: Option<Author>,
    lines: Vec<Line>,
    examples: Vec<Example>,
    file: Arc<YamlText>,
    /// Whether its expressions are known to compile.
    proven: bool,
}

impl Unresolved {
    /// Its name, which is its file's name without ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the list of a file. Each of its `lines` is an expression, or a mapping `{re: EXPRESSION, why: ...}`.
    /// Expressions that are `proven` are known to compile.
    pub(super) fn read(file_stem: &str, root: &Node, proven: bool, mistakes: &mut Mistakes) -> Option<Self> {
        let entries = mistakes.mapping(root, "a list file")?;
        let required = ["schema", "list", "about", "lines"];
        let known = [required.as_slice(), &["written_by", "examples"]].concat();
        mistakes.keys(entries, root.span, "a list file", &known, &required);
        let author = root.get("written_by").and_then(|node| author(node, mistakes));
        let examples = root.get("examples").map(|node| examples(node, mistakes)).unwrap_or_default();
        let mut lines: Vec<Line> = Vec::new();
        for item in mistakes.items(root.get("lines")?, "`lines`")? {
            let Some((text, node)) = expression(item, mistakes) else { continue };
            if lines.iter().any(|known| known.text == text) {
                mistakes.error(Code::R061, node.span, "this expression is in this list already");
            } else {
                lines.push(Line { text: text.to_owned(), node: node.clone() });
            }
        }
        let file = Arc::clone(&mistakes.file);
        Some(Self { name: file_stem.to_owned(), author, lines, examples, file, proven })
    }
}

/// An expression and the value that holds it: an item of `lines` is a text, or a mapping that says why it is there.
fn expression<'n>(item: &'n Node, mistakes: &mut Mistakes) -> Option<(&'n str, &'n Node)> {
    let what = "an entry of a list of lines";
    if item.text().is_some() {
        return Some((mistakes.text(item, what)?, item));
    }
    let entries = mistakes.mapping(item, what)?;
    mistakes.keys(entries, item.span, what, &["re", "why"], &["re"]);
    let node = item.get("re")?;
    Some((mistakes.text(node, "`re`")?, node))
}

fn author(node: &Node, mistakes: &mut Mistakes) -> Option<Author> {
    let word = mistakes.text(node, "`written_by`")?;
    let known = Author::WORDS.iter().find(|(known, _)| *known == word).map(|(_, author)| *author);
    if known.is_none() {
        let help = format!("it is one of {}", listing(Author::WORDS.iter().map(|(word, _)| *word)));
        mistakes.error_with_help(Code::R061, node.span, format!("`{word}` writes no lines"), help);
    }
    known
}

fn examples(node: &Node, mistakes: &mut Mistakes) -> Vec<Example> {
    let Some(entries) = mistakes.mapping(node, "`examples`") else { return Vec::new() };
    let keys = [("match", true), ("no-match", false)];
    mistakes.keys(entries, node.span, "`examples`", &keys.map(|(key, _)| key), &[]);
    let mut examples = Vec::new();
    for (key, found) in keys {
        let Some(items) = node.get(key).and_then(|items| mistakes.items(items, &format!("`{key}`"))) else { continue };
        for item in items {
            let text = mistakes.text(item, "an example");
            examples.extend(text.map(|text| Example { text: text.to_owned(), found, span: item.span }));
        }
    }
    examples
}

/// Replaces the names of other lists in the lines of one rule set's lists: by lists of the set itself first, then by
/// those that are `known`.
pub(super) fn resolve(own: Vec<Unresolved>, known: &Lists, found: &mut Vec<Diagnostic>) -> Vec<LineList> {
    let by_name = own.iter().enumerate().map(|(index, list)| (list.name.as_str(), index)).collect();
    let joined = own.iter().map(|_| Joined::NotYet).collect();
    let expressions = own.iter().map(|_| Vec::new()).collect();
    let mut resolver = Resolver { own: &own, by_name, known, joined, expressions, found: &mut *found };
    (0..own.len()).for_each(|index| drop(resolver.join(index)));
    let expressions = resolver.expressions;
    own.into_iter().zip(expressions).map(|(list, expressions)| compiled(list, expressions, found)).collect()
}

/// All lines of a list as one expression.
enum Joined {
    NotYet,
    /// Its lines are being read: a list that names it now is named by it.
    Begun,
    Done(Arc<str>),
}

struct Resolver<'l> {
    own: &'l [Unresolved],
    by_name: BTreeMap<&'l str, usize>,
    known: &'l Lists,
    joined: Vec<Joined>,
    /// Of each list its lines without other lists' names; `None` for a line with a mistake.
    expressions: Vec<Vec<Option<String>>>,
    found: &'l mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    /// All lines of a list as one expression; `None` where it is being read already.
    fn join(&mut self, index: usize) -> Option<Arc<str>> {
        match self.joined.get(index)? {
            Joined::Begun => return None,
            Joined::Done(text) => return Some(Arc::clone(text)),
            Joined::NotYet => {}
        }
        *self.joined.get_mut(index)? = Joined::Begun;
        let list = self.own.get(index)?;
        let expressions: Vec<Option<String>> = list.lines.iter().map(|line| self.expand(list, line)).collect();
        let text = one_of(expressions.iter().flatten().map(String::as_str));
        *self.expressions.get_mut(index)? = expressions;
        *self.joined.get_mut(index)? = Joined::Done(Arc::clone(&text));
        Some(text)
    }

    /// A line without other lists' names; `None` where one of them is a mistake.
    fn expand(&mut self, list: &Unresolved, line: &Line) -> Option<String> {
        let mut expanded = String::with_capacity(line.text.len());
        let mut from = 0;
        for at in named_lists(&line.text) {
            let name = line.text.get(at.start.saturating_add(1)..at.end.saturating_sub(1))?;
            let text = match (self.by_name.get(name).copied(), self.known.find_lines(name)) {
                (Some(index), _) => self.join(index),
                (None, Some(known)) => Some(one_of(known.patterns().iter().map(Pattern::written))),
                (None, None) => {
                    let message = format!("there is no list of lines data/{name}.yaml");
                    let names = self.by_name.keys().copied().chain(self.known.line_names());
                    let help = suggestion(name, names)
                        .unwrap_or_else(|| "in a line of a list, `{NAME}` stands for any line of that list".to_owned());
                    let span = line.node.span_within(&list.file, at);
                    self.found.push(Diagnostic::error(Code::R024, &list.file, span, message).with_help(help));
                    return None;
                }
            };
            let Some(text) = text else {
                let message = format!("`{name}` names this list, too, by itself or by way of others");
                let help = "write out what one of them stands for";
                let span = line.node.span_within(&list.file, at);
                self.found.push(Diagnostic::error(Code::R067, &list.file, span, message).with_help(help));
                return None;
            };
            expanded.push_str(line.text.get(from..at.start)?);
            expanded.push_str(&text);
            from = at.end;
        }
        expanded.push_str(line.text.get(from..)?);
        Some(expanded)
    }
}

/// An expression that is found where one of several is.
fn one_of<'t>(expressions: impl Iterator<Item = &'t str>) -> Arc<str> {
    format!("(?:{})", expressions.collect::<Vec<_>>().join("|")).into()
}

/// Where a line names other lists: `{`, a name and `}`. Braces that repeat something begin with a digit; those that
/// belong to what a backslash begins are none.
fn named_lists(line: &str) -> Vec<Range<usize>> {
    let (mut named, mut from) = (Vec::new(), 0);
    while let Some(at) = line.get(from..).and_then(|rest| rest.find(['\\', '{'])) {
        let start = from.saturating_add(at);
        let rest = line.get(start..).unwrap_or_default();
        let length = if rest.starts_with('\\') {
            escape_length(rest)
        } else {
            let end = rest.find('}').map_or(rest.len(), |end| end.saturating_add(1));
            if rest.get(1..end.saturating_sub(1)).is_some_and(is_list_name) {
                named.push(start..start.saturating_add(end));
                end
            } else {
                1
            }
        };
        from = start.saturating_add(length);
    }
    named
}

fn is_list_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The length in bytes of an escape sequence. Characters by number or property, and one-sided boundaries of words, have
/// braces behind the letter.
fn escape_length(rest: &str) -> usize {
    const SIDES: [&str; 4] = ["{start}", "{end}", "{start-half}", "{end-half}"];
    let Some(escaped) = rest.chars().nth(1) else { return rest.len() };
    let length = escaped.len_utf8().saturating_add(1);
    let behind = rest.get(length..).unwrap_or_default();
    let braces = match escaped {
        'x' | 'u' | 'U' | 'p' | 'P' if behind.starts_with('{') => behind.find('}').map(|end| end.saturating_add(1)),
        'b' => SIDES.iter().find(|side| behind.starts_with(**side)).map(|side| side.len()),
        _ => None,
    };
    length.saturating_add(braces.unwrap_or_default())
}

/// The list with its expressions, without those that have a mistake.
fn compiled(list: Unresolved, expressions: Vec<Option<String>>, found: &mut Vec<Diagnostic>) -> LineList {
    let Unresolved { name, author, lines: written, examples, file, proven } = list;
    let (mut lines, mut patterns) = (Vec::new(), Vec::new());
    for (line, expression) in written.into_iter().zip(expressions) {
        let Some(expression) = expression else { continue };
        if !proven && let Err(error) = pattern::check(&expression) {
            let (reason, help) = pattern_error::says(&error);
            // Of a line that names other lists, the place in what they stand for is none in the file.
            let at = pattern_error::wrong_at(&expression).filter(|_| expression == line.text);
            let at = at.map_or(line.node.span, |at| line.node.span_within(&file, at));
            let message = format!("not a regular expression: {reason}");
            found.push(Diagnostic::error(Code::R023, &file, at, message).with_help(help));
            continue;
        }
        patterns.push(Pattern::new(&expression));
        lines.push(line);
    }
    LineList { name, author, lines, patterns, examples, file }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lists_are_told_from_repetitions_and_characters() {
        let named = |line: &str| -> Vec<String> {
            named_lists(line).into_iter().filter_map(|at| line.get(at).map(ToOwned::to_owned)).collect()
        };
        assert_eq!(named(r"\b{crashes}\b.{0,40}\b{at-exit}"), ["{crashes}", "{at-exit}"]);
        assert_eq!(named(r"a{2}b{3,}c{0,9}d{2}?"), Vec::<String>::new());
        assert_eq!(named(r"\x{af}\p{greek}\u{e9}\{crashes\}"), Vec::<String>::new());
        assert_eq!(named(r"\\{crashes}{Not}{a b}{"), ["{crashes}"]);
        assert_eq!(named(r"\b{start}\b{crashes}\b{end}"), ["{crashes}"]);
    }
}
