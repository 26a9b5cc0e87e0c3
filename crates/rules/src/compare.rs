//! Comparing one value with what a rule wants it to be.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::LoadContext;
use super::evaluate::Truth;
use super::line_list::LineList;
use super::list::ModuleList;
use super::modifier::{Modifier, Order, PartPosition};
use super::pattern::{self, Pattern};
use super::pattern_error;
use super::value::{self, fold, fold_part, noun};
use super::view::Compared;
use super::{slips, unknown};
use facts::schema::{FactDefinition, PLACES};
use facts::{FactType, Value};
use rule_syntax::mistakes::{Mistakes, listing, suggestion};
use spanned_yaml::{Code, Node, Span};
use untrusted::glob::Glob;
use windows_codes::places;

/// A comparison of a value with what a rule wants it to be. Texts are kept folded (see [`fold`]).
#[derive(Debug, Clone)]
pub(super) enum Compare {
    /// One of these values.
    Equal(Vec<Value>),
    /// A text with these parts at this place.
    Part { place: PartPosition, parts: Vec<Part>, every: bool },
    /// A text that fits these patterns.
    Like { patterns: Vec<Glob>, every: bool },
    /// A text in which these regular expressions are found.
    Regex { patterns: Vec<Pattern>, every: bool },
    /// A value on this side of a bound.
    Order { order: Order, bound: Value },
    /// A path in one (or in none) of these places.
    Place { places: Vec<&'static str>, inside: bool },
    /// A module in (or in none of) these lists.
    Listed { lists: Vec<Arc<ModuleList>>, inside: bool },
    /// A text in which an expression of these lists (of each of them), or none of them, is found.
    Lines { lists: Vec<Arc<LineList>>, inside: bool, every: bool },
    /// Anything but this.
    Not(Box<Compare>),
}

/// A part that is searched for in texts. The search is prepared once, because every line of a text is searched.
#[derive(Debug, Clone)]
pub(super) struct Part {
    text: String,
    finder: Finder<'static>,
}

impl Part {
    fn new(text: String) -> Self {
        Self { finder: Finder::new(&text).into_owned(), text }
    }

    /// The part, folded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a folded text has the part at this place.
    fn is_in(&self, folded: &str, place: PartPosition) -> bool {
        match place {
            PartPosition::Anywhere => self.finder.find(folded.as_bytes()).is_some(),
            PartPosition::Start => folded.starts_with(&self.text),
            PartPosition::End => folded.ends_with(&self.text),
        }
    }
}

/// The kind of folder that depends on where the program is installed.
const APPLICATION: &str = "application";

/// A comparison as it is read from `FACT|MODIFIER: VALUE`.
pub enum Comparison {
    /// The value must compare so.
    Value(Compare),
    /// The fact must be known, or must not be.
    Known(bool),
}

/// Reads the comparison that `modifiers` and `node` write for a fact.
pub(super) fn read(
    fact: &FactDefinition,
    modifiers: &[(Modifier, Span)],
    node: &Node,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Comparison> {
    let every = modifiers.iter().any(|(modifier, _)| *modifier == Modifier::All);
    let denied = modifiers.iter().find(|(modifier, _)| *modifier == Modifier::Not).map(|(_, span)| *span);
    let mut others = modifiers.iter().filter(|(modifier, _)| !matches!(modifier, Modifier::All | Modifier::Not));
    let how = others.next().copied();
    if let (Some(span), Some((modifier, _))) = (denied, how)
        && !matches!(modifier, Modifier::Part(_) | Modifier::Like | Modifier::Regex)
    {
        let message = format!("`neq` can't stand beside `{modifier}`");
        let help = match modifier {
            Modifier::Place(_) => "write `place` or `not_place`",
            Modifier::Listed(_) => "write `listed` or `not_listed`",
            Modifier::Exists => "write `exists: true` or `exists: false`",
            _ => "write the comparison that is its opposite: `lt` for `gte`, `gt` for `lte`",
        };
        mistakes.error_with_help(Code::R021, span, message, help);
        return None;
    }
    let denied = |compare| Comparison::Value(if denied.is_some() { Compare::Not(Box::new(compare)) } else { compare });
    if let Some((modifier, span)) = others.next() {
        mistakes.error(Code::R021, *span, format!("`{modifier}` can't follow another modifier"));
        return None;
    }
    let of_several = |modifier: Modifier| match modifier {
        Modifier::Part(_) | Modifier::Like | Modifier::Regex => true,
        // A module is in one list for one reason; a line can say several things.
        Modifier::Listed(inside) => inside && fact.kind == FactType::Text,
        _ => false,
    };
    if every && !how.is_some_and(|(modifier, _)| of_several(modifier)) {
        let span = modifiers.last().map_or(node.span, |(_, span)| *span);
        let message =
            "`all` must follow one of `contains`, `startswith`, `endswith`, `like`, `re` and, of a text, `listed`";
        mistakes.error(Code::R021, span, message);
        return None;
    }
    let Some((modifier, span)) = how else {
        return values(fact, node, mistakes, whole_value).map(|values| denied(Compare::Equal(values)));
    };
    if !modifier.fits(fact.kind) {
        let alone = |modifier: &Modifier| !matches!(modifier, Modifier::All | Modifier::Not);
        let fitting = Modifier::WORDS.iter().filter(|(_, other)| alone(other) && other.fits(fact.kind));
        let help = format!("{} can compare {}", listing(fitting.map(|(word, _)| *word)), noun(fact.kind));
        let message = format!("`{modifier}` does not compare `{}`, which is {}", fact.path, noun(fact.kind));
        mistakes.error_with_help(Code::R021, span, message, help);
        return None;
    }
    let compare = match modifier {
        Modifier::Part(place) => Compare::Part { place, parts: values(fact, node, mistakes, part)?, every },
        Modifier::Like => Compare::Like { patterns: values(fact, node, mistakes, wildcard)?, every },
        Modifier::Regex => Compare::Regex {
            patterns: values(fact, node, mistakes, |fact, node, mistakes| regex(fact, node, known, mistakes))?,
            every,
        },
        Modifier::Order(order) => Compare::Order { order, bound: single(fact, node, mistakes)? },
        // The same as `lte`, in the words in which people say it.
        Modifier::Within => Compare::Order { order: Order::AtMost, bound: single(fact, node, mistakes)? },
        Modifier::Place(inside) => {
            let places = values(fact, node, mistakes, |_, node, mistakes| place(node, mistakes))?;
            Compare::Place { places, inside }
        }
        Modifier::Listed(inside) if fact.kind == FactType::Text => {
            let lists = values(fact, node, mistakes, |_, node, mistakes| line_list(node, known, mistakes))?;
            Compare::Lines { lists, inside, every }
        }
        Modifier::Listed(inside) => {
            let lists = values(fact, node, mistakes, |_, node, mistakes| module_list(node, known, mistakes))?;
            Compare::Listed { lists, inside }
        }
        Modifier::Exists => return flag(node, mistakes).map(Comparison::Known),
        Modifier::All | Modifier::Not => return None,
    };
    Some(denied(compare))
}

/// One value or a list of values, each read by `read`. `None` when any of them is a mistake.
fn values<T>(
    fact: &FactDefinition,
    node: &Node,
    mistakes: &mut Mistakes,
    mut read: impl FnMut(&FactDefinition, &Node, &mut Mistakes) -> Option<T>,
) -> Option<Vec<T>> {
    let one = std::slice::from_ref(node);
    let nodes = if node.items().is_some() { mistakes.items(node, "the list of values")? } else { one };
    let before = mistakes.errors();
    let values: Vec<T> = nodes.iter().filter_map(|node| read(fact, node, mistakes)).collect();
    (mistakes.errors() == before || values.len() == nodes.len()).then_some(values)
}

fn scalar<'n>(fact: &FactDefinition, node: &'n Node, mistakes: &mut Mistakes) -> Option<&'n str> {
    if node.is_nothing() || node.text().is_none() {
        let message = format!("`{}` needs {}, not {}", fact.path, noun(fact.kind), node.kind_name());
        let help = if node.is_nothing() {
            "to ask whether a fact is known, write `FACT|exists: true` or `false`"
        } else {
            "quantifiers (`any`, `none`, `count`) are for lists such as `modules`"
        };
        mistakes.error_with_help(Code::R022, node.span, message, help);
        return None;
    }
    node.text()
}

fn typed(fact: &FactDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Value> {
    let text = scalar(fact, node, mistakes)?;
    match value::read(fact, text) {
        Ok(value) => Some(value),
        Err(wrong) => {
            let help = slips::comparison(fact, text).unwrap_or(wrong.help);
            mistakes.error_with_help(Code::R022, node.span, format!("{} (`{}`)", wrong.message, fact.path), help);
            None
        }
    }
}

/// A value to be equal to.
fn whole_value(fact: &FactDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Value> {
    let value = typed(fact, node, mistakes)?;
    let Value::Text(text) = &value else { return Some(value) };
    if matches!(fact.kind, FactType::Module | FactType::Path) && !Glob::is_plain(text) {
        let message = "`*` and `?` mean nothing special in a comparison for equality";
        mistakes.error_with_help(
            Code::R022,
            node.span,
            message,
            format!("write `{}|like` to use a pattern", fact.path),
        );
        return None;
    }
    refuse_path(fact, node, text, mistakes)?;
    Some(Value::Text(Arc::from(fold(fact.kind, text))))
}

/// A bound: exactly one value.
fn single(fact: &FactDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Value> {
    if node.items().is_some() {
        let message = format!("a bound for `{}` is one value, not a list", fact.path);
        mistakes.error(Code::R022, node.span, message);
        return None;
    }
    typed(fact, node, mistakes)
}

fn part(fact: &FactDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Part> {
    let text = scalar(fact, node, mistakes)?;
    if text.is_empty() {
        mistakes.error(Code::R022, node.span, "an empty text is part of every text");
        return None;
    }
    refuse_path(fact, node, text, mistakes)?;
    Some(Part::new(fold_part(fact.kind, text).into_owned()))
}

fn wildcard(fact: &FactDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Glob> {
    let text = scalar(fact, node, mistakes)?;
    if Glob::is_plain(text) {
        let message = "a pattern without `*` and `?` is the same as a comparison for equality";
        mistakes.warning(Code::R080, node.span, message, format!("write `{}: {text}`, or add a `*`", fact.path));
    }
    refuse_path(fact, node, text, mistakes)?;
    Some(Glob::from_wildcards(&fold_part(fact.kind, text)))
}

/// A module name is compared without its path, so a text with a path in it can never be part of one.
fn refuse_path(fact: &FactDefinition, node: &Node, text: &str, mistakes: &mut Mistakes) -> Option<()> {
    if fact.kind != FactType::Module || !text.contains(['\\', '/']) {
        return Some(());
    }
    let message = "a module name is compared without its path, so this path means nothing";
    let help = format!("write the file name only: {}", fold(fact.kind, text));
    mistakes.error_with_help(Code::R022, node.span, message, help);
    None
}

fn regex(fact: &FactDefinition, node: &Node, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Pattern> {
    let text = scalar(fact, node, mistakes)?;
    if known.proven {
        return Some(Pattern::new(text));
    }
    match pattern::check(text) {
        Ok(()) => Some(Pattern::new(text)),
        Err(error) => {
            let (reason, help) = pattern_error::says(&error);
            let at = pattern_error::wrong_at(text).map_or(node.span, |at| node.span_within(&mistakes.file, at));
            mistakes.error_with_help(Code::R023, at, format!("not a regular expression: {reason}"), help);
            None
        }
    }
}

fn module_list(node: &Node, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Arc<ModuleList>> {
    let name = mistakes.text(node, "the name of a list")?;
    if let Some(list) = known.lists.find(name) {
        return Some(list);
    }
    no_list(name, node, known.lists.names(), known.lists.find_lines(name).map(|_| "lines"), mistakes);
    None
}

fn line_list(node: &Node, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Arc<LineList>> {
    let name = mistakes.text(node, "the name of a list")?;
    if let Some(list) = known.lists.find_lines(name) {
        return Some(list);
    }
    no_list(name, node, known.lists.line_names(), known.lists.find(name).map(|_| "modules"), mistakes);
    None
}

/// `R024`: there is no list of this name, or the list of this name holds `instead`: modules or lines.
fn no_list<'n>(
    name: &str,
    node: &Node,
    names: impl Iterator<Item = &'n str>,
    instead: Option<&str>,
    mistakes: &mut Mistakes,
) {
    let names: Vec<&str> = names.collect();
    let help = suggestion(name, names.iter().copied()).unwrap_or_else(|| match names.as_slice() {
        [] => "lists stand in the folder `data` of a rule set".to_owned(),
        names => format!("the lists are {}", listing(names.iter().copied())),
    });
    let message = match instead {
        Some(what) => format!("data/{name}.yaml is a list of {what}"),
        None => format!("there is no list data/{name}.yaml"),
    };
    mistakes.error_with_help(Code::R024, node.span, message, help);
}

fn place(node: &Node, mistakes: &mut Mistakes) -> Option<&'static str> {
    let word = mistakes.text(node, "a place")?.trim();
    let known = PLACES.iter().find(|place| **place == word).copied();
    if known.is_none() {
        let help = unknown::help(word, PLACES.iter().copied(), "the places are");
        mistakes.error_with_help(Code::R028, node.span, format!("there is no place `{word}`"), help);
    }
    known
}

/// The `true` or `false` after `exists`.
pub(super) fn flag(node: &Node, mistakes: &mut Mistakes) -> Option<bool> {
    match node.text() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => {
            mistakes.error(Code::R022, node.span, "`exists` must be `true` or `false`");
            None
        }
    }
}

impl Compare {
    /// Whether the value is what the rule wants; undecided where that depends on something that is not known.
    pub fn truth(&self, seen: Compared<'_>) -> Truth {
        if let Self::Not(compare) = self {
            return compare.truth(seen).not();
        }
        if let (Self::Place { places: wanted, .. }, Compared::Path { text, program: None }) = (self, seen)
            && wanted.contains(&APPLICATION)
        {
            // Which folder is the program's own is not known, so a path that lies in no other of them may lie in it.
            let found = places(text, None);
            if !wanted.iter().any(|place| found.contains(place)) {
                return Truth::Undecided;
            }
        }
        self.holds(seen).into()
    }

    /// Whether the value is what the rule wants, where no other fact decides that.
    pub fn holds(&self, seen: Compared<'_>) -> bool {
        // The type of a fact decides what it can be compared with.
        let text = match seen {
            Compared::Text(text) | Compared::Path { text, .. } => text,
            _ => "",
        };
        match self {
            Self::Equal(values) => values.iter().any(|value| match (value, seen) {
                (Value::Text(wanted), Compared::Text(_) | Compared::Path { .. }) => **wanted == *text,
                (Value::Number(wanted), Compared::Number(number)) => *wanted == number,
                (Value::Version(wanted), Compared::Version(version)) => *wanted == version,
                (Value::Flag(wanted), Compared::Flag(flag)) => *wanted == flag,
                _ => false,
            }),
            Self::Part { place, parts, every } => quantified(parts, *every, |part| part.is_in(text, *place)),
            Self::Like { patterns, every } => quantified(patterns, *every, |pattern| pattern.fits(text)),
            Self::Regex { patterns, every } => quantified(patterns, *every, |pattern| pattern.is_match(text)),
            Self::Order { order, bound } => ordered(*order, seen, bound),
            Self::Place { places: wanted, inside } => {
                let program = if let Compared::Path { program, .. } = seen { program } else { None };
                let found = places(text, program);
                wanted.iter().any(|place| found.contains(place)) == *inside
            }
            Self::Listed { lists, inside } => lists.iter().any(|list| list.contains(text)) == *inside,
            Self::Lines { lists, inside, every } => quantified(lists, *every, |list| list.fits(text)) == *inside,
            Self::Not(compare) => !compare.holds(seen),
        }
    }

    /// How much time a comparison takes, as a rank from 0: cheap ones are tried first.
    pub fn cost(&self) -> u8 {
        match self {
            Self::Equal(_) | Self::Order { .. } => 0,
            Self::Part { .. } => 1,
            Self::Listed { .. } => 2,
            Self::Like { .. } | Self::Place { .. } => 3,
            Self::Regex { .. } => 4,
            Self::Lines { .. } => 5,
            Self::Not(compare) => compare.cost(),
        }
    }
}

fn quantified<T>(wanted: &[T], every: bool, holds: impl Fn(&T) -> bool) -> bool {
    if every { wanted.iter().all(holds) } else { wanted.iter().any(holds) }
}

fn ordered(order: Order, seen: Compared<'_>, bound: &Value) -> bool {
    let ordering = match (seen, bound) {
        (Compared::Number(value), Value::Number(bound)) => value.cmp(bound),
        (Compared::Version(value), Value::Version(bound)) => value.cmp(bound),
        _ => return false,
    };
    match order {
        Order::Less => ordering.is_lt(),
        Order::AtMost => ordering.is_le(),
        Order::Greater => ordering.is_gt(),
        Order::AtLeast => ordering.is_ge(),
    }
}
