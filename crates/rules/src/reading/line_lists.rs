//! Reading lists of expressions for lines, whose lines can name other lists.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use strum::VariantNames;

use crate::language::{Author, Line, LineExample, LineList, WrongPattern, pattern};
use crate::reading::Lists;
use expressions::Pattern;
use rule_syntax::mistakes::{MOST, Mistakes, listing, suggestion, too_many};
use spanned_yaml::{Code, Diagnostic, Node};

/// The longest line with the lists that it names written out, bytes.
const LONGEST: usize = 32 << 10;

/// The most bytes that all lines of a rule set's lists have with the lists that they name written out.
const MOST_WRITTEN: usize = 8 << 20;

/// Reads the list of a file, still without expressions, as its lines may name lists that are not read yet. Each of its
/// `lines` is an expression, or a mapping `{re: EXPRESSION, why: ...}`.
pub(crate) fn read(file_stem: &str, root: &Node, mistakes: &mut Mistakes) -> Option<LineList> {
    let entries = mistakes.mapping(root, "a list file")?;
    let required = ["schema", "list", "about", "lines"];
    let known = [required.as_slice(), &["written_by", "examples"]].concat();
    mistakes.keys(entries, root.span, "a list file", &known, &required);
    let author = root.get("written_by").and_then(|node| author(node, mistakes));
    let examples = root.get("examples").map(|node| examples(node, mistakes)).unwrap_or_default();
    let mut lines: Vec<Line> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for item in mistakes.items(root.get("lines")?, "`lines`")? {
        let Some(line) = expression(item, mistakes) else { continue };
        if !known.insert(line.text.clone()) {
            mistakes.error(Code::R061, line.node.span, "this expression is in this list already");
        } else {
            lines.push(line);
        }
    }
    let file = Arc::clone(&mistakes.file);
    Some(LineList { name: file_stem.to_owned(), author, lines, patterns: Vec::new(), examples, file })
}

/// An item of `lines`: an expression, or a mapping with the expression and the reason for it.
fn expression(item: &Node, mistakes: &mut Mistakes) -> Option<Line> {
    let what = "an entry of a list of lines";
    if item.text().is_some() {
        return Some(Line { text: mistakes.text(item, what)?.to_owned(), node: item.clone(), why: None });
    }
    let entries = mistakes.mapping(item, what)?;
    mistakes.keys(entries, item.span, what, &["re", "why"], &["re"]);
    let node = item.get("re")?;
    let why = item.get("why").and_then(Node::text).map(str::to_owned);
    Some(Line { text: mistakes.text(node, "`re`")?.to_owned(), node: node.clone(), why })
}

fn author(node: &Node, mistakes: &mut Mistakes) -> Option<Author> {
    let word = mistakes.text(node, "`written_by`")?;
    let known = word.parse().ok();
    if known.is_none() {
        let help = format!("it is one of {}", listing(Author::VARIANTS.iter().copied()));
        mistakes.error_with_help(Code::R061, node.span, format!("`{word}` writes no lines"), help);
    }
    known
}

fn examples(node: &Node, mistakes: &mut Mistakes) -> Vec<LineExample> {
    let Some(entries) = mistakes.mapping(node, "`examples`") else { return Vec::new() };
    let keys = [("match", true), ("no-match", false)];
    mistakes.keys(entries, node.span, "`examples`", &keys.map(|(key, _)| key), &[]);
    let mut examples = Vec::new();
    for (key, found) in keys {
        let Some(items) = node.get(key).and_then(|items| mistakes.items(items, &format!("`{key}`"))) else { continue };
        for item in items {
            let text = mistakes.text(item, "an example");
            examples.extend(text.map(|text| LineExample { text: text.to_owned(), found, span: item.span }));
        }
    }
    examples
}

/// Replaces the names of other lists in the lines of one rule set's lists: by lists of the set itself first, then by
/// those that are `known`. `count` counts the states of the expressions, as for [`pattern`].
pub(crate) fn resolve(
    own: Vec<LineList>,
    known: &Lists,
    count: &dyn Fn(usize) -> bool,
    found: &mut Vec<Diagnostic>,
) -> Vec<LineList> {
    let by_name = own.iter().enumerate().map(|(index, list)| (list.name.as_str(), index)).collect();
    let joined = own.iter().map(|_| Joined::NotYet).collect();
    let expressions = own.iter().map(|_| Vec::new()).collect();
    let mut resolver =
        Resolver { own: &own, by_name, known, joined, expressions, found: &mut *found, wrongs: 0, written: 0 };
    (0..own.len()).for_each(|index| drop(resolver.join(index)));
    let expressions = resolver.expressions;
    own.into_iter().zip(expressions).map(|(list, expressions)| compiled(list, expressions, count, found)).collect()
}

/// A list whose expressions are known to compile, with those of the `others` in place of their names. `None` where it names a
/// list that is not there.
pub(crate) fn with_patterns<'l>(
    mut list: LineList,
    others: impl Fn(&str) -> Option<&'l Arc<LineList>>,
) -> Option<LineList> {
    let one_of_list = |name: &str| Some(one_of(others(name)?.patterns.iter().map(Pattern::written)));
    for line in &list.lines {
        let expanded = expand(&line.text, |name, _| one_of_list(name))?;
        list.patterns.push(pattern(&expanded, None).ok()?);
    }
    Some(list)
}

/// A line with what each of the named lists stands for; `None` where `stands_for` gives nothing for a name and its place.
fn expand(line: &str, mut stands_for: impl FnMut(&str, Range<usize>) -> Option<Arc<str>>) -> Option<String> {
    let mut expanded = String::with_capacity(line.len());
    let mut from = 0;
    for at in named_lists(line) {
        let name = line.get(at.start.saturating_add(1)..at.end.saturating_sub(1))?;
        expanded.push_str(line.get(from..at.start)?);
        from = at.end;
        expanded.push_str(&stands_for(name, at)?);
    }
    expanded.push_str(line.get(from..)?);
    Some(expanded)
}

/// All lines of a list as one expression.
enum Joined {
    NotYet,
    /// Its lines are being joined: a list that includes it now forms a circle.
    Begun,
    Done(Arc<str>),
}

struct Resolver<'l> {
    own: &'l [LineList],
    by_name: BTreeMap<&'l str, usize>,
    known: &'l Lists,
    joined: Vec<Joined>,
    /// Of each list its lines without other lists' names; `None` for a line with a mistake.
    expressions: Vec<Vec<Option<String>>>,
    found: &'l mut Vec<Diagnostic>,
    /// How many mistakes were found.
    wrongs: usize,
    /// How many bytes were written out so far.
    written: usize,
}

impl Resolver<'_> {
    /// Adds a mistake, up to [`MOST`].
    fn report(&mut self, wrong: Diagnostic) {
        self.wrongs = self.wrongs.saturating_add(1);
        match self.wrongs {
            ..MOST => self.found.push(wrong),
            MOST => self.found.push(too_many(&wrong.file, wrong.span)),
            _ => {}
        }
    }

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
    fn expand(&mut self, list: &LineList, line: &Line) -> Option<String> {
        let mut length = line.text.len();
        expand(&line.text, |name, at| {
            let text = match (self.by_name.get(name).copied(), self.known.lines.get(name)) {
                (Some(index), _) => self.join(index),
                (None, Some(known)) => Some(one_of(known.patterns.iter().map(Pattern::written))),
                (None, None) => {
                    let message = format!("there is no list of lines data/{name}.yaml");
                    let names = self.by_name.keys().copied().chain(self.known.lines.names());
                    let help = suggestion(name, names)
                        .unwrap_or_else(|| "in a line of a list, `{NAME}` stands for any line of that list".to_owned());
                    let span = line.node.span_within(&list.file, at);
                    self.report(Diagnostic::error(Code::R024, &list.file, span, message).with_help(help));
                    return None;
                }
            };
            let Some(text) = text else {
                let message = format!("`{name}` names this list, too, by itself or by way of others");
                let help = "write out what one of them stands for";
                let span = line.node.span_within(&list.file, at);
                self.report(Diagnostic::error(Code::R067, &list.file, span, message).with_help(help));
                return None;
            };
            length = length.saturating_add(text.len());
            self.written = self.written.saturating_add(text.len());
            if length > LONGEST || self.written > MOST_WRITTEN {
                let message = format!(
                    "with the lines of `{name}` written out, this line is longer than {LONGEST} bytes, or all lines together \
                     than {MOST_WRITTEN}"
                );
                let span = line.node.span_within(&list.file, at);
                self.report(Diagnostic::error(Code::R023, &list.file, span, message).with_help("name fewer lists"));
                return None;
            }
            Some(text)
        })
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
    let next = |from: usize| line.as_bytes().get(from..)?.iter().position(|byte| matches!(byte, b'\\' | b'{'));
    while let Some(at) = next(from) {
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
fn compiled(
    mut list: LineList,
    expressions: Vec<Option<String>>,
    count: &dyn Fn(usize) -> bool,
    found: &mut Vec<Diagnostic>,
) -> LineList {
    let mut wrongs = 0_usize;
    for (line, expression) in std::mem::take(&mut list.lines).into_iter().zip(expressions) {
        let Some(expression) = expression else { continue };
        match pattern(&expression, Some(count)) {
            Ok(pattern) => {
                list.patterns.push(pattern);
                list.lines.push(line);
            }
            Err(WrongPattern { at, message, help }) => {
                // Of a line that names other lists, the place in what they stand for is none in the file.
                let at = at.filter(|_| expression == line.text);
                let at = at.map_or(line.node.span, |at| line.node.span_within(&list.file, at));
                let wrong = Diagnostic::error(Code::R023, &list.file, at, message).with_help(help);
                wrongs = wrongs.saturating_add(1);
                match wrongs {
                    ..MOST => found.push(wrong),
                    MOST => found.push(too_many(&list.file, wrong.span)),
                    _ => {}
                }
            }
        }
    }
    list
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
