//! Where the exception was raised, and which module the evidence points to. These are two things: many modules only pass on
//! exceptions of others.

use std::sync::Arc;

use super::basis::Basis;
use super::caller::{SEARCHED_FRAMES, beyond, caller, surely_called_from};
use super::crash_record::CrashRecord;
use super::giver::giver;
use super::incident::{FaultSite, Suspect};
use super::joined_evidence::JoinedEvidence;
use super::other_software::is_of_windows;
use evidence::{
    CodePlace, DeadHook, DumpReason, ExceptionCode, Givers, LoadedModule, OperatingSystem, OriginEnd, ProcessDump,
    base_name,
};

/// What modules are known for, by their file names.
pub trait Carriers: Sync {
    /// Whether it is a carrier: passes on exceptions of others.
    fn is_carrier(&self, module: &str) -> bool;

    /// Whether the driver of this file name comes with Windows, so that its presence on a stack does not make it a suspect.
    fn is_windows_driver(&self, module: &str) -> bool;

    /// Whether it works on behalf of its caller, and is a suspect only where no caller is known.
    fn is_prefix(&self, module: &str) -> bool;

    /// Whether it only starts threads or programs, so that no caller is further out.
    fn is_sentinel(&self, module: &str) -> bool;

    /// Whether other software injects it into programs, where it hooks their calls.
    fn is_injected(&self, module: &str) -> bool;

    /// The product that it belongs to, where that is neither Windows nor a matter of the module's role.
    fn known(&self, _module: &str) -> Option<KnownModule<'_>> {
        None
    }
}

/// What a list states of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownModule<'l> {
    /// The list's name: the kind of product.
    pub list: &'l str,
    /// What the list says of the module: the product, such as `Discord overlay`, and where known behind `: ` the module's
    /// role in it.
    pub what: &'l str,
    /// How such modules come into a process.
    pub part: KnownPart,
}

evidence::words!(
    /// How a known module comes into a process.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    KnownPart {
        /// Other software puts it there, or the program loads it because other software registered it.
        Foreign => "foreign",
        /// The program loads it: a library, a part of the display driver.
        Library => "library",
        /// The program is built with it: an engine, the runtime of a language, a toolkit.
        Component => "component",
    }
);

impl FaultSite {
    /// A fault site of which only the module is known.
    pub(super) fn new(module: &str, carriers: &dyn Carriers) -> Self {
        Self { module: Arc::from(module), carrier: carriers.is_carrier(module), ..Self::default() }
    }
}

impl Suspect {
    /// A suspect of which only the module is known.
    pub(super) fn new(module: &str, basis: Basis, reason: impl Into<String>) -> Self {
        let (what, kind) = (None, None);
        Self { module: Arc::from(module), version: None, path: None, what, kind, basis, reason: reason.into() }
    }

    /// A module of a process as suspect.
    pub(super) fn from_module(module: &LoadedModule, basis: Basis, reason: impl Into<String>) -> Self {
        let path = full_path(&module.path);
        Self { version: module.version, path, ..Self::new(module.name(), basis, reason) }
    }

    /// The same with the product that the module belongs to.
    pub(super) fn of_product(self, carriers: &dyn Carriers) -> Self {
        let Some(known) = carriers.known(&self.module) else { return self };
        Self { what: Some(known.what.into()), kind: Some(known.list.into()), ..self }
    }

    /// The module at a fault site as suspect.
    pub(super) fn at(site: &FaultSite, basis: Basis, reason: impl Into<String>) -> Self {
        Self { version: site.version, path: site.path.clone(), ..Self::new(&site.module, basis, reason) }
    }
}

/// The fault site: of a dump, the module that holds the exception's address, else the one that holds the context's
/// instruction pointer; without a dump, the module that a crash record names.
pub(super) fn fault_site(evidence: &JoinedEvidence<'_>, carriers: &dyn Carriers) -> Option<FaultSite> {
    let of_dump = evidence.dump().and_then(|(_, dump)| dump_site(dump, carriers));
    of_dump.or_else(|| evidence.crash_records().iter().find_map(|(_, record)| record_site(record, carriers)))
}

fn dump_site(dump: &ProcessDump, carriers: &dyn Carriers) -> Option<FaultSite> {
    let exception = dump.exception.as_ref()?;
    let found = dump.fault_addresses().into_iter().find_map(|address| Some((address, dump.module_at(address)?.1)));
    if let Some((address, module)) = found {
        let frame = dump.thread.as_ref().and_then(|thread| thread.frames.first());
        return Some(FaultSite {
            version: module.version,
            offset: module.offset_of(address),
            path: full_path(&module.path),
            function: frame.filter(|frame| frame.address == address).and_then(|frame| frame.function.clone()),
            ..FaultSite::new(module.name(), carriers)
        });
    }
    // The range where a module was proves nothing where something else may be by now.
    if dump.detail.code_place != Some(CodePlace::UnloadedModule) {
        return None;
    }
    let module = dump.unloaded_at(exception.address)?;
    Some(FaultSite {
        offset: module.offset_of(exception.address),
        path: full_path(&module.path),
        unloaded: true,
        ..FaultSite::new(module.name(), carriers)
    })
}

fn record_site(record: &CrashRecord<'_>, carriers: &dyn Carriers) -> Option<FaultSite> {
    Some(FaultSite {
        version: record.module_version,
        offset: record.offset,
        path: record.module_path.and_then(full_path),
        unloaded: record.module_unloaded,
        ..FaultSite::new(base_name(record.module?), carriers)
    })
}

/// A path, if it is more than a file name.
fn full_path(path: &str) -> Option<Arc<str>> {
    path.contains(['\\', '/']).then(|| Arc::from(path))
}

/// How many bits of a pointer the processor uses for addresses ("canonical addressing" in Intel's manual, volume 1).
const BITS_OF_ADDRESSES: u32 = 48;

/// The module that the evidence points to; `None` where nothing supports one.
pub(super) fn suspect(
    evidence: &JoinedEvidence<'_>,
    fault_site: Option<&FaultSite>,
    code: Option<ExceptionCode>,
    carriers: &dyn Carriers,
) -> Option<Suspect> {
    // Of a page that could not be read, the module that needed it is the victim. The heap manager of Windows finds damage
    // long after it was done; neither the finder nor its callers need be the writer.
    let by_program = || fault_site.is_some_and(|site| site.carrier && !site.module.eq_ignore_ascii_case("ntdll.dll"));
    let of_dump = evidence.dump().is_some_and(|(_, dump)| dump.exception.is_some());
    let damaged = code == Some(ExceptionCode::HEAP_CORRUPTION) && !(of_dump && by_program());
    if damaged || code == Some(ExceptionCode::IN_PAGE_ERROR) {
        return None;
    }
    let of_assertion = |dump: &&ProcessDump| dump.reason() == Some(DumpReason::Assertion);
    if let Some(dump) = evidence.dump().map(|(_, dump)| dump).filter(of_assertion) {
        let innermost = dump.thread.as_ref()?.frames.first()?.module?;
        return caller(dump, dump.modules.as_ref()?.get(innermost)?.name(), carriers);
    }
    let dump = evidence.dump().map(|(_, dump)| dump).filter(|dump| dump.exception.is_some());
    if dump.is_some_and(|dump| dump.system.os != OperatingSystem::Windows) {
        return None;
    }
    // What a flipped bit of memory explains, no module did. Bits that no address uses programs fill with marks of their own, and
    // then code on the stack shows that it made the pointer.
    if let Some((dump, flip)) = dump.and_then(|dump| Some((dump, dump.detail.bit_flip.as_ref()?))) {
        let made = |givers: &Givers| matches!(givers.end, OriginEnd::Constant | OriginEnd::Computed);
        let marked = flip.bit >= BITS_OF_ADDRESSES && dump.detail.givers.iter().any(made);
        return marked.then(|| giver(dump, 0, carriers)).flatten();
    }
    if let Some(thrower) = dump.and_then(|dump| thrower(dump, carriers)) {
        return Some(thrower);
    }
    // Code that no module has was called, or made at run time.
    let Some(site) = fault_site else { return dump.and_then(|dump| caller_of_nowhere(dump, carriers)) };
    // A module at the address where execution arrived did not bring it there; an unloaded module is what was meant.
    if !site.unloaded && dump.is_some_and(ProcessDump::could_not_execute) {
        return dump.and_then(|dump| caller_of_nowhere(dump, carriers));
    }
    if let Some(dump) = dump.filter(|dump| !site.unloaded && !is_stack_overrun(dump))
        && let Some(giver) = giver(dump, 0, carriers)
    {
        return Some(giver);
    }
    if !site.carrier {
        let (basis, reason) = match (dump.is_some(), site.unloaded) {
            (true, false) => (Basis::Exact, "the exception was raised in it"),
            (true, true) => (Basis::Exact, "code was run in it after it had been unloaded"),
            (false, false) => (Basis::Named, "the evidence names it as the faulting module"),
            (false, true) => (Basis::Named, "the crash record says that code was run in it after it had been unloaded"),
        };
        return Some(Suspect::at(site, basis, reason));
    }
    match dump {
        // The return addresses are what the overrun overwrote.
        Some(dump) if is_stack_overrun(dump) => None,
        Some(dump) => caller(dump, &site.module, carriers),
        None => debugger_suspect(evidence, &site.module, carriers),
    }
}

/// The module that called where no code is: its return address is where the call left it. Where code called that was made at
/// run time, the module that ran it. `None` where that is not known.
fn caller_of_nowhere(dump: &ProcessDump, carriers: &dyn Carriers) -> Option<Suspect> {
    if dump.detail.code_place == Some(CodePlace::Generated) {
        return giver(dump, 0, carriers);
    }
    if let Some(hook) = &dump.detail.dead_hook {
        return hooked_by(dump, hook, carriers);
    }
    let frames = &dump.thread.as_ref()?.frames;
    let Some(called) = surely_called_from(frames) else {
        let (_, module) = dump.module_at(dump.detail.returned?.last_call?)?;
        let passes = carriers.is_carrier(module.name()) || carriers.is_prefix(module.name());
        let reason = "the newest return address below the overwritten one lies in it";
        return (!passes).then(|| Suspect::from_module(module, Basis::Likely, reason));
    };
    let Some((_, module)) = dump.module_at(called.address) else {
        let ran = beyond(dump, 1, "", carriers).filter(|ran| ran.basis > Basis::Likely)?;
        let reason =
            format!("it ran code that was made at run time, which called an address where no code is{}", ran.doubt());
        return Some(Suspect::from_module(ran.module, ran.basis, reason));
    };
    if let Some(giver) = giver(dump, 1, carriers) {
        return Some(giver);
    }
    if carriers.is_carrier(module.name()) || carriers.is_prefix(module.name()) {
        return caller(dump, module.name(), carriers);
    }
    let reason = "it called an address where no code is";
    Some(Suspect::from_module(module, Basis::of(called), reason))
}

/// The module that overwrote the beginning of a function with a jump that leads nowhere any more: the only one, of neither
/// Windows nor what all programs share, that still holds the address.
fn hooked_by(dump: &ProcessDump, hook: &DeadHook, carriers: &dyn Carriers) -> Option<Suspect> {
    let modules = hook.holders.iter().filter_map(|holder| dump.module_at(*holder)).map(|(_, module)| module);
    let mut others = modules.filter(|module| !is_of_windows(module) && !carriers.is_carrier(module.name()));
    let (holder, None) = (others.next()?, others.next()) else { return None };
    let (_, hooked) = dump.module_at(hook.function)?;
    let reason = format!(
        "its data hold the address to which the jump at the beginning of a function of {} leads",
        hooked.name()
    );
    Some(Suspect::from_module(holder, Basis::Unwound, reason))
}

/// The module that a pasted analysis of a debugger points to: the one that it blames, or the first on its stack that
/// is no carrier.
fn debugger_suspect(evidence: &JoinedEvidence<'_>, fault_site: &str, carriers: &dyn Carriers) -> Option<Suspect> {
    // A debugger's own names have no ending; the file's ending is then one of these.
    let is_carrier = |module: &str| {
        let completed = || [".dll", ".exe", ".sys"].iter().any(|end| carriers.is_carrier(&[module, end].concat()));
        carriers.is_carrier(module) || (!module.contains('.') && completed())
    };
    let (_, ticket) = evidence.tickets().find(|(_, ticket)| ticket.blamed.is_some() || !ticket.frames.is_empty())?;
    if let Some(module) = ticket.blamed.as_ref().filter(|module| !is_carrier(module)) {
        return Some(Suspect::new(module, Basis::Named, "the debugger's analysis blames it"));
    }
    let mut modules = ticket.frames.iter().take(SEARCHED_FRAMES).map(|frame| &frame.module);
    let module = modules.find(|module| !is_carrier(module))?;
    let reason = format!("it is the first module on the stack that the debugger printed that called into {fault_site}");
    Some(Suspect::new(module, Basis::Named, reason))
}

/// Whether the stack guard ended the process: its older form and its present one (`winnt.h`:
/// `FAST_FAIL_LEGACY_GS_VIOLATION`, `FAST_FAIL_STACK_COOKIE_CHECK_FAILURE`).
fn is_stack_overrun(dump: &ProcessDump) -> bool {
    dump.exception.as_ref().is_some_and(|exception| {
        exception.code == ExceptionCode::FAST_FAIL && matches!(exception.parameters.first(), Some(0 | 2))
    })
}

/// A C++ exception of MSVC.
const CPP_EXCEPTION: ExceptionCode = ExceptionCode(0xE06D_7363);

/// The module that threw a C++ exception: the one that holds its throw information.
fn thrower(dump: &ProcessDump, carriers: &dyn Carriers) -> Option<Suspect> {
    dump.exception.as_ref().filter(|exception| exception.code == CPP_EXCEPTION)?;
    let (_, module) = dump.module_at(dump.detail.cpp.as_ref()?.image?)?;
    let reason = "the C++ exception's type lies in it, so its code threw";
    (!carriers.is_carrier(module.name())).then(|| Suspect::from_module(module, Basis::Exact, reason))
}

/// A few names in the place of a rule set's lists.
#[cfg(test)]
pub(super) struct CarriersByName {
    pub(super) carriers: &'static [&'static str],
    pub(super) windows_drivers: &'static [&'static str],
}

#[cfg(test)]
impl Carriers for CarriersByName {
    fn is_carrier(&self, module: &str) -> bool {
        self.carriers.iter().any(|name| name.eq_ignore_ascii_case(module))
    }

    fn is_windows_driver(&self, module: &str) -> bool {
        self.windows_drivers.iter().any(|name| name.eq_ignore_ascii_case(module))
    }

    fn is_prefix(&self, _: &str) -> bool {
        false
    }

    fn is_sentinel(&self, _: &str) -> bool {
        false
    }

    fn is_injected(&self, _: &str) -> bool {
        false
    }
}

/// A 32-bit process with an exception, of which nothing else is known.
#[cfg(test)]
pub(super) fn dump_for_tests(exception: evidence::Exception) -> ProcessDump {
    let cpu = evidence::CpuArchitecture::X86;
    ProcessDump {
        time: None,
        system: evidence::System { os: OperatingSystem::Windows, cpu, ..evidence::System::default() },
        pid: None,
        started: None,
        exception: Some(exception),
        requested: None,
        thread: None,
        thread_count: 1,
        modules: None,
        modules_complete: true,
        unloaded: Vec::new(),
        delay_load: None,
        detail: evidence::CrashDetail::default(),
        state: evidence::ProcessState::default(),
        all_memory: false,
        comment: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{Address, CppException, CrashThread, Exception, Frame, FrameTrust, Returned, Version};

    const LIBRARY: u64 = 0x6A00_0000;
    const RUNTIME: u64 = 0x7500_0000;
    const CARRIERS: CarriersByName = CarriersByName { carriers: &["msvcp140.dll"], windows_drivers: &[] };

    fn module(name: &str, base: Address, version: Option<Version>) -> LoadedModule {
        LoadedModule {
            name: name.into(),
            path: name.into(),
            version,
            base,
            size: 0x1_0000,
            timestamp: 0,
            debug_id: None,
            debug_file: None,
        }
    }

    /// A 32-bit process that threw: three parameters, and the throw information in the module at `image`.
    fn thrown_from(image: Option<u64>) -> ProcessDump {
        let exception = Exception {
            code: CPP_EXCEPTION,
            flags: 1,
            address: Address(0x7600_1000),
            parameters: vec![0x1993_0520, 0x0019_F000, LIBRARY + 0x2000],
            foreign_reason: None,
        };
        let mut dump = dump_for_tests(exception);
        dump.modules =
            Some(vec![module("library.dll", Address(LIBRARY), None), module("MSVCP140.dll", Address(RUNTIME), None)]);
        dump.detail.cpp = image.map(|image| CppException { image: Some(Address(image)), ..CppException::default() });
        dump
    }

    #[test]
    fn a_32_bit_cpp_exception_is_of_the_module_with_its_throw_information() {
        let thrower = |image| thrower(&thrown_from(image), &CARRIERS).map(|suspect| suspect.module.to_string());
        assert_eq!(thrower(Some(LIBRARY)).as_deref(), Some("library.dll"));
        assert_eq!(thrower(Some(RUNTIME)), None, "the runtime throws for others");
        assert_eq!(thrower(None), None);
    }

    /// A process with these modules, 1 MiB apart, that arrived where no code is.
    fn arrived_nowhere(modules: &[(&str, Option<Version>)]) -> ProcessDump {
        let exception = Exception {
            code: ExceptionCode::ACCESS_VIOLATION,
            flags: 0,
            address: Address(0x7000_0000),
            parameters: vec![8, 0x7000_0000],
            foreign_reason: None,
        };
        let mut dump = dump_for_tests(exception);
        let modules = (0..).zip(modules).map(|(index, (name, version))| module(name, of(index), *version));
        dump.modules = Some(modules.collect());
        dump.thread =
            Some(CrashThread { id: 1, name: None, instruction_pointer: None, frames: Vec::new(), missing: Vec::new() });
        dump
    }

    /// The beginning of a module of [`arrived_nowhere`].
    fn of(index: u64) -> Address {
        Address(index.wrapping_add(1) << 20)
    }

    fn named(dump: &ProcessDump) -> Option<String> {
        caller_of_nowhere(dump, &CARRIERS).map(|suspect| suspect.module.to_string())
    }

    #[test]
    fn who_alone_knows_where_a_dead_hook_led_had_set_it() {
        let windows = Some(Version([10, 0, 19041, 3636]));
        let modules = [("game.exe", None), ("overlay.dll", None), ("ntdll.dll", windows), ("msvcp140.dll", None)];
        let held_by = |holders: &[u64]| {
            let mut dump = arrived_nowhere(&modules);
            let holders = holders.iter().copied().map(of).collect();
            dump.detail.dead_hook = Some(DeadHook { function: of(0), holders });
            named(&dump)
        };
        assert_eq!(held_by(&[1]).as_deref(), Some("overlay.dll"));
        assert_eq!(held_by(&[1, 2, 3]).as_deref(), Some("overlay.dll"), "Windows and the runtime know much");
        assert_eq!(held_by(&[0, 1]), None, "one of two");
        assert_eq!((held_by(&[]), held_by(&[2])), (None, None));
    }

    #[test]
    fn what_is_left_below_an_overwritten_return_address_shows_who_returned() {
        let returned = |last_call: Option<u64>| {
            let mut dump = arrived_nowhere(&[("game.exe", None), ("msvcp140.dll", None)]);
            dump.detail.returned = Some(Returned { last_call: last_call.map(of) });
            named(&dump)
        };
        assert_eq!(returned(Some(0)).as_deref(), Some("game.exe"));
        assert_eq!((returned(Some(1)), returned(None)), (None, None), "a carrier works for others");
    }

    #[test]
    fn code_that_was_made_at_run_time_is_of_the_module_that_ran_it() {
        let frame = |address: Address, module, trust| Frame {
            address,
            module,
            trust,
            probability: None,
            call: None,
            function: None,
            source: None,
            inlined: Vec::new(),
        };
        let ran = |trust| {
            let mut dump = arrived_nowhere(&[("engine.dll", None), ("game.exe", None)]);
            let frames = vec![
                frame(Address(0), None, FrameTrust::Exact),
                frame(Address(0x6000_0000), None, FrameTrust::Unwound),
                frame(of(0), Some(0), trust),
                frame(of(1), Some(1), trust),
            ];
            dump.thread.iter_mut().for_each(|thread| thread.frames.clone_from(&frames));
            named(&dump)
        };
        assert_eq!(ran(FrameTrust::FramePointer).as_deref(), Some("engine.dll"));
        assert_eq!(ran(FrameTrust::Scanned), None);
    }
}
