//! The report as JSON Lines: one object a line, each with its `type`.
//!
//! `run` comes first (what ran), then every `artifact`, `incident`, `machine` and `group`, and `summary` last. Except
//! for `type` the objects are those of the JSON document.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::json::write_compact;
use super::{Report, shape};

/// Writes the report as JSON Lines.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let artifacts = report.artifacts.iter().map(|artifact| Line::Artifact(shape::Artifact::of(artifact)));
    let incidents = report.incidents.iter().map(|judged| Line::Incident(shape::Incident::of(report, judged).into()));
    let machines = report.machines.iter().map(|machine| Line::Machine(shape::Machine::of(report, machine)));
    let groups = report.groups.iter().map(|group| Line::Group(shape::Group::of(group)));
    let lines = std::iter::once(Line::Run(shape::Run::of(report)))
        .chain(artifacts)
        .chain(incidents)
        .chain(machines)
        .chain(groups)
        .chain(std::iter::once(Line::Summary(shape::Summary::of(&report.summary))));
    for line in lines {
        write_compact(&line, &mut out)?;
        writeln!(out)?;
    }
    out.flush()
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Run(shape::Run<'a>),
    Artifact(shape::Artifact<'a>),
    Incident(Box<shape::Incident<'a>>),
    Machine(shape::Machine<'a>),
    Group(shape::Group<'a>),
    Summary(shape::Summary<'a>),
}
