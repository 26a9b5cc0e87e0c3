//! Which module gave the value that made another one fail, by the data flow that the dump shows.
//!
//! The module that stumbles is the first on the stack that is no carrier. What it was given is followed to the first module that
//! did more than to pass it on: made it, took it from somewhere, or handed out the object that holds it.

use super::basis::Basis;
use super::caller::beyond;
use super::fault_site::Carriers;
use super::incident::Suspect;
use evidence::{AddressKind, ExceptionCode, Frame, Giver, GiverKind, Givers, LoadedModule, OriginEnd, ProcessDump};

/// The module that gave the value on which the code from the frame `start` on stumbled; `None` where that code made it
/// itself, or nothing shows it.
pub(super) fn giver(dump: &ProcessDump, start: usize, carriers: &dyn Carriers) -> Option<Suspect> {
    let stack = Stack {
        dump,
        carriers,
        frames: &dump.thread.as_ref()?.frames,
        modules: dump.modules.as_deref().unwrap_or_default(),
    };
    if dump.exception.as_ref()?.code == ExceptionCode::STACK_OVERFLOW {
        return stack.recursion();
    }
    let stumbles = stack.stumbles(start)?;
    let found = stack.followed(stumbles)?;
    stack.blamed(found, stumbles)
}

struct Stack<'d> {
    dump: &'d ProcessDump,
    carriers: &'d dyn Carriers,
    frames: &'d [Frame],
    modules: &'d [LoadedModule],
}

impl<'d> Stack<'d> {
    fn module(&self, index: Option<usize>) -> Option<&'d LoadedModule> {
        self.modules.get(index?)
    }

    fn module_of(&self, frame: usize) -> Option<&'d LoadedModule> {
        self.module(self.frames.get(frame)?.module)
    }

    /// Whether a module only works for its callers.
    fn passes(&self, module: &LoadedModule) -> bool {
        let name = module.name();
        self.carriers.is_carrier(name) || self.carriers.is_prefix(name) || self.carriers.is_sentinel(name)
    }

    /// The frame that stumbles: the first of no carrier, from `start` on, that is surely one of the stack.
    fn stumbles(&self, start: usize) -> Option<usize> {
        let sure =
            self.frames.iter().enumerate().skip(start).take_while(|(_, frame)| Basis::of(frame) >= Basis::FramePointer);
        let mut sure = sure.map(|(index, _)| index);
        sure.find(|index| self.module_of(*index).is_none_or(|module| !self.passes(module)))
            .or((start < self.frames.len()).then_some(start))
    }

    /// What was followed from there, or from the carrier that it called.
    fn followed(&self, stumbles: usize) -> Option<&'d Givers> {
        let all = &self.dump.detail.givers;
        let own = |givers: &&Givers| {
            let mut between = stumbles..=givers.start;
            givers.start >= stumbles
                && between.all(|frame| {
                    self.frames.get(frame).map(|frame| frame.module)
                        == self.frames.get(stumbles).map(|frame| frame.module)
                })
        };
        all.iter().find(|givers| !givers.compared).or_else(|| all.iter().find(own))
    }

    fn blamed(&self, found: &'d Givers, stumbles: usize) -> Option<Suspect> {
        let stumbling = self.module_of(stumbles);
        let is_stumbling = |module: &LoadedModule| stumbling.is_some_and(|stumbling| std::ptr::eq(stumbling, module));
        let mut blamed: Option<Blamed<'d>> = None;
        // Code that moves a pointer until it leads out of memory may go too far by itself.
        let first = found.givers.iter().find(|giver| giver.how == GiverKind::Argument);
        if found.start == stumbles && first.is_some_and(|giver| giver.moved) && self.leads_out() {
            return None;
        }
        for giver in &found.givers {
            let Some(module) = self.module(giver.module).filter(|module| !self.passes(module)) else {
                if matches!(giver.how, GiverKind::ReturnValue | GiverKind::OutParameter) {
                    return self.suspect(blamed, stumbles, found);
                }
                continue;
            };
            let own = is_stumbling(module);
            let passed_on = blamed.as_ref().is_none_or(|blamed| blamed.on_behalf);
            let made_here = self.module_of(giver.frame).is_some_and(|frame| std::ptr::eq(frame, module));
            match giver.how {
                GiverKind::Argument if own => blamed = None,
                GiverKind::Argument => blamed = Some(Blamed { module, giver, on_behalf: giver.on_behalf }),
                // What a module took out of an object and handed on, or computed, it gave.
                GiverKind::Field | GiverKind::Computed if own || passed_on => {}
                GiverKind::Field | GiverKind::Computed => return self.suspect(blamed, stumbles, found),
                GiverKind::Fills if own => return None,
                GiverKind::Fills => {
                    blamed = Some(Blamed { module, giver, on_behalf: false });
                    return self.suspect(blamed, stumbles, found);
                }
                GiverKind::Global | GiverKind::Local | GiverKind::Table | GiverKind::Register if own => {}
                GiverKind::ReturnValue | GiverKind::OutParameter if own || made_here || giver.moved => {
                    return self.suspect(blamed, stumbles, found);
                }
                _ => {
                    blamed = Some(Blamed { module, giver, on_behalf: false });
                    return self.suspect(blamed, stumbles, found);
                }
            }
        }
        self.suspect(blamed, stumbles, found)
    }

    /// Whether what was accessed is no null pointer and nothing that is there and forbidden.
    fn leads_out(&self) -> bool {
        use AddressKind::{Committed, Module, NullPage, Protected, Stack};
        let kind = self.dump.detail.wanted.as_ref().and_then(|wanted| wanted.kind);
        !matches!(kind, Some(NullPage | Protected | Module | Committed | Stack))
    }

    fn suspect(&self, blamed: Option<Blamed<'d>>, stumbles: usize, found: &Givers) -> Option<Suspect> {
        let name = self.module_of(stumbles).map_or("code outside of all modules", LoadedModule::name);
        if let Some(blamed) = blamed.as_ref().filter(|blamed| !blamed.on_behalf) {
            let basis = self.frames.get(blamed.giver.frame).map_or(Basis::Scanned, Basis::of).min(Basis::Unwound);
            let what = if found.compared { "the value that its check refused" } else { "the bad value" };
            let object = if found.compared {
                "the object that its check refused"
            } else {
                "the object that holds the bad value"
            };
            let how = match blamed.giver.how {
                GiverKind::Argument => format!("its code handed {what} to {name}"),
                GiverKind::ReturnValue => format!("its function returned {what}, on which {name} stumbled"),
                GiverKind::OutParameter => format!("its function should have stored what {name} then used"),
                GiverKind::Fills => format!("its code filled in {object} and handed it to {name}"),
                GiverKind::Global => format!("{object} lies in its data, and {name} stumbled on it"),
                GiverKind::Table => format!("{object} has its functions, and {name} stumbled on it"),
                GiverKind::Local => format!("{object} is a variable of its function, and {name} stumbled on it"),
                GiverKind::Register => {
                    format!("{name} called to where no code is, and a register still leads to the module's data")
                }
                GiverKind::Field | GiverKind::Computed => return None,
            };
            return Some(Suspect::from_module(blamed.module, basis, how));
        }
        // What came through carriers, or from a caller whose code is not at hand, came from beyond them.
        let last = found.givers.iter().filter(|giver| giver.how == GiverKind::Argument).map(|giver| giver.frame).max();
        let reached = last.unwrap_or(found.start);
        let through = blamed.is_some_and(|blamed| blamed.on_behalf)
            || last.is_some_and(|last| self.module_of(last).is_some_and(|module| self.passes(module)));
        // What was not followed into the code that stumbles, that may have made.
        if reached < stumbles || !(found.end == OriginEnd::Argument || through) {
            return None;
        }
        let beyond = beyond(self.dump, reached, "", self.carriers)?;
        if self.module_of(stumbles).is_some_and(|own| std::ptr::eq(own, beyond.module)) {
            return None;
        }
        let what = if found.compared { "a value that its check refused" } else { "the bad value" };
        let reason = format!(
            "{name} was given {what} as an argument, and it is the first other module on the stack{}",
            beyond.doubt()
        );
        Some(Suspect::from_module(beyond.module, beyond.basis, reason))
    }

    /// Of an endless recursion through several modules, the one that does not only call what it was given.
    fn recursion(&self) -> Option<Suspect> {
        let given = |module: usize| {
            let by =
                |givers: &Givers| givers.givers.iter().any(|giver| giver.on_behalf && giver.module == Some(module));
            self.dump.detail.givers.iter().any(by)
        };
        let count = |wanted: usize| self.frames.iter().filter(|frame| frame.module == Some(wanted)).count();
        let modules = self.frames.iter().filter_map(|frame| frame.module).filter(|module| !given(*module));
        let mut own: Vec<usize> =
            modules.filter(|index| self.modules.get(*index).is_some_and(|module| !self.passes(module))).collect();
        // In a recursion the addresses on the stack are there again and again: the most frequent one is live.
        own.sort_by_key(|index| std::cmp::Reverse(count(*index)));
        let index = *own.first()?;
        let module = self.modules.get(index)?;
        let frame = self.frames.iter().find(|frame| frame.module == Some(index))?;
        let reason = "its code is on the stack again and again, and does not only call what others give it";
        Some(Suspect::from_module(module, Basis::of(frame), reason))
    }
}

struct Blamed<'d> {
    module: &'d LoadedModule,
    giver: &'d Giver,
    /// Whether its code only works for its caller.
    on_behalf: bool,
}

#[cfg(test)]
mod tests {
    use super::super::fault_site::CarriersByName;
    use super::*;
    use evidence::{Address, CrashThread, Exception, FrameTrust};

    const CARRIERS: CarriersByName = CarriersByName { carriers: &["msvcrt.dll"], windows_drivers: &[] };
    const MODULES: [&str; 5] = ["app.exe", "msvcrt.dll", "lib.dll", "plugin.dll", "host.dll"];

    /// A crash with these frames, by their modules' numbers in [`MODULES`], and what was followed from its innermost one.
    fn dump(frames: &[usize], trust: FrameTrust, givers: Vec<Giver>, end: OriginEnd) -> ProcessDump {
        let module = |(index, name): (u64, &&str)| LoadedModule {
            name: (*name).into(),
            path: (*name).into(),
            version: None,
            base: Address(index.wrapping_add(1) << 20),
            size: 0x1_0000,
            timestamp: 0,
            debug_id: None,
            debug_file: None,
        };
        let frame = |(position, module): (usize, &usize)| Frame {
            address: Address((*module as u64).wrapping_add(1) << 20),
            module: Some(*module),
            trust: if position == 0 { FrameTrust::Exact } else { trust },
            probability: (position > 0 && trust == FrameTrust::Scanned).then_some(0.53),
            call: None,
            function: None,
            source: None,
            inlined: Vec::new(),
        };
        let exception = Exception {
            code: ExceptionCode::ACCESS_VIOLATION,
            flags: 0,
            address: Address(0),
            parameters: Vec::new(),
            foreign_reason: None,
        };
        let mut dump = super::super::fault_site::dump_for_tests(exception);
        dump.modules = Some((0..).zip(&MODULES).map(module).collect());
        let frames = frames.iter().enumerate().map(frame).collect();
        dump.thread = Some(CrashThread { id: 1, name: None, instruction_pointer: None, frames, missing: Vec::new() });
        dump.detail.givers = vec![Givers { start: 0, compared: false, givers, end }];
        dump
    }

    fn by(frame: usize, module: usize, how: GiverKind) -> Giver {
        Giver { frame, module: Some(module), how, on_behalf: false, moved: false }
    }

    fn suspect_of(frames: &[usize], givers: Vec<Giver>, end: OriginEnd) -> Option<String> {
        let dump = dump(frames, FrameTrust::Unwound, givers, end);
        giver(&dump, 0, &CARRIERS).map(|suspect| suspect.module.to_string())
    }

    #[test]
    fn who_hands_in_a_bad_value_is_the_suspect() {
        use GiverKind::*;
        let of = |givers, end| suspect_of(&[2, 3, 0], givers, end);
        assert_eq!(of(vec![by(1, 3, Argument)], OriginEnd::Constant).as_deref(), Some("plugin.dll"));
        assert_eq!(of(vec![by(1, 3, Argument), by(2, 0, Argument)], OriginEnd::Constant).as_deref(), Some("app.exe"));
        let taken_out = vec![by(1, 3, Argument), by(1, 3, Field), by(2, 0, Argument)];
        assert_eq!(of(taken_out, OriginEnd::Constant).as_deref(), Some("plugin.dll"), "it took it out of an object");
        assert_eq!(of(Vec::new(), OriginEnd::Constant), None, "made by the code at the fault itself");
        assert_eq!(
            of(Vec::new(), OriginEnd::Argument).as_deref(),
            Some("plugin.dll"),
            "the caller's code is not at hand"
        );
    }

    #[test]
    fn who_works_for_its_caller_is_passed_over() {
        use GiverKind::*;
        let through = Giver { on_behalf: true, ..by(1, 2, Argument) };
        let givers = vec![through, by(1, 2, Field), by(2, 0, Argument)];
        assert_eq!(suspect_of(&[3, 2, 0], givers, OriginEnd::Constant).as_deref(), Some("app.exe"));
        let runtime = vec![by(1, 2, Argument), by(2, 0, Argument)];
        assert_eq!(
            suspect_of(&[1, 2, 0], runtime, OriginEnd::Constant).as_deref(),
            Some("app.exe"),
            "the runtime, called by a library"
        );
    }

    #[test]
    fn whose_object_it_is_and_who_returned_it() {
        use GiverKind::*;
        let of = |givers| suspect_of(&[2, 0], givers, OriginEnd::Field);
        assert_eq!(of(vec![by(0, 2, Field), by(0, 3, Table)]).as_deref(), Some("plugin.dll"));
        assert_eq!(of(vec![by(0, 3, ReturnValue)]).as_deref(), Some("plugin.dll"));
        assert_eq!(of(vec![by(0, 1, ReturnValue)]), None, "the runtime says that it has none");
        let own_object = vec![by(0, 2, Field), by(1, 0, Argument), by(1, 2, ReturnValue)];
        assert_eq!(of(own_object).as_deref(), Some("app.exe"), "it got the object there and broke it");
    }

    #[test]
    fn a_scanned_frame_is_named_where_it_is_likely_one() {
        let mut dump = dump(&[2, 3, 0], FrameTrust::Scanned, Vec::new(), OriginEnd::Argument);
        let suspect = giver(&dump, 0, &CARRIERS).expect("a suspect");
        assert_eq!((&*suspect.module, suspect.basis.word()), ("plugin.dll", "scanned"));
        assert!(suspect.reason.contains("47 % are"), "{}", suspect.reason);
        if let Some(frame) = dump.thread.as_mut().and_then(|thread| thread.frames.get_mut(1)) {
            frame.probability = Some(0.34);
        }
        let suspect = giver(&dump, 0, &CARRIERS).expect("a suspect");
        assert_eq!(&*suspect.module, "app.exe");
    }
}
