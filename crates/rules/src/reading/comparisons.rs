//! Reading what a value has to be: the modifiers of a fact, and the values behind it.

use std::sync::Arc;

use crate::language::value::{fold, fold_part, noun};
use crate::language::{
    Compare, FieldTest, Modifier, NamedList, Order, Part, WrongPattern, pattern, slips, unknown, value,
};
use crate::reading::{Known, List, Lists, LoadContext};
use evidence::has_folder;
use expressions::Pattern;
use facts::schema::{FactDefinition, PLACES};
use facts::{FactType, Value};
use rule_syntax::mistakes::{Mistakes, each, listing, suggestion};
use spanned_yaml::{Code, Node, Span};
use untrusted::glob::Glob;

/// Reads what a fact must be: the comparison that `modifiers` and `node` write, or whether it must be known.
pub(crate) fn read(
    fact: &FactDefinition,
    modifiers: &[(Modifier, Span)],
    node: &Node,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<FieldTest> {
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
    let denied = |compare| FieldTest::Value(if denied.is_some() { Compare::Not(Box::new(compare)) } else { compare });
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
    let Lists { modules, lines } = known.lists;
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
            let others = (modules, "modules");
            let lists = values(fact, node, mistakes, |_, node, mistakes| named_list(node, lines, others, mistakes))?;
            Compare::Lines { lists, inside, every }
        }
        Modifier::Listed(inside) => {
            let others = (lines, "lines");
            let lists = values(fact, node, mistakes, |_, node, mistakes| named_list(node, modules, others, mistakes))?;
            Compare::Listed { lists, inside }
        }
        Modifier::Exists => return flag(node, "`exists`", mistakes).map(FieldTest::Known),
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
    each(mistakes.one_or_more(node, "the list of values")?, |node| read(fact, node, mistakes))
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
    if fact.kind != FactType::Module || !has_folder(text) {
        return Some(());
    }
    let message = "a module name is compared without its path, so this path means nothing";
    let help = format!("write the file name only: {}", fold(fact.kind, text));
    mistakes.error_with_help(Code::R022, node.span, message, help);
    None
}

fn regex(fact: &FactDefinition, node: &Node, known: &LoadContext<'_>, mistakes: &mut Mistakes) -> Option<Pattern> {
    let count = |states: usize| known.effort.compile(states);
    let read = pattern(scalar(fact, node, mistakes)?, (!known.proven).then_some(&count));
    let wrong = |WrongPattern { at, message, help }| {
        let at = at.map_or(node.span, |at| node.span_within(&mistakes.file, at));
        mistakes.error_with_help(Code::R023, at, message, help);
    };
    read.map_err(wrong).ok()
}

/// The list that a value names, one of `lists`; the `others` hold something else (`R024`).
fn named_list<L: List, O: List>(
    node: &Node,
    lists: &Known<L>,
    (others, what): (&Known<O>, &str),
    mistakes: &mut Mistakes,
) -> Option<NamedList<L>> {
    let name = mistakes.text(node, "the name of a list")?;
    let list = lists.named(name);
    if list.is_none() {
        let names = || lists.names();
        let help = suggestion(name, names()).unwrap_or_else(|| {
            if names().next().is_none() {
                return "lists stand in the folder `data` of a rule set".to_owned();
            }
            format!("the lists are {}", listing(names()))
        });
        let message = if others.has(name) {
            format!("data/{name}.yaml is a list of {what}")
        } else {
            format!("there is no list data/{name}.yaml")
        };
        mistakes.error_with_help(Code::R024, node.span, message, help);
    }
    list
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

/// The `true` or `false` of a key.
pub(crate) fn flag(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<bool> {
    match node.text() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => {
            mistakes.error(Code::R022, node.span, format!("{what} must be `true` or `false`"));
            None
        }
    }
}
