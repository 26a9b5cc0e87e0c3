//! The report as a code quality report of GitLab: an entry for each group.
//!
//! [GitLab's documentation](https://docs.gitlab.com/ci/testing/code_quality/) has the keys.

use std::io::{self, Write};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use super::json::write_indented;
use super::located::located;
use super::text::block::{Block, blocks};
use super::urgency::Urgency;
use crate::model::Report;
use crate::wording::one_line;
use rules::Severity;

#[derive(Serialize)]
struct Entry<'r> {
    check_name: String,
    description: String,
    fingerprint: String,
    severity: &'static str,
    location: Location<'r>,
}

#[derive(Serialize)]
struct Location<'r> {
    path: &'r str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// Writes the groups of the report as a list of JSON.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let entries: Vec<Entry<'_>> = blocks(report).iter().filter_map(|block| entry(report, block)).collect();
    write_indented(&entries, out)
}

/// The entry of a group; `None` where no artifact holds its evidence.
fn entry<'r>(report: &'r Report, block: &Block<'r>) -> Option<Entry<'r>> {
    let judged = block.representative;
    let places = located(report, judged);
    let first = places.first()?;
    let rule = judged.leading_finding().map_or(judged.verdict.cause.as_str(), |finding| finding.rule.as_str());
    let times = if block.size() > 1 { format!(" ({} times)", block.size()) } else { String::new() };
    let name = block.group.map_or(judged.incident.id.as_str(), |group| group.signature.as_str());
    let severity = judged.leading_finding().map_or(Severity::Low, |finding| finding.severity);
    Some(Entry {
        check_name: format!("crashsift/{rule}"),
        description: one_line(&format!("{}{times}: {}", block.headline(), block.verdict())),
        // The same group has the same fingerprint in every run.
        fingerprint: format!("{:032x}", xxh3_128(format!("{}\0{name}", block.party().unwrap_or_default()).as_bytes())),
        severity: match Urgency::of_block(block) {
            Urgency::Error if severity == Severity::Critical => "blocker",
            Urgency::Error => "critical",
            Urgency::Warning => "major",
            Urgency::Note if block.confidence().is_some() => "minor",
            Urgency::Note => "info",
        },
        location: Location { path: first.path, lines: Lines { begin: first.line().unwrap_or(1) } },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::tests::sample::{bugcheck, crash, everything, hostile, report, undetermined};

    fn entries(report: &Report) -> Vec<Value> {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        serde_json::from_slice(&out).expect("a list")
    }

    #[test]
    fn each_group_is_an_entry_with_a_fingerprint_of_its_own() {
        let mut other = undetermined("u1", 3);
        other.incident.signature.coarse = "crash|other.exe".into();
        let all = entries(&report(everything().artifacts, vec![crash("c1"), other, bugcheck("b1", 9)]));
        let severities: Vec<_> = all.iter().map(|entry| entry["severity"].as_str().unwrap_or_default()).collect();
        assert_eq!(severities, ["critical", "major", "info"]);
        assert_eq!(all[0]["check_name"], "crashsift/cudnn/zlibwapi-missing");
        assert_eq!(all[0]["location"]["path"], "dumps/a.dmp");
        assert_eq!(all[0]["location"]["lines"]["begin"], 1);
        let prints: BTreeSet<_> = all.iter().filter_map(|entry| entry["fingerprint"].as_str()).collect();
        assert!(prints.len() == 3 && prints.iter().all(|print| print.len() == 32), "{prints:?}");
    }

    #[test]
    fn hostile_names_act_on_nothing() {
        let all = entries(&hostile("\u{1b}[2J\n\"}],"));
        assert_eq!(all.len(), 1);
        let text = all[0]["description"].as_str().expect("a text");
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}
