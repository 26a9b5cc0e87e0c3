//! Texts that report several crashes, one below the other: what `wevtutil /f:text` and `Get-WinEvent` print, several
//! copies out of Event Viewer, lists of dumps, several analyses of a debugger, several runs in a console.
//!
//! The patterns say how the part of a text begins or ends that is about one crash (`crash_begins`, `crash_ends`). Where
//! one of them fits several times, the text is divided there, and the parts again by others. Parts that do not differ
//! belong together: nobody writes of one crash in one way only. But what different customers, machines or scripts met
//! are different crashes, and so are the rows of a list of crashes or of events, and a blue screen that is told above
//! the report of a program's crash.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::dates::{StatedTime, stated_time};
use super::patterns::{Border, borders, party};
use super::recognised::{BUGCHECK, Weight};
use super::{event_table, event_text, python};
use crate::cue_words::{Cue, words, words_of};
use crate::line::read_alone;
use evidence::{Ticket, TicketLine};

mod rows;

/// How many borders between parts are looked at.
const MOST_BORDERS: usize = 1024;
/// The kind of a border that the form of event 1000's text shows, which no pattern describes.
const BY_FORM: usize = usize::MAX;

/// The kind of a border that a traceback of another script makes.
const BY_SCRIPT: usize = usize::MAX - 1;

/// The kind of a border between a blue screen and the report of a program's crash below it.
const BY_STOP: usize = usize::MAX - 2;

/// The kind of a border that a row of a table of events makes, if it is about a program's crash.
const BY_TABLE: usize = usize::MAX - 4;

/// As many lines above a report as a blue screen is looked for in.
const MOST_ABOVE: usize = 64;

/// A part of a text that may be about a crash of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Section {
    /// Its lines, by their position.
    pub range: Range<usize>,
    /// The person or computer that it is about, where the text names it: `customer a`.
    party: Option<Arc<str>>,
    /// The script whose traceback it begins with.
    script: Option<Arc<str>>,
    /// Whether it is a row of a list of crashes.
    is_row: bool,
}

/// The parts of a text that may each be about a crash of its own, when there are several. What is before the first
/// is a part too.
pub(super) fn sections(lines: &[TicketLine], listed: &BTreeMap<usize, event_table::Listed>) -> Vec<Section> {
    let mut found = rows::borders(lines);
    for row in event_table::crashes(listed).into_iter().take(MOST_BORDERS) {
        found.push(Found { at: row, kind: BY_TABLE, border: Border::Begins, names: None });
    }
    let mut reports = 0_usize;
    let mut scripts = python::scripts(lines).into_iter().peekable();
    let mut script = None;
    for (index, line) in lines.iter().enumerate() {
        if found.len() >= MOST_BORDERS {
            break;
        }
        let named = |border| if border == Border::Party { party(&line.text).map(Arc::from) } else { None };
        let by_pattern =
            borders(&line.text).map(|(kind, border)| Found { at: index, kind, border, names: named(border) });
        found.extend(by_pattern);
        if event_text::begins(lines.get(index..).unwrap_or_default()) {
            found.push(Found { at: index, kind: BY_FORM, border: Border::Begins, names: None });
            if reports == 0 && report_a_stop(lines.get(index.saturating_sub(MOST_ABOVE)..index).unwrap_or_default()) {
                found.push(Found { at: index, kind: BY_STOP, border: Border::Problem, names: None });
            }
            reports = reports.saturating_add(1);
        }
        if let Some((_, file)) = scripts.next_if(|(at, _)| *at == index)
            && script.as_ref() != Some(&file)
        {
            script = Some(Arc::clone(&file));
            found.push(Found { at: index, kind: BY_SCRIPT, border: Border::Begins, names: Some(file) });
        }
    }
    let mut sections = Vec::new();
    divide(Section { range: 0..lines.len(), ..Section::default() }, &found, &mut sections);
    if sections.len() < 2 { Vec::new() } else { sections }
}

/// Whether lines report a blue screen, by more than a name in passing.
fn report_a_stop(lines: &[TicketLine]) -> bool {
    let origin = |line: &TicketLine| read_alone(&line.text, line.number).origin_of(BUGCHECK);
    lines.iter().any(|line| origin(line).is_some_and(|origin| origin.weight < Weight::Passing))
}

/// A line that begins or ends a part.
#[derive(Debug, Clone)]
struct Found {
    at: usize,
    kind: usize,
    border: Border,
    /// The party or script that the part is about.
    names: Option<Arc<str>>,
}

impl Found {
    /// The first line of the part that this border begins. A border that ends a part begins the next one behind itself.
    fn begins(&self) -> usize {
        self.at.saturating_add(usize::from(self.border == Border::Ends))
    }
}

/// Divides a part into sections: by the persons or computers it is about, else at the first kind of border that occurs
/// several times; then divides these sections again.
fn divide(whole: Section, found: &[Found], sections: &mut Vec<Section>) {
    let range = whole.range.clone();
    let inside = || found.iter().filter(|found| range.contains(&found.at));
    let mut times: BTreeMap<usize, usize> = BTreeMap::new();
    let parts =
        |found: &Found| usize::from(found.border == Border::Problem && found.at > range.start).saturating_add(1);
    for found in inside() {
        let times = times.entry(found.kind).or_default();
        *times = times.saturating_add(parts(found));
    }
    let parties: BTreeSet<_> =
        inside().filter(|found| found.border == Border::Party).map(|found| &found.names).collect();
    let several = |found: &&Found| match found.border {
        Border::Party => parties.len() > 1,
        _ => times.get(&found.kind).is_some_and(|times| *times > 1),
    };
    let by_party = inside().filter(several).find(|found| found.border == Border::Party);
    let Some(kind) = by_party.or_else(|| inside().find(several)).map(|found| found.kind) else {
        sections.push(whole);
        return;
    };
    let mut part = Section { range: range.start..range.start, ..whole.clone() };
    let borders = inside().filter(|found| found.kind == kind).map(|border| (border.begins(), Some(border)));
    for (end, border) in borders.chain([(range.end, None)]) {
        if end > part.range.start {
            part.range.end = end;
            divide(part.clone(), found, sections);
            part.range.start = end;
        }
        match border.map(|border| (border.border, border.names.clone())) {
            Some((Border::Party, names)) => part.party = names,
            Some((_, names)) if kind == BY_SCRIPT => part.script = names,
            Some((border, _)) if kind == rows::BY_ROW => part.is_row = border == Border::Begins,
            _ => {}
        }
    }
}

/// Whether the first line of a part, or its last, divides texts in this way.
fn is_border(line: Option<&TicketLine>, wanted: Border) -> bool {
    line.is_some_and(|line| borders(&line.text).any(|(_, border)| border == wanted))
}

/// The code with which the run ended that a part reports, if the part ends with that.
fn ended_with(part: &Ticket) -> Option<u32> {
    part.exit_code.filter(|_| is_border(part.lines.last(), Border::Ends))
}

/// Whether a part begins with the words that another problem comes.
fn is_another_problem(part: &Ticket) -> bool {
    is_border(part.lines.first(), Border::Problem)
}

impl Section {
    /// Whether the part reports a failed run: it names an error, and also ended with an exit code other than 0, begins
    /// another problem, or is about a party or script.
    pub(super) fn reports_a_failure(&self, part: &Ticket) -> bool {
        let absent = words_of(Cue::Absent);
        let error = |line: &TicketLine| {
            let text = line.text.to_ascii_lowercase();
            words(&text).any(|word| word.ends_with("error"))
                || (text.contains(".dll") && absent.iter().any(|absent| text.contains(absent)))
        };
        let failed = ended_with(part).is_some_and(|code| code != 0) || is_another_problem(part);
        (failed || self.party.is_some() || self.script.is_some()) && part.lines.iter().any(error)
    }
}

/// A part of a text about a crash.
#[derive(Debug)]
pub(super) struct Part {
    pub ticket: Ticket,
    /// The time of its record, as the text gives it.
    time: Option<StatedTime>,
    /// Whether it begins with the start of a program.
    is_a_run: bool,
    /// The code with which the run ended.
    ended_with: Option<u32>,
    section: Section,
}

/// A crash that parts of a text report, in order.
pub(super) type Crash = Vec<Part>;

/// Adds a part to the crash in `crashes` that it is about, or as a new crash. WER's report id decides; without one, the
/// last crash that it does not contradict.
pub(super) fn add_part(crashes: &mut Vec<Crash>, ticket: Ticket, section: Section) {
    let part = Part {
        time: stated_time(&ticket.lines),
        is_a_run: is_border(ticket.lines.first(), Border::Starts),
        ended_with: ended_with(&ticket),
        ticket,
        section,
    };
    let id = &part.ticket.report_id;
    let named = |crash: &Crash| id.is_some() && crash.iter().any(|other| other.ticket.report_id == *id);
    let another = is_another_problem(&part.ticket);
    let alike = |crash: &Crash| !another && !is_of_another(&part, crash);
    let same = crashes.iter().position(named).or_else(|| crashes.iter().rposition(alike));
    match same.and_then(|same| crashes.get_mut(same)) {
        Some(crash) => crash.push(part),
        None => crashes.push(vec![part]),
    }
}

/// Whether a part of the text is about another crash than the parts in `crash`. The first of these names who had the
/// crash.
fn is_of_another(part: &Part, crash: &Crash) -> bool {
    let section = &part.section;
    let party = crash.first().and_then(|first| first.section.party.as_ref());
    let script = crash.iter().find_map(|other| other.section.script.as_ref());
    let ended_with = crash.iter().find_map(|other| other.ended_with);
    let in_a_list = section.is_row && crash.iter().any(|other| other.section.is_row);
    let is_apart = |other: &Part| {
        (part.is_a_run && other.is_a_run)
            || (in_a_list && is_stop(&other.ticket) != is_stop(&part.ticket))
            || part.time.zip(other.time).is_some_and(|(time, other)| other.is_apart_from(time))
            || differ(&other.ticket, &part.ticket)
    };
    unequal(section.party.as_ref(), party)
        || unequal(section.script.as_ref(), script)
        || unequal(part.ended_with, ended_with)
        || crash.iter().any(is_apart)
}

/// Whether two events report different crashes. The records of one crash have one report id, or differ in nothing
/// that both have.
fn differ(a: &Ticket, b: &Ticket) -> bool {
    if let (Some(a), Some(b)) = (&a.report_id, &b.report_id) {
        return a != b;
    }
    let lower = |name: &Option<Arc<str>>| name.as_deref().map(str::to_ascii_lowercase);
    let stop = match (&a.bugcheck, &b.bugcheck) {
        (Some((a, first)), Some((b, second))) => {
            a.plain() != b.plain() || first.iter().zip(second).any(|(a, b)| a != b)
        }
        // A program's crash is not the system's.
        (Some(_), None) => is_of_a_program(b),
        (None, Some(_)) => is_of_a_program(a),
        (None, None) => false,
    };
    stop || unequal(lower(&a.app), lower(&b.app))
        || unequal(lower(&a.module), lower(&b.module))
        || unequal(a.code, b.code)
        || unequal(a.fast_fail, b.fast_fail)
        || unequal(a.offset, b.offset)
        || unequal(a.access_address, b.access_address)
        || unequal(a.pid, b.pid)
}

fn unequal<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

fn is_stop(ticket: &Ticket) -> bool {
    ticket.bugcheck.is_some()
}

fn is_of_a_program(ticket: &Ticket) -> bool {
    ticket.app.is_some() && ticket.code.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<Range<usize>> {
        let lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        sections(&lines, &BTreeMap::new()).into_iter().map(|section| section.range).collect()
    }

    #[test]
    fn a_section_begins_at_each_heading_of_the_first_kind() {
        assert_eq!(shown("hello\nEvent[0]:\n  Log Name: A\nEvent[1]:\n  Log Name: A\nx"), [0..1, 1..3, 3..6]);
        assert_eq!(shown("Log Name: A\nx\nLog Name: A\ny"), [0..2, 2..4]);
        assert!(shown("Log Name: A\nx").is_empty());
        assert!(shown("nothing").is_empty());
    }

    #[test]
    fn parts_are_divided_by_headings_of_other_kinds() {
        let text = "Log Name: A\nx\nLog Name: A\nFault bucket 1\nFault bucket 2\ny";
        assert_eq!(shown(text), [0..2, 2..3, 3..4, 4..6]);
    }

    #[test]
    fn parts_are_divided_by_whom_they_are_about_first() {
        let text = "Log Name: A\nx\nCustomer A: it crashes\nLog Name: A\nCustomer B: it does not";
        assert_eq!(shown(text), [0..2, 2..4, 4..5]);
        assert!(shown("Customer A: it crashes\nsays he\nCustomer A: it still does").is_empty(), "one and the same");
    }

    #[test]
    fn a_run_ends_with_the_line_that_says_so() {
        let text = "a\nProcess finished with exit code 1\nb\nProcess finished with exit code 0";
        assert_eq!(shown(text), [0..2, 2..4]);
    }
}
