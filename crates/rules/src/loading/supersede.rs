//! Rules that supersede what they can't supersede.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::Superseded;
use crate::reading::{Read, Superseding};
use rule_syntax::mistakes::{MOST, closest, did_you_mean, too_many};
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
    let firsts = firsts(&named);
    let before = found.len();
    for Superseding { rule, file, named: superseded } in &read.superseding {
        for one in superseded {
            if found.len().saturating_sub(before) >= MOST {
                found.push(too_many(file, one.span));
                return;
            }
            if !read.has(&one.id) {
                let message = format!("there is no rule `{}`", one.id);
                let wrong = Diagnostic::error(Code::R035, file, one.span, message);
                let known = closest(&one.id, read.written.iter().map(String::as_str));
                let help = known.map_or_else(|| "`crashsift rules list` shows all rules".to_owned(), did_you_mean);
                found.push(wrong.with_help(help));
            } else if let Some(rule) = rule
                && firsts.get(rule.as_str()) == Some(&rule.as_str())
                && firsts.get(one.id.as_str()) == Some(&rule.as_str())
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

/// By rule, the first by id of the rules that it supersedes and that supersede it, directly or through others; each circle is
/// reported where that one is. These are the strongly connected components, found by Kosaraju's algorithm.
fn firsts<'r>(named: &BTreeMap<&'r str, Vec<&'r Superseded>>) -> BTreeMap<&'r str, &'r str> {
    let next = |id: &str| named.get(id).into_iter().flatten().map(|one| one.id.as_str());
    let (mut seen, mut finished) = (BTreeSet::new(), Vec::new());
    for start in named.keys() {
        let mut open = vec![(*start, false)];
        while let Some((id, is_done)) = open.pop() {
            if is_done {
                finished.push(id);
            } else if seen.insert(id) {
                open.push((id, true));
                open.extend(next(id).map(|next| (next, false)));
            }
        }
    }
    let mut by: BTreeMap<&str, Vec<&'r str>> = BTreeMap::new();
    for (rule, superseded) in named {
        superseded.iter().for_each(|one| by.entry(one.id.as_str()).or_default().push(*rule));
    }
    let mut firsts = BTreeMap::new();
    for start in finished.iter().rev().copied() {
        let (mut members, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(id) = open.pop() {
            if !firsts.contains_key(id) && members.insert(id) {
                open.extend(by.get(id).into_iter().flatten().copied());
            }
        }
        if let Some(first) = members.first().copied() {
            firsts.extend(members.into_iter().map(|id| (id, first)));
        }
    }
    firsts
}
