//! The names of members, as the report shows them.

use std::collections::HashMap;

/// The most bytes of a name that are shown; what is longer is cut.
const LONGEST: usize = 1024;

/// Names that were given, each with how often.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: HashMap<String, usize>,
}

impl Names {
    /// The name for a member that the archive calls `name`. A second one of the same name has its number behind it.
    pub(super) fn of(&mut self, name: &str) -> String {
        let name = clean(name);
        let count = self.given.entry(name.clone()).or_default();
        *count = count.saturating_add(1);
        match *count {
            1 => name,
            several => {
                let numbered = format!("{name} ({several})");
                self.given.entry(numbered.clone()).or_insert(1);
                numbered
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
