//! Where a bad value came from: backward data flow over the code at hand, from the instruction at the fault to the
//! instruction that made the value.
//!
//! Model: RETracer ("Triaging Crashes by Reverse Execution from Partial Memory Dumps", ICSE 2016), of which this is the part
//! that needs no reversal of arithmetic: values that are handed on unchanged, or by adding the place of a field. Paths
//! are not enumerated: where another path joins between a value's making and its use, the search ends.

mod arm64;
mod code;
mod function;
mod giver;
mod step;
mod x86;

use self::code::{Before, Code};
use self::step::{ARM64, Convention, Flow, From, Place, Step, Target, X64, X86};
use super::memory::Memory;
use super::stack::Registers;
use super::symbols::Symbols;
use evidence::{
    Address, CpuArchitecture, ExceptionCode, FrameTrust, Givers, Names, Origin, OriginEnd, OriginStep, ProcessDump,
};

/// Most instructions that hand the value on, and most frames that are followed.
const MOST_STEPS: usize = 16;
const MOST_FRAMES: usize = 4;
/// Most instructions of one function that are looked at.
const MOST_LOOKED_AT: usize = 2048;

/// The register of 64-bit ARM that a call puts the return address into.
const LINK_REGISTER: usize = 30;

/// What is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tracked {
    Register(usize),
    Slot(Place),
}

/// What the search in one function came to.
enum Outcome {
    End(OriginEnd, Option<Address>),
    /// The value was there when the function was entered: in a register, or on the stack so many bytes above the stack
    /// pointer of its first instruction.
    Entered(Tracked),
}

/// Follows the value that made the instruction at the fault fail. `None` when there is none, or no code is at hand.
/// `with_images`: whether code is looked for in images and at callers.
pub fn read(
    process: &ProcessDump,
    memory: &mut Memory<'_, '_>,
    symbols: Option<&Symbols>,
    with_images: bool,
    names: &Names,
) -> Option<Origin> {
    let exception = process.exception.as_ref()?;
    if exception.code != ExceptionCode::ACCESS_VIOLATION {
        return None;
    }
    let convention = convention(process.system.cpu)?;
    let code = Code::new(process, memory, symbols, with_images);
    let mut search = Search { code, convention, names, steps: Vec::new(), frame: 0 };
    let (end, callee) = search.run()?;
    let Search { steps, frame, .. } = search;
    Some(Origin { steps, end, frame, callee })
}

/// Who gave the value that made the process fail, or that a check before a stop found bad, by the frames of the walked stack and
/// the registers in them.
pub fn givers(
    process: &ProcessDump,
    memory: &mut Memory<'_, '_>,
    symbols: Option<&Symbols>,
    walked: &[Registers],
) -> Vec<Givers> {
    let Some(convention) = convention(process.system.cpu) else { return Vec::new() };
    giver::read(Code::new(process, memory, symbols, true), convention, walked)
}

fn convention(cpu: CpuArchitecture) -> Option<Convention> {
    match cpu {
        CpuArchitecture::X86 => Some(X86),
        CpuArchitecture::X64 => Some(X64),
        CpuArchitecture::Arm64 => Some(ARM64),
        CpuArchitecture::Arm | CpuArchitecture::Other => None,
    }
}

struct Search<'s, 'm, 'f> {
    code: Code<'s, 'm, 'f>,
    convention: Convention,
    names: &'s Names,
    steps: Vec<OriginStep>,
    frame: usize,
}

impl Search<'_, '_, '_> {
    fn run(&mut self) -> Option<(OriginEnd, Option<Address>)> {
        let process = self.code.process;
        let exception = process.exception.as_ref()?;
        let operand = process.detail.access.as_ref().and_then(|access| access.operand.as_ref());
        let (mut before, mut tracked) = match operand {
            Some(operand) => {
                let register = operand.pointer()?;
                let number = process.system.cpu.registers().iter().position(|name| *name == &*register.name)?;
                if number == self.convention.stack_pointer {
                    return None;
                }
                (self.code.before(exception.address.0)?, Tracked::Register(number))
            }
            // Code that was called and is none: its caller shows where the address came from.
            None if process.could_not_execute() => {
                let returns_to = self.return_address()?;
                process.module_at(Address(returns_to))?;
                let mut before = self.code.before(returns_to)?;
                self.frame = 1;
                let call = before.steps.pop()?;
                let Flow::Call(Target::Value(from)) = call.flow else { return None };
                self.push(&call, None);
                match from {
                    From::Register(register) | From::Near(register) => (before, Tracked::Register(register)),
                    From::Load(place) | From::AddressOf(place) => match self.loaded_from(place, &before.steps) {
                        Ok(slot) => (before, slot),
                        Err(end) => return Some((end, None)),
                    },
                    From::Constant(_) => return Some((OriginEnd::Constant, None)),
                }
            }
            None => return None,
        };
        loop {
            match self.in_function(&before, tracked) {
                Outcome::End(end, callee) => return Some((end, callee)),
                Outcome::Entered(entered) => {
                    let Some((next, at_call)) = self.caller(entered) else {
                        return Some((OriginEnd::Argument, None));
                    };
                    self.frame = self.frame.saturating_add(1);
                    (before, tracked) = (next, at_call);
                }
            }
        }
    }

    /// Where a call that has just arrived returns to: by the top of the stack, or the link register.
    fn return_address(&mut self) -> Option<u64> {
        let process = self.code.process;
        let registers = &process.detail.registers;
        if process.system.cpu == CpuArchitecture::Arm64 {
            return registers.get(LINK_REGISTER).copied();
        }
        let pointer = *registers.get(self.convention.stack_pointer)?;
        self.code.memory.pointer(pointer, process.system.cpu.is_64_bit())
    }

    /// The code of the caller up to its call, and what is followed there.
    fn caller(&mut self, entered: Tracked) -> Option<(Before, Tracked)> {
        let process = self.code.process;
        let next = self.frame.checked_add(1).filter(|next| *next < MOST_FRAMES)?;
        let frame = process.thread.as_ref()?.frames.get(next)?;
        // A scanned frame need not be the caller.
        if frame.trust < FrameTrust::Unwound {
            return None;
        }
        // The frame of a caller is at the last byte of its call.
        let mut before = self.code.before(frame.address.0.checked_add(1)?)?;
        let call = before.steps.pop()?;
        let Flow::Call(_) = call.flow else { return None };
        let word = self.convention.word;
        let tracked = match entered {
            Tracked::Slot(place) if self.convention.stack_pointer != 31 => {
                // The call has put the return address on the stack.
                Tracked::Slot(Place { displacement: place.displacement.checked_sub(word)?, ..place })
            }
            other => other,
        };
        Some((before, tracked))
    }

    /// Follows a value backwards through one function.
    fn in_function(&mut self, before: &Before, mut tracked: Tracked) -> Outcome {
        let steps = &before.steps;
        let mut used_at = steps.last().map_or(0, |step| step.end);
        for (index, step) in steps.iter().enumerate().rev().take(MOST_LOOKED_AT) {
            if matches!(step.flow, Flow::Jump(_) | Flow::Padding) {
                // Compilers begin functions at multiples of 16, and fill what is before.
                let begins = step.end & 15 == 0 && !matches!(step.flow, Flow::Jump(Some(_)));
                return if begins && !before.whole_function {
                    self.entered(tracked)
                } else if let Some(argument) = self.argument(tracked) {
                    Outcome::Entered(argument)
                } else {
                    Outcome::End(OriginEnd::Joined, None)
                };
            }
            if self.steps.len() >= MOST_STEPS {
                return Outcome::End(OriginEnd::Limit, None);
            }
            let made = match tracked {
                Tracked::Register(register) => self.of_register(step, register),
                Tracked::Slot(place) => of_slot(step, place, self.convention),
            };
            let from = match made {
                Made::Not => continue,
                Made::Moved(slot) => {
                    tracked = Tracked::Slot(slot);
                    continue;
                }
                Made::By(from) => from,
                Made::Returned(callee) => {
                    self.push(step, None);
                    return Outcome::End(OriginEnd::ReturnValue, callee.map(Address));
                }
                Made::Lost(end) => {
                    if end == OriginEnd::Computed {
                        self.push(step, None);
                    }
                    return Outcome::End(end, None);
                }
            };
            if joins(steps, step.end, used_at) {
                return Outcome::End(OriginEnd::Joined, None);
            }
            let later = steps.get(index.saturating_add(1)..).unwrap_or_default();
            let earlier = steps.get(..index).unwrap_or_default();
            let loaded = match from {
                From::Load(place) => self.value_at(place, step, later),
                _ => None,
            };
            self.push(step, loaded);
            used_at = step.address;
            tracked = match from {
                From::Constant(_) => return Outcome::End(OriginEnd::Constant, None),
                From::Register(register) | From::Near(register) => Tracked::Register(register),
                From::AddressOf(Place { base: Some(base), has_index: false, .. })
                    if base != self.convention.stack_pointer && base != self.convention.frame_pointer =>
                {
                    Tracked::Register(base)
                }
                From::AddressOf(Place { base: None, .. }) => return Outcome::End(OriginEnd::Constant, None),
                From::AddressOf(_) => return Outcome::End(OriginEnd::Computed, None),
                From::Load(place) => match self.loaded_from(place, earlier) {
                    Ok(slot) => slot,
                    Err(end) => return Outcome::End(end, None),
                },
            };
        }
        if before.whole_function {
            return self.entered(tracked);
        }
        match (self.argument(tracked), tracked) {
            (Some(argument), _) => Outcome::Entered(argument),
            (None, Tracked::Slot(_)) => Outcome::End(OriginEnd::Local, None),
            (None, Tracked::Register(_)) => Outcome::End(OriginEnd::NoCode, None),
        }
    }

    /// The argument of 32-bit code that is known by its distance from the frame pointer, as it is where the function is
    /// entered: functions seldom store into their arguments.
    fn argument(&self, tracked: Tracked) -> Option<Tracked> {
        let Tracked::Slot(Place { base, displacement, has_index: false }) = tracked else { return None };
        let Convention { frame_pointer, stack_pointer, word, callee_cleans, .. } = self.convention;
        let is_argument = callee_cleans && base == Some(frame_pointer) && displacement >= word.saturating_mul(2);
        let displacement = displacement.saturating_sub(word);
        is_argument.then_some(Tracked::Slot(Place { base: Some(stack_pointer), has_index: false, displacement }))
    }

    /// What is followed where the function was entered.
    fn entered(&self, tracked: Tracked) -> Outcome {
        let convention = &self.convention;
        match tracked {
            Tracked::Register(register) => {
                let kept = u32::try_from(register)
                    .ok()
                    .and_then(|bit| convention.volatile.checked_shr(bit))
                    .is_some_and(|bits| bits & 1 == 0);
                if kept || convention.arguments.contains(&register) {
                    Outcome::Entered(tracked)
                } else {
                    Outcome::End(OriginEnd::NoCode, None)
                }
            }
            Tracked::Slot(place)
                if place.base == Some(convention.stack_pointer) && place.displacement >= convention.first_on_stack =>
            {
                Outcome::Entered(tracked)
            }
            Tracked::Slot(_) => Outcome::End(OriginEnd::Local, None),
        }
    }

    /// What a step does with a register that is followed.
    fn of_register(&self, step: &Step, register: usize) -> Made {
        if let Flow::Call(target) = step.flow {
            if register == self.convention.result {
                return Made::Returned(match target {
                    Target::Address(address) => Some(address),
                    Target::Value(_) | Target::Unknown => None,
                });
            }
            let volatile = u32::try_from(register).ok().and_then(|bit| self.convention.volatile.checked_shr(bit));
            return if volatile.is_some_and(|bits| bits & 1 == 1) { Made::Lost(OriginEnd::NoCode) } else { Made::Not };
        }
        if !step.changes(register) {
            return Made::Not;
        }
        step.set(register).map_or(Made::Lost(OriginEnd::Computed), Made::By)
    }

    /// What is followed on from a place that a value was loaded from: a variable on the stack.
    ///
    /// # Errors
    /// For all other places, the end of the search.
    fn loaded_from(&self, place: Place, earlier: &[Step]) -> Result<Tracked, OriginEnd> {
        let Place { base: Some(base), has_index, .. } = place else { return Err(OriginEnd::Global) };
        if base == self.convention.stack_pointer || base == self.convention.frame_pointer && self.is_frame(earlier) {
            return if has_index { Err(OriginEnd::Local) } else { Ok(Tracked::Slot(place)) };
        }
        // The address of a global variable is often put into a register first.
        let last = earlier.iter().rev().find(|step| step.changes(base) || matches!(step.flow, Flow::Call(_)));
        let fixed = last
            .and_then(|step| step.set(base))
            .is_some_and(|from| matches!(from, From::Constant(_) | From::AddressOf(Place { base: None, .. })));
        Err(if fixed && !has_index { OriginEnd::Global } else { OriginEnd::Field })
    }

    /// Whether the frame pointer is one, and no register like others: 64-bit code uses it freely.
    fn is_frame(&self, earlier: &[Step]) -> bool {
        let (stack, frame) = (self.convention.stack_pointer, self.convention.frame_pointer);
        let last = earlier.iter().rev().find(|step| step.changes(frame)).and_then(|step| step.set(frame));
        match last {
            Some(From::Register(from) | From::AddressOf(Place { base: Some(from), .. })) => from == stack,
            Some(_) => false,
            None => {
                let registers = &self.code.process.detail.registers;
                let near = registers.get(frame).zip(registers.get(stack));
                self.convention.callee_cleans
                    || near.is_some_and(|(frame, stack)| frame.wrapping_sub(*stack) < 0x1_0000)
            }
        }
    }

    /// What memory holds at a place, as far as its register still has the value that it had then.
    fn value_at(&mut self, place: Place, step: &Step, later: &[Step]) -> Option<u64> {
        let process = self.code.process;
        let wide = process.system.cpu.is_64_bit();
        let address = match place {
            Place { has_index: true, .. } => return None,
            Place { base: None, displacement, .. } => displacement.cast_unsigned(),
            Place { base: Some(base), displacement, .. } => {
                let changed = step.changes(base)
                    || later.iter().any(|step| {
                        step.changes(base)
                            || base == self.convention.stack_pointer && matches!(step.flow, Flow::Call(_))
                    });
                if self.frame != 0 || changed {
                    return None;
                }
                process.detail.registers.get(base)?.wrapping_add_signed(displacement)
            }
        };
        self.code.memory.pointer(if wide { address } else { address & 0xFFFF_FFFF }, wide)
    }

    fn push(&mut self, step: &Step, loaded: Option<u64>) {
        let text = self.names.share(&step.decoded.text());
        self.steps.push(OriginStep { frame: self.frame, address: Address(step.address), text, loaded });
    }
}

/// What a step does with what is followed.
enum Made {
    /// Nothing.
    Not,
    /// The same place is at another distance before it.
    Moved(Place),
    /// It puts the value there.
    By(From),
    /// A function returned it: the called address, where the instruction holds it.
    Returned(Option<u64>),
    /// It puts something there that is not followed.
    Lost(OriginEnd),
}

/// What a step does with a place on the stack that is followed.
fn of_slot(step: &Step, place: Place, convention: Convention) -> Made {
    if let Some(from) = step.stored(place) {
        return Made::By(from);
    }
    let Some(base) = place.base else { return Made::Lost(OriginEnd::Local) };
    let on_stack_pointer = base == convention.stack_pointer;
    if on_stack_pointer && convention.callee_cleans && matches!(step.flow, Flow::Call(_)) {
        return Made::Lost(OriginEnd::Local);
    }
    if let Some(From::Register(from)) = step.set(base) {
        return Made::Moved(Place { base: Some(from), ..place });
    }
    if let Some(From::AddressOf(Place { base: Some(from), has_index: false, displacement })) = step.set(base)
        && !on_stack_pointer
    {
        return match place.displacement.checked_add(displacement) {
            Some(displacement) => Made::Moved(Place { base: Some(from), displacement, ..place }),
            None => Made::Lost(OriginEnd::Local),
        };
    }
    match step.moves_stack {
        0 if step.changes(base) && !matches!(step.flow, Flow::Call(_)) => Made::Lost(OriginEnd::Local),
        by if by != 0 && on_stack_pointer => match place.displacement.checked_add(by) {
            Some(displacement) => Made::Moved(Place { displacement, ..place }),
            None => Made::Lost(OriginEnd::Local),
        },
        _ => Made::Not,
    }
}

/// Whether code from elsewhere joins between two addresses: then what is before them need not have run.
fn joins(steps: &[Step], after: u64, until: u64) -> bool {
    steps.iter().any(|step| {
        let to = match step.flow {
            Flow::Branch(to) | Flow::Jump(Some(to)) => to,
            _ => return false,
        };
        // From within, both ways have passed by what is before.
        let within = step.address >= after && step.address < until;
        !within && to >= after && to <= until
    })
}

#[cfg(test)]
mod tests;
