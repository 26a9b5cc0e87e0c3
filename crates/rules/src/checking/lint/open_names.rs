//! R113: texts that send the reader to find a name that the rule knows.

use super::linted::Linted;
use crate::language::LineList;
use crate::reading::Lists;
use crate::reading::guarantee::worlds_when;
use crate::reading::without_templates;
use facts::FactType;
use facts::schema::scalar;
use spanned_yaml::{Code, Diagnostic};

/// The list of phrases.
const OPEN: &str = "names-left-open";

/// The phrases of the built-in rules.
pub(super) fn phrases(lists: &Lists) -> Option<&LineList> {
    lists.lines.get(OPEN).map(|list| &**list)
}

/// `R113`: a text with such a phrase of a rule that knows a file's name and prints none in this text.
pub(super) fn look(rule: &Linted<'_>, phrases: &LineList, found: &mut Vec<Diagnostic>) {
    let open: Vec<_> = rule.own_texts().filter(|text| phrases.fits_text(&without_templates(text.text))).collect();
    if open.is_empty() {
        return;
    }
    let worlds = worlds_when(rule.rule.logic());
    let mut names: Vec<&str> = worlds.into_iter().flatten().filter(|path| is_name(path)).collect();
    names.sort_unstable();
    names.dedup();
    let Some(first) = names.first() else { return };
    for text in open.iter().filter(|text| !names.iter().any(|name| text.text.contains(name))) {
        let message = format!("this text leaves a name open, and the rule knows one: `{first}`");
        let help = format!("write the name where it is known: `{{{{ {first} or \"...\" }}}}`");
        rule.warn(Code::R113, text.span, message, &help, found);
    }
}

/// Whether a fact is the name of a file.
fn is_name(path: &str) -> bool {
    path != "process.name" && scalar(path).is_some_and(|fact| matches!(fact.kind, FactType::Module | FactType::Path))
}
