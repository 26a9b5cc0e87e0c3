//! Counts of the report as Prometheus text, for the textfile collector of node_exporter and for push gateways.
//!
//! All metrics are gauges: they count what one run found, and the next run may find less.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write};

use super::BUFFER_SIZE;
use crate::account::computer;
use crate::model::{ArtifactStatus, Report};
use crate::wording::how_sure_words;
use incident::IncidentKind;
use untrusted::sanitise;

/// Writes the counts of the report in the text format of Prometheus.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page(BufWriter::with_capacity(BUFFER_SIZE, out));
    let summary = &report.summary;
    page.family("build_info", "The version of crashsift that read the artifacts.")?;
    page.sample("build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1)?;

    page.family("artifacts", "Files, by how far they could be read.")?;
    let statuses = [ArtifactStatus::Ok, ArtifactStatus::Partial, ArtifactStatus::Failed, ArtifactStatus::Skipped];
    for status in statuses {
        let count = report.artifacts.iter().filter(|artifact| artifact.status == status).count();
        page.sample("artifacts", &[("status", status.into())], count)?;
    }
    page.family("archives_not_opened", "Archives of kinds that are not opened.")?;
    page.sample("archives_not_opened", &[], summary.archives)?;

    page.family("incidents", "Crashes, hangs, blue screens and other incidents, by kind.")?;
    for kind in IncidentKind::WORDS {
        let count = report.incidents.iter().filter(|judged| judged.incident.kind.word() == *kind).count();
        page.sample("incidents", &[("kind", kind)], count)?;
    }
    page.family("groups", "Groups of incidents with the same signature.")?;
    page.sample("groups", &[], report.groups.len())?;
    page.family("findings_suppressed", "Findings that a rule set suppresses.")?;
    page.sample("findings_suppressed", &[], summary.suppressed)?;

    page.family("verdicts", "Incidents by the cause of their verdict and how sure it is.")?;
    let mut verdicts: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for verdict in report.incidents.iter().map(|judged| &judged.verdict) {
        let key = (verdict.cause.as_str(), verdict.family.as_deref().unwrap_or_default(), how_sure_words(verdict));
        count(verdicts.entry(key).or_default());
    }
    for ((cause, family, how_sure), count) in &verdicts {
        page.sample("verdicts", &[("cause", cause), ("family", family), ("how_sure", how_sure)], *count)?;
    }

    let computers: Vec<String> = report.incidents.iter().filter_map(computer).collect();
    page.family("hosts_with_incidents", "Computers that have an incident.")?;
    page.sample("hosts_with_incidents", &[], computers.iter().collect::<BTreeSet<_>>().len())?;
    page.family(
        "host_incidents",
        "Incidents by computer; the customer is before its name, where folders are customers.",
    )?;
    let mut hosts: BTreeMap<&str, usize> = BTreeMap::new();
    computers.iter().for_each(|host| count(hosts.entry(host).or_default()));
    for (host, count) in hosts {
        page.sample("host_incidents", &[("host", host)], count)?;
    }

    page.family("last_incident_timestamp_seconds", "The time of the latest incident, by kind, in seconds since 1970.")?;
    for kind in IncidentKind::WORDS {
        let of_kind = report.incidents.iter().filter(|judged| judged.incident.kind.word() == *kind);
        if let Some(last) = of_kind.filter_map(|judged| judged.incident.time).max() {
            page.sample("last_incident_timestamp_seconds", &[("kind", kind)], last.as_second())?;
        }
    }
    page.0.flush()
}

fn count(of: &mut usize) {
    *of = of.saturating_add(1);
}

struct Page<W: Write>(W);

impl<W: Write> Page<W> {
    /// The head of a metric, whose samples follow.
    fn family(&mut self, name: &str, help: &str) -> io::Result<()> {
        writeln!(self.0, "# HELP crashsift_{name} {help}\n# TYPE crashsift_{name} gauge")
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) -> io::Result<()> {
        let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}=\"{}\"", label(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        writeln!(self.0, "crashsift_{name}{labels} {value}")
    }
}

/// The value of a label: no character acts, and backslashes and quotation marks are escaped.
fn label(value: &str) -> String {
    sanitise(value).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{bugcheck, crash, everything, hostile, report, undetermined};

    fn page(report: &Report) -> String {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn counts_are_gauges_with_labels() {
        let page = page(&report(everything().artifacts, vec![crash("c1"), undetermined("u1", 3), bugcheck("b1", 9)]));
        for line in [
            "# TYPE crashsift_incidents gauge",
            "crashsift_artifacts{status=\"failed\"} 1",
            "crashsift_incidents{kind=\"crash\"} 2",
            "crashsift_incidents{kind=\"hang\"} 0",
            "crashsift_verdicts{cause=\"gpu-timeout\",family=\"gpu\",how_sure=\"likely\"} 1",
            "crashsift_verdicts{cause=\"undetermined\",family=\"\",how_sure=\"not determined\"} 1",
            "crashsift_host_incidents{host=\"pc-7\"} 3",
            "crashsift_last_incident_timestamp_seconds{kind=\"bugcheck\"} 1731347044",
        ] {
            assert!(page.lines().any(|one| one == line), "{line}: {page}");
        }
        assert!(page.ends_with('\n'));
    }

    #[test]
    fn hostile_names_are_no_samples() {
        let page = page(&hostile("x\"} 9\ncrashsift_artifacts{status=\"ok\\\u{1b}"));
        let names = ["# HELP crashsift_", "# TYPE crashsift_", "crashsift_"];
        assert!(page.lines().all(|line| names.iter().any(|name| line.starts_with(name))), "{page}");
        assert_eq!(page.matches("\ncrashsift_artifacts{status=\"ok\"} ").count(), 1, "{page}");
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{page:?}");
    }
}
