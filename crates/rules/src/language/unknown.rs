//! Mistakes that several places of a rule can have: names of facts and fields that do not exist, and texts in the place of
//! an entry.

use facts::schema::{LISTS, ListDefinition, SCALARS};
use rule_syntax::mistakes::{Mistakes, listing, suggestion};
use spanned_yaml::{Code, Node, Span};

/// The help for a word that is not one of those that are possible: the one that was probably meant, or all of them
/// behind `lead`.
pub(crate) fn help<'w>(word: &str, possible: impl Iterator<Item = &'w str> + Clone, lead: &str) -> String {
    suggestion(word, possible.clone()).unwrap_or_else(|| format!("{lead} {}", listing(possible)))
}

/// The help for an unknown name of a fact or list; `others` are further names that are valid in its place.
pub(crate) fn help_for_fact<'w>(name: &str, others: impl Iterator<Item = &'w str>) -> String {
    let known = SCALARS.iter().map(|fact| fact.path).chain(LISTS.iter().map(|list| list.name));
    suggestion(name, known.chain(others))
        .unwrap_or_else(|| "`crashsift rules facts` prints all facts with their types".to_owned())
}

/// `R020`: entries of the list have no field of this name.
pub(crate) fn field(list: &ListDefinition, name: &str, span: Span, mistakes: &mut Mistakes) {
    let help = help(name, list.fields.iter().map(|field| field.path), "its fields are");
    mistakes.error_with_help(Code::R020, span, format!("an entry of `{}` has no field `{name}`", list.name), help);
}

/// `R012`, if there is a text where `what` must be the mapping of an entry of the list.
pub(crate) fn is_text(list: &ListDefinition, node: &Node, what: &str, mistakes: &mut Mistakes) -> bool {
    let Some(text) = node.text().filter(|_| !node.is_nothing()) else { return false };
    let help = format!("write `{{{}: {text}}}`, or another of its fields", telling_field(list));
    mistakes.error_with_help(Code::R012, node.span, format!("{what} must be a mapping, not a text"), help);
    true
}

/// The field that examples in messages use: not the position, which hardly any rule asks for.
pub(crate) fn telling_field(list: &ListDefinition) -> &'static str {
    list.fields.iter().map(|field| field.path).find(|path| *path != "position").unwrap_or("position")
}
