//! The names of members in the report: unique, and without parts that lead out of the archive.

use std::collections::{HashMap, HashSet};

/// The most bytes of a name; longer names are cut.
const LONGEST: usize = 1024;

/// The names of the members so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By name in the archive: the last number that was tried.
    counts: HashMap<String, usize>,
    given: HashSet<String>,
}

impl Names {
    /// A unique name for a member with the name `name` in the archive: a second one gets ` (2)`, or the next free number.
    pub(super) fn unique(&mut self, name: &str) -> String {
        let name = clean(name);
        let count = self.counts.entry(name.clone()).or_default();
        loop {
            *count = count.saturating_add(1);
            let given = if *count == 1 { name.clone() } else { format!("{name} ({count})") };
            // Every turn but the last meets another given name, so that the turns are bounded by the members.
            if self.given.insert(given.clone()) || *count == usize::MAX {
                return given;
            }
        }
    }
}

/// A relative path with `/` between its parts, without roots and parts that lead up.
fn clean(name: &str) -> String {
    let parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let mut clean = parts.collect::<Vec<_>>().join("/").replace('\0', "\u{FFFD}");
    while clean.len() > LONGEST {
        clean.pop();
    }
    if clean.is_empty() { "unnamed".to_owned() } else { clean }
}

/// The endings that compressing a single file adds to its name.
const ENDINGS: [&str; 4] = ["gz", "xz", "bz2", "zst"];

/// The name of the content of a `.gz` and the like with this name.
pub(super) fn without_ending(file_name: &str) -> String {
    let (stem, extension) = file_name.rsplit_once('.').unwrap_or((file_name, ""));
    if ENDINGS.iter().any(|ending| extension.eq_ignore_ascii_case(ending)) && !stem.is_empty() {
        stem.to_owned()
    } else {
        format!("{file_name} content")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_archive() {
        let mut names = Names::default();
        for (name, expected) in [
            ("a/b.dmp", "a/b.dmp"),
            ("../../etc/passwd", "etc/passwd"),
            ("/etc/hosts", "etc/hosts"),
            (r"C:\Windows\MEMORY.DMP", "C:/Windows/MEMORY.DMP"),
            (r"\\server\share\x", "server/share/x"),
            ("./x/./y", "x/y"),
            ("a\0.dmp", "a\u{FFFD}.dmp"),
            ("..", "unnamed"),
        ] {
            assert_eq!(names.unique(name), expected);
        }
        assert_eq!(names.unique(&"ä".repeat(9_999)).len(), 1024);
    }

    #[test]
    fn two_members_never_have_one_name() {
        let mut names = Names::default();
        let given: Vec<String> = ["a", "./a", "a (2)", "a"].iter().map(|name| names.unique(name)).collect();
        assert_eq!(given, ["a", "a (2)", "a (2) (2)", "a (3)"]);
        let mut names = Names::default();
        let given: Vec<String> = ["a (2)", "a", "a", "a"].iter().map(|name| names.unique(name)).collect();
        assert_eq!(given, ["a (2)", "a", "a (3)", "a (4)"]);
    }

    #[test]
    fn the_content_of_a_compressed_file_has_the_name_before_its_ending() {
        for (file, content) in [
            ("System.evtx.gz", "System.evtx"),
            ("a.GZ", "a"),
            ("b.dmp.zst", "b.dmp"),
            (".gz", ".gz content"),
            ("dump", "dump content"),
        ] {
            assert_eq!(without_ending(file), content);
        }
    }
}
