//! Where the exception was raised, and which module the evidence points to. The two are told apart: many modules only
//! deliver exceptions for others.

use std::sync::Arc;

use super::gathered::{CrashRecord, Gathered};
use super::{FaultSite, Suspect};
use crate::evidence::{
    Address, ExceptionCode, FrameTrust, LoadedModule, ModuleOffset, OperatingSystem, ProcessDump, base_name,
};

/// How deep the stack is searched for the first module that is no carrier. Scanned frames further out are mostly stale.
const SEARCHED_FRAMES: usize = 16;

/// Tells carriers: modules that deliver exceptions for others.
pub trait Carriers {
    /// Whether the module of this file name is a carrier.
    fn is_carrier(&self, module: &str) -> bool;

    /// Whether the driver of this file name comes with Windows, and is not named only because it stands on a stack.
    fn is_windows_driver(&self, module: &str) -> bool {
        self.is_carrier(module)
    }
}

/// The fault site: of a dump, the module that holds the exception's address, else the one that holds the context's
/// instruction pointer; without a dump, the module that a crash record names. Gives the evidence number too.
#[must_use]
pub fn fault_site(gathered: &Gathered<'_>, carriers: &dyn Carriers) -> Option<(usize, FaultSite)> {
    if let Some((number, dump)) = gathered.dump()
        && let Some(site) = of_dump(dump, carriers)
    {
        return Some((number, site));
    }
    gathered.crash_records().into_iter().find_map(|(number, record)| Some((number, of_record(&record, carriers)?)))
}

fn of_dump(dump: &ProcessDump, carriers: &dyn Carriers) -> Option<FaultSite> {
    dump.exception.as_ref()?;
    let addresses = dump.fault_addresses();
    for address in addresses.iter().copied() {
        if let Some((_, module)) = dump.module_at(address) {
            return Some(site(module, module.offset_of(address), carriers));
        }
    }
    addresses.into_iter().find_map(|address| {
        let module = dump.unloaded.iter().find(|module| module.offset_of(address).is_some())?;
        Some(FaultSite {
            module: Arc::from(module.name()),
            version: None,
            offset: module.offset_of(address),
            path: full_path(&module.path),
            unloaded: true,
            carrier: carriers.is_carrier(module.name()),
        })
    })
}

fn site(module: &LoadedModule, offset: Option<ModuleOffset>, carriers: &dyn Carriers) -> FaultSite {
    FaultSite {
        module: Arc::from(module.name()),
        version: module.version,
        offset,
        path: full_path(&module.path),
        unloaded: false,
        carrier: carriers.is_carrier(module.name()),
    }
}

fn of_record(record: &CrashRecord, carriers: &dyn Carriers) -> Option<FaultSite> {
    let module = record.module.as_ref()?;
    Some(FaultSite {
        module: Arc::from(base_name(module)),
        version: record.module_version,
        offset: record.offset,
        path: record.module_path.clone().filter(|path| path.contains(['\\', '/'])),
        unloaded: record.module_unloaded,
        carrier: carriers.is_carrier(base_name(module)),
    })
}

/// A path, if it is more than a file name.
fn full_path(path: &Arc<str>) -> Option<Arc<str>> {
    path.contains(['\\', '/']).then(|| Arc::clone(path))
}

/// The module that the evidence points to; `None` where nothing supports one.
#[must_use]
pub fn suspect(
    gathered: &Gathered<'_>,
    fault_site: Option<&FaultSite>,
    code: Option<ExceptionCode>,
    carriers: &dyn Carriers,
) -> Option<Suspect> {
    // The heap manager finds damage long after it was done; neither the finder nor its callers need be the writer.
    if code == Some(HEAP_CORRUPTION) {
        return None;
    }
    let dump = gathered.dump().map(|(_, dump)| dump).filter(|dump| dump.exception.is_some());
    if dump.is_some_and(|dump| dump.system.os != OperatingSystem::Windows) {
        return None;
    }
    if let Some(thrower) = dump.and_then(|dump| thrower(dump, carriers)) {
        return Some(thrower);
    }
    let site = fault_site?;
    if !site.carrier {
        let (basis, reason) = match (dump.is_some(), site.unloaded) {
            (true, false) => ("exact", "the exception was raised in it".to_owned()),
            (true, true) => ("exact", "code was run in it after it had been unloaded".to_owned()),
            (false, false) => ("named", "the crash record names it as the module of the exception".to_owned()),
            (false, true) => {
                ("named", "the crash record says that code was run in it after it had been unloaded".to_owned())
            }
        };
        return Some(Suspect {
            module: Arc::clone(&site.module),
            version: site.version,
            path: site.path.clone(),
            basis,
            reason,
        });
    }
    match dump {
        Some(dump) => caller(dump, &site.module, carriers),
        None => of_debugger(gathered, &site.module, carriers),
    }
}

/// The module that a pasted analysis of a debugger points to: the one that it blames, or the first on its stack that
/// is no carrier.
fn of_debugger(gathered: &Gathered<'_>, fault_site: &str, carriers: &dyn Carriers) -> Option<Suspect> {
    let suspect = |module: &Arc<str>, basis, reason: String| {
        Some(Suspect { module: Arc::clone(module), version: None, path: None, basis, reason })
    };
    let blames = |module: &&Arc<str>| !carriers.is_carrier(module);
    let (_, ticket) = gathered.tickets().find(|(_, ticket)| ticket.blamed.is_some() || !ticket.frames.is_empty())?;
    if let Some(module) = ticket.blamed.as_ref().filter(blames) {
        return suspect(module, "named", "the debugger's analysis blames it".to_owned());
    }
    // A name without ending is a debugger's own, and could be that of several files.
    let named = |module: &&Arc<str>| module.contains('.');
    let modules = ticket.frames.iter().take(SEARCHED_FRAMES).map(|frame| &frame.module);
    let module = modules.filter(named).find(blames)?;
    suspect(module, "unwound", format!("it is the first module on the debugger's stack that called into {fault_site}"))
}

/// `STATUS_HEAP_CORRUPTION`.
const HEAP_CORRUPTION: ExceptionCode = ExceptionCode(0xC000_0374);
/// A C++ exception of MSVC.
const CPP_EXCEPTION: ExceptionCode = ExceptionCode(0xE06D_7363);
/// First parameter of a C++ exception of MSVC: the version of its parameters (`EH_MAGIC_NUMBER1`).
const CPP_MAGIC: u64 = 0x1993_0520;

/// The module that threw a C++ exception: on 64-bit systems the fourth parameter is the base of its image.
fn thrower(dump: &ProcessDump, carriers: &dyn Carriers) -> Option<Suspect> {
    let exception = dump.exception.as_ref().filter(|exception| exception.code == CPP_EXCEPTION)?;
    if exception.parameters.first() != Some(&CPP_MAGIC) {
        return None;
    }
    let (_, module) = dump.module_at(Address(*exception.parameters.get(3)?))?;
    (!carriers.is_carrier(module.name())).then(|| Suspect {
        module: Arc::from(module.name()),
        version: module.version,
        path: full_path(&module.path),
        basis: "exact",
        reason: "the C++ exception's type lies in it, so its code threw".to_owned(),
    })
}

/// The first module on the crashing thread's stack that is no carrier.
fn caller(dump: &ProcessDump, fault_site: &str, carriers: &dyn Carriers) -> Option<Suspect> {
    let frames = &dump.thread.as_ref()?.frames;
    let modules = dump.modules.as_ref()?;
    // A frame is no surer than those between it and the exception.
    let mut trust = FrameTrust::Exact;
    let module = frames.iter().take(SEARCHED_FRAMES).find_map(|frame| {
        trust = trust.min(frame.trust);
        let module = modules.get(frame.module?)?;
        (!carriers.is_carrier(module.name())).then_some(module)
    })?;
    let (basis, reason) = match trust {
        FrameTrust::Exact | FrameTrust::Unwound => {
            ("unwound", format!("it is the first module on the stack that called into {fault_site}"))
        }
        FrameTrust::Scanned => (
            "scanned",
            format!(
                "{fault_site} only delivers exceptions, and this is the first other module whose address lies on the \
                 stack; such an address can be stale"
            ),
        ),
    };
    Some(Suspect {
        module: Arc::from(module.name()),
        version: module.version,
        path: full_path(&module.path),
        basis,
        reason,
    })
}
