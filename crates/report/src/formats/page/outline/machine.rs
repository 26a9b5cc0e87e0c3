//! The values of a machine, with the most important part of its timeline.

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::{rows, texts};
use crate::formats::local_time;
use crate::formats::text::happened::environment_rows;
use crate::formats::text::machines::{earlier_value, entries, left_out, named};
use crate::formats::text::timeline::{Run, choose};
use crate::model::Report;
use crate::wording::{place, prose, short_time};
use incident::Machine;

/// The values of a machine; of its timeline at most `most_runs` runs.
pub(super) fn values(report: &Report, machine: &Machine, most_runs: usize) -> Value {
    let shown = choose(&machine.timeline, most_runs);
    context! {
        host => named(machine),
        environment => rows(environment_rows(&machine.environment)),
        earlier => machine.earlier.iter().map(|one| prose(&earlier_value(one))).collect::<Value>(),
        entries => entries(machine.timeline.len()),
        zone => local_time::label(),
        // How many entries of the timeline are left out, by kind.
        left_out => left_out(&shown),
        timeline => shown.runs.into_iter().map(|run| entry(report, run)).collect::<Value>(),
        coverage => texts(&machine.coverage),
    }
}

/// A run of equal entries, with the time until when it was repeated, or how often it was recorded.
fn entry(report: &Report, run: Run<'_>) -> Value {
    let entry = run.first;
    context! {
        time => short_time(entry.time),
        kind => entry.kind,
        says => prose(&entry.sentence),
        more => run.repeats(),
        incidents => Serde(run.incidents),
        place => place(report, entry.artifact, &entry.place),
    }
}
