//! Where the evidence of an incident is, as URIs and lines.

use crate::model::{Judged, Report};
use evidence::Place;

/// The most places that are named of an incident.
const MOST: usize = 20;

/// A place in an artifact.
pub(super) struct Located<'r> {
    /// The index of the artifact in the report.
    pub(super) artifact: usize,
    /// Its path.
    pub(super) path: &'r str,
    /// The place in it.
    pub(super) place: &'r Place,
    /// What it says.
    pub(super) says: &'r str,
}

impl Located<'_> {
    /// The line of a text, from 1.
    pub(super) fn line(&self) -> Option<u32> {
        match self.place {
            Place::Lines(lines) => lines.first().copied(),
            _ => None,
        }
    }
}

/// The places of an incident's evidence: first what the verdict rests on, then the rest.
pub(super) fn located<'r>(report: &'r Report, judged: &'r Judged) -> Vec<Located<'r>> {
    let cited = judged.leading_finding().map_or(&[][..], |finding| &finding.evidence);
    let is_cited = |number: usize| cited.iter().any(|one| usize::from(one.0) == number);
    let all = || (1_usize..).zip(&judged.incident.evidence);
    let ordered = all().filter(|(number, _)| is_cited(*number)).chain(all().filter(|(number, _)| !is_cited(*number)));
    let located = ordered.filter_map(|(_, item)| {
        let path = report.artifact_path(item.artifact)?;
        Some(Located { artifact: item.artifact, path, place: &item.place, says: &item.sentence })
    });
    located.take(MOST).collect()
}

/// An artifact's path as a URI reference: relative for a relative path, else with the scheme `file`. Every character that
/// has a meaning in URIs is escaped.
pub(super) fn uri(path: &str) -> String {
    let is_drive = |path: &str| matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    let mut uri = match path.strip_prefix('/') {
        // A share has the name of its computer behind two slashes.
        Some(rest) if rest.starts_with('/') => "file:".to_owned(),
        Some(_) => "file://".to_owned(),
        None if is_drive(path) => "file:///".to_owned(),
        None => String::new(),
    };
    let is_absolute = !uri.is_empty();
    for (at, byte) in path.bytes().enumerate() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            b':' if is_absolute && at == 1 => uri.push(':'),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::everything;

    #[test]
    fn paths_are_uris_in_which_nothing_has_another_meaning() {
        for (path, expected) in [
            ("dumps/a.dmp", "dumps/a.dmp"),
            ("a b#c?d%20.dmp", "a%20b%23c%3Fd%2520.dmp"),
            ("javascript:alert(1)", "javascript%3Aalert%281%29"),
            ("/var/crash/ä.dmp", "file:///var/crash/%C3%A4.dmp"),
            ("C:/dumps/a.dmp", "file:///C:/dumps/a.dmp"),
            ("//server/share/a.dmp", "file://server/share/a.dmp"),
            ("a.zip/../b.dmp", "a.zip/../b.dmp"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }

    #[test]
    fn what_the_verdict_rests_on_comes_first() {
        let mut report = everything();
        report.incidents[0].findings[0].evidence = vec![facts::EvidenceRef(3)];
        let places: Vec<String> =
            located(&report, &report.incidents[0]).iter().map(|one| format!("{} {}", one.path, one.place)).collect();
        assert_eq!(
            places,
            ["logs/Application.evtx record 4711", "dumps/a.dmp stream Exception", "dumps/a.dmp stream ModuleList"]
        );
    }
}
