//! The dates and times that texts give the records in them, as they write them: the order of day, month and year is
//! that of somebody's country.

use std::sync::LazyLock;

use regex::Captures;

use evidence::TicketLine;
use expressions::Pattern;

/// The records that Windows writes of one crash are no farther apart than this.
const MINUTES_OF_ONE_CRASH: u32 = 10;
const MINUTES_OF_A_DAY: u32 = 24 * 60;
/// As many lines of a part as its time is looked for in.
const MOST_LINES_TO_TIME: usize = 64;
/// How many dates of a text are kept. One with more fits nearly everything.
const MOST_DATES: usize = 64;
/// The months, as debuggers write them.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A time as a text writes it. The order of day, month and year is not known, and not needed to distinguish two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatedTime {
    date: [u32; 3],
    minute_of_day: Option<u32>,
}

impl StatedTime {
    /// Whether two times can't be those of records of one crash.
    pub(super) fn is_apart_from(self, other: Self) -> bool {
        let (Some(minute), Some(others)) = (self.minute_of_day, other.minute_of_day) else { return false };
        let between = minute.abs_diff(others);
        // From before midnight to after it the day changes, too.
        let near = if self.date == other.date { between } else { MINUTES_OF_A_DAY.saturating_sub(between) };
        near > MINUTES_OF_ONE_CRASH && (self.date == other.date || between < MINUTES_OF_A_DAY.saturating_sub(60))
    }
}

/// The time that the lines of a record begin with: behind a label, a date with or without a time of day.
pub(super) fn stated_time(lines: &[TicketLine]) -> Option<StatedTime> {
    lines.iter().take(MOST_LINES_TO_TIME).find_map(labelled)
}

/// The dates of the records in a text, each once, in order: labelled, or a debugger's. The date in the head of a mail
/// is that of the mail.
pub(super) fn dates(lines: &[TicketLine]) -> Vec<[u32; 3]> {
    let mut dates = Vec::new();
    for (position, line) in lines.iter().enumerate() {
        let Some(date) = labelled(line).map(|time| time.date).or_else(|| debug_session_date(line)) else { continue };
        let beside = [position.checked_sub(1), position.checked_add(1)];
        let in_mail_head = beside.into_iter().flatten().filter_map(|at| lines.get(at)).any(is_in_mail_head);
        if !in_mail_head && !dates.contains(&date) {
            dates.push(date);
        }
        if dates.len() >= MOST_DATES {
            break;
        }
    }
    dates
}

fn labelled(line: &TicketLine) -> Option<StatedTime> {
    static LABELLED: LazyLock<Pattern> = LazyLock::new(|| {
        let label = r"^\W{0,4}(?:date(?: and time)?|time ?created|logged|event time|crash time|datum(?: und uhrzeit)?|protokolliert|fecha|data|enregistré|日期|记录时间|日時)\s*[:：]\s*";
        let date = r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})(?:[T ,]{1,2}(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:\s?([AP])M)?)?";
        Pattern::new(&[label, date].concat())
    });
    let found = captures(&LABELLED, line)?;
    let number = |group: usize| found.get(group).and_then(|digits| digits.as_str().parse::<u32>().ok());
    let hour = number(4).map(|hour| match found.get(6).map(|half| half.as_str().eq_ignore_ascii_case("p")) {
        Some(true) if hour < 12 => hour.saturating_add(12),
        Some(false) if hour == 12 => 0,
        _ => hour,
    });
    let minute_of_day = hour.zip(number(5)).map(|(hour, minute)| hour.saturating_mul(60).saturating_add(minute));
    Some(StatedTime { date: [number(1)?, number(2)?, number(3)?], minute_of_day })
}

/// `Debug session time: Fri Oct 18 09:51:36.768 2013 (UTC + 2:00)`: year, month and day.
fn debug_session_date(line: &TicketLine) -> Option<[u32; 3]> {
    static SESSION: LazyLock<Pattern> = LazyLock::new(|| {
        Pattern::new(r"^\W{0,4}debug session time:\s*[a-z]{3}\s+([a-z]{3})\s+(\d{1,2})\s+[\d:.]+\s+(\d{4})\b")
    });
    let found = captures(&SESSION, line)?;
    let text = |group: usize| found.get(group).map(|part| part.as_str());
    let month = MONTHS.iter().position(|month| text(1).is_some_and(|name| name.eq_ignore_ascii_case(month)))?;
    let month = u32::try_from(month).ok()?.checked_add(1)?;
    Some([text(3)?.parse().ok()?, month, text(2)?.parse().ok()?])
}

/// Whether a line names the sender, the receiver or the subject of a mail.
fn is_in_mail_head(line: &TicketLine) -> bool {
    static HEAD: LazyLock<Pattern> = LazyLock::new(|| {
        let words = r"from|to|cc|subject|reply-to|von|an|betreff|de|à|objet|para|asunto|assunto";
        Pattern::new(&format!(r"^\W{{0,4}}(?:{words})\s*[:：]"))
    });
    HEAD.is_match(&line.text.to_lowercase())
}

/// What the groups of a pattern find in a line, with a number in it.
fn captures<'l>(pattern: &Pattern, line: &'l TicketLine) -> Option<Captures<'l>> {
    let has_number = line.text.bytes().any(|byte| byte.is_ascii_digit());
    let fits = has_number && pattern.is_match(&line.text.to_lowercase());
    fits.then(|| pattern.captures(&line.text)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_apart_when_the_day_or_the_time_of_day_clearly_differs() {
        let apart = |a: &str, b: &str| {
            let of = |text: &str| stated_time(&[TicketLine { number: 1, text: text.into() }]).expect("a time");
            of(a).is_apart_from(of(b))
        };
        assert!(apart("Date: 2024-01-02 10:11:12", "Date: 2024-01-03 10:11:12"));
        assert!(apart("TimeCreated : 1/2/2024 10:11:12 AM", "TimeCreated : 1/2/2024 11:00:00 AM"));
        assert!(apart("Datum: 02.01.2024 10:11:12", "Datum: 02.01.2024 15:11:12"));
        assert!(!apart("Date: 2024-01-02T10:11:12.5", "Date: 2024-01-02T10:13:12.5"), "records of one crash");
        assert!(!apart("Logged: 1/2/2024 11:59:58 PM", "Logged: 1/3/2024 12:00:02 AM"), "over midnight");
        assert!(!apart("Logged: 1/2/2024", "Logged: 1/3/2024 10:00:00"), "no time of day");
    }

    #[test]
    fn the_dates_of_records_are_kept_as_they_are_written() {
        let of = |text: &str| {
            let lines = (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() });
            dates(&lines.collect::<Vec<_>>())
        };
        assert_eq!(
            of("Source: x\nDate:   11/04/2023 09:12:44\nEvent ID: 1000\nDate: 11/04/2023 09:12:45"),
            [[11, 4, 2023]]
        );
        assert_eq!(of("Debug session time: Fri Oct 18 09:51:36.768 2013 (UTC + 2:00)"), [[2013, 10, 18]]);
        assert_eq!(
            of("From: Anna\nDate: 2025-04-20 08:00\nSubject: it crashed\nEbene: Fehler\nDatum: 15.04.2025 10:00"),
            [[15, 4, 2025]]
        );
        assert!(of("It has crashed since 11/04/2023").is_empty());
    }
}
