//! The cost of joining and grouping many incidents, and its growth: a fleet of computers over two months, with crashes
//! that have two events, some with dumps, hangs, blue screens, driver resets and services that ended. The aim is below
//! 5 seconds of CPU and 1 GiB for 100,000 incidents, and growth no worse than n log n; nothing fails here when it is
//! missed. Then the same for the log of one computer that is full of crashes at one moment, where only the program's
//! name distinguishes records.
//!
//!     cargo bench --bench incidents
//!
//! Each size runs in a process of its own, which prints its line: the cost of joining and grouping alone, then of the
//! whole run from evidence to report with judging, each with the peak memory of the process, evidence included.

#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "the benchmark's own small numbers")]

mod cpu;

use std::collections::HashMap;
use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use evidence::{
    ApplicationError, BugcheckCode, Event, EventBody, EventContent, EventFields, Evidence, ExceptionCode, ModuleOffset,
    Observation, Place, ProcessDump, ServiceEnd, Version, WerDetails, WerReport, WerSignature,
};
use incident::{Carriers, Incident, SourcedEvidence};
use jiff::{SignedDuration, Timestamp};
use pipeline::patterns::patterns;
use pipeline::read::{ReadArtifact, read_artifact};
use pipeline::read_context::ReadContext;
use pipeline::{Options, merge};
use report::groups::{Attributes, groups};
use report::{Artifact, ArtifactStatus, Judged, Verdict};
use rules::RuleSet;
use rules::UNDETERMINED;

use cpu::Cpu;

/// The numbers of incidents, the largest last.
const SIZES: [u32; 4] = [12_500, 25_000, 50_000, 100_000];
/// With this argument and a number the benchmark measures one size.
const ONE: &str = "--incidents";
/// With this further argument, it measures the records of one computer at one moment.
const MOMENT: &str = "--moment";
/// The number of computers.
const HOSTS: u32 = 200;
/// Two months, seconds.
const SPAN: i64 = 60 * 24 * 3600;
/// The dump that is copied for crashes.
const DUMP: &str = "samples/abort-below-cudnn/python.exe.11928.dmp";

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let one = arguments.iter().position(|argument| argument == ONE);
    let outcome = match one.and_then(|place| arguments.get(place + 1)?.parse().ok()) {
        Some(count) if arguments.iter().any(|argument| argument == MOMENT) => measure(moment(count)),
        Some(count) => fleet(count).and_then(measure),
        None => all(),
    };
    if let Err(reason) = outcome {
        println!("not measured: {reason}");
    }
}

fn all() -> Result<(), String> {
    let unoptimised =
        if cfg!(debug_assertions) { "; BUILT WITHOUT OPTIMISATION: THE FIGURES MEAN NOTHING" } else { "" };
    println!("CPU seconds for so many incidents of {HOSTS} computers, one thread{unoptimised}");
    for shape in [None, Some(MOMENT)] {
        if shape.is_some() {
            println!("so many records of one computer at one moment");
        }
        println!(
            "{:>9} {:>7} {:>7} {:>7} {:>7} {:>12} {:>7} {:>12}",
            "incidents", "groups", "join", "group", "both", "peak memory", "whole", "peak memory"
        );
        for size in SIZES {
            let own = env::current_exe().map_err(|error| error.to_string())?;
            let status = Command::new(own)
                .args([ONE, &size.to_string()])
                .args(shape)
                .status()
                .map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("{size} incidents: {status}"));
            }
        }
    }
    Ok(())
}

fn measure(read: Vec<ReadArtifact>) -> Result<(), String> {
    let rules = RuleSet::load(true, &[]).map_err(|mistakes| format!("the rules have {} mistakes", mistakes.len()))?;
    let items = items(&read);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let pool = pool.map_err(|error| error.to_string())?;
    pool.install(|| {
        let start = Cpu::now()?;
        let sightings = incident::sightings(&items);
        let joined = incident::incidents(&items, &sightings, &NoCarriers, &|_| Vec::new());
        let joining = start.microseconds()?;
        let found = joined.len();

        let start = Cpu::now()?;
        let patterns = patterns(&joined).len();
        let mut attributes = Attributes::default();
        let surroundings: Vec<_> = joined.iter().map(|joined| attributes.of_incident(joined)).collect();
        let judged: Vec<Judged> = joined.into_iter().map(|joined| undetermined(joined.incident)).collect();
        let groups = groups(&judged, &surroundings, &attributes, &HashMap::new(), &[]).len();
        let grouping = start.microseconds()?;
        drop((judged, surroundings, attributes, items));
        let memory = peak_memory().unwrap_or(f64::NAN);

        let start = Cpu::now()?;
        let report = merge(read, &rules, &Options::default());
        let whole = start.microseconds()?;
        if found != report.incidents.len() || found != patterns || groups == 0 {
            return Err(format!("{found} incidents joined, {} reported", report.incidents.len()));
        }
        let [joining, grouping, both, whole] =
            [joining, grouping, joining + grouping, whole].map(|microseconds| microseconds / 1e6);
        let of_whole = peak_memory().unwrap_or(f64::NAN);
        println!(
            "{found:>9} {groups:>7} {joining:>7.2} {grouping:>7.2} {both:>7.2} {memory:>8.0} MiB {whole:>7.2} {of_whole:>8.0} MiB"
        );
        Ok(())
    })
}

/// Rules do not change the cost of joining, so there are none for Windows' own modules.
struct NoCarriers;

impl Carriers for NoCarriers {
    fn is_carrier(&self, module: &str) -> bool {
        module.eq_ignore_ascii_case("ntdll.dll")
    }

    fn is_prefix(&self, _: &str) -> bool {
        false
    }

    fn is_sentinel(&self, _: &str) -> bool {
        false
    }

    fn is_windows_driver(&self, _: &str) -> bool {
        false
    }

    fn is_injected(&self, _: &str) -> bool {
        false
    }
}

fn undetermined(incident: Incident) -> Judged {
    let verdict = Verdict {
        cause: UNDETERMINED.to_owned(),
        confidence: 0.0,
        sentence: String::new(),
        collect_next: Vec::new(),
        gap_requests: Vec::new(),
        leads: Vec::new(),
        measured: None,
        family: None,
        symptom: false,
    };
    Judged {
        incident,
        findings: Vec::new(),
        suppressed: Vec::new(),
        verdict,
        sigma: Vec::new(),
        threads: Vec::new(),
        party: None,
    }
}

fn items(read: &[ReadArtifact]) -> Vec<SourcedEvidence> {
    let folder: Arc<str> = Arc::from("fleet");
    let all = read.iter().enumerate().flat_map(|(artifact, read)| read.evidence.iter().map(move |one| (artifact, one)));
    all.map(|(artifact, evidence)| SourcedEvidence {
        artifact,
        folder: Arc::clone(&folder),
        file: Arc::clone(&folder),
        folder_host: None,
        former_host: None,
        place: evidence.place.clone(),
        observation: evidence.observation.clone(),
    })
    .collect()
}

/// A number that looks random, by position (SplitMix64).
fn mixed(position: u64) -> u64 {
    let mut mixed = position.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The logs and dumps of a fleet with this number of incidents.
fn fleet(count: u32) -> Result<Vec<ReadArtifact>, String> {
    let dump = dump()?;
    let mut fleet = Vec::new();
    for host in 0..HOSTS {
        let own = count / HOSTS + u32::from(host < count % HOSTS);
        let mut log = Log::of(host, SPAN / i64::from(own.max(1)));
        let mut dumps = Vec::new();
        for number in 0..own {
            log.incident(number, &dump, &mut dumps);
        }
        fleet.push(artifact(&format!("fleet/PC-{host:03}/events.evtx"), "event-log", log.evidence));
        for (number, dump) in dumps.into_iter().enumerate() {
            let evidence = Evidence { place: Place::Whole, observation: Observation::Process(Box::new(dump)) };
            fleet.push(artifact(&format!("fleet/PC-{host:03}/{number:04}.dmp"), "minidump", vec![evidence]));
        }
    }
    Ok(fleet)
}

/// A log with this number of records of one computer, 100 microseconds apart: alternately a crash of one program and a
/// .NET error of another.
fn moment(count: u32) -> Vec<ReadArtifact> {
    let mut log = Log::of(0, 1);
    let begin = log.time(0, 0);
    for number in 0..count {
        let later = SignedDuration::from_micros(i64::from(number / 2) * 100);
        let time = begin.saturating_add(later).unwrap_or(begin);
        if number % 2 == 0 {
            log.add("Application Error", 1000, "Application", time, bare_crash());
        } else {
            let body = EventBody::DotNet {
                app: Some("b.exe".into()),
                exception_type: None,
                text: "Application: b.exe".into(),
            };
            log.add(".NET Runtime", 1026, "Application", time, body);
        }
    }
    vec![artifact("moment/events.evtx", "event-log", log.evidence)]
}

/// The record of a crash with the program's name only.
fn bare_crash() -> EventBody {
    let version = Some(Version([1, 0, 0, 0]));
    let error = ApplicationError { app: "a.exe".into(), app_version: version, ..ApplicationError::default() };
    EventBody::ApplicationError(Box::new(error))
}

fn dump() -> Result<ProcessDump, String> {
    let context = ReadContext { walk_stacks: true, ..ReadContext::default() };
    let read = read_artifact(&Path::new(env!("CARGO_MANIFEST_DIR")).join(DUMP), &context);
    let dump = read.evidence.into_iter().find_map(|evidence| match evidence.observation {
        Observation::Process(dump) => Some(*dump),
        _ => None,
    });
    dump.ok_or_else(|| format!("{DUMP}: {:?}", read.artifact.detail))
}

fn artifact(path: &str, kind: &'static str, evidence: Vec<Evidence>) -> ReadArtifact {
    let (bytes, records) = (1 << 16, Some(evidence.len() as u64));
    let artifact = Artifact {
        path: path.to_owned(),
        kind: kind.into(),
        status: ArtifactStatus::Ok,
        detail: None,
        bytes,
        records,
        party: None,
        evidence: None,
    };
    ReadArtifact { artifact, pasted: false, evidence, coverage: Vec::new() }
}

/// The records of one computer's logs.
struct Log {
    host: u32,
    computer: Arc<str>,
    /// Seconds between two incidents.
    apart: i64,
    evidence: Vec<Evidence>,
}

impl Log {
    fn of(host: u32, apart: i64) -> Self {
        Self { host, computer: format!("PC-{host:03}.example.org").into(), apart: apart.max(1), evidence: Vec::new() }
    }

    /// The time of the computer's incident with this number.
    fn time(&self, number: u32, random: u64) -> Timestamp {
        /// 2024-03-01, seconds since 1970.
        const START: i64 = 1_709_251_200;
        let within = i64::try_from(random % 1_000_000_000).unwrap_or_default();
        let seconds = START + i64::from(number) * self.apart;
        Timestamp::new(seconds, i32::try_from(within / 100 * 100).unwrap_or_default()).unwrap_or_default()
    }

    fn add(&mut self, provider: &str, id: u32, channel: &str, time: Timestamp, body: EventBody) {
        let place = Place::Record(self.evidence.len() as u64 + 1);
        let content = EventContent {
            provider: provider.into(),
            id,
            channel: Some(channel.into()),
            body,
            fields: EventFields::default(),
        };
        let event = Event { computer: Some(Arc::clone(&self.computer)), time: Some(time), content: Arc::new(content) };
        self.evidence.push(Evidence { place, observation: Observation::Event(event) });
    }

    fn incident(&mut self, number: u32, dump: &ProcessDump, dumps: &mut Vec<ProcessDump>) {
        let random = mixed((u64::from(self.host) << 32) | u64::from(number));
        let time = self.time(number, random);
        match random % 20 {
            0 => self.stop(time, random),
            1 => self.add("Display", 4101, "System", time, EventBody::DisplayReset { driver: "nvlddmkm".into() }),
            2 => {
                let name: Arc<str> = format!("Service{}", random >> 8 & 31).into();
                let end = ServiceEnd { display_name: Arc::clone(&name), name: Some(name), times: Some(1) };
                self.add("Service Control Manager", 7034, "System", time, EventBody::ServiceEnded(end));
            }
            3 => self.hang(time, random, number),
            kind => {
                self.crash(time, random, number);
                if kind < 6 {
                    dumps.push(self.dumped(dump, time, random, number));
                }
            }
        }
    }

    /// BugCheck 1001, Kernel-Power 41 and EventLog 6008 of one restart.
    fn stop(&mut self, time: Timestamp, random: u64) {
        const CODES: [u32; 5] = [0x116, 0x1A, 0x50, 0xD1, 0x139];
        let code = BugcheckCode(CODES[usize::try_from(random >> 8).unwrap_or_default() % CODES.len()]);
        let parameters = [0xFFFF_8000_0000_0000 | random >> 20, 0, 2, 0];
        let later = |seconds| time.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(time);
        let stopped = EventBody::BugCheck { code, parameters, dump_path: None, report_id: None };
        self.add("Microsoft-Windows-WER-SystemErrorReporting", 1001, "System", later(60), stopped);
        let restarted = EventBody::UncleanRestart {
            code: Some(code),
            parameters,
            power_button: None,
            long_press: None,
            sleeping: None,
            hardware_errors: None,
        };
        self.add("Microsoft-Windows-Kernel-Power", 41, "System", later(50), restarted);
        let alive = EventBody::UncleanShutdown { last_alive: Some(time) };
        self.add("EventLog", 6008, "System", later(55), alive);
    }

    fn hang(&mut self, time: Timestamp, random: u64, number: u32) {
        let body = EventBody::Hang {
            app: program(random),
            app_version: Some(Version([1, 0, 0, 0])),
            pid: Some(self.pid(number)),
            started: None,
            app_path: None,
            report_id: Some(self.report_id(number)),
            hang_type: None,
        };
        self.add("Application Hang", 1002, "Application", time, body);
    }

    /// Application Error 1000, and the record of Windows Error Reporting about it.
    fn crash(&mut self, time: Timestamp, random: u64, number: u32) {
        const CODES: [u32; 6] = [0xC000_0005, 0xC000_0409, 0xC000_0374, 0xE06D_7363, 0xC000_001D, 0x8000_0003];
        let code = ExceptionCode(CODES[usize::try_from(random >> 16).unwrap_or_default() % CODES.len()]);
        let module: Arc<str> = match random >> 24 & 63 {
            0..8 => "ntdll.dll".into(),
            other => format!("module{other}.dll").into(),
        };
        let (version, offset) = (Version([1, 2, 3, 4]), ModuleOffset(random >> 40 & 0xFFF0));
        let error = ApplicationError {
            app: program(random),
            app_version: Some(Version([1, 0, 0, 0])),
            module: Some(Arc::clone(&module)),
            module_version: Some(version),
            code: Some(code),
            offset: Some(offset),
            wide_offset: Some(true),
            pid: Some(self.pid(number)),
            started: Some(started(time)),
            report_id: Some(self.report_id(number)),
            ..ApplicationError::default()
        };
        self.add("Application Error", 1000, "Application", time, EventBody::ApplicationError(Box::new(error)));
        let signature = WerSignature {
            app: Some(program(random)),
            app_version: Some(Version([1, 0, 0, 0])),
            module: Some(module),
            module_version: Some(version),
            code: Some(code),
            offset: Some(offset),
            ..WerSignature::default()
        };
        let report = WerReport {
            event_type: "APPCRASH".into(),
            time: None,
            report_id: Some(self.report_id(number)),
            own_id: None,
            pid: None,
            started: None,
            app_path: None,
            signature,
            modules: Vec::new(),
            os_version: None,
            details: WerDetails::default(),
        };
        let logged = time.saturating_add(SignedDuration::from_secs(3)).unwrap_or(time);
        self.add("Windows Error Reporting", 1001, "Application", logged, EventBody::Wer(Box::new(report)));
    }

    /// The dump of that process.
    fn dumped(&self, dump: &ProcessDump, time: Timestamp, random: u64, number: u32) -> ProcessDump {
        let mut dump = dump.clone();
        (dump.time, dump.pid, dump.started) = (Some(time), Some(self.pid(number)), Some(started(time)));
        if let Some(first) = dump.modules.as_mut().and_then(|modules| modules.first_mut()) {
            first.name = program(random);
            first.path = Arc::clone(&first.name);
        }
        dump
    }

    fn pid(&self, number: u32) -> u32 {
        4 * (1_000 + (number * 7 + self.host * 13) % 8_000)
    }

    fn report_id(&self, number: u32) -> Arc<str> {
        format!("{:08x}-{number:04x}-4000-8000-000000000000", self.host).into()
    }
}

/// One of 32 programs.
fn program(random: u64) -> Arc<str> {
    format!("program{}.exe", random >> 10 & 31).into()
}

/// When a crashed process had started.
fn started(time: Timestamp) -> Timestamp {
    time.saturating_sub(SignedDuration::from_secs(600)).unwrap_or(time)
}

/// The peak memory of this process, MiB.
#[cfg(target_os = "linux")]
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kib| kib / 1024.0)
}

#[cfg(not(target_os = "linux"))]
fn peak_memory() -> Option<f64> {
    None
}
