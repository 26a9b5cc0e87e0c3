//! The access that the instruction at the fault made, compared with the one that the exception reports.
//!
//! What does not fit is a processor that computed wrongly, or code that was other than the dump shows. Model:
//! `minidump-processor`'s crash inconsistencies and bit flips, with its detractors.

use super::instruction::{Used, Uses};
use super::memory::MemoryMap;
use super::regions::Regions;
use super::wanted::{NULL_PAGES, is_canonical, is_unreported, wanted_address};
use evidence::{
    AccessFit, AccessKind, Address, BitFlip, CpuArchitecture, ExceptionCode, FaultingAccess, FillPattern,
    MemoryOperand, Names, ProcessDump, RegisterValue,
};
use untrusted::bytes::Source;

/// Longest instruction of x86, bytes: reading so near behind the instruction pointer is fetching code.
const LONGEST_INSTRUCTION: u64 = 15;
/// Registers so near to an address belong to the same object, bytes.
const SAME_OBJECT: u64 = 0x1000;
/// Flipped bits below this one lead to memory near by, where a wrong count leads as well.
const LOWEST_FLIP: u32 = 13;

/// What is known of the instruction at the fault.
#[derive(Debug, Clone, Copy)]
pub struct AtFault<'a> {
    /// The process.
    pub process: &'a ProcessDump,
    /// The general registers.
    pub registers: &'a [u64],
    /// What the instruction uses.
    pub uses: &'a Uses,
    /// Whether a call is right before it: then what was called may have raised the exception by itself.
    pub follows_call: bool,
}

impl AtFault<'_> {
    /// What the instruction did with memory.
    pub fn access(&self, names: &Names) -> Option<FaultingAccess> {
        let exception = self.process.exception.as_ref()?;
        let reported = wanted_address(self.process);
        let fit = reported.and_then(|reported| self.fit(reported));
        let known = &self.uses.known;
        let odd = |used: &&Used| used.misaligned || !is_canonical(used.address);
        let operand = match reported {
            Some(reported) if is_unreported(self.process, reported, known) => known.iter().find(odd),
            Some(reported) => known.iter().find(|used| used.holds(reported)),
            None => None,
        };
        let operand = operand.or_else(|| known.first().filter(|_| reported.is_some() || is_division(exception.code)));
        let value = |number: Option<usize>| {
            let number = number?;
            let name = names.share(self.process.system.cpu.registers().get(number)?);
            Some(RegisterValue { name, value: *self.registers.get(number)? })
        };
        let operand = operand.map(|used| MemoryOperand {
            base: value(used.base),
            index: value(used.index),
            displacement: used.displacement,
            address: used.address,
            size: used.size,
            access: used.access,
        });
        (operand.is_some() || fit.is_some()).then_some(FaultingAccess { operand, fit })
    }

    /// Whether the instruction can have made the reported access.
    fn fit(&self, reported: Address) -> Option<AccessFit> {
        let exception = self.process.exception.as_ref()?;
        let wanted = match (exception.code, exception.parameters.first()?) {
            (ExceptionCode::ACCESS_VIOLATION, 0) => AccessKind::Read,
            (ExceptionCode::ACCESS_VIOLATION, 1) => AccessKind::Write,
            // Neither of the others is an access of the instruction, or its kind is of no weight.
            _ => return None,
        };
        if reported.0.wrapping_sub(exception.address.0) < LONGEST_INSTRUCTION {
            return None;
        }
        let Uses { known, complete } = self.uses;
        if is_unreported(self.process, reported, known) {
            let explained = |used: &Used| used.misaligned || !is_canonical(used.address) || used.holds(reported);
            if known.iter().any(explained) {
                return Some(AccessFit::Fits);
            }
            return (*complete && !self.follows_call && !known.is_empty()).then_some(AccessFit::AllCanonical);
        }
        let mut there = known.iter().filter(|used| used.holds(reported)).peekable();
        if there.peek().is_some() {
            let same = there.any(|used| used.access == wanted || used.access == AccessKind::ReadWrite);
            return Some(if same { AccessFit::Fits } else { AccessFit::OtherKind });
        }
        if !complete || self.follows_call {
            return None;
        }
        Some(if known.is_empty() { AccessFit::NoMemory } else { AccessFit::OtherAddress })
    }

    /// The one flipped bit without which the wrong address would be in memory that allows the access. Only of 64-bit x86:
    /// in small address spaces such a bit is found by chance.
    pub fn bit_flip(&self, source: &mut Source<'_>, regions: Option<Regions>, memory: &MemoryMap) -> Option<BitFlip> {
        let exception = self.process.exception.as_ref()?;
        let reported = wanted_address(self.process)?;
        if self.process.system.cpu != CpuArchitecture::X64 || exception.code != ExceptionCode::ACCESS_VIOLATION {
            return None;
        }
        let odd = self.uses.known.iter().find(|used| !is_canonical(used.address));
        let used = self.uses.known.iter().find(|used| used.holds(reported)).or(odd)?;
        let (value, number) = match (used.base, used.base_value) {
            // With an index, either may be the wrong one.
            (Some(number), Some(value)) if used.index.is_none() => (value, Some(number)),
            _ => (used.address.0, None),
        };
        let canonical = is_canonical(Address(value));
        let poisoned = |value: u64| {
            value > NULL_PAGES && (FillPattern::of_32_bits(value).is_some() || FillPattern::of_64_bits(value).is_some())
        };
        if value < NULL_PAGES || self.registers.iter().any(|value| poisoned(*value)) {
            return None;
        }
        let write = exception.parameters.first() == Some(&1) || used.access == AccessKind::Write;
        let mut allows = |address: u64| match regions.and_then(|regions| regions.at(source, Address(address))) {
            Some(region) if write => region.page.is_writable(),
            Some(region) => region.page.is_readable(),
            None => memory.region_at(Address(address)).is_some(),
        };
        if allows(value) {
            return None;
        }
        let bits = if canonical { LOWEST_FLIP..47 } else { 47..64 };
        let mut found = None;
        for bit in bits {
            let corrected = value ^ 1_u64.checked_shl(bit)?;
            if corrected < NULL_PAGES || !is_canonical(Address(corrected)) || !allows(corrected) {
                continue;
            }
            let near = |(other, register): (usize, &u64)| {
                Some(other) != number && *register != value && register.abs_diff(corrected) < SAME_OBJECT
            };
            let near_registers = self.registers.iter().enumerate().filter(|register| near(*register)).count();
            // A canonical address needs more than that its neighbours are mapped.
            if canonical && near_registers == 0 {
                continue;
            }
            let near_registers = u32::try_from(near_registers).unwrap_or(0);
            // Of several bits none can be named.
            if found.replace(BitFlip { bit, corrected: Address(corrected), near_registers }).is_some() {
                return None;
            }
        }
        found
    }
}

fn is_division(code: ExceptionCode) -> bool {
    matches!(code.0, 0xC000_0094 | 0xC000_0095)
}
