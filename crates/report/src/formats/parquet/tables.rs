//! The tables with their columns, and the rows of each.

use super::cells::{Kind, Row, Value, day, int, json, lines, text, time};
use crate::account::happened;
use crate::confidence::rounded;
use crate::model::{Artifact, Group, Judged, Report};
use crate::wording::{how_sure_words, prose};
use incident::{Machine, OF_MACHINE, TimelineEntry};
use rules::Audience;

/// A table.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Name and type of each column, but for those that `environment` adds at the end.
    columns: &'static [(&'static str, Kind)],
    /// Whether a column for each key of a machine's environment follows.
    environment: bool,
    pub(super) rows: Rows,
}

/// What a table has rows of.
pub(super) enum Rows {
    /// Of each incident so many.
    Incidents(fn(&Report, &Judged) -> Vec<Row>),
    /// Of each entry of a timeline one.
    Entries(fn(&Report, &Machine, &TimelineEntry) -> Row),
    /// Of each group one.
    Groups(fn(&Group) -> Row),
    /// Of each artifact one.
    Artifacts(fn(&Artifact) -> Row),
    /// Of each machine one.
    Machines(fn(&Machine) -> Row),
}

impl Table {
    /// All columns with their types.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&'static str, Kind)> {
        let environment = OF_MACHINE.iter().filter(|_| self.environment).map(|key| (*key, Kind::Text));
        self.columns.iter().copied().chain(environment)
    }

    /// Whether its rows are kept by day.
    pub(super) fn is_by_day(&self) -> bool {
        matches!(self.rows, Rows::Incidents(_) | Rows::Entries(_))
    }
}

/// All tables.
pub(super) const ALL: [&Table; 10] =
    [&INCIDENTS, &EVIDENCE, &FRAMES, &MODULES, &FINDINGS, &STEPS, &GROUPS, &TIMELINE, &ARTIFACTS, &MACHINES];

use Kind::{Flag, Int, Real, Text, Time};

const INCIDENTS: Table = Table {
    name: "incidents",
    columns: &[
        ("id", Text),
        ("kind", Text),
        ("time", Time),
        ("host", Text),
        ("party", Text),
        ("process", Text),
        ("process_version", Text),
        ("process_path", Text),
        ("pid", Int),
        ("exception_code", Text),
        ("exception_name", Text),
        ("bugcheck_code", Text),
        ("bugcheck_name", Text),
        ("bugcheck_live", Flag),
        ("fault_module", Text),
        ("fault_version", Text),
        ("fault_offset", Text),
        ("fault_function", Text),
        ("suspect", Text),
        ("suspect_version", Text),
        ("suspect_basis", Text),
        ("suspect_product", Text),
        ("suspect_reason", Text),
        ("signature", Text),
        ("fine_signature", Text),
        ("cause", Text),
        ("family", Text),
        ("symptom", Flag),
        ("confidence", Real),
        ("how_sure", Text),
        ("severity", Text),
        ("rule", Text),
        ("sentence", Text),
        ("happened", Text),
        ("collect_next", Text),
        ("may_be_of", Text),
    ],
    environment: true,
    rows: Rows::Incidents(|_, judged| {
        let (incident, verdict) = (&judged.incident, &judged.verdict);
        let (process, exception) = (incident.process.as_ref(), incident.exception.as_ref());
        let (site, suspect) = (incident.fault_site.as_ref(), incident.suspect.as_ref());
        let leading = judged.leading_finding();
        let mut row = vec![
            text(Some(&incident.id)),
            text(Some(incident.kind.word())),
            time(incident.time),
            text(incident.host.as_ref()),
            text(judged.party.as_ref()),
            text(process.and_then(|process| process.name.as_ref())),
            text(process.and_then(|process| process.version)),
            text(process.and_then(|process| process.path.as_ref())),
            int(process.and_then(|process| process.pid)),
            text(exception.map(|exception| exception.code)),
            text(exception.and_then(|exception| exception.name.as_ref())),
            text(incident.bugcheck.as_ref().map(|bugcheck| bugcheck.code)),
            text(incident.bugcheck.as_ref().and_then(|bugcheck| bugcheck.name.as_ref())),
            incident.bugcheck.as_ref().map_or(Value::None, |bugcheck| Value::Flag(bugcheck.live)),
            text(site.map(|site| &site.module)),
            text(site.and_then(|site| site.version)),
            text(site.and_then(|site| site.offset)),
            text(site.and_then(|site| site.function.as_ref())),
            text(suspect.map(|suspect| &suspect.module)),
            text(suspect.and_then(|suspect| suspect.version)),
            text(suspect.map(|suspect| suspect.basis.word())),
            text(suspect.and_then(|suspect| suspect.what.as_ref())),
            text(suspect.map(|suspect| &suspect.reason)),
            text(Some(&incident.signature.coarse)),
            text(Some(&incident.signature.fine)),
            text(Some(&verdict.cause)),
            text(verdict.family.as_ref()),
            Value::Flag(verdict.symptom),
            Value::Real(rounded(verdict.confidence)),
            text(Some(how_sure_words(verdict))),
            text(leading.map(|finding| finding.severity.word())),
            text(leading.map(|finding| &finding.rule)),
            text(Some(prose(&verdict.sentence))),
            text(Some(happened(judged))),
            lines(&verdict.collect_next),
            lines(&incident.may_be_of),
        ];
        row.extend(OF_MACHINE.iter().map(|key| text(incident.environment.get(key))));
        vec![row]
    }),
};

const EVIDENCE: Table = Table {
    name: "evidence",
    columns: &[
        ("incident", Text),
        ("host", Text),
        ("time", Time),
        ("number", Int),
        ("artifact", Text),
        ("place", Text),
        ("says", Text),
        ("joined_by", Text),
    ],
    environment: false,
    rows: Rows::Incidents(|report, judged| {
        let rows = (1_usize..).zip(&judged.incident.evidence).map(|(number, item)| {
            let cells = [
                int(Some(number)),
                text(report.artifact_path(item.artifact)),
                text(Some(&item.place)),
                text(Some(&item.sentence)),
                text(item.joined_by.map(|joined| joined.key.word())),
            ];
            of_incident(judged, cells)
        });
        rows.collect()
    }),
};

const FRAMES: Table = Table {
    name: "frames",
    columns: &[
        ("incident", Text),
        ("host", Text),
        ("time", Time),
        ("number", Int),
        ("module", Text),
        ("version", Text),
        ("module_offset", Text),
        ("address", Text),
        ("function", Text),
        ("file", Text),
        ("line", Int),
        ("trust", Text),
        ("stack", Text),
    ],
    environment: false,
    rows: Rows::Incidents(|_, judged| {
        let rows = (0_usize..).zip(&judged.incident.stack).map(|(number, frame)| {
            let cells = [
                int(Some(number)),
                text(frame.module.as_ref()),
                text(frame.version),
                text(frame.offset),
                text(frame.address),
                text(frame.function.as_ref()),
                text(frame.file.as_ref()),
                int(frame.line),
                text(Some(frame.trust.word())),
                text(Some(frame.of.word())),
            ];
            of_incident(judged, cells)
        });
        rows.collect()
    }),
};

const MODULES: Table = Table {
    name: "modules",
    columns: &[
        ("incident", Text),
        ("host", Text),
        ("time", Time),
        ("role", Text),
        ("module", Text),
        ("version", Text),
        ("path", Text),
        ("product", Text),
    ],
    environment: false,
    rows: Rows::Incidents(|_, judged| {
        let incident = &judged.incident;
        let mut rows = Vec::new();
        let mut add = |role: &str, module: &str, version: Value, path: Value, product: Value| {
            rows.push(of_incident(judged, [text(Some(role)), text(Some(module)), version, path, product]));
        };
        if let Some(site) = &incident.fault_site {
            add("faulting", &site.module, text(site.version), text(site.path.as_ref()), Value::None);
        }
        if let Some(one) = &incident.suspect {
            add("suspect", &one.module, text(one.version), text(one.path.as_ref()), text(one.what.as_ref()));
        }
        for one in incident.other_software.iter().flat_map(|other| &other.modules) {
            add("other-software", &one.module, text(one.version), text(one.path.as_ref()), text(one.what.as_ref()));
        }
        for one in &incident.built_with {
            add("built-with", &one.module, text(one.version), Value::None, text(Some(&one.what)));
        }
        rows
    }),
};

const FINDINGS: Table = Table {
    name: "findings",
    columns: &[
        ("incident", Text),
        ("host", Text),
        ("time", Time),
        ("number", Int),
        ("rule", Text),
        ("ruleset", Text),
        ("cause", Text),
        ("symptom", Flag),
        ("confidence", Real),
        ("severity", Text),
        ("title", Text),
        ("explanation", Text),
        ("evidence", Text),
        ("superseded_by", Text),
    ],
    environment: false,
    rows: Rows::Incidents(|_, judged| {
        let rows = (1_usize..).zip(&judged.findings).map(|(number, finding)| {
            let cells = [
                int(Some(number)),
                text(Some(&finding.rule)),
                text(Some(&finding.ruleset)),
                text(Some(&finding.cause)),
                Value::Flag(finding.symptom),
                Value::Real(rounded(finding.confidence)),
                text(Some(finding.severity.word())),
                text(Some(&finding.title)),
                text(Some(&finding.explanation)),
                lines(finding.evidence.iter().map(|one| usize::from(one.0))),
                text(finding.superseded_by.as_ref()),
            ];
            of_incident(judged, cells)
        });
        rows.collect()
    }),
};

const STEPS: Table = Table {
    name: "steps",
    columns: &[
        ("incident", Text),
        ("host", Text),
        ("time", Time),
        ("number", Int),
        ("audience", Text),
        ("text", Text),
        ("cost", Text),
        ("risk", Text),
        ("admin", Flag),
        ("undo", Text),
    ],
    environment: false,
    rows: Rows::Incidents(|_, judged| {
        let Some(leading) = judged.leading_finding() else { return Vec::new() };
        let steps = Audience::ALL.into_iter().flat_map(|audience| crate::account::steps(leading, audience));
        let rows = (1_usize..).zip(steps).map(|(number, step)| {
            let cells = [
                int(Some(number)),
                text(Some(step.audience.word())),
                text(Some(prose(&step.text))),
                text(step.cost.map(|cost| cost.word())),
                text(step.risk.map(|risk| risk.word())),
                Value::Flag(step.admin),
                text(step.undo.as_deref().map(prose)),
            ];
            of_incident(judged, cells)
        });
        rows.collect()
    }),
};

const GROUPS: Table = Table {
    name: "groups",
    columns: &[
        ("signature", Text),
        ("party", Text),
        ("incidents", Int),
        ("hosts", Int),
        ("first_seen", Time),
        ("last_seen", Time),
        ("representative", Text),
        ("cause", Text),
        ("confidence", Real),
        ("symptom", Flag),
        ("over_represented", Text),
        ("changes_before", Text),
        ("changes_unknown", Text),
    ],
    environment: false,
    rows: Rows::Groups(|group| {
        vec![
            text(Some(&group.signature)),
            text(group.party.as_ref()),
            int(Some(group.incidents.len())),
            int(Some(group.hosts)),
            time(group.first),
            time(group.last),
            text(Some(&group.representative)),
            text(group.cause.as_ref()),
            group.confidence.map_or(Value::None, Value::Real),
            Value::Flag(group.symptom),
            json(Some(&group.over_represented).filter(|list| !list.is_empty())),
            json(group.changes_before.as_ref()),
            text(group.changes_unknown.as_ref()),
        ]
    }),
};

const TIMELINE: Table = Table {
    name: "timeline",
    columns: &[
        ("time", Time),
        ("host", Text),
        ("party", Text),
        ("kind", Text),
        ("provider", Text),
        ("event_id", Int),
        ("says", Text),
        ("incident", Text),
        ("artifact", Text),
        ("place", Text),
    ],
    environment: false,
    rows: Rows::Entries(|report, machine, entry| {
        let provider = Some(&*entry.provider).filter(|provider| !provider.is_empty());
        vec![
            time(Some(entry.time)),
            text(Some(&machine.host)),
            text(machine.party.as_ref()),
            text(Some(entry.kind)),
            text(provider),
            int(provider.map(|_| entry.id)),
            text(Some(&entry.sentence)),
            text(entry.incident.as_ref()),
            text(report.artifact_path(entry.artifact)),
            text(Some(&entry.place)),
        ]
    }),
};

const ARTIFACTS: Table = Table {
    name: "artifacts",
    columns: &[
        ("path", Text),
        ("kind", Text),
        ("status", Text),
        ("detail", Text),
        ("bytes", Int),
        ("records", Int),
        ("party", Text),
    ],
    environment: false,
    rows: Rows::Artifacts(|artifact| {
        vec![
            text(Some(&artifact.path)),
            text(Some(&artifact.kind)),
            text(Some(<&str>::from(artifact.status))),
            text(artifact.detail.as_ref()),
            int(Some(artifact.bytes)),
            int(artifact.records),
            text(artifact.party.as_ref()),
        ]
    }),
};

const MACHINES: Table = Table {
    name: "machines",
    columns: &[("host", Text), ("party", Text), ("logs_first", Time), ("logs_last", Time), ("log_days", Int)],
    environment: true,
    rows: Rows::Machines(|machine| {
        let first = machine.logs.iter().map(|log| log.first).min();
        let last = machine.logs.iter().map(|log| log.last).max();
        let days = first.zip(last).map(|(first, last)| day(last).duration_since(day(first)).as_hours() / 24 + 1);
        let mut row = vec![text(Some(&machine.host)), text(machine.party.as_ref()), time(first), time(last), int(days)];
        row.extend(OF_MACHINE.iter().map(|key| text(machine.environment.get(key))));
        row
    }),
};

/// A row of a table that has several for an incident: its id, computer and time, then `cells`.
fn of_incident<const N: usize>(judged: &Judged, cells: [Value; N]) -> Row {
    let incident = &judged.incident;
    let own = [text(Some(&incident.id)), text(incident.host.as_ref()), time(incident.time)];
    own.into_iter().chain(cells).collect()
}
