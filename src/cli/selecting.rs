//! The options that choose what a report is about.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::Exit;
use super::stream::usage;
use report::{Limits, Selected};
use rules::{RuleSet, closest};

#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Selecting {
    /// Leave out incidents before TIME: 2024-11-11, 2024-11-11T17:43:00Z, or how long ago (7d, 36h, 2w).
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,

    /// Leave out incidents after TIME; a date means its end.
    #[arg(long, value_name = "TIME", value_parser = end_time)]
    until: Option<Timestamp>,

    /// Report only incidents of computers whose name PATTERN fits, with or without its domain; `*` and `?` stand for any
    /// text and any character, case is ignored. Machines likewise. Can be given again, as those below.
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["redact", "redact_map"])]
    host: Vec<String>,

    /// Report only incidents of programs whose name PATTERN fits (`python*.exe`).
    #[arg(long, value_name = "PATTERN")]
    process: Vec<String>,

    /// Report only incidents whose faulting or suspected module PATTERN fits (`nv*.dll`).
    #[arg(long, value_name = "PATTERN")]
    module: Vec<String>,

    /// Report only incidents whose verdict names this cause, or a cause of this family.
    #[arg(long, value_name = "CAUSE|FAMILY")]
    cause: Vec<String>,
}

impl Selecting {
    /// Checks what can be wrong with options that are right each by itself.
    pub fn check(&self, rules: &RuleSet) -> Result<(), Exit> {
        if let (Some(since), Some(until)) = (self.since, self.until)
            && since > until
        {
            return Err(usage(format!("--since {since} is after --until {until}: no incident can be between them")));
        }
        let wrong =
            |cause: &String| check_cause(cause, rules).map_err(|reason| usage(format!("--cause {cause}: {reason}")));
        self.cause.iter().try_for_each(wrong)
    }

    /// The time span of the report.
    pub fn limits(&self) -> Limits {
        Limits { since: self.since, until: self.until }
    }

    /// What the report is about.
    pub fn selected(&self) -> Selected {
        let Self { host, process, module, cause, .. } = self;
        Selected {
            host: host.clone(),
            process: process.clone(),
            module: module.clone(),
            cause: cause.clone(),
            ..Selected::default()
        }
    }
}

/// Checks that `wanted` is a cause or a family of causes.
///
/// # Errors
/// The reason for the user.
pub fn check_cause(wanted: &str, rules: &RuleSet) -> Result<(), String> {
    let causes = rules.causes();
    if causes.get(wanted).is_some() || causes.families().any(|family| family.id == wanted) {
        return Ok(());
    }
    let known = causes.iter().map(|cause| cause.id.as_str()).chain(causes.families().map(|family| family.id.as_str()));
    let close = closest(wanted, known).map(|close| format!("did you mean `{close}`? ")).unwrap_or_default();
    Err(format!("neither a cause nor a family; {close}`crashsift rules causes` prints all"))
}

/// Parses a time; a date means its end, in UTC.
fn end_time(text: &str) -> Result<Timestamp, String> {
    // The resolution of event logs is 100 ns.
    format!("{text}T23:59:59.9999999Z").parse().or_else(|_| time(text))
}

/// Parses a time; a date means its beginning, in UTC, and a duration the time that is so long ago.
fn time(text: &str) -> Result<Timestamp, String> {
    time_at(text, Timestamp::now())
}

fn time_at(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let known = text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).ok();
    known.or_else(|| ago(text, now)).ok_or_else(|| {
        "write a date (2024-11-11), a time with its zone (2024-11-11T17:43:00Z), or how long ago (7d, 36h)".to_owned()
    })
}

/// The time that is a duration before `now`; days have 24 hours. A duration begins with a digit: `-7d` is none.
fn ago(text: &str, now: Timestamp) -> Option<Timestamp> {
    let span: Span = text.parse().ok().filter(|_| text.starts_with(|first: char| first.is_ascii_digit()))?;
    let span = if span.is_negative() { return None } else { span };
    Some(now.to_zoned(TimeZone::UTC).checked_sub(span).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_can_be_how_long_ago() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("a time");
        let at = |text: &str| time_at(text, now).map(|time| time.to_string());
        for (text, time) in [
            ("7d", "2026-02-22T12:00:00Z"),
            ("36h", "2026-02-28T00:00:00Z"),
            ("2w", "2026-02-15T12:00:00Z"),
            ("90m", "2026-03-01T10:30:00Z"),
            ("1d 12h", "2026-02-28T00:00:00Z"),
            ("1 month", "2026-02-01T12:00:00Z"),
            ("2026-02-22", "2026-02-22T00:00:00Z"),
            ("2026-02-22T13:00:00+01:00", "2026-02-22T12:00:00Z"),
        ] {
            assert_eq!(at(text).as_deref(), Ok(time), "{text}");
        }
        for wrong in ["yesterday", "7", "-7d", "7d ago", "7x", "", "99999999y"] {
            assert!(at(wrong).is_err(), "{wrong}");
        }
    }
}
