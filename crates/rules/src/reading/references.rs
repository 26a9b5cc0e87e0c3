//! Reading references, which readers of a report look up.

use std::collections::BTreeSet;

use crate::language::unfinished::REFERENCE;
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{Code, Node};

/// `R102`: a reference of an override with an address that can't be opened, or that is there twice.
pub(crate) fn look_at(list: &Node, mistakes: &mut Mistakes) {
    let mut seen = BTreeSet::new();
    for node in list.items().unwrap_or_default() {
        if let Some((message, help)) = node.text().and_then(|text| wrong(text.trim(), &mut seen)) {
            mistakes.warning(Code::R102, node.span, message, help);
        }
    }
}

/// What is wrong with a reference, and what would be right.
pub(crate) fn wrong<'t>(reference: &'t str, seen: &mut BTreeSet<&'t str>) -> Option<(String, &'static str)> {
    if !seen.insert(reference) {
        return Some(("this reference stands twice".to_owned(), "remove one of the two"));
    }
    let help = "write where others can read it: https://host/page, without blanks";
    // Other texts are words for people, such as the page of a handbook, that nothing opens.
    let claims = reference.contains("://") || reference.starts_with("javascript:");
    let right = !claims || is_address(reference) || reference.ends_with(REFERENCE);
    (!right).then(|| (format!("`{reference}` is no address"), help))
}

/// `R045`: a reference that a browser would run or open as something else than a page of a server. Blanks and control
/// characters before and in a scheme's name do not count, as in browsers.
pub(crate) fn refuse_script(node: &Node, mistakes: &mut Mistakes) -> bool {
    const SCHEMES: [&str; 6] = ["about", "blob", "data", "file", "javascript", "vbscript"];
    let text = node.text().unwrap_or_default();
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_visible = |c: &char| !c.is_whitespace() && !c.is_control();
    let scheme: String = scheme.chars().filter(is_visible).take(20).map(|c| c.to_ascii_lowercase()).collect();
    let names_what = text.split_once(':').is_some_and(|(_, rest)| !rest.starts_with(' '));
    let is_refused = SCHEMES.contains(&scheme.as_str()) && names_what;
    if is_refused {
        let message = format!("a reference is the address of a page, not `{scheme}:`");
        mistakes.error_with_help(Code::R045, node.span, message, "write where others can read it: https://host/page");
    }
    is_refused
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
