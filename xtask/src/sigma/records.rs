//! Records of a folder's event logs, also as other programs interpret them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use evidence::Names;
use evtx_scan::{Record, RecordFields, Selection, is_event_log, read_records};
use pipeline::sigma_matches::{LogRecord, SigmaMatcher};
use sigma::SigmaRules;
use windows_events::{RecordMatcher, catalogue};

use super::rules::files;

/// A record, identified by values that every program prints.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The log's path below the folder.
    pub log: String,
    /// Its `EventRecordID`.
    pub record: u64,
    /// When it was logged, in microseconds, because some programs print no finer times.
    pub time: String,
}

/// A rule that matches a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    pub rule: String,
    pub at: Place,
}

/// A time such as `2024-05-06T07:08:09.1234567Z`, cut to microseconds.
pub fn microseconds(time: &str) -> String {
    let time = time.trim_end_matches("+00:00").trim_end_matches('Z');
    let (seconds, fraction) = time.split_once('.').unwrap_or((time, ""));
    format!("{seconds}.{:0<6.6}", fraction)
}

/// Applies `take` to the selected records of all logs of a folder. Files that are no logs are skipped.
pub fn each<T: Send>(
    folder: &Path,
    selection: &Selection,
    take: &(dyn Fn(&Place, &Record<'_>) -> Option<T> + Sync),
) -> Result<Vec<T>, String> {
    let mut taken = Vec::new();
    for log in files(folder)? {
        let path = folder.join(&log);
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut first = Vec::new();
        File::open(&path).and_then(|file| file.take(8192).read_to_end(&mut first)).map_err(failed)?;
        if !is_event_log(&first) {
            continue;
        }
        let file = File::open(&path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let take = |record: &Record<'_>| {
            let id = record.head.text("EventRecordID").ok().flatten().and_then(|id| id.parse().ok());
            let time = record.time.map(|time| microseconds(&time.to_string())).unwrap_or_default();
            take(&Place { log: log.replace('\\', "/"), record: id.unwrap_or(record.id), time }, record)
        };
        match read_records(&file, bytes, selection, &take) {
            Ok(read) => taken.extend(read.extracted),
            Err(unreadable) => eprintln!("{}: {unreadable}", path.display()),
        }
    }
    Ok(taken)
}

/// The matches of the rules in all logs of a folder.
pub fn matches(folder: &Path, rules: &SigmaRules) -> Result<BTreeSet<Match>, String> {
    let names = Names::default();
    let selection = Selection::wanted(catalogue::wanted()).and(SigmaMatcher(rules).records());
    let found = each(folder, &selection, &|at, record| {
        let found = rules.matches(&LogRecord(record), &names).into_iter();
        let ids = found.filter_map(|found| found.rule.id.as_deref().map(str::to_owned));
        Some(ids.map(|rule| Match { rule, at: at.clone() }).collect::<Vec<_>>())
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Whether one of the rules matches the record.
pub fn any_matches(rules: &SigmaRules, record: &Record<'_>) -> bool {
    !rules.matches(&LogRecord(record), &Names::default()).is_empty()
}

/// The fields of a record, where the values of the record's head replace those of fields with the same name.
pub fn with_head_first(record: &Record<'_>) -> RecordFields {
    let fields = record.fields.iter().map(|(name, value)| {
        let of_head = match name.and_then(|name| name.rsplit('.').next()) {
            Some("Provider") => Some(record.provider),
            Some("Channel") => record.channel,
            Some("Computer") => record.computer,
            _ => None,
        };
        (name, of_head.unwrap_or(value))
    });
    fields.collect()
}

/// The fields of a record, without blanks at the end of their values.
pub fn without_blanks(record: &Record<'_>) -> RecordFields {
    record.fields.iter().map(|(name, value)| (name, value.trim_end())).collect()
}

/// The fields of a record except booleans.
pub fn without_truth(record: &Record<'_>) -> RecordFields {
    record.fields.iter().filter(|(_, value)| !matches!(*value, "true" | "false")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_to_microseconds() {
        for (written, cut) in [
            ("2024-05-06T07:08:09.1234567Z", "2024-05-06T07:08:09.123456"),
            ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09.000000"),
            ("2024-05-06T07:08:09.12+00:00", "2024-05-06T07:08:09.120000"),
        ] {
            assert_eq!(microseconds(written), cut);
        }
    }
}
