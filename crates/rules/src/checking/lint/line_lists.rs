//! R109, and R088, R105 and R107 for lists of lines.

use regex_syntax::Parser;

use super::{boundaries, expressions, lengths};
use crate::language::LineList;
use facts::FactType;
use spanned_yaml::{Code, Diagnostic, Span};

/// `R109`: a list of lines without an example in which it is found, or without one in which it is not; and for each line
/// the lints that regular expressions of rules get.
pub(crate) fn look<'l>(lists: impl Iterator<Item = &'l LineList>, found: &mut Vec<Diagnostic>) {
    for list in lists {
        if !list.has_examples() {
            let message = "a list of lines without examples of what it is found in, and of what it is not";
            let help = "write `examples: {match: [...], no-match: [...]}`; `crashsift rules test` runs them";
            found.push(Diagnostic::warning(Code::R109, &list.file, Span::file_start(), message).with_help(help));
        }
        look_at_lines(list, found);
        lengths::look_at_list(list, found);
    }
}

fn look_at_lines(list: &LineList, found: &mut Vec<Diagnostic>) {
    for (line, pattern) in list.lines.iter().zip(&list.patterns) {
        let Ok(hir) = Parser::new().parse(pattern.written()) else { continue };
        let (code, message, help) = if let Some(why) = expressions::never(&hir, FactType::Text) {
            let message = format!("the regular expression `{}` is found in no text: {why}", line.text);
            (Code::R088, message, "write what a line of a text says")
        } else if let Some(wrong) = boundaries::never(&hir) {
            (Code::R105, format!("in the regular expression `{}`, {}", line.text, wrong.message()), wrong.help())
        } else {
            continue;
        };
        found.push(Diagnostic::warning(code, &list.file, line.node.span, message).with_help(help));
    }
}
