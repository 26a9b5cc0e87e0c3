//! Report.wer files and kernel dumps of real machines, if a corpus is given.
//!
//! `CRASHSIFT_CORPUS` names a folder with `EXPECTED.jsonl`: a JSON object a line, with the file's `path`, its `kind`
//! and the facts that other tools read from it. Without it the tests print that they were skipped.

use std::fs::File;
use std::path::PathBuf;

use crash_dump::{Options, read_kernel_dump};
use evidence::{
    Address, CpuArchitecture, FrameTrust, KernelDump, KernelDumpType, Names, Observation, Reading, WerReport,
};
use serde_json::Value;
use untrusted::Unreadable;

/// The corpus files of a kind with their expected facts; `None` without a corpus.
fn corpus(kind: &str) -> Option<Vec<(PathBuf, Value)>> {
    let Some(folder) = std::env::var_os("CRASHSIFT_CORPUS").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CORPUS is not set");
        return None;
    };
    let expected = std::fs::read_to_string(folder.join("EXPECTED.jsonl")).expect("EXPECTED.jsonl");
    let files: Vec<_> = expected
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a JSON object a line"))
        .filter(|entry| entry["kind"] == kind)
        .map(|mut entry| (folder.join(entry["path"].as_str().expect("a path")), entry[kind].take()))
        .collect();
    assert!(!files.is_empty(), "the corpus has no {kind}");
    Some(files)
}

fn read(
    path: &PathBuf,
    reader: impl Fn(&mut File, u64, &Names) -> Result<Reading, Unreadable>,
) -> Result<Reading, Unreadable> {
    let mut file = File::open(path).expect("the file");
    let bytes = file.metadata().expect("its length").len();
    reader(&mut file, bytes, &Names::default())
}

/// A number of the expected facts: a JSON number, or text with `0x`. `None` where it is absent or zero.
fn number(value: &Value) -> Option<u64> {
    let number = value.as_u64().or_else(|| u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok())?;
    (number != 0).then_some(number)
}

#[test]
fn kernel_dumps() {
    for (path, expected) in corpus("kerneldump").into_iter().flatten() {
        let reading = read(&path, |file, bytes, names| {
            Ok(read_kernel_dump(file, bytes, &Options { names, walk_stacks: true, symbols: None })?)
        });
        let reading = reading.expect("readable");
        println!("{}: {:?}", path.display(), reading.losses);
        let Some(Observation::Kernel(dump)) = reading.evidence.first().map(|evidence| &evidence.observation) else {
            panic!("{}: no kernel dump", path.display());
        };
        check_kernel_dump(dump, &expected);
        let drivers = expected["driver_count"].as_u64().unwrap_or_default();
        assert_eq!(dump.drivers.len() as u64, drivers);
        assert_eq!(reading.losses.is_empty(), drivers > 0, "all but the real dump end with their header");
    }
}

/// The Unix epoch as a FILETIME, 100 ns units.
const UNIX_EPOCH: u64 = 116_444_736_000_000_000;

fn check_kernel_dump(dump: &KernelDump, expected: &Value) {
    assert_eq!(Some(u64::from(dump.code.0)), number(&expected["bugcheck_code"]));
    let parameters: Vec<u64> =
        expected["bugcheck_params"].as_array().expect("four").iter().map(|p| number(p).unwrap_or_default()).collect();
    assert_eq!(dump.parameters.to_vec(), parameters);
    assert_eq!(Some(u64::from(dump.build)), number(&expected["os_build"]));
    assert_eq!(Some(u64::from(dump.cpu_count)), number(&expected["cpu_count"]));
    assert_eq!(dump.dump_type == KernelDumpType::Triage, expected["dump_type"] == 4);
    assert_eq!(dump.cpu.is_64_bit(), expected["signature"] == "PAGEDU64");
    assert_eq!(dump.exception_address.map(|address| address.0), number(&expected["exception_address"]));
    // 100 ns units; an unset time is zero there and absent here.
    // What is not set is filled with `PAGE` there and absent here.
    let comment = expected["comment"].as_str().filter(|comment| !comment.starts_with("PAGE"));
    if !expected["comment"].is_null() {
        assert_eq!(dump.comment.as_deref(), comment);
    }
    let time = dump.time.map(|time| u64::try_from(time.as_nanosecond() / 100).expect("after 1970") + UNIX_EPOCH);
    assert_eq!(time, number(&expected["system_time"]));
    let uptime = dump.uptime.map(|uptime| u64::try_from(uptime.as_nanos() / 100).expect("positive"));
    assert_eq!(uptime, number(&expected["system_up_time"]));
    for driver in expected["gpu_drivers_loaded"].as_array().into_iter().flatten() {
        assert!(dump.drivers.iter().any(|loaded| *loaded.name == *driver.as_str().expect("a name")), "{driver}");
    }
    if let Some(driver) = expected["faulting_driver"].as_str() {
        let (found, offset) = dump.driver_at(Address(dump.parameters[1])).expect("in a driver");
        assert_eq!((driver, number(&expected["faulting_driver_offset"])), (&*found.name, Some(offset.0)));
        assert_eq!(dump.unloaded.as_ref().map(Vec::len), Some(4), "by the count that stands before them");
        let frames: Vec<_> =
            dump.frames.iter().filter_map(|frame| Some(&*dump.drivers.get(frame.driver?)?.name)).collect();
        assert_eq!((frames[0], dump.frames[0].trust), (driver, FrameTrust::Exact), "the context is the exception's");
        assert!(frames.contains(&"Wdf01000.sys"), "the framework called the driver");
    }
}

#[test]
fn wer_reports() {
    for (path, expected) in corpus("wer").into_iter().flatten() {
        let reading = read(&path, wer::read);
        println!("{}: {:?}", path.display(), reading.as_ref().map(|reading| &reading.losses));
        if expected["keys"] == 0 {
            assert!(reading.is_err(), "{}: a file that only has the name of a report", path.display());
            continue;
        }
        let reading = reading.expect("readable");
        let Some(Observation::Wer(report)) = reading.evidence.first().map(|evidence| &evidence.observation) else {
            panic!("{}: no report", path.display());
        };
        check_wer_report(report, &expected);
        let made_up = expected["Version"] != "1";
        assert_eq!(reading.losses.is_empty(), !made_up, "all but the made-up report are whole");
        let mut beginning = std::fs::read(&path).expect("the file");
        beginning.truncate(4096);
        assert_eq!(wer::is_wer_report(&beginning), !made_up);
    }
}

fn check_wer_report(report: &WerReport, expected: &Value) {
    assert_eq!(expected["EventType"], *report.event_type);
    let time = report.time.map(|time| (time.as_nanosecond() / 100 + i128::from(UNIX_EPOCH)).to_string());
    assert_eq!(time.as_deref(), expected["EventTime"].as_str());
    assert_eq!(report.own_id.as_deref(), expected["ReportIdentifier"].as_str());
    assert_eq!(Some(report.modules.len() as u64), expected["loaded_module_count"].as_u64());
    // The expected values are keyed by names in the system's language, so only the values can be compared.
    let mut values: Vec<&str> = report.signature.raw.iter().map(|value| &**value).collect();
    let mut wanted: Vec<&str> =
        expected["sig"].as_object().expect("a map").values().filter_map(Value::as_str).collect();
    values.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(values, wanted);
    let signature = &report.signature;
    for (name, value) in expected["sig"].as_object().expect("a map") {
        let value = value.as_str().expect("text");
        match name.as_str() {
            "Exception Code" | "Code de l’exception" => {
                assert_eq!(signature.code.map(|c| format!("{:08x}", c.0)), Some(value.into()))
            }
            "Exception Offset" | "Décalage de l’exception" => {
                assert_eq!(signature.offset.map(|o| format!("{:016x}", o.0)), Some(value.into()))
            }
            "Données d’exception" => assert_eq!(signature.data.map(|d| format!("{d:016x}")), Some(value.into())),
            "Fault Module Name" | "Nom du module défaillant" => {
                assert_eq!(signature.module.as_deref().unwrap_or("unknown"), value)
            }
            "Fault Module Version" | "Version du module défaillant" => {
                assert_eq!(signature.module_version.map_or("0.0.0.0".into(), |version| version.to_string()), value);
            }
            _ => {}
        }
    }
    for (name, version) in expected["dynamic_sig"].as_object().expect("a map") {
        if ["OS Version", "OS 版本", "Version du système"].contains(&name.as_str()) {
            assert_eq!(report.os_version.as_deref(), version.as_str());
        }
    }
    let details = &report.details;
    assert_eq!(details.friendly_name.as_deref(), expected["FriendlyEventName"].as_str());
    assert_eq!(details.bucket.as_deref(), expected["Response.BucketId"].as_str());
    let languages = ["Locale ID", "区域设置 ID", "Identificateur de paramètres régionaux"];
    let language = languages.into_iter().find_map(|name| expected["dynamic_sig"][name].as_str());
    assert_eq!(details.locale.map(|language| language.to_string()).as_deref(), language);
    // 34404 is 0x8664.
    let wide = (expected["Wow64Host"] == "34404").then_some(CpuArchitecture::X64);
    assert_eq!(details.architecture, wide);
    assert_eq!(details.original_name, None, "no program of these was renamed");
    check_session(report, &expected["AppSessionGuid"]);
}

fn check_session(report: &WerReport, session: &Value) {
    let Some(pid) = session.as_str().and_then(|session| u32::from_str_radix(session.split('-').next()?, 16).ok())
    else {
        assert_eq!((report.pid, report.started), (None, None));
        return;
    };
    assert_eq!(report.pid, Some(pid));
    let (started, happened) = (report.started.expect("a start"), report.time.expect("a time"));
    assert!(started < happened, "a process starts before it crashes");
}
