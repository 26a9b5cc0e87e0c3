//! The names of members, as the report shows them.

use std::collections::{HashMap, HashSet};

/// The most bytes of a name that are shown; what is longer is cut.
const LONGEST: usize = 1024;

/// Names that were given.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// How often each stands in the archive, or would under its number.
    counts: HashMap<String, usize>,
    given: HashSet<String>,
}

impl Names {
    /// The name for a member that the archive calls `name`. A second one of the same name has its number behind it, or the
    /// next one that no other member has.
    pub(super) fn of(&mut self, name: &str) -> String {
        let name = clean(name);
        let count = self.counts.entry(name.clone()).or_default();
        loop {
            *count = count.saturating_add(1);
            let given = if *count == 1 { name.clone() } else { format!("{name} ({count})") };
            // Each name that was given costs each other one at most one turn, and none twice.
            if self.given.insert(given.clone()) || *count == usize::MAX {
                return given;
            }
        }
    }
}

/// A path that leads nowhere but into the archive: without the parts that lead up or to a root, and with `/` between the
/// others.
fn clean(name: &str) -> String {
    let parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let mut clean = parts.collect::<Vec<_>>().join("/").replace('\0', "\u{FFFD}");
    while clean.len() > LONGEST {
        clean.pop();
    }
    if clean.is_empty() { "unnamed".to_owned() } else { clean }
}

/// What a file was called before it became a `.gz`.
pub(super) fn without_gz(file_name: &str) -> String {
    let (stem, extension) = file_name.rsplit_once('.').unwrap_or((file_name, ""));
    if extension.eq_ignore_ascii_case("gz") && !stem.is_empty() {
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
            assert_eq!(names.of(name), expected);
        }
        assert_eq!(names.of(&"ä".repeat(9_999)).len(), 1024);
    }

    #[test]
    fn two_members_never_have_one_name() {
        let mut names = Names::default();
        let given: Vec<String> = ["a", "./a", "a (2)", "a"].iter().map(|name| names.of(name)).collect();
        assert_eq!(given, ["a", "a (2)", "a (2) (2)", "a (3)"]);
        let mut names = Names::default();
        let given: Vec<String> = ["a (2)", "a", "a", "a"].iter().map(|name| names.of(name)).collect();
        assert_eq!(given, ["a (2)", "a", "a (3)", "a (4)"]);
    }

    #[test]
    fn the_content_of_a_gz_has_the_name_before_its_ending() {
        for (file, content) in
            [("System.evtx.gz", "System.evtx"), ("a.GZ", "a"), (".gz", ".gz content"), ("dump", "dump content")]
        {
            assert_eq!(without_gz(file), content);
        }
    }
}
