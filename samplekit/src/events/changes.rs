//! Installations of drivers.

use crate::event_log::{Element, Event, Provider, Sid, Value};
use crate::{FileTime, Guid};

const USER_PNP: Guid = Guid::new(0x96f4_a050, 0x7e31, 0x453c, 0x88be, 0x9634_f4e0_2139);
/// The class of display adapters.
const DISPLAY_CLASS: Guid = Guid::new(0x4d36_e968, 0xe325, 0x11ce, 0xbfc1, 0x0800_2be1_0318);

/// A driver of a display adapter.
#[derive(Debug, Clone, Copy)]
pub struct DisplayDriver<'a> {
    /// Its package in the driver store: folder and file.
    pub package: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Who made it.
    pub provider: &'a str,
    /// Instance id of the adapter.
    pub device: &'a str,
    /// Name of the adapter.
    pub description: &'a str,
}

/// UserPnp 20001: a driver was installed for a display adapter.
#[must_use]
pub fn display_driver_installed(time: FileTime, driver: DisplayDriver<'_>) -> Event {
    let root = Element::parent(
        "InstallDeviceID",
        vec![
            Element::value("DriverName", driver.package),
            Element::value("DriverVersion", driver.version),
            Element::value("DriverProvider", driver.provider),
            Element::value("DeviceInstanceID", driver.device),
            Element::value("SetupClass", Value::Guid(DISPLAY_CLASS)),
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
