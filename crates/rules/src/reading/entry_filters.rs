//! Reading what entries of a list must be, and the keys of terms.

use crate::language::{EntryFilter, Field, FieldTerm, Modifier, unknown};
use crate::reading::{LoadContext, comparisons};
use facts::schema::ListDefinition;
use rule_syntax::hints;
use rule_syntax::mistakes::{Mistakes, NEWER, each, listing, suggestion};
use spanned_yaml::{Code, Entry, Node, Span};

/// Reads what an entry must be: a mapping, or a list of mappings of which one must hold.
pub(crate) fn entry_filter(
    list: &'static ListDefinition,
    node: &Node,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<EntryFilter> {
    let what = format!("the entries of `{}` that are meant", list.name);
    let alternatives = each(mistakes.one_or_more(node, &what)?, |node| {
        if unknown::is_text(list, node, &what, mistakes) {
            return None;
        }
        each(filled_mapping(node, &what, mistakes)?, |entry| field_term(list, entry, known, mistakes))
    });
    Some(EntryFilter { alternatives: alternatives? })
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
    let test = comparisons::read(field.definition, &modifiers, &entry.value, known, mistakes)?;
    Some(FieldTerm { field, test })
}

pub(crate) fn filled_mapping<'n>(node: &'n Node, what: &str, mistakes: &mut Mistakes) -> Option<&'n [Entry]> {
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

/// A key taken apart: `NAME|WORD|WORD`.
pub(crate) struct Key<'n> {
    pub node: &'n Node,
    pub name: &'n str,
    pub modifiers: Vec<(&'n str, Span)>,
}

impl<'n> Key<'n> {
    pub fn parse(node: &'n Node, mistakes: &Mistakes) -> Self {
        let mut end = 0_usize;
        let mut parts = node.text().unwrap_or_default().split('|').map(|word| {
            let start = end;
            end = start.saturating_add(word.len()).saturating_add(1);
            (word, start..start.saturating_add(word.len()))
        });
        let name = parts.next().map_or("", |(name, _)| name);
        let modifiers = parts.map(|(word, at)| (word, node.span_within(&mistakes.file, at))).collect();
        Self { node, name, modifiers }
    }

    /// The place of the name.
    pub fn span(&self, mistakes: &Mistakes) -> Span {
        self.node.span_within(&mistakes.file, 0..self.name.len())
    }

    /// The modifiers, as far as they are for single values.
    pub fn compare_modifiers(&self, mistakes: &mut Mistakes) -> Option<Vec<(Modifier, Span)>> {
        each(&self.modifiers, |(word, span)| {
            let modifier = Modifier::from_word(word);
            if modifier.is_none() {
                let words = Modifier::WORDS.iter().map(|(word, _)| *word);
                let help = hints::MODIFIERS
                    .get(word)
                    .map(str::to_owned)
                    .or_else(|| suggestion(word, words.clone()))
                    .unwrap_or_else(|| format!("the modifiers are {}{NEWER}", listing(words)));
                mistakes.error_with_help(Code::R021, *span, format!("there is no modifier `{word}`"), help);
            }
            Some((modifier?, *span))
        })
    }
}
