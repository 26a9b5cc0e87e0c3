//! The functions of frames: their code, their registers and stack, and which function called them.

use std::rc::Rc;

use super::super::function::Function;
use super::super::step::{Flow, From, Place, Step, Target};
use super::paths::DEEPEST;
use super::{Search, View};
use evidence::{Address, FrameTrust};

impl Search<'_, '_, '_> {
    /// Whether a frame called to where no code is, so that its registers are still there.
    fn is_called_from(&self, frame: usize) -> bool {
        frame == 1
            && self.frames.first().is_some_and(|frame| frame.module.is_none())
            && self.code.process.detail.access.as_ref().is_none_or(|access| access.operand.is_none())
    }

    pub(super) fn module_of(&self, frame: usize) -> Option<usize> {
        self.frames.get(frame)?.module
    }

    pub(super) fn module_at(&self, address: u64) -> Option<usize> {
        self.code.process.module_at(Address(address)).map(|(index, _)| index)
    }

    /// The function of a frame.
    pub(super) fn view(&mut self, frame: usize) -> Option<Rc<View>> {
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
    pub(super) fn target(&mut self, view: &View, at: usize, changed: u32) -> Option<u64> {
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
    pub(super) fn caller(&mut self, view: &View) -> Option<Rc<View>> {
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
}
