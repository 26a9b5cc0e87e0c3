//! Minidumps and kernel dumps, and the machine code and unwinding tables in them.

use std::sync::LazyLock;

use crash_dump::{Options, is_kernel_dump, is_minidump, read_kernel_dump, read_minidump};
use evidence::Names;
use samplekit::FileTime;
use samplekit::code::{CodeImage, CodeStack, Function, Step};
use samplekit::minidump::{Context, Exception, Memory, Minidump, Module, Thread, flag};

use crate::{Group, Shape, Target, scratch, seeds};

pub(super) const TARGETS: &[Target] = &[
    Target::new("minidump", Group::Dumps, "A minidump", minidump, || seeds::samples(is_minidump)),
    Target::new(
        "data-flow",
        Group::Dumps,
        "A byte for the processor, eight registers, and the machine code up to the place of an exception",
        data_flow,
        code_seeds,
    )
    .at_most(600),
    Target::new(
        "unwinding",
        Group::Dumps,
        "The page with the unwinding tables of a 64-bit module on a stack",
        unwinding,
        || vec![SCENE.1.bytes[TABLES..TABLES + USED].to_vec()],
    )
    .at_most(PAGE),
    Target::new("kernel-dump", Group::Dumps, "A kernel dump", kernel_dump, || seeds::samples(is_kernel_dump)),
];

/// Reads a minidump.
pub(super) fn minidump(input: &[u8]) -> Shape {
    let names = Names::default();
    let options = Options { names: &names, walk_stacks: true, symbols: None };
    let outcome = scratch::with_file(input, |file, bytes| read_minidump(file, bytes, &options));
    Shape::of_reading(outcome.map_err(Into::into).as_ref())
}

fn kernel_dump(input: &[u8]) -> Shape {
    let names = Names::default();
    let options = Options { names: &names, walk_stacks: true, symbols: None };
    let outcome = scratch::with_file(input, |file, bytes| read_kernel_dump(file, bytes, &options));
    Shape::of_reading(outcome.map_err(Into::into).as_ref())
}

/// Where the module of [`data_flow`] is, and its code: addresses of 32 bits, for all processors.
const BASE: u64 = 0x40_0000;
const CODE: u64 = BASE + 0x1000;
const STACK: u64 = 0x20_0000;

/// The processors of [`data_flow`]: the number in a dump, and the thread context of so many bytes.
#[derive(Debug, Clone, Copy)]
enum Cpu {
    X64,
    X86,
    Arm64,
}

impl Cpu {
    fn number(self) -> u16 {
        match self {
            Self::X64 => 9,
            Self::X86 => 0,
            Self::Arm64 => 12,
        }
    }

    /// The `CONTEXT` structure with these values of the first registers.
    fn context(self, ip: u64, registers: &[u64; 8]) -> Vec<u8> {
        let mut x64 = Context::at(ip, STACK);
        let words = |flags: u32, size: usize, values: &[(usize, u64)], width: usize| {
            let mut bytes = vec![0; size];
            bytes[..4].copy_from_slice(&flags.to_le_bytes());
            for (at, value) in values {
                bytes[*at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            }
            bytes
        };
        match self {
            Self::X64 => {
                let [rax, rbx, rcx, rdx, rsi, rdi, rbp, r8] = *registers;
                x64 = Context { rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, ..x64 };
                x64.to_bytes()
            }
            // Edi to Eax, Ebp, Eip, Esp.
            Self::X86 => {
                let all = [0x9C, 0xA0, 0xA4, 0xA8, 0xAC, 0xB0, 0xB4];
                let values: Vec<_> = all.into_iter().zip(*registers).chain([(0xB8, ip), (0xC4, STACK)]).collect();
                words(0x0001_007F, 716, &values, 4)
            }
            // X0 to X7, SP, PC.
            Self::Arm64 => {
                let all = (8..).step_by(8).zip(*registers);
                let values: Vec<_> = all.chain([(0x100, STACK), (0x108, ip)]).collect();
                words(0x0040_001F, 912, &values, 8)
            }
        }
    }
}

fn data_flow(input: &[u8]) -> Shape {
    let (cpu, rest) = input.split_first().unwrap_or((&0, &[]));
    let cpu = [Cpu::X64, Cpu::X86, Cpu::Arm64][usize::from(*cpu) % 3];
    let (given, code) = rest.split_at(rest.len().min(64));
    let mut registers = [0; 8];
    for (register, value) in registers.iter_mut().zip(given.chunks_exact(8)) {
        *register = u64::from_le_bytes(value.try_into().expect("eight bytes"));
    }
    // The last instruction is the one that failed; code follows it, as in a dump.
    let back = [1, 2, 3, 4, 7, 8][usize::from(code.last().copied().unwrap_or_default()) % 6].min(code.len());
    let ip = CODE + (code.len() - back) as u64;
    minidump(&dump_of(cpu, ip, &registers, code))
}

/// The dump of an access violation at `ip`, with this code.
fn dump_of(cpu: Cpu, ip: u64, registers: &[u64; 8], code: &[u8]) -> Vec<u8> {
    let context = Context::at(ip, STACK);
    let words: Vec<u8> = (0..64_u64).flat_map(|word| (CODE + word).to_le_bytes()).collect();
    let memory = Memory { address: CODE, bytes: code.to_vec() };
    let module = Module::windows(r"C:\demo\demo.exe", None, BASE, 0x1_0000);
    let thread = Thread { id: 7, name: None, teb: 0, stack: Memory { address: STACK, bytes: words }, context };
    let exception =
        Exception { thread: 7, code: 0xC000_0005, flags: 0, address: ip, parameters: vec![0, registers[0]], context };
    let dump = Minidump {
        threads: vec![thread],
        exception: Some(exception),
        memory: vec![memory],
        ..Minidump::crashed(FileTime::utc(2024, 6, 3, 10, 0, 0), ip, vec![module])
    };
    let mut bytes = dump.to_bytes();
    replace_contexts(&mut bytes, &context.to_bytes(), &cpu.context(ip, registers));
    put_processor(&mut bytes, cpu.number());
    bytes
}

/// Puts other contexts, which are not longer, in the place of those of x64.
fn replace_contexts(dump: &mut [u8], x64: &[u8], own: &[u8]) {
    let mut at = 0;
    while at + x64.len() <= dump.len() {
        if dump[at..].starts_with(x64) {
            dump[at..at + own.len()].copy_from_slice(own);
            let location = [(x64.len() as u32).to_le_bytes(), (at as u32).to_le_bytes()].concat();
            for place in 0..dump.len() - 8 {
                if dump[place..].starts_with(&location) {
                    dump[place..place + 4].copy_from_slice(&(own.len() as u32).to_le_bytes());
                }
            }
            at += x64.len();
        } else {
            at += 4;
        }
    }
}

/// Writes the processor's number into the stream `SystemInfo`.
fn put_processor(dump: &mut [u8], number: u16) {
    const SYSTEM_INFO: u32 = 7;
    let word = |at: usize| u32::from_le_bytes(dump[at..at + 4].try_into().expect("four bytes"));
    let (count, directory) = (word(8) as usize, word(12) as usize);
    let entry = (0..count).map(|number| directory + number * 12).find(|at| word(*at) == SYSTEM_INFO);
    let at = word(entry.expect("every dump has it") + 8) as usize;
    dump[at..at + 2].copy_from_slice(&number.to_le_bytes());
}

/// Some functions of each processor that end with an access to memory.
fn code_seeds() -> Vec<Vec<u8>> {
    let arm64 = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let code: [(u8, Vec<u8>); 9] = [
        // push rbp; mov rbp,rsp; mov rax,[rcx+8]; mov rbx,rax; mov eax,[rbx+10h]
        (0, b"\x55\x48\x8B\xEC\x48\x8B\x41\x08\x48\x8B\xD8\x8B\x43\x10".to_vec()),
        // sub rsp,28h; xor eax,eax; test rcx,rcx; je +5; mov rax,[rcx]; mov rax,[rax+18h]; call [rax+20h]
        (0, b"\x48\x83\xEC\x28\x31\xC0\x48\x85\xC9\x74\x03\x48\x8B\x01\x48\x8B\x40\x18\xFF\x50\x20".to_vec()),
        // lea rax,[rip+0]; movzx ecx,byte ptr [rax]; cmovne rdx,rcx; mov [rdx],al
        (0, b"\x48\x8D\x05\x00\x00\x00\x00\x0F\xB6\x08\x48\x0F\x45\xD1\x88\x02".to_vec()),
        // call +0; mov rcx,rax; mov rax,[rcx]
        (0, b"\xE8\x00\x00\x00\x00\x48\x8B\xC8\x48\x8B\x01".to_vec()),
        // push ebp; mov ebp,esp; mov eax,[ebp+8]; mov ecx,[eax]; mov edx,[ecx+4]
        (1, b"\x55\x8B\xEC\x8B\x45\x08\x8B\x08\x8B\x51\x04".to_vec()),
        // xor eax,eax; mov ecx,eax; rep movsd
        (1, b"\x31\xC0\x89\xC1\xF3\xA5".to_vec()),
        // stp x29,x30,[sp,#-16]!; mov x29,sp; ldr x8,[x0,#8]; ldr x9,[x8]
        (2, arm64(&[0xA9BF_7BFD, 0x9100_03FD, 0xF940_0408, 0xF940_0109])),
        // cbz x0,+8; ldr x0,[x0]; mov x1,x0; blr x1
        (2, arm64(&[0xB400_0040, 0xF940_0000, 0xAA00_03E1, 0xD63F_0020])),
        // adrp x0,0; add x0,x0,#0x10; str w1,[x0]
        (2, arm64(&[0x9000_0000, 0x9100_4000, 0xB900_0001])),
    ];
    let registers: Vec<u8> =
        [0, 0x18, CODE, STACK, BASE, 0xFEEE_FEEE, u64::MAX, 7].iter().flat_map(|value| value.to_le_bytes()).collect();
    code.into_iter().map(|(cpu, code)| [&[cpu][..], &registers, &code].concat()).collect()
}

/// Where an image's unwinding tables are, and the bytes of them that are used.
const TABLES: usize = 0x2000;
const USED: usize = 0x200;
const PAGE: usize = 0x1000;

/// A dump of `abort()` that a plug-in called, with all images, and the image of the plug-in.
static SCENE: LazyLock<(Vec<u8>, Memory)> = LazyLock::new(|| {
    use Step::{Allocate, Push, SetFrame};
    let image = |path: &str, base: u64, function: Function| {
        CodeImage::new(&Module::windows(path, None, base, 0x3000), vec![function])
    };
    let function = |name: &'static str, at: u32, prologue: &[Step], part: Option<u32>, returns: u32| Function {
        name,
        at,
        prologue: prologue.to_vec(),
        part,
        returns: vec![returns],
    };
    let abort = function("abort", 0x1100, &[Push(3), Allocate(0x60)], None, 0x1140);
    let apply = function("apply", 0x1300, &[Push(5), Push(7), Allocate(0x128), SetFrame(0x20)], Some(0x1800), 0x1840);
    let main = function("wmain", 0x1400, &[Push(3), Push(6), Allocate(0x48)], None, 0x1450);
    let (ucrt, plugin, app) = (0x7FFB_1000_0000, 0x7FFB_0700_0000, 0x7FF6_1C8A_0000);
    let mut stack = CodeStack::new(STACK);
    stack.frame(&abort, &[0, 7], plugin + 0x1840);
    stack.frame(&apply, &[1, 2, 3], app + 0x1450);
    stack.frame(&main, &[], 0);
    let mut context = Context::at(ucrt + 0x1150, STACK);
    context.rbp = stack.frame_register();
    let exception =
        Exception { thread: 7, code: 0xC000_0409, flags: 1, address: context.rip, parameters: vec![7], context };
    let thread = Thread { id: 7, name: None, teb: 0, stack: stack.memory(), context };
    let images = [
        image(r"C:\App\app.exe", app, main),
        image(r"C:\Windows\System32\ucrtbase.dll", ucrt, abort),
        image(r"C:\App\plugin.dll", plugin, apply),
    ];
    let modules = images.iter().map(|image| image.module().clone()).collect();
    let dump = Minidump {
        flags: flag::FULL_MEMORY,
        threads: vec![thread],
        exception: Some(exception),
        memory: images.iter().map(CodeImage::loaded).collect(),
        ..Minidump::crashed(FileTime::utc(2024, 6, 3, 10, 0, 0), context.rip, modules)
    };
    (dump.to_bytes(), images[2].loaded())
});

fn unwinding(input: &[u8]) -> Shape {
    /// Where the plug-in's image begins in the dump.
    static PLACE: LazyLock<usize> = LazyLock::new(|| {
        let (dump, image) = &*SCENE;
        dump.windows(image.bytes.len()).position(|bytes| bytes == image.bytes).expect("the image is in the dump")
    });
    let mut dump = SCENE.0.clone();
    let tables = *PLACE + TABLES;
    let length = input.len().min(PAGE);
    dump[tables..tables + length].copy_from_slice(&input[..length]);
    minidump(&dump)
}
