//! Walking the stack of x86 code on Windows, of 32 and 64 bits.
//!
//! What a function of 64-bit code did to the stack is in its image's tables; with them, or with the call frame information
//! of a `.sym` file, a frame is undone exactly. Where neither is at hand, the code ahead shows what the function will undo
//! before it returns ([`way_out`]). Of 32-bit code that never returns, the call that entered it shows its caller ([`called`]).
//! 32-bit code, and code that was made at run time, mostly keeps a chain of frame pointers. Where nothing of that leads on, the stack is searched for a return address: a guess, because addresses of
//! calls that have long returned stay on the stack wherever nothing overwrote them ([`scan`] grades it).

mod called;
mod cfi;
mod epilogue;
mod frame;
mod registers;
mod scan;
mod way_out;
mod words;

use std::collections::HashMap;

use minidump::{MinidumpMemoryInfoList, MinidumpModule};

pub use self::frame::Entered;
pub use self::registers::Registers;

use self::registers::RBP;
pub use self::registers::RSP;
use self::words::Words;
use super::given::{Given, MOST_FRAMES, is_nowhere, with_source};
use crate::call::{CallTarget, LONGEST_CALL, LONGEST_JUMP, call_at_end, is_jump_through_pointer};
use crate::minidump::image::{Image, Lookup};
use crate::minidump::memory::Memory;
use crate::minidump::symbols::parameter_size;
use crate::minidump::wanted::NULL_PAGES;
use evidence::{Address, Call, Frame, FrameTrust, LoadedModule, ProcessDump};

/// How many words are searched for a return address: from a frame that was undone exactly, and from one that was itself
/// only found. `minidump-unwind` searches as far.
const SEARCHED_WORDS: u64 = 160;
const SEARCHED_WORDS_AFTER_SCAN: u64 = 40;
/// How much of the crashing thread's stack is read at once, bytes above the stack pointer.
const AT_ONCE: u64 = 64 << 10;
/// How much of another thread's stack is read at once, bytes above the stack pointer.
pub const AT_ONCE_OF_OTHERS: u64 = 4 << 10;
/// How many instructions are followed on ways out of functions, of all stacks of a dump together: those of some hundred frames.
const MOST_FOLLOWED: usize = 16 << 10;
/// How many words are searched for calls that entered functions, of all stacks of a dump together: those of some hundred frames.
const MOST_SEARCHED: usize = 32 << 10;
/// Below this address nothing is ever mapped: a return to there is the end of the stack.
const LOWEST_ADDRESS: u64 = 0x1000;
/// Largest frame that a chain of frame pointers may span, bytes. `minidump-unwind` believes frames of 32-bit code up to
/// this size, by a histogram of common libraries in which 99.5 % of all are smaller.
const LARGEST_FRAME: u64 = 128 << 10;

/// The crashing thread's stack. `None` without registers.
pub fn walk(given: &Given<'_, '_>, memory: &mut Memory<'_, '_>, process: &ProcessDump) -> Option<Walked> {
    let registers = Registers::from_context(given.context?)?;
    let mut walk = Walk::new(given, memory, process);
    let place = Address(registers.rip);
    let fetched = walk.is_executable(place.0);
    let entered =
        if is_nowhere(place, process, fetched, walk.memory) { Entered::Nowhere } else { Entered::Interrupted };
    Some(walk.frames(registers, entered, AT_ONCE, MOST_FRAMES))
}

/// A stack that was walked.
#[derive(Debug, Default)]
pub struct Walked {
    /// The frames, innermost first.
    pub frames: Vec<Frame>,
    /// The registers in the frames, in the same order; none where they are not followed.
    pub registers: Vec<Registers>,
    /// The positions of the frames whose caller was searched for, and whose image and symbols are not at hand.
    pub without_caller: Vec<usize>,
}

/// A walk under way.
pub struct Walk<'w, 'g, 'b, 'm, 'f> {
    given: &'w Given<'g, 'b>,
    memory: &'w mut Memory<'m, 'f>,
    words: Words,
    modules: &'w [LoadedModule],
    /// Beginning, end and index of each module, by address.
    ranges: Vec<(u64, u64, usize)>,
    /// The same modules as the `minidump` crate has them, in the same order.
    listed: Vec<&'w MinidumpModule>,
    /// Images by their module's index: the one in the dump, and the one that the user gave.
    images: HashMap<usize, Vec<Image>>,
    /// How many instructions may still be followed on ways out of functions, of all stacks together.
    followed: usize,
    /// How many from where calls lead.
    followed_from_calls: usize,
    /// How many words may still be searched for the call that entered a function, of all stacks together.
    searched: usize,
    /// The dump's list of memory regions; read when first needed.
    regions: Option<Option<MinidumpMemoryInfoList<'g>>>,
}

/// A frame's caller.
struct Caller {
    registers: Registers,
    entered: Entered,
    trust: FrameTrust,
    /// Of a frame that was searched for: how likely it is one.
    probability: Option<f32>,
    /// How many bytes of arguments the function that it called takes from the stack, where symbols show it.
    called: Option<u32>,
}

impl<'w, 'g, 'b, 'm, 'f> Walk<'w, 'g, 'b, 'm, 'f> {
    /// A walk of stacks of a process.
    pub fn new(given: &'w Given<'g, 'b>, memory: &'w mut Memory<'m, 'f>, process: &'w ProcessDump) -> Self {
        let modules = process.modules.as_deref().unwrap_or_default();
        let mut ranges: Vec<_> = (0_usize..)
            .zip(modules)
            .map(|(index, module)| (module.base.0, module.base.0.saturating_add(u64::from(module.size)), index))
            .collect();
        ranges.sort_unstable();
        let listed = given.modules.map_or_else(Vec::new, |list| list.iter().collect());
        let words = Words::new(process.system.cpu.is_64_bit());
        Self {
            given,
            memory,
            words,
            modules,
            ranges,
            listed,
            images: HashMap::new(),
            followed: MOST_FOLLOWED,
            followed_from_calls: MOST_FOLLOWED,
            searched: MOST_SEARCHED,
            regions: None,
        }
    }

    /// The innermost frames of the stack that begins with the registers `innermost`, at most `most`. The first
    /// `at_once` bytes of the stack are read from the dump in one go.
    pub fn frames(&mut self, innermost: Registers, entered: Entered, at_once: u64, most: usize) -> Walked {
        if let Some(pointer) = innermost.get(RSP) {
            self.words.read(pointer, at_once, self.memory);
        }
        let mut walked = Walked::default();
        let first = Caller { registers: innermost, entered, trust: FrameTrust::Exact, probability: None, called: None };
        let mut next = Some(first);
        while let Some(frame) = next.take().filter(|_| walked.frames.len() < most) {
            walked.frames.push(self.frame(&frame));
            walked.registers.push(frame.registers);
            next = match self.undo(&frame) {
                Undo::End => None,
                Undo::Caller(caller) => Some(*caller),
                Undo::Unknown => {
                    if self.lacks_tables(&frame) {
                        walked.without_caller.push(walked.frames.len().saturating_sub(1));
                    }
                    self.scanned(&frame)
                }
            };
        }
        walked
    }

    fn frame(&mut self, frame: &Caller) -> Frame {
        let address = instruction(frame);
        let place = self.place(address);
        let call =
            (frame.entered == Entered::ByCall).then(|| self.call_before(frame.registers.rip)).flatten().flatten();
        let shown = Frame {
            address: Address(address),
            module: place.map(|(index, _)| index),
            trust: frame.trust,
            probability: frame.probability,
            call,
            function: None,
            source: None,
            inlined: Vec::new(),
        };
        match place {
            Some((index, offset)) => self.named(index, offset, shown),
            None => shown,
        }
    }

    /// Undoes a frame by what is known of its code, by the call that entered it, else by its frame pointer.
    fn undo(&mut self, frame: &Caller) -> Undo {
        type Way<W> = fn(&mut W, &Caller) -> Option<(Registers, Entered)>;
        let ways: [(Way<Self>, FrameTrust); 5] = [
            (Self::by_image, FrameTrust::Unwound),
            (Self::by_symbols, FrameTrust::Unwound),
            (Self::by_code, FrameTrust::Unwound),
            (Self::by_call, FrameTrust::Unwound),
            (Self::by_frame_pointer, FrameTrust::FramePointer),
        ];
        for (way, trust) in ways {
            let Some((registers, entered)) = way(self, frame) else { continue };
            if registers.rip < LOWEST_ADDRESS {
                return Undo::End;
            }
            let grows = registers.get(RSP) > frame.registers.get(RSP);
            let returns = entered == Entered::Interrupted || self.follows_call(registers.rip) != Some(false);
            if grows && returns {
                let called = self.parameter_size(frame);
                let caller = Caller { registers, entered, trust, probability: None, called };
                return Undo::Caller(Box::new(caller));
            }
        }
        Undo::Unknown
    }

    fn by_image(&mut self, frame: &Caller) -> Option<(Registers, Entered)> {
        let place = self.place(instruction(frame));
        let lookup = place.map_or(Lookup::NoEntry, |(index, offset)| self.entry(index, offset).1);
        match lookup {
            Lookup::Function(function) => {
                let (index, offset) = place?;
                let (which, _) = self.entry(index, offset);
                let image = self.images.get_mut(&index)?.get_mut(which)?;
                frame::undo(image, self.memory, &self.words, function, offset, (&frame.registers, frame.entered))
            }
            // A function without entry has left the return address where the call put it, and so has a call to where no
            // code is. Only what provably returns from a call is believed to be one.
            Lookup::NoEntry if frame.entered == Entered::Interrupted => {
                let (caller, entered) = frame::returned(frame.registers.kept(), &self.words, self.memory)?;
                (self.follows_call(caller.rip) == Some(true)).then_some((caller, entered))
            }
            // Nothing has run since the call pushed where it returns to, unless it was a return to a damaged address. After that
            // the stack pointer of 64-bit code is aligned otherwise; of 32-bit code the call itself shows it, or the register that
            // it was made by: a return takes its address from the stack. To null hardly any damage leads.
            Lookup::NoEntry | Lookup::Unknown if frame.entered == Entered::Nowhere => {
                let slot = frame.registers.get(RSP)?;
                let (caller, entered) = frame::returned(frame.registers.kept(), &self.words, self.memory)?;
                let null = frame.registers.rip < LOWEST_ADDRESS;
                let shown = match self.returns_to(caller.rip, slot) {
                    Some(false) => null && self.is_made_at_run_time(caller.rip, slot),
                    Some(true) => true,
                    None => self.words.is_wide() || null || frame.registers.leads_to_itself(),
                };
                shown.then_some((caller, entered))
            }
            Lookup::NoEntry | Lookup::Unknown => None,
        }
    }

    fn by_symbols(&mut self, frame: &Caller) -> Option<(Registers, Entered)> {
        let address = instruction(frame);
        let (index, _) = self.place(address)?;
        let module = *self.listed.get(index)?;
        let symbols = self.given.symbols?.of_module(module)?;
        let mut unwinding = symbols.unwinding();
        let caller = unwinding
            .find_map(|symbols| cfi::undo(symbols, module, address, frame.called, &frame.registers, &self.words))?;
        Some((caller, Entered::ByCall))
    }

    /// By the code ahead. Where nothing of the code is known but that it was returned to, the stack pointer there is only
    /// known of a frame that was undone.
    fn by_code(&mut self, frame: &Caller) -> Option<(Registers, Entered)> {
        if frame.entered == Entered::Nowhere || frame.trust == FrameTrust::Scanned {
            return None;
        }
        let (interrupted, wide) = (frame.entered == Entered::Interrupted, self.words.is_wide());
        let (mut registers, lowest) = (frame.registers, frame.registers.get(RSP)?);
        if !wide && frame.trust == FrameTrust::FramePointer {
            // The function that it called may have released its arguments.
            registers.set(RSP, None);
        }
        Some((way_out::caller(&registers, lowest, interrupted, wide, self)?, Entered::ByCall))
    }

    /// By the first return address on the stack whose call leads to the function of the frame: that of 32-bit code that keeps
    /// no frame pointer and has no way out, as it is where a function that does not return was called.
    fn by_call(&mut self, frame: &Caller) -> Option<(Registers, Entered)> {
        if self.words.is_wide() || frame.entered == Entered::Nowhere {
            return None;
        }
        let (rip, slot) = self.entering_call(frame, Some(true))?;
        Some((self.searched_for(frame, rip, slot)?, Entered::ByCall))
    }

    /// The first address on the stack, up to where the frame pointer leads, that a call to the frame's function returns to, and
    /// its slot. `leads` is what [`leads_into`](Self::leads_into) must say of it.
    fn entering_call(&mut self, frame: &Caller, leads: Option<bool>) -> Option<(u64, u64)> {
        let (start, size) = (frame.registers.get(RSP)?, self.words.size());
        let frame_pointer = frame.registers.get(RBP).filter(|base| *base >= start);
        let most = if frame.trust == FrameTrust::Scanned { SEARCHED_WORDS_AFTER_SCAN } else { SEARCHED_WORDS };
        for distance in 0..most {
            let slot = start.checked_add(distance.checked_mul(size)?)?;
            // The frame pointer's own return address is behind all that it left out.
            if frame_pointer.is_some_and(|base| slot > base) {
                return None;
            }
            self.searched = self.searched.checked_sub(1)?;
            let rip = self.words.at(slot, self.memory)?;
            if self.is_in_code(rip)
                && self.follows_call(rip) == Some(true)
                && self.leads_into(rip, slot, frame) == leads
            {
                return Some((rip, slot));
            }
        }
        None
    }

    /// Whether the call of 32-bit code before an address, which is in a slot of the stack, leads to the function of a frame;
    /// `None` where that is not known.
    fn leads_into(&mut self, address: u64, slot: u64, frame: &Caller) -> Option<bool> {
        let (module, _) = self.place(instruction(frame))?;
        let begin = self.called_before(address)?;
        // A function of another module may have gone on in this one.
        self.place(begin).filter(|(index, _)| *index == module)?;
        let stack_pointer = frame.registers.get(RSP)?;
        // What is followed here has a limit of its own.
        let others = std::mem::replace(&mut self.followed, self.followed_from_calls);
        let leads = called::leads_to(begin, frame.registers.rip, self);
        let lowest = stack_pointer.saturating_add(called::room(begin, frame.registers.rip, self));
        self.followed_from_calls = std::mem::replace(&mut self.followed, others);
        // Deeper on the stack the function has its own variables, and in them what an earlier call of it left.
        leads.map(|leads| leads && slot >= lowest)
    }

    /// Where the call before an address of 32-bit code leads, if code and pointers that show it are at hand.
    fn called_before(&mut self, address: u64) -> Option<u64> {
        let mut code = [0; LONGEST_CALL];
        self.fill_code(address.checked_sub(code.len() as u64)?, &mut code)?;
        let target = call_at_end(&code)?.resolve(address, false, |pointer| self.memory.pointer(pointer, false))?;
        let mut jump = [0; 6];
        match self.fill_code(target, &mut jump).map(|()| jump) {
            Some([0xFF, 0x25, pointer @ ..]) => self.memory.pointer(u64::from(u32::from_le_bytes(pointer)), false),
            _ => Some(target),
        }
    }

    /// By the frame pointer: 32-bit code keeps one, and so does code that was made at run time.
    fn by_frame_pointer(&mut self, frame: &Caller) -> Option<(Registers, Entered)> {
        let size = self.words.size();
        // Where no code ran, the frame pointer is that of the caller, whose own frame it would leave out.
        let nowhere = frame.entered == Entered::Nowhere;
        if nowhere || self.words.is_wide() && self.place(instruction(frame)).is_some() {
            return None;
        }
        let (pointer, base) = (frame.registers.get(RSP)?, frame.registers.get(RBP)?);
        let is_frame = |base: u64, below: u64| {
            base.checked_rem(size) == Some(0) && base.checked_sub(below).is_some_and(|size| size <= LARGEST_FRAME)
        };
        if !is_frame(base, pointer) {
            return None;
        }
        let next = self.words.at(base, self.memory)?;
        let rip = self.words.at(base.checked_add(size)?, self.memory)?;
        let mut caller = Registers::with_stack(rip, base.checked_add(size.checked_mul(2)?)?);
        caller.set(RBP, Some(next));
        // The outermost frame has neither.
        if rip < LOWEST_ADDRESS {
            return (next == 0).then_some((caller, Entered::ByCall));
        }
        // Before it is the caller of a function that keeps none.
        if !self.words.is_wide()
            && self.leads_into(rip, base.checked_add(size)?, frame) != Some(true)
            && self.entering_call(frame, None).is_some()
        {
            return None;
        }
        let goes_on = || is_frame(next, base) && next > base;
        let returns = match self.place(rip.checked_sub(1)?) {
            Some(_) => self.may_be_returned_to(rip),
            None => self.is_executable(rip).unwrap_or_else(goes_on),
        };
        returns.then_some((caller, Entered::ByCall))
    }

    /// How many bytes of arguments the function of a frame takes from the stack, by symbols.
    fn parameter_size(&mut self, frame: &Caller) -> Option<u32> {
        if self.words.is_wide() {
            return None;
        }
        let (index, offset) = self.place(instruction(frame))?;
        let symbols = self.given.symbols?.of_module(*self.listed.get(index)?);
        let of_module = symbols
            .as_ref()
            .and_then(|symbols| symbols.unwinding().find_map(|symbols| parameter_size(symbols, u64::from(offset))));
        Some(of_module.unwrap_or(0))
    }

    /// Searches the stack for a return address.
    fn scanned(&mut self, frame: &Caller) -> Option<Caller> {
        let searched = if frame.trust == FrameTrust::Scanned { SEARCHED_WORDS_AFTER_SCAN } else { SEARCHED_WORDS };
        let (start, size) = (frame.registers.get(RSP)?, self.words.size());
        for distance in 0..searched {
            let slot = start.checked_add(distance.checked_mul(size)?)?;
            let rip = self.words.at(slot, self.memory)?;
            let returns = self.returns_to(rip, slot) != Some(false);
            if returns && (self.words.is_wide() || self.leads_into(rip, slot, frame) != Some(false)) {
                let likely = if self.words.has_twice(rip) { scan::REPEATED } else { scan::ONCE };
                return Some(Caller {
                    registers: self.searched_for(frame, rip, slot)?,
                    entered: Entered::ByCall,
                    trust: FrameTrust::Scanned,
                    // Nothing was measured of 32-bit code.
                    probability: self.words.is_wide().then_some(likely),
                    called: None,
                });
            }
        }
        None
    }

    /// The registers of a frame that was searched for. The function that it called may have stored the frame pointer right
    /// below the return address, or not have changed it.
    fn searched_for(&mut self, frame: &Caller, rip: u64, slot: u64) -> Option<Registers> {
        let above = slot.checked_add(self.words.size())?;
        let mut registers = Registers::with_stack(rip, above);
        if !self.words.is_wide() {
            let stored = slot.checked_sub(self.words.size()).and_then(|below| self.words.at(below, self.memory));
            let is_above = |base: &u64| base.checked_sub(above).is_some_and(|distance| distance <= LARGEST_FRAME);
            registers.set(RBP, stored.filter(is_above).or(frame.registers.get(RBP).filter(is_above)));
        }
        Some(registers)
    }

    /// Whether the address in a slot of the stack is one that a call returns to; `None` where it lies in a module's code, but the
    /// code before it is not at hand.
    fn returns_to(&mut self, address: u64, slot: u64) -> Option<bool> {
        // Before a call the stack pointer of 64-bit code is a multiple of 16 ("x64 stack usage" of Microsoft's documentation).
        let aligned = !self.words.is_wide() || slot.checked_rem(16) == Some(8);
        if !aligned || !self.is_in_code(address) {
            return Some(false);
        }
        self.follows_call(address)
    }

    /// Whether what the slot of a return address holds can be an address in code that was made at run time: in no module, not
    /// on the stack, and in memory that may be executed where the dump lists it.
    fn is_made_at_run_time(&mut self, address: u64, slot: u64) -> bool {
        let aligned = !self.words.is_wide() || slot.checked_rem(16) == Some(8);
        let Some(before) = address.checked_sub(1).filter(|before| *before >= NULL_PAGES && aligned) else {
            return false;
        };
        // Where no list shows what memory is, the place of the stack pointer at a call of 64-bit code must. Windows gives no program
        // more than 47 bits of addresses ("Memory limits": 128 TiB).
        let wide = self.words.is_wide();
        let may_be_code = || wide && before.abs_diff(slot) > LARGEST_FRAME && before >> 47 == 0;
        self.place(before).is_none()
            && self.is_executable(before).unwrap_or_else(may_be_code)
            && self.follows_call(address) != Some(false)
    }

    /// Whether an address lies behind an instruction of a module's code.
    fn is_in_code(&mut self, address: u64) -> bool {
        let Some(before) = address.checked_sub(1) else { return false };
        self.place(before).is_some() && self.is_executable(before) != Some(false)
    }

    /// Whether an address lies in a module's code and the code before it, if the dump has it, is a call.
    fn may_be_returned_to(&mut self, address: u64) -> bool {
        self.is_in_code(address) && self.follows_call(address) != Some(false)
    }

    /// Whether a call is right before an address and in a function; `None` when code and tables are not at hand.
    fn follows_call(&mut self, address: u64) -> Option<bool> {
        self.call_before(address).map(|call| call.is_some())
    }

    /// The call that is right before an address and in a function; `None` when code and tables are not at hand.
    fn call_before(&mut self, address: u64) -> Option<Option<Call>> {
        if let Some((index, offset)) = self.place(address.checked_sub(1)?)
            && self.entry(index, offset).1 == Lookup::NoEntry
        {
            return Some(None);
        }
        let mut code = [0; LONGEST_CALL];
        self.fill_code(address.checked_sub(code.len() as u64)?, &mut code)?;
        Some(match call_at_end(&code) {
            Some(CallTarget::Pointer | CallTarget::Fixed(_)) => Some(Call::ThroughPointer),
            Some(CallTarget::Distance(distance)) => {
                let mut target = [0; LONGEST_JUMP];
                let to = address.wrapping_add_signed(i64::from(distance));
                let to = if self.words.is_wide() { to } else { to & 0xFFFF_FFFF };
                let imported = self.fill_code(to, &mut target).is_some() && is_jump_through_pointer(&target);
                Some(if imported { Call::ThroughPointer } else { Call::Within })
            }
            None => None,
        })
    }

    /// Fills `code` from the dump, or from the image that the address lies in.
    fn fill_code(&mut self, address: u64, code: &mut [u8]) -> Option<()> {
        if self.memory.fill(address, code).is_some() {
            return Some(());
        }
        let (index, offset) = self.place(address)?;
        self.open_images(index);
        self.images.get_mut(&index)?.iter_mut().find_map(|image| image.fill(self.memory, offset, code))
    }

    fn is_executable(&mut self, address: u64) -> Option<bool> {
        let dump = self.given.dump;
        let regions = self.regions.get_or_insert_with(|| dump.get_stream::<MinidumpMemoryInfoList>().ok());
        regions.as_ref()?.memory_info_at_address(address).map(|region| region.is_executable())
    }

    /// The module that holds an address, and where in it.
    fn place(&self, address: u64) -> Option<(usize, u32)> {
        let after = self.ranges.partition_point(|(start, _, _)| *start <= address);
        let (start, end, index) = *self.ranges.get(after.checked_sub(1)?)?;
        let offset = u32::try_from(address.checked_sub(start)?).ok()?;
        (address < end).then_some((index, offset))
    }

    /// The entry of a module's table for an offset, and which of the module's images has the table.
    fn entry(&mut self, index: usize, offset: u32) -> (usize, Lookup) {
        self.open_images(index);
        let images = self.images.get_mut(&index).into_iter().flatten();
        let found = images.map(|image| image.function_at(self.memory, offset));
        (0..).zip(found).find(|(_, lookup)| *lookup != Lookup::Unknown).unwrap_or((0, Lookup::Unknown))
    }

    /// Whether a frame's code has tables that unwind it, in a file that is not at hand.
    fn lacks_tables(&mut self, frame: &Caller) -> bool {
        let Some((index, offset)) = self.place(instruction(frame)) else { return false };
        !self.words.is_wide() || self.entry(index, offset).1 == Lookup::Unknown
    }

    fn open_images(&mut self, index: usize) {
        if self.images.contains_key(&index) {
            return;
        }
        let mut images = Vec::new();
        if let Some(module) = self.modules.get(index) {
            images.extend(Image::in_memory(module, self.memory));
            images.extend(self.given.symbols.and_then(|symbols| symbols.image(module)));
        }
        self.images.insert(index, images);
    }

    /// A frame with the function, the source and what was inlined at an offset in a module.
    fn named(&mut self, index: usize, offset: u32, frame: Frame) -> Frame {
        let names = self.given.names;
        self.open_images(index);
        let memory = &mut *self.memory;
        let mut images = self.images.get_mut(&index).into_iter().flatten();
        if let Some(symbols) = self.given.symbols
            && let Some(module) = self.listed.get(index)
            && let Some(symbols) = symbols.of_module(*module)
        {
            let begins = images.find_map(|image| image.function_begins(memory, offset));
            if let Some(source) = symbols.at(offset, begins.map(|(part, _)| part)) {
                return with_source(frame, &source, names);
            }
            // A part that lies elsewhere has no name of its own.
            if let Some((_, whole)) = begins.filter(|(part, whole)| part != whole)
                && let Some(source) = symbols.at(whole, Some(whole))
            {
                return Frame { function: Some(names.share(&source.function)), ..frame };
            }
        }
        let images = self.images.get_mut(&index).into_iter().flatten();
        let function = images.filter_map(|image| image.export_at(memory, offset)).next();
        Frame { function: function.map(|name| names.share(&name)), ..frame }
    }
}

impl way_out::Surroundings for Walk<'_, '_, '_, '_, '_> {
    fn code(&mut self, address: u64, code: &mut [u8]) -> usize {
        let Some(left) = self.followed.checked_sub(1) else { return 0 };
        self.followed = left;
        if self.fill_code(address, code).is_some() {
            return code.len();
        }
        // At the end of what the dump holds.
        let held = self.memory.part(address, code.len() as u64).unwrap_or_default();
        code.iter_mut().zip(held.iter()).for_each(|(into, byte)| *into = *byte);
        held.len()
    }

    fn word(&mut self, address: u64) -> Option<u64> {
        self.words.at(address, self.memory)
    }

    fn is_return(&mut self, address: u64, slot: u64) -> Option<bool> {
        self.returns_to(address, slot)
    }
}

/// What is known of a frame's caller.
enum Undo {
    /// The caller itself.
    Caller(Box<Caller>),
    /// The frame was the outermost.
    End,
    /// Neither unwind tables nor symbols show the caller.
    Unknown,
}

/// The address of a frame's instruction: for a caller one within the call, because a call can be the last instruction of
/// its function.
fn instruction(frame: &Caller) -> u64 {
    match frame.entered {
        Entered::Interrupted | Entered::Nowhere => frame.registers.rip,
        Entered::ByCall => frame.registers.rip.saturating_sub(1),
    }
}
