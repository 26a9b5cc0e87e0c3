//! R116: names of groups in expressions, and texts that print what they find.

use std::collections::BTreeSet;

use super::linted::{Linted, comparisons};
use crate::language::{Compare, FOUND, FOUND_GROUP, found_path};
use expressions::Pattern;
use rule_syntax::mistakes::listing;
use spanned_yaml::{Code, Diagnostic};

/// `R116`: a text that prints what a group finds that no expression of the rule has, and a group with a name that no text can
/// print.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let compared = rule.terms().flat_map(|term| comparisons(&term.test)).map(|(_, compare)| compare);
    let names: BTreeSet<&str> = compared.flat_map(Compare::expressions).flat_map(Pattern::names).collect();
    for text in rule.own_title().into_iter().chain(rule.own_texts()) {
        let paths: BTreeSet<&str> =
            text.text.match_indices(FOUND_GROUP).filter_map(|(at, _)| path_at(text.text, at)).collect();
        for path in paths {
            let name = path.strip_prefix(FOUND_GROUP).unwrap_or(path);
            // An unknown path is an error of its own.
            if !names.contains(name) && found_path(name).is_some() {
                let message =
                    format!("no expression of this rule has a group `{name}`, so that `{path}` is never known");
                let help = format!("put `(?<{name}>...)` around the part of an expression that finds it");
                rule.warn(Code::R116, rule.place_of(path, text.span), message, &help, found);
            }
        }
    }
    for name in names.into_iter().filter(|name| found_path(name).is_none()) {
        let known = FOUND.iter().filter_map(|path| path.strip_prefix(FOUND_GROUP));
        let help =
            format!("the names of groups are {}; a group that no text prints needs none: `(?:...)`", listing(known));
        let message = format!("no text can print what the group `{name}` finds");
        rule.warn(Code::R116, rule.place_of(&format!("(?<{name}>"), rule.rule.span), message, &help, found);
    }
}

/// The path that begins at a place of a text.
fn path_at(text: &str, at: usize) -> Option<&str> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(..at)?;
    let name = text.get(at.saturating_add(FOUND_GROUP.len())..)?;
    let end = name.find(|c| !is_of_name(c)).unwrap_or(name.len());
    let stands_alone = !before.ends_with(|c: char| is_of_name(c) || c == '.');
    (end > 0 && stands_alone).then(|| text.get(at..at.saturating_add(FOUND_GROUP.len()).saturating_add(end)))?
}
