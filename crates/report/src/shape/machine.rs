//! A machine with its timeline.

use jiff::Timestamp;
use serde::Serialize;

use super::{Environment, LongList, Shown};
use crate::Report;

#[derive(Serialize)]
pub(crate) struct Machine<'a> {
    host: &'a str,
    environment: &'a Environment,
    environment_earlier: Vec<EarlierValue<'a>>,
    timeline: LongList,
    coverage: &'a [String],
}

#[derive(Serialize)]
struct EarlierValue<'a> {
    key: &'static str,
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Shown<Timestamp>>,
}

impl<'a> EarlierValue<'a> {
    fn of(earlier: &'a incident::EarlierValue) -> Self {
        Self { key: earlier.key, value: &earlier.value, time: earlier.time.map(Shown) }
    }
}

impl<'a> Machine<'a> {
    /// All machines of a report.
    pub(crate) fn all_of(report: &'a Report) -> impl Iterator<Item = Self> {
        report.machines.iter().enumerate().map(|(index, machine)| Self {
            host: &machine.host,
            environment: &machine.environment,
            environment_earlier: machine.earlier.iter().map(EarlierValue::of).collect(),
            timeline: LongList::Timeline(index),
            coverage: &machine.coverage,
        })
    }
}
