//! R102: references that nobody can look up.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Linted;
use crate::unfinished::REFERENCE;
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{Code, Diagnostic, Node};

/// The code of this lint.
const CODE: Code = Code::R102;

/// `R102`: a reference that is not an address, or is there twice.
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
            rule.warn(CODE, span, message, help, found);
        }
    }
}

/// The same of the references that an override gives.
pub(crate) fn look_at(list: &Node, mistakes: &mut Mistakes) {
    let mut seen = BTreeSet::new();
    for node in list.items().unwrap_or_default() {
        if let Some((message, help)) = node.text().and_then(|text| wrong(text.trim(), &mut seen)) {
            mistakes.warning(CODE, node.span, message, help);
        }
    }
}

/// What is wrong with a reference, and what would be right.
fn wrong<'t>(reference: &'t str, seen: &mut BTreeSet<&'t str>) -> Option<(String, &'static str)> {
    if !seen.insert(reference) {
        return Some(("this reference stands twice".to_owned(), "remove one of the two"));
    }
    let help = "write where others can read it: https://host/page, without blanks";
    let right = is_address(reference) || reference.ends_with(REFERENCE);
    (!right).then(|| (format!("`{reference}` is no address"), help))
}

/// Whether a text is the address of a page.
fn is_address(text: &str) -> bool {
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let Some(rest) = rest else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name);
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let visible = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>' | '"' | '`');
    name.split('.').all(is_part) && rest.chars().all(visible)
}

/// Where the list begins.
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

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn addresses_are_told_from_other_texts() {
        for text in [
            "https://example.org",
            "https://github.com/a/b/issues/1#issuecomment-2",
            "http://tracker:8080/4711",
            "https://learn.microsoft.com/en-us/x?view=y&z=(1)",
            "https://intranet/wiki/Größe",
        ] {
            assert!(is_address(text), "{text}");
        }
        for text in [
            "x",
            "see ticket 5",
            "javascript:alert(1)",
            "https://exa mple.com/a b",
            "https://example.com/a b",
            "https:///page",
            "https://",
            "https://a..b/",
            "ftp://example.org/a",
            "github.com/a/b",
            "<https://example.org>",
        ] {
            assert!(!is_address(text), "{text}");
        }
    }
}
