//! What the logs of a machine would have recorded around an incident: where they do not reach, that they have no record
//! says nothing.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::reach::{TIMELINE_AFTER, reach_seconds};
use evidence::CoveredTimes;
use incident::SIGMA;
use windows_events::catalogue;

/// The logs that record incidents and changes.
pub(super) const APPLICATION: &str = "Application";
pub(super) const SYSTEM: &str = "System";

/// The channels that record entries of a kind.
#[derive(Debug, Clone, Copy)]
enum Channels {
    /// Each of these channels records some entries of the kind: only all of them together show that there is none.
    All(&'static [&'static str]),
    /// One of these channels records the entries of the kind; which one depends on how the machine is set up.
    One(&'static [&'static str]),
}

/// Kinds that other channels than System record. Windows writes the events of each provider of the catalogue into the
/// channel that its manifest names.
const CHANNELS: &[(&[&str], Channels)] = &[
    (&["crash", "hang", "report"], Channels::All(&[APPLICATION])),
    (&["exit"], Channels::One(&[APPLICATION, "Security"])),
    // MsiInstaller writes into the Application log, the service control manager into the System log; a program that did
    // not start is recorded by SideBySide in the first, by a message box in the second.
    (&["software-install", "start-failure", "other"], Channels::All(&[APPLICATION, SYSTEM])),
    (
        &["security-block"],
        Channels::One(&[
            "Microsoft-Windows-Windows Defender/Operational",
            "Microsoft-Windows-Security-Mitigations/KernelMode",
            "Microsoft-Windows-Security-Mitigations/UserMode",
        ]),
    ),
    (
        &["image-refused"],
        Channels::One(&[
            "Microsoft-Windows-CodeIntegrity/Operational",
            "Microsoft-Windows-AppLocker/EXE and DLL",
            "Microsoft-Windows-AppLocker/Packaged app-Execution",
            "Microsoft-Windows-Security-Mitigations/KernelMode",
            "Microsoft-Windows-Security-Mitigations/UserMode",
        ]),
    ),
];

/// The channels for all other kinds of entries. Sigma matches can be from any channel; the System log is taken for all.
const OF_OTHERS: Channels = Channels::All(&[SYSTEM]);

/// How far the logs of a machine reach around an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    time: Timestamp,
    /// By the channel's name in lower case: since when the log has been kept without a hole, and until when, where that
    /// is around the incident.
    channels: BTreeMap<String, (Timestamp, Timestamp)>,
    /// When the first incident like this one was.
    first_like: Option<Timestamp>,
    /// Whether Sigma rules were matched with the logs.
    sigma: bool,
}

/// The part of the timeline that a rule looks for an entry in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelinePart<'k> {
    /// The kind of the entries.
    pub kind: &'k str,
    /// How many seconds before the incident they may be; `None` for as many as are seen of the kind.
    pub before: Option<u64>,
    /// How many seconds after the incident they may be; `None` for as many as are seen.
    pub after: Option<u64>,
    /// How many seconds before the first incident like this one they may be, where that is asked.
    pub before_first: Option<u64>,
}

/// What must be given before a missing entry proves that nothing happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeededInput {
    /// A log.
    Log {
        /// The channels; a log of any of them is enough.
        channels: &'static [&'static str],
        /// The time that it has to cover.
        span: (Timestamp, Timestamp),
    },
    /// Sigma rules: without them, their matches are not known.
    Sigma,
}

impl Recorded {
    /// What the logs of these channels cover around an incident.
    pub(super) fn new<'s>(
        time: Timestamp,
        first_like: Option<Timestamp>,
        channels: impl Iterator<Item = (&'s String, &'s CoveredTimes)>,
        sigma: bool,
    ) -> Self {
        // A log that ends a little before was read while the incident was under way.
        let around = |stretches: &CoveredTimes| {
            let covers = |(first, last): &&(Timestamp, Timestamp)| {
                *first <= time && time.duration_since(*last) <= TIMELINE_AFTER
            };
            stretches.list().iter().rfind(covers).copied()
        };
        let channels = channels.filter_map(|(name, stretches)| Some((name.clone(), around(stretches)?))).collect();
        Self { time, channels, first_like, sigma }
    }

    /// Whether a System log covers the incident: the log that records most of what happens to a machine.
    #[must_use]
    pub fn has_system_log(&self) -> bool {
        self.channels.contains_key(&SYSTEM.to_ascii_lowercase())
    }

    /// The kinds of timeline entries that a provider's records make; for an unknown provider, the kind `other`.
    #[must_use]
    pub fn kinds_of(provider: &str) -> Vec<&'static str> {
        match catalogue::timeline_kinds_of(provider) {
            // That of every channel that is known.
            known if known.is_empty() => vec!["other"],
            known => known,
        }
    }

    /// What is missing to know whether the timeline has an entry in a part; `None` if nothing is missing.
    #[must_use]
    pub fn lacking(&self, asked: TimelinePart<'_>) -> Option<NeededInput> {
        if asked.kind == SIGMA && !self.sigma {
            return Some(NeededInput::Sigma);
        }
        let reach = reach_seconds(Some(asked.kind));
        let of_first = asked
            .before_first
            .zip(self.first_like)
            .map(|(before, first)| self.time.duration_since(first).as_secs().unsigned_abs().saturating_add(before));
        let before = asked.before.into_iter().chain(of_first).min().unwrap_or(reach).min(reach);
        let most_after = TIMELINE_AFTER.as_secs().unsigned_abs();
        let after = asked.after.unwrap_or(most_after).min(most_after);
        let seconds = |seconds: u64| SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
        let from = self.time.saturating_sub(seconds(before)).unwrap_or(Timestamp::MIN);
        let to = self.time.saturating_add(seconds(after)).unwrap_or(Timestamp::MAX);
        let covers = |channel: &str| {
            let of_channel = self.channels.get(&channel.to_ascii_lowercase());
            // Up to the incident a log counts that ends shortly before.
            of_channel.is_some_and(|(first, last)| *first <= from && (after == 0 || *last >= to))
        };
        let of_kind = CHANNELS.iter().find(|(kinds, _)| kinds.contains(&asked.kind)).map(|(_, channels)| *channels);
        let channels = match of_kind.unwrap_or(OF_OTHERS) {
            Channels::One(channels) if channels.iter().any(|channel| covers(channel)) => return None,
            Channels::One(channels) => channels,
            Channels::All(channels) => {
                let lacking = channels.iter().position(|channel| !covers(channel))?;
                channels.get(lacking..=lacking)?
            }
        };
        Some(NeededInput::Log { channels, span: (from, to) })
    }
}

impl std::fmt::Display for NeededInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Log { channels, span: (from, to) } => {
                write!(f, "a {} event log of the machine that covers {from:.0} to {to:.0}", channels.join(" or "))
            }
            Self::Sigma => f.write_str("Sigma rules over event logs of the machine: `--rules sigma:PATH`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::TIMELINE_KINDS;
    use evidence::{Days, LogCoverage};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000_i64.saturating_add(second)).expect("a time")
    }

    fn log(channel: &str, first: i64, last: i64) -> LogCoverage {
        LogCoverage {
            channel: channel.into(),
            computer: "PC-1".into(),
            first: at(first),
            last: at(last),
            records: 2,
            days: Days::default(),
            ids: None,
        }
    }

    fn recorded(logs: &[(&str, i64, i64)]) -> Recorded {
        let logs: Vec<(String, CoveredTimes)> = logs
            .iter()
            .map(|(channel, first, last)| {
                (channel.to_lowercase(), CoveredTimes::from_logs([log(channel, *first, *last)].iter()))
            })
            .collect();
        Recorded::new(at(0), None, logs.iter().map(|(name, stretches)| (name, stretches)), false)
    }

    fn asked(kind: &str, before: Option<u64>) -> TimelinePart<'_> {
        TimelinePart { kind, before, after: Some(0), before_first: None }
    }

    #[test]
    fn that_nothing_was_recorded_is_known_of_the_span_that_the_right_log_covers() {
        let system = recorded(&[("System", -3600, 10)]);
        assert_eq!(system.lacking(asked("storage-error", Some(3600))), None);
        let needed = system.lacking(asked("storage-error", Some(3601))).expect("a longer log");
        assert_eq!(
            needed.to_string(),
            format!("a System event log of the machine that covers {} to {}", at(-3601), at(0))
        );
        assert!(system.lacking(asked("storage-error", None)).is_some(), "a day is seen of it");
        assert!(system.lacking(asked("crash", Some(60))).is_some(), "crashes are recorded elsewhere");
        let application = recorded(&[("Application", -3600, 10)]);
        assert_eq!(application.lacking(asked("crash", Some(60))), None);
        assert!(application.lacking(asked("driver-reset", Some(60))).is_some());
        assert!(application.lacking(asked("software-install", Some(60))).is_some(), "services are installed, too");
        assert!(system.has_system_log() && !application.has_system_log());
    }

    #[test]
    fn what_sigma_rules_match_is_known_where_there_were_some() {
        let logs = [("system".to_owned(), CoveredTimes::from_logs([log("System", -7200, 10)].iter()))];
        let recorded =
            |sigma| Recorded::new(at(0), None, logs.iter().map(|(name, stretches)| (name, stretches)), sigma);
        let asked = asked(SIGMA, Some(3600));
        assert_eq!(recorded(true).lacking(asked), None);
        assert_eq!(recorded(false).lacking(asked), Some(NeededInput::Sigma));
        assert!(
            recorded(true)
                .lacking(TimelinePart { before: Some(7201), ..asked })
                .is_some_and(|log| log != NeededInput::Sigma)
        );
    }

    #[test]
    fn after_the_incident_a_log_has_to_go_on() {
        let ends = TimelinePart { after: Some(300), before: Some(0), kind: "driver-reset", before_first: None };
        assert!(recorded(&[("System", -60, 299)]).lacking(ends).is_some());
        assert_eq!(recorded(&[("System", -60, 300)]).lacking(ends), None);
        assert!(recorded(&[("System", -7200, -3600)]).lacking(asked("driver-reset", Some(60))).is_some());
        assert_eq!(recorded(&[("System", -7200, -60)]).lacking(asked("driver-reset", Some(60))), None);
    }

    #[test]
    fn of_what_is_recorded_in_one_of_several_channels_one_does() {
        let log = recorded(&[("Microsoft-Windows-CodeIntegrity/Operational", -3600, 10), ("System", -3600, 10)]);
        assert_eq!(log.lacking(asked("image-refused", Some(60))), None);
        assert!(log.lacking(asked("security-block", Some(60))).is_some());
    }

    #[test]
    fn before_the_first_incident_of_its_kind_is_longer_ago() {
        let logs = [("system".to_owned(), CoveredTimes::from_logs([log("System", -7200, 10)].iter()))];
        let logs = logs.iter().map(|(name, stretches)| (name, stretches));
        let recorded = Recorded::new(at(0), Some(at(-3600)), logs, false);
        let asked = |seconds| TimelinePart { before_first: Some(seconds), ..asked("driver-install", None) };
        assert_eq!(recorded.lacking(asked(3600)), None);
        assert!(recorded.lacking(asked(3601)).is_some());
    }

    #[test]
    fn channels_are_told_of_kinds_that_there_are() {
        for (kinds, _) in CHANNELS {
            assert!(kinds.iter().all(|kind| TIMELINE_KINDS.contains(kind)), "{kinds:?}");
        }
        assert_eq!(Recorded::kinds_of("Display"), ["driver-reset"]);
        assert_eq!(Recorded::kinds_of("Somebody else"), ["other"]);
    }
}
