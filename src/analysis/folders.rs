//! Of which computer an artifact is that does not say so itself: of the one whose event logs lie beside it.
//!
//! Beside it is in its folder, or in the copy of a system's folders that tools for collecting make:
//! `C/Windows/System32/winevt/Logs` beside `C/Windows/Minidump` and `C/Users/anna/AppData/Local/CrashDumps`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use crate::evidence::{Observation, base_name};
use crate::incident::{self, LastNames, NamedLog, short_host};
use crate::knowledge::Knowledge;
use crate::read::ReadArtifact;

/// Family, model and stepping of a processor.
type Processor = ((u16, u8), u8);

/// The computers that event logs name, and the processors that minidumps name, by folder.
pub(super) struct Folders {
    /// Folders with event logs: the computers that these name, by their last names.
    hosts: BTreeMap<String, Vec<Arc<str>>>,
    /// Folders with minidumps: the processors that these name.
    processors: BTreeMap<String, BTreeSet<Processor>>,
}

impl Folders {
    /// `last_names` are those of [`last_names`].
    pub(super) fn of(all: &[ReadArtifact], last_names: &[LastNames]) -> Self {
        let mut hosts: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
        let logs = all.iter().zip(last_names).filter(|(read, _)| !read.pasted && read.artifact.kind == "event-log");
        for (read, last) in logs {
            let known = hosts.entry(folder(&read.artifact.path).to_owned()).or_default();
            let of_events = read.evidence.iter().filter_map(|evidence| match &evidence.observation {
                Observation::Event(event) => event.computer.as_ref(),
                _ => None,
            });
            for host in read.coverage.iter().map(|log| &log.computer).chain(of_events) {
                let host = if last.is_empty() { host } else { last.get(&host.to_lowercase()).unwrap_or(host) };
                if !known.contains(host) {
                    known.insert(Arc::clone(host));
                }
            }
        }
        hosts.retain(|_, hosts| !hosts.is_empty());
        let mut processors: BTreeMap<String, BTreeSet<Processor>> = BTreeMap::new();
        for read in all.iter().filter(|read| !read.pasted && read.artifact.kind == "minidump") {
            let of_folder = processors.entry(folder(&read.artifact.path).to_owned()).or_default();
            of_folder.extend(read.evidence.iter().filter_map(|evidence| processor(&evidence.observation)));
        }
        Self {
            hosts: hosts.into_iter().map(|(folder, hosts)| (folder, hosts.into_iter().collect())).collect(),
            processors,
        }
    }

    /// All names, for [`incident::unify`].
    pub(super) fn names_mut(&mut self) -> impl Iterator<Item = &mut Arc<str>> {
        self.hosts.values_mut().flatten()
    }

    /// The computer that each of these folders stands for; those that stand for none are left out.
    pub(super) fn stand_for<'f>(
        &self,
        folders: impl Iterator<Item = &'f str>,
        knowledge: &Knowledge,
    ) -> HashMap<&'f str, Arc<str>> {
        let mut asked: BTreeSet<&str> = BTreeSet::new();
        let mut above: HashMap<&str, Option<Arc<str>>> = HashMap::new();
        let mut found = HashMap::new();
        for folder in folders {
            if !asked.insert(folder) {
                continue;
            }
            let host = if self.hosts.contains_key(folder) {
                let of_folder = || once_or_none(self.hosts.get(folder).into_iter().flatten());
                let processors = self.processors.get(folder);
                processors.is_none_or(|processors| processors.len() <= 1).then(of_folder).flatten()
            } else {
                let nearest = at_and_above(folder).find(|above| below(&self.hosts, above).next().is_some());
                let host = nearest.and_then(|nearest| {
                    let only = above.entry(nearest).or_insert_with(|| self.only_host_below(nearest));
                    Some((nearest, only.clone()?))
                });
                host.filter(|(nearest, host)| self.is_of_one_copy(nearest, folder, host, knowledge))
                    .map(|(_, host)| host)
            };
            found.extend(host.map(|host| (folder, host)));
        }
        found
    }

    /// The computer of all event logs in a folder and below it, if that is one and the dumps there can be of one machine.
    fn only_host_below(&self, folder: &str) -> Option<Arc<str>> {
        let host = once_or_none(below(&self.hosts, folder).flat_map(|(_, hosts)| hosts))?;
        let mut processors = below(&self.processors, folder).flat_map(|(_, processors)| processors);
        let first = processors.next();
        processors.all(|other| Some(other) == first).then_some(host)
    }

    /// Whether an artifact's folder and those of the logs are parts of one copy: the folder above both bears the computer's
    /// name, or they lie in folders that every such copy has. Else one may be of another case.
    fn is_of_one_copy(&self, above: &str, folder: &str, host: &str, knowledge: &Knowledge) -> bool {
        let name = above.rsplit(['/', '\\']).next().unwrap_or(above);
        let is_part = |folder: &str| {
            folder == above || part_below(folder, above).is_some_and(|part| knowledge.is_part_of_copy(part))
        };
        names_host(name, host) || (is_part(folder) && below(&self.hosts, above).all(|(folder, _)| is_part(folder)))
    }
}

/// Former names by artifact, of all of them.
pub(super) fn last_names(all: &[ReadArtifact]) -> Vec<LastNames> {
    let logs: Vec<NamedLog<'_>> = all
        .iter()
        .map(|read| NamedLog {
            path: &read.artifact.path,
            folder: folder(&read.artifact.path),
            coverage: if read.pasted { &[] } else { &read.coverage },
        })
        .collect();
    incident::last_names(&logs)
}

/// The folder that an artifact lies in.
pub(super) fn folder(path: &str) -> &str {
    let Some((folder, name)) = path.rsplit_once(['/', '\\']) else { return "." };
    // A file that was packed by itself lies where its `.gz` does.
    let packed = folder.strip_suffix('!').filter(|archive| {
        let archive = base_name(archive);
        archive.len() == name.len().saturating_add(".gz".len()) && archive.starts_with(name)
    });
    match packed {
        Some(archive) => archive.rsplit_once(['/', '\\']).map_or(".", |(folder, _)| folder),
        None => folder,
    }
}

/// A folder and those above it, the nearest first.
fn at_and_above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| folder.rsplit_once(['/', '\\']).map(|(above, _)| above))
}

/// The entries of a folder and of all below it.
fn below<'m, V>(map: &'m BTreeMap<String, V>, folder: &str) -> impl Iterator<Item = (&'m str, &'m V)> {
    // The character after a separator ends the range of all that lies below.
    let of_separator = |separator: char, after: char| {
        let (from, to) = (format!("{folder}{separator}"), format!("{folder}{after}"));
        map.range::<str, _>((Bound::Included(&*from), Bound::Excluded(&*to))).map(|(key, value)| (key.as_str(), value))
    };
    let own = map.get_key_value(folder).map(|(key, value)| (key.as_str(), value));
    own.into_iter().chain(of_separator('/', '0')).chain(of_separator('\\', ']'))
}

/// The first part of a folder's path below another.
fn part_below<'f>(folder: &'f str, above: &str) -> Option<&'f str> {
    let rest = folder.strip_prefix(above)?.strip_prefix(['/', '\\'])?;
    rest.split(['/', '\\']).next()
}

/// Whether a folder's name has a computer's name in it, as a word.
fn names_host(folder: &str, host: &str) -> bool {
    let (folder, host) = (folder.to_lowercase(), short_host(host));
    let at_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !host.is_empty()
        && folder.match_indices(&*host).any(|(start, found)| {
            let (before, rest) = folder.split_at(start);
            at_border(before.chars().next_back())
                && at_border(rest.get(found.len()..).unwrap_or_default().chars().next())
        })
}

/// The name that all of these are, whatever their case.
fn once_or_none<'n>(mut names: impl Iterator<Item = &'n Arc<str>>) -> Option<Arc<str>> {
    let first = names.next()?;
    names.all(|other| other.eq_ignore_ascii_case(first)).then(|| Arc::clone(first))
}

/// The processor that a dump names.
fn processor(observation: &Observation) -> Option<Processor> {
    let Observation::Process(dump) = observation else { return None };
    let processor = &dump.system.processor;
    processor.family.zip(processor.model).zip(processor.stepping)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands_for(logs: &[(&str, &[&str])], processors: &[(&str, u8)], folder: &str) -> Option<String> {
        let mut folders = Folders {
            hosts: logs
                .iter()
                .map(|(folder, hosts)| ((*folder).to_owned(), hosts.iter().map(|host| Arc::from(*host)).collect()))
                .collect(),
            processors: BTreeMap::new(),
        };
        for (folder, stepping) in processors {
            folders.processors.entry((*folder).to_owned()).or_default().insert(((6, 158), *stepping));
        }
        let found = folders.stand_for([folder].into_iter(), &Knowledge::builtin());
        found.get(folder).map(ToString::to_string)
    }

    const LOGS: &str = "x/C/Windows/System32/winevt/Logs";

    #[test]
    fn the_parts_of_a_systems_copy_are_of_the_computer_that_its_logs_name() {
        let logs: &[(&str, &[&str])] = &[(LOGS, &["PC-7", "pc-7"])];
        for folder in [
            LOGS,
            "x/C/Windows/Minidump",
            "x/C/Users/anna/AppData/Local/CrashDumps",
            "x/C/ProgramData/Microsoft/Windows/WER/ReportArchive/AppCrash_demo.exe_1",
            "x/D/Users/anna",
            "x",
        ] {
            assert_eq!(stands_for(logs, &[], folder).as_deref(), Some("PC-7"), "{folder}");
        }
        for folder in ["x/C/Downloads from others", "x/dumps of the other one", "y/C/Windows/Minidump", "."] {
            assert_eq!(stands_for(logs, &[], folder), None, "{folder}");
        }
        assert_eq!(
            stands_for(&[("Windows/System32/winevt/Logs", &["PC-7"])], &[], "Windows/Minidump").as_deref(),
            Some("PC-7")
        );
        assert_eq!(stands_for(&[(r"x\evtx", &["PC-7"])], &[], r"x\dumps").as_deref(), Some("PC-7"));
    }

    #[test]
    fn a_folder_with_the_computers_name_is_a_copy_of_it() {
        for (above, host) in [("PC-7", "PC-7"), ("collected PC-7 2024-05-06", "pc-7.corp.example")] {
            let logs = format!("x/{above}/of today");
            let stands = stands_for(&[(&logs, &[host])], &[], &format!("x/{above}/of yesterday"));
            assert_eq!(stands.as_deref(), Some(host));
        }
        for above in ["PC-70", "case 4711"] {
            let logs = format!("x/{above}/of today");
            assert_eq!(stands_for(&[(&logs, &["PC-7"])], &[], &format!("x/{above}/of yesterday")), None);
        }
    }

    #[test]
    fn what_lies_above_the_logs_of_two_computers_is_of_neither() {
        let (a, b) = ("x/A/Windows/System32/winevt/Logs", "x/B/Windows/System32/winevt/Logs");
        let logs: &[(&str, &[&str])] = &[(a, &["A"]), (b, &["B"])];
        assert_eq!(stands_for(logs, &[], "x/A/Windows/Minidump").as_deref(), Some("A"));
        assert_eq!(stands_for(logs, &[], "x/dumps"), None);
        assert_eq!(stands_for(&[(a, &["A", "B"])], &[], "x/A/Windows/Minidump"), None);
        assert_eq!(stands_for(&[(a, &["A", "B"])], &[], a), None);
    }

    #[test]
    fn dumps_of_two_processors_are_of_two_machines() {
        let logs: &[(&str, &[&str])] = &[(LOGS, &["PC-7"])];
        let (minidump, users) = ("x/C/Windows/Minidump", "x/C/Users/anna");
        assert_eq!(stands_for(logs, &[(minidump, 1), (users, 1)], users).as_deref(), Some("PC-7"));
        assert_eq!(stands_for(logs, &[(minidump, 1), (users, 2)], users), None);
        assert_eq!(stands_for(logs, &[(minidump, 1), (users, 2)], LOGS).as_deref(), Some("PC-7"));
        assert_eq!(stands_for(logs, &[(LOGS, 1), (LOGS, 2)], LOGS), None);
    }
}
