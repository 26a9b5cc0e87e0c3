//! Reading selections: what facts must be, as typed terms.

use std::collections::BTreeSet;

use crate::language::unknown::telling_field;
use crate::language::{FieldTest, Modifier, Quantifier, Selection, Subject, Term, Test, slips};
use crate::reading::entry_filters::{Key, entry_filter, filled_mapping};
use crate::reading::{LoadContext, comparisons, quantifiers, sequences};
use facts::schema::{LISTS, ListDefinition, SCALARS, scalar};
use rule_syntax::hints;
use rule_syntax::mistakes::{Mistakes, NEWER, closest, each, listing, suggestion};
use spanned_yaml::{Code, Entry, Node};

/// Reads the value under a selection's name: a mapping, or a list of mappings of which one must hold.
pub(crate) fn read(entry: &Entry, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Selection> {
    let what = format!("the selection `{}`", entry.name());
    let nodes = mistakes.one_or_more(&entry.value, &what)?;
    let alternatives = each(nodes, |node| alternative(node, &what, known, mistakes))?;
    Some(Selection { name: entry.name().to_owned(), alternatives })
}

/// The facts that a selection with mistakes seems to ask for: those that its lines name, or nearly name. All, where a
/// line may be meant for any of them.
pub(crate) fn seems_to_ask(entry: &Entry) -> BTreeSet<&'static str> {
    let any = || SCALARS.iter().map(|fact| fact.path).collect();
    let mut asked = BTreeSet::new();
    for node in entry.value.one_or_more() {
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
pub(crate) fn alternative(
    node: &Node,
    what: &str,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Vec<Term>> {
    let entries = filled_mapping(node, what, mistakes)?;
    let mut terms = each(entries, |entry| term(entry, known, mistakes))?;
    terms.sort_by_key(|term| (term.test.cost(), term.span.start));
    Some(terms)
}

fn term(entry: &Entry, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Term> {
    if mistakes.is_full() {
        return None;
    }
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
    Some(match comparisons::read(fact, &modifiers, &entry.value, known, mistakes)? {
        FieldTest::Value(compare) => Test::Fact { index, fact, compare },
        FieldTest::Known(known) => Test::FactKnown { index, fact, known },
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
            let known = comparisons::flag(&entry.value, "`exists`", mistakes)?;
            return Some(Test::ListKnown { index, list, known });
        }
        [("any", _)] => (Quantifier::Any, entry_filter(list, &entry.value, known, mistakes)?),
        [("none", _)] => (Quantifier::None, entry_filter(list, &entry.value, known, mistakes)?),
        [("count", _)] => quantifiers::read_count(list, &entry.value, known, mistakes)?,
        [("sequence", _)] => {
            let sequence = sequences::read(list, &entry.value, known, mistakes)?;
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
            let meant = hints::QUANTIFIERS.get(word).map(|help| help.replace("LIST", list.name));
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
                (1, Some("count")) => drop(quantifiers::read_count(list, &entry.value, known, mistakes)),
                (1, Some("sequence")) => drop(sequences::read(list, &entry.value, known, mistakes)),
                _ => {}
            }
            return None;
        }
    };
    Some(Test::List { index, list, quantifier, entries })
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
