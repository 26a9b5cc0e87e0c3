//! Failures by a memory access: access violations, guard pages and used-up stacks.

use super::text::text;
use super::{Finding, MechanismKind as Kind};
use crate::caller::surely_called_from;
use crate::incident::FaultSite;
use evidence::{
    AccessFit, AccessKind, Address, AddressKind, CodePlace, ExceptionCode, FillPattern, Filled, MemoryOperand, Page,
    ProcessDump,
};

/// Addresses below are never mapped: `lpMinimumApplicationAddress` of Windows.
const NULL_PAGES: u64 = 0x1_0000;
/// What an instruction adds to a pointer for a field is less, bytes. More is the address of a table, and the register counts.
const LARGEST_OFFSET: u64 = 0x10_0000;
/// How near to 0 from below a number is that functions return for an error.
const ERROR_VALUES: u64 = 0x1000;

/// Whether a mechanism is one of a memory access.
pub(super) fn is_of_access(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        NullRead
            | NullWrite
            | NullCall
            | NearNullField
            | WildRead
            | WildWrite
            | WildCall
            | FreedMemory
            | TextAsPointer
            | NonCanonical
            | DataExecution
            | PastMappedEnd
            | GuardPage
            | StackExhausted
            | Misaligned
            | DeliberateCrash
            | HeapDetected
            | Inconsistent
            | BitFlipSuspect
            | HookBroken
    )
}

/// The address that was accessed: the one by the registers, where the processor reported none.
pub(super) fn address(dump: &ProcessDump) -> Option<Address> {
    let computed = dump.detail.wanted.as_ref().and_then(|wanted| wanted.computed);
    computed.or_else(|| reported(dump))
}

/// The address that the exception reports.
fn reported(dump: &ProcessDump) -> Option<Address> {
    let exception = dump.exception.as_ref()?;
    let reports = matches!(
        exception.code,
        ExceptionCode::ACCESS_VIOLATION | ExceptionCode::GUARD_PAGE | ExceptionCode::STACK_OVERFLOW
    );
    let address = reports.then(|| exception.parameters.get(1)).flatten()?;
    Some(Address(if dump.system.cpu.is_64_bit() { *address } else { address & 0xFFFF_FFFF }))
}

/// How an access failed; `None` for other exceptions.
pub(super) fn finding(dump: &ProcessDump, site: Option<&FaultSite>) -> Option<Finding> {
    let exception = dump.exception.as_ref()?;
    match exception.code {
        ExceptionCode::STACK_OVERFLOW => Some(stack_exhausted(0.97)),
        ExceptionCode::GUARD_PAGE if dump.detail.stack.is_some_and(|stack| stack.exhausted == Some(true)) => {
            Some(stack_exhausted(0.8))
        }
        ExceptionCode::GUARD_PAGE => Some(Finding::new(Kind::GuardPage, 0.95, "touched a guard page")),
        ExceptionCode::ACCESS_VIOLATION => {
            let fault = Fault::new(dump, reported(dump)?)?;
            Some(fault.finding(site))
        }
        _ => None,
    }
}

fn stack_exhausted(certainty: f64) -> Finding {
    Finding::new(Kind::StackExhausted, certainty, "used up the stack of its thread")
}

/// An access violation.
struct Fault<'d> {
    dump: &'d ProcessDump,
    address: Address,
    code: Address,
    /// Read or write; `None` for an execution.
    write: bool,
    execution: bool,
    operand: Option<&'d MemoryOperand>,
    target: Option<AddressKind>,
}

impl<'d> Fault<'d> {
    fn new(dump: &'d ProcessDump, address: Address) -> Option<Self> {
        let exception = dump.exception.as_ref()?;
        let kind = *exception.parameters.first()?;
        let operand = dump.detail.access.as_ref().and_then(|access| access.operand.as_ref());
        let target = dump.detail.wanted.as_ref().and_then(|wanted| wanted.kind);
        // Without hardware that keeps data from being executed, a fetch is reported as a read.
        let execution = kind == 8 || kind == 0 && address == exception.address;
        // Of a pointer that is not canonical a read is reported, whatever it was.
        let write = match operand.map(|operand| operand.access) {
            Some(access) if address.0 == u64::MAX => access != AccessKind::Read,
            _ => kind == 1,
        };
        Some(Self { dump, address, code: exception.address, write, execution, operand, target })
    }

    fn finding(&self, site: Option<&FaultSite>) -> Finding {
        if self.target == Some(AddressKind::StackEnd) {
            return stack_exhausted(0.9);
        }
        if self.execution {
            return self.dead_hook().unwrap_or_else(|| self.of_execution());
        }
        let detail = &self.dump.detail;
        if detail.inside_hook {
            let did = "executed the rest of an instruction that a hook of other software overwrote";
            return Finding::new(Kind::HookBroken, 0.75, did);
        }
        if let Some(finding) = self.trampoline() {
            return finding;
        }
        if self.target.is_some_and(|kind| matches!(kind, AddressKind::NotReported | AddressKind::NonCanonical))
            || self.target == Some(AddressKind::Misaligned)
            || self.is_not_canonical()
        {
            return self.without_address();
        }
        if let Some(finding) = self.inconsistent() {
            return finding;
        }
        if let Some(finding) = self.heap(site) {
            return finding;
        }
        match self.operand {
            Some(operand) => self.by_operand(operand),
            None => self.by_address(),
        }
    }

    fn is_not_canonical(&self) -> bool {
        self.dump.system.cpu.is_64_bit()
            && self.address.0 == u64::MAX
            && self.dump.detail.wanted.as_ref().is_some_and(|wanted| wanted.computed.is_some())
    }

    fn verb(&self) -> &'static str {
        if self.write { "wrote" } else { "read" }
    }

    fn instruction(&self) -> String {
        self.dump
            .detail
            .instruction
            .as_ref()
            .map_or_else(String::new, |instruction| format!(" (`{}`)", instruction.text))
    }

    /// `, with rdi = 0x0`.
    fn registers(&self, operand: &MemoryOperand) -> String {
        let registers = [&operand.base, &operand.index];
        let values: Vec<String> = registers
            .into_iter()
            .flatten()
            .map(|register| format!("{} = {:#x}", register.name, register.value))
            .collect();
        let text = self.dump.detail.instruction.as_ref().map(|instruction| format!("`{}`", instruction.text));
        match (text, values.is_empty()) {
            (Some(text), true) => format!(" ({text})"),
            (Some(text), false) => format!(" ({text} with {})", values.join(", ")),
            (None, true) => String::new(),
            (None, false) => format!(" ({})", values.join(", ")),
        }
    }

    fn null(&self) -> Kind {
        if self.write { Kind::NullWrite } else { Kind::NullRead }
    }

    fn wild(&self) -> Kind {
        if self.write { Kind::WildWrite } else { Kind::WildRead }
    }

    fn wide(&self) -> bool {
        self.dump.system.cpu.is_64_bit()
    }

    /// What a value shows by itself: a fill pattern, or characters.
    fn made_of(&self, value: u64, certainty: f64, shown: &str) -> Option<Finding> {
        if value < NULL_PAGES {
            return None;
        }
        let pattern = FillPattern::of_32_bits(value).or_else(|| FillPattern::of_64_bits(value).filter(|_| self.wide()));
        if let Some(pattern) = pattern {
            let fills = match pattern.fills {
                Filled::Freed => "freed memory is filled with",
                Filled::NeverSet => "memory is filled with before it is set",
                Filled::Around => "the surroundings of a block are filled with",
            };
            let did =
                format!("used the value 0x{:08X} as a pointer, which {fills} by {}{shown}", pattern.bits, pattern.by);
            return Some(Finding::new(Kind::FreedMemory, certainty, did));
        }
        let characters = text(value, self.wide())?;
        let did = format!("used the characters \"{characters}\" as a pointer ({value:#x}){shown}");
        let certainty = if characters.len() > 2 { certainty } else { certainty * 0.75 };
        Some(Finding::new(Kind::TextAsPointer, certainty, did))
    }

    fn of_execution(&self) -> Finding {
        let address = self.address;
        if address.0 < NULL_PAGES {
            let did = if address.0 == 0 {
                "called a null pointer".to_owned()
            } else {
                format!("called {address}, almost a null pointer")
            };
            return Finding::new(Kind::NullCall, 0.95, did);
        }
        let unmapped =
            !self.dump.detail.wanted.as_ref().is_some_and(|wanted| wanted.page.is_some_and(Page::is_committed));
        let returned = self.returned();
        let and_used = if returned {
            " and returned to it: a return address on the stack was overwritten"
        } else {
            " and called it"
        };
        if unmapped && let Some(finding) = self.made_of(address.0, 0.85, and_used) {
            return finding;
        }
        let went = if returned { "returned, by an overwritten address on the stack, to" } else { "called" };
        let data = |did: String, certainty| Finding::new(Kind::DataExecution, certainty, did);
        let wild = |did: String, certainty| Finding::new(Kind::WildCall, certainty, did);
        match self.dump.detail.code_place {
            Some(CodePlace::Stack) => data(
                format!(
                    "executed data on the stack at {address}, which Windows forbids (data execution prevention, DEP)"
                ),
                0.95,
            ),
            Some(CodePlace::NotExecutable) => data(
                format!(
                    "executed data at {address}, in memory that is not executable (data execution prevention, DEP)"
                ),
                0.92,
            ),
            Some(CodePlace::Module) => {
                data(format!("executed data of a module at {address}, in memory that is not executable"), 0.7)
            }
            Some(CodePlace::UnloadedModule) => {
                wild(format!("{went} {address}, where a module was before it was unloaded"), 0.9)
            }
            Some(CodePlace::Free) => wild(format!("{went} {address}, where no memory is"), 0.9),
            Some(CodePlace::Generated) => wild(format!("{went} {address}, which could not be executed"), 0.5),
            _ if self.target == Some(AddressKind::Stack) => {
                data(format!("executed data on the stack at {address}"), 0.9)
            }
            _ => wild(format!("{went} {address}, which is in no module"), 0.7),
        }
    }

    /// Whether execution got there by a return, and not by a call: then the caller is on top of the stack.
    fn returned(&self) -> bool {
        let frames = self.dump.thread.as_ref().map_or(&[][..], |thread| &thread.frames);
        surely_called_from(frames).is_none() && self.dump.detail.returned.is_some()
    }

    /// The processor reported no address, which it does of pointers that are not canonical.
    fn without_address(&self) -> Finding {
        let detail = &self.dump.detail;
        let computed = detail.wanted.as_ref().and_then(|wanted| wanted.computed);
        let operand = self.operand;
        let shown = operand.map_or_else(|| self.instruction(), |operand| self.registers(operand));
        if self.target == Some(AddressKind::Misaligned) {
            let did = format!("accessed data that is not aligned as the instruction needs it{shown}");
            return Finding::new(Kind::Misaligned, 0.92, did);
        }
        let values = operand.into_iter().flat_map(|operand| {
            let registers = [&operand.base, &operand.index];
            registers.into_iter().flatten().map(|register| register.value).chain([operand.address.0])
        });
        let mut made = values.filter_map(|value| self.made_of(value, 0.9, &shown));
        if let Some(finding) = made.next() {
            return finding;
        }
        if let (Some(flip), Some(computed)) = (&detail.bit_flip, computed) {
            let did = format!(
                "used {computed} as an address, which is not canonical; with bit {} flipped it would be {}, which is mapped{shown}",
                flip.bit, flip.corrected
            );
            return Finding::new(Kind::BitFlipSuspect, 0.6, did);
        }
        let fit = detail.access.as_ref().and_then(|access| access.fit);
        match (computed, fit) {
            (Some(computed), _) => {
                let access = match operand.map(|operand| operand.access) {
                    Some(AccessKind::Execute) => "jumped to",
                    Some(AccessKind::Write) => "wrote to",
                    Some(AccessKind::ReadWrite) => "changed memory at",
                    _ => "read from",
                };
                let did = format!("{access} {computed}, which is not a canonical address{shown}");
                Finding::new(Kind::NonCanonical, 0.95, did)
            }
            (None, Some(AccessFit::AllCanonical)) => {
                let did = format!(
                    "is said to have used a pointer that is not canonical, but all addresses of the instruction are canonical{shown}: \
                     the processor or the memory erred, or the dump shows another state"
                );
                Finding::new(Kind::Inconsistent, 0.6, did)
            }
            (None, _) if operand.is_some_and(|operand| operand.address.0 == u64::MAX) => {
                let did = format!("{} through the pointer -1, as functions return it for an error{shown}", self.verb());
                Finding::new(self.wild(), 0.8, did)
            }
            (None, _) => {
                let did =
                    "accessed an address that the processor does not report: a pointer that is not canonical, or -1";
                Finding::new(Kind::NonCanonical, 0.6, did)
            }
        }
    }

    /// A call whose function begins with a jump of a hook that leads to where no code is any more.
    fn dead_hook(&self) -> Option<Finding> {
        let function = self.dump.detail.dead_hook.as_ref()?.function;
        let (_, module) = self.dump.module_at(function)?;
        let offset = module.offset_of(function).map_or_else(String::new, |offset| format!("+{offset}"));
        let did = format!(
            "called {}{offset}, whose first bytes a hook had replaced with a jump to {}, where no code is any more",
            module.name(),
            self.address
        );
        Some(Finding::new(Kind::HookBroken, 0.9, did))
    }

    /// Code outside of all modules that a hook made, and that leads back into a function of a module: what it executes there
    /// are the function's first instructions. That these find a null pointer among the arguments is the caller's fault.
    fn trampoline(&self) -> Option<Finding> {
        let target = self.dump.detail.hook_target?;
        let (_, module) = self.dump.module_at(target)?;
        let base = self.operand.and_then(|operand| operand.base.as_ref());
        if base.is_some_and(|base| base.value < NULL_PAGES) && self.address.0 < NULL_PAGES {
            return None;
        }
        let offset = module.offset_of(target).map_or_else(String::new, |offset| format!("+{offset}"));
        let did = format!(
            "failed in what a hook of other software overwrote and executes elsewhere, before it goes on in {}{offset}: the hook may have \
             cut an instruction in two{}",
            module.name(),
            self.instruction()
        );
        Some(Finding::new(Kind::HookBroken, 0.6, did))
    }

    fn inconsistent(&self) -> Option<Finding> {
        let detail = &self.dump.detail;
        // Code that is made or changed at run time need not be what the dump shows.
        let fit = detail.access.as_ref()?.fit.filter(|_| self.dump.module_at(self.code).is_some())?;
        let (claim, certainty) = match fit {
            AccessFit::NoMemory => ("that instruction touches no memory", 0.8),
            AccessFit::OtherAddress => ("by its registers that instruction accesses another address", 0.6),
            AccessFit::OtherKind if self.write => ("that instruction only reads there", 0.55),
            AccessFit::OtherKind => ("that instruction only writes there", 0.5),
            AccessFit::Fits | AccessFit::AllCanonical => return None,
        };
        let verb = if self.write { "have written to" } else { "have read from" };
        let shown = self.operand.map_or_else(|| self.instruction(), |operand| self.registers(operand));
        let did = format!(
            "is said to {verb} {}, but {claim}{shown}: the processor or the memory erred, or the dump shows another state",
            self.address
        );
        Some(Finding::new(Kind::Inconsistent, certainty, did))
    }

    /// Heap routines of Windows that stumble over the heap's own structures.
    fn heap(&self, site: Option<&FaultSite>) -> Option<Finding> {
        const FUNCTIONS: [&str; 5] = ["RtlAllocateHeap", "RtlFreeHeap", "RtlReAllocateHeap", "RtlSizeHeap", "RtlpHeap"];
        const CALLERS: [&str; 6] = ["malloc", "free", "realloc", "calloc", "_free_base", "_malloc_base"];
        if !site?.module.eq_ignore_ascii_case("ntdll.dll") {
            return None;
        }
        let frames = self.dump.thread.as_ref().map_or(&[][..], |thread| thread.frames.as_slice());
        let module = |index: Option<usize>| {
            self.dump.modules.as_ref()?.get(index?).map(|module| module.name().to_ascii_lowercase())
        };
        let in_ntdll = frames.iter().take_while(|frame| module(frame.module).as_deref() == Some("ntdll.dll"));
        let count = in_ntdll.clone().count();
        let of_heap = |name: &str| FUNCTIONS.iter().any(|function| name.starts_with(function));
        let named = in_ntdll.filter_map(|frame| frame.function.as_deref()).any(of_heap);
        let above = frames.get(count)?;
        if let Some(finding) = self.null_heap(frames.first().and_then(|frame| frame.function.as_deref())) {
            return Some(finding);
        }
        let caller = above.function.as_deref().is_some_and(|name| CALLERS.contains(&name));
        let did = format!(
            "found the heap's structures damaged in a heap routine, while a block was allocated or freed{}",
            self.instruction()
        );
        if named || caller {
            return Some(Finding::new(Kind::HeapDetected, 0.85, did));
        }
        // The C runtimes call ntdll directly for little besides the heap; a lock that is not there is at a small address.
        let runtime = module(above.module)
            .is_some_and(|name| ["ucrtbase", "msvcr", "vcruntime"].iter().any(|known| name.starts_with(known)));
        (runtime && self.address.0 >= NULL_PAGES).then(|| Finding::new(Kind::HeapDetected, 0.6, did))
    }

    /// A heap routine that read from the heap's handle, which was null: the caller's mistake, and no damage.
    fn null_heap(&self, function: Option<&str>) -> Option<Finding> {
        const TAKE_A_HEAP: [&str; 4] = ["RtlAllocateHeap", "RtlFreeHeap", "RtlReAllocateHeap", "RtlSizeHeap"];
        let function = function.filter(|name| TAKE_A_HEAP.contains(name))?;
        let operand = self.operand?;
        let null = operand.base.as_ref().is_some_and(|base| base.value == 0) && operand.index.is_none();
        let did =
            format!("was handed a null handle as the heap by the caller of {function}{}", self.registers(operand));
        (null && self.address.0 < NULL_PAGES).then(|| Finding::new(self.null(), 0.85, did))
    }

    fn by_operand(&self, operand: &MemoryOperand) -> Finding {
        let shown = self.registers(operand);
        let near_null = self.address.0 < NULL_PAGES;
        let Some(base) = operand.base.as_ref().or(operand.index.as_ref()) else {
            if near_null {
                let did = format!(
                    "{} at the fixed address {}, which is never mapped: a crash on purpose{shown}",
                    self.verb(),
                    self.address
                );
                return Finding::new(Kind::DeliberateCrash, 0.85, did);
            }
            return self.by_address();
        };
        let added = operand.displacement.unsigned_abs();
        if base.value == 0 && added < LARGEST_OFFSET && (near_null || operand.index.is_none() || operand.base.is_some())
        {
            let place = match operand.displacement {
                0 => String::new(),
                offset if offset < 0 => format!(", {:#x} bytes before it", offset.unsigned_abs()),
                offset => format!(", the field at +{offset:#x}"),
            };
            let certainty = if near_null || operand.index.is_none() { 0.97 } else { 0.7 };
            return Finding::new(
                self.null(),
                certainty,
                format!("{} through a null pointer{place}{shown}", self.verb()),
            );
        }
        if near_null {
            // A field's place, counted back, leads from a pointer that is slightly below 0, too.
            let did = format!("{} at {}: a small number was used as a pointer{shown}", self.verb(), self.address);
            return Finding::new(Kind::NearNullField, 0.85, did);
        }
        if self.is_unmapped()
            && let Some(finding) = self.made_of(base.value, 0.85, &shown)
        {
            return finding;
        }
        let limit = if self.wide() { u64::MAX } else { 0xFFFF_FFFF };
        if limit.saturating_sub(base.value) < ERROR_VALUES {
            let did = format!(
                "{} through the pointer -{:#x}, an error code{shown}",
                self.verb(),
                limit.saturating_sub(base.value).saturating_add(1)
            );
            return Finding::new(self.wild(), 0.85, did);
        }
        self.by_place(&shown)
    }

    /// An access of which only the address is known.
    fn by_address(&self) -> Finding {
        let shown = self.instruction();
        // A register that holds just that small number was the pointer.
        if (1..NULL_PAGES).contains(&self.address.0) && self.dump.detail.registers.contains(&self.address.0) {
            let did = format!(
                "{} at {}, a small number that a register holds as a pointer{shown}",
                self.verb(),
                self.address
            );
            return Finding::new(Kind::NearNullField, 0.5, did);
        }
        if self.address.0 < NULL_PAGES {
            let certainty = if self.address.0 == 0 { 0.8 } else { 0.6 };
            let did = format!("{} at {}, most likely through a null pointer{shown}", self.verb(), self.address);
            return Finding::new(self.null(), certainty, did);
        }
        if self.is_unmapped()
            && let Some(finding) = self.made_of(self.address.0, 0.6, &shown)
        {
            return finding;
        }
        self.by_place(&shown)
    }

    fn is_unmapped(&self) -> bool {
        !matches!(
            self.target,
            Some(AddressKind::Committed | AddressKind::Protected | AddressKind::Module | AddressKind::Stack)
        )
    }

    /// What lies at the address.
    fn by_place(&self, shown: &str) -> Finding {
        let (verb, address) = (self.verb(), self.address);
        let wanted = self.dump.detail.wanted.as_ref();
        if let Some(edge) = wanted.and_then(|wanted| wanted.edge) {
            let place = if edge <= address { "beyond the end of memory" } else { "before the beginning of memory" };
            let did = format!("{verb} {place}: it ran off at {edge} to {address}, which is not accessible{shown}");
            return Finding::new(Kind::PastMappedEnd, 0.75, did);
        }
        if let Some(flip) = &self.dump.detail.bit_flip {
            let did = format!(
                "{verb} at {address}; with bit {} flipped the pointer would be {}, where other registers point to{shown}",
                flip.bit, flip.corrected
            );
            return Finding::new(Kind::BitFlipSuspect, 0.45, did);
        }
        let unmapped = matches!(self.target, None | Some(AddressKind::Free | AddressKind::Reserved));
        if unmapped && let Some(page) = self.operand.and_then(|operand| crossed(operand, self.address)) {
            let did = format!(
                "{verb} across the end of a page at {page}, on whose other side no memory is: it went past the end of its memory{shown}"
            );
            return Finding::new(Kind::PastMappedEnd, 0.55, did);
        }
        let page = wanted.and_then(|wanted| wanted.page).map_or("", Page::word);
        let wild = |certainty, place: &str| {
            Finding::new(self.wild(), certainty, format!("{verb} at {address}, {place}{shown}"))
        };
        match self.target {
            Some(AddressKind::GuardPage) => {
                Finding::new(Kind::GuardPage, 0.85, format!("{verb} at {address}, in a guard page{shown}"))
            }
            Some(AddressKind::Free | AddressKind::Reserved) => wild(0.9, "where no memory is"),
            Some(AddressKind::UnloadedModule) => wild(0.85, "where a module was before it was unloaded"),
            Some(AddressKind::Kernel) => wild(0.85, "which belongs to the system"),
            Some(AddressKind::Module) => wild(0.8, "in a module's memory that does not allow it"),
            Some(AddressKind::Protected) => wild(0.8, &format!("in memory that does not allow it ({page})")),
            Some(AddressKind::Committed) => {
                wild(0.5, &format!("where the dump shows memory that allows it ({page}): it changed in between"))
            }
            Some(AddressKind::FillPattern) => wild(0.5, "near to a fill pattern"),
            _ => wild(0.7, "which is no valid address"),
        }
    }
}

/// The boundary between two pages that an access crossed, or that lies between the pointer and the field: a pointer at
/// random has it there in few cases of a hundred.
fn crossed(operand: &MemoryOperand, address: Address) -> Option<Address> {
    const PAGE: u64 = 0x1000;
    const NEAR: u64 = 0x80;
    let page = |address: u64| address & !PAGE.saturating_sub(1);
    let last = operand.address.0.checked_add(u64::from(operand.size).checked_sub(1)?)?;
    if page(operand.address.0) != page(last) {
        return Some(Address(page(last)));
    }
    let base = operand.base.as_ref().filter(|_| operand.index.is_none())?.value;
    let added = u64::try_from(operand.displacement).ok().filter(|added| *added < NEAR)?;
    (added > 0 && page(base) != page(address.0)).then_some(Address(page(address.0)))
}

/// The code of an access violation, for the judgement of records without a dump.
pub(super) fn is_violation(code: ExceptionCode) -> bool {
    code == ExceptionCode::ACCESS_VIOLATION
}
