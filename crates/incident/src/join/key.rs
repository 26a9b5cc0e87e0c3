//! By what two pieces of evidence were found to be of one incident, and how much that proves.

use strum::VariantArray;

evidence::words!(
    /// How much a join proves.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    JoinStrength {
        /// Both agree in values that many incidents can have, and no other incident fits.
        Likely => "likely",
        /// Both have a value in common that two incidents hardly ever share.
        Strong => "strong",
        /// Both name an id or file that was made for this incident alone.
        Certain => "certain",
    }
);

evidence::words!(
    /// What joined a piece of evidence to its incident. The order is that of the page on reports.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray)]
    JoinKey {
        /// WER's id of the report.
        ReportId => "report-id",
        /// The same record in a second copy of the log.
        SameRecord => "same-record",
        /// The same dump, report or text in a second file.
        Copy => "copy",
        /// Process id and start of the process.
        ProcessAndStart => "process-and-start",
        /// Code and all parameters of a blue screen.
        BugcheckParameters => "bugcheck-parameters",
        /// Moment, code, address and thread of an exception, of dumps that do not hold the process's start.
        ExceptionAndTime => "exception-and-time",
        /// Code, parameters and moment of a blue screen, of two dumps; or of a dump and the record of the next start.
        StopAndTime => "stop-and-time",
        /// A record that names the dump's file.
        DumpPath => "dump-path",
        /// The folder that Windows Error Reporting made for one report.
        ReportFolder => "report-folder",
        /// Process id and closeness in time.
        ProcessAndTime => "process-and-time",
        /// The end of the process that failed.
        Exit => "exit",
        /// The end of the service whose process failed.
        Service => "service",
        /// Records that Windows writes at one start.
        Restart => "restart",
        /// GPU resets, or refused files of one program, that follow each other within a minute.
        Burst => "burst",
        /// The text that both were pasted in.
        SameText => "same-text",
        /// A record that a runtime writes beside the crash's own.
        Companion => "companion",
        /// Program, version and closeness in time.
        NameAndTime => "name-and-time",
        /// A text that agrees with this incident and with no other.
        Ticket => "ticket",
        /// The machine that the evidence describes.
        Machine => "machine",
    }
);

impl JoinKey {
    /// What it joins by, for people.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::ReportId => "same report number",
            Self::SameRecord => "same record",
            Self::Copy => "same content",
            Self::ProcessAndStart => "same process and start",
            Self::BugcheckParameters => "same code and parameters",
            Self::ExceptionAndTime => "same exception and time",
            Self::StopAndTime => "same blue screen and time",
            Self::DumpPath => "names the dump",
            Self::ReportFolder => "folder of the report",
            Self::ProcessAndTime => "same process and time",
            Self::Exit => "end of the process",
            Self::Service => "end of the service",
            Self::Restart => "recorded at the restart",
            Self::Burst => "right after one another",
            Self::SameText => "in the same text",
            Self::Companion => "recorded beside the crash",
            Self::NameAndTime => "same program and time",
            Self::Ticket => "fits no other incident",
            Self::Machine => "of the same computer",
        }
    }

    /// How much it proves by itself.
    #[must_use]
    pub fn strength(self) -> JoinStrength {
        match self {
            Self::ReportId | Self::SameRecord | Self::Copy | Self::ProcessAndStart | Self::BugcheckParameters => {
                JoinStrength::Certain
            }
            Self::Companion | Self::NameAndTime | Self::Ticket | Self::Machine => JoinStrength::Likely,
            Self::StopAndTime
            | Self::ExceptionAndTime
            | Self::DumpPath
            | Self::ReportFolder
            | Self::ProcessAndTime
            | Self::Exit
            | Self::Service
            | Self::Restart
            | Self::Burst
            | Self::SameText => JoinStrength::Strong,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_has_a_word_of_its_own() {
        let words: BTreeSet<&str> = JoinKey::VARIANTS.iter().map(|key| key.word()).collect();
        assert_eq!(words.len(), JoinKey::Machine as usize + 1);
        assert!(!words.contains(""));
        assert_eq!(JoinKey::ProcessAndStart.word(), "process-and-start");
    }
}
