//! Rules that supersede what they can't supersede.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::Superseded;
use crate::reading::{Read, Superseding};
use rule_syntax::mistakes::{closest, did_you_mean};
use spanned_yaml::{Code, Diagnostic};

/// Reports rules that supersede an unknown rule, themselves, or each other in a circle; rules with other mistakes are
/// checked, too.
pub(crate) fn check(read: &Read, found: &mut Vec<Diagnostic>) {
    let mut named: BTreeMap<&str, Vec<&Superseded>> = BTreeMap::new();
    for superseding in &read.superseding {
        if let Some(rule) = &superseding.rule {
            named.entry(rule).or_default().extend(&superseding.named);
        }
    }
    for Superseding { rule, file, named: superseded } in &read.superseding {
        for one in superseded {
            if !read.has(&one.id) {
                let message = format!("there is no rule `{}`", one.id);
                let wrong = Diagnostic::error(Code::R035, file, one.span, message);
                let known = closest(&one.id, read.written.iter().map(String::as_str));
                let help = known.map_or_else(|| "`crashsift rules list` shows all rules".to_owned(), did_you_mean);
                found.push(wrong.with_help(help));
            } else if let Some(rule) = rule
                && is_first_of_circle(&named, rule, &one.id)
            {
                let message = if one.id == *rule {
                    "a rule can't supersede itself".to_owned()
                } else {
                    format!("`{}` supersedes this rule in turn, so neither would be left", one.id)
                };
                found.push(Diagnostic::error(Code::R036, file, one.span, message));
            }
        }
    }
}

/// Whether a rule supersedes itself by way of `next`, and is the first by id of those that do: each circle is reported
/// once.
fn is_first_of_circle(named: &BTreeMap<&str, Vec<&Superseded>>, rule: &str, next: &str) -> bool {
    let is_between = |id: &&&str| leads_to(named, next, id) && leads_to(named, id, rule);
    named.keys().find(is_between).is_some_and(|first| *first == rule)
}

/// Whether the rule `from` is `to`, or supersedes it directly or through other rules.
fn leads_to(named: &BTreeMap<&str, Vec<&Superseded>>, from: &str, to: &str) -> bool {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        if id == to {
            return true;
        }
        if seen.insert(id) {
            open.extend(named.get(id).into_iter().flatten().map(|one| one.id.as_str()));
        }
    }
    false
}
