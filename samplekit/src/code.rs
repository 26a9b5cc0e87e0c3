//! PE images with functions that can be unwound, and the stacks that calls of these functions leave.
//!
//! Layout: "PE Format" and "x64 exception handling" in Microsoft's documentation; `.sym` files as described by
//! `docs/symbol_files.md` of Breakpad.

use std::fmt::Write;

use crate::bytes::{ByteWriter, count16, count32};
use crate::minidump::{Memory, Module};

/// One instruction of a prologue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Pushes a register: RBX 3, RBP 5, RSI 6, RDI 7.
    Push(u8),
    /// Lowers the stack pointer, bytes.
    Allocate(u32),
    /// Sets RBP to this number of bytes above the stack pointer.
    SetFrame(u8),
}

const RBP: u8 = 5;
const NAMES: [&str; 8] = ["$rax", "$rcx", "$rdx", "$rbx", "$rsp", "$rbp", "$rsi", "$rdi"];

impl Step {
    /// The instruction.
    fn code(self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        match self {
            Self::Push(register) => out.u8(0x50 + register),
            Self::Allocate(bytes) => out.raw(&[0x48, 0x81, 0xEC]).u32(bytes),
            Self::SetFrame(above) => out.raw(&[0x48, 0x8D, 0x6C, 0x24, above]),
        };
        out.into_bytes()
    }

    /// The unwind code, for the step that ends at an offset of the prologue.
    fn unwind_code(self, offset: u8) -> Vec<u8> {
        let mut out = ByteWriter::new();
        match self {
            Self::Push(register) => out.u8(offset).u8(register << 4),
            Self::Allocate(bytes) if bytes <= 128 => out.u8(offset).u8(2 | ((bytes as u8 / 8 - 1) << 4)),
            Self::Allocate(bytes) => out.u8(offset).u8(1).u16(count16(bytes as usize / 8)),
            Self::SetFrame(_) => out.u8(offset).u8(3),
        };
        out.into_bytes()
    }
}

/// A function: its prologue, no-ops, and calls of other modules.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its offset in the loaded image.
    pub at: u32,
    /// Its prologue.
    pub prologue: Vec<Step>,
    /// The offset of a part that the compiler moved away; it runs after the whole prologue.
    pub part: Option<u32>,
    /// Return addresses of calls through the import table.
    pub returns: Vec<u32>,
}

/// Length of a function and of a part of one, bytes.
pub const FUNCTION_SIZE: u32 = 0x80;
const TEXT: u32 = 0x1000;
const TABLES: u32 = 0x2000;
const PAGE: usize = 0x1000;
/// Size of the written part of an image, bytes: headers, code, tables; one page each.
const WRITTEN: usize = 3 * PAGE;

/// The image of a module.
#[derive(Debug, Clone)]
pub struct CodeImage {
    module: Module,
    functions: Vec<Function>,
}

impl CodeImage {
    /// An image with these functions, which lie in ascending order between 0x1000 and 0x2000.
    #[must_use]
    pub fn new(module: &Module, functions: Vec<Function>) -> Self {
        Self { module: module.clone(), functions }
    }

    /// The module.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The first pages as they are loaded.
    #[must_use]
    pub fn loaded(&self) -> Memory {
        let mut out = ByteWriter::new();
        let (tables, functions, exports) = self.tables();
        self.headers(&mut out, functions, exports);
        out.zeros_to(TEXT as usize).raw(&self.text()).zeros_to(TABLES as usize).raw(&tables).zeros_to(WRITTEN);
        Memory { address: self.module.base, bytes: out.into_bytes() }
    }

    /// The file: the same without the gap between headers and code.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        let loaded = self.loaded().bytes;
        [&loaded[..0x400], &loaded[TEXT as usize..]].concat()
    }

    /// The `.sym` file.
    #[must_use]
    pub fn sym(&self, debug_id: &str) -> String {
        let name = self.module.name();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let mut out = format!("MODULE windows x86_64 {debug_id} {stem}.pdb\n");
        for (part, name) in self.functions.iter().filter_map(|function| Some((function.part?, function.name))) {
            let _ = writeln!(out, "FUNC {part:x} {FUNCTION_SIZE:x} 0 {name}");
        }
        for function in &self.functions {
            let _ = writeln!(out, "PUBLIC {:x} 0 {}", function.at, function.name);
        }
        for function in &self.functions {
            let mut rules = ".cfa: $rsp 8 + .ra: .cfa 8 - ^".to_owned();
            let _ = writeln!(out, "STACK CFI INIT {:x} {FUNCTION_SIZE:x} {rules}", function.at);
            let (mut at, mut above) = (function.at, 8);
            for step in &function.prologue {
                at += count32(step.code().len());
                rules = match *step {
                    Step::Push(register) => {
                        above += 8;
                        format!(".cfa: $rsp {above} + {}: .cfa {above} - ^", NAMES[usize::from(register)])
                    }
                    Step::Allocate(bytes) => {
                        above += bytes;
                        format!(".cfa: $rsp {above} +")
                    }
                    Step::SetFrame(distance) => format!(".cfa: $rbp {} +", above - u32::from(distance)),
                };
                let _ = writeln!(out, "STACK CFI {at:x} {rules}");
            }
            if let Some(part) = function.part {
                let mut saved = String::new();
                let mut pushed = 8;
                for step in &function.prologue {
                    if let Step::Push(register) = step {
                        pushed += 8;
                        let _ = write!(saved, " {}: .cfa {pushed} - ^", NAMES[usize::from(*register)]);
                    }
                }
                let cfa = if rules.starts_with(".cfa: $rbp") { rules } else { format!(".cfa: $rsp {above} +") };
                let _ = writeln!(out, "STACK CFI INIT {part:x} {FUNCTION_SIZE:x} {cfa} .ra: .cfa 8 - ^{saved}");
            }
        }
        out
    }

    fn text(&self) -> Vec<u8> {
        let mut text = ByteWriter::new();
        // int 3 between functions
        text.raw(&[0xCC; PAGE]);
        for function in &self.functions {
            for at in [Some(function.at), function.part].into_iter().flatten() {
                text.patch((at - TEXT) as usize, &[0x90; FUNCTION_SIZE as usize]);
            }
            let prologue: Vec<u8> = function.prologue.iter().flat_map(|step| step.code()).collect();
            text.patch((function.at - TEXT) as usize, &prologue);
            for returns_to in &function.returns {
                // call through a pointer behind the tables
                let mut call = ByteWriter::new();
                call.raw(&[0xFF, 0x15]).u32(TABLES + 0xF00 - returns_to);
                text.patch((returns_to - TEXT) as usize - 6, call.as_slice());
            }
        }
        text.into_bytes()
    }

    /// Unwinding data, the table of functions, and the exports; with offset and size of the last two.
    fn tables(&self) -> (Vec<u8>, (u32, u32), (u32, u32)) {
        let mut out = ByteWriter::new();
        let mut entries = vec![];
        for function in &self.functions {
            let (mut codes, mut prologue, mut frame) = (vec![], 0, 0);
            for step in &function.prologue {
                prologue += step.code().len() as u8;
                codes.push(step.unwind_code(prologue));
                if let Step::SetFrame(above) = step {
                    frame = RBP | ((above / 16) << 4);
                }
            }
            // The last step comes first.
            codes.reverse();
            let codes = codes.concat();
            out.align(4);
            let whole = (function.at, function.at + FUNCTION_SIZE, TABLES + out.offset());
            out.u8(1).u8(prologue).u8(codes.len() as u8 / 2).u8(frame).raw(&codes);
            entries.push(whole);
            if let Some(part) = function.part {
                out.align(4);
                entries.push((part, part + FUNCTION_SIZE, TABLES + out.offset()));
                // UNW_FLAG_CHAININFO, no prologue, no codes, the same frame register; then the function's own entry.
                out.u8(1 | 4 << 3).u8(0).u8(0).u8(frame).u32(whole.0).u32(whole.1).u32(whole.2);
            }
        }
        entries.sort_unstable();
        out.align(4);
        let functions = (TABLES + out.offset(), count32(entries.len() * 12));
        for (begin, end, information) in entries {
            out.u32(begin).u32(end).u32(information);
        }
        let exports = (TABLES + out.offset(), self.exports(&mut out));
        (out.into_bytes(), functions, exports)
    }

    /// The export directory; gives its size.
    fn exports(&self, out: &mut ByteWriter) -> u32 {
        let start = out.offset();
        let count = count32(self.functions.len());
        let at = |offset: u32| TABLES + start + offset;
        let (addresses, names, indices) = (40, 40 + count * 4, 40 + count * 8);
        let mut text = 40 + count * 10;
        // Flags, time, version, name of the image, first ordinal, counts, tables.
        out.u32(0).u32(0).u32(0).u32(0).u32(1).u32(count).u32(count);
        out.u32(at(addresses)).u32(at(names)).u32(at(indices));
        for function in &self.functions {
            out.u32(function.at);
        }
        let mut sorted: Vec<_> = self.functions.iter().map(|function| function.name).zip(0_u16..).collect();
        sorted.sort_unstable();
        for (name, _) in &sorted {
            out.u32(at(text));
            text += count32(name.len() + 1);
        }
        for (_, index) in &sorted {
            out.u16(*index);
        }
        for (name, _) in &sorted {
            out.raw(name.as_bytes()).u8(0);
        }
        out.offset() - start
    }

    fn headers(&self, out: &mut ByteWriter, functions: (u32, u32), exports: (u32, u32)) {
        out.raw(b"MZ").zeros_to(0x3C).u32(0x80).zeros_to(0x80);
        // File header: AMD64, two sections, time, size of the optional header, executable DLL.
        out.raw(b"PE\0\0").u16(0x8664).u16(2).u32(self.module.timestamp).u32(0).u32(0).u16(240).u16(0x2022);
        let optional = out.len();
        out.u16(0x20B).zeros_to(optional + 16).u32(TEXT).u32(TEXT).u64(self.module.base).u32(0x1000).u32(0x200);
        out.zeros_to(optional + 56).u32(self.module.size).u32(0x400).u32(self.module.checksum);
        out.zeros_to(optional + 108).u32(16);
        // Exports, imports, resources, functions.
        out.u32(exports.0).u32(exports.1).u64(0).u64(0).u32(functions.0).u32(functions.1).zeros_to(optional + 240);
        for (name, at, stored, flags) in
            [(b".text\0\0\0", TEXT, 0x400, 0x6000_0020_u32), (b".rdata\0\0", TABLES, 0x1400, 0x4000_0040)]
        {
            out.raw(name).u32(0x1000).u32(at).u32(0x1000).u32(stored).zeros(12).u32(flags);
        }
        out.zeros_to(0x400);
    }
}

/// A stack of calls of functions in [`CodeImage`]s, innermost frame first.
#[derive(Debug, Clone)]
pub struct CodeStack {
    pointer: u64,
    out: ByteWriter,
    /// The value of RBP in the innermost frame, if a function of the stack sets it.
    frame: Option<u64>,
}

impl CodeStack {
    /// An empty stack whose innermost word is at `pointer`.
    #[must_use]
    pub fn new(pointer: u64) -> Self {
        Self { pointer, out: ByteWriter::new(), frame: None }
    }

    /// Appends the frame of a function: `locals` in its lowest words, and its return address.
    pub fn frame(&mut self, function: &Function, locals: &[u64], returns_to: u64) -> &mut Self {
        let mut pushed = vec![];
        let start = self.out.len();
        let mut size = 0;
        for step in &function.prologue {
            match step {
                Step::Push(register) => pushed.push(*register),
                Step::Allocate(bytes) => size += *bytes as usize,
                Step::SetFrame(above) => {
                    let frame = self.pointer + start as u64 + u64::from(*above);
                    self.frame.get_or_insert(frame);
                }
            }
        }
        for word in locals {
            self.out.u64(*word);
        }
        self.out.zeros_to(start + size);
        for register in pushed.into_iter().rev() {
            self.out.u64(0x1D4_8C20_0000 + u64::from(register) * 0x10);
        }
        self.out.u64(returns_to);
        self
    }

    /// The stack's memory, ending with some words of the outermost frame.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let mut bytes = self.out.clone();
        bytes.zeros(0x80);
        Memory { address: self.pointer, bytes: bytes.into_bytes() }
    }

    /// The value of RBP at the exception.
    #[must_use]
    pub fn frame_register(&self) -> u64 {
        self.frame.unwrap_or(0)
    }
}
