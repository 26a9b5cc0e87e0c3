//! What was changed on a machine: updates, drivers, programs and services that came or went.

use super::super::catalogue::DEFINITIONS;
use super::super::fields::Fields;
use super::sentence::{fill_in, said};
use super::split_extension;
use evidence::{EventBody, base_name};

/// The driver whose failure to load Windows logs on nearly every machine, without consequence.
const HARMLESS_DRIVER: &str = "\\Driver\\WudfRd";
/// The beginning of the names of drivers that Defender installs with each update of its definitions.
const DEFINITIONS_DRIVER: &str = "MpKsl";
/// Drivers that do not run on most machines, by design: desktop activity moderator and offline files.
const OPTIONAL_BOOT_DRIVERS: &[&str] = &["dam", "CSC"];

/// WindowsUpdateClient 19 and 20: an update was `installed`, or could not be. `None` for updates of Defender's definitions.
pub(super) fn update(installed: bool, id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    if fields.written("updateTitle").is_some_and(|title| title.contains(DEFINITIONS)) {
        return None;
    }
    if installed && fields.written("updateTitle").is_some_and(is_store_app) {
        return said("the app {updateTitle} was installed from the store", Some("software-install"), id, fields);
    }
    let sentence = if installed {
        "the update {updateTitle} was installed"
    } else {
        "the update {updateTitle} could not be installed[ ({errorCode:code})]"
    };
    Some(changed(installed, sentence, id, fields).unwrap_or_else(|| plain(fields)))
}

/// Whether an update's title is that of an app from the store: it begins with the app's number in the store, 12 letters and
/// digits (`9WZDNCRFJ3PT-Microsoft.ZuneMusic`). Apps are no part of Windows.
fn is_store_app(title: &str) -> bool {
    title.split_once('-').is_some_and(|(number, app)| {
        number.len() == 12
            && number.starts_with('9')
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && !app.starts_with(' ')
    })
}

/// Servicing 2 and 3: the state of a package `was changed`, or could not be.
pub(super) fn package(was_changed: bool, id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    // The text of the state is empty where the system has none, and else in the system's language. Source of the
    // numbers: records that have both.
    let (done, changes) = match fields.number_u32("IntendedPackageState") {
        Some(5000) => ("removed", true),
        Some(5064) => ("staged for installation", false),
        Some(5112) => ("installed", true),
        _ => ("changed[ to {IntendedPackageStateTextized}]", true),
    };
    let verb = if was_changed { "was" } else { "could not be" };
    let error = if was_changed { "" } else { "[ ({ErrorCode:code})]" };
    changed(was_changed && changes, &format!("the package {{PackageIdentifier}} {verb} {done}{error}"), id, fields)
}

/// A sentence about a change. When the change did not come about, the timeline's entry is of the kind `other`.
fn changed(came_about: bool, sentence: &str, id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    said(sentence, (!came_about).then_some("other"), id, fields)
}

/// The class of firmware, which Windows installs like a driver and hands to the machine at the next start.
///
/// Source: "Authoring an update driver package" of the Windows driver documentation.
const FIRMWARE_CLASS: &str = "f2e7dd72-6468-4e36-b6f1-6488f42c1b52";

/// UserPnp 20001: a driver was installed for a device, or could not be.
pub(super) fn driver_installed(id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let (failed, restart) = failure(fields.number_u32("InstallStatus"));
    let outcome = failed.map_or_else(|| "was".to_owned(), |status| format!("(0x{status:08X}) was not"));
    // The name is that of the package's folder.
    let name = fields.text("DriverName").map(|name| driver_file(base_name(&name)).to_owned());
    let is_firmware = fields.text("SetupClass").is_some_and(|class| class.to_lowercase().contains(FIRMWARE_CLASS));
    let what = if is_firmware { "firmware" } else { "driver" };
    let driver = name.map_or_else(|| format!("a {what}"), |name| format!("the {what} {name}"));
    let details = "[ {DriverVersion}][ of {DriverProvider}]";
    let device = "[ for {DriverDescription}][, {DeviceInstanceID}]";
    let mut sentence = driver;
    sentence.push_str(&fill_in(&format!("{details} {outcome} installed{device}{restart}"), id, fields)?);
    let names_something =
        ["DriverName", "DriverDescription", "DeviceInstanceID"].iter().any(|name| fields.text(name).is_some());
    names_something
        .then(|| EventBody::Said { sentence: fields.share(&sentence), kind: failed.map(|_| "device-problem") })
}

/// The file in the name of a driver's package: `demo.inf` of `demo.inf_amd64_0123456789abcdef`.
fn driver_file(package: &str) -> &str {
    const ENDING: &str = ".inf";
    let end = package.to_ascii_lowercase().find(".inf_").map(|start| start.saturating_add(ENDING.len()));
    end.and_then(|end| package.get(..end)).unwrap_or(package)
}

/// The error of an installation, if it failed, and what to add to the sentence of a success. `ERROR_SUCCESS_REBOOT_INITIATED`
/// and `ERROR_SUCCESS_REBOOT_REQUIRED` of winerror.h are successes.
fn failure(status: Option<u32>) -> (Option<u32>, &'static str) {
    match status {
        None | Some(0) => (None, ""),
        Some(1641 | 3010) => (None, " (a restart is needed)"),
        failed => (failed, ""),
    }
}

/// MsiInstaller 1033 to 1036: a product was `done`: installed, removed, changed or updated.
pub(super) fn product(done: &str, id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let (failed, restart) = failure(fields.number_u32("Status"));
    let outcome = failed.map_or_else(|| format!("was {done}"), |error| format!("was not {done} (error {error})"));
    // Many products have the version in their name.
    let named =
        fields.text("Product").zip(fields.text("Version")).is_some_and(|(name, version)| name.contains(&*version));
    let version = if named { "" } else { "[ {Version}]" };
    changed(failed.is_none(), &format!("{{Product}}{version} {outcome}[, update {{Update}}]{restart}"), id, fields)
}

/// Service Control Manager 7045: a new service or driver. Which of the two it is shows by its file: the event's own word is in
/// the system's language. `None` for the driver that comes with Defender's definitions.
pub(super) fn service_installed(id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let Some(path) = fields.text("ImagePath") else { return Some(plain(fields)) };
    let file = base_name(path.trim().trim_matches('"'));
    if file.get(..DEFINITIONS_DRIVER.len()).is_some_and(|start| start.eq_ignore_ascii_case(DEFINITIONS_DRIVER)) {
        return None;
    }
    let (what, kind) = match split_extension(file) {
        Some((_, extension)) if extension.eq_ignore_ascii_case(".sys") => ("driver", "driver-install"),
        _ => ("service", "software-install"),
    };
    let sentence = format!("the {what} {{ServiceName}} was installed, {{ImagePath}}");
    said(&sentence, Some(kind), id, fields).or_else(|| Some(plain(fields)))
}

/// Kernel-PnP 219: a driver was not loaded. `None` for the driver that fails on nearly every machine.
pub(super) fn driver_not_loaded(id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    if fields.written("FailureName").is_some_and(|driver| driver.eq_ignore_ascii_case(HARMLESS_DRIVER)) {
        return None;
    }
    let sentence = "the driver {FailureName} was not loaded[ for {DriverName}][ ({Status:code})]";
    said(sentence, None, id, fields).or_else(|| Some(plain(fields)))
}

/// Service Control Manager 7026: drivers that did not load, a list with one name a line. `None` when only drivers failed that
/// do not run on most machines.
pub(super) fn boot_drivers_failed(fields: &Fields<'_>) -> Option<EventBody> {
    let list = fields.written("param1").unwrap_or_default();
    let optional = |name: &&str| OPTIONAL_BOOT_DRIVERS.iter().any(|known| name.eq_ignore_ascii_case(known));
    let names: Vec<&str> = list.split_whitespace().filter(|name| !optional(name)).collect();
    if names.is_empty() {
        return None;
    }
    let sentence = format!("drivers did not load at the start: {}", names.join(", "));
    Some(EventBody::Said { sentence: fields.share(&sentence), kind: None })
}

/// The text of a record that lacks the fields for more.
fn plain(fields: &Fields<'_>) -> EventBody {
    EventBody::Other { text: fields.joined() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{body, named, positional, sentence};
    use super::*;

    const UPDATE_CLIENT: &str = "Microsoft-Windows-WindowsUpdateClient";

    #[test]
    fn an_update_is_told_with_its_outcome_and_definitions_are_not_told() {
        let title = "Vendor - Display - 31.0.15.3623";
        let data = json!({"updateTitle": title, "updateGuid": "{0a1b2c3d-1111-2222-3333-444455556666}"});
        let installed = sentence(named(UPDATE_CLIENT, 19, data));
        assert_eq!(installed, format!("the update {title} was installed"));
        let failed = json!({"errorCode": "0x80248007", "updateTitle": title});
        assert_eq!(
            sentence(named(UPDATE_CLIENT, 20, failed)),
            format!("the update {title} could not be installed (0x80248007)")
        );
        let definitions = json!({"updateTitle": "Sicherheitsupdate für Microsoft Defender Antivirus - KB2267602"});
        for id in [19, 20] {
            assert!(named(UPDATE_CLIENT, id, definitions.clone()).is_none(), "{id}");
        }
    }

    #[test]
    fn a_package_is_named_as_its_servicing_record_does() {
        let json = json!({"UserData": {"CbsPackageChangeState": {
            "PackageIdentifier": "KB5001234", "IntendedPackageState": 5112, "IntendedPackageStateTextized": "Installed",
            "ErrorCode": "0x800f0816", "Client": "WindowsUpdateAgent"
        }}});
        let of = |id| sentence(body("Microsoft-Windows-Servicing", id, &json.to_string()));
        assert_eq!(of(2), "the package KB5001234 was installed");
        assert_eq!(of(3), "the package KB5001234 could not be installed (0x800F0816)");
    }

    #[test]
    fn a_driver_s_installation_names_driver_version_and_device() {
        let of = |status: &str| {
            let json = json!({"UserData": {"InstallDeviceID": {
                "DriverName": "FileRepository\\nv_dispi.inf_amd64_0123\\nv_dispi.inf", "DriverVersion": "31.0.15.3623",
                "DriverProvider": "NVIDIA", "DeviceInstanceID": "PCI\\VEN_10DE",
                "SetupClass": "{4d36e968-e325-11ce-bfc1-08002be10318}", "InstallStatus": status,
                "DriverDescription": "NVIDIA GeForce RTX"
            }}});
            sentence(body("Microsoft-Windows-UserPnp", 20001, &json.to_string()))
        };
        let driver = "the driver nv_dispi.inf 31.0.15.3623 of NVIDIA";
        assert_eq!(of("0x0"), format!("{driver} was installed for NVIDIA GeForce RTX, PCI\\VEN_10DE"));
        assert_eq!(
            of("0xe0000219"),
            format!("{driver} (0xE0000219) was not installed for NVIDIA GeForce RTX, PCI\\VEN_10DE")
        );
    }

    #[test]
    fn a_driver_without_a_name_is_told_by_its_device() {
        let of = |name: &str, description: &str| {
            let json = json!({"UserData": {"InstallDeviceID": {
                "DriverName": name, "DriverVersion": "6.1.7601.17514", "DriverProvider": "Microsoft",
                "DeviceInstanceID": "ROOT\\DEMO\\0000", "SetupClass": "{4d36e972-e325-11ce-bfc1-08002be10318}",
                "InstallStatus": "0x0", "DriverDescription": description
            }}});
            sentence(body("Microsoft-Windows-UserPnp", 20001, &json.to_string()))
        };
        let expected = "a driver 6.1.7601.17514 of Microsoft was installed for WAN Miniport, ROOT\\DEMO\\0000";
        assert_eq!(of("", "WAN Miniport"), expected);
        let package = "C:\\Windows\\System32\\DriverStore\\FileRepository\\demo.inf_amd64_863b4f7bd336d637";
        let expected = "the driver demo.inf 6.1.7601.17514 of Microsoft was installed, ROOT\\DEMO\\0000";
        assert_eq!(of(package, ""), expected);
    }

    #[test]
    fn a_package_s_state_is_told_by_its_number_where_the_text_is_missing_or_translated() {
        let of = |id, state: u32, text: &str| {
            let json = json!({"UserData": {"CbsPackageChangeState": {
                "PackageIdentifier": "KB1", "IntendedPackageState": state, "IntendedPackageStateTextized": text,
                "ErrorCode": "0x800f0816", "Client": "UpdateAgentLCU"
            }}});
            match body("Microsoft-Windows-Servicing", id, &json.to_string()) {
                Some(EventBody::Said { sentence, kind }) => (sentence.to_string(), kind),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of(2, 5112, ""), ("the package KB1 was installed".to_owned(), None));
        assert_eq!(of(2, 5000, "Nicht vorhanden"), ("the package KB1 was removed".to_owned(), None));
        assert_eq!(of(2, 5064, "Staged"), ("the package KB1 was staged for installation".to_owned(), Some("other")));
        assert_eq!(of(2, 5096, "Demo"), ("the package KB1 was changed to Demo".to_owned(), None));
        let failed = ("the package KB1 could not be installed (0x800F0816)".to_owned(), Some("other"));
        assert_eq!(of(3, 5112, ""), failed);
    }

    #[test]
    fn an_app_from_the_store_is_software_and_no_update_of_windows() {
        let of = |title: &str| match named(UPDATE_CLIENT, 19, json!({ "updateTitle": title })) {
            Some(EventBody::Said { sentence, kind }) => (sentence.to_string(), kind),
            other => panic!("{other:?}"),
        };
        let app = "9WZDNCRFJ3PT-Microsoft.ZuneMusic";
        assert_eq!(of(app), (format!("the app {app} was installed from the store"), Some("software-install")));
        assert_eq!(of("2024-05 Cumulative Update (KB1)").1, None);
        assert_eq!(of("Vendor - Display - 31.0.15.3623").1, None);
    }

    #[test]
    fn what_was_not_installed_is_no_change() {
        let kind = |body: Option<EventBody>| match body {
            Some(EventBody::Said { kind, .. }) => kind,
            other => panic!("{other:?}"),
        };
        let failed = json!({"errorCode": "0x80248007", "updateTitle": "Demo"});
        assert_eq!(kind(named(UPDATE_CLIENT, 20, failed.clone())), Some("other"));
        assert_eq!(kind(named(UPDATE_CLIENT, 19, failed)), None);
        assert_eq!(kind(positional("MsiInstaller", 1033, &["Tool", "1", "1033", "1603"])), Some("other"));
        assert_eq!(kind(positional("MsiInstaller", 1033, &["Tool", "1", "1033", "0"])), None);
    }

    #[test]
    fn a_product_s_version_is_told_once() {
        let values = ["Tool 2.0", "2.0", "1033", "0"];
        assert_eq!(sentence(positional("MsiInstaller", 1033, &values)), "Tool 2.0 was installed");
    }

    #[test]
    fn the_driver_that_comes_with_defender_s_definitions_is_not_told() {
        let of = |path: &str| named("Service Control Manager", 7045, json!({"ServiceName": "x", "ImagePath": path}));
        assert!(of("C:\\ProgramData\\Microsoft\\Windows Defender\\Definition Updates\\{0a}\\MpKslDrv.sys").is_none());
        assert!(of("C:\\x\\demo.sys").is_some());
    }

    #[test]
    fn a_driver_s_file_and_configuration_are_told() {
        let data = json!({
            "DeviceInstanceId": "PCI\\X", "DriverName": "oem12.inf", "ClassGuid": "{4d36e968-e325-11ce-bfc1-08002be10318}",
            "DriverDate": "06/08/2023", "DriverVersion": "31.0.15.3623", "DriverProvider": "NVIDIA", "Status": "0x0",
            "ServiceName": "nvlddmkm", "Problem": "0x2b"
        });
        let of = |id| sentence(named("Microsoft-Windows-Kernel-PnP", id, data.clone()));
        assert_eq!(of(400), "PCI\\X got the driver oem12.inf 31.0.15.3623 of NVIDIA");
        assert_eq!(of(411), "PCI\\X did not start, driver oem12.inf, problem code 43, status 0x00000000");
        assert_eq!(of(420), "the device PCI\\X was removed from the system");
    }

    #[test]
    fn a_product_is_told_with_what_was_done_and_whether_it_worked() {
        let of = |id, values: &[&str]| sentence(positional("MsiInstaller", id, values));
        assert_eq!(of(1033, &["Tool", "1.2.3", "1033", "0", "Maker", "(NULL)", ""]), "Tool 1.2.3 was installed");
        assert_eq!(of(1034, &["Tool", "1.2.3", "1031", "0", "Maker"]), "Tool 1.2.3 was removed");
        let restart = of(1033, &["Tool", "1.2.3", "1033", "3010"]);
        assert_eq!(restart, "Tool 1.2.3 was installed (a restart is needed)");
        assert_eq!(of(1033, &["Tool", "1.2.3", "1033", "1603"]), "Tool 1.2.3 was not installed (error 1603)");
        assert_eq!(of(1036, &["Tool", "1.2.3", "0", "KB1", "0", "M"]), "Tool 1.2.3 was updated, update KB1");
    }

    #[test]
    fn a_new_service_is_a_driver_by_its_file_whatever_the_language() {
        let of = |path: &str| {
            // The type of service as a German system writes it.
            let data = json!({"ServiceName": "x", "ImagePath": path, "ServiceType": "Kernelmodustreiber"});
            match named("Service Control Manager", 7045, data) {
                Some(EventBody::Said { sentence, kind }) => (sentence.to_string(), kind),
                other => panic!("{other:?}"),
            }
        };
        let path = "\\SystemRoot\\System32\\drivers\\x.SYS";
        assert_eq!(of(path), (format!("the driver x was installed, {path}"), Some("driver-install")));
        assert_eq!(of("\"C:\\x.exe\" -k").1, Some("software-install"));
    }

    #[test]
    fn drivers_that_fail_everywhere_are_not_told() {
        let not_loaded = |driver: &str| {
            let data = json!({"DriverName": "HID\\X", "Status": 3_221_226_341_u32, "FailureName": driver});
            named("Microsoft-Windows-Kernel-PnP", 219, data)
        };
        assert!(not_loaded("\\Driver\\WudfRd").is_none());
        assert_eq!(
            sentence(not_loaded("\\Driver\\demo")),
            "the driver \\Driver\\demo was not loaded for HID\\X (0xC0000365)"
        );
        let at_start = |list: &str| named("Service Control Manager", 7026, json!({ "param1": list }));
        assert!(at_start("\r\nCSC\r\ndam").is_none());
        assert_eq!(sentence(at_start("\r\ndam\r\nstorahci")), "drivers did not load at the start: storahci");
    }
}
