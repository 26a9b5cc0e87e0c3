//! Artifacts of every kind with private values in all places that hold text.

use std::fs;
use std::path::Path;

use samplekit::event_log::{Event, EventLog, Provider};
use samplekit::events::{Crash, Image, Layout, ManagedCrash, missing_dll_popup, service_ended};
use samplekit::kernel_dump::{Driver, Stop, TriageDump};
use samplekit::minidump::{Context, Memory, Minidump, StackImage};
use samplekit::wer_report::Report;
use samplekit::{FileTime, FileVersion, Guid};

use super::planted::{HOST, Planted};

/// The time of the crash.
const NOON: FileTime = FileTime::utc(2025, 3, 4, 12, 0, 0);
/// The program that crashes: its name must survive.
pub const PROGRAM: &str = "ledger.exe";
/// The module that it crashes in.
pub const MODULE: &str = "plug.dll";
/// `CommentStreamA` of a minidump.
const COMMENT: u32 = 10;

fn crash() -> Crash {
    let image = |name: &str| Image {
        path: format!(r"C:\Users\k.oberhuber\AppData\Local\Ledger\{name}"),
        version: Some(FileVersion([2, 1, 0, 7])),
        timestamp: 7,
    };
    Crash {
        app: image(PROGRAM),
        module: image(MODULE),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: NOON.minus_seconds(3600),
        time: NOON,
        report_id: Guid::made_up("privacy"),
    }
}

fn lines(planted: &[Planted]) -> String {
    planted.iter().map(|planted| planted.line.as_str()).collect::<Vec<_>>().join("\r\n")
}

fn ticket(planted: &[Planted]) -> Vec<u8> {
    let crash = "Faulting application name: ledger.exe, version: 2.1.0.7, time stamp: 0x00000007\r\n\
                 Faulting module name: plug.dll, version: 2.1.0.7, time stamp: 0x00000007\r\n\
                 Exception code: 0xc0000005\r\nFault offset: 0x0000000000001234\r\n";
    format!("{crash}\r\n{}\r\nterminate called after throwing an instance of 'std::bad_alloc'\r\n", lines(planted))
        .into_bytes()
}

/// Texts with a key over several lines, which one line alone does not show.
fn key_in_lines() -> Vec<u8> {
    let key = [
        "-----BEGIN EC PRIVATE",
        " KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY\nqlM9x3QzV0k=\n-----END EC PRIVATE KEY-----\n",
    ];
    format!("ledger.exe crashed with 0xc0000005 in plug.dll\n{}\nthe end\n", key.concat()).into_bytes()
}

fn application_log(planted: &[Planted]) -> Vec<u8> {
    let crash = crash();
    let mut log = EventLog::new("Application", &format!("{HOST}.ad.talwerk-praxis.de"));
    let managed = ManagedCrash {
        app: crash.app.clone(),
        time: NOON,
        report_id: Guid::made_up("managed"),
        text: format!(
            "Application: ledger.exe\nFramework Version: v4.0.30319\nDescription: The process was terminated due to an unhandled \
             exception.\nException Info: System.InvalidOperationException\n{}",
            lines(planted)
        ),
        exception: "System.InvalidOperationException".to_owned(),
    };
    log.add(managed.runtime_event());
    log.add(crash.application_error(Layout::Named));
    for (seconds, planted) in (1_u64..).zip(planted) {
        let time = NOON.plus_seconds(seconds);
        // The text of an event, one of its fields, and a message box.
        log.add(
            Event::new(Provider::classic(".NET Runtime"), 1026)
                .at(time)
                .strings([format!("Application: ledger.exe\n{}", planted.line)]),
        );
        log.add(Event::new(Provider::classic("Application Hang"), 1002).at(time).strings([
            "ledger.exe",
            "2.1.0.7",
            "10d8",
            "0",
            "0",
            planted.line.as_str(),
            "",
            "",
            "",
            "Unknown",
        ]));
    }
    log.to_bytes()
}

fn system_log(planted: &[Planted]) -> Vec<u8> {
    let mut log = EventLog::new("System", HOST);
    for (seconds, planted) in (1_u64..).zip(planted) {
        let time = NOON.minus_seconds(200).plus_seconds(seconds);
        log.add(missing_dll_popup(time, PROGRAM, &planted.line));
        log.add(service_ended(time, &planted.line, "Ledger", &planted.line));
    }
    log.to_bytes()
}

fn wer_report(planted: &[Planted]) -> Vec<u8> {
    let crash = crash();
    let mut signature: Vec<(String, String)> =
        ["ledger.exe", "2.1.0.7", "00000007", "plug.dll", "2.1.0.7", "00000007", "c0000005"]
            .iter()
            .enumerate()
            .map(|(index, value)| (format!("Name {index}"), (*value).to_owned()))
            .collect();
    signature.push(("Exception Offset".to_owned(), "0000000000001234".to_owned()));
    let mut modules = vec![crash.app.path.clone(), crash.module.path.clone()];
    modules.extend(planted.iter().map(|planted| format!(r"C:\Windows\Temp\{}", planted.line)));
    signature.extend(planted.iter().map(|planted| (planted.kind.to_owned(), planted.line.clone())));
    let report = Report {
        event_type: "APPCRASH".to_owned(),
        time: NOON,
        id: Guid::made_up("own"),
        integrator_id: crash.report_id,
        process: crash.process,
        started: crash.started,
        app: PROGRAM.to_owned(),
        app_path: crash.app.path.clone(),
        signature,
        build: (26100, 7171),
        modules,
    };
    report.to_bytes()
}

fn minidump(planted: &[Planted]) -> Vec<u8> {
    let mut dump = Minidump::of_crash(&crash());
    dump.annotations = planted.iter().map(|planted| (planted.kind.to_owned(), planted.line.clone())).collect();
    dump.annotations.push(("DB_PASSWORD".to_owned(), "Wq72kkpl".to_owned()));
    dump.other_streams = vec![(COMMENT, lines(planted).into_bytes())];
    dump.threads.iter_mut().for_each(|thread| thread.name = Some("worker of Katrin Oberhuber".to_owned()));
    // An environment block, and what a program has in its memory, in both encodings.
    let block: Vec<u16> = planted.iter().flat_map(|planted| planted.line.encode_utf16().chain([0])).collect();
    let wide: Vec<u8> = block.into_iter().flat_map(u16::to_le_bytes).collect();
    dump.memory.push(Memory { address: 0x1000_0000, bytes: wide });
    dump.memory.push(Memory { address: 0x2000_0000, bytes: lines(planted).into_bytes() });
    dump.to_bytes()
}

fn kernel_dump(planted: &[Planted]) -> Vec<u8> {
    let stack = 0xFFFF_CF82_3C1E_7000;
    // The header has room for 128 bytes.
    let comment: String = planted
        .iter()
        .map(|planted| planted.line.as_str())
        .find(|line| line.len() < 100)
        .unwrap_or_default()
        .to_owned();
    let dump = TriageDump {
        stop: Stop {
            build: 19041,
            processors: 8,
            code: 0xD1,
            parameters: [0x28, 2, 0, 0xFFFF_F803_5A7F_73B0],
            time: NOON.plus_seconds(7200),
            uptime_seconds: 934,
            context: Context::at(0xFFFF_F803_5A7F_73B0, stack),
            comment: Some(comment),
        },
        narrow: false,
        stack: StackImage::new(stack).locals(8).memory().bytes,
        drivers: vec![
            Driver::new(r"\SystemRoot\system32\ntoskrnl.exe", 0xFFFF_F803_5A40_0000, 0x104_6000),
            Driver::new(r"\??\C:\Users\k.oberhuber\Downloads\probe.sys", 0xFFFF_F803_6000_0000, 0x1000),
        ],
        unloaded: vec![],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    };
    dump.to_bytes()
}

/// An archive whose members' names have the values.
fn archive(planted: &[Planted]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let content = ticket(&[]);
    for planted in planted {
        // Names of members are relative, and their parts are not empty.
        let name = planted.line.replace('\\', "/");
        let name: Vec<&str> = name.split('/').map(str::trim).filter(|part| !part.is_empty() && *part != "..").collect();
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        let path = format!("{}/{}/note.txt", planted.kind.replace(' ', "-"), name.join("/"));
        tar.append_data(&mut header, path, content.as_slice()).expect("memory");
    }
    tar.into_inner().expect("memory")
}

/// The kinds of artifact, by the files that have them.
pub const FILES: &[&str] = &[
    "ticket.txt",
    "key.txt",
    "Application.evtx",
    "System.evtx",
    "Report.wer",
    "ledger.exe.4312.dmp",
    "030425-11281-01.dmp",
    "collected.tar",
];

/// Writes an artifact of every kind into `folder`.
pub fn write_all(folder: &Path, planted: &[Planted]) {
    for file in FILES {
        let bytes = match *file {
            "ticket.txt" => ticket(planted),
            "key.txt" => key_in_lines(),
            "Application.evtx" => application_log(planted),
            "System.evtx" => system_log(planted),
            "Report.wer" => wer_report(planted),
            "ledger.exe.4312.dmp" => minidump(planted),
            "030425-11281-01.dmp" => kernel_dump(planted),
            _ => archive(planted),
        };
        fs::write(folder.join(file), bytes).expect("written");
    }
}
