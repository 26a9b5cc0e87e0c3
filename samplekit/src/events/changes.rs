//! Changes by people and installers: drivers, and cleared logs.

use crate::event_log::{Element, Event, Provider, Sid, Value};
use crate::{FileTime, Guid};

const USER_PNP: Guid = Guid::new(0x96f4_a050, 0x7e31, 0x453c, 0x88be, 0x9634_f4e0_2139);
const EVENT_LOG: Guid = Guid::new(0xFC65_DDD8, 0xD6EF, 0x4962, 0x83D5, 0x6E5C_FE9C_E148);
/// The class of display adapters.
const DISPLAY_CLASS: Guid = Guid::new(0x4d36_e968, 0xe325, 0x11ce, 0xbfc1, 0x0800_2be1_0318);
/// The class of firmware.
const FIRMWARE_CLASS: Guid = Guid::new(0xf2e7_dd72, 0x6468, 0x4e36, 0xb6f1, 0x6488_f42c_1b52);

/// A driver of a display adapter, or firmware.
#[derive(Debug, Clone, Copy)]
pub struct DisplayDriver<'a> {
    /// Its package in the driver store: folder and file.
    pub package: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Who made it.
    pub provider: &'a str,
    /// Instance id of the adapter or firmware.
    pub device: &'a str,
    /// Name of the adapter or firmware.
    pub description: &'a str,
}

/// UserPnp 20001: a driver was installed for a display adapter.
#[must_use]
pub fn display_driver_installed(time: FileTime, driver: DisplayDriver<'_>) -> Event {
    installed(time, driver, DISPLAY_CLASS)
}

/// UserPnp 20001: firmware was installed, which takes effect at the next start.
#[must_use]
pub fn firmware_installed(time: FileTime, firmware: DisplayDriver<'_>) -> Event {
    installed(time, firmware, FIRMWARE_CLASS)
}

fn installed(time: FileTime, driver: DisplayDriver<'_>, class: Guid) -> Event {
    let root = Element::parent(
        "InstallDeviceID",
        vec![
            Element::value("DriverName", driver.package),
            Element::value("DriverVersion", driver.version),
            Element::value("DriverProvider", driver.provider),
            Element::value("DeviceInstanceID", driver.device),
            Element::value("SetupClass", Value::Guid(class)),
            Element::value("RebootOption", Value::Bool(false)),
            Element::value("UpgradeDevice", Value::Bool(true)),
            Element::value("IsDriverOEM", Value::Bool(true)),
            Element::value("InstallStatus", Value::Hex32(0)),
            Element::value("DriverDescription", driver.description),
        ],
    )
    .in_namespace("http://manifests.microsoft.com/win/2004/08/windows/userpnp");
    Event::new(Provider::manifest("Microsoft-Windows-UserPnp", USER_PNP), 20001)
        .level(4)
        .task(7005)
        .at(time)
        .logged_by(11_204, 4416)
        .user(Sid::system())
        .user_data(root)
}

/// Eventlog 104 of the System log, or 1102 of the Security log where `channel` names none: somebody cleared that log.
#[must_use]
pub fn log_cleared(time: FileTime, channel: Option<&str>, user: &str) -> Event {
    let mut values = vec![Element::value("SubjectUserName", user), Element::value("SubjectDomainName", "DEMO")];
    values.extend(channel.map(|channel| Element::value("Channel", channel)));
    let cleared = Element::parent("LogFileCleared", values)
        .in_namespace("http://manifests.microsoft.com/win/2004/08/windows/eventlog");
    let id = if channel.is_some() { 104 } else { 1102 };
    Event::new(Provider::manifest("Microsoft-Windows-Eventlog", EVENT_LOG), id).level(4).at(time).user_data(cleared)
}
