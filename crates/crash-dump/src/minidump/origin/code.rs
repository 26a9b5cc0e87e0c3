//! The code at hand: what the dump holds of it, and what images from outside hold.

use std::collections::HashMap;

use super::step::Step;
use super::{arm64, x86};
use crate::minidump::image::{Image, Lookup};
use crate::minidump::memory::Memory;
use crate::minidump::symbols::Symbols;
use evidence::{Address, CpuArchitecture, ProcessDump};

/// How much of a function is decoded from its beginning on, at most, bytes.
const LONGEST_FUNCTION: u32 = 16 << 10;

/// The code of a process.
pub struct Code<'c, 'm, 'f> {
    pub process: &'c ProcessDump,
    pub memory: &'c mut Memory<'m, 'f>,
    symbols: Option<&'c Symbols>,
    /// Whether images are looked into.
    with_images: bool,
    images: HashMap<usize, Vec<Image>>,
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
        Self { process, memory, symbols, with_images, images: HashMap::new() }
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
