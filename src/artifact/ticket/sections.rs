//! Texts that show many events of a log, one below the other: what `wevtutil /f:text` and `Get-WinEvent` print, and
//! several copies out of Event Viewer.

use std::ops::Range;

use crate::evidence::{Ticket, TicketLine};

/// As many events as are told apart.
const MOST_SECTIONS: usize = 256;

/// What the first line of an event begins with: of `wevtutil`, of `Get-WinEvent | Format-List`, and of Event Viewer's
/// copies in the languages in which people post them.
const HEADINGS: [&[&str]; 3] = [
    &["Event["],
    &["TimeCreated "],
    &[
        "Log Name:",
        "Protokollname:",
        "Nom du journal",
        "Nombre de registro:",
        "Nome registro:",
        "Nome do Log:",
        "Nazwa dziennika:",
        "Имя журнала:",
        "日志名称:",
        "ログの名前:",
    ],
];

/// The lines of each event that a text shows, when it shows several. What stands before the first is a part too.
pub(super) fn sections(lines: &[TicketLine]) -> Vec<Range<usize>> {
    let begins = |line: &TicketLine, headings: &[&str]| {
        headings.iter().any(|heading| line.text.trim_start().starts_with(heading))
    };
    // Copies of Event Viewer can stand below a heading of another kind; the kind that comes first counts.
    let first = lines.iter().find_map(|line| HEADINGS.iter().find(|headings| begins(line, headings)));
    let Some(headings) = first else { return Vec::new() };
    let numbered = lines.iter().enumerate().filter(|(_, line)| begins(line, headings));
    let mut starts: Vec<usize> = numbered.map(|(index, _)| index).take(MOST_SECTIONS).collect();
    if starts.len() < 2 {
        return Vec::new();
    }
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Whether two events tell of different crashes. The records of one crash have one report id, or differ in nothing
/// that both have.
pub(super) fn differ(a: &Ticket, b: &Ticket) -> bool {
    fn unequal<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
        matches!((a, b), (Some(a), Some(b)) if a != b)
    }
    if let (Some(a), Some(b)) = (&a.report_id, &b.report_id) {
        return a != b;
    }
    let lower = |name: &Option<std::sync::Arc<str>>| name.as_deref().map(str::to_ascii_lowercase);
    unequal(lower(&a.app), lower(&b.app))
        || unequal(lower(&a.module), lower(&b.module))
        || unequal(a.code, b.code)
        || unequal(a.offset, b.offset)
        || unequal(a.pid, b.pid)
        || unequal(a.bugcheck.as_ref().map(|(code, _)| code.plain()), b.bugcheck.as_ref().map(|(code, _)| code.plain()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_begins_at_each_heading_of_the_first_kind() {
        let shown = |text: &str| {
            let lines: Vec<TicketLine> =
                (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
            sections(&lines)
        };
        assert_eq!(shown("hello\nEvent[0]:\n  Log Name: A\nEvent[1]:\n  Log Name: A\nx"), [0..1, 1..3, 3..6]);
        assert_eq!(shown("Log Name: A\nx\nLog Name: A\ny"), [0..2, 2..4]);
        assert!(shown("Log Name: A\nx").is_empty());
        assert!(shown("nothing").is_empty());
    }
}
