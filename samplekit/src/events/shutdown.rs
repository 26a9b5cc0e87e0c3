//! Events about sessions that ended without a shutdown.

use crate::bytes::{ByteWriter, count32};
use crate::event_log::{Event, Provider, Sid, Value};
use crate::{FileTime, Guid};

const KERNEL_POWER: Guid = Guid::new(0x331c_3b3a, 0x2005, 0x44c2, 0xac5e, 0x7722_0c37_d6b4);
const SYSTEM_ERROR_REPORTING: Guid = Guid::new(0xabce_23e7, 0xde45, 0x4366, 0x8631, 0x84fa_6c52_5952);

/// The values of Kernel-Power 41 about the end of the last session.
#[derive(Debug, Clone, Copy, Default)]
pub struct LostPower {
    /// Bugcheck code; 0 when none was recorded.
    pub code: u32,
    /// Its parameters.
    pub parameters: [u64; 4],
    /// When the power button was pressed; `None` if it was not.
    pub power_button: Option<FileTime>,
}

/// Kernel-Power 41, version 8: the system started without a shutdown before.
#[must_use]
pub fn kernel_power(time: FileTime, lost: LostPower) -> Event {
    /// Task and keyword of this event in its manifest.
    const TASK: u16 = 63;
    const KEYWORD: u64 = 2;
    let [first, second, third, fourth] = lost.parameters;
    let fields = vec![
        ("BugcheckCode", Value::U32(lost.code)),
        ("BugcheckParameter1", Value::Hex64(first)),
        ("BugcheckParameter2", Value::Hex64(second)),
        ("BugcheckParameter3", Value::Hex64(third)),
        ("BugcheckParameter4", Value::Hex64(fourth)),
        ("SleepInProgress", Value::U32(0)),
        ("PowerButtonTimestamp", Value::U64(lost.power_button.map_or(0, |time| time.0))),
        ("BootAppStatus", Value::U32(0)),
        ("Checkpoint", Value::U8(0)),
        ("ConnectedStandbyInProgress", Value::Bool(false)),
        ("SystemSleepTransitionsToOn", Value::U32(0)),
        ("CsEntryScenarioInstanceId", Value::U8(0)),
        ("BugcheckInfoFromEFI", Value::Bool(false)),
        ("CheckpointStatus", Value::U8(0)),
        ("CsEntryScenarioInstanceIdV2", Value::U64(0)),
        ("LongPowerButtonPressDetected", Value::Bool(false)),
    ];
    Event::new(Provider::manifest("Microsoft-Windows-Kernel-Power", KERNEL_POWER), 41)
        .version(8)
        .level(1)
        .task(TASK)
        .keyword(KEYWORD)
        .at(time)
        .logged_by(4, 8)
        .user(Sid::system())
        .named(fields)
}

/// `BugCheck` 1001 of WER-SystemErrorReporting: the system restarted after a blue screen.
#[must_use]
pub fn bugcheck(time: FileTime, code: u32, parameters: [u64; 4], dump: &str, report_id: Guid) -> Event {
    /// Upper half of the message's id: information.
    const QUALIFIERS: u16 = 0x4000;
    let [first, second, third, fourth] = parameters;
    let text = format!("0x{code:08x} (0x{first:016x}, 0x{second:016x}, 0x{third:016x}, 0x{fourth:016x})");
    let name = "Microsoft-Windows-WER-SystemErrorReporting";
    Event::new(Provider::manifest_with_source(name, SYSTEM_ERROR_REPORTING, "BugCheck"), 1001)
        .qualifiers(QUALIFIERS)
        .at(time)
        .named([("param1", text), ("param2", dump.to_owned()), ("param3", report_id.to_string())])
}

/// EventLog 6008: the last session, which was last known to run at `last_alive`, was not shut down. The machine's clock
/// is `ahead_hours` ahead of UTC; its texts are in the format of the United States, with the direction marks that
/// Windows writes.
#[must_use]
pub fn unclean_shutdown(time: FileTime, last_alive: FileTime, ahead_hours: u64, uptime_seconds: u32) -> Event {
    /// Upper half of the message's id: an error.
    const QUALIFIERS: u16 = 0x8000;
    let local = last_alive.plus_seconds(ahead_hours * 3600);
    let (year, month, day) = local.date();
    let (hour, minute, second) = local.time_of_day();
    let (half, hour) = if hour < 12 { ("AM", hour) } else { ("PM", hour - 12) };
    let hour = if hour == 0 { 12 } else { hour };
    let mark = '\u{200e}';
    let texts = [
        format!("{hour}:{minute:02}:{second:02} {half}"),
        format!("{mark}{month}/{mark}{day}/{mark}{year}"),
        String::new(),
        String::new(),
        uptime_seconds.to_string(),
        String::new(),
        String::new(),
    ];
    // The moment in local time and in UTC, then how often a sign of life is written, in seconds.
    let mut binary = ByteWriter::new();
    binary.raw(&local.system_time()).raw(&last_alive.system_time());
    for word in [0x960, 60, 1, 0x960, 0, 0x4B0, 1, 0] {
        binary.u32(count32(word));
    }
    Event::new(Provider::classic("EventLog"), 6008)
        .qualifiers(QUALIFIERS)
        .at(time)
        .strings(texts)
        .binary(binary.into_bytes())
}
