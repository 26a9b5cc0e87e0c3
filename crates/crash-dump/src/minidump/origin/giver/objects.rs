//! Objects that hold a bad value: whose they are, and where the pointer to them came from.

use std::collections::HashSet;
use std::rc::Rc;

use super::super::step::{Flow, From, Target};
use super::{Followed, Item, Loaded, MOST_PLACES, Search, SourceKind, View, giver};
use evidence::{Giver, GiverKind, OriginEnd};

impl Search<'_, '_, '_> {
    /// The object that a value was loaded from, to be followed on; what shows whose it is ends the search.
    pub(super) fn object(
        &mut self,
        view: &Rc<View>,
        loaded: Loaded,
        givers: &mut Vec<Giver>,
    ) -> Result<Followed, OriginEnd> {
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

    /// Whether a function calls what it was given as an argument.
    pub(super) fn calls_an_argument(&mut self, view: &Rc<View>) -> bool {
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
    pub(super) fn fills(&mut self, view: &View, call: usize) -> bool {
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
}
