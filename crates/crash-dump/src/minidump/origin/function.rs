//! One function: its instructions, which of them lead to which, and where its stack is.

use std::collections::{BTreeMap, VecDeque};

use super::step::{Convention, Flow, Step};

/// The instructions of a function as far as they are at hand.
pub struct Function {
    /// By address.
    steps: Vec<Step>,
    /// For each, those right before it on some path.
    before: Vec<Vec<usize>>,
    /// For each, those right behind it.
    behind: Vec<Vec<usize>>,
    /// The first one, if it is known.
    entry: Option<usize>,
    /// The stack pointer before each, where it is known.
    stack: Vec<Option<u64>>,
}

impl Function {
    /// A function of these instructions, by their addresses, that begins at `entry`.
    pub fn new(steps: BTreeMap<u64, Step>, entry: Option<u64>) -> Self {
        let steps: Vec<Step> = steps.into_values().collect();
        let index = |address: u64| steps.binary_search_by_key(&address, |step| step.address).ok();
        let mut before = vec![Vec::new(); steps.len()];
        let mut behind = vec![Vec::new(); steps.len()];
        for (from, step) in steps.iter().enumerate() {
            let falls = matches!(step.flow, Flow::Next | Flow::Branch(_) | Flow::Call(_)).then_some(step.end);
            let jumps = match step.flow {
                Flow::Branch(to) | Flow::Jump(Some(to)) => Some(to),
                _ => None,
            };
            for to in [falls, jumps].into_iter().flatten().filter_map(index) {
                if let (Some(before), Some(behind)) = (before.get_mut(to), behind.get_mut(from)) {
                    before.push(from);
                    behind.push(to);
                }
            }
        }
        let entry = entry.and_then(index);
        let stack = vec![None; steps.len()];
        Self { steps, before, behind, entry, stack }
    }

    /// An instruction.
    pub fn step(&self, index: usize) -> Option<&Step> {
        self.steps.get(index)
    }

    /// The instruction that an address lies in.
    pub fn index_at(&self, address: u64) -> Option<usize> {
        let after = self.steps.partition_point(|step| step.address <= address);
        let index = after.checked_sub(1)?;
        (address < self.steps.get(index)?.end).then_some(index)
    }

    /// The instructions right before one.
    pub fn before(&self, index: usize) -> &[usize] {
        self.before.get(index).map_or(&[], Vec::as_slice)
    }

    /// All instructions, by address.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether an instruction is the function's first.
    pub fn is_entry(&self, index: usize) -> bool {
        self.entry == Some(index)
    }

    /// The address of the first instruction, if it is known.
    pub fn begin(&self) -> Option<u64> {
        self.steps.get(self.entry?).map(|step| step.address)
    }

    /// The stack pointer before an instruction.
    pub fn stack(&self, index: usize) -> Option<u64> {
        *self.stack.get(index)?
    }

    /// The stack pointer where the function was entered.
    pub fn stack_at_entry(&self) -> Option<u64> {
        self.stack(self.entry?)
    }

    /// Finds where the stack pointer is before each instruction, from where it is before one of them on. `popped` tells how
    /// many bytes the function that an instruction calls takes from the stack.
    pub fn find_stack(
        &mut self,
        known: usize,
        value: u64,
        convention: &Convention,
        mut popped: impl FnMut(&Step) -> i64,
    ) {
        let moved: Vec<Option<i64>> = self
            .steps
            .iter()
            .map(|step| match step.flow {
                Flow::Call(_) => Some(if convention.callee_cleans { popped(step) } else { 0 }),
                _ if step.moves_stack == 0 && step.changes(convention.stack_pointer) => None,
                _ => Some(step.moves_stack),
            })
            .collect();
        let moved = |index: usize| moved.get(index).copied().flatten();
        let mut next = VecDeque::from([(known, value)]);
        while let Some((index, value)) = next.pop_front() {
            let Some(place) = self.stack.get_mut(index).filter(|place| place.is_none()) else { continue };
            *place = Some(value);
            for before in self.before(index) {
                if let Some(by) = moved(*before) {
                    next.push_back((*before, value.wrapping_sub(by.cast_unsigned())));
                }
            }
            if let Some(by) = moved(index) {
                let behind = self.behind.get(index).into_iter().flatten();
                next.extend(behind.map(|behind| (*behind, value.wrapping_add(by.cast_unsigned()))));
            }
        }
    }
}
