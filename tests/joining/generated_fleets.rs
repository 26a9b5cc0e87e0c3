//! Generated fleets with known incidents: random machines leave random artifacts of random failures, in folders as
//! people and tools collect them. Every incident must be found whole, and none may contain evidence of another.
//!
//! The machines do what makes joining hard: they reuse process ids, run the same programs in the same versions, crash
//! twice within seconds, have a blue screen with the same parameters on another day, and fail at the same moment as a
//! cloned machine; their logs are exported twice.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use samplekit::event_log::{Event, EventLog};
use samplekit::events::{
    Crash, Hang, Image, Layout, LostPower, ManagedCrash, bugcheck, display_reset, kernel_power, process_exit,
    product_installed, unclean_shutdown,
};
use samplekit::kernel_dump::{Driver, Stop, TriageDump};
use samplekit::minidump::{Context, Minidump, Processor, StackImage, System};
use samplekit::{FileTime, FileVersion, Guid, Random};
use serde_json::Value;

use crate::program::{list, report, text};

/// The number of fleets.
const FLEETS: u64 = 40;
const DAY: u64 = 86_400;
/// The time of the first failures.
const BEGIN: FileTime = FileTime::utc(2025, 3, 3, 6, 0, 0);

/// A path below the fleet's folder, for event logs with the record's id.
type Evidence = String;

/// The evidence of one incident, and its machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Truth {
    evidence: BTreeSet<Evidence>,
    machine: String,
}

/// How the artifacts of a machine are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Collected {
    /// In a folder with the machine's name.
    ByName,
    /// By a tool that copies the folders of the system.
    Copied,
    /// Into one folder with those of other machines.
    Together,
}

/// A random generator with the choices that the fleets need.
struct Chance(Random);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn seconds(&mut self, from: u64, to: u64) -> u64 {
        from + self.0.any() % (to - from)
    }

    /// Whether something happens that happens `in_ten` times in ten.
    fn happens(&mut self, in_ten: usize) -> bool {
        self.below(10) < in_ten
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A machine with its artifacts.
struct Machine {
    name: String,
    collected: Collected,
    /// Which of the fleet's machines it is.
    number: usize,
    processor: Processor,
    layout: Layout,
    /// Events by log, each with the incident that it belongs to.
    logs: BTreeMap<&'static str, Vec<(Event, Option<usize>)>>,
    /// Files with the incident that they belong to.
    files: Vec<(String, Vec<u8>, usize)>,
    incidents: usize,
}

impl Machine {
    fn new(number: usize, collected: Collected, chance: &mut Chance) -> Self {
        let domain = if chance.happens(3) { ".corp.example" } else { "" };
        Self {
            name: format!("PC-{}{domain}", 10 + number),
            collected,
            number,
            processor: Processor { stepping: chance.one_of(&[10, 11, 13]), ..Processor::coffee_lake() },
            layout: chance.one_of(&[Layout::Positional, Layout::Named]),
            logs: BTreeMap::new(),
            files: Vec::new(),
            incidents: 0,
        }
    }

    fn begin(&mut self) -> usize {
        self.incidents += 1;
        self.incidents - 1
    }

    fn log(&mut self, log: &'static str, event: Event, incident: impl Into<Option<usize>>) {
        self.logs.entry(log).or_default().push((event, incident.into()));
    }

    /// The folders of its logs, of dumps of programs, of kernel dumps, and of a report with this number.
    fn folders(&self, report: usize) -> [String; 4] {
        let short = self.name.split('.').next().expect("a name");
        match self.collected {
            Collected::ByName => {
                let root = format!("fleet/collected {short}");
                [root.clone(), format!("{root}/programs"), root.clone(), format!("{root}/reports/{report}")]
            }
            Collected::Copied => {
                let root = format!("fleet/case {}/C", self.number);
                [
                    format!("{root}/Windows/System32/winevt/Logs"),
                    format!("{root}/Users/anna/AppData/Local/CrashDumps"),
                    format!("{root}/Windows/Minidump"),
                    format!("{root}/ProgramData/Microsoft/Windows/WER/ReportArchive/AppCrash_{report}"),
                ]
            }
            Collected::Together => {
                let root = "fleet/all".to_owned();
                [root.clone(), root.clone(), root.clone(), format!("{root}/AppCrash_{}_{report}", self.number)]
            }
        }
    }

    /// A crash, with at least one artifact.
    fn crash(&mut self, crash: &Crash, chance: &mut Chance) {
        let incident = self.begin();
        let [_, dumps, _, report] = self.folders(incident);
        // The artifacts that name the process or the report, by which the others are joined.
        let (error, wer_file) = match chance.below(4) {
            0 => (true, false),
            1 => (false, true),
            2 => (true, true),
            _ => (false, false),
        };
        let dump = chance.happens(6) || !(error || wer_file);
        if error {
            if chance.happens(2) {
                let managed = ManagedCrash {
                    app: crash.app.clone(),
                    time: crash.time,
                    report_id: crash.report_id,
                    text: format!("Application: {}\nException Info: System.OverflowException\n", crash.app.name()),
                    exception: "System.OverflowException".to_owned(),
                };
                self.log("Application", managed.runtime_event(), incident);
            }
            self.log("Application", crash.application_error(self.layout), incident);
        }
        if error || wer_file {
            for status in 0..chance.below(4) {
                let status = [4, 97, 268_435_456][status];
                self.log("Application", crash.wer_event(self.layout, "Not available", status), incident);
            }
        }
        if wer_file {
            self.files.push((format!("{report}/Report.wer"), crash.report((19045, 3693), &[]).to_bytes(), incident));
        }
        if dump {
            let mut minidump = Minidump { system: System::windows(19045, self.processor), ..Minidump::of_crash(crash) };
            // A clone fails in the same way, but in a thread with another id.
            let thread = 9120 + 4 * u32::try_from(self.number).expect("small");
            minidump.threads[0].id = thread;
            minidump.exception.iter_mut().for_each(|exception| exception.thread = thread);
            let name = format!("{dumps}/{}.{}.{}-{incident}.dmp", crash.app.name(), crash.process, self.number);
            self.files.push((name, minidump.to_bytes(), incident));
        }
        if (error || dump) && chance.happens(3) {
            let ended = crash.time.plus_seconds(chance.seconds(1, 400));
            self.log("Security", process_exit(ended, &crash.app.path, crash.process, crash.code), incident);
        }
    }

    fn hang(&mut self, crash: &Crash, chance: &mut Chance) {
        let incident = self.begin();
        let hang = Hang {
            app: crash.app.clone(),
            process: crash.process,
            started: crash.started,
            time: crash.time,
            report_id: crash.report_id,
        };
        self.log("Application", hang.application_hang(), incident);
        if chance.happens(6) {
            self.log("Application", hang.wer_event(), incident);
        }
    }

    /// A blue screen, and the start after it; gives its time.
    fn stop(&mut self, code: u32, parameters: [u64; 4], time: FileTime, chance: &mut Chance) -> FileTime {
        let incident = self.begin();
        let [_, _, dumps, _] = self.folders(incident);
        let start =
            time.plus_seconds(if chance.happens(3) { chance.seconds(DAY, 3 * DAY) } else { chance.seconds(30, 90) });
        let name = format!("{:06}-{}{incident}-01.dmp", chance.below(1_000_000), self.number);
        let has_address = parameters.iter().any(|parameter| *parameter > u64::from(u32::MAX));
        // Without an address among the parameters, only the record that names the dump leads to it.
        let named = chance.happens(7) || !has_address;
        let lost = LostPower { code, parameters, power_button: None };
        self.log("System", kernel_power(start, lost), incident);
        if chance.happens(7) {
            let alive = time.minus_seconds(chance.seconds(1, 60));
            self.log("System", unclean_shutdown(start.plus_seconds(9), alive, 2, 934), incident);
        }
        if named {
            let id = Guid::made_up(&format!("{} {incident} stop", self.name));
            let path = format!(r"C:\Windows\Minidump\{name}");
            self.log("System", bugcheck(start.plus_seconds(21), code, parameters, &path, id), incident);
        }
        if chance.happens(6) {
            let stop = Stop {
                build: 19041,
                processors: 8,
                code,
                parameters,
                time,
                uptime_seconds: 934,
                context: Context::at(0xFFFF_F803_5A7F_73B0, 0xFFFF_CF82_3C1E_7000),
                comment: None,
            };
            let dump = TriageDump {
                stop,
                narrow: false,
                stack: StackImage::new(0xFFFF_CF82_3C1E_7000).locals(8).memory().bytes,
                drivers: vec![Driver::new(r"\SystemRoot\system32\ntoskrnl.exe", 0xFFFF_F803_5A40_0000, 0x104_6000)],
                unloaded: vec![],
                named_driver: None,
                moment: None,
                secondary: vec![],
                memory: vec![],
            };
            self.files.push((format!("{dumps}/{name}"), dump.to_bytes(), incident));
        }
        start
    }

    fn power_loss(&mut self, time: FileTime, chance: &mut Chance) {
        let incident = self.begin();
        let start = time.plus_seconds(chance.seconds(60, 400));
        self.log("System", kernel_power(start, LostPower::default()), incident);
        self.log("System", unclean_shutdown(start.plus_seconds(9), time, 2, 934), incident);
    }

    fn resets(&mut self, time: FileTime, chance: &mut Chance) {
        let incident = self.begin();
        for number in 0..=chance.below(4) as u64 {
            self.log("System", display_reset(time.plus_seconds(number * 40), "nvlddmkm"), incident);
        }
    }

    /// Writes all files below a folder, and gives the evidence of each incident.
    fn write(self, root: &Path, chance: &mut Chance) -> Vec<Truth> {
        let [logs, ..] = self.folders(0);
        let machine = self.name.clone();
        let mut truth = vec![Truth { evidence: BTreeSet::new(), machine }; self.incidents];
        for (channel, events) in &self.logs {
            let first = 1 + chance.below(3) as u64 * 700;
            let mut log = EventLog::new(channel, &self.name).starting_at(first);
            for (event, _) in events {
                log.add(event.clone());
            }
            let bytes = log.to_bytes();
            let copies = if chance.happens(2) { 2 } else { 1 };
            for copy in 0..copies {
                let path = format!("{logs}/{channel} {} {copy}.evtx", self.number);
                write(root, &path, &bytes);
                for ((_, incident), id) in events.iter().zip(first..) {
                    if let Some(incident) = incident {
                        truth[*incident].evidence.insert(format!("{path}#{id}"));
                    }
                }
            }
        }
        for (path, bytes, incident) in &self.files {
            write(root, path, bytes);
            assert!(truth[*incident].evidence.insert(path.clone()), "{path} is there twice");
        }
        truth
    }
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("a file");
}

/// A crash of a random program. There are few process ids, so that they are reused.
fn some_crash(time: FileTime, of: &str, chance: &mut Chance) -> Crash {
    let image = |name: &str| Image {
        path: format!(r"C:\Program Files\Demo\{name}"),
        version: Some(FileVersion([2, 1, 0, 7])),
        timestamp: 0x6543_2100,
    };
    Crash {
        app: image(chance.one_of(&["ledger.exe", "viewer.exe", "updater.exe"])),
        module: image(chance.one_of(&["plugin.dll", "core.dll"])),
        code: chance.one_of(&[0xC000_0005, 0xC000_001D]),
        offset: chance.one_of(&[0x1234, 0x5678]),
        data: 0,
        process: chance.one_of(&[4312, 4316, 7704]),
        started: time.minus_seconds(chance.seconds(1000, 1700)).plus_micros(chance.seconds(1, 900_000)),
        time,
        report_id: Guid::made_up(&format!("{of} {}", time.0)),
    }
}

/// The failures of a machine, and of its clone at the same time.
fn live(machine: &mut Machine, clone: Option<&mut Machine>, chance: &mut Chance) {
    let mut clone = clone;
    let mut time = BEGIN.plus_seconds(chance.seconds(0, DAY));
    let parameters = [0xFFFF_F800_1234_0000 + machine.number as u64 * 0x1000, 2, 0, 0xFFFF_F800_5678_0000];
    // Every machine has a System log.
    let first = machine.begin();
    machine.log("System", display_reset(BEGIN.minus_seconds(DAY), "nvlddmkm"), first);
    for number in 0..3 + chance.below(12) {
        // More than an hour: no failure takes as long.
        time = time.plus_seconds(chance.seconds(4000, 2 * DAY));
        let of = format!("{} {number}", machine.name);
        match chance.below(10) {
            0..=3 => {
                let crash = some_crash(time, &of, chance);
                machine.crash(&crash, chance);
                if chance.happens(2) {
                    // The program is started again at once, and crashes again.
                    let mut again = some_crash(time.plus_seconds(3), &format!("{of} again"), chance);
                    again.process = crash.process + 400;
                    let incident = machine.begin();
                    machine.log("Application", again.application_error(machine.layout), incident);
                    machine.log("Application", again.wer_event(machine.layout, "", 4), incident);
                }
                if let Some(clone) = clone.as_deref_mut().filter(|_| chance.happens(5)) {
                    let report_id = Guid::made_up(&format!("{of} of the clone"));
                    clone.crash(&Crash { report_id, ..crash }, chance);
                }
            }
            4 => {
                let crash = some_crash(time, &of, chance);
                machine.hang(&crash, chance);
                if chance.happens(4) {
                    let time = time.plus_seconds(chance.seconds(5, 900));
                    let report_id = Guid::made_up(&format!("{of} crash"));
                    machine.crash(&Crash { time, report_id, ..crash }, chance);
                }
            }
            5..=6 => time = machine.stop(0xD1, parameters, time, chance),
            7 => {
                let code = chance.one_of(&[0xEF, 0xE2]);
                time = machine.stop(code, [chance.below(3) as u64, 0, 0, 0], time, chance);
            }
            8 => machine.power_loss(time, chance),
            _ => machine.resets(time, chance),
        }
        if chance.happens(4) {
            let installed = product_installed(time.minus_seconds(1800), "Ledger", "4.2", "Demo");
            machine.log("Application", installed, None::<usize>);
        }
    }
}

/// Generates a fleet below a folder.
fn make(seed: u64, root: &Path) -> Vec<Truth> {
    let mut chance = Chance(Random::new(seed * 7919 + 1));
    // The generator's first numbers are similar for similar seeds.
    for _ in 0..20 {
        chance.below(2);
    }
    let count = 1 + chance.below(4);
    let mut machines: Vec<Machine> = (0..count)
        .map(|number| {
            let collected = chance.one_of(&[Collected::ByName, Collected::Copied, Collected::Together]);
            Machine::new(number, collected, &mut chance)
        })
        .collect();
    for number in 0..count {
        let (before, rest) = machines.split_at_mut(number);
        let (machine, _) = rest.split_first_mut().expect("the machine");
        // Artifacts in a common folder must name their machine themselves, so such machines have no clone.
        let apart = |one: &&mut Machine| one.collected != Collected::Together;
        let clone = before.last_mut().filter(apart).filter(|_| machine.collected != Collected::Together);
        live(machine, clone, &mut chance);
    }
    machines
        .into_iter()
        .flat_map(|machine| machine.write(root, &mut chance))
        .filter(|one| !one.evidence.is_empty())
        .collect()
}

/// The evidence of an incident, without other records of the machine that findings cite.
fn made_of(incident: &Value, root: &str) -> BTreeSet<Evidence> {
    let own = list(incident, "evidence").iter().filter(|item| item["joined_by"]["key"] != "machine");
    own.map(|item| {
        let path = text(item, "artifact").strip_prefix(root).expect("a path below the fleet");
        match text(item, "place").strip_prefix("record ") {
            Some(record) => format!("{path}#{record}"),
            None => path.to_owned(),
        }
    })
    .collect()
}

fn pairs<'e>(incidents: impl Iterator<Item = &'e BTreeSet<Evidence>>) -> BTreeSet<(&'e Evidence, &'e Evidence)> {
    incidents
        .flat_map(|incident| {
            incident.iter().flat_map(move |a| incident.iter().filter(move |b| a < *b).map(move |b| (a, b)))
        })
        .collect()
}

fn short(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}

#[test]
fn whatever_machines_leave_behind_each_incident_is_found_whole_and_holds_nothing_of_another() {
    // With this variable the fleets are kept in the folder: scripts/golden.sh reads them.
    let kept = env::var_os("CRASHSIFT_FLEETS").map(PathBuf::from);
    let (mut right, mut wrong, mut missed, mut incidents, mut mistakes) = (0, 0, 0, 0, Vec::new());
    for seed in 0..FLEETS {
        let made = tempfile::tempdir().expect("a folder");
        let folder = kept.as_ref().map_or_else(|| made.path().to_path_buf(), |kept| kept.join(format!("{seed:02}")));
        let truth = make(seed, &folder);
        let report = report(&folder);
        let root = format!("{}/", untrusted::display_path(&folder));
        let found: Vec<(BTreeSet<Evidence>, &Value)> =
            list(&report, "incidents").iter().map(|incident| (made_of(incident, &root), incident)).collect();
        let (found_pairs, true_pairs) =
            (pairs(found.iter().map(|(evidence, _)| evidence)), pairs(truth.iter().map(|truth| &truth.evidence)));
        right += found_pairs.intersection(&true_pairs).count();
        wrong += found_pairs.difference(&true_pairs).count();
        missed += true_pairs.difference(&found_pairs).count();
        incidents += truth.len();
        let machine_of: BTreeMap<&Evidence, &str> =
            truth.iter().flat_map(|one| one.evidence.iter().map(|evidence| (evidence, &*one.machine))).collect();
        for (evidence, incident) in &found {
            let machines: BTreeSet<&str> =
                evidence.iter().map(|one| machine_of.get(one).copied().unwrap_or("?")).collect();
            let host = incident["host"].as_str();
            if machines.len() != 1 || host.is_some_and(|host| machines.iter().any(|one| short(one) != short(host))) {
                mistakes.push(format!("fleet {seed}: {machines:?} is told to be {host:?}: {evidence:?}"));
            }
            // Only in the common folder the machine of a dump can be unknown.
            if host.is_none() && evidence.iter().any(|one| !one.starts_with("fleet/all/")) {
                mistakes.push(format!("fleet {seed}: no host: {evidence:?}"));
            }
            if !truth.iter().any(|truth| truth.evidence == *evidence) {
                mistakes.push(format!("fleet {seed}: is no incident: {evidence:?}"));
            }
        }
        for truth in &truth {
            if !found.iter().any(|(evidence, _)| *evidence == truth.evidence) {
                mistakes.push(format!("fleet {seed}: is not found: {:?}", truth.evidence));
            }
        }
    }
    let percent = |of: usize| 100.0 * right as f64 / (right + of) as f64;
    println!(
        "{FLEETS} fleets, {incidents} incidents, {} joined pairs: precision {:.2} %, recall {:.2} %",
        right + missed,
        percent(wrong),
        percent(missed)
    );
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes[..mistakes.len().min(30)].join("\n"));
    assert!(incidents > 500 && right > 500, "the fleets have too little in them");
}
