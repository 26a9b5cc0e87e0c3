//! Times in reports for reading as the clocks of this computer show them, each with its offset from UTC.
//!
//! Sentences about evidence contain times, too, and were made before it was known which format prints them. All texts of these
//! formats pass through `readable` on their way out: it writes each time in UTC, as this program and many others write them, as
//! the same moment in the zone.

use std::borrow::Cow;
use std::cell::RefCell;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use untrusted::sanitise;

/// Characters of a date.
const DATE: usize = "2024-11-11".len();

thread_local! {
    /// The zone of the report that this thread is writing; `None` for UTC.
    static ZONE: RefCell<Option<TimeZone>> = const { RefCell::new(None) };
}

/// Lets `write` write a report with times in a zone; `None`: in UTC.
pub fn in_zone<T>(zone: Option<&TimeZone>, write: impl FnOnce() -> T) -> T {
    let before = ZONE.replace(zone.cloned());
    let written = write();
    ZONE.set(before);
    written
}

/// What stands for the zone beside a list of times.
pub(crate) fn label() -> &'static str {
    ZONE.with_borrow(|zone| if zone.is_some() { "local time" } else { "UTC" })
}

/// What the reader of a report has to know about its times, where they are not in UTC.
pub(crate) fn notice() -> Option<String> {
    ZONE.with_borrow(|zone| {
        let name = zone.as_ref()?.iana_name().map_or_else(String::new, |name| format!(" ({name})"));
        Some(format!(
            "Times are local times of the computer that wrote this report{name}, each with its offset from UTC; days, weeks and \
             months are those of UTC."
        ))
    })
}

/// A text as reports for reading show it: without characters that act instead of being seen, and with times in the zone.
pub(crate) fn readable(text: &str) -> Cow<'_, str> {
    let text = sanitise(text);
    let with_times = ZONE.with_borrow(|zone| zone.as_ref().and_then(|zone| with_times(&text, zone)));
    with_times.map_or(text, Cow::Owned)
}

/// A text with all its times in a zone; `None` where it has none.
fn with_times(text: &str, zone: &TimeZone) -> Option<String> {
    let mut done = String::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(found) = rest.get(from..).and_then(|text| text.find('T')) {
        let letter = from.saturating_add(found);
        from = letter.saturating_add(1);
        if let Some((before, time, after)) = split_at_time(rest, letter) {
            done.push_str(before);
            done.push_str(&time.display_with_offset(zone.to_offset(time)).to_string());
            (rest, from) = (after, 0);
        }
    }
    (!done.is_empty()).then(|| done + rest)
}

/// The time whose `T` is at `letter`, with what is before and behind it.
fn split_at_time(text: &str, letter: usize) -> Option<(&str, Timestamp, &str)> {
    let start = letter.checked_sub(DATE)?;
    let before = text.get(..start)?;
    let clock = text.get(letter.saturating_add(1)..)?;
    let digits = clock.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.')?;
    let end = letter.saturating_add(digits).saturating_add(2);
    let (time, after) = (text.get(start..end)?, text.get(end..)?);
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if !time.ends_with('Z') || is_part(before.chars().next_back()) || is_part(after.chars().next()) {
        return None;
    }
    Some((before, time.parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central Europe.
    fn zone() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone")
    }

    #[test]
    fn every_time_of_a_text_has_the_offset_of_its_moment_and_nothing_else_changes() {
        for (text, expected) in [
            ("2024-11-11T17:43:55Z", "2024-11-11T18:43:55+01:00"),
            ("from 2024-07-01T22:43:55.1234567Z on", "from 2024-07-02T00:43:55.1234567+02:00 on"),
            // The clocks went from 3:00 back to 2:00 at 01:00 UTC.
            ("2024-10-27T00:59:59Z to 2024-10-27T01:00:00Z", "2024-10-27T02:59:59+02:00 to 2024-10-27T02:00:00+01:00"),
            (
                "<td>2024-11-11T17:43:55Z</td>2024-11-11T17:43:56Z",
                "<td>2024-11-11T18:43:55+01:00</td>2024-11-11T18:43:56+01:00",
            ),
            ("ä2024-11-11T17:43:55Z;T", "ä2024-11-11T18:43:55+01:00;T"),
        ] {
            assert_eq!(in_zone(Some(&zone()), || readable(text).into_owned()), expected);
            assert_eq!(readable(text), text);
        }
        for same in [
            "",
            "T",
            "TTT",
            "ÄÄÄÄÄT12:00:00Z",
            "12024-11-11T17:43:55Z",
            "2024-11-11T17:43:55Zx",
            "2024-11-11T17:43:55+01:00",
            "2024-13-11T17:43:55Z",
            "2024-11-11 T",
        ] {
            assert_eq!(in_zone(Some(&zone()), || readable(same).into_owned()), same);
        }
    }

    #[test]
    fn a_report_says_that_its_times_are_local() {
        assert_eq!((label(), notice()), ("UTC", None));
        in_zone(Some(&zone()), || {
            assert_eq!(label(), "local time");
            assert!(notice().is_some_and(|notice| notice.contains("offset from UTC")));
        });
        assert_eq!(label(), "UTC");
    }
}
