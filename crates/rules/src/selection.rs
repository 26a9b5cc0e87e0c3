//! Selections: what facts must be, as typed terms.

use std::collections::BTreeSet;

use super::LoadContext;
use super::compare::{self, Compare, Comparison};
use super::modifier::Modifier;
use super::quantifier::{self, Quantifier};
use super::sequence::{self, Sequence};
use super::subject::Subject;
use super::{slips, unknown};
use facts::schema::{FactDefinition, LISTS, ListDefinition, OTHER_INCIDENTS, SCALARS, scalar};
use rule_syntax::mistakes::{Mistakes, NEWER, closest, listing, suggestion};
use spanned_yaml::{Code, Entry, Node, Span};

/// A named selection: it holds when all terms of one of its alternatives hold.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    /// Its name.
    pub name: String,
    /// Its alternatives; each one's terms stand in the order in which they are tried, the cheapest first.
    pub alternatives: Vec<Vec<Term>>,
}

impl Selection {
    /// The terms of all its alternatives.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.alternatives.iter().flatten()
    }
}

/// One line of a selection.
#[derive(Debug, Clone)]
pub(super) struct Term {
    /// Its place in the file.
    pub span: Span,
    /// What it asks of an incident, read when first needed.
    pub test: Test,
}

/// The question of a term. Facts and lists are given by their index in the schema.
#[derive(Debug, Clone)]
pub(super) enum Test {
    /// A fact must fit a comparison.
    Fact { index: usize, fact: &'static FactDefinition, compare: Compare },
    /// A fact must be known, or must not be.
    FactKnown { index: usize, fact: &'static FactDefinition, known: bool },
    /// A number of entries of a list must fit.
    List { index: usize, list: &'static ListDefinition, quantifier: Quantifier, entries: EntryFilter },
    /// Entries of a list must follow one another in the given order.
    Sequence { index: usize, list: &'static ListDefinition, sequence: Sequence },
    /// A list must be known, or must not be.
    ListKnown { index: usize, list: &'static ListDefinition, known: bool },
}

/// A filter for entries of a list: an entry fits that meets all terms of one alternative. Without alternatives every
/// entry fits.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryFilter {
    pub alternatives: Vec<Vec<FieldTerm>>,
}

/// What a field of an entry must be.
#[derive(Debug, Clone)]
pub(super) struct FieldTerm {
    pub field: Field,
    /// What it must be.
    pub test: FieldTest,
}

/// A field of the entries of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub list: &'static ListDefinition,
    /// Its index in the list's definition.
    pub index: usize,
    pub definition: &'static FactDefinition,
}

impl Field {
    /// The field of this name, if the list has it.
    pub fn find(list: &'static ListDefinition, name: &str) -> Option<Self> {
        let (index, definition) = list.fields.iter().enumerate().find(|(_, field)| field.path == name)?;
        Some(Self { list, index, definition })
    }
}

/// What is asked of a field.
#[derive(Debug, Clone)]
pub(super) enum FieldTest {
    Value(Compare),
    Known(bool),
}

impl FieldTest {
    /// The comparison with a value, if it is one.
    pub fn compare(&self) -> Option<&Compare> {
        match self {
            Self::Value(compare) => Some(compare),
            Self::Known(_) => None,
        }
    }

    /// Whether it can hold only for an entry that has the field.
    pub fn needs_field(&self) -> bool {
        !matches!(self, Self::Known(false))
    }
}

impl Test {
    /// How much time a test takes, as a rank: lists come after facts, whatever they compare.
    fn cost(&self) -> u8 {
        match self {
            Self::FactKnown { .. } | Self::ListKnown { .. } => 0,
            Self::Fact { compare, .. } => compare.cost(),
            // Which other incidents there are is found out when a rule asks, so that is asked last.
            Self::List { .. } | Self::Sequence { .. } => {
                let dearest = self.field_terms().map(|term| term.test.compare().map_or(0, Compare::cost));
                let list = if self.path() == OTHER_INCIDENTS { 100 } else { 10 };
                dearest.max().unwrap_or_default().saturating_add(list)
            }
        }
    }

    /// The path of the fact or list that it asks for.
    pub fn path(&self) -> &'static str {
        match self {
            Self::Fact { fact, .. } | Self::FactKnown { fact, .. } => fact.path,
            Self::List { list, .. } | Self::Sequence { list, .. } | Self::ListKnown { list, .. } => list.name,
        }
    }

    /// What it asks of the fields of a list's entries.
    pub fn field_terms(&self) -> impl Iterator<Item = &FieldTerm> {
        self.entries().flat_map(|entries| entries.alternatives.iter().flatten())
    }

    /// The filters for entries of its list: one, or one for each step of a sequence.
    pub fn entries(&self) -> impl Iterator<Item = &EntryFilter> {
        let (one, steps): (Option<&EntryFilter>, &[EntryFilter]) = match self {
            Self::List { entries, .. } => (Some(entries), &[]),
            Self::Sequence { sequence, .. } => (None, &sequence.steps),
            Self::Fact { .. } | Self::FactKnown { .. } | Self::ListKnown { .. } => (None, &[]),
        };
        one.into_iter().chain(steps)
    }
}

/// Reads the value under a selection's name: a mapping, or a list of mappings of which one must hold.
pub(super) fn read(entry: &Entry, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Selection> {
    let what = format!("the selection `{}`", entry.name());
    let read = |node: &Node, mistakes: &mut Mistakes| alternative(node, &what, known, mistakes);
    let alternatives = match entry.value.items() {
        Some(_) => {
            let nodes = mistakes.items(&entry.value, &what)?;
            let read: Vec<_> = nodes.iter().filter_map(|node| read(node, mistakes)).collect();
            (read.len() == nodes.len()).then_some(read)?
        }
        None => vec![read(&entry.value, mistakes)?],
    };
    Some(Selection { name: entry.name().to_owned(), alternatives })
}

/// The facts that a selection with mistakes seems to ask for: those that its lines name, or nearly name. All, where a
/// line may be meant for any of them.
pub(super) fn seems_to_ask(entry: &Entry) -> BTreeSet<&'static str> {
    let any = || SCALARS.iter().map(|fact| fact.path).collect();
    let one = std::slice::from_ref(&entry.value);
    let mut asked = BTreeSet::new();
    for node in entry.value.items().unwrap_or(one) {
        let Some(entries) = node.entries() else { return any() };
        for entry in entries {
            let name = entry.name().split('|').next().unwrap_or_default().trim();
            if LISTS.iter().any(|list| list.name == name) {
                continue;
            }
            match closest(name, SCALARS.iter().map(|fact| fact.path)) {
                Some(fact) => asked.extend(scalar(fact).map(|fact| fact.path)),
                None => return any(),
            }
        }
    }
    asked
}

/// Reads terms that have to hold together, the cheapest first.
pub(super) fn alternative(
    node: &Node,
    what: &str,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Vec<Term>> {
    let entries = filled_mapping(node, what, mistakes)?;
    let read: Vec<Term> = entries.iter().filter_map(|entry| term(entry, known, mistakes)).collect();
    let mut terms = (read.len() == entries.len()).then_some(read)?;
    terms.sort_by_key(|term| (term.test.cost(), term.span.start));
    Some(terms)
}

fn filled_mapping<'n>(node: &'n Node, what: &str, mistakes: &mut Mistakes) -> Option<&'n [Entry]> {
    if node.is_nothing() || node.entries().is_some_and(<[_]>::is_empty) {
        mistakes.error(Code::R025, node.span, format!("{what} asks for nothing and would always hold"));
        return None;
    }
    if node.text().is_some() {
        let help =
            "write what facts must be: `{exception.code: 0xC0000005, process.name: app.exe}`, or a line for each";
        mistakes.error_with_help(Code::R012, node.span, format!("{what} must be a mapping, not a text"), help);
        return None;
    }
    mistakes.mapping(node, what)
}

fn term(entry: &Entry, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Term> {
    let key = Key::parse(&entry.key, mistakes);
    let test = match Subject::find(key.name) {
        Some(Subject::Fact(index)) => fact_test(index, &key, entry, known, mistakes),
        Some(Subject::List(index)) => list_test(index, &key, entry, known, mistakes),
        None => {
            unknown_fact(&key, mistakes);
            None
        }
    }?;
    Some(Term { span: entry.span(), test })
}

fn fact_test(
    index: usize,
    key: &Key<'_>,
    entry: &Entry,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Test> {
    let fact = SCALARS.get(index)?;
    if let Some((word, span)) = key.modifiers.iter().find(|(word, _)| Quantifier::WORDS.contains(word)) {
        let message = format!("`{word}` is for lists, and `{}` is a single value", fact.path);
        let lists = listing(LISTS.iter().map(|list| list.name));
        mistakes.error_with_help(Code::R026, *span, message, format!("the lists are {lists}"));
        return None;
    }
    let modifiers = key.compare_modifiers(mistakes)?;
    Some(match compare::read(fact, &modifiers, &entry.value, known, mistakes)? {
        Comparison::Value(compare) => Test::Fact { index, fact, compare },
        Comparison::Known(known) => Test::FactKnown { index, fact, known },
    })
}

fn list_test(
    index: usize,
    key: &Key<'_>,
    entry: &Entry,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Test> {
    let list = LISTS.get(index)?;
    let (quantifier, entries) = match key.modifiers.as_slice() {
        [("exists", _)] => {
            let known = compare::flag(&entry.value, mistakes)?;
            return Some(Test::ListKnown { index, list, known });
        }
        [("any", _)] => (Quantifier::Any, entry_filter(list, &entry.value, known, mistakes)?),
        [("none", _)] => (Quantifier::None, entry_filter(list, &entry.value, known, mistakes)?),
        [("count", _)] => quantifier::read_count(list, &entry.value, known, mistakes)?,
        [("sequence", _)] => {
            let sequence = sequence::read(list, &entry.value, known, mistakes)?;
            return Some(Test::Sequence { index, list, sequence });
        }
        [] => {
            let message = format!("`{}` is a list and needs a quantifier", list.name);
            let field = telling_field(list);
            let help =
                format!("write `{}|any: {{{field}: ...}}`, or `none`, `count` or `sequence` for `any`", list.name);
            mistakes.error_with_help(Code::R026, entry.key.span, message, help);
            return None;
        }
        [.., (word, span)] => {
            let message = format!("`{word}` is no quantifier for the list `{}`", list.name);
            let meant = slips::quantifier(word, list);
            let close = || suggestion(word, Quantifier::WORDS.iter().copied());
            let help = meant.or_else(close).unwrap_or_else(|| {
                let term = match field_for(list, word) {
                    Some(field) => format!("{field}|{word}"),
                    None => telling_field(list).to_owned(),
                };
                format!("write `{}|any: {{{term}: ...}}` to compare a field of its entries", list.name)
            });
            mistakes.error_with_help(Code::R026, *span, message, help);
            // What stands below a word that is only misspelt can be looked at all the same.
            match (key.modifiers.len(), closest(word, Quantifier::WORDS.iter().copied())) {
                (1, Some("any" | "none")) => drop(entry_filter(list, &entry.value, known, mistakes)),
                (1, Some("count")) => drop(quantifier::read_count(list, &entry.value, known, mistakes)),
                (1, Some("sequence")) => drop(sequence::read(list, &entry.value, known, mistakes)),
                _ => {}
            }
            return None;
        }
    };
    Some(Test::List { index, list, quantifier, entries })
}

/// Reads what an entry must be: a mapping, or a list of mappings of which one must hold.
pub(super) fn entry_filter(
    list: &'static ListDefinition,
    node: &Node,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<EntryFilter> {
    let what = format!("the entries of `{}` that are meant", list.name);
    let one = std::slice::from_ref(node);
    let nodes = if node.items().is_some() { mistakes.items(node, &what)? } else { one };
    let mut alternatives = Vec::new();
    for node in nodes {
        if unknown::is_text(list, node, &what, mistakes) {
            continue;
        }
        let Some(entries) = filled_mapping(node, &what, mistakes) else { continue };
        let terms: Vec<FieldTerm> =
            entries.iter().filter_map(|entry| field_term(list, entry, known, mistakes)).collect();
        if terms.len() == entries.len() {
            alternatives.push(terms);
        }
    }
    (alternatives.len() == nodes.len()).then_some(EntryFilter { alternatives })
}

fn field_term(
    list: &'static ListDefinition,
    entry: &Entry,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<FieldTerm> {
    let key = Key::parse(&entry.key, mistakes);
    let Some(field) = Field::find(list, key.name) else {
        unknown::field(list, key.name, key.span(mistakes), mistakes);
        return None;
    };
    let modifiers = key.compare_modifiers(mistakes)?;
    let test = match compare::read(field.definition, &modifiers, &entry.value, known, mistakes)? {
        Comparison::Value(compare) => FieldTest::Value(compare),
        Comparison::Known(known) => FieldTest::Known(known),
    };
    Some(FieldTerm { field, test })
}

/// The field that examples in messages use: not the position, which hardly any rule asks for.
pub(super) fn telling_field(list: &ListDefinition) -> &'static str {
    list.fields.iter().map(|field| field.path).find(|path| *path != "position").unwrap_or("position")
}

/// The first field but the position that a modifier can compare.
fn field_for(list: &ListDefinition, word: &str) -> Option<&'static str> {
    let modifier = Modifier::from_word(word)?;
    let fields = list.fields.iter().filter(|field| field.path != "position");
    fields.into_iter().find(|field| modifier.fits(field.kind)).map(|field| field.path)
}

fn unknown_fact(key: &Key<'_>, mistakes: &mut Mistakes) {
    let message = format!("there is no fact `{}`", key.name);
    let list = key.name.split_once('.').and_then(|(list, field)| {
        LISTS.iter().find(|definition| definition.name == list).map(|definition| (definition.name, field))
    });
    let known = SCALARS.iter().map(|fact| fact.path).chain(LISTS.iter().map(|list| list.name));
    let help = match list {
        Some((list, field)) => format!("`{list}` is a list: write `{list}|any: {{{field}: ...}}`"),
        None => slips::fact(key.name)
            .or_else(|| suggestion(key.name, known))
            .unwrap_or_else(|| format!("`crashsift rules facts` prints all facts with their types{NEWER}")),
    };
    mistakes.error_with_help(Code::R020, key.span(mistakes), message, help);
}

/// A key taken apart: `NAME|WORD|WORD`.
struct Key<'n> {
    node: &'n Node,
    name: &'n str,
    modifiers: Vec<(&'n str, Span)>,
}

impl<'n> Key<'n> {
    fn parse(node: &'n Node, mistakes: &Mistakes) -> Self {
        let text = node.text().unwrap_or_default();
        let Some((name, mut rest)) = text.split_once('|') else {
            return Self { node, name: text, modifiers: Vec::new() };
        };
        let mut modifiers = Vec::new();
        loop {
            let (word, after) = rest.split_once('|').map_or((rest, None), |(word, after)| (word, Some(after)));
            let start = text.len().saturating_sub(rest.len());
            let end = start.saturating_add(word.len());
            modifiers.push((word, node.span_within(&mistakes.file, start..end)));
            match after {
                Some(after) => rest = after,
                None => break,
            }
        }
        Self { node, name, modifiers }
    }

    /// The place of the name.
    fn span(&self, mistakes: &Mistakes) -> Span {
        self.node.span_within(&mistakes.file, 0..self.name.len())
    }

    /// The modifiers, as far as they are for single values.
    fn compare_modifiers(&self, mistakes: &mut Mistakes) -> Option<Vec<(Modifier, Span)>> {
        let mut read = Vec::new();
        for (word, span) in &self.modifiers {
            let Some(modifier) = Modifier::from_word(word) else {
                let words = Modifier::WORDS.iter().map(|(word, _)| *word);
                let help = slips::modifier(word)
                    .map(str::to_owned)
                    .or_else(|| suggestion(word, words.clone()))
                    .unwrap_or_else(|| format!("the modifiers are {}{NEWER}", listing(words)));
                mistakes.error_with_help(Code::R021, *span, format!("there is no modifier `{word}`"), help);
                continue;
            };
            read.push((modifier, *span));
        }
        (read.len() == self.modifiers.len()).then_some(read)
    }
}
