//! Who gave a bad value: backward data flow over all paths of the functions on the stack, from what the instruction at the
//! fault used, or what a check compared before the process was stopped.
//!
//! A value is followed through registers, variables on the stack, arguments and objects. Where several paths lead to a place,
//! all of them are followed, and those are dropped that would have led to another value than the one that is there.

mod frames;
mod objects;
mod paths;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use self::paths::choose;
use super::code::Code;
use super::function::Function;
use super::step::{Convention, Flow, From, Place, Target};
use crate::minidump::detail::is_by_the_processor;
use crate::minidump::stack::Registers;
use crate::minidump::wanted::{NULL_PAGES, STACK_OVERFLOW};
use evidence::{Address, ExceptionCode, Frame, FrameTrust, Giver, GiverKind, Givers, OriginEnd};

/// Most frames that a value is followed through.
const MOST_FRAMES: usize = 16;
/// Most places that are looked at in one function, on all paths.
const MOST_PLACES: usize = 4096;
/// Most objects that are followed, one out of the other.
const MOST_OBJECTS: usize = 4;
/// How many frames are tried as the one that stopped the process: those between are of the runtime and of Windows.
const MOST_STOPPED: usize = 12;
/// How many instructions before a stop the check is looked for.
const MOST_BEFORE_STOP: usize = 64;
/// From here on an index is taken for the one that leads out of memory, where the base may be a pointer.
const FAR_INDEX: u64 = 0x1000;

/// `STATUS_GUARD_PAGE_VIOLATION` and `STATUS_INTEGER_DIVIDE_BY_ZERO` of `ntstatus.h`.
const GUARD_PAGE: ExceptionCode = ExceptionCode(0x8000_0001);
const DIVISION_BY_ZERO: ExceptionCode = ExceptionCode(0xC000_0094);

/// What is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Item {
    Register(usize),
    /// The word at an address on the stack.
    Word(u64),
}

/// A function on the stack, at the instruction that was under way in it.
struct View {
    frame: usize,
    function: Function,
    /// That instruction.
    anchor: usize,
    /// The registers there, as far as they are known.
    registers: Vec<Option<u64>>,
}

/// Where a value in a function came from.
#[derive(Debug, Clone, Copy)]
struct Source {
    kind: SourceKind,
    /// Whether the value there is the one that is followed; `None` where that is not known.
    fits: Option<bool>,
    /// Whether the value was only computed from it.
    derived: bool,
    /// Whether it was moved since.
    moved: bool,
}

#[derive(Debug, Clone, Copy)]
enum SourceKind {
    /// It was there when the function was entered.
    Entered(Item),
    /// The function that was called at this address may have stored it.
    Filled(Option<u64>),
    /// The call returned it, of the function at this address.
    Returned(usize, Option<u64>),
    /// It was loaded from memory that is no variable of the function.
    Loaded(Loaded),
    /// The code computes it.
    Computed,
    /// The code holds it.
    Constant,
    /// The search ends.
    Unknown(OriginEnd),
}

/// A load from memory.
#[derive(Debug, Clone, Copy)]
struct Loaded {
    /// Its instruction.
    at: usize,
    place: Place,
    /// Where that is, if it is known.
    address: Option<u64>,
    /// What the register held from which the address counts.
    base: Option<u64>,
}

/// A place on a path, backwards.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// What is followed is there before this instruction.
    before: usize,
    item: Item,
    /// What was added since; `None` when that is not known.
    added: Option<i64>,
    /// The registers that were changed between here and the instruction under way, a bit for each number.
    changed: u32,
    derived: bool,
}

impl Point {
    fn source(&self, kind: SourceKind, fits: Option<bool>) -> Source {
        Source { kind, fits, derived: self.derived, moved: self.added.is_none() }
    }
}

/// What is followed, and where it is.
struct Followed {
    view: Rc<View>,
    before: usize,
    item: Item,
    value: Option<u64>,
    /// Whether it is an index, which computations leave one.
    is_index: bool,
}

/// Follows what made the process fail. Empty when nothing is to be followed, or no code is at hand. `walked` are the registers
/// of the frames.
pub fn read(code: Code<'_, '_, '_>, convention: Convention, walked: &[Registers]) -> Vec<Givers> {
    let process = code.process;
    let Some(exception) = process.exception.as_ref() else { return Vec::new() };
    let frames = process.thread.as_ref().map_or(&[][..], |thread| thread.frames.as_slice());
    let mut search = Search { code, convention, walked, frames, views: HashMap::new(), is_number: false };
    match exception.code {
        ExceptionCode::ACCESS_VIOLATION | GUARD_PAGE => search.of_access().into_iter().collect(),
        DIVISION_BY_ZERO => search.of_division().into_iter().collect(),
        STACK_OVERFLOW => search.of_recursion(),
        _ if is_by_the_processor(exception) && !is_trap(exception.code) => Vec::new(),
        _ => search.of_stop(),
    }
}

/// Whether programs stop themselves by such an exception of the processor: `STATUS_BREAKPOINT`,
/// `STATUS_ILLEGAL_INSTRUCTION` and fast fails.
fn is_trap(code: ExceptionCode) -> bool {
    matches!(code.0, 0x8000_0003 | 0xC000_001D | 0xC000_0409)
}

struct Search<'s, 'm, 'f> {
    code: Code<'s, 'm, 'f>,
    convention: Convention,
    walked: &'s [Registers],
    frames: &'s [Frame],
    /// The functions of frames that were looked at.
    views: HashMap<usize, Option<Rc<View>>>,
    /// Whether what is followed is a number and no pointer: then a function that computes it may have computed it wrongly.
    is_number: bool,
}

impl Search<'_, '_, '_> {
    fn of_access(&mut self) -> Option<Givers> {
        let process = self.code.process;
        let exception = process.exception.as_ref()?;
        let operand = process.detail.access.as_ref().and_then(|access| access.operand.as_ref());
        let outside = self.frames.first().is_some_and(|frame| frame.module.is_none());
        let Some(operand) = operand.filter(|_| !process.could_not_execute()) else {
            return if outside { self.of_call(exception.address.0) } else { None };
        };
        let number = |name: &str| process.system.cpu.registers().iter().position(|known| *known == name);
        // Of two registers, the one that leads into memory is not the bad one.
        let mut followed: Vec<(usize, u64)> = Vec::new();
        for register in [operand.pointer(), operand.base.as_ref(), operand.index.as_ref()].into_iter().flatten() {
            let other = (number(&register.name)?, register.value);
            if !followed.contains(&other) && other.0 != self.convention.stack_pointer {
                followed.push(other);
            }
        }
        let map = self.code.memory.map;
        let base = operand.base.as_ref().and_then(|base| number(&base.name));
        let is_index = |register: usize| base.is_some_and(|base| base != register);
        let wide = process.system.cpu.is_64_bit();
        let signed = |value: u64| if wide { value.cast_signed() } else { i64::from((value as u32).cast_signed()) };
        let is_far = |value: u64| signed(value).unsigned_abs() >= FAR_INDEX;
        let far = followed.iter().any(|(register, value)| is_index(*register) && is_far(*value));
        let leads_to_memory = |register: usize, value: u64| {
            let held = map.region_at(Address(value)).is_some();
            let made_of_pattern = process.detail.wanted.as_ref().is_some_and(|wanted| wanted.pattern.is_some());
            !is_index(register) && !made_of_pattern && (held || far && value >= NULL_PAGES && value >> 47 == 0)
        };
        followed.sort_by_key(|(register, value)| leads_to_memory(*register, *value));
        let view = self.view(0)?;
        let mut found = None;
        for (register, value) in followed {
            let (item, before) = (Item::Register(register), view.anchor);
            let is_index = is_index(register);
            let givers = self.follow(Followed { view: Rc::clone(&view), before, item, value: Some(value), is_index });
            if is_given(&givers) {
                return Some(givers);
            }
            found = found.or(Some(givers));
        }
        found
    }

    /// From a call to where no code is.
    fn of_call(&mut self, called: u64) -> Option<Givers> {
        let caller = self.frames.get(1).filter(|frame| frame.trust >= FrameTrust::Unwound)?.module;
        if let Some(view) = self.view(1) {
            let Flow::Call(Target::Value(from)) = view.function.step(view.anchor)?.flow else { return None };
            let before = view.anchor;
            return Some(self.follow_operand(&view, before, from, Some(called)));
        }
        // Where the call's code is not at hand, the registers are still those that it was made with.
        let registers = &self.code.process.detail.registers;
        // Those of arguments lead to what the function that was called would have worked with.
        let held = (0..self.convention.registers())
            .filter(|register| self.convention.is_volatile(*register) && !self.convention.arguments.contains(register));
        let modules = held.filter_map(|register| self.module_at(*registers.get(register)?));
        let others = modules.filter(|module| Some(*module) != caller);
        let givers = others.map(|module| giver(1, Some(module), GiverKind::Register)).collect();
        Some(Givers { start: 1, compared: false, givers, end: OriginEnd::NoCode })
    }

    /// The functions of an endless recursion that only call what they are given.
    fn of_recursion(&mut self) -> Vec<Givers> {
        let mut found = Vec::new();
        for frame in 1..self.frames.len().min(MOST_FRAMES) {
            let Some(view) = self.view(frame) else { continue };
            if self.calls_an_argument(&view) {
                let by = Giver { on_behalf: true, ..giver(frame, self.module_of(frame), GiverKind::Argument) };
                found.push(Givers { start: frame, compared: false, givers: vec![by], end: OriginEnd::Argument });
            }
        }
        found
    }

    fn of_division(&mut self) -> Option<Givers> {
        let view = self.view(0)?;
        let divisor = view.function.step(view.anchor)?.compares.into_iter().flatten().next()?;
        let before = view.anchor;
        self.is_number = true;
        Some(self.follow_operand(&view, before, divisor, Some(0)))
    }

    /// From the checks before a stop: one for each frame that may have decided on it.
    fn of_stop(&mut self) -> Vec<Givers> {
        let reached = |frame: &&Frame| frame.trust >= FrameTrust::FramePointer;
        let count = self.frames.iter().take(MOST_STOPPED).take_while(reached).count();
        (0..count).filter_map(|frame| self.compared(frame)).collect()
    }

    /// From what the checks nearest before a frame's instruction compare.
    fn compared(&mut self, frame: usize) -> Option<Givers> {
        let view = self.view(frame)?;
        let mut next = VecDeque::from([view.anchor]);
        let mut leads_there = HashSet::new();
        let mut branches = Vec::new();
        while let Some(index) = next.pop_front() {
            if !leads_there.insert(index) {
                continue;
            }
            if leads_there.len() > MOST_BEFORE_STOP {
                return None;
            }
            for before in view.function.before(index) {
                match view.function.step(*before)?.flow {
                    Flow::Branch(_) if !branches.contains(before) => branches.push(*before),
                    // Both of its ways lead there, so that it decides nothing.
                    Flow::Branch(_) => next.push_back(*before),
                    _ => next.push_back(*before),
                }
            }
        }
        let checks: Vec<(usize, From)> = branches
            .into_iter()
            .filter(|branch| !leads_there.contains(branch))
            .flat_map(|branch| comparison(&view.function, branch))
            .collect();
        self.is_number = true;
        let mut found: Option<Givers> = None;
        for (at, from) in checks {
            let givers = self.follow_operand(&view, at, from, None);
            // Where one of the values is made by the function itself, so may be the mistake.
            if !is_given(&givers) {
                return None;
            }
            found = found.or(Some(givers));
        }
        found.map(|givers| Givers { compared: true, ..givers })
    }

    /// Follows an operand of the instruction `before`.
    fn follow_operand(&mut self, view: &Rc<View>, before: usize, from: From, value: Option<u64>) -> Givers {
        let start = view.frame;
        let ended = |end| Givers { start, compared: false, givers: Vec::new(), end };
        match from {
            From::Register(register) | From::Near(register) => {
                let item = Item::Register(register);
                self.follow(Followed { view: Rc::clone(view), before, item, value, is_index: false })
            }
            From::Load(place) => {
                let mut givers = ended(OriginEnd::Limit);
                let changed = if before == view.anchor { 0 } else { u32::MAX };
                match self.variable(view, before, place, changed) {
                    Ok(word) => self.follow(Followed {
                        view: Rc::clone(view),
                        before,
                        item: Item::Word(word),
                        value,
                        is_index: false,
                    }),
                    Err(loaded) => match self.object(view, loaded, &mut givers.givers) {
                        Ok(followed) => self.follow_on(followed, 1, givers),
                        Err(end) => Givers { end, ..givers },
                    },
                }
            }
            From::Constant(_) | From::AddressOf(_) => ended(OriginEnd::Constant),
        }
    }

    fn follow(&mut self, followed: Followed) -> Givers {
        let givers = Givers { start: followed.view.frame, compared: false, givers: Vec::new(), end: OriginEnd::Limit };
        self.follow_on(followed, 0, givers)
    }

    /// Follows a value from frame to frame, and from it to the object that holds it. `objects` is how many that were already.
    fn follow_on(&mut self, mut followed: Followed, mut objects: usize, mut found: Givers) -> Givers {
        while found.givers.len() < MOST_FRAMES && objects <= MOST_OBJECTS {
            let view = Rc::clone(&followed.view);
            let sources = self.sources(&followed, true);
            let frame = view.frame;
            // A null pointer stays visible in what is computed of it, and so does an index in a larger one.
            let derive =
                !self.is_number && (followed.is_index || followed.value.is_some_and(|value| value < NULL_PAGES));
            let Some(source) = choose(&sources, derive) else { return Givers { end: OriginEnd::Joined, ..found } };
            // An index that the function counts from a number of its own it makes itself.
            let is_constant = |source: &Source| matches!(source.kind, SourceKind::Constant);
            let counted = followed.is_index && source.derived && sources.iter().any(is_constant);
            let moved = source.moved || counted;
            // On one of the paths, the function may have made of it what it then refused.
            if self.is_number && sources.iter().any(|source| source.moved && source.fits != Some(false)) {
                return Givers { end: OriginEnd::Computed, ..found };
            }
            if source.derived {
                found.givers.push(giver(frame, self.module_of(frame), GiverKind::Computed));
                followed.value = None;
            }
            let end = match source.kind {
                SourceKind::Constant => OriginEnd::Constant,
                SourceKind::Computed => OriginEnd::Computed,
                SourceKind::Unknown(end) => end,
                SourceKind::Entered(item) => {
                    let Some(next) = self.caller(&view) else { return Givers { end: OriginEnd::Argument, ..found } };
                    let on_behalf = self.calls_an_argument(&next);
                    let (frame, how) = (next.frame, GiverKind::Argument);
                    found.givers.push(Giver { on_behalf, moved, ..giver(frame, self.module_of(frame), how) });
                    followed = Followed { before: next.anchor, view: next, item, ..followed };
                    continue;
                }
                SourceKind::Returned(call, callee) => {
                    if objects > 0 && self.fills(&view, call) {
                        let module = self.module_of(frame);
                        found.givers.push(giver(frame, module, GiverKind::Fills));
                    }
                    let module = callee.and_then(|callee| self.module_at(callee));
                    found.givers.push(Giver { moved, ..giver(frame, module, GiverKind::ReturnValue) });
                    OriginEnd::ReturnValue
                }
                SourceKind::Filled(callee) => {
                    let module = callee.and_then(|callee| self.module_at(callee));
                    found.givers.push(Giver { moved, ..giver(frame, module, GiverKind::OutParameter) });
                    OriginEnd::Local
                }
                SourceKind::Loaded(loaded) => {
                    objects = objects.saturating_add(1);
                    match self.object(&view, loaded, &mut found.givers) {
                        Ok(object) => {
                            followed = object;
                            continue;
                        }
                        Err(end) => end,
                    }
                }
            };
            return Givers { end, ..found };
        }
        found
    }
}

fn giver(frame: usize, module: Option<usize>, how: GiverKind) -> Giver {
    Giver { frame, module, how, on_behalf: false, moved: false }
}

/// What a check compares: the last comparison before its branch.
fn comparison(function: &Function, branch: usize) -> Vec<(usize, From)> {
    let mut index = branch;
    for _ in 0..MOST_BEFORE_STOP {
        let [before] = function.before(index) else { break };
        let Some(step) = function.step(*before) else { break };
        if step.compares.iter().any(Option::is_some) {
            let variable = step.compares.into_iter().flatten().filter(|from| !matches!(from, From::Constant(_)));
            return variable.map(|from| (*before, from)).collect();
        }
        if !matches!(step.flow, Flow::Next) {
            break;
        }
        index = *before;
    }
    Vec::new()
}

/// Whether the function at the start was given the value by its caller.
fn is_given(givers: &Givers) -> bool {
    let by_caller = |giver: &Giver| !matches!(giver.how, GiverKind::Field);
    givers.end == OriginEnd::Argument || givers.givers.iter().any(by_caller)
}

#[cfg(test)]
mod tests;
