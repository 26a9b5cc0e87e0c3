//! The words of reports for numbers, kinds, times and verdicts.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::confidence::{self, NOT_DETERMINED, SYMPTOM};
use crate::formats::local_time;
use crate::model::{Report, Verdict};
use evidence::{Place, Version};
use incident::IncidentKind;

/// `1 artifact`, `2 artifacts`.
#[must_use]
pub fn counted(number: usize, thing: &str) -> String {
    let plural = if thing.ends_with('s') || thing.ends_with("sh") { "es" } else { "s" };
    counted_as(number, thing, &format!("{thing}{plural}"))
}

/// A number with its noun, in the singular or in the plural.
#[must_use]
pub fn counted_as(number: usize, singular: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}

/// The noun for what happened.
pub(crate) fn kind(kind: IncidentKind) -> &'static str {
    match kind {
        IncidentKind::Crash => "crash",
        IncidentKind::Hang => "hang",
        IncidentKind::Bugcheck => "bugcheck",
        IncidentKind::GpuReset => "GPU reset",
        IncidentKind::StartFailure => "failed start",
        IncidentKind::PowerLoss => "power loss",
        IncidentKind::Exit => "unexpected exit",
    }
}

/// A time to the second, for lists.
pub(crate) fn short_time(time: Timestamp) -> String {
    format!("{time:.0}")
}

/// A time to the second, or the words for none.
pub(crate) fn short_time_if_known(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "time not known".to_owned(), short_time)
}

/// From when to when, where that is known.
pub(crate) fn span(first: Option<Timestamp>, last: Option<Timestamp>) -> String {
    match (first, last) {
        (Some(first), Some(last)) if first != last => format!("{} to {}", short_time(first), short_time(last)),
        (first, last) => short_time_if_known(first.or(last)),
    }
}

/// The longest name that a file or a computer can have on Windows, characters.
const LONGEST_NAME: usize = 255;

/// A name of a file or a computer; a longer text is cut, with the number of characters that are missing.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST_NAME).map(|(end, _)| name.split_at(end)) {
        None => Cow::Borrowed(name),
        Some((shown, rest)) => Cow::Owned(format!("{shown}... ({} more characters)", rest.chars().count())),
    }
}

/// A name with its version, where it has one.
pub(crate) fn versioned(of: &str, version: Option<Version>) -> String {
    let name = name(of);
    version.map_or_else(|| name.clone().into_owned(), |version| format!("{name} {version}"))
}

/// An artifact and the place in it.
pub(crate) fn place(report: &Report, artifact: usize, place: &Place) -> String {
    let path = report.artifact_path(artifact).unwrap_or("unknown artifact");
    match place {
        Place::Whole => path.to_owned(),
        place => format!("{path}, {place}"),
    }
}

/// Sentences, in which line breaks have no meaning: facts that are filled in must not be able to begin a line.
pub(crate) fn prose(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in one line, in which no character acts instead of being seen.
pub(crate) fn one_line(text: &str) -> String {
    local_time::readable(&prose(text)).into_owned()
}

/// How sure a verdict is, in words: `act on it`, `likely`, `possible`, `weak`, `symptom`, `not determined`.
pub(crate) fn how_sure_words(verdict: &Verdict) -> &'static str {
    match verdict.level() {
        Some(level) => level.words(),
        None if verdict.symptom => SYMPTOM,
        None => NOT_DETERMINED,
    }
}

/// The confidence of a verdict in words and percent; `not determined` when it names no cause.
pub(crate) fn how_sure(verdict: &Verdict) -> String {
    if verdict.is_undetermined() {
        NOT_DETERMINED.to_owned()
    } else {
        confidence::phrase(verdict.confidence, verdict.symptom)
    }
}

/// A verdict's cause and confidence.
pub(crate) fn verdict(verdict: &Verdict) -> String {
    let sure = how_sure(verdict);
    if verdict.is_undetermined() { sure } else { format!("{}, {sure}", verdict.cause) }
}

/// A duration in the largest unit of which there are at least two.
pub(crate) fn how_long(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => counted(usize::try_from(seconds / 86_400).unwrap_or(usize::MAX), "day"),
    }
}

/// A number with a comma before every three digits: `2,312`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A sentence behind the customer that it is about, where folders are customers: `acme: the System log...`.
pub(crate) fn of_customer(party: Option<&str>, sentence: &str) -> String {
    party.map_or_else(|| prose(sentence), |party| format!("{}: {}", name(party), prose(sentence)))
}
