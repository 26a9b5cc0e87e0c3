//! Finds the computer of artifacts that do not name one: that of the event logs beside them.
//!
//! "Beside" means in the same folder, or in the same copy of a system's folders, as collecting tools make them:
//! `C/Windows/System32/winevt/Logs` beside `C/Windows/Minidump` and `C/Users/anna/AppData/Local/CrashDumps`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use rayon::prelude::*;

use crate::read::ReadArtifact;
use evidence::{CpuArchitecture, Observation, OperatingSystem, base_name};
use incident::{LastNames, NamedLog, short_host};
use windows_codes::Knowledge;

/// A property of which a machine has one value, and which dumps and reports contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trait {
    /// The processor's family.
    Family,
    /// The processor's model.
    Model,
    /// The processor's stepping.
    Stepping,
    /// Whether the system has 32 or 64 bits.
    Bits,
    /// The build number of Windows' kernel.
    Kernel,
}

/// The traits of a machine in one file.
type Traits = BTreeMap<Trait, u32>;

/// The computers of event logs, and the traits in dumps and reports, by folder.
pub(super) struct Folders {
    /// The last names of the computers in event logs.
    hosts: BTreeMap<String, Vec<Arc<str>>>,
    /// The kernels of the starts of Windows in event logs.
    started: BTreeMap<String, BTreeSet<u32>>,
    /// The traits in each dump and report.
    traits: BTreeMap<String, BTreeSet<Traits>>,
}

/// The machine of a folder.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    /// The computer's name.
    pub(super) host: Arc<str>,
    /// The kernels of the starts of Windows in its logs; empty where they record no start.
    started: BTreeSet<u32>,
}

impl Machine {
    /// Whether an artifact in the folder can be of this machine: not the dump of another system than Windows, nor a file of
    /// a kernel that is not in this machine's logs.
    pub(super) fn can_have_made(&self, observation: &Observation) -> bool {
        is_of_windows(observation) && may_have_started(&self.started, &traits(observation))
    }
}

/// The evidence of one artifact about the machine of its folder.
#[derive(Default)]
struct MachineEvidence {
    hosts: BTreeSet<Arc<str>>,
    started: BTreeSet<u32>,
    traits: BTreeSet<Traits>,
}

impl MachineEvidence {
    fn from_artifact(read: &ReadArtifact, last: &LastNames) -> Self {
        let mut found = Self::default();
        if read.pasted {
            return found;
        }
        let is_log = read.artifact.kind == "event-log";
        for log in read.coverage.iter().filter(|_| is_log) {
            found.add_host(&log.computer, last);
        }
        let mut before: Option<&Arc<str>> = None;
        for evidence in &read.evidence {
            let Observation::Event(event) = &evidence.observation else {
                let traits = traits(&evidence.observation);
                if is_of_windows(&evidence.observation) && !traits.is_empty() {
                    found.traits.insert(traits);
                }
                continue;
            };
            // A log names one computer thousands of times.
            if let Some(host) = event.computer.as_ref().filter(|_| is_log)
                && before.replace(host).is_none_or(|before| !Arc::ptr_eq(before, host))
            {
                found.add_host(host, last);
            }
            let kernel = incident::started_build(event).and_then(|build| Knowledge.kernel_build(build));
            found.started.extend(kernel);
        }
        found
    }

    fn add_host(&mut self, host: &Arc<str>, last: &LastNames) {
        let host = if last.is_empty() { host } else { last.get(&host.to_lowercase()).unwrap_or(host) };
        if !self.hosts.contains(host) {
            self.hosts.insert(Arc::clone(host));
        }
    }
}

/// Adds the evidence of an artifact to that of its folder.
fn add<T: Ord>(all: &mut BTreeMap<String, BTreeSet<T>>, folder: &str, found: BTreeSet<T>) {
    if !found.is_empty() {
        all.entry(folder.to_owned()).or_default().extend(found);
    }
}

impl Folders {
    /// `last_names` are those of [`last_names`].
    pub(super) fn new(all: &[ReadArtifact], last_names: &[LastNames]) -> Self {
        let (mut hosts, mut started, mut traits) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let found = all.par_iter().zip(last_names);
        let found: Vec<_> = found.map(|(read, last)| MachineEvidence::from_artifact(read, last)).collect();
        for (read, found) in all.iter().zip(found) {
            let folder = folder(&read.artifact.path);
            add(&mut hosts, folder, found.hosts);
            add(&mut started, folder, found.started);
            add(&mut traits, folder, found.traits);
        }
        Self {
            hosts: hosts.into_iter().map(|(folder, hosts)| (folder, hosts.into_iter().collect())).collect(),
            started,
            traits,
        }
    }

    /// The names of all computers, for [`incident::use_full_host_names`].
    pub(super) fn names_mut(&mut self) -> impl Iterator<Item = &mut Arc<str>> {
        self.hosts.values_mut().flatten()
    }

    /// The machine of each of these folders; folders without one are left out.
    pub(super) fn machines_of<'f>(&self, folders: impl Iterator<Item = &'f str>) -> HashMap<&'f str, Machine> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut above: HashMap<&str, Option<Machine>> = HashMap::new();
        let mut found = HashMap::new();
        for folder in folders {
            if !seen.insert(folder) {
                continue;
            }
            let machine = if self.hosts.contains_key(folder) {
                let only = |at: &str| at == folder;
                only_name(self.hosts.get(folder).into_iter().flatten())
                    .and_then(|host| self.machine(host, folder, only))
            } else {
                let nearest = at_and_above(folder).find(|above| below(&self.hosts, above).next().is_some());
                nearest.and_then(|nearest| {
                    let machine = above.entry(nearest).or_insert_with(|| self.machine_below(nearest));
                    let host = &machine.as_ref()?.host;
                    self.is_of_one_copy(nearest, folder, host).then(|| machine.clone())?
                })
            };
            found.extend(machine.map(|machine| (folder, machine)));
        }
        found
    }

    /// The machine of a folder where all event logs in it and below it name one computer.
    fn machine_below(&self, folder: &str) -> Option<Machine> {
        let host = only_name(below(&self.hosts, folder).flat_map(|(_, hosts)| hosts))?;
        let of_copy = |at: &str| self.is_of_one_copy(folder, at, &host);
        self.machine(Arc::clone(&host), folder, of_copy)
    }

    /// The machine of this name, if the traits in the folders at and below `folder` that `is_part` selects can be of one
    /// machine. A dump of a kernel that is not in the logs is of another machine and does not count.
    fn machine(&self, host: Arc<str>, folder: &str, is_part: impl Fn(&str) -> bool) -> Option<Machine> {
        let of_starts = below(&self.started, folder).filter(|(at, _)| is_part(at));
        let started: BTreeSet<u32> = of_starts.flat_map(|(_, kernels)| kernels).copied().collect();
        let mut of_machine = Traits::new();
        let found = below(&self.traits, folder).filter(|(at, _)| is_part(at)).flat_map(|(_, found)| found);
        for (of, value) in found.filter(|found| may_have_started(&started, found)).flatten() {
            // Windows was updated where the logs have several kernels.
            if *of_machine.entry(*of).or_insert(*value) != *value && (*of != Trait::Kernel || started.is_empty()) {
                return None;
            }
        }
        Some(Machine { host, started })
    }

    /// Whether an artifact's folder and those of the logs are parts of one copy: the folder above both has the computer's
    /// name, or they are folders that every such copy has. Otherwise one may be of another case.
    fn is_of_one_copy(&self, above: &str, folder: &str, host: &str) -> bool {
        let name = above.rsplit(['/', '\\']).next().unwrap_or(above);
        let is_part = |folder: &str| folder.strip_prefix(above).is_some_and(|path| Knowledge.is_part_of_copy(path));
        names_host(name, host) || (is_part(folder) && below(&self.hosts, above).all(|(folder, _)| is_part(folder)))
    }
}

/// The last names of computers by their former names, for each artifact.
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

/// The folder of an artifact.
pub(super) fn folder(path: &str) -> &str {
    let Some((folder, name)) = path.rsplit_once(['/', '\\']) else { return "." };
    // A single packed file is in the folder of its `.gz`.
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
    // The range of all paths below ends at the character after the separator.
    let of_separator = |separator: char, after: char| {
        let (from, to) = (format!("{folder}{separator}"), format!("{folder}{after}"));
        map.range::<str, _>((Bound::Included(&*from), Bound::Excluded(&*to))).map(|(key, value)| (key.as_str(), value))
    };
    let own = map.get_key_value(folder).map(|(key, value)| (key.as_str(), value));
    own.into_iter().chain(of_separator('/', '0')).chain(of_separator('\\', ']'))
}

/// Whether a folder's name contains a computer's name as a word.
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

/// The first name, if all others are the same in any case.
fn only_name<'n>(mut names: impl Iterator<Item = &'n Arc<str>>) -> Option<Arc<str>> {
    let first = names.next()?;
    names.all(|other| other.eq_ignore_ascii_case(first)).then(|| Arc::clone(first))
}

/// Whether an artifact is of Windows: not the dump of another system.
fn is_of_windows(observation: &Observation) -> bool {
    !matches!(observation, Observation::Process(dump) if dump.system.os != OperatingSystem::Windows)
}

/// Whether the kernel of a dump or report is among the kernels that the machine started; true if either is not known.
fn may_have_started(started: &BTreeSet<u32>, found: &Traits) -> bool {
    started.is_empty() || found.get(&Trait::Kernel).is_none_or(|kernel| started.contains(kernel))
}

/// The traits of the machine in a dump or report.
fn traits(observation: &Observation) -> Traits {
    let mut all = Traits::new();
    let mut set = |of, value: Option<u32>| all.extend(value.map(|value| (of, value)));
    let build = match observation {
        Observation::Process(dump) => {
            let system = &dump.system;
            let of = &system.processor;
            set(Trait::Family, of.family.map(u32::from));
            set(Trait::Model, of.model.map(u32::from));
            set(Trait::Stepping, of.stepping.map(u32::from));
            // Systems of 64 bits run processes of 32 bits, too.
            set(Trait::Bits, system.cpu.is_64_bit().then_some(64));
            Some(system.os_version.2)
        }
        Observation::Kernel(dump) => {
            let bits = match dump.cpu {
                CpuArchitecture::X86 | CpuArchitecture::Arm => Some(32),
                CpuArchitecture::X64 | CpuArchitecture::Arm64 => Some(64),
                CpuArchitecture::Other => None,
            };
            set(Trait::Bits, bits);
            Some(dump.build)
        }
        Observation::Wer(report) => report.os_version.as_deref().and_then(incident::build_of),
        Observation::Event(_) | Observation::Ticket(_) | Observation::Sigma(_) => None,
    };
    set(Trait::Kernel, build.and_then(|build| Knowledge.kernel_build(build)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands_for(logs: &[(&str, &[&str])], told: &[(&str, Trait, u32)], folder: &str) -> Option<String> {
        let folders = folders(logs, told);
        let found = folders.machines_of([folder].into_iter());
        found.get(folder).map(|machine| machine.host.to_string())
    }

    fn folders(logs: &[(&str, &[&str])], told: &[(&str, Trait, u32)]) -> Folders {
        let mut folders = Folders {
            hosts: logs
                .iter()
                .map(|(folder, hosts)| ((*folder).to_owned(), hosts.iter().map(|host| Arc::from(*host)).collect()))
                .collect(),
            started: BTreeMap::new(),
            traits: BTreeMap::new(),
        };
        for (folder, of, value) in told {
            folders.traits.entry((*folder).to_owned()).or_default().insert(Traits::from([(*of, *value)]));
        }
        folders
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
    fn a_folder_of_another_name_on_the_way_may_be_of_another_case() {
        let logs: &[(&str, &[&str])] = &[("x/logs", &["PC-7"])];
        for folder in ["x/dumps", "x/reports/AppCrash_demo.exe_1", "x/wer/ReportQueue/1", "x/C/Users/anna"] {
            assert_eq!(stands_for(logs, &[], folder).as_deref(), Some("PC-7"), "{folder}");
        }
        for folder in ["x/dumps/PC-9", "x/reports/customer-a", "x/wer/ReportQueue/1/2", "x/C/Users/anna/Desktop/from b"]
        {
            assert_eq!(stands_for(logs, &[], folder), None, "{folder}");
        }
    }

    #[test]
    fn dumps_that_differ_in_what_a_machine_has_one_of_are_of_two_machines() {
        let logs: &[(&str, &[&str])] = &[(LOGS, &["PC-7"])];
        let (minidump, users) = ("x/C/Windows/Minidump", "x/C/Users/anna");
        for of in [Trait::Family, Trait::Model, Trait::Stepping, Trait::Bits, Trait::Kernel] {
            let stands = |a: (&str, u32), b: (&str, u32), folder: &str| {
                stands_for(logs, &[(a.0, of, a.1), (b.0, of, b.1)], folder)
            };
            assert_eq!(stands((minidump, 1), (users, 1), users).as_deref(), Some("PC-7"));
            assert_eq!(stands((minidump, 1), (users, 2), users), None);
            assert_eq!(stands((minidump, 1), (users, 2), LOGS).as_deref(), Some("PC-7"));
            assert_eq!(stands((LOGS, 1), (LOGS, 2), LOGS), None);
            // What lies in another case's folder says nothing of this one.
            assert_eq!(stands((minidump, 1), ("x/C/of another", 2), users).as_deref(), Some("PC-7"));
        }
        // Each tells something else.
        assert!(stands_for(logs, &[(minidump, Trait::Bits, 64), (users, Trait::Family, 6)], users).is_some());
    }

    #[test]
    fn logs_that_tell_of_starts_know_the_kernels_of_their_machine() {
        let (minidump, users) = ("x/C/Windows/Minidump", "x/C/Users/anna");
        let machine = |started: &[u32], told: &[(&str, Trait, u32)]| {
            let mut folders = folders(&[(LOGS, &["PC-7"])], told);
            if !started.is_empty() {
                folders.started.insert(LOGS.to_owned(), started.iter().copied().collect());
            }
            folders.machines_of([users].into_iter()).remove(users)
        };
        let told = [(minidump, Trait::Kernel, 19041), (users, Trait::Kernel, 22621)];
        let of = |kernel| Traits::from([(Trait::Kernel, kernel)]);
        assert!(machine(&[], &told).is_none());
        // Windows was renewed.
        let both = machine(&[19041, 22621], &told).expect("a machine");
        assert!(may_have_started(&both.started, &of(19041)) && may_have_started(&both.started, &of(22621)));
        // One dump is of another machine, and takes nothing from the others.
        let one = machine(&[19041], &told).expect("a machine");
        assert!(may_have_started(&one.started, &of(19041)) && !may_have_started(&one.started, &of(22621)));
        assert!(may_have_started(&one.started, &Traits::new()));
    }

    #[test]
    fn releases_that_share_a_kernel_are_one_windows() {
        let known = Knowledge::builtin();
        for (build, kernel) in
            [(19045, 19041), (19041, 19041), (22631, 22621), (22000, 22000), (20348, 20348), (7601, 7601)]
        {
            assert_eq!(known.kernel_build(build), Some(kernel));
        }
        assert_eq!(known.kernel_build(19999), None);
    }
}
