//! The gaps and requests of made-up incidents, logs and artifacts.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::*;
use crate::model::CollectRequest;
use crate::{ArtifactStatus, GapRequest, Verdict};
use evidence::Days;
use evidence::LogCoverage;
use incident::{Incident, IncidentKind, Signature};
use rules::UNDETERMINED;
use windows_codes::Knowledge;

#[test]
fn kinds_of_gaps_have_two_sentences_or_none() {
    let cells: Vec<usize> = include_str!("kinds.tsv").lines().map(|line| line.split('\t').count()).collect();
    assert!(!cells.is_empty() && cells.iter().all(|count| [1, 3].contains(count)), "{cells:?}");
}

fn at(text: &str) -> Timestamp {
    format!("2024-05-{text}Z").parse().expect("a time")
}

/// An incident on a day and hour of May 2024.
fn incident(kind: IncidentKind, host: Option<&str>, time: &str, determined: bool) -> Judged {
    Judged {
        incident: Incident {
            id: String::new(),
            kind,
            time: (!time.is_empty()).then(|| at(time)),
            host: host.map(Arc::from),
            host_by_folder: false,
            shut_down: false,
            may_be_of: Vec::new(),
            crashed_later: None,
            process: None,
            exception: None,
            bugcheck: None,
            fault_site: None,
            mechanism: None,
            suspect: None,
            stack: Vec::new(),
            symbols_needed: Vec::new(),
            thrown: Vec::new(),
            dump: None,
            other_software: None,
            built_with: Vec::new(),
            environment: BTreeMap::new(),
            signature: Signature { algorithm: 1, coarse: String::new(), fine: String::new() },
            evidence: Vec::new(),
            remarks: Vec::new(),
        },
        findings: Vec::new(),
        suppressed: Vec::new(),
        sigma: Vec::new(),
        threads: Vec::new(),
        party: None,
        verdict: Verdict {
            cause: if determined { "driver-defect" } else { UNDETERMINED }.to_owned(),
            family: None,
            symptom: false,
            confidence: 0.0,
            sentence: String::new(),
            measured: None,
            collect_next: Vec::new(),
            gap_requests: Vec::new(),
            leads: Vec::new(),
        },
    }
}

/// A log with records on these days, and on the first and last of them at noon.
fn log(channel: &str, days: &[u8]) -> LogCoverage {
    let noon = |day: &u8| at(&format!("{day:02}T12:00:00"));
    let (first, last) = (noon(days.first().expect("a day")), noon(days.last().expect("a day")));
    let mut covered = Days::default();
    days.iter().for_each(|day| covered.add(Days::day_of(noon(day))));
    LogCoverage {
        channel: channel.into(),
        computer: "PC-1".into(),
        first,
        last,
        records: days.len() as u64,
        days: covered,
        ids: None,
    }
}

fn machine(logs: Vec<LogCoverage>) -> Machine {
    Machine {
        host: "PC-1".into(),
        party: None,
        environment: BTreeMap::new(),
        earlier: Vec::new(),
        timeline: Vec::new(),
        logs,
        cleared: Vec::new(),
        coverage: Vec::new(),
    }
}

/// The sentences about these.
fn said(logs: Vec<LogCoverage>, incidents: &[(Judged, EvidenceSummary)]) -> Vec<String> {
    let (judged, shown): (Vec<_>, Vec<_>) = incidents.iter().cloned().unzip();
    let mut machines = vec![machine(logs)];
    let found = coverage(&[], &mut machines, &judged, &shown);
    assert!(found.gaps.iter().all(|gap| kinds().any(|(kind, _)| kind == gap.kind)));
    let of_machine: Vec<String> =
        found.gaps.iter().filter(|gap| gap.host.is_some()).map(|gap| gap.says.clone()).collect();
    assert_eq!(machines.first().map(|machine| machine.coverage.clone()), Some(of_machine));
    found.gaps.into_iter().map(|gap| gap.says).collect()
}

/// Incidents with what their evidence holds.
type Incidents = Vec<(Judged, EvidenceSummary)>;

fn days(from: u8, to: u8) -> Vec<u8> {
    (from..=to).collect()
}

const WITH_DUMP: EvidenceSummary = EvidenceSummary {
    dump: true,
    kernel_dump: true,
    named_dump: None,
    recorded: BTreeSet::new(),
    of_another_log: Vec::new(),
    lacks: Vec::new(),
    with_all_memory: 0,
};

#[test]
fn logs_and_incidents_say_what_is_missing() {
    use IncidentKind::{Bugcheck, Crash, Exit};
    let on = |kind, time| (incident(kind, Some("pc-1"), time, true), WITH_DUMP);
    let both = || vec![log("Application", &days(1, 28)), log("System", &days(1, 28))];
    let table: &[(&str, Vec<LogCoverage>, Incidents, &[&str])] = &[
        ("nothing happened", vec![], vec![], &[]),
        ("all is there", both(), vec![on(Crash, "20T08:00:00"), on(Bugcheck, "21T08:00:00")], &[]),
        (
            "no log at all",
            vec![],
            vec![on(Crash, "20T08:00:00")],
            &["no Application log from PC-1", "no System log from PC-1"],
        ),
        ("no program crashed", vec![log("System", &days(1, 28))], vec![on(Bugcheck, "20T08:00:00")], &[]),
        (
            "the end of a service is in the System log",
            vec![log("Application", &days(1, 28))],
            vec![on(Exit, "20T08:00:00")],
            &["no System log from PC-1"],
        ),
        (
            "the Application log begins late",
            vec![log("Application", &days(10, 28)), log("System", &days(1, 28))],
            vec![on(Crash, "09T08:00:00"), on(Crash, "10T11:59:59"), on(Crash, "10T12:00:00")],
            &["the Application log of PC-1 begins 2024-05-10T12:00:00Z; of 3 incidents that it would record, 2 lie \
               before, known from other artifacts"],
        ),
        (
            "a record that is written at the next start is in the log, although what it tells was before",
            vec![log("System", &days(10, 28))],
            vec![(
                incident(IncidentKind::PowerLoss, Some("PC-1"), "10T09:00:00", true),
                EvidenceSummary { recorded: BTreeSet::from(["System"]), ..WITH_DUMP },
            )],
            &[],
        ),
        (
            "it ends early",
            vec![log("Application", &days(1, 20)), log("System", &days(1, 28))],
            vec![on(Crash, "19T08:00:00"), on(Crash, "21T08:00:00")],
            &["the Application log of PC-1 ends 2024-05-20T12:00:00Z; of 2 incidents that it would record, 1 lies \
               after, known from other artifacts"],
        ),
        (
            "two files of one log are one log",
            vec![log("System", &days(1, 10)), log("system", &days(11, 28))],
            vec![on(Bugcheck, "09T08:00:00"), on(Bugcheck, "20T08:00:00")],
            &[],
        ),
        (
            "what another log alone tells would not be in it",
            vec![log("Application", &days(10, 28)), log("System", &days(1, 28))],
            vec![
                (
                    incident(IncidentKind::StartFailure, Some("PC-1"), "09T07:00:00", true),
                    EvidenceSummary {
                        recorded: BTreeSet::from(["System"]),
                        of_another_log: vec!["Application"],
                        ..WITH_DUMP
                    },
                ),
                on(Crash, "09T08:00:00"),
            ],
            &["the Application log of PC-1 begins 2024-05-10T12:00:00Z; of 1 incident that it would record, 1 lies \
               before, known from other artifacts"],
        ),
        (
            "a reset that only a report tells of need not be in it",
            vec![log("Application", &days(1, 28)), log("System", &days(12, 28))],
            vec![on(IncidentKind::GpuReset, "02T09:00:00")],
            &[],
        ),
        (
            "an old export beside the log leaves a hole",
            vec![log("System", &days(1, 8)), log("System", &days(19, 28)), log("Application", &days(1, 28))],
            vec![on(Bugcheck, "15T08:00:00"), on(Crash, "20T08:00:00"), on(Crash, "27T08:00:00")],
            &[
                "the System log of PC-1 has no record from 2024-05-08T12:00:00Z to 2024-05-19T12:00:00Z, between two of \
               its files; 2 incidents lie in that time or in the week after",
            ],
        ),
        (
            "a hole in the Application log hides only what it would record",
            vec![log("Application", &days(1, 8)), log("Application", &days(19, 28)), log("System", &days(1, 28))],
            vec![on(Bugcheck, "15T08:00:00"), on(Crash, "10T08:00:00"), on(Crash, "20T08:00:00")],
            &[
                "the Application log of PC-1 has no record from 2024-05-08T12:00:00Z to 2024-05-19T12:00:00Z, between two \
               of its files; 1 incident lies in that time",
            ],
        ),
        (
            "less than a week before",
            vec![log("System", &days(19, 28))],
            vec![on(Bugcheck, "19T15:00:00"), on(Bugcheck, "20T08:00:00")],
            &[
                "the System log of PC-1 begins 2024-05-19T12:00:00Z, 3 h before the first incident: what changed earlier is \
               not in it",
            ],
        ),
        (
            "silent days on which the other log has records",
            vec![log("Application", &[1, 2, 3, 4, 5, 9, 10, 11, 12]), log("System", &days(1, 28))],
            vec![],
            &[
                "the Application log of PC-1 has no record from 2024-05-06 to 2024-05-08; its other logs have some of 3 of \
               these days",
            ],
        ),
        (
            "two silent days prove nothing",
            vec![log("Application", &[1, 2, 3, 6, 7, 8]), log("System", &days(1, 28))],
            vec![],
            &[],
        ),
        (
            "the computer was off",
            vec![log("Application", &[1, 2, 20, 21]), log("System", &[1, 2, 20, 21])],
            vec![],
            &[],
        ),
        (
            "an export with a filter",
            vec![log("Application", &[1, 4, 9]), log("System", &days(1, 28))],
            vec![],
            &[
                "the Application log of PC-1 has records of 3 of the 9 days from 2024-05-01 to 2024-05-09 on which its other \
               logs show that it ran: it may have been exported with a filter",
            ],
        ),
    ];
    for (name, logs, incidents, expected) in table {
        assert_eq!(said(logs.clone(), incidents), *expected, "{name}");
    }
}

#[test]
fn dumps_that_are_missing_are_counted_by_computer() {
    use IncidentKind::{Bugcheck, Crash, Hang};
    let named = |path: &str| EvidenceSummary { named_dump: Some(path.into()), ..EvidenceSummary::default() };
    let nameless = |kind, shown| (incident(kind, None, "", true), shown);
    let table: &[(Incidents, &[&str])] = &[
        (vec![nameless(Crash, WITH_DUMP)], &[]),
        (vec![nameless(Crash, EvidenceSummary::default())], &["no minidump of the crash whose computer is not known"]),
        (
            vec![
                nameless(Crash, WITH_DUMP),
                nameless(Crash, EvidenceSummary::default()),
                nameless(Hang, EvidenceSummary::default()),
                nameless(Bugcheck, named(r"C:\Windows\MEMORY.DMP")),
                nameless(Bugcheck, named(r"C:\Windows\Minidump\a.dmp")),
            ],
            &[
                "3 crashes and hangs whose computer is not known, minidumps of 1",
                r"no kernel dump of any of the 2 stops whose computer is not known; event 1001 names C:\Windows\MEMORY.DMP, C:\Windows\Minidump\a.dmp",
            ],
        ),
        (
            vec![nameless(
                Hang,
                EvidenceSummary { lacks: vec!["dump-without-exception", "dump-by-64-bit-tool"], ..WITH_DUMP },
            )],
            &[
                "1 minidump holds no exception: it was taken while the process ran",
                "1 minidump of a 32-bit program was made by a 64-bit tool and shows it as a 64-bit process",
            ],
        ),
    ];
    for (incidents, expected) in table {
        assert_eq!(said(Vec::new(), incidents), *expected);
    }
}

#[test]
fn what_helps_most_undetermined_incidents_comes_first() {
    use IncidentKind::Crash;
    let of = |host, determined| (incident(Crash, Some(host), "20T08:00:00", determined), EvidenceSummary::default());
    let incidents = [of("PC-3", true), of("PC-3", true), of("PC-3", true), of("PC-2", false)];
    let (judged, shown): (Vec<_>, Vec<_>) = incidents.into_iter().unzip();
    let artifact = |path: &str, kind: &'static str, status| Artifact {
        path: path.to_owned(),
        kind: kind.into(),
        status,
        detail: None,
        bytes: 1,
        records: None,
        party: None,
        evidence: None,
    };
    let artifacts = [
        artifact("a.zip", "archive", ArtifactStatus::Skipped),
        artifact("b.evtx", "event-log", ArtifactStatus::Failed),
        artifact("c.dmp", "minidump", ArtifactStatus::Partial),
        artifact("d.dmp", "minidump", ArtifactStatus::Partial),
        artifact("notes", "unknown", ArtifactStatus::Skipped),
    ];
    let found = coverage(&artifacts, &mut [], &judged, &shown);
    let said: Vec<(&str, usize)> = found.gaps.iter().map(|gap| (gap.says.as_str(), gap.undetermined)).collect();
    assert_eq!(
        said,
        [
            ("no minidump of the crash of PC-2", 1),
            ("no Application log from PC-2", 1),
            ("no System log from PC-2", 1),
            ("no minidump of any of the 3 crashes of PC-3", 0),
            ("no Application log from PC-3", 0),
            ("no System log from PC-3", 0),
            ("1 archive was not opened: extract and analyze the folder", 0),
            ("1 event log could not be read", 0),
            ("2 minidumps were read only in part", 0),
        ]
    );
}

#[test]
fn what_many_incidents_ask_for_is_asked_for_once() {
    let asking = |ids: &[(&'static str, &str)], determined| {
        let mut judged = incident(IncidentKind::Crash, None, "", determined);
        for (at, (id, program)) in ids.iter().enumerate() {
            judged.verdict.collect_next.push(Knowledge.collect_for(id, &[("{program}", *program)]).expect("a text"));
            judged.verdict.gap_requests.push(GapRequest { id, at });
        }
        judged
    };
    let requests = |incidents: &[Judged]| -> Vec<(String, usize, usize, bool)> {
        let names =
            |request: &CollectRequest| request.says.contains(".exe\" /v") && !request.says.contains("PROGRAM.exe\" /v");
        let found = collect::requests(incidents);
        found.iter().map(|one| (one.id.to_string(), one.incidents, one.undetermined, names(one))).collect()
    };
    let two = [
        asking(&[("no-dump", "a.exe"), ("no-system-log", "a.exe")], true),
        asking(&[("no-dump", "a.exe"), ("no-system-log", "a.exe")], true),
        asking(&[("no-dump", "b.exe"), ("no-system-log", "b.exe")], false),
    ];
    assert_eq!(
        requests(&two),
        [("no-system-log", 3, 1, false), ("no-dump", 1, 1, true), ("no-dump", 2, 0, true)]
            .map(|(id, all, undetermined, named)| (id.to_owned(), all, undetermined, named)),
        "of each program by itself"
    );
    let many: Vec<Judged> = ["a.exe", "b.exe", "c.exe", "d.exe"].map(|name| asking(&[("no-dump", name)], false)).into();
    assert_eq!(requests(&many), [("no-dump".to_owned(), 4, 4, false)], "for all programs");
    assert_eq!(collect::requests(&many).first().map(|request| request.replaces.len()), Some(4));
}
