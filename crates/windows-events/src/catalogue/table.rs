//! The table of events that are read.
//!
//! Left out on purpose:
//!
//! - what repeats another record of the same moment: EventLog 6005, 6006, 6009 and 6013 (Kernel-General 12 and 13),
//!   UserPnp 20003 (one for each service of what 20001 installed), MsiInstaller 1040, 1042, 11707, 11708 and 11724 (1033 to 1036), WindowsUpdateClient 44 (19 and 43), Kernel-PnP 410
//!   (400), Resource-Exhaustion 1001 to 1003 (2004);
//! - what a machine logs all the time without anything being wrong: Kernel-Processor-Power 55, Kernel-Power 125,
//!   StorPort 500 to 549, Security-Mitigations 2 and 10, Defender 5007, RestartManager 10010, Winsrv 10001,
//!   Program-Compatibility-Assistant 17, DeviceSetupManager 112 to 165;
//! - what only would have happened, where that is logged by the thousand: AppLocker 8003, 8006, 8021 and 8024, Defender 1122 and
//!   1124;
//! - Security-Auditing 4688 and Sysmon 1 and 7, of which logs hold millions that all would have to be decoded, and Sysmon
//!   5, which holds no exit code.

use std::ops::RangeInclusive;

use evtx_scan::Ids::{Any, These};
use evtx_scan::Provider::{self, Named};

use super::providers::{
    CODE_INTEGRITY, DEFENDER, DISPLAY, DISPLAY_DRIVERS, EVENT_LOG, INSTALLER, KERNEL_PNP, KERNEL_POWER,
    MEMORY_DIAGNOSTICS, MITIGATIONS, NTFS, SERVICES, SERVICING, STORAGE_ADAPTERS, SYSTEM_ERRORS, UPDATE_CLIENT,
    USER_MODE_DRIVERS, WHEA,
};
use super::{Entry, Meaning};

/// Names of the values of events that call them by number.
const PARAMETERS: &[&str] = &["param1", "param2", "param3", "param4", "param5", "param6", "param7"];
/// Values of MsiInstaller 1033 to 1035.
const PRODUCT: &[&str] = &["Product", "Version", "Language", "Status", "Maker"];

/// What each entry is made of, in the order of the columns below.
const fn row(
    providers: &'static [Provider<'static>],
    ids: &'static [RangeInclusive<u16>],
    timeline: &'static str,
    meaning: Meaning,
    layout: &'static [&'static str],
) -> Entry {
    Entry { providers, ids: These(ids), layout, meaning, timeline }
}

const fn hardware(ids: &'static [RangeInclusive<u16>], component: &'static str, corrected: bool) -> Entry {
    row(WHEA, ids, "hardware-error", Meaning::Hardware { component, corrected }, &[])
}

/// A row of which a sentence says all.
const fn said(
    providers: &'static [Provider<'static>],
    ids: &'static [RangeInclusive<u16>],
    timeline: &'static str,
    sentence: &'static str,
    layout: &'static [&'static str],
) -> Entry {
    row(providers, ids, timeline, Meaning::Said(sentence), layout)
}

const fn refused(ids: &'static [RangeInclusive<u16>], blocked: bool, reason: &'static str) -> Entry {
    row(CODE_INTEGRITY, ids, "image-refused", Meaning::ImageRefused { blocked, reason }, &[])
}

/// The events that are read. Where two rows match, the first counts.
pub(super) const CATALOGUE: &[Entry] = &[
    // Crashes, hangs and start failures of programs.
    row(
        &[Named("Application Error")],
        &[1000..=1000],
        "crash",
        Meaning::ApplicationError,
        &[
            "AppName",
            "AppVersion",
            "AppTimeStamp",
            "ModuleName",
            "ModuleVersion",
            "ModuleTimeStamp",
            "ExceptionCode",
            "FaultingOffset",
            "ProcessId",
            "ProcessCreationTime",
            "AppPath",
            "ModulePath",
            "IntegratorReportId",
            "PackageFullName",
            "PackageRelativeAppId",
        ],
    ),
    row(
        &[Named("Application Error")],
        &[1005..=1005],
        "crash",
        Meaning::InPageError,
        &["FilePath", "AppName", "StatusCode", "MediumType"],
    ),
    row(
        &[Named("Windows Error Reporting")],
        &[1001..=1001],
        "report",
        Meaning::Wer,
        &[
            "Bucket",
            "BucketType",
            "EventName",
            "Response",
            "CabId",
            "P1",
            "P2",
            "P3",
            "P4",
            "P5",
            "P6",
            "P7",
            "P8",
            "P9",
            "P10",
            "AttachedFiles",
            "StorePath",
            "AnalysisSymbol",
            "Rechecking",
            "ReportId",
            "ReportStatus",
            "HashedBucket",
            "CabGuid",
        ],
    ),
    row(
        &[Named("Application Hang")],
        &[1002..=1002],
        "hang",
        Meaning::Hang,
        &[
            "AppName",
            "AppVersion",
            "ProcessId",
            "StartTime",
            "TerminationTime",
            "ExeFileName",
            "ReportId",
            "PackageFullName",
            "PackageRelativeAppId",
            "HangType",
        ],
    ),
    // 1022 is what the runtime says about profilers; the others end the process.
    row(&[Named(".NET Runtime")], &[1022..=1022], "other", Meaning::DotNet, &[]),
    row(&[Named(".NET Runtime")], &[1023..=1028], "crash", Meaning::DotNet, &[]),
    row(&[Named("SideBySide")], &[33..=80], "start-failure", Meaning::SideBySide, &[]),
    row(
        &[Named("Application Popup"), Named("Microsoft-Windows-Application-Popup")],
        &[26..=26],
        "start-failure",
        Meaning::Popup,
        &["Caption", "Message"],
    ),
    row(
        &[Named("Microsoft-Windows-ProcessExitMonitor"), Named("Process Exit Monitor")],
        &[3000..=3001],
        "exit",
        Meaning::SilentExit,
        PARAMETERS,
    ),
    row(&[Named("Microsoft-Windows-Security-Auditing")], &[4689..=4689], "exit", Meaning::ProcessExit, &[]),
    row(&[Named("Microsoft-Windows-WER-Diag")], &[1..=1], "crash", Meaning::CorruptFile, &[]),
    said(
        &[Named("Microsoft-Windows-Fault-Tolerant-Heap")],
        &[1003..=1003],
        "other",
        "Windows found that the heap of {FthEnabledProcessName:file} was damaged again and again, and tolerates some of it \
         from now on",
        &[],
    ),
    said(
        &[Named("Microsoft-Windows-RestartManager")],
        &[10002..=10002],
        "other",
        "an installer closed {FullPath:file}",
        &[],
    ),
    // Stops and restarts of the machine.
    row(SYSTEM_ERRORS, &[1001..=1001], "bugcheck", Meaning::BugCheck, PARAMETERS),
    said(SYSTEM_ERRORS, &[1019..=1019], "bugcheck", "Windows suspects the driver {SuspectedDriver} of the stop", &[]),
    row(KERNEL_POWER, &[41..=41], "unclean-restart", Meaning::UncleanRestart, &[]),
    row(&[Named("EventLog")], &[6008..=6008], "power-loss", Meaning::UncleanShutdown, &[]),
    said(
        &[Named("volmgr")],
        &[46..=46, 49..=49],
        "other",
        "if the system stops, no dump can be written[ ({packet:status})]",
        &[],
    ),
    said(
        &[Named("volmgr")],
        &[161..=161],
        "bugcheck",
        "the system had stopped, and no dump could be written[ ({packet:status})]",
        &[],
    ),
    said(&[Named("volmgr")], &[162..=162], "bugcheck", "the system had stopped, and a dump was written", &[]),
    row(&[Named("Microsoft-Windows-Kernel-Boot")], &[20..=20], "other", Meaning::LastShutdown, &[]),
    row(&[Named("Microsoft-Windows-Kernel-Boot")], &[27..=27], "other", Meaning::KindOfStart, &[]),
    row(&[Named("Microsoft-Windows-Kernel-General")], &[1..=1], "other", Meaning::ClockSet, &[]),
    said(
        &[Named("Microsoft-Windows-Kernel-Boot")],
        &[16..=16, 29..=29],
        "other",
        "Windows could not start or resume as it meant to[: {FailureMsg}][ ({FailureStatus:code})]",
        &[],
    ),
    // Logs that were cleared: 104 stands in the System log and names the channel, 1102 in the log that it is about.
    said(EVENT_LOG, &[104..=104], "log-cleared", "the {Channel} log was cleared[ by {SubjectUserName}]", &[]),
    said(EVENT_LOG, &[1102..=1102], "log-cleared", "the Security log was cleared[ by {SubjectUserName}]", &[]),
    // Starts, shutdowns and sleep.
    said(
        &[Named("Microsoft-Windows-Kernel-General")],
        &[12..=12],
        "power-state",
        "the system started[, build {BuildVersion}]",
        &[],
    ),
    said(&[Named("Microsoft-Windows-Kernel-General")], &[13..=13], "power-state", "the system shut down", &[]),
    said(KERNEL_POWER, &[42..=42], "power-state", "the system goes to sleep", &[]),
    said(KERNEL_POWER, &[107..=107], "power-state", "the system woke", &[]),
    said(KERNEL_POWER, &[506..=506], "power-state", "the system enters modern standby", &[]),
    said(KERNEL_POWER, &[507..=507], "power-state", "the system leaves modern standby", &[]),
    row(KERNEL_POWER, &[105..=105], "power-state", Meaning::PowerSource, &[]),
    said(
        &[Named("User32")],
        &[1074..=1074],
        "power-state",
        "{param1} asked for a shutdown or restart[: {param5}][, {param3}][, reason {param4}]",
        PARAMETERS,
    ),
    said(
        &[Named("User32")],
        &[1076..=1076],
        "other",
        "somebody gave a reason for the last unplanned shutdown: {param1}[, {param5}]",
        PARAMETERS,
    ),
    // Heat.
    row(KERNEL_POWER, &[86..=86], "thermal", Meaning::ShutDownByHeat, &[]),
    said(KERNEL_POWER, &[88..=88], "thermal", "the system hibernated because a part was too hot", &[]),
    said(
        &[Named("Microsoft-Windows-Kernel-Processor-Power")],
        &[37..=37],
        "thermal",
        "the firmware held back the speed of processor {Number} for {CapDurationInSeconds} seconds",
        &[],
    ),
    // What was changed on the machine.
    row(UPDATE_CLIENT, &[19..=19], "update", Meaning::Update { installed: true }, &[]),
    row(UPDATE_CLIENT, &[20..=20], "update", Meaning::Update { installed: false }, &[]),
    row(SERVICING, &[2..=2], "update", Meaning::Package { changed: true }, &[]),
    row(SERVICING, &[3..=3], "update", Meaning::Package { changed: false }, &[]),
    row(&[Named("Microsoft-Windows-UserPnp")], &[20001..=20001], "driver-install", Meaning::DriverInstalled, &[]),
    said(
        KERNEL_PNP,
        &[400..=400],
        "driver-install",
        "{DeviceInstanceId} got the driver {DriverName}[ {DriverVersion}][ of {DriverProvider}]",
        &[],
    ),
    said(KERNEL_PNP, &[420..=420], "other", "the device {DeviceInstanceId} was removed from the system", &[]),
    said(
        KERNEL_PNP,
        &[401..=403],
        "device-problem",
        "{DeviceInstanceId} was not fully set up with the driver {DriverName}[ {DriverVersion}][ ({Status:code})]",
        &[],
    ),
    said(
        KERNEL_PNP,
        &[411..=412],
        "device-problem",
        "{DeviceInstanceId} did not start[, driver {DriverName}][, problem code {Problem:number}][, status {Status:code}]",
        &[],
    ),
    row(KERNEL_PNP, &[219..=219], "device-problem", Meaning::DriverNotLoaded, &[]),
    row(INSTALLER, &[1033..=1033], "software-install", Meaning::Product("installed"), PRODUCT),
    row(INSTALLER, &[1034..=1034], "software-install", Meaning::Product("removed"), PRODUCT),
    row(INSTALLER, &[1035..=1035], "software-install", Meaning::Product("changed"), PRODUCT),
    row(
        INSTALLER,
        &[1036..=1036],
        "software-install",
        Meaning::Product("updated"),
        &["Product", "Version", "Language", "Update", "Status", "Maker"],
    ),
    row(SERVICES, &[7045..=7045], "software-install", Meaning::ServiceInstalled, &[]),
    // Display drivers.
    row(DISPLAY, &[4101..=4101], "driver-reset", Meaning::DisplayReset, &[]),
    Entry { ids: Any, ..row(DISPLAY_DRIVERS, &[], "driver-error", Meaning::DisplayDriver, &[]) },
    row(&[Named("NVIDIA OpenGL Driver")], &[1..=1], "driver-error", Meaning::OpenGlDriver, &[]),
    said(
        &[Named("Microsoft-Windows-DxgKrnl")],
        &[456..=457, 549..=549],
        "driver-error",
        "a display adapter did not start[: {Message}][ {DescriptionString}][ ({Status:code})]",
        &[],
    ),
    // Errors of the hardware. From 16 on an even id is an error and the odd one after it a corrected error.
    hardware(&[1..=1], "other", false),
    hardware(&[2..=3], "other", true),
    hardware(&[16..=16, 40..=40], "pcie", false),
    hardware(&[17..=17, 41..=41], "pcie", true),
    hardware(&[18..=18, 20..=20, 28..=28, 48..=48], "processor", false),
    hardware(&[19..=19, 21..=21, 29..=29, 49..=49], "processor", true),
    hardware(&[22..=22, 46..=46], "memory", false),
    hardware(&[23..=23, 47..=47], "memory", true),
    hardware(&[24..=24, 26..=26, 42..=42, 44..=44], "pci", false),
    hardware(&[25..=25, 27..=27, 43..=43, 45..=45], "pci", true),
    row(MEMORY_DIAGNOSTICS, &[1101..=1101, 1201..=1201], "memory-test", Meaning::MemoryTest { errors: false }, &[]),
    row(MEMORY_DIAGNOSTICS, &[1102..=1102, 1202..=1202], "memory-test", Meaning::MemoryTest { errors: true }, &[]),
    // Storage and file systems.
    row(
        &[Named("disk")],
        &[7..=7, 11..=11, 15..=15, 51..=52, 153..=154, 157..=157],
        "storage-error",
        Meaning::Storage,
        &[],
    ),
    // A warning that the write cache is off: nothing failed, but it belongs to the disk's history.
    said(&[Named("disk")], &[34..=34], "other", "{data0} works without its write cache", &[]),
    row(&[Named("Microsoft-Windows-StorPort")], &[512..=512], "drive-health", Meaning::DriveHealth, &[]),
    row(STORAGE_ADAPTERS, &[11..=11, 129..=129], "storage-error", Meaning::Storage, &[]),
    row(&[Named("cdrom")], &[11..=11, 51..=51], "storage-error", Meaning::Storage, &[]),
    // The positional form of 55 is that of Windows 7 and before.
    row(NTFS, &[55..=55], "file-system-error", Meaning::FileSystem, &["DeviceName", "DriveName"]),
    row(NTFS, &[98..=98], "file-system-error", Meaning::FileSystemState, &[]),
    row(NTFS, &[140..=140], "file-system-error", Meaning::FileSystem, &[]),
    said(
        &[Named("Microsoft-Windows-Kernel-General")],
        &[5..=6],
        "file-system-error",
        "a hive of the registry was damaged[: {ExtraString}][ ({FinalStatus:code})]",
        &[],
    ),
    // Resources, policies and services.
    row(
        &[Named("Microsoft-Windows-Resource-Exhaustion-Detector")],
        &[2004..=2004],
        "memory-exhausted",
        Meaning::MemoryExhausted,
        &[],
    ),
    said(
        &[Named("Microsoft-Windows-Resource-Exhaustion-Resolver")],
        &[1014..=1014],
        "other",
        "{ProcessImageName:file} was suspected of leaking memory",
        &[],
    ),
    // 3001 reports a driver that was loaded all the same, 3076 what a policy in audit mode would have refused.
    refused(&[3001..=3001], false, "signature"),
    refused(&[3002..=3002, 3004..=3004, 3033..=3033], true, "signature"),
    refused(&[3023..=3023], true, "revoked"),
    refused(&[3063..=3063, 3077..=3077, 3111..=3111], true, "policy"),
    refused(&[3076..=3076], false, "policy"),
    // What the policy asks of drivers, told at each start: nothing was refused, but it says which rules held.
    said(CODE_INTEGRITY, &[3085..=3085], "other", "the rules for the signatures of drivers were loaded", &[]),
    row(
        &[Named("Microsoft-Windows-AppLocker")],
        &[8004..=8004, 8007..=8007],
        "image-refused",
        Meaning::ImageRefused { blocked: true, reason: "policy" },
        &[],
    ),
    // Packaged programs have no path of their own; 8022 is one that was not started, 8025 one that was not installed.
    said(
        &[Named("Microsoft-Windows-AppLocker")],
        &[8022..=8022, 8025..=8025],
        "image-refused",
        "AppLocker refused the packaged program[ {Package}][ {PackageBuffer}][ ({Fqbn})]",
        &[],
    ),
    // Exploit protection: odd ids only say what would have happened.
    row(
        MITIGATIONS,
        &[6..=6, 8..=8, 12..=12],
        "image-refused",
        Meaning::ImageRefused { blocked: true, reason: "policy" },
        &[],
    ),
    said(
        MITIGATIONS,
        &[4..=4],
        "security-block",
        "exploit protection kept {ProcessPath:file} from starting {ChildImagePathName:file}",
        &[],
    ),
    said(
        MITIGATIONS,
        &[14..=14, 16..=16, 18..=18, 20..=20, 22..=22, 24..=24, 26..=26],
        "security-block",
        "exploit protection stopped {ProcessPath:file}[ at {ControlPcImageName:file}]",
        &[],
    ),
    said(
        DEFENDER,
        &[1116..=1116, 1160..=1160],
        "other",
        "Defender took {Path} for {Threat Name}[, in use by {Process Name}]",
        &[],
    ),
    // These call the path and the action otherwise than the newer ones do.
    said(
        DEFENDER,
        &[1006..=1006, 1015..=1015],
        "other",
        "Defender took {Path Found} for {Threat Name}[, in use by {Process Name}]",
        &[],
    ),
    row(DEFENDER, &[1007..=1007, 1117..=1117], "security-block", Meaning::DefenderAction, &[]),
    said(
        DEFENDER,
        &[1009..=1009],
        "other",
        "Defender gave {Path} back from quarantine[, which it had taken for {Threat Name}]",
        &[],
    ),
    said(
        DEFENDER,
        &[1008..=1008, 1118..=1119],
        "other",
        "Defender could not act on {Path}, which it took for {Threat Name}[: {Action Name}][: {Cleaning Action}]",
        &[],
    ),
    said(
        DEFENDER,
        &[1121..=1121],
        "security-block",
        "Defender's attack surface reduction kept {Process Name} from {Path}[, rule {ID}]",
        &[],
    ),
    said(
        DEFENDER,
        &[1123..=1123, 1127..=1127],
        "security-block",
        "Defender's controlled folder access kept {Process Name} from writing to {Path}",
        &[],
    ),
    said(
        &[Named("Application Popup")],
        &[1060..=1060],
        "image-refused",
        "a driver was not loaded because it is known not to work with this Windows[: {data1}]",
        &[],
    ),
    // User-mode drivers run in a process of their own, which can crash and be started again.
    said(
        USER_MODE_DRIVERS,
        &[10110..=10110, 10120..=10120],
        "device-problem",
        "the process of user-mode drivers failed[ for {InstanceId}][, exit code {ExitCode:code}][, status {Status:code}]",
        &[],
    ),
    said(
        USER_MODE_DRIVERS,
        &[10111..=10111, 10115..=10116],
        "device-problem",
        "{FriendlyName} is offline because its user-mode driver failed[ (tried again {RestartCount} times)]",
        &[],
    ),
    said(
        SERVICES,
        &[7000..=7000],
        "service-error",
        "the service {param1:service} did not start[: {param2}]",
        PARAMETERS,
    ),
    said(
        SERVICES,
        &[7001..=7001],
        "service-error",
        "the service {param1:service} did not start because {param2} did not[: {param3}]",
        PARAMETERS,
    ),
    said(
        SERVICES,
        &[7009..=7009, 7011..=7011],
        "service-error",
        "the service {param2:service} did not answer within {param1} ms",
        PARAMETERS,
    ),
    said(SERVICES, &[7022..=7022], "service-error", "the service {param1:service} hung while it started", PARAMETERS),
    said(
        SERVICES,
        &[7023..=7024],
        "service-error",
        "the service {param1:service} ended with an error[: {param2}]",
        PARAMETERS,
    ),
    row(SERVICES, &[7026..=7026], "device-problem", Meaning::BootDriversFailed, PARAMETERS),
    row(SERVICES, &[7031..=7031, 7034..=7034], "service-ended", Meaning::ServiceEnded, PARAMETERS),
];
