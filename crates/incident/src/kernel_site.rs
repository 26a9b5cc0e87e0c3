//! Which driver a kernel dump points to. The kernel reports errors of others, so the driver at the fault and the suspect
//! are two things here too.

use std::sync::Arc;

use super::basis::Basis;
use super::fault_site::Carriers;
use super::incident::{FaultSite, Suspect};
use evidence::{Address, FrameTrust, KernelDump};
use windows_codes::{Knowledge, Stop};

/// How many frames are searched for the first driver that is no carrier. Further out are the filters that every request
/// passes, and values that calls left there earlier.
const SEARCHED_FRAMES: usize = 24;

/// The driver that holds the faulting code, and the driver that the dump points to: the same one; if that only passes on
/// errors of others, the one that the kernel named, or the first other one on the stack.
pub(super) fn site_and_suspect(dump: &KernelDump, carriers: &dyn Carriers) -> (Option<FaultSite>, Option<Suspect>) {
    let found = fault_site(dump, carriers);
    let suspect = match &found {
        Some((site, reason)) if !site.carrier => Some(Suspect::at(site, Basis::Exact, *reason)),
        _ => other_suspect(dump, carriers),
    };
    (found.map(|(site, _)| site), suspect)
}

/// The driver that the kernel named, or the first one on the stack that does not come with Windows.
fn other_suspect(dump: &KernelDump, carriers: &dyn Carriers) -> Option<Suspect> {
    let suspect = |name: &str, basis, reason: &str| {
        let driver = dump.drivers.iter().find(|driver| driver.name.eq_ignore_ascii_case(name));
        let path = driver.and_then(|driver| full_path(&driver.path));
        Some(Suspect { path, ..Suspect::new(name, basis, reason) })
    };
    if let Some(name) = dump.named_driver.as_ref().filter(|name| !carriers.is_carrier(name)) {
        return suspect(name, Basis::Named, "the kernel named it on the blue screen");
    }
    // Who holds a request is as certain as the request, but a driver of Windows waits for others.
    let holder = dump.state.power_request.as_ref().and_then(|request| request.holder.as_ref());
    if let Some(name) = holder.filter(|name| !carriers.is_carrier(name) && !carriers.is_windows_driver(name)) {
        return suspect(
            name,
            Basis::Named,
            "it holds the request to change a device's power that was not done in time",
        );
    }
    if !Knowledge.stop(dump.code).is_some_and(Stop::stack_tells) {
        return None;
    }
    let caller = dump.frames.iter().take(SEARCHED_FRAMES).find_map(|frame| {
        let driver = dump.drivers.get(frame.driver?)?;
        let of_windows = carriers.is_carrier(&driver.name) || carriers.is_windows_driver(&driver.name);
        (frame.trust == FrameTrust::Scanned && !of_windows).then_some(driver)
    })?;
    let reason = "it is the first driver on the stack that does not come with Windows; such an address can be stale, and \
                  filter drivers stand on many stacks without guilt";
    suspect(&caller.name, Basis::Scanned, reason)
}

/// The driver that holds the faulting code, and how that is known. The blue screen's parameters count first: the exception
/// in the header is often only the breakpoint with which the kernel stops itself.
fn fault_site(dump: &KernelDump, carriers: &dyn Carriers) -> Option<(FaultSite, &'static str)> {
    let stop = Knowledge.stop(dump.code);
    let parameters = stop.into_iter().flat_map(|stop| stop.code_addresses(&dump.parameters)).map(Address);
    let mut candidates = parameters
        .map(|address| (address, "a parameter of the stop points into it"))
        .chain(dump.exception_address.map(|address| (address, "the exception was raised in it")))
        .chain(dump.instruction_pointer.map(|address| (address, "the system stopped while its code ran")));
    candidates.find_map(|(address, reason)| {
        if let Some((driver, offset)) = dump.driver_at(address) {
            let path = full_path(&driver.path);
            let site = FaultSite { offset: Some(offset), path, ..FaultSite::new(&driver.name, carriers) };
            return Some((site, reason));
        }
        let (driver, offset) = dump.unloaded_at(address)?;
        let site = FaultSite { offset: Some(offset), unloaded: true, ..FaultSite::new(&driver.name, carriers) };
        Some((site, "its code was to be run or its data to be used after it had been unloaded"))
    })
}

/// A path, if it is more than a file name.
fn full_path(path: &Arc<str>) -> Option<Arc<str>> {
    path.contains('\\').then(|| Arc::clone(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault_site::CarriersByName;
    use evidence::{
        BugcheckCode, CpuArchitecture, KernelDriver, KernelDumpType, KernelFrame, KernelState, PowerRequest,
        UnloadedDriver,
    };

    const KERNEL: u64 = 0xFFFF_F800_1000_0000;
    const FILTER: u64 = 0xFFFF_F800_2000_0000;
    const NETWORK: u64 = 0xFFFF_F800_3000_0000;
    const GONE: u64 = 0xFFFF_F800_4000_0000;
    const LISTED: CarriersByName = CarriersByName { carriers: &["ntoskrnl.exe"], windows_drivers: &["fvevol.sys"] };

    /// A stop of these drivers: the kernel, a file filter and a network driver.
    fn stop(code: u32, parameters: [u64; 4]) -> KernelDump {
        let driver = |name: &str, base| KernelDriver {
            name: name.into(),
            path: format!(r"\SystemRoot\System32\drivers\{name}").into(),
            base: Address(base),
            size: 0x10_0000,
            timestamp: None,
        };
        let frame = |address, driver, trust| KernelFrame { address: Address(address), driver: Some(driver), trust };
        KernelDump {
            dump_type: KernelDumpType::Triage,
            all_memory: false,
            code: BugcheckCode(code),
            parameters,
            build: 22631,
            cpu: CpuArchitecture::X64,
            cpu_count: 8,
            time: None,
            uptime: None,
            exception_address: None,
            instruction_pointer: Some(Address(KERNEL + 0x5000)),
            comment: None,
            drivers: vec![driver("ntoskrnl.exe", KERNEL), driver("filter.sys", FILTER), driver("net.sys", NETWORK)],
            drivers_complete: true,
            unloaded: Some(vec![UnloadedDriver { name: "gone.sys".into(), base: Address(GONE), size: 0x1000 }]),
            named_driver: None,
            frames: vec![
                frame(KERNEL + 0x5000, 0, FrameTrust::Exact),
                frame(KERNEL + 0x6000, 0, FrameTrust::Scanned),
                frame(FILTER + 0x2000, 1, FrameTrust::Scanned),
            ],
            state: KernelState::default(),
        }
    }

    /// The driver at the fault, with whether it was unloaded, and the suspect with its basis.
    type Named = (Option<(String, bool)>, Option<(String, &'static str)>);

    fn named_by(dump: &KernelDump) -> Named {
        let (site, suspect) = site_and_suspect(dump, &LISTED);
        let site = site.map(|site| (site.module.to_string(), site.unloaded));
        (site, suspect.map(|suspect| (suspect.module.to_string(), suspect.basis.word())))
    }

    #[test]
    fn a_parameter_that_points_into_a_driver_names_it() {
        let dump = stop(0xD1, [0, 2, 0, NETWORK + 0x1234]);
        assert_eq!(named_by(&dump), (Some(("net.sys".into(), false)), Some(("net.sys".into(), "exact"))));
    }

    #[test]
    fn behind_the_kernel_the_first_driver_on_the_stack_is_the_suspect() {
        let dump = stop(0xD1, [0, 2, 0, KERNEL + 0x1234]);
        assert_eq!(named_by(&dump), (Some(("ntoskrnl.exe".into(), false)), Some(("filter.sys".into(), "scanned"))));
    }

    #[test]
    fn drivers_of_windows_are_passed_over_on_a_stack_but_not_at_the_fault() {
        let mut dump = stop(0xD1, [0, 2, 0, KERNEL + 0x1234]);
        dump.drivers[1].name = "fvevol.sys".into();
        assert_eq!(named_by(&dump).1, None);
        dump.parameters[3] = FILTER + 0x2000;
        assert_eq!(named_by(&dump).1, Some(("fvevol.sys".into(), "exact")));
    }

    #[test]
    fn the_driver_that_the_kernel_named_outweighs_the_stack() {
        let mut dump = stop(0xD1, [0, 2, 0, KERNEL + 0x1234]);
        dump.named_driver = Some("net.sys".into());
        assert_eq!(named_by(&dump).1, Some(("net.sys".into(), "named")));
        dump.named_driver = Some("ntoskrnl.exe".into());
        assert_eq!(named_by(&dump).1, Some(("filter.sys".into(), "scanned")));
    }

    #[test]
    fn who_holds_a_power_request_is_the_suspect_unless_it_is_of_windows() {
        let mut dump = stop(0x9F, [3, 0, 0, 0]);
        let holder = |name: &str| Some(PowerRequest { holder: Some(name.into()), bus_driver: None });
        dump.state.power_request = holder("net.sys");
        assert_eq!(named_by(&dump).1, Some(("net.sys".into(), "named")));
        dump.state.power_request = holder("fvevol.sys");
        assert_eq!(named_by(&dump).1, None);
    }

    #[test]
    fn the_stack_of_a_watchdog_or_of_a_hardware_error_names_nobody() {
        for code in [0x124, 0x9F, 0x101, 0x1A, 0x7A, 0x116] {
            assert_eq!(named_by(&stop(code, [0, 0, 0, 0])).1, None, "{code:#x}");
        }
    }

    #[test]
    fn code_of_a_driver_that_is_gone_is_told_as_such() {
        let dump = stop(0xD1, [GONE + 0x10, 2, 8, GONE + 0x10]);
        assert_eq!(named_by(&dump), (Some(("gone.sys".into(), true)), Some(("gone.sys".into(), "exact"))));
        let pending = stop(0xCE, [GONE + 0x10, 0, 0, 0]);
        assert_eq!(named_by(&pending).1, Some(("gone.sys".into(), "exact")));
    }

    #[test]
    fn a_driver_that_is_gone_is_not_named_where_another_may_be_meant() {
        let mut dump = stop(0xD1, [GONE + 0x10, 2, 8, GONE + 0x10]);
        dump.instruction_pointer = None;
        dump.frames.clear();
        let mut cut = dump.clone();
        cut.drivers_complete = false;
        assert_eq!(named_by(&cut), (None, None), "a loaded one may have been left out of the list");
        let gone = |name: &str| UnloadedDriver { name: name.into(), base: Address(GONE), size: 0x1000 };
        dump.unloaded = Some(vec![gone("gone.sys"), gone("GONE.sys")]);
        assert_eq!(named_by(&dump).1, Some(("gone.sys".into(), "exact")));
        dump.unloaded = Some(vec![gone("gone.sys"), gone("other.sys")]);
        assert_eq!(named_by(&dump), (None, None));
    }

    #[test]
    fn addresses_outside_of_all_drivers_name_nobody() {
        let mut dump = stop(0xD1, [0, 2, 0, 0x1234]);
        dump.instruction_pointer = None;
        dump.frames.clear();
        assert_eq!(named_by(&dump), (None, None));
    }
}
