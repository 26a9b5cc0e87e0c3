//! By what two pieces of evidence were found to tell of one incident, and how much that proves.

use super::super::JoinStrength::{self, Certain, Likely, Strong};

/// What joined a piece of evidence to its incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JoinKey {
    /// WER's id of the report.
    ReportId,
    /// The same record out of a second copy of the log.
    SameRecord,
    /// The same dump, report or text in a second file.
    Copy,
    /// Process id and start of the process.
    ProcessAndStart,
    /// Moment, code, address and thread of an exception, of dumps that don't hold the process's start.
    ExceptionAndTime,
    /// Code and all parameters of a stop.
    BugcheckParameters,
    /// Code, parameters and moment of a stop, of two dumps; or of a dump and the record of the next start.
    StopAndTime,
    /// A record that names the dump's file.
    DumpPath,
    /// The folder that Windows Error Reporting made for one report.
    ReportFolder,
    /// Process id and closeness in time.
    ProcessAndTime,
    /// The end of the process that failed.
    Exit,
    /// The end of the service whose process failed.
    Service,
    /// Records that Windows writes at one start.
    Restart,
    /// Resets that follow each other within a minute.
    Burst,
    /// The text that the evidence was pasted in.
    SameText,
    /// A record that a runtime writes beside the crash's own.
    Companion,
    /// Program, version and closeness in time.
    NameAndTime,
    /// A text that agrees with this incident and with no other.
    Ticket,
    /// The machine that it tells of, around the time of the incident or whenever.
    Machine,
}

/// Every key with its word in reports, and how strong it is. The order is that of the report's page.
const KEYS: [(JoinKey, &str, JoinStrength); 19] = [
    (JoinKey::ReportId, "report-id", Certain),
    (JoinKey::SameRecord, "same-record", Certain),
    (JoinKey::Copy, "copy", Certain),
    (JoinKey::ProcessAndStart, "process-and-start", Certain),
    (JoinKey::BugcheckParameters, "bugcheck-parameters", Certain),
    (JoinKey::ExceptionAndTime, "exception-and-time", Strong),
    (JoinKey::StopAndTime, "stop-and-time", Strong),
    (JoinKey::DumpPath, "dump-path", Strong),
    (JoinKey::ReportFolder, "report-folder", Strong),
    (JoinKey::ProcessAndTime, "process-and-time", Strong),
    (JoinKey::Exit, "exit", Strong),
    (JoinKey::Service, "service", Strong),
    (JoinKey::Restart, "restart", Strong),
    (JoinKey::Burst, "burst", Strong),
    (JoinKey::SameText, "same-text", Strong),
    (JoinKey::Companion, "companion", Likely),
    (JoinKey::NameAndTime, "name-and-time", Likely),
    (JoinKey::Ticket, "ticket", Likely),
    (JoinKey::Machine, "machine", Likely),
];

impl JoinKey {
    /// Every key.
    pub fn all() -> impl Iterator<Item = Self> {
        KEYS.into_iter().map(|(key, ..)| key)
    }

    /// Its word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// How strong it is by itself.
    #[must_use]
    pub fn strength(self) -> JoinStrength {
        self.row().2
    }

    fn row(self) -> (Self, &'static str, JoinStrength) {
        // The table has a row for every key, as a test says.
        KEYS.into_iter().find(|(key, ..)| *key == self).unwrap_or((self, "", Likely))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_has_a_word_of_its_own() {
        let words: BTreeSet<&str> = JoinKey::all().map(JoinKey::word).collect();
        assert_eq!(words.len(), KEYS.len());
        assert!(!words.contains(""));
        // The last of the list above; an addition to it needs a row.
        assert_eq!(JoinKey::Machine as usize, KEYS.len() - 1);
    }
}
