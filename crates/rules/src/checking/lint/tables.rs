//! R088, R092 and R105 for the program's own tables of expressions and words.

use std::sync::Arc;

use regex::RegexBuilder;
use regex_syntax::Parser;

use super::trivial::ODD_TEXTS;
use super::{boundaries, expressions};
use facts::FactType;
use knowledge_tables::patterns::{STEM, with_ascii_classes};
use pasted_text::plain;
use spanned_yaml::{Code, Diagnostic, Node, YamlText, parse};

/// `R088`, `R092` and `R105` for the table in `data/STEM.yaml`, if it is one of expressions or words.
pub(crate) fn look(stem: &str, file: &Arc<YamlText>, found: &mut Vec<Diagnostic>) {
    let tickets = stem.starts_with(STEM);
    let (rows, expressions): (&str, &[&str]) = match stem {
        _ if tickets => ("patterns", &["regex", "needs"]),
        "stated-versions" => ("patterns", &["re"]),
        "mentions" => ("cues", &[]),
        "text-words" => ("words", &[]),
        _ => return,
    };
    let Ok(root) = parse(file) else { return };
    for row in root.get(rows).and_then(Node::items).unwrap_or_default() {
        for node in expressions.iter().filter_map(|key| row.get(key)) {
            let Some(written) = node.text() else { continue };
            let meant = if tickets { with_ascii_classes(written) } else { written.to_owned() };
            found.extend(of_expression(&meant, written).map(|wrong| wrong.at(file, node)));
        }
        let words = row.get("words");
        let words = words.map(Node::one_or_more).unwrap_or_default();
        found.extend(words.iter().filter_map(|node| Some(of_words(node.text()?)?.at(file, node))));
    }
}

/// What is wrong, without its place.
struct TableMistake {
    code: Code,
    message: String,
    help: String,
}

impl TableMistake {
    fn at(self, file: &Arc<YamlText>, node: &Node) -> Diagnostic {
        Diagnostic::warning(self.code, file, node.span, self.message).with_help(self.help)
    }
}

/// What is wrong with an expression of the table that means `meant` and is `written` so.
fn of_expression(meant: &str, written: &str) -> Option<TableMistake> {
    // No table of the program has such an expression, and only the build reads tables.
    if ::expressions::is_too_long(meant) {
        return None;
    }
    let hir = Parser::new().parse(meant).ok()?;
    if let Some(why) = expressions::never(&hir, FactType::Text) {
        let message = format!("the regular expression `{written}` is found in no text: {why}");
        return Some(TableMistake { code: Code::R088, message, help: "write what a line says".to_owned() });
    }
    if let Some(wrong) = boundaries::never(&hir).or_else(|| boundaries::foreign(&hir)) {
        let message = format!("in the regular expression `{written}`, {}", wrong.message());
        return Some(TableMistake { code: Code::R105, message, help: wrong.help().to_owned() });
    }
    let regex = RegexBuilder::new(meant).case_insensitive(true).build().ok()?;
    ODD_TEXTS.iter().all(|text| regex.is_match(text)).then(|| TableMistake {
        code: Code::R092,
        message: format!("every line fits `{written}`"),
        help: "write what a line must say; what is optional says nothing by itself".to_owned(),
    })
}

/// What is wrong with words that are looked for in lines as they were meant.
fn of_words(words: &str) -> Option<TableMistake> {
    let meant = plain(words);
    (meant != words).then(|| TableMistake {
        code: Code::R088,
        message: format!("`{words}` is found in no line: it is read as `{meant}` there"),
        help: format!("write `{meant}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stem: &str, text: &'static str) -> Vec<(Code, u32, u32)> {
        let (file, mut found) = (YamlText::new("data/table.yaml", text), Vec::new());
        look(stem, &file, &mut found);
        found.iter().map(|one| (one.code, one.span.line, one.span.column)).collect()
    }

    #[test]
    fn expressions_of_tables_are_proven_like_those_of_rules() {
        let text =
            "patterns:\n  - regex: 'a\\bb(?<app>x)'\n  - regex: '(?<app>x?)'\n    needs: 'a^b'\n  - {regex: x}\n";
        assert_eq!(told("ticket-a", text), [(Code::R105, 2, 12), (Code::R092, 3, 12), (Code::R088, 4, 12)]);
        assert_eq!(told("stated-versions", "patterns:\n  - {of: a, re: 'a$b'}\n"), [(Code::R088, 2, 17)]);
        assert_eq!(told("bugchecks", text), []);
    }

    /// Patterns of tickets know the letters of ASCII only, so that no word ends behind another one.
    #[test]
    fn the_ends_of_words_are_those_of_the_table() {
        let text =
            "patterns:\n  - {re: 'está\\b\\s', regex: 'está\\b\\s'}\n  - {regex: 'est\\b\\s'}\n  - {needs: 'é\\b'}\n";
        assert_eq!(told("ticket-a", text), [(Code::R105, 2, 29), (Code::R105, 4, 13)]);
        assert_eq!(told("stated-versions", text), []);
    }

    #[test]
    fn words_that_no_line_has_are_told() {
        let text =
            "patterns:\n  - words: '**exit**'\ncues:\n  - words: [it is, 'a &amp; b', 'x > 1']\n  - words: '> it'\n";
        assert_eq!(told("ticket-a", text), [(Code::R088, 2, 12)]);
        assert_eq!(told("mentions", text), [(Code::R088, 4, 20), (Code::R088, 5, 12)]);
        let text =
            "words:\n  - of: level\n    words: [error, '**exit**']\n  - {of: printed_start, words: ['> ', 'at ']}\n";
        assert_eq!(told("text-words", text), [(Code::R088, 3, 20), (Code::R088, 4, 33)]);
    }
}
