//! Texts that explain crashes and report none: guides, READMEs, articles of a knowledge base.

use super::code_blocks::{in_code, unquoted};
use super::cue_words::{Cue, is_one_of, words_of};
use super::quotes::quotes;
use evidence::TicketLine;

/// The fewest signs of a document, of five, that a guide has.
const FEWEST_SIGNS: usize = 3;

/// The fewest solutions in a list of known errors.
const FEWEST_SOLUTIONS: usize = 2;

/// Whether a text reads like a guide: it has the form of a document, and its author reports nothing that happened to
/// them.
pub(super) fn is_guide(lines: &[TicketLine]) -> bool {
    let mut signs = Signs::default();
    let in_code = in_code(lines);
    for (position, (line, _)) in lines.iter().zip(in_code).enumerate().filter(|(_, (_, in_code))| !in_code) {
        signs.add(line.text.trim(), position == 0);
    }
    (signs.document_signs() >= FEWEST_SIGNS || signs.solutions >= FEWEST_SOLUTIONS) && !signs.is_report()
}

/// What was counted in a text, code blocks left out.
#[derive(Debug, Default)]
struct Signs {
    titled: bool,
    headings: usize,
    code_spans: usize,
    table_rows: usize,
    links: usize,
    report_headings: usize,
    personal_lines: usize,
    solutions: usize,
}

impl Signs {
    fn add(&mut self, line: &str, is_first: bool) {
        let count = |counter: &mut usize, more: usize| *counter = counter.saturating_add(more);
        let count_if = |counter: &mut usize, counts: bool| count(counter, usize::from(counts));
        let heading = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#'));
        // Bold lines stand for headings where a form was filled in.
        let bold = line.strip_prefix("**").and_then(|rest| Some(rest.split_once("**")?.0));
        self.titled |= is_first && (line == "---" || line == "+++" || line.starts_with("# "));
        count_if(&mut self.headings, heading.is_some_and(|heading| heading.starts_with(' ')));
        let name = heading.or(bold).map(|name| name.trim().to_lowercase());
        let of_a_form = |name: &String| words_of(Cue::ReportHeading).iter().any(|known| name.starts_with(known));
        count_if(&mut self.report_headings, name.as_ref().is_some_and(of_a_form));
        count(&mut self.code_spans, line.matches('`').count() / 2);
        count_if(&mut self.table_rows, line.starts_with('|') && line.matches('|').count() >= 3);
        count(&mut self.links, line.matches("](").count().max(line.matches("https://").count()));
        let label = unquoted(line).trim_start_matches(['-', '*', '•', ' ']).split_once(':').map(|(label, _)| label);
        let label = label.unwrap_or_default().trim_matches(['*', ' ']);
        count_if(&mut self.solutions, is_one_of(label, words_of(Cue::Solution)));
        // A heading and a quotation speak in the voice of whoever reads.
        count_if(&mut self.personal_lines, heading.is_none() && is_personal(line));
    }

    /// Of the five signs of a document, how many it has.
    fn document_signs(&self) -> usize {
        let signs = [self.titled, self.headings >= 3, self.code_spans >= 3, self.table_rows >= 3, self.links >= 2];
        signs.into_iter().filter(|sign| *sign).count()
    }

    /// Whether somebody reports what happened: by the form's headings, or in the first person.
    fn is_report(&self) -> bool {
        self.report_headings.saturating_add(self.personal_lines) >= 2
    }
}

/// Whether the author reports in a line, outside of quotation marks, what happened to them.
fn is_personal(line: &str) -> bool {
    let mut outside = String::with_capacity(line.len());
    let mut at = 0;
    for quote in quotes(line) {
        outside.push_str(line.get(at..quote.start).unwrap_or_default());
        outside.push(' ');
        at = quote.end;
    }
    outside.push_str(line.get(at..).unwrap_or_default());
    let mut words = outside.split(|letter: char| !(letter.is_alphanumeric() || letter == '\''));
    words.any(|word| is_one_of(word, words_of(Cue::Oneself)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guide(text: &str) -> bool {
        let lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        is_guide(&lines)
    }

    #[test]
    fn guides_are_told_by_their_form() {
        let readme = "# GPU set-up\nInstall `cudnn`, put `zlibwapi.dll` into `PATH`.\n## Driver\nSee [the page](https://a.example).\n\
                      ## Errors\nWinError 126 means that a library is missing, see [here](https://b.example).\n";
        let article = "---\ntitle: Crashes of the demo program\n---\n## Symptoms\nThe program ends with 0xC0000005.\n## Cause\n\
                       | code | means |\n|---|---|\n| 5 | access |\n## Resolution\nUpdate it.\n";
        for text in [readme, article] {
            assert!(guide(text), "{text}");
        }
    }

    #[test]
    fn an_issue_with_headings_is_a_report() {
        let form = "# Crash on start\n## Describe the bug\n`demo` ends with `0xC0000005` after `run`.\n## To Reproduce\nSee \
                    [this](https://a.example) and [that](https://b.example).\n## Environment\nWindows 11\n";
        let told = "# It crashes\n## What\nI start `demo` with `-x` and `-y`.\n## More\n[log](https://a.example), \
                    [dump](https://b.example)\n## Machine\nMy PC is new.\n";
        let plain =
            "Since the update demo.exe crashes.\nhttps://a.example\nhttps://b.example\nFaulting module name: a.dll\n";
        for text in [form, told, plain] {
            assert!(!guide(text), "{text}");
        }
    }

    #[test]
    fn headings_and_quotations_in_the_readers_voice_report_nothing() {
        let faq = "# FAQ\n## I get \"Could not locate a.dll\"\nPut `a.dll` into `bin`, see [A](https://a.example).\n## My program \
                   ends\nSay \"I need help\" and run `b`, see [B](https://b.example).\n## I see nothing\nWait.\n";
        assert!(guide(faq));
    }

    #[test]
    fn a_list_of_errors_with_their_solutions_is_a_document() {
        let list = "Known errors\nError: a.dll was not found\nSolution: copy it.\nError: OMP: Error #15\nSolution: reinstall.\n";
        assert!(guide(list));
        assert!(guide("a fails\n**Lösung:** b\nc fails\n- Abhilfe: d\n"));
        assert!(guide("Q: a.dll was not found\nA: copy it\nQ: OMP: Error #15\nA: reinstall\n"));
        assert!(!guide("I tried this.\nSolution: none\nMy next try.\nSolution: none\n"));
    }

    #[test]
    fn marks_inside_of_code_are_no_signs() {
        let log = "```\n# a\n# b\n# c\n| 1 | 2 | 3 |\n| 1 | 2 | 3 |\n| 1 | 2 | 3 |\nhttps://a.example https://b.example\n```\n";
        assert!(!guide(log));
    }
}
