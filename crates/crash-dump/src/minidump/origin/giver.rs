//! Who gave a bad value: backward data flow over all paths of the functions on the stack, from what the instruction at the
//! fault used, or what a check compared before the process was stopped.
//!
//! A value is followed through registers, variables on the stack, arguments and objects. Where several paths lead to a place,
//! all of them are followed, and those are dropped that would have led to another value than the one that is there.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::code::Code;
use super::function::Function;
use super::step::{Convention, Flow, From, Place, Step, Target};
use crate::minidump::detail::is_by_the_processor;
use crate::minidump::stack::Registers;
use crate::minidump::wanted::STACK_OVERFLOW;
use evidence::{Address, ExceptionCode, Frame, FrameTrust, Giver, GiverKind, Givers, OriginEnd};

/// Most frames that a value is followed through.
const MOST_FRAMES: usize = 16;
/// Most places that are looked at in one function, on all paths.
const MOST_PLACES: usize = 4096;
/// Most objects that are followed, one out of the other.
const MOST_OBJECTS: usize = 4;
/// How deep definitions of a register are followed for its value.
const DEEPEST: u32 = 4;
/// How many frames are tried as the one that stopped the process: those between are of the runtime and of Windows.
const MOST_STOPPED: usize = 12;
/// How many instructions before a stop the check is looked for.
const MOST_BEFORE_STOP: usize = 64;
/// Addresses below are no pointers.
const LOWEST_ADDRESS: u64 = 0x1_0000;
/// How far behind its beginning an object that a function is given may hold a variable, bytes.
const LARGEST_VARIABLE: u64 = 64;

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
        followed.sort_by_key(|(_, value)| map.region_at(Address(*value)).is_some());
        let view = self.view(0)?;
        let mut found = None;
        for (register, value) in followed {
            let (item, before) = (Item::Register(register), view.anchor);
            let of_base = operand.base.as_ref().and_then(|base| number(&base.name)) == Some(register);
            let is_index = !of_base && operand.base.is_some();
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

    /// Whether a frame called to where no code is, so that its registers are still there.
    fn is_called_from(&self, frame: usize) -> bool {
        frame == 1
            && self.frames.first().is_some_and(|frame| frame.module.is_none())
            && self.code.process.detail.access.as_ref().is_none_or(|access| access.operand.is_none())
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
                !self.is_number && (followed.is_index || followed.value.is_some_and(|value| value < LOWEST_ADDRESS));
            let Some(source) = choose(&sources, derive) else { return Givers { end: OriginEnd::Joined, ..found } };
            let moved = source.moved;
            if moved && self.is_number {
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

    /// The object that a value was loaded from, to be followed on; what shows whose it is ends the search.
    fn object(&mut self, view: &Rc<View>, loaded: Loaded, givers: &mut Vec<Giver>) -> Result<Followed, OriginEnd> {
        let frame = view.frame;
        givers.push(giver(frame, self.module_of(frame), GiverKind::Field));
        if let Some(address) = loaded.address {
            if let Some(module) = self.module_at(address) {
                // An object in the module's own data was handed to it as well as one elsewhere.
                if Some(module) != self.module_of(frame) || loaded.place.base.is_none() {
                    givers.push(giver(frame, Some(module), GiverKind::Global));
                    return Err(OriginEnd::Global);
                }
            }
            if let Some(owner) = self.owner(address) {
                if owner != frame {
                    let module = self.module_of(owner);
                    givers.push(giver(owner, module, GiverKind::Local));
                }
                return Err(OriginEnd::Local);
            }
        }
        let Some(register) = loaded.place.base else { return Err(OriginEnd::Global) };
        if register == self.convention.stack_pointer {
            return Err(OriginEnd::Local);
        }
        if let Some(module) = loaded.base.and_then(|base| self.table(base)) {
            givers.push(giver(frame, Some(module), GiverKind::Table));
            return Err(OriginEnd::Field);
        }
        let (before, item) = (loaded.at, Item::Register(register));
        Ok(Followed { view: Rc::clone(view), before, item, value: loaded.base, is_index: false })
    }

    /// The module that has the table of functions to which an object's first word leads.
    fn table(&mut self, object: u64) -> Option<usize> {
        let wide = self.code.process.system.cpu.is_64_bit();
        let table = self.code.memory.pointer(object, wide)?;
        let module = self.module_at(table)?;
        let function = self.code.memory.pointer(table, wide)?;
        (self.module_at(function) == Some(module)).then_some(module)
    }

    /// The frame whose function has the variable at an address of the stack.
    fn owner(&self, address: u64) -> Option<usize> {
        let stack = self.convention.stack_pointer;
        let mut begins =
            self.walked.iter().enumerate().map_while(|(frame, registers)| Some((frame, registers.get(stack)?)));
        let lowest = begins.clone().next()?.1;
        let (frame, _) = begins.by_ref().take_while(|(_, begin)| *begin <= address).last()?;
        // Of the last frame it is not known how far it reaches.
        let within = frame.checked_add(1)? < self.walked.len() && address >= lowest;
        within.then_some(frame)
    }

    fn module_of(&self, frame: usize) -> Option<usize> {
        self.frames.get(frame)?.module
    }

    fn module_at(&self, address: u64) -> Option<usize> {
        self.code.process.module_at(Address(address)).map(|(index, _)| index)
    }

    /// The function of a frame.
    fn view(&mut self, frame: usize) -> Option<Rc<View>> {
        if let Some(known) = self.views.get(&frame) {
            return known.clone();
        }
        let view = self.make_view(frame).map(Rc::new);
        self.views.insert(frame, view.clone());
        view
    }

    fn make_view(&mut self, index: usize) -> Option<View> {
        let process = self.code.process;
        let count = self.convention.registers();
        let address = match index {
            0 => process.exception.as_ref()?.address.0,
            _ => self.frames.get(index)?.address.0,
        };
        let called = self.entered_by(index);
        // The frame of a caller is at the last byte of its call.
        let until = address.saturating_add(u64::from(index > 0));
        let mut function = self.code.function(address, until, called)?;
        let anchor = function.index_at(address)?;
        let stack_pointer = self.convention.stack_pointer;
        let registers: Vec<Option<u64>> = match self.walked.get(index) {
            Some(walked) if index > 0 && !self.is_called_from(index) => {
                (0..count).map(|number| walked.get(number)).collect()
            }
            Some(_) if self.is_called_from(index) => process.detail.registers.iter().copied().map(Some).collect(),
            _ if index == 0 => process.detail.registers.iter().copied().map(Some).collect(),
            _ => vec![None; count],
        };
        let mut stack = registers.get(stack_pointer).copied().flatten();
        if index > 0 {
            if !matches!(function.step(anchor)?.flow, Flow::Call(_)) {
                return None;
            }
            // What a called function took from the stack, it has not yet taken.
            let word = self.convention.word.cast_unsigned();
            if self.is_called_from(index) {
                stack = stack.and_then(|stack| stack.checked_add(word));
            }
            let known = self.views.get(&index.checked_sub(1)?).and_then(Option::as_ref);
            let entered = known.and_then(|view| view.function.stack_at_entry());
            stack = entered.map(|slot| slot.wrapping_add(word)).or(stack);
        }
        let convention = self.convention;
        if let Some(stack) = stack {
            function.find_stack(anchor, stack, &convention, |step| self.popped(step));
        }
        if let Some((begin, slot)) = self.entered_at(index, &function) {
            function.find_stack(begin, slot, &convention, |step| self.popped(step));
        }
        Some(View { frame: index, function, anchor, registers })
    }

    /// The function's first instruction, and where the stack pointer was there, by the frame of its caller.
    fn entered_at(&mut self, index: usize, function: &Function) -> Option<(usize, u64)> {
        let caller = index.checked_add(1)?;
        self.frames.get(caller).filter(|frame| frame.trust >= FrameTrust::FramePointer)?;
        let begin = function.begin()?;
        let behind = self.walked.get(caller)?.get(self.convention.stack_pointer)?;
        let popped = if self.convention.callee_cleans && self.frames.get(caller)?.trust == FrameTrust::Unwound {
            self.code.popped(begin)?
        } else {
            0
        };
        let slot = behind.checked_sub(self.convention.word.cast_unsigned())?.checked_sub(popped.cast_unsigned())?;
        Some((function.index_at(begin)?, slot))
    }

    /// How many bytes the function that a step calls takes from the stack.
    fn popped(&mut self, call: &Step) -> i64 {
        let known = self.plain_target(call.flow).and_then(|target| self.code.popped(target));
        if let Some(known) = known {
            return known;
        }
        // Compilers that keep room for arguments take it again behind such a call.
        let next = self.code.step_at(call.end);
        next.map_or(0, |next| next.moves_stack).min(0).checked_neg().unwrap_or(0)
    }

    /// Where the function of a frame was entered, by the call in its caller.
    fn entered_by(&mut self, index: usize) -> Option<u64> {
        let caller = self.frames.get(index.checked_add(1)?)?;
        if caller.trust < FrameTrust::FramePointer {
            return None;
        }
        let behind = caller.address.0.checked_add(1)?;
        for length in [5, 6, 7, 2, 3, 4] {
            let Some(step) = self.code.step_at(behind.checked_sub(length)?) else { continue };
            if step.end == behind && matches!(step.flow, Flow::Call(_)) {
                let target = self.plain_target(step.flow)?;
                return (self.module_at(target) == self.module_of(index)).then_some(target);
            }
        }
        None
    }

    /// What a call leads to, if its instruction shows it.
    fn plain_target(&mut self, flow: Flow) -> Option<u64> {
        let wide = self.code.process.system.cpu.is_64_bit();
        let target = match flow {
            Flow::Call(Target::Address(address)) => address,
            Flow::Call(Target::Value(From::Load(Place { base: None, has_index: false, displacement }))) => {
                self.code.memory.pointer(displacement.cast_unsigned(), wide)?
            }
            _ => return None,
        };
        Some(self.code.behind_import(target))
    }

    /// What the call `at` leads to. `changed`: the registers that were changed since.
    fn target(&mut self, view: &View, at: usize, changed: u32) -> Option<u64> {
        let flow = view.function.step(at)?.flow;
        if let Some(target) = self.plain_target(flow) {
            return Some(target);
        }
        let Flow::Call(Target::Value(from)) = flow else { return None };
        let wide = self.code.process.system.cpu.is_64_bit();
        let target = match from {
            From::Register(register) => self.register(view, at, register, changed, DEEPEST)?,
            From::Load(place) => {
                let address = self.address(view, at, place, changed, DEEPEST)?;
                self.code.memory.pointer(address, wide)?
            }
            _ => return None,
        };
        Some(self.code.behind_import(target))
    }

    /// The function that called the one in view, if it is surely that.
    fn caller(&mut self, view: &View) -> Option<Rc<View>> {
        let index = view.frame.checked_add(1)?;
        let trust = self.frames.get(index)?.trust;
        if trust < FrameTrust::FramePointer {
            return None;
        }
        let next = self.view(index)?;
        // Between frames that are chained by frame pointers there may be others.
        let target = self.target(&next, next.anchor, 0);
        let other = target.zip(view.function.begin()).is_some_and(|(target, begin)| target != begin);
        (!other || trust > FrameTrust::FramePointer).then_some(next)
    }

    /// Whether a function calls what it was given as an argument.
    fn calls_an_argument(&mut self, view: &Rc<View>) -> bool {
        let Some(Flow::Call(Target::Value(from))) = view.function.step(view.anchor).map(|step| step.flow) else {
            return false;
        };
        let item = match from {
            From::Register(register) => Item::Register(register),
            From::Load(place) => match self.variable(view, view.anchor, place, 0) {
                Ok(word) => Item::Word(word),
                Err(_) => return false,
            },
            _ => return false,
        };
        let (view, before, value) = (Rc::clone(view), view.anchor, None);
        let followed = Followed { view, before, item, value, is_index: false };
        self.sources(&followed, false).iter().any(|source| matches!(source.kind, SourceKind::Entered(_)))
    }

    /// Whether a function stores into what a call in it returned.
    fn fills(&mut self, view: &View, call: usize) -> bool {
        view.function.steps().iter().enumerate().any(|(at, step)| {
            let places = step.stores.iter().flatten().map(|(place, _)| *place).chain(step.spoils);
            places
                .filter_map(|place| place.base)
                .any(|base| base != self.convention.stack_pointer && self.is_result(view, at, base, call))
        })
    }

    /// Whether a register can hold before an instruction what a call returned.
    fn is_result(&self, view: &View, before: usize, register: usize, call: usize) -> bool {
        let mut next = vec![(before, register)];
        let mut seen = HashSet::new();
        while let Some((index, register)) = next.pop() {
            if !seen.insert((index, register)) || seen.len() > MOST_PLACES {
                continue;
            }
            for before in view.function.before(index) {
                let Some(step) = view.function.step(*before) else { continue };
                if matches!(step.flow, Flow::Call(_)) {
                    if register == self.convention.result {
                        if *before == call {
                            return true;
                        }
                    } else if !self.convention.is_volatile(register) {
                        next.push((*before, register));
                    }
                } else if !step.changes(register) {
                    next.push((*before, register));
                } else if let Some(From::Register(from)) = step.set(register) {
                    next.push((*before, from));
                }
            }
        }
        false
    }

    /// Where what is followed came from, on all paths.
    fn sources(&mut self, followed: &Followed, derive: bool) -> Vec<Source> {
        let Followed { view, before, item, value, .. } = followed;
        let changed = if *before == view.anchor { 0 } else { u32::MAX };
        let first = Point { before: *before, item: *item, added: Some(0), changed, derived: false };
        let mut next = VecDeque::from([first]);
        let mut seen: HashSet<(usize, Item)> = HashSet::new();
        let mut sources = Vec::new();
        while let Some(point) = next.pop_front() {
            if !seen.insert((point.before, point.item)) {
                continue;
            }
            if seen.len() > MOST_PLACES {
                sources.push(Source {
                    kind: SourceKind::Unknown(OriginEnd::Limit),
                    fits: None,
                    derived: false,
                    moved: false,
                });
                break;
            }
            if view.function.is_entry(point.before) {
                sources.extend(self.entered(view, point, *value));
            } else if view.function.before(point.before).is_empty() {
                sources.push(point.source(SourceKind::Unknown(OriginEnd::NoCode), None));
            }
            for index in view.function.before(point.before) {
                let Some(step) = view.function.step(*index).copied() else { continue };
                self.back(view, &step, Point { before: *index, ..point }, *value, derive, (&mut next, &mut sources));
            }
        }
        sources
    }

    /// What is followed at the first instruction of a function.
    fn entered(&mut self, view: &View, point: Point, value: Option<u64>) -> Option<Source> {
        let convention = &self.convention;
        let kind = match point.item {
            Item::Register(register) => {
                let handed = convention.arguments.contains(&register) || !convention.is_volatile(register);
                // Compilers read nothing that nobody has set: no such path exists.
                handed.then_some(SourceKind::Entered(point.item))?
            }
            Item::Word(address) => {
                let slot = view.function.stack_at_entry();
                let above = slot.and_then(|slot| address.checked_sub(slot));
                match above {
                    Some(above) if above.cast_signed() >= convention.first_on_stack => SourceKind::Entered(point.item),
                    _ => SourceKind::Unknown(OriginEnd::Local),
                }
            }
        };
        let fits = match point.item {
            Item::Word(address) => {
                let wide = self.code.process.system.cpu.is_64_bit();
                let held = self.code.memory.pointer(address, wide);
                held.zip(value)
                    .zip(point.added)
                    .and_then(|((held, value), added)| same(held.wrapping_add_signed(added), value).then_some(true))
            }
            Item::Register(_) => None,
        };
        Some(point.source(kind, fits))
    }

    /// Goes back over one instruction, `point.before`.
    fn back(
        &mut self,
        view: &View,
        step: &Step,
        point: Point,
        value: Option<u64>,
        derive: bool,
        (next, sources): (&mut VecDeque<Point>, &mut Vec<Source>),
    ) {
        let at = point.before;
        let calls = matches!(step.flow, Flow::Call(_));
        let changed = point.changed | step.writes | if calls { self.convention.volatile } else { 0 };
        let point = Point { changed, ..point };
        let made = match point.item {
            Item::Register(register) if calls && self.convention.is_volatile(register) => {
                // Nobody reads what a call may have changed: that call does not return.
                if register == self.convention.result {
                    let kind = SourceKind::Returned(at, self.target(view, at, changed));
                    sources.push(point.source(kind, None));
                }
                return;
            }
            Item::Register(register) if calls || !step.changes(register) => return next.push_back(point),
            Item::Register(register) => step.set(register),
            Item::Word(word) if calls => {
                if self.is_handed(view, at, word) {
                    let kind = SourceKind::Filled(self.target(view, at, changed));
                    sources.push(point.source(kind, None));
                    return;
                }
                return next.push_back(point);
            }
            Item::Word(word) => {
                let behind = step.moves_stack.min(0);
                let mut stored = None;
                for (place, from) in step.stores.into_iter().flatten() {
                    let moved = if place.base == Some(self.convention.stack_pointer) { behind } else { 0 };
                    let place = Place { displacement: place.displacement.saturating_add(moved), ..place };
                    if self.address(view, at, place, changed, DEEPEST) == Some(word) {
                        stored = Some(from);
                    }
                }
                let spoiled = step.spoils.is_some_and(|place| {
                    self.address(view, at, place, changed, DEEPEST)
                        .is_some_and(|address| word.wrapping_sub(address) < self.convention.word.cast_unsigned())
                });
                match stored {
                    Some(from) => Some(from),
                    None if spoiled => None,
                    None => return next.push_back(point),
                }
            }
        };
        let Some(from) = made else {
            if derive {
                let read = (0..self.convention.registers())
                    .filter(|register| *register != self.convention.stack_pointer && step.reads_register(*register));
                let derived =
                    read.map(|register| Point { item: Item::Register(register), added: None, derived: true, ..point });
                next.extend(derived);
            }
            sources.push(point.source(SourceKind::Computed, None));
            return;
        };
        let source = |kind, fits| point.source(kind, fits);
        match from {
            From::Constant(constant) => {
                let made = point.added.map(|added| constant.wrapping_add_signed(added));
                let fits = made.zip(value).map(|(made, value)| same(made, value));
                sources.push(source(SourceKind::Constant, fits.filter(|_| !point.derived)));
            }
            From::Register(register) if register == self.convention.stack_pointer => {
                sources.push(source(SourceKind::Constant, None));
            }
            From::Register(register) => next.push_back(Point { item: Item::Register(register), ..point }),
            From::Near(register) => {
                next.push_back(Point { item: Item::Register(register), added: None, ..point });
            }
            From::AddressOf(Place { base: Some(base), has_index: false, displacement })
                if base != self.convention.stack_pointer =>
            {
                let added = point.added.and_then(|added| added.checked_add(displacement));
                next.push_back(Point { item: Item::Register(base), added, ..point });
            }
            From::AddressOf(place) => {
                if derive && place.has_index {
                    let read = (0..self.convention.registers()).filter(|register| step.reads_register(*register));
                    let derived = read.map(|register| Point {
                        item: Item::Register(register),
                        added: None,
                        derived: true,
                        ..point
                    });
                    next.extend(derived);
                    sources.push(source(SourceKind::Computed, None));
                } else {
                    sources.push(source(SourceKind::Constant, None));
                }
            }
            From::Load(place) => match self.variable(view, at, place, changed) {
                Ok(word) => next.push_back(Point { item: Item::Word(word), ..point }),
                Err(loaded) => {
                    let wide = self.code.process.system.cpu.is_64_bit();
                    let held = loaded.address.and_then(|address| self.code.memory.pointer(address, wide));
                    let held = held.zip(value).zip(point.added);
                    let fits = held.is_some_and(|((held, value), added)| same(held.wrapping_add_signed(added), value));
                    sources.push(source(SourceKind::Loaded(loaded), fits.then_some(true)));
                }
            },
        }
    }

    /// The address of a variable of the function or one of its arguments.
    ///
    /// # Errors
    /// Of all other places, the load from it.
    fn variable(&mut self, view: &View, at: usize, place: Place, changed: u32) -> Result<u64, Loaded> {
        let address = self.address(view, at, place, changed, DEEPEST);
        let base = place.base.and_then(|register| self.register(view, at, register, changed, DEEPEST));
        let of_stack = place.base == Some(self.convention.stack_pointer)
            || place.base == Some(self.convention.frame_pointer) && self.is_near_stack(view, at, base);
        match address {
            Some(address) if of_stack => Ok(address),
            _ => Err(Loaded { at, place, address, base }),
        }
    }

    /// Whether a register's value is near to the stack pointer, so that it is the frame's address.
    fn is_near_stack(&self, view: &View, at: usize, value: Option<u64>) -> bool {
        const LARGEST_FRAME: u64 = 1 << 16;
        let stack = view.function.stack(at).or_else(|| view.function.stack(view.anchor));
        let above = value.zip(stack).map(|(value, stack)| value.wrapping_sub(stack));
        above.is_some_and(|above| above <= LARGEST_FRAME)
    }

    /// The address of a place before an instruction, as far as its register's value is known there.
    fn address(&mut self, view: &View, at: usize, place: Place, changed: u32, depth: u32) -> Option<u64> {
        let address = match place {
            Place { has_index: true, .. } => return None,
            Place { base: None, displacement, .. } => displacement.cast_unsigned(),
            Place { base: Some(base), displacement, .. } => {
                self.register(view, at, base, changed, depth)?.wrapping_add_signed(displacement)
            }
        };
        Some(if self.code.process.system.cpu.is_64_bit() { address } else { address & 0xFFFF_FFFF })
    }

    /// The value of a register before an instruction: what it still was at the instruction under way, or what every path to
    /// the place put there.
    fn register(&mut self, view: &View, at: usize, register: usize, changed: u32, depth: u32) -> Option<u64> {
        if register == self.convention.stack_pointer {
            return view.function.stack(at);
        }
        let bit = u32::try_from(register).ok().and_then(|bit| 1_u32.checked_shl(bit))?;
        if changed & bit == 0 {
            return view.registers.get(register).copied().flatten();
        }
        let depth = depth.checked_sub(1)?;
        let mut next = vec![at];
        let mut seen = HashSet::new();
        let mut found = None;
        while let Some(index) = next.pop() {
            if !seen.insert(index) {
                continue;
            }
            if seen.len() > MOST_PLACES || view.function.is_entry(index) || view.function.before(index).is_empty() {
                return None;
            }
            for before in view.function.before(index) {
                let step = *view.function.step(*before)?;
                if matches!(step.flow, Flow::Call(_)) {
                    if self.convention.is_volatile(register) {
                        return None;
                    }
                    next.push(*before);
                    continue;
                }
                if !step.changes(register) {
                    next.push(*before);
                    continue;
                }
                let value = match step.set(register)? {
                    From::Constant(value) => value,
                    From::Register(from) => self.register(view, *before, from, u32::MAX, depth)?,
                    From::AddressOf(place) => self.address(view, *before, place, u32::MAX, depth)?,
                    From::Load(place @ Place { base: None, has_index: false, .. }) => {
                        let address = self.address(view, *before, place, u32::MAX, depth)?;
                        let wide = self.code.process.system.cpu.is_64_bit();
                        self.code.memory.pointer(address, wide)?
                    }
                    From::Load(_) | From::Near(_) => return None,
                };
                if found.is_some_and(|found| found != value) {
                    return None;
                }
                found = Some(value);
            }
        }
        found
    }

    /// Whether a call hands the address of a variable, or of what holds it, to the function that it calls.
    fn is_handed(&mut self, view: &View, call: usize, word: u64) -> bool {
        let holds = |address: u64| address <= word && word.wrapping_sub(address) < LARGEST_VARIABLE;
        let mut handed = Vec::new();
        for register in self.convention.arguments {
            handed.extend(self.register(view, call, *register, u32::MAX, DEEPEST));
        }
        if self.convention.callee_cleans {
            handed.extend(self.on_stack(view, call));
        }
        handed.into_iter().any(holds)
    }

    /// The addresses that are put onto the stack right before a call.
    fn on_stack(&mut self, view: &View, call: usize) -> Vec<u64> {
        let mut found = Vec::new();
        let mut index = call;
        while let Some(before) = view.function.before(index).first().copied() {
            let Some(step) = view.function.step(before).copied() else { break };
            if matches!(step.flow, Flow::Call(_)) || call.wrapping_sub(before) > MOST_BEFORE_STOP {
                break;
            }
            for (place, from) in step.stores.into_iter().flatten() {
                if let (Some(4), From::Register(register)) = (place.base, from) {
                    found.extend(self.register(view, before, register, u32::MAX, DEEPEST));
                }
            }
            index = before;
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

/// Of all sources, the one that the value shows; else the one that leads furthest. `derive`: whether what a value was computed
/// from comes before its computation.
fn choose(sources: &[Source], derive: bool) -> Option<Source> {
    let rank = |kind: &SourceKind| match kind {
        SourceKind::Entered(_) => 0,
        SourceKind::Filled(_) => 1,
        SourceKind::Returned(..) => 2,
        SourceKind::Loaded(_) => 3,
        SourceKind::Computed => 4,
        SourceKind::Constant => 5,
        SourceKind::Unknown(_) => 6,
    };
    let possible = sources.iter().filter(|source| source.fits != Some(false) && (derive || !source.derived));
    let best = possible.min_by_key(|source| {
        let computed = derive && matches!(source.kind, SourceKind::Computed);
        (source.fits != Some(true), computed, source.derived, rank(&source.kind))
    });
    best.copied()
}

/// Whether two values are the same, as far as both have bits.
fn same(one: u64, other: u64) -> bool {
    let narrow = one >> 32 == 0 || other >> 32 == 0;
    if narrow {
        one & 0xFFFF_FFFF == other & 0xFFFF_FFFF && (one == other || is_extended(one) || is_extended(other))
    } else {
        one == other
    }
}

/// Whether a value is one of 32 bits with its sign carried on.
fn is_extended(value: u64) -> bool {
    value >> 32 == 0xFFFF_FFFF
}

#[cfg(test)]
mod tests;
