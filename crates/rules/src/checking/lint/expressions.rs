//! R088: regular expressions that are found in no text.

use regex_syntax::Parser;
use regex_syntax::hir::{Hir, HirKind, Look};

use super::linted::Linted;
use crate::language::slips::between_slashes;
use facts::FactType;
use spanned_yaml::{Code, Diagnostic};

/// `R088`: a regular expression that no text of its fact can match.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for (term, fact, pattern) in rule.expressions() {
        let Ok(hir) = Parser::new().parse(pattern.written()) else { continue };
        let Some(why) = never(&hir, fact.kind) else { continue };
        let message = format!("the regular expression `{}` is found in no text: {why}", pattern.written());
        let help = match between_slashes(pattern.written()) {
            Some(inner) => format!("write `{inner}`, without slashes; texts compare without regard to case"),
            None => "write what the text says; `crashsift inspect` shows facts as rules see them".to_owned(),
        };
        rule.warn(Code::R088, term.span, message, &help, found);
    }
}

/// Why an expression is found in no text of the type, if that can be seen.
pub(super) fn never(hir: &Hir, kind: FactType) -> Option<&'static str> {
    if hir.properties().minimum_len().is_none() {
        return Some("a class in it holds no character");
    }
    match hir.kind() {
        HirKind::Literal(literal) if kind == FactType::Module && literal.0.iter().any(|byte| b"\\/".contains(byte)) => {
            Some("a module name is compared without its path")
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => never(&repetition.sub, kind),
        HirKind::Capture(capture) => never(&capture.sub, kind),
        HirKind::Alternation(parts) => {
            let reasons: Option<Vec<&'static str>> = parts.iter().map(|part| never(part, kind)).collect();
            reasons?.first().copied()
        }
        HirKind::Concat(parts) => parts.iter().find_map(|part| never(part, kind)).or_else(|| misplaced(parts)),
        _ => None,
    }
}

/// Why a sequence can never match: it has `^` after characters, or characters after `$`.
fn misplaced(parts: &[Hir]) -> Option<&'static str> {
    let takes = |part: &Hir| part.properties().minimum_len().is_some_and(|least| least > 0);
    let is = |part: &Hir, look: Look| matches!(part.kind(), HirKind::Look(found) if *found == look);
    let (mut taken, mut ended) = (false, false);
    for part in parts {
        if taken && is(part, Look::Start) {
            return Some("characters stand before its beginning (`^`)");
        }
        if ended && takes(part) {
            return Some("characters stand behind its end (`$`)");
        }
        taken |= takes(part);
        ended |= is(part, Look::End);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_never(text: &str, kind: FactType) -> bool {
        never(&Parser::new().parse(text).expect("an expression"), kind).is_some()
    }

    #[test]
    fn what_can_be_found_in_no_text_is_seen() {
        for text in ["a^b", "a$b", "(a$)b+", "[a&&b]", "x[a&&b]y", "(?:a^b|c$d)", "a+^"] {
            let seen = is_never(text, FactType::Text);
            // A beginning inside of a group is not looked at.
            assert_eq!(seen, text != "(a$)b+", "{text}");
        }
        for text in ["^a", "a$", "a*^b", "(a|^)b", "a$b*", "(?m)a\n^b", r"\bx\b", "a|b^c"] {
            assert!(!is_never(text, FactType::Text), "{text}");
        }
    }

    #[test]
    fn a_module_name_has_no_path() {
        assert!(is_never(r"\\cudnn.*\.dll", FactType::Module));
        assert!(!is_never(r"\\cudnn.*\.dll", FactType::Path));
        assert!(!is_never(r"^(?:.*\\)?cudnn", FactType::Module));
    }
}
