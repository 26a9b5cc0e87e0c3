//! `Report.wer` files without other evidence: hangs, managed exceptions, the kernel's reports, and reports that are no
//! crash.

use samplekit::wer_report::{Report, Writing};
use samplekit::{FileTime, Guid};

use crate::sample::{File, Incident, Sample};

const NAME: &str = "Report.wer";

fn report(event_type: &str, app: &str, time: FileTime, signature: &[(&str, &str)]) -> Report {
    let path = format!(r"C:\Program Files\Example\{app}");
    Report {
        event_type: event_type.to_owned(),
        time,
        id: Guid::made_up(&format!("own {event_type}")),
        integrator_id: Guid::made_up(&format!("integrator {event_type}")),
        process: 9120,
        started: time.minus_seconds(1260),
        app: app.to_owned(),
        app_path: path.clone(),
        signature: signature.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        build: (22631, 3880),
        modules: vec![path, r"C:\Windows\SYSTEM32\ntdll.dll".into(), r"C:\Windows\System32\KERNEL32.DLL".into()],
    }
}

/// A report of the kernel: the program in it is the one that wrote the report.
fn of_kernel(event_type: &str, time: FileTime, code: &str, parameters: [&str; 4]) -> Report {
    let [first, second, third, fourth] = parameters;
    let signature = [
        ("Code", code),
        ("Parameter 1", first),
        ("Parameter 2", second),
        ("Parameter 3", third),
        ("Parameter 4", fourth),
        ("OS version", "10_0_22631"),
        ("Service Pack", "0_0"),
        ("Product", "256_1"),
    ];
    Report {
        app_path: r"C:\Windows\System32\WerFault.exe".into(),
        modules: vec![],
        ..report(event_type, event_type, time, &signature)
    }
}

const KERNEL: Writing = Writing { friendly_name: "Hardware error", about_process: false, ..Writing::ENGLISH };

pub fn hang_on_another_process() -> Sample {
    let signature = [
        ("Anwendungsname", "viewer.exe"),
        ("Anwendungsversion", "2.4.0.0"),
        ("Anwendungszeitstempel", "65a1f0c2"),
        ("Absturzsignatur", "1d07"),
        ("Absturztyp", "128"),
        ("Name der Anwendung, auf die gewartet wird", "svchost.exe:spooler"),
        ("Version der Anwendung, auf die gewartet wird", "10.0.22621.1"),
    ];
    let report = report("AppHangXProcB1", "viewer.exe", FileTime::utc(2024, 9, 2, 8, 14, 22), &signature);
    let writing =
        Writing { locale: 1031, friendly_name: "Reagierte nicht mehr und wurde geschlossen", ..Writing::ENGLISH };
    Sample {
        name: "wer-hang-on-spooler",
        shows: "A program that hung because it waited for the print spooler: the report names the process that was \
                waited for. Its names are German, so only positions tell what is what.",
        made: "Report.wer of type AppHangXProcB1 of German Windows 11 22631, without any other artifact.",
        files: vec![File::whole(NAME, "wer-report", report.to_bytes_as(writing))],
        incidents: vec![Incident { process: Some("viewer.exe"), ..Incident::new("hang", &[NAME]) }.because(
            &["application-hang", "in-process-extension", "undetermined"],
            0.0,
            0.95,
        )],
    }
}

pub fn managed_exception() -> Sample {
    let signature = [
        ("Problem Signature 01", "tool.exe"),
        ("Problem Signature 02", "1.7.0.0"),
        ("Problem Signature 03", "9d3c11a5"),
        ("Problem Signature 04", "Tool.Storage"),
        ("Problem Signature 05", "1.7.0.0"),
        ("Problem Signature 06", "8b40ff13"),
        ("Problem Signature 07", "1a3"),
        ("Problem Signature 08", "2c"),
        ("Problem Signature 09", "System.IO.FileNotFoundException"),
    ];
    let report = report("CLR20r3", "tool.exe", FileTime::utc(2024, 9, 3, 16, 40, 5), &signature);
    // Saved again by a user, and about a 32-bit program.
    let writing = Writing { byte_order_mark: false, guest: Some(332), ..Writing::ENGLISH };
    Sample {
        name: "wer-managed-exception",
        shows: "A .NET program with an unhandled exception: the report contains the exception's type, an assembly \
                and an offset in it, but no faulting module.",
        made: "Report.wer of type CLR20r3 in UTF-16 without byte order mark, of a 32-bit process on Windows 11 22631.",
        files: vec![File::whole(NAME, "wer-report", report.to_bytes_as(writing))],
        incidents: vec![Incident { process: Some("tool.exe"), ..Incident::new("crash", &[NAME]) }.because(
            &["unhandled-managed-exception", "missing-dependency"],
            0.5,
            0.9,
        )],
    }
}

pub fn live_kernel_event() -> Sample {
    let parameters = ["ffffb50fe2c9b460", "fffff80341175010", "0", "4abc"];
    let report = of_kernel("LiveKernelEvent", FileTime::utc(2024, 9, 4, 21, 3, 48), "141", parameters);
    Sample {
        name: "wer-live-kernel-event",
        shows: "Windows' report about a GPU engine that did not answer: code 141 with four parameters. The program \
                in it only wrote the report.",
        made: "Report.wer of type LiveKernelEvent of Windows 11 22631.",
        files: vec![File::whole(NAME, "wer-report", report.to_bytes_as(KERNEL))],
        incidents: vec![Incident::new("gpu-reset", &[NAME]).bugcheck("0x00000141").because(
            &["gpu-timeout", "gpu-driver-defect", "undetermined"],
            0.0,
            0.7,
        )],
    }
}

pub fn blue_screen() -> Sample {
    let parameters = ["3", "ffffcf051a2b7060", "fffff80311c5f178", "ffffcf0524d31a20"];
    let report = of_kernel("BlueScreen", FileTime::utc(2024, 9, 5, 6, 12, 30), "9f", parameters);
    let writing = Writing { friendly_name: "Shut down unexpectedly", ..KERNEL };
    Sample {
        name: "wer-blue-screen",
        shows: "A blue screen with only its report: a driver held a power request for too long, as the first \
                parameter shows. Only the dump, which is missing, contains the driver's name.",
        made: "Report.wer of type BlueScreen of Windows 11 22631, stop 0x9F with parameter 1 = 3.",
        files: vec![File::whole(NAME, "wer-report", report.to_bytes_as(writing))],
        incidents: vec![Incident::new("bugcheck", &[NAME]).bugcheck("0x0000009F").because(
            &["kernel-driver-defect", "undetermined"],
            0.0,
            0.75,
        )],
    }
}

pub fn leak_suspicion() -> Sample {
    let signature =
        [("Application Name", "viewer.exe"), ("Application Version", "2.4.0.0"), ("OS Version", "10.0.22631")];
    let report = report("RADAR_PRE_LEAK_64", "viewer.exe", FileTime::utc(2024, 9, 6, 12, 55, 1), &signature);
    let writing = Writing { friendly_name: "RADAR_PRE_LEAK_64", ..Writing::ENGLISH };
    Sample {
        name: "wer-leak-suspicion",
        shows: "A report that is not about a crash: Windows suspected a memory leak in a program, which went on. It \
                must give no incident.",
        made: "Report.wer of type RADAR_PRE_LEAK_64 of Windows 11 22631.",
        files: vec![File::whole(NAME, "wer-report", report.to_bytes_as(writing))],
        incidents: vec![],
    }
}
