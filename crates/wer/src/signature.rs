//! Problem signatures of Windows Error Reporting: what each value means, by the report's event type.
//!
//! A signature is the same list in event 1001 (`P1` to `P10`) and in `Report.wer` (`Sig[0].Value` onwards). The
//! values carry names only in the file, and there in the system's language, so position and event type decide.
//!
//! Adding an event type is adding a row to `LAYOUTS`.

use std::sync::Arc;

use evidence::{BugcheckCode, ExceptionCode, ModuleOffset, Version, WerSignature};
use untrusted::notation::{hex_u32, hex_u64, number_u32, present};

/// The meaning of one position of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    /// File name of the executable.
    App,
    /// Version of the executable.
    AppVersion,
    /// File name of the module that contained the exception address.
    Module,
    /// Version of that module.
    ModuleVersion,
    /// Exception code, hexadecimal without `0x`.
    Code,
    /// Offset in the module, hexadecimal without `0x`.
    Offset,
    /// Exception data of a BEX report, hexadecimal without `0x`.
    Data,
    /// Exception type of a managed exception.
    ManagedException,
    /// The process that a hanging process waited for.
    WaitingFor,
    /// Full name of the package of a packaged app.
    Package,
    /// Four hexadecimal digits by which Windows distinguishes hangs at different places.
    HangSignature,
    /// Bits by which Windows sorts hangs, decimal.
    HangType,
    /// An HRESULT, hexadecimal without `0x`.
    Error,
    /// Bugcheck or live-kernel-event code, hexadecimal without `0x`.
    StopCode,
    /// A parameter of the stop, in order, hexadecimal without `0x`.
    StopParameter,
    /// A value without meaning for the analysis: time stamps, package names, hashes.
    Other,
}

use Slot::{
    App, AppVersion, Code, Data, Error, HangSignature, HangType, ManagedException, Module, ModuleVersion, Offset,
    Other, Package, StopCode, StopParameter, WaitingFor,
};

/// Signature layouts by event type.
///
/// Sources: reports as Windows 7 to 11 write them; for `CLR20r3` the Windows Error Reporting team's description of
/// the values that the .NET runtime adds; for the types of packaged apps (`Mo...`), where one value, the package's
/// full name, comes before the others. The layouts of `MoBEX` and of the two hangs of packaged apps follow from that
/// rule and were not seen.
///
/// `InPageError` is not here: its layout is not known for sure, and its values are shown as they are.
const LAYOUTS: &[(&[&str], &[Slot])] = &[
    (&["APPCRASH"], &[App, AppVersion, Other, Module, ModuleVersion, Other, Code, Offset]),
    // Offset and code are in the opposite order here.
    (&["BEX", "BEX64"], &[App, AppVersion, Other, Module, ModuleVersion, Other, Offset, Code, Data]),
    (&["MoAppCrash"], &[Package, App, AppVersion, Other, Module, ModuleVersion, Other, Code, Offset]),
    (&["MoBEX"], &[Package, App, AppVersion, Other, Module, ModuleVersion, Other, Offset, Code, Data]),
    // The assembly of positions 3 to 5 is not the module of the exception address, and the offset is one in IL.
    (&["CLR20r3"], &[App, AppVersion, Other, Other, Other, Other, Other, Other, ManagedException]),
    (&["AppHangB1"], &[App, AppVersion, Other, HangSignature, HangType]),
    (&["AppHangXProcB1"], &[App, AppVersion, Other, HangSignature, HangType, WaitingFor]),
    (&["MoAppHang"], &[Package, App, AppVersion, Other, HangSignature, HangType]),
    (&["MoAppHangXProc"], &[Package, App, AppVersion, Other, HangSignature, HangType, WaitingFor]),
    (&["LiveKernelEvent", "BlueScreen"], &[StopCode, StopParameter, StopParameter, StopParameter, StopParameter]),
    (&["RADAR_PRE_LEAK_32", "RADAR_PRE_LEAK_64", "RADAR_PRE_LEAK_WOW64"], &[App, AppVersion]),
    (&["WindowsUpdateFailure", "WindowsUpdateFailure2", "WindowsUpdateFailure3"], &[Other, Error]),
];

/// The mark behind the name of a module that had already been unloaded.
const UNLOADED: &str = "_unloaded";

/// Reads the signature `values` of a report of type `event_type`. A type without known layout keeps its values in
/// [`WerSignature::raw`] and nothing else; a value that is not what its position asks for is left out.
#[must_use]
pub fn read_signature(event_type: &str, values: &[Arc<str>]) -> WerSignature {
    let mut signature = WerSignature { raw: values.to_vec(), ..WerSignature::default() };
    let layout = LAYOUTS.iter().find(|(types, _)| types.iter().any(|known| known.eq_ignore_ascii_case(event_type)));
    let Some((_, slots)) = layout else {
        return signature;
    };
    let mut stop_code = None;
    let mut stop_parameters = Vec::new();
    for (slot, value) in slots.iter().zip(values) {
        match slot {
            App => signature.app = app_name(value),
            AppVersion => signature.app_version = Version::from_event_text(value),
            Module => {
                signature.module = module_name(value);
                signature.module_unloaded = value.trim().ends_with(UNLOADED);
            }
            ModuleVersion => signature.module_version = Version::from_event_text(value),
            Code => signature.code = hex_u32(value).filter(|code| *code != 0).map(ExceptionCode),
            Offset => signature.offset = hex_u64(value).map(ModuleOffset),
            Data => signature.data = hex_u64(value),
            ManagedException => {
                signature.managed_exception = present(value).filter(|name| !is_hash(name)).map(Arc::from);
            }
            WaitingFor => signature.waiting_for = present(value).map(Arc::from),
            Package => signature.package = present(value).map(Arc::from),
            HangSignature => signature.hang_signature = hang_signature(value),
            HangType => signature.hang_type = number_u32(value),
            Error => signature.error = hex_u32(value).filter(|code| *code != 0).map(ExceptionCode),
            StopCode => stop_code = hex_u32(value).map(BugcheckCode),
            StopParameter => stop_parameters.extend(hex_u64(value)),
            Other => {}
        }
    }
    // A code without all its parameters would claim that the missing ones are zero.
    signature.bugcheck = stop_code.zip(<[u64; 4]>::try_from(stop_parameters).ok());
    signature
}

/// The event types whose values are known.
pub(crate) fn event_types() -> impl Iterator<Item = &'static str> + Clone {
    LAYOUTS.iter().flat_map(|(types, _)| types.iter().copied())
}

/// The positions of values that are not what they should be, each with what is expected there. A value that is left empty
/// or says that there is none is no mistake.
pub(crate) fn misread<'v>(
    event_type: &str,
    values: &'v [Arc<str>],
) -> impl Iterator<Item = (usize, &'static str)> + use<'v> {
    let layout = LAYOUTS.iter().find(|(types, _)| types.iter().any(|known| known.eq_ignore_ascii_case(event_type)));
    let slots = layout.map(|(_, slots)| *slots).unwrap_or_default();
    let told = slots.iter().zip(values).enumerate().filter(|(_, (_, value))| present(value).is_some());
    told.filter_map(|(position, (slot, value))| slot.expected(value).map(|expected| (position, expected)))
}

impl Slot {
    /// What a value at this position should be, where `value` is something else.
    fn expected(self, value: &str) -> Option<&'static str> {
        let (is_right, expected) = match self {
            Code | Error | StopCode => (hex_u32(value).is_some(), "hexadecimal number of 32 bits"),
            Offset | Data | StopParameter => (hex_u64(value).is_some(), "hexadecimal number of 64 bits"),
            HangType => (number_u32(value).is_some(), "decimal number of 32 bits"),
            HangSignature => (hang_signature(value).is_some(), "four hexadecimal digits"),
            AppVersion | ModuleVersion => (value.trim().parse::<Version>().is_ok(), "version of four numbers"),
            App | Module | ManagedException | WaitingFor | Package | Other => return None,
        };
        (!is_right).then_some(expected)
    }
}

/// The executable's file name; `None` for a packaged app's id (`praid:App`) and for a hash in place of a long name.
fn app_name(value: &str) -> Option<Arc<str>> {
    present(value).filter(|name| !name.starts_with("praid:") && !is_hash(name)).map(Arc::from)
}

/// The module's file name without the mark of an unloaded module. `None` for `StackHash_...`, which Windows Vista
/// and 7 write when the address lies in no module.
fn module_name(value: &str) -> Option<Arc<str>> {
    let name = present(value)?;
    let name = name.strip_suffix(UNLOADED).unwrap_or(name);
    (!name.starts_with("StackHash_")).then(|| Arc::from(name))
}

/// Four hexadecimal digits, in lower case.
fn hang_signature(value: &str) -> Option<Arc<str>> {
    let value = present(value)?;
    let is_one = value.len() == 4 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| Arc::from(value.to_ascii_lowercase()))
}

/// Whether the .NET runtime wrote a hash in place of a name of more than 32 characters: 160 bits in base 32.
fn is_hash(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event_type: &str, values: &[&str]) -> WerSignature {
        let values: Vec<Arc<str>> = values.iter().map(|value| Arc::from(*value)).collect();
        read_signature(event_type, &values)
    }

    #[test]
    fn appcrash_has_the_code_before_the_offset() {
        let signature = read(
            "APPCRASH",
            &["game.exe", "1.2.3.4", "5f000001", "render.dll", "9.8.7.6", "5f000002", "c0000005", "00000000000012ab"],
        );
        assert_eq!(signature.app.as_deref(), Some("game.exe"));
        assert_eq!(signature.app_version, Some(Version([1, 2, 3, 4])));
        assert_eq!(signature.module.as_deref(), Some("render.dll"));
        assert_eq!(signature.module_version, Some(Version([9, 8, 7, 6])));
        assert_eq!(signature.code, Some(ExceptionCode(0xC000_0005)));
        assert_eq!(signature.offset, Some(ModuleOffset(0x12AB)));
        assert_eq!(signature.data, None);
        assert_eq!(signature.raw.len(), 8);
    }

    #[test]
    fn bex_has_the_offset_before_the_code_and_the_data_after_it() {
        for event_type in ["BEX", "BEX64", "bex64"] {
            let signature = read(
                event_type,
                &[
                    "train.exe",
                    "1.0.0.0",
                    "5f000001",
                    "ucrtbase.dll",
                    "10.0.1.2",
                    "5f000002",
                    "0000000000007f61",
                    "c0000409",
                    "0000000000000007",
                ],
            );
            assert_eq!(signature.code, Some(ExceptionCode::FAST_FAIL), "{event_type}");
            assert_eq!(signature.offset, Some(ModuleOffset(0x7F61)));
            assert_eq!(signature.data, Some(7));
        }
    }

    #[test]
    fn packaged_apps_have_everything_one_place_later() {
        let values =
            ["Vendor.App_1.0.0.0_x64__abcdefgh", "praid:App", "0.0.0.0", "5f000001", "combase.dll", "10.0.1.2"];
        let crash = read("MoAppCrash", &[&values[..], &["5f000002", "80004002", "000000000001ccfa"]].concat());
        assert_eq!(crash.module.as_deref(), Some("combase.dll"));
        assert_eq!(crash.code, Some(ExceptionCode(0x8000_4002)));
        assert_eq!(crash.offset, Some(ModuleOffset(0x1_CCFA)));
        assert_eq!(crash.app, None, "an app id is not a file name");
        assert_eq!(crash.app_version, None, "0.0.0.0 is no version");

        let bex =
            read("MoBEX", &[&values[..], &["5f000002", "000000000001ccfa", "c0000409", "0000000000000005"]].concat());
        assert_eq!(bex.code, Some(ExceptionCode::FAST_FAIL));
        assert_eq!(bex.offset, Some(ModuleOffset(0x1_CCFA)));
        assert_eq!(bex.data, Some(5));
    }

    #[test]
    fn a_managed_exception_has_a_type_and_no_fault_module() {
        let signature = read(
            "CLR20r3",
            &["tool.exe", "1.0.0.0", "5f000001", "Tool.Core", "1.0.0.0", "5f000002", "1a", "4", "System.Overflow"],
        );
        assert_eq!(signature.app.as_deref(), Some("tool.exe"));
        assert_eq!(signature.managed_exception.as_deref(), Some("System.Overflow"));
        assert_eq!((signature.module, signature.offset, signature.code), (None, None, None));
    }

    #[test]
    fn a_hash_in_place_of_a_long_name_is_no_name() {
        let hash = "abcdefghijklmnopqrstuvwxyz234567";
        let signature = read("CLR20r3", &[hash, "1.0.0.0", "1", "a", "1.0.0.0", "1", "1", "4", hash]);
        assert_eq!((signature.app, signature.managed_exception), (None, None));
        assert_eq!(&*signature.raw[0], hash);
    }

    #[test]
    fn a_hang_across_processes_names_the_process_that_was_waited_for() {
        let signature = read(
            "AppHangXProcB1",
            &["viewer.exe", "2.0.0.0", "5f000001", "1d07", "128", "svchost.exe:spooler", "1.0.0.0"],
        );
        assert_eq!(signature.app.as_deref(), Some("viewer.exe"));
        assert_eq!(signature.waiting_for.as_deref(), Some("svchost.exe:spooler"));
        let alone = read("AppHangB1", &["viewer.exe", "2.0.0.0", "5f000001", "1d07", "134217728"]);
        assert_eq!((alone.app.as_deref(), alone.waiting_for), (Some("viewer.exe"), None));
        assert_eq!((alone.hang_signature.as_deref(), alone.hang_type), (Some("1d07"), Some(134_217_728)));
        let packaged = read(
            "MoAppHangXProc",
            &["Vendor.App_1.0.0.0_x64__a", "praid:App", "1.0.0.0", "5f000001", "2A3B", "128", "broker.exe", "1.0.0.0"],
        );
        assert_eq!(packaged.package.as_deref(), Some("Vendor.App_1.0.0.0_x64__a"));
        assert_eq!((packaged.hang_signature.as_deref(), packaged.hang_type), (Some("2a3b"), Some(128)));
        assert_eq!(packaged.waiting_for.as_deref(), Some("broker.exe"));
        assert_eq!(read("AppHangB1", &["a.exe", "1.0.0.0", "1", "none", "?"]).hang_signature, None);
    }

    #[test]
    fn a_failed_update_has_an_error_and_no_program() {
        let signature = read(
            "WindowsUpdateFailure3",
            &["10.0.19041.1", "80240017", "D48E4A6A-0000-0000-0000-000000000000", "Install"],
        );
        assert_eq!(signature.error, Some(ExceptionCode(0x8024_0017)));
        assert_eq!((signature.app, signature.code), (None, None));
    }

    #[test]
    fn values_of_a_type_whose_layout_is_not_sure_are_left_as_they_are() {
        let signature =
            read("InPageError", &["a.exe", "1.0.0.0", "5f000001", "b.dll", "1.0.0.0", "1", "c000009c", "0"]);
        assert_eq!((signature.app, signature.module, signature.code), (None, None, None));
        assert_eq!(signature.raw.len(), 8);
    }

    #[test]
    fn stops_are_a_code_with_four_parameters() {
        for event_type in ["LiveKernelEvent", "BlueScreen"] {
            let signature =
                read(event_type, &["141", "ffffb50fe2c9b460", "fffff80012345678", "0", "4abc", "10_0_1", "0_0"]);
            let parameters = [0xFFFF_B50F_E2C9_B460, 0xFFFF_F800_1234_5678, 0, 0x4ABC];
            assert_eq!(signature.bugcheck, Some((BugcheckCode(0x141), parameters)), "{event_type}");
            assert_eq!(signature.app, None);
        }
        assert_eq!(read("BlueScreen", &["9f", "3"]).bugcheck, None, "missing parameters are not zeros");
    }

    #[test]
    fn what_windows_writes_for_none_is_absent() {
        let unknown =
            ["a.exe", "0.0.0.0", "00000000", "unknown", "0.0.0.0", "00000000", "c0000005", "0000000000000000"];
        let signature = read("APPCRASH", &unknown);
        assert_eq!((signature.app_version, signature.module, signature.module_version), (None, None, None));
        assert_eq!(signature.offset, Some(ModuleOffset(0)), "a call through a null pointer has the offset 0");
        let mut hashed = unknown;
        hashed[3] = "StackHash_0a9e";
        assert_eq!(read("APPCRASH", &hashed).module, None);
    }

    #[test]
    fn an_unloaded_module_keeps_its_name_without_the_mark() {
        let signature =
            read("APPCRASH", &["a.exe", "1.0.0.0", "1", "hook.dll_unloaded", "0.0.0.0", "1", "c0000005", "12"]);
        assert_eq!(signature.module.as_deref(), Some("hook.dll"));
        assert!(signature.module_unloaded);
        assert!(!read("APPCRASH", &["a.exe", "1.0.0.0", "1", "hook.dll"]).module_unloaded);
    }

    #[test]
    fn an_unknown_type_shows_its_values_and_nothing_is_guessed() {
        let values = ["a.exe", "1.0.0.0", "b.dll", "c0000005"];
        let signature = read("SomethingNew", &values);
        assert_eq!(signature.raw.iter().map(|value| &**value).collect::<Vec<_>>(), values);
        assert_eq!((signature.app, signature.module, signature.code), (None, None, None));
    }

    #[test]
    fn a_short_list_gives_what_it_holds() {
        let signature = read("APPCRASH", &["a.exe", "1.0.0.0"]);
        assert_eq!(signature.app.as_deref(), Some("a.exe"));
        assert_eq!(signature.code, None);
        assert_eq!(read("APPCRASH", &[]).app, None);
    }

    #[test]
    fn every_event_type_has_one_layout() {
        let mut types: Vec<String> =
            LAYOUTS.iter().flat_map(|(types, _)| types.iter().map(|name| name.to_lowercase())).collect();
        let count = types.len();
        types.sort();
        types.dedup();
        assert_eq!(types.len(), count);
    }
}
