//! R102: references that nobody can look up.

use std::collections::BTreeSet;
use std::ops::Range;

use super::linted::Linted;
use crate::reading::references::wrong;
use spanned_yaml::{Code, Diagnostic};

/// `R102`: a reference with an address that can't be opened, or that is there twice.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    // Those that an override gives stand in another file, and were looked at there.
    if rule.rule.overrides().iter().any(|change| change.keys.contains(&"references")) {
        return;
    }
    let mut seen = BTreeSet::new();
    let mut from = key(rule).unwrap_or(rule.rule.span.start);
    for reference in rule.rule.references() {
        let at = place(rule, reference, from);
        let span = at.clone().map_or(rule.rule.id_span, |at| rule.rule.file.span(at));
        from = at.map_or(from, |at| at.end);
        if let Some((message, help)) = wrong(reference, &mut seen) {
            rule.warn(Code::R102, span, message, help, found);
        }
    }
}

/// The offset behind the key `references` in the rule.
fn key(rule: &Linted<'_>) -> Option<usize> {
    const KEY: &str = "references:";
    let span = rule.rule.span;
    let at = rule.rule.file.text.get(span.start..span.end)?.rfind(KEY)?;
    span.start.checked_add(at)?.checked_add(KEY.len())
}

/// The place of a text in the rule, from an offset on.
fn place(rule: &Linted<'_>, text: &str, from: usize) -> Option<Range<usize>> {
    let at = rule.rule.file.text.get(from..rule.rule.span.end)?.find(text)?;
    let start = from.checked_add(at)?;
    Some(start..start.checked_add(text.len())?)
}
