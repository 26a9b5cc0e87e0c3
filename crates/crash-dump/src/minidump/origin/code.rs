//! The code at hand: what the dump holds of it, and what images from outside hold.

use std::collections::{BTreeMap, HashMap};

use super::function::Function;
use super::step::{Flow, Step};
use super::{arm64, x86};
use crate::minidump::image::{Image, LONGEST_CHAIN, Lookup};
use crate::minidump::memory::Memory;
use crate::minidump::symbols::Symbols;
use evidence::{Address, CpuArchitecture, ProcessDump};

/// How much of a function is decoded from its beginning on, at most, bytes.
const LONGEST_FUNCTION: u32 = 16 << 10;

/// Most instructions of one function that are decoded.
const MOST_INSTRUCTIONS: usize = 4096;
/// Most instructions that are looked at for how a function returns.
const MOST_TO_RETURN: usize = 256;
/// How far before an address the beginning of its function is looked for, bytes, where no table shows it.
const BEGINS_WITHIN: u64 = 4096;
/// How much code is read at once, bytes, and how much of that where less is at hand.
const AT_ONCE: [u64; 4] = [1024, 64, 16, 4];
/// Size of a page, bytes.
const PAGE: u64 = 4096;
/// Longest instruction, bytes.
const LONGEST: usize = 15;

/// The code of a process.
pub struct Code<'c, 'm, 'f> {
    pub process: &'c ProcessDump,
    pub memory: &'c mut Memory<'m, 'f>,
    symbols: Option<&'c Symbols>,
    /// Whether images are looked into.
    with_images: bool,
    images: HashMap<usize, Vec<Image>>,
    /// The code that was read last, and where it begins.
    read: (u64, Vec<u8>),
    /// How many bytes of arguments functions take from the stack, by their addresses.
    popped: HashMap<u64, Option<i64>>,
}

/// The code before an address.
pub struct Before {
    /// The instructions that lead up to it, in order.
    pub steps: Vec<Step>,
    /// Whether they begin with the function's first one.
    pub whole_function: bool,
}

impl<'c, 'm, 'f> Code<'c, 'm, 'f> {
    pub fn new(
        process: &'c ProcessDump,
        memory: &'c mut Memory<'m, 'f>,
        symbols: Option<&'c Symbols>,
        with_images: bool,
    ) -> Self {
        let (images, popped) = (HashMap::new(), HashMap::new());
        Self { process, memory, symbols, with_images, images, read: (0, Vec::new()), popped }
    }

    /// The function that `address` is in. At `until` an instruction begins: there, or behind the one that the address is in.
    /// `called` is where a call entered it, if that is known.
    pub fn function(&mut self, address: u64, until: u64, called: Option<u64>) -> Option<Function> {
        let cpu = self.process.system.cpu;
        if cpu == CpuArchitecture::Arm64 {
            let mut steps = BTreeMap::new();
            self.follow(vec![until], &mut steps);
            let before = self.window(until).and_then(|(start, code)| {
                let skipped = start.wrapping_neg() & 3;
                Some(arm64::steps(code.get(usize::try_from(skipped).ok()?..)?, start.checked_add(skipped)?))
            });
            steps.extend(before.into_iter().flatten().map(|step| (step.address, step)));
            return Some(Function::new(steps, called));
        }
        let mut steps = BTreeMap::new();
        let holds = |steps: &BTreeMap<u64, Step>| {
            steps.range(..=address).next_back().is_some_and(|(_, step)| address < step.end)
        };
        if let Some((begin, ranges)) = self.listed(address) {
            for (start, end) in ranges {
                self.sweep(start, end, &mut steps);
            }
            let outside = targets(&steps);
            self.follow(outside, &mut steps);
            if holds(&steps) {
                return Some(Function::new(steps, Some(begin)));
            }
            steps.clear();
        }
        for entry in [called, self.begins_before(until)].into_iter().flatten() {
            self.follow(vec![entry], &mut steps);
            if holds(&steps) {
                return Some(Function::new(steps, Some(entry)));
            }
            steps.clear();
        }
        // Where the function begins is not known: what leads up to the place, and what comes behind it.
        self.follow(vec![until], &mut steps);
        if let Some((start, code)) = self.window(until) {
            let before = x86::before(&code, start, cpu == CpuArchitecture::X64);
            let before: Vec<Step> = before.into_iter().filter(|step| step.flow != Flow::Padding).collect();
            steps.extend(before.into_iter().map(|step| (step.address, step)));
        }
        holds(&steps).then(|| Function::new(steps, None))
    }

    /// How many bytes of arguments the function at an address takes from the stack when it returns; `None` when that is not at
    /// hand.
    pub fn popped(&mut self, function: u64) -> Option<i64> {
        if let Some(known) = self.popped.get(&function) {
            return *known;
        }
        let mut steps = BTreeMap::new();
        self.follow_some(vec![function], &mut steps, MOST_TO_RETURN);
        let popped = steps.values().find_map(x86::popped);
        self.popped.insert(function, popped);
        popped
    }

    /// Where a call to `address` arrives: behind the jump that imports of other modules consist of.
    pub fn behind_import(&mut self, address: u64) -> u64 {
        let wide = self.process.system.cpu.is_64_bit();
        let Some(step) = self.step_at(address) else { return address };
        let imported = x86::jumps_through(&step).and_then(|pointer| self.memory.pointer(pointer, wide));
        imported.unwrap_or(address)
    }

    /// The instruction at an address.
    pub fn step_at(&mut self, address: u64) -> Option<Step> {
        let (start, code) = &self.read;
        let into = |start: u64| usize::try_from(address.wrapping_sub(start)).ok();
        let enough = into(*start).and_then(|into| code.get(into..)).is_some_and(|code| code.len() >= LONGEST);
        if !enough {
            self.read = (address, self.code_from(address)?);
        }
        let (start, code) = &self.read;
        let code = code.get(into(*start)?..)?;
        match self.process.system.cpu {
            CpuArchitecture::X64 => x86::one(code, address, true),
            CpuArchitecture::X86 => x86::one(code, address, false),
            CpuArchitecture::Arm64 => arm64::steps(code.get(..4)?, address).into_iter().next(),
            CpuArchitecture::Arm | CpuArchitecture::Other => None,
        }
    }

    /// Code from an address on, as much as is at hand of it.
    fn code_from(&mut self, address: u64) -> Option<Vec<u8>> {
        let most = AT_ONCE.first().copied()?;
        if let Some(part) = self.memory.part(address, most) {
            let held = part.to_vec();
            if held.len() >= LONGEST || !self.with_images {
                return Some(held);
            }
        }
        if !self.with_images {
            return None;
        }
        let (index, module) = self.process.module_at(Address(address))?;
        let offset = u32::try_from(address.checked_sub(module.base.0)?).ok()?;
        self.open(index);
        let images = self.images.get_mut(&index)?;
        for size in AT_ONCE {
            let mut code = vec![0; usize::try_from(size).ok()?];
            if images.iter_mut().any(|image| image.fill(self.memory, offset, &mut code).is_some()) {
                return Some(code);
            }
        }
        None
    }

    /// Adds the instructions that run from these places on, as far as they are at hand.
    fn follow(&mut self, from: Vec<u64>, steps: &mut BTreeMap<u64, Step>) {
        self.follow_some(from, steps, MOST_INSTRUCTIONS);
    }

    fn follow_some(&mut self, from: Vec<u64>, steps: &mut BTreeMap<u64, Step>, most: usize) {
        let mut next = from;
        while let Some(mut address) = next.pop() {
            while steps.len() < most && !steps.contains_key(&address) {
                let Some(step) = self.step_at(address) else { break };
                steps.insert(address, step);
                match step.flow {
                    Flow::Next | Flow::Call(_) => address = step.end,
                    Flow::Branch(to) => {
                        next.push(to);
                        address = step.end;
                    }
                    Flow::Jump(Some(to)) => address = to,
                    Flow::Jump(None) | Flow::Padding => break,
                }
            }
        }
    }

    /// Adds all instructions of a range, one behind the other.
    fn sweep(&mut self, start: u64, end: u64, steps: &mut BTreeMap<u64, Step>) {
        let mut address = start;
        while address < end && steps.len() < MOST_INSTRUCTIONS {
            let Some(step) = self.step_at(address) else { break };
            steps.insert(address, step);
            address = step.end;
        }
    }

    /// The function that an address lies in, by its module's table: where it begins, and the ranges of its parts that the
    /// entries for this address lead to.
    fn listed(&mut self, address: u64) -> Option<(u64, Vec<(u64, u64)>)> {
        if !self.with_images || self.process.system.cpu != CpuArchitecture::X64 {
            return None;
        }
        let (index, module) = self.process.module_at(Address(address))?;
        let base = module.base.0;
        let offset = u32::try_from(address.checked_sub(base)?).ok()?;
        self.open(index);
        for image in self.images.get_mut(&index)? {
            let Lookup::Function(function) = image.function_at(self.memory, offset) else { continue };
            let (mut whole, mut parts) = (function, vec![function]);
            for _ in 0..LONGEST_CHAIN {
                let Some(next) = image.unwind_info(self.memory, whole).and_then(|info| info.chained) else { break };
                whole = next;
                parts.push(next);
            }
            let at = |offset: u32| base.checked_add(u64::from(offset));
            let ranges = parts.iter().map(|part| at(part.begin).zip(at(part.end))).collect::<Option<Vec<_>>>()?;
            return Some((at(whole.begin)?, ranges));
        }
        None
    }

    /// Where the function begins that an address of x86 code lies in, by how compilers lay them out: at multiples of 16,
    /// behind the end of another function and what fills the space between. Where code before such a place jumps behind it,
    /// it is a loop's beginning.
    fn begins_before(&mut self, address: u64) -> Option<u64> {
        let wide = self.process.system.cpu == CpuArchitecture::X64;
        let mut start = address.saturating_sub(BEGINS_WITHIN);
        if let Some((held, _)) = self.memory.map.region_at(Address(address.checked_sub(1)?)) {
            start = start.max(held.0);
        }
        let mut code = vec![0; usize::try_from(address.checked_sub(start)?).ok()?];
        if self.memory.fill(start, &mut code).is_none() {
            (start, code) = self.window(address)?;
        }
        // Code that was made at run time begins where its memory does.
        let made = self.process.module_at(Address(address)).is_none() && start.checked_rem(PAGE) == Some(0);
        let steps = x86::before(&code, start, wide);
        let own = (address & 15 == 0).then_some((steps.len(), address));
        let candidates = steps.iter().enumerate().rev().filter(|(_, step)| !x86::is_filler(step));
        let candidates = candidates.map(|(index, step)| (index, step.address)).filter(|(_, start)| start & 15 == 0);
        for (index, begin) in own.into_iter().chain(candidates) {
            let earlier = steps.get(..index)?;
            let Some(last) = earlier.iter().rev().find(|step| !x86::is_filler(step)) else { continue };
            let ends = match last.flow {
                Flow::Jump(_) => true,
                Flow::Call(_) => earlier.last().is_some_and(x86::is_filler),
                _ => false,
            };
            let within = |to: u64| to >= begin && to <= address;
            let entered = earlier.iter().any(|step| match step.flow {
                Flow::Branch(to) | Flow::Jump(Some(to)) => within(to),
                _ => false,
            });
            if ends && !entered {
                return Some(begin);
            }
        }
        made.then_some(start)
    }

    /// The instructions that lead up to `address`.
    pub fn before(&mut self, address: u64) -> Option<Before> {
        let cpu = self.process.system.cpu;
        if self.with_images
            && cpu == CpuArchitecture::X64
            && let Some(steps) = self.function_before(address)
        {
            return Some(Before { steps, whole_function: true });
        }
        let (start, code) = self.window(address)?;
        let steps = match cpu {
            CpuArchitecture::X64 => x86::before(&code, start, true),
            CpuArchitecture::X86 => x86::before(&code, start, false),
            CpuArchitecture::Arm64 => {
                let skipped = start.wrapping_neg() & 3;
                arm64::steps(code.get(usize::try_from(skipped).ok()?..)?, start.checked_add(skipped)?)
            }
            CpuArchitecture::Arm | CpuArchitecture::Other => return None,
        };
        Some(Before { steps, whole_function: false })
    }

    /// The instructions of a function from its beginning up to `address`, if its table of functions is at hand and decoding
    /// arrives at that address.
    fn function_before(&mut self, address: u64) -> Option<Vec<Step>> {
        let (index, module) = self.process.module_at(Address(address))?;
        let offset = u32::try_from(address.checked_sub(module.base.0)?).ok()?;
        self.open(index);
        let images = self.images.get_mut(&index)?;
        for image in images {
            // The last byte of a call is in its function, also where the call ends it.
            let Lookup::Function(function) = image.function_at(self.memory, offset.checked_sub(1)?) else { continue };
            let length = offset.checked_sub(function.begin)?;
            if length > LONGEST_FUNCTION {
                return None;
            }
            let mut code = vec![0; usize::try_from(length).ok()?];
            image.fill(self.memory, function.begin, &mut code)?;
            let start = module.base.0.checked_add(u64::from(function.begin))?;
            let steps = x86::forward(&code, start, true);
            return (steps.last().map_or(start, |step| step.end) == address).then_some(steps);
        }
        None
    }

    /// The bytes right before `address`, with the address of the first.
    fn window(&mut self, address: u64) -> Option<(u64, Vec<u8>)> {
        let last = Address(address.checked_sub(1)?);
        if let Some((start, _)) = self.memory.map.region_at(last) {
            let start = start.0.max(address.saturating_sub(x86::WINDOW));
            let mut code = vec![0; usize::try_from(address.checked_sub(start)?).ok()?];
            self.memory.fill(start, &mut code)?;
            return Some((start, code));
        }
        if !self.with_images {
            return None;
        }
        let (index, module) = self.process.module_at(last)?;
        let offset = u32::try_from(address.checked_sub(module.base.0)?).ok()?;
        let begin = offset.saturating_sub(u32::try_from(x86::WINDOW).ok()?);
        let mut code = vec![0; usize::try_from(offset.checked_sub(begin)?).ok()?];
        self.open(index);
        let images = self.images.get_mut(&index)?;
        images.iter_mut().find_map(|image| image.fill(self.memory, begin, &mut code))?;
        Some((module.base.0.checked_add(u64::from(begin))?, code))
    }

    fn open(&mut self, index: usize) {
        if self.images.contains_key(&index) {
            return;
        }
        let mut images = Vec::new();
        if let Some(module) = self.process.modules.as_ref().and_then(|modules| modules.get(index)) {
            images.extend(Image::in_memory(module, self.memory));
            images.extend(self.symbols.and_then(|symbols| symbols.image(module)));
        }
        self.images.insert(index, images);
    }
}

/// Where the branches among these instructions lead to, if that is none of them.
fn targets(steps: &BTreeMap<u64, Step>) -> Vec<u64> {
    let targets = steps.values().filter_map(|step| match step.flow {
        Flow::Branch(to) | Flow::Jump(Some(to)) => Some(to),
        _ => None,
    });
    targets.filter(|to| !steps.contains_key(to)).collect()
}
