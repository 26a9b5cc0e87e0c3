//! The files of one machine: what happens on it day by day, and how Windows records it.

use std::collections::BTreeSet;

use samplekit::event_log::{Event, EventLog};
use samplekit::events::{
    DisplayDriver, Hang, Image, Layout, LostPower, bad_block, bugcheck, display_driver_installed, firmware_installed,
    kernel_power, product_installed, unclean_shutdown,
};
use samplekit::kernel_dump::{Driver, Stop, TriageDump};
use samplekit::minidump::{Context, StackImage};
use samplekit::{FileTime, Guid, Random};

use super::story::{Story, Traits, random};
use super::truth::{Incident, rfc3339};
use crate::scene::{Fault, Images, Scene, Windows, windows_program};

/// The files of a machine, by their paths in its folder, and its incidents in the order of their times.
pub struct Evidence {
    pub files: Vec<(String, Vec<u8>)>,
    pub incidents: Vec<Incident>,
}

/// A defect that crashes a program: on which machines it is, how often, and why.
struct Defect {
    program: &'static Program,
    module: &'static str,
    offset: u64,
    code: u32,
    parameters: &'static [u64],
    /// The instruction at the offset, which fails in this way.
    instruction: &'static [u8],
    cause: &'static str,
    pattern: &'static str,
    /// Crashes in 10,000 days of a machine.
    rate: usize,
}

/// A program with a DLL of its own.
struct Program {
    path: &'static str,
    name: &'static str,
    version: [u16; 4],
    library: (&'static str, [u16; 4]),
}

static LEDGER: Program = Program {
    path: r"C:\Program Files\Ledger\ledger.exe",
    name: "ledger.exe",
    version: [4, 2, 0, 9],
    library: (r"C:\Program Files\Ledger\reportgen.dll", [4, 2, 0, 9]),
};
static UPDATER: Program = Program {
    path: r"C:\Program Files\Orrin\Updater\updater.exe",
    name: "updater.exe",
    version: [1, 9, 3, 0],
    library: (r"C:\Program Files\Orrin\Updater\transfer.dll", [1, 9, 3, 0]),
};
static VIEWER: Program = Program {
    path: r"C:\Program Files\Viewer\viewer.exe",
    name: "viewer.exe",
    version: [9, 1, 0, 2],
    library: (r"C:\Program Files\Viewer\codec64.dll", [2, 0, 7, 0]),
};
static PLANNER: Program = Program {
    path: r"C:\Program Files\Planner\planner.exe",
    name: "planner.exe",
    version: [3, 0, 1, 0],
    library: (r"C:\Program Files\Planner\calendar.dll", [3, 0, 1, 0]),
};
static PROGRAMS: [&Program; 4] = [&LEDGER, &UPDATER, &VIEWER, &PLANNER];

const VIOLATION: u32 = 0xC000_0005;
const DEFECT: &str = "application-defect";
const BACKGROUND: &str = "background";

/// `mov rax, [rcx]`, `mov rax, [rcx+18h]`, `mov [rcx+40h], rax`, `div ecx`, `int 29h`, `ud2` and `hlt`.
const READ: &[u8] = &[0x48, 0x8B, 0x01];
const READ_FIELD: &[u8] = &[0x48, 0x8B, 0x41, 0x18];
const WRITE_FIELD: &[u8] = &[0x48, 0x89, 0x41, 0x40];
const DIVIDE: &[u8] = &[0xF7, 0xF1];
const FAST_FAIL: &[u8] = &[0xCD, 0x29];
const UNDEFINED: &[u8] = &[0x0F, 0x0B];
const HALT: &[u8] = &[0xF4];

/// Defects of programs, on all machines alike.
static DEFECTS: [Defect; 5] = [
    Defect { rate: 60, ..defect(&LEDGER, "ledger.exe", 0x1_2C40, VIOLATION, &[0, 0x18], READ_FIELD) },
    Defect { rate: 50, ..defect(&LEDGER, "reportgen.dll", 0x41F8, 0xC000_0094, &[], DIVIDE) },
    Defect { rate: 50, ..defect(&UPDATER, "updater.exe", 0x8810, VIOLATION, &[1, 0x2_0000_0040], WRITE_FIELD) },
    Defect { rate: 40, ..defect(&VIEWER, "codec64.dll", 0x1_A41F, VIOLATION, &[0, 0x1D4_8C2A_0000], READ) },
    Defect { rate: 50, ..defect(&PLANNER, "ucrtbase.dll", 0x7_286E, 0xC000_0409, &[7], FAST_FAIL) },
];

/// What the overlay does to the viewer.
static OVERLAY: Defect = Defect {
    cause: "injected-module",
    pattern: "overlay",
    rate: 450,
    ..defect(&VIEWER, "viewer.exe", 0x2_B14C, VIOLATION, &[0, 0], READ)
};
const OVERLAY_PATH: &str = r"C:\Program Files\Orrin\Overlay\OrrinOverlay64.dll";

/// A page of a program that the drive can't read.
static PAGE: Defect = Defect {
    cause: "storage-fault",
    pattern: "bad-drive",
    rate: 350,
    ..defect(&LEDGER, "ledger.exe", 0x2_0F00, 0xC000_0006, &[8, 0x7FF6_1C8C_0F00, 0xC000_009C], READ)
};

const fn defect(
    program: &'static Program,
    module: &'static str,
    offset: u64,
    code: u32,
    parameters: &'static [u64],
    instruction: &'static [u8],
) -> Defect {
    Defect { program, module, offset, code, parameters, instruction, cause: DEFECT, pattern: BACKGROUND, rate: 0 }
}

/// In 10,000 days of a machine: hangs, losses of power, blue screens by the display driver with the defect, crashes by damaged
/// memory, and losses of power by the firmware with the defect.
const HANGS: usize = 30;
const POWER_LOSSES: usize = 20;
const DISPLAY_STOPS: usize = 700;
const MEMORY_CRASHES: usize = 4000;
const FIRMWARE_LOSSES: usize = 400;

/// The modules in which damaged memory shows, and the codes with which it does.
const SYSTEM_MODULES: [&str; 5] = ["ntdll.dll", "ucrtbase.dll", "combase.dll", "rpcrt4.dll", "user32.dll"];
const MEMORY_CODES: [(u32, &[u8]); 4] =
    [(VIOLATION, READ), (0xC000_001D, UNDEFINED), (0xC000_0096, HALT), (0xC000_0374, &[0xCC])];
const MEMORY_STOPS: [u32; 4] = [0x1A, 0x50, 0x3B, 0x0A];

const KERNEL: u64 = 0xFFFF_F803_1A00_0000;
const DISPLAY: u64 = 0xFFFF_F803_4100_0000;
const PACKAGE: &str = r"\SystemRoot\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_7209bde3180ef5f7";

/// Ten minutes of a working day: incidents of one machine are in different ones.
const SLOTS: usize = 72;

/// All files of a machine.
pub fn evidence(story: &Story, traits: &Traits) -> Evidence {
    let mut made = Making {
        story,
        traits,
        random: random(story, traits.number, 2),
        taken: BTreeSet::new(),
        application: vec![],
        system: vec![],
        files: vec![],
        incidents: vec![],
    };
    made.changes();
    for day in 0..story.days {
        made.live(day);
    }
    made.finish()
}

struct Making<'s> {
    story: &'s Story,
    traits: &'s Traits,
    random: Random,
    taken: BTreeSet<FileTime>,
    application: Vec<(FileTime, Event)>,
    system: Vec<(FileTime, Event)>,
    files: Vec<(String, Vec<u8>)>,
    incidents: Vec<(FileTime, Incident)>,
}

const APPLICATION: &str = "Logs/Application.evtx";
const SYSTEM: &str = "Logs/System.evtx";

impl Making<'_> {
    /// What is installed on the machine.
    fn changes(&mut self) {
        let morning = self.story.day(0).plus_seconds(6 * 3600);
        let product = |time, name: &str, version: &str| product_installed(time, name, version, "Orrin");
        // The log covers all days.
        let evening = self.story.day(self.story.days).minus_seconds(3 * 3600);
        for (time, version) in [(morning, "7.3.0"), (evening, "7.3.1")] {
            self.application.push((time, product(time, "Orrin Agent", version)));
        }
        let driver = |version| DisplayDriver {
            package: r"FileRepository\nv_dispi.inf_amd64_7209bde3180ef5f7\nv_dispi.inf",
            version,
            provider: "NVIDIA",
            device: r"PCI\VEN_10DE&DEV_2484&SUBSYS_00000000&REV_A1\4&1A2B3C4D&0&0008",
            description: "NVIDIA GeForce RTX 3070",
        };
        let night = |day: u64| self.story.day(day).plus_seconds(4 * 3600 + 660);
        self.system.push((morning, display_driver_installed(morning, driver(self.traits.driver(0).version))));
        for day in [self.traits.updated, self.traits.fixed].into_iter().flatten() {
            let version = self.traits.driver(day).version;
            self.system.push((night(day), display_driver_installed(night(day), driver(version))));
        }
        if let Some(day) = self.traits.firmware {
            let firmware = DisplayDriver {
                package: r"FileRepository\orrinbios.inf_amd64_0b1c2d3e4f506172\orrinbios.inf",
                version: "1.21.0.0",
                provider: "Orrin",
                device: r"UEFI\RES_{0B1C2D3E-4F50-6172-8394-A5B6C7D8E9FA}\0",
                description: "Orrin System Firmware 1.21",
            };
            self.system.push((night(day), firmware_installed(night(day), firmware)));
        }
        if self.traits.overlay {
            let time = morning.plus_seconds(86_400);
            self.application.push((time, product(time, "Orrin Overlay", "2.1.0")));
        }
        let (day, other) = (self.random.below(self.story.days as usize), self.random.below(3));
        let name = ["Packer", "Notes", "Scanner"][other];
        let time = self.story.day(day as u64).plus_seconds(7 * 3600);
        self.application.push((time, product(time, name, "2.1.0")));
    }

    /// One day of the machine.
    fn live(&mut self, day: u64) {
        let traits = self.traits;
        for defect in &DEFECTS {
            self.sometimes(day, defect.rate, |making, time| making.crash(time, defect));
        }
        self.sometimes(day, HANGS, Self::hang);
        self.sometimes(day, POWER_LOSSES, |making, time| making.lose_power(time, "hardware-fault", BACKGROUND));
        let rate = if traits.driver(day).version == super::story::DRIVERS[1].version { DISPLAY_STOPS } else { 2 };
        self.sometimes(day, rate, Self::display_stop);
        if traits.overlay {
            self.sometimes(day, OVERLAY.rate, |making, time| making.crash(time, &OVERLAY));
        }
        if traits.bad_drive {
            self.sometimes(day, PAGE.rate, |making, time| {
                let bad = time.minus_seconds(3);
                making.system.push((bad, bad_block(bad, r"\Device\Harddisk0\DR0", 0xC000_009C)));
                making.crash(time, &PAGE);
            });
        }
        if traits.bad_memory {
            self.sometimes(day, MEMORY_CRASHES, Self::memory_crash);
        }
        if traits.firmware.is_some_and(|since| since <= day) {
            self.sometimes(day, FIRMWARE_LOSSES, |making, time| {
                making.lose_power(time, "firmware-defect", "firmware-update");
            });
        }
    }

    /// Lets something happen on `rate` of 10,000 days, at a time of its own.
    fn sometimes(&mut self, day: u64, rate: usize, happen: impl FnOnce(&mut Self, FileTime)) {
        if self.random.below(10_000) >= rate {
            return;
        }
        let slot = self.random.below(SLOTS) as u64;
        let within = self.random.below(240) as u64;
        let slot = self.story.day(day).plus_seconds(7 * 3600 + slot * 600);
        if self.taken.insert(slot) {
            let micros = self.random.below(1_000_000) as u64;
            happen(self, slot.plus_seconds(within).plus_micros(micros));
        }
    }

    /// A process id that no other process of the machine has had.
    fn process(&mut self) -> u32 {
        (2000 + 64 * self.incidents.len() + 4 * self.random.below(16)) as u32
    }

    /// The modules of a program on this machine.
    fn images(&self, program: &Program) -> Images {
        let mut images = windows_program(program.path, program.version, self.traits.windows);
        let (path, version) = program.library;
        images.load(path, version, 0x6_2000);
        if self.traits.overlay {
            images.load(OVERLAY_PATH, [2, 1, 0, 0], 0x5_1000);
        }
        images
    }

    fn layout(&self) -> Layout {
        if self.traits.windows == Windows::Ten { Layout::Positional } else { Layout::Named }
    }

    fn truth(&mut self, time: FileTime, kind: &'static str, of: (&'static str, &'static str), files: Vec<String>) {
        let (cause, pattern) = of;
        let host = self.traits.host.clone();
        let time_text = rfc3339(time);
        let incident =
            Incident { host, time: time_text, kind, process: None, code: None, module: None, cause, pattern, files };
        self.incidents.push((time, incident));
    }

    /// Completes what is known of the last incident.
    fn about(&mut self, process: Option<&'static str>, code: u32, module: Option<&'static str>) {
        if let Some((_, incident)) = self.incidents.last_mut() {
            (incident.process, incident.module) = (process, module);
            incident.code = (code != 0).then(|| format!("0x{code:08X}"));
        }
    }

    fn crash(&mut self, time: FileTime, defect: &Defect) {
        let fault = Fault {
            code: defect.code,
            flags: 0,
            at: (defect.module, defect.offset),
            parameters: defect.parameters.to_vec(),
            instruction: defect.instruction.to_vec(),
            callers: vec![],
        };
        self.crash_of(time, defect.program, &fault, (defect.cause, defect.pattern));
    }

    /// A crash with event 1000, and most often event 1001, Report.wer and a dump.
    fn crash_of(&mut self, time: FileTime, program: &'static Program, fault: &Fault, of: (&'static str, &'static str)) {
        let (process, ran) = (self.process(), 30 + self.random.below(20_000) as u64);
        let scene = Scene::new(self.images(program), self.traits.windows, process, time, ran);
        let crash = scene.crash(fault, &format!("{} {process}", self.traits.host));
        let mut files = vec![APPLICATION.to_owned()];
        self.application.push((time, crash.application_error(self.layout())));
        if self.random.below(100) < 70 {
            self.application.push((time.plus_seconds(2), crash.wer_event(self.layout(), "Not available", 4)));
            let name = format!("WER/AppCrash_{}_{process}/Report.wer", program.name);
            let build = (self.traits.windows.build(), 3155);
            self.files.push((name.clone(), crash.report(build, scene.images.modules()).to_bytes()));
            files.push(name);
        }
        if self.random.below(100) < 65 {
            let name = format!("CrashDumps/{}.{process}.dmp", program.name);
            self.files.push((name.clone(), scene.dump(fault).to_bytes()));
            files.push(name);
        }
        self.truth(time, "crash", of, files);
        self.about(Some(program.name), fault.code, Some(fault.at.0));
    }

    fn hang(&mut self, time: FileTime) {
        let process = self.process();
        let images = self.images(&VIEWER);
        let hang = Hang {
            app: Image::from(images.executable()),
            process,
            started: time.minus_seconds(5400),
            time,
            report_id: Guid::made_up(&format!("{} {process}", self.traits.host)),
        };
        self.application.push((time, hang.application_hang()));
        self.application.push((time.plus_seconds(2), hang.wer_event()));
        self.truth(time, "hang", (DEFECT, BACKGROUND), vec![APPLICATION.to_owned()]);
        self.about(Some(VIEWER.name), 0, None);
    }

    fn lose_power(&mut self, time: FileTime, cause: &'static str, pattern: &'static str) {
        let boot = time.plus_seconds(58);
        self.system.push((boot, kernel_power(boot, LostPower::default())));
        let noted = boot.plus_seconds(7);
        self.system.push((noted, unclean_shutdown(noted, time.minus_seconds(19), 1, 21_290)));
        self.truth(time, "power-loss", (cause, pattern), vec![SYSTEM.to_owned()]);
    }

    /// The display driver does not come back after a reset.
    fn display_stop(&mut self, time: FileTime) {
        let parameters = [0xFFFF_B50F_E2C9_B460, DISPLAY + 0x117_5010, 0xFFFF_FFFF_C000_009A, 4];
        let defect = self.traits.driver(self.day_of(time)).version == super::story::DRIVERS[1].version;
        let pattern = if defect { "driver-update" } else { BACKGROUND };
        self.stop(time, 0x116, parameters, DISPLAY + 0x117_5010, ("gpu-driver-defect", pattern));
        self.about(None, 0x116, Some("nvlddmkm.sys"));
    }

    fn day_of(&self, time: FileTime) -> u64 {
        (time.0 - self.story.day(0).0) / (self.story.day(1).0 - self.story.day(0).0)
    }

    fn memory_crash(&mut self, time: FileTime) {
        let of = ("memory-hardware-fault", "bad-memory");
        if self.random.below(5) == 0 {
            let code = MEMORY_STOPS[self.random.below(MEMORY_STOPS.len())];
            let at = KERNEL + 0x20_0000 + self.random.below(0x30_0000) as u64;
            self.stop(time, code, [0x4_1792, 0xFFFF_B50F_E2C9_0000 + at % 0x1_0000, 0x400, 0], at, of);
            self.about(None, code, None);
            return;
        }
        let program = PROGRAMS[self.random.below(PROGRAMS.len())];
        let module = SYSTEM_MODULES[self.random.below(SYSTEM_MODULES.len())];
        let (code, instruction) = MEMORY_CODES[self.random.below(MEMORY_CODES.len())];
        let offset = 0x1000 + self.random.below(0x7_0000) as u64;
        let parameters = if code == VIOLATION { vec![0, 1 << (20 + self.random.below(20))] } else { vec![] };
        let instruction = instruction.to_vec();
        let fault = Fault { code, flags: 0, at: (module, offset), parameters, instruction, callers: vec![] };
        self.crash_of(time, program, &fault, of);
    }

    /// A blue screen with the records of the next start and, most often, its dump.
    fn stop(&mut self, time: FileTime, code: u32, parameters: [u64; 4], at: u64, of: (&'static str, &'static str)) {
        let boot = time.plus_seconds(58);
        let ((year, month, day), number) = (time.date(), 4000 + self.incidents.len() * 37);
        let dump = format!("{month:02}{day:02}{:02}-{number}-01.dmp", year % 100);
        self.system.push((boot, kernel_power(boot, LostPower { code, parameters, power_button: None })));
        let noted = boot.plus_seconds(7);
        self.system.push((noted, unclean_shutdown(noted, time.minus_seconds(19), 1, 21_290)));
        let path = format!(r"C:\Windows\Minidump\{dump}");
        let report = Guid::made_up(&format!("{} {dump}", self.traits.host));
        let told = boot.plus_seconds(13);
        self.system.push((told, bugcheck(told, code, parameters, &path, report)));
        let mut files = vec![SYSTEM.to_owned()];
        if self.random.below(100) < 80 {
            let name = format!("Minidump/{dump}");
            let linked = self.traits.driver(self.day_of(time)).linked;
            self.files.push((name.clone(), kernel_dump(self.traits, time, code, parameters, at, linked)));
            files.push(name);
        }
        self.truth(time, "bugcheck", of, files);
    }

    fn finish(mut self) -> Evidence {
        for (name, channel, mut events) in [
            (APPLICATION, "Application", std::mem::take(&mut self.application)),
            (SYSTEM, "System", std::mem::take(&mut self.system)),
        ] {
            events.sort_by_key(|(time, _)| *time);
            let mut log = EventLog::new(channel, &self.traits.host).starting_at(1 + self.traits.number as u64 * 97);
            for (_, event) in events {
                log.add(event);
            }
            self.files.push((name.to_owned(), log.to_bytes()));
        }
        self.incidents.sort_by_key(|(time, _)| *time);
        let incidents = self.incidents.into_iter().map(|(_, incident)| incident).collect();
        Evidence { files: self.files, incidents }
    }
}

fn kernel_dump(traits: &Traits, time: FileTime, code: u32, parameters: [u64; 4], at: u64, linked: FileTime) -> Vec<u8> {
    let pointer = 0xFFFF_BA0C_51F3_E5A8;
    let mut stack = StackImage::new(pointer);
    stack.word(KERNEL + 0x43_E5A9).locals(12).frame(9, at).frame(20, KERNEL + 0x2A_6E1D).locals(4);
    let display = format!(r"{PACKAGE}\nvlddmkm.sys");
    TriageDump {
        stop: Stop {
            build: traits.windows.build(),
            processors: 8,
            code,
            parameters,
            time,
            uptime_seconds: 15_212,
            context: Context::at(KERNEL + 0x42_9A20, pointer),
            comment: None,
        },
        narrow: false,
        stack: stack.memory().bytes,
        drivers: vec![
            Driver::new(r"\SystemRoot\system32\ntoskrnl.exe", KERNEL, 0x0104_7000),
            Driver::new(r"\SystemRoot\System32\drivers\fltmgr.sys", 0xFFFF_F803_1E60_0000, 0x7_3000),
            Driver::new(r"\SystemRoot\System32\drivers\dxgkrnl.sys", 0xFFFF_F803_2A00_0000, 0x4A_8000),
            Driver::new(&display, DISPLAY, 0x0421_3000).linked(linked),
        ],
        unloaded: vec![],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    }
    .to_bytes()
}
