//! What an address is that could not be accessed, and what lies where an exception was raised.

use std::ops::Range;
use std::sync::Arc;

use super::instruction::Used;
use super::memory::MemoryMap;
use super::regions::Regions;
use evidence::{Address, AddressKind, CodePlace, ExceptionCode, FillPattern, Names, Page, ProcessDump, Wanted};
use untrusted::bytes::Source;

/// Addresses below are never handed out by Windows.
pub const NULL_PAGES: u64 = 0x1_0000;
/// What the processor's report of a pointer that is not canonical becomes in the exception record.
const NOT_REPORTED: u64 = u64::MAX;
const NOT_REPORTED_OF_32_BITS: u64 = 0xFFFF_FFFF;
/// Where canonical addresses end that belong to programs, and where those of the system begin.
const USER_END: u64 = 0x0000_8000_0000_0000;
const SYSTEM_START: u64 = 0xFFFF_8000_0000_0000;

/// Size of a page, bytes.
const PAGE: u64 = 0x1000;
/// An address so near to accessible memory is one that a copy or a loop came to beyond its end, bytes: the longest vector.
const NEAR_EDGE: u64 = 64;

/// `STATUS_STACK_OVERFLOW`.
pub const STACK_OVERFLOW: ExceptionCode = ExceptionCode(0xC000_00FD);

/// What is known around the addresses of an exception.
#[derive(Debug, Clone)]
pub struct Surroundings<'a> {
    /// The process.
    pub process: &'a ProcessDump,
    /// Its memory regions.
    pub regions: Option<Regions>,
    /// The captured memory: what could be captured was committed.
    pub memory: &'a MemoryMap,
    /// The crashing thread's stack, as far as it is known.
    pub on_stack: Range<u64>,
    /// Whether that stack was used up.
    pub exhausted: bool,
}

/// The address that an access violation or in-page error wanted: `EXCEPTION_RECORD`'s second parameter. Also that of
/// a stack overflow, which has the same parameters.
pub fn wanted_address(process: &ProcessDump) -> Option<Address> {
    const GUARD_PAGE: ExceptionCode = ExceptionCode(0x8000_0001);
    let exception = process.exception.as_ref()?;
    let has_address = matches!(
        exception.code,
        ExceptionCode::ACCESS_VIOLATION | ExceptionCode::IN_PAGE_ERROR | STACK_OVERFLOW | GUARD_PAGE
    );
    let address = has_address.then(|| exception.parameters.get(1)).flatten()?;
    let wide = process.system.cpu.is_64_bit();
    Some(Address(if wide { *address } else { address & 0xFFFF_FFFF }))
}

/// Whether the processor reported no address: the exception record has -1 then. In a process of 32 bits -1 is an address like
/// others, unless the instruction has an operand that is not aligned as it needs it.
pub fn is_unreported(process: &ProcessDump, address: Address, used: &[Used]) -> bool {
    if process.system.cpu.is_64_bit() {
        return address.0 == NOT_REPORTED;
    }
    let other = |used: &Used| used.misaligned && !used.holds(address);
    address.0 == NOT_REPORTED_OF_32_BITS && used.iter().any(other)
}

impl Surroundings<'_> {
    /// What an access violation's address is. `used` are the addresses that the instruction at the fault uses.
    pub fn wanted(&self, source: &mut Source<'_>, used: &[Used], names: &Names) -> Option<Wanted> {
        let exception = self.process.exception.as_ref()?;
        if !matches!(exception.code, ExceptionCode::ACCESS_VIOLATION | ExceptionCode::IN_PAGE_ERROR) {
            return None;
        }
        let address = wanted_address(self.process)?;
        if is_unreported(self.process, address, used) {
            return Some(not_reported(used));
        }
        let page = self.page(source, address);
        let committed = self.is_committed(address, page);
        let module = self.module_name(address, committed, names);
        let pattern =
            (committed != Some(true) && module.is_none()).then(|| FillPattern::of_32_bits(address.0)).flatten();
        let pattern = pattern.map(|pattern| pattern.bits);
        let kind = self.kind(address, page, pattern);
        let edge = self.edge(source, address, used);
        Some(Wanted { kind, computed: None, pattern, module, page, edge })
    }

    fn kind(&self, address: Address, page: Option<Page>, pattern: Option<u32>) -> Option<AddressKind> {
        if address.0 < NULL_PAGES {
            return Some(AddressKind::NullPage);
        }
        if self.on_stack.contains(&address.0) {
            let end = self.exhausted || page == Some(Page::Guard);
            return Some(if end { AddressKind::StackEnd } else { AddressKind::Stack });
        }
        if self.process.module_at(address).is_some() {
            return Some(AddressKind::Module);
        }
        let committed = self.is_committed(address, page);
        if self.was_unloaded(address, committed) {
            return Some(AddressKind::UnloadedModule);
        }
        // Without a map of the memory, such an address may be one like any other.
        if pattern.is_some() && committed == Some(false) {
            return Some(AddressKind::FillPattern);
        }
        if self.process.system.cpu.is_64_bit() && address.0 >= SYSTEM_START {
            return Some(AddressKind::Kernel);
        }
        Some(match page? {
            Page::Free => AddressKind::Free,
            Page::Reserved => AddressKind::Reserved,
            Page::Guard => AddressKind::GuardPage,
            page if self.allows(page)? => AddressKind::Committed,
            _ => AddressKind::Protected,
        })
    }

    /// Whether a page's protection allows what was wanted.
    fn allows(&self, page: Page) -> Option<bool> {
        match self.process.exception.as_ref()?.parameters.first()? {
            0 => Some(page.is_readable()),
            1 => Some(page.is_writable()),
            8 => Some(page.is_executable()),
            _ => None,
        }
    }

    /// Where accessible memory ends or begins that an access left: right before or behind the address, within the same
    /// access or by counting on from a pointer into that memory.
    fn edge(&self, source: &mut Source<'_>, address: Address, used: &[Used]) -> Option<Address> {
        let regions = self.regions?;
        let region = regions.at(source, address)?;
        if self.allows(region.page) != Some(false) {
            return None;
        }
        let reached = used.iter().find(|used| used.holds(address));
        let near = reached.map_or(0, |used| u64::from(used.size)).max(NEAR_EDGE);
        let from_inside = |start: u64, end: u64| {
            let base = reached.and_then(|used| used.base_value);
            base.is_some_and(|base| (start..end).contains(&base))
        };
        let below = regions.below(source, &region).filter(|below| self.allows(below.page) == Some(true));
        if let Some(below) = below {
            let beyond = address.0.checked_sub(region.base)?;
            if beyond < near || beyond < PAGE && from_inside(below.end().saturating_sub(PAGE), below.end()) {
                return Some(Address(region.base));
            }
        }
        let above = regions.above(source, &region).filter(|above| self.allows(above.page) == Some(true))?;
        let before = above.base.checked_sub(address.0)?;
        (before <= near || before < PAGE && from_inside(above.base, above.base.saturating_add(PAGE)))
            .then_some(Address(above.base))
    }

    /// What lies where the exception was raised.
    pub fn code_place(&self, source: &mut Source<'_>) -> Option<CodePlace> {
        let exception = self.process.exception.as_ref()?;
        let address = exception.address;
        let pointer = self.process.thread.as_ref().and_then(|thread| thread.instruction_pointer);
        // Some crash handlers leave the address out.
        if address.0 < NULL_PAGES {
            return (pointer == Some(address)).then_some(CodePlace::NullPage);
        }
        if self.process.module_at(address).is_some() {
            return Some(CodePlace::Module);
        }
        // With gaps in the list there may have been a module.
        if self.process.modules.is_none() || !self.process.modules_complete {
            return None;
        }
        let page = self.page(source, address);
        let committed = self.is_committed(address, page).or_else(|| self.was_fetched(address));
        if self.was_unloaded(address, committed) {
            return Some(CodePlace::UnloadedModule);
        }
        if self.on_stack.contains(&address.0) {
            return Some(CodePlace::Stack);
        }
        Some(match page {
            None => CodePlace::NoModule,
            Some(Page::Free | Page::Reserved) => CodePlace::Free,
            Some(page) if page.is_executable() => CodePlace::Generated,
            Some(_) => CodePlace::NotExecutable,
        })
    }

    fn page(&self, source: &mut Source<'_>, address: Address) -> Option<Page> {
        self.regions.and_then(|regions| regions.at(source, address)).map(|region| region.page)
    }

    /// Whether there was memory at an address; `None` when the dump does not show it.
    fn is_committed(&self, address: Address, page: Option<Page>) -> Option<bool> {
        page.map(Page::is_committed).or_else(|| self.memory.region_at(address).map(|_| true))
    }

    /// Whether the instruction at `address`, where the exception was raised, could be fetched: whatever the exception
    /// complains of is not that place itself. `None` when it is.
    fn was_fetched(&self, address: Address) -> Option<bool> {
        (wanted_address(self.process) != Some(address)).then_some(true)
    }

    /// Whether a module was at an address before it was unloaded. Where there is memory now, something else has taken its
    /// place, and it has nothing to do with the address.
    fn was_unloaded(&self, address: Address, committed: Option<bool>) -> bool {
        let there = || self.process.unloaded.iter().any(|module| module.offset_of(address).is_some());
        committed != Some(true) && there()
    }

    /// The module, loaded or else unloaded, that contains an address.
    fn module_name(&self, address: Address, committed: Option<bool>, names: &Names) -> Option<Arc<str>> {
        let loaded = self.process.module_at(address).map(|(_, module)| Arc::clone(&module.name));
        loaded.or_else(|| {
            let unloaded = self.process.unloaded_at(address).filter(|_| committed != Some(true));
            unloaded.map(|module| names.share(module.name()))
        })
    }
}

/// The address by the instruction's registers, where the processor reported none; only if one explains the exception.
fn not_reported(used: &[Used]) -> Wanted {
    let mut odd: Vec<Address> =
        used.iter().map(|used| used.address).filter(|address| !is_canonical(*address)).collect();
    odd.dedup();
    if let [address] = odd.as_slice() {
        let pattern = FillPattern::of_64_bits(address.0).map(|pattern| pattern.bits);
        let kind = if pattern.is_some() { AddressKind::FillPattern } else { AddressKind::NonCanonical };
        return Wanted { kind: Some(kind), computed: Some(*address), pattern, ..Wanted::default() };
    }
    let misaligned: Vec<Address> = used.iter().filter(|used| used.misaligned).map(|used| used.address).collect();
    if let ([], [address]) = (odd.as_slice(), misaligned.as_slice()) {
        return Wanted { kind: Some(AddressKind::Misaligned), computed: Some(*address), ..Wanted::default() };
    }
    Wanted { kind: Some(AddressKind::NotReported), ..Wanted::default() }
}

/// Whether a processor of 64-bit x86 takes an address for one.
pub fn is_canonical(address: Address) -> bool {
    address.0 < USER_END || address.0 >= SYSTEM_START
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::AccessKind;

    fn used(address: u64, misaligned: bool) -> Used {
        let access = AccessKind::Read;
        Used {
            address: Address(address),
            size: 8,
            access,
            base: None,
            base_value: None,
            index: None,
            displacement: 0,
            misaligned,
        }
    }

    #[test]
    fn registers_explain_an_address_that_the_processor_did_not_report() {
        let told = not_reported(&[used(0xDDDD_DDDD_DDDD_DDED, false), used(0x1000, false)]);
        assert_eq!((told.kind, told.pattern), (Some(AddressKind::FillPattern), Some(0xDDDD_DDDD)));
        assert_eq!(told.computed, Some(Address(0xDDDD_DDDD_DDDD_DDED)));
        let told = not_reported(&[used(0x0041_0041_0041_0041, false)]);
        assert_eq!((told.kind, told.pattern), (Some(AddressKind::NonCanonical), None));
        let told = not_reported(&[used(0x1008, true)]);
        assert_eq!((told.kind, told.computed), (Some(AddressKind::Misaligned), Some(Address(0x1008))));
        let unexplained = not_reported(&[used(0x1008, false)]);
        assert_eq!((unexplained.kind, unexplained.computed), (Some(AddressKind::NotReported), None));
        let two = not_reported(&[used(0x8000_0000_0000_0000, false), used(0x9000_0000_0000_0000, false)]);
        assert_eq!(two.kind, Some(AddressKind::NotReported), "either may be it");
    }
}
