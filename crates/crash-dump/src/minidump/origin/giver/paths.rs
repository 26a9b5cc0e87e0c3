//! Where a value in a function came from, over all paths.

use std::collections::{HashSet, VecDeque};

use super::super::step::{Flow, From, Place, Step};
use super::{Followed, Item, Loaded, MOST_BEFORE_STOP, MOST_PLACES, Point, Search, Source, SourceKind, View};
use evidence::OriginEnd;

/// How deep definitions of a register are followed for its value.
pub(super) const DEEPEST: u32 = 4;
/// How far behind its beginning an object that a function is given may hold a variable, bytes.
const LARGEST_VARIABLE: u64 = 64;

impl Search<'_, '_, '_> {
    /// Where what is followed came from, on all paths.
    pub(super) fn sources(&mut self, followed: &Followed, derive: bool) -> Vec<Source> {
        let Followed { view, before, item, value, .. } = followed;
        let changed = if *before == view.anchor { 0 } else { u32::MAX };
        let first = Point { before: *before, item: *item, added: Some(0), changed, derived: false };
        let mut next = VecDeque::from([first]);
        let mut seen: HashSet<(usize, Item, bool)> = HashSet::new();
        let mut sources = Vec::new();
        while let Some(point) = next.pop_front() {
            if !seen.insert((point.before, point.item, point.added.is_none())) {
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
                    .filter(|_| !point.derived)
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
                let derived = read.map(|register| Point { item: Item::Register(register), derived: true, ..point });
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
                    let derived = read.map(|register| Point { item: Item::Register(register), derived: true, ..point });
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
                    let held = held.zip(value).zip(point.added).filter(|_| !point.derived);
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
    pub(super) fn variable(&mut self, view: &View, at: usize, place: Place, changed: u32) -> Result<u64, Loaded> {
        let address = self.address(view, at, place, changed, DEEPEST);
        let base = place.base.and_then(|register| self.register(view, at, register, changed, DEEPEST));
        let of_stack = place.base == Some(self.convention.stack_pointer)
            || place.base == Some(self.convention.frame_pointer) && self.is_near_stack(view, at, base)
            || place.base.is_some_and(|base| self.is_made_of_stack_pointer(view, at, base));
        match address {
            Some(address) if of_stack => Ok(address),
            _ => Err(Loaded { at, place, address, base }),
        }
    }

    /// Whether every path to a place sets a register to an address on the function's own stack: compilers reach arguments by such
    /// a register where they align the stack.
    fn is_made_of_stack_pointer(&self, view: &View, at: usize, register: usize) -> bool {
        let stack_pointer = self.convention.stack_pointer;
        let (mut next, mut seen, mut found) = (vec![at], HashSet::new(), false);
        while let Some(index) = next.pop() {
            if !seen.insert(index) {
                continue;
            }
            let before = view.function.before(index);
            if seen.len() > MOST_PLACES || view.function.is_entry(index) || before.is_empty() {
                return false;
            }
            for before in before {
                let Some(step) = view.function.step(*before) else { return false };
                let calls = matches!(step.flow, Flow::Call(_));
                if calls && self.convention.is_volatile(register) {
                    return false;
                }
                if calls || !step.changes(register) {
                    next.push(*before);
                    continue;
                }
                found = match step.set(register) {
                    Some(From::Register(from)) => from == stack_pointer,
                    Some(From::AddressOf(place)) => place.base == Some(stack_pointer) && !place.has_index,
                    _ => false,
                };
                if !found {
                    return false;
                }
            }
        }
        found
    }

    /// Whether a register's value is near to the stack pointer, so that it is the frame's address.
    fn is_near_stack(&self, view: &View, at: usize, value: Option<u64>) -> bool {
        const LARGEST_FRAME: u64 = 1 << 16;
        let stack = view.function.stack(at).or_else(|| view.function.stack(view.anchor));
        let above = value.zip(stack).map(|(value, stack)| value.wrapping_sub(stack));
        above.is_some_and(|above| above <= LARGEST_FRAME)
    }

    /// The address of a place before an instruction, as far as its register's value is known there.
    pub(super) fn address(&mut self, view: &View, at: usize, place: Place, changed: u32, depth: u32) -> Option<u64> {
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
    pub(super) fn register(
        &mut self,
        view: &View,
        at: usize,
        register: usize,
        changed: u32,
        depth: u32,
    ) -> Option<u64> {
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
                if place.base == Some(self.convention.stack_pointer)
                    && let From::Register(register) = from
                {
                    found.extend(self.register(view, before, register, u32::MAX, DEEPEST));
                }
            }
            index = before;
        }
        found
    }
}

/// Of all sources, the one that the value shows; else the one that leads furthest. `derive`: whether what a value was computed
/// from comes before its computation.
pub(super) fn choose(sources: &[Source], derive: bool) -> Option<Source> {
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
