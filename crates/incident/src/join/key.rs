//! By what two pieces of evidence were found to be of one incident, and how much that proves.

use strum::{IntoStaticStr, VariantArray};

/// How much a join proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum JoinStrength {
    /// Both agree in what many incidents could have in common, and no other incident fits.
    Likely,
    /// Both have in common what two incidents hardly ever share.
    Strong,
    /// Both name something that was made for this incident alone.
    Certain,
}

impl JoinStrength {
    /// Its word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What joined a piece of evidence to its incident. The order is that of the page on reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum JoinKey {
    /// WER's id of the report.
    ReportId,
    /// The same record in a second copy of the log.
    SameRecord,
    /// The same dump, report or text in a second file.
    Copy,
    /// Process id and start of the process.
    ProcessAndStart,
    /// Code and all parameters of a blue screen.
    BugcheckParameters,
    /// Moment, code, address and thread of an exception, of dumps that do not hold the process's start.
    ExceptionAndTime,
    /// Code, parameters and moment of a blue screen, of two dumps; or of a dump and the record of the next start.
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
    /// GPU resets that follow each other within a minute.
    Burst,
    /// The text that both were pasted in.
    SameText,
    /// A record that a runtime writes beside the crash's own.
    Companion,
    /// Program, version and closeness in time.
    NameAndTime,
    /// A text that agrees with this incident and with no other.
    Ticket,
    /// The machine that the evidence describes.
    Machine,
}

impl JoinKey {
    /// Its word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// How much it proves by itself.
    #[must_use]
    pub fn strength(self) -> JoinStrength {
        match self {
            Self::ReportId | Self::SameRecord | Self::Copy | Self::ProcessAndStart | Self::BugcheckParameters => {
                JoinStrength::Certain
            }
            Self::Companion | Self::NameAndTime | Self::Ticket | Self::Machine => JoinStrength::Likely,
            Self::ExceptionAndTime
            | Self::StopAndTime
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
