//! What a run of a target did, as a line of a table.

use std::fmt;
use std::time::Duration;

/// The figures of a run of a target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many inputs were tried.
    pub executions: u64,
    /// How long.
    pub time: Duration,
    /// How many inputs there are to mutate at the end.
    pub inputs: usize,
    /// How long the slowest execution took.
    pub slowest: Duration,
    /// The most memory at a time, KiB.
    pub peak: u64,
    /// How many findings there were.
    pub findings: usize,
}

/// The columns, in their order: executions, seconds, inputs, slowest in microseconds, peak in KiB, findings.
const COLUMNS: usize = 6;

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executions, time, inputs, slowest, peak, findings } = self;
        write!(f, "{executions}\t{:.1}\t{inputs}\t{}\t{peak}\t{findings}", time.as_secs_f64(), slowest.as_micros())
    }
}

impl Tally {
    /// Reads a line as [`fmt::Display`] writes it.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let columns: Vec<&str> = line.trim_end().split('\t').collect();
        let [executions, time, inputs, slowest, peak, findings] = <[&str; COLUMNS]>::try_from(columns).ok()?;
        Some(Self {
            executions: executions.parse().ok()?,
            time: Duration::try_from_secs_f64(time.parse().ok()?).ok()?,
            inputs: inputs.parse().ok()?,
            slowest: Duration::from_micros(slowest.parse().ok()?),
            peak: peak.parse().ok()?,
            findings: findings.parse().ok()?,
        })
    }

    /// Adds another run of the same target.
    pub fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.time += other.time;
        self.inputs = self.inputs.max(other.inputs);
        self.slowest = self.slowest.max(other.slowest);
        self.peak = self.peak.max(other.peak);
        self.findings += other.findings;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let tally = Tally {
            executions: 12,
            time: Duration::from_millis(1500),
            inputs: 3,
            slowest: Duration::from_micros(70),
            peak: 2048,
            findings: 1,
        };
        assert_eq!(Tally::parse(&tally.to_string()), Some(tally));
        assert_eq!(Tally::parse("1\t2"), None);
    }
}
