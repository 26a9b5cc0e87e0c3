//! The outline of a machine, with the most important part of its timeline.

use serde::Serialize;

use super::{Row, rows};
use crate::formats::text::happened::environment_rows;
use crate::formats::text::machines::{earlier_value, entries, left_out};
use crate::formats::text::timeline::{Run, choose};
use crate::model::Report;
use crate::wording::{name, place, prose, short_time};

#[derive(Serialize)]
pub(super) struct Machine<'r> {
    host: String,
    environment: Vec<Row>,
    earlier: Vec<String>,
    entries: String,
    timeline: Vec<Entry<'r>>,
    /// How many entries of the timeline are left out, by kind.
    left_out: Option<String>,
    coverage: Vec<String>,
}

#[derive(Serialize)]
struct Entry<'r> {
    time: String,
    kind: &'static str,
    says: String,
    /// Until when it was repeated, or how often it was recorded.
    more: Option<String>,
    incidents: Vec<&'r str>,
    place: String,
}

impl<'r> Machine<'r> {
    pub(super) fn of(report: &'r Report, machine: &'r incident::Machine, most_runs: usize) -> Self {
        let shown = choose(&machine.timeline, most_runs);
        let left_out = left_out(&shown);
        Self {
            host: name(&machine.host).into_owned(),
            environment: rows(environment_rows(&machine.environment)),
            earlier: machine.earlier.iter().map(|one| prose(&earlier_value(one))).collect(),
            entries: entries(machine.timeline.len()),
            timeline: shown.runs.into_iter().map(|run| Entry::of(report, run)).collect(),
            left_out,
            coverage: machine.coverage.iter().map(|sentence| prose(sentence)).collect(),
        }
    }
}

impl<'r> Entry<'r> {
    fn of(report: &'r Report, run: Run<'r>) -> Self {
        let entry = run.first;
        Self {
            time: short_time(entry.time),
            kind: entry.kind,
            says: prose(&entry.sentence),
            more: run.repeats(),
            incidents: run.incidents,
            place: place(report, entry.artifact, &entry.place),
        }
    }
}
