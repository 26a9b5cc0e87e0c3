//! The reports of Windows Error Reporting that `dxdiag` lists at its end: each reports a crash of its own.

use std::sync::Arc;

use super::values::value_of;
use evidence::{Evidence, Observation, Place, TicketLine, WerReport};
use wer::signature::read_signature;

/// `dxdiag` lists ten.
const MOST_REPORTS: usize = 16;
/// Values of a signature.
const VALUES: usize = 10;
/// Lines that a report has at most.
const MOST_LINES: usize = 48;

/// Takes the reports out of `lines`.
pub(super) fn take_reports(lines: &mut Vec<TicketLine>) -> Vec<Evidence> {
    let mut reports = Vec::new();
    while reports.len() < MOST_REPORTS {
        let Some(start) = lines.iter().position(|line| is_heading(&line.text)) else { break };
        let inside = lines.iter().skip(start.saturating_add(1)).take(MOST_LINES);
        let count = inside.take_while(|line| !line.text.starts_with("+++") && !line.text.starts_with("---")).count();
        let end = start.saturating_add(count).saturating_add(1).min(lines.len());
        let taken: Vec<TicketLine> = lines.drain(start..end).collect();
        reports.extend(report(&taken));
    }
    reports
}

/// `+++ WER0 +++:`
fn is_heading(line: &str) -> bool {
    let number = line.strip_prefix("+++ WER").and_then(|rest| rest.split_once(' '));
    number.is_some_and(|(number, rest)| number.parse::<u8>().is_ok() && rest.starts_with("+++"))
}

fn report(lines: &[TicketLine]) -> Option<Evidence> {
    let mut values: Vec<Arc<str>> = vec!["".into(); VALUES];
    let mut event_type = None;
    for line in lines {
        let Some((label, value)) = line.text.trim().split_once(':') else { continue };
        let position = label.strip_prefix('P').and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
        if let Some(slot) = position.and_then(|position| values.get_mut(position)) {
            *slot = value.trim().into();
        } else if position.is_none() && event_type.is_none() && is_type(value_of(value)) {
            event_type = Some(Arc::<str>::from(value_of(value)));
        }
    }
    let event_type = event_type?;
    values.truncate(values.iter().rposition(|value| !value.is_empty()).map_or(0, |last| last.saturating_add(1)));
    let numbers = lines.iter().map(|line| line.number).collect::<Vec<u32>>();
    let signature = read_signature(&event_type, &values);
    let report = WerReport { event_type, signature, ..WerReport::default() };
    Some(Evidence { place: Place::Lines(numbers.into()), observation: Observation::Wer(Box::new(report)) })
}

/// A name of WER's for a kind of problem: it has capitals and digits and no blank. The label before it is translated.
fn is_type(value: &str) -> bool {
    value.len() >= 3
        && value.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
        && value.starts_with(|first: char| first.is_ascii_uppercase())
        && value.chars().filter(char::is_ascii_uppercase).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_report_is_one_and_leaves_the_text() {
        let text = "Machine name: PC-1\n+++ WER0 +++:\nFault bucket 12, type 4\nEvent Name: APPCRASH\nResponse: Not available\n\
                    P1: tool.exe\nP4: part.dll\nP7: c0000005\nP8: 12\n+++ WER1 +++:\nNo Data\n--------\nend";
        let mut lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        let reports = take_reports(&mut lines);
        assert_eq!(lines.iter().map(|line| &*line.text).collect::<Vec<_>>(), ["Machine name: PC-1", "--------", "end"]);
        let [Evidence { place, observation: Observation::Wer(report) }] = reports.as_slice() else { panic!("one") };
        assert_eq!(place.to_string(), "lines 2-9");
        assert_eq!((&*report.event_type, report.signature.module.as_deref()), ("APPCRASH", Some("part.dll")));
    }
}
