//! R107: expressions that are too long to be read.

use super::boundaries;
use super::linted::{Linted, comparisons};
use crate::language::{Compare, LineList};
use spanned_yaml::{Code, Diagnostic};

/// The longest expression that is read at a glance, characters: a line of a file.
const MOST: usize = 120;

/// `R107`: an expression of a rule that is longer than a line.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms() {
        for (_, compare) in comparisons(&term.test) {
            let compare = if let Compare::Not(denied) = compare { denied } else { compare };
            let Compare::Regex { patterns, .. } = compare else { continue };
            for written in patterns.iter().map(|pattern| pattern.written()) {
                let Some(message) = too_long(written) else { continue };
                let help = "make its phrases a list in `data`, one a line, and ask for it with `listed`";
                rule.warn(Code::R107, boundaries::place(rule.rule, term, written), message, help, found);
            }
        }
    }
}

/// `R107`: a line of a list that is longer than can be read.
pub(super) fn look_at_list(list: &LineList, found: &mut Vec<Diagnostic>) {
    for line in &list.lines {
        let Some(message) = too_long(&line.text) else { continue };
        let help = "write a line for each phrase; words that several phrases share can be a list, and `{NAME}` stands for \
                    them";
        found.push(Diagnostic::warning(Code::R107, &list.file, line.node.span, message).with_help(help));
    }
}

fn too_long(written: &str) -> Option<String> {
    let length = written.chars().count();
    (length > MOST).then(|| format!("an expression of {length} characters; {MOST} can be read"))
}
