//! The instruction at the fault: what it is, which extension of the processor it needs, and whether that is there.

use iced_x86::{
    Code, CpuidFeature, Decoder, DecoderOptions, FlowControl, Formatter, InstructionInfoFactory, IntelFormatter,
    Mnemonic, OpAccess, OpKind, Register,
};
use minidump::MinidumpContext;

use crate::evidence::{Address, CpuArchitecture, CpuFeatures, Extension, Instruction, InstructionKind, Names};

/// The longest instruction of x86, bytes.
pub const LONGEST: u64 = 15;

/// A decoded instruction.
#[derive(Debug, Clone, Copy)]
pub struct Decoded {
    instruction: iced_x86::Instruction,
    cpu: CpuArchitecture,
}

/// An address that an instruction uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    /// The address.
    pub address: Address,
    /// Whether the instruction insists on an alignment that the address does not have.
    pub misaligned: bool,
}

impl Decoded {
    /// Decodes the instruction at `address`; `None` when the bytes end before it does, or for other processors.
    pub fn of(bytes: &[u8], address: Address, cpu: CpuArchitecture) -> Option<Self> {
        let bits = match cpu {
            CpuArchitecture::X64 => 64,
            CpuArchitecture::X86 => 32,
            _ => return None,
        };
        let mut decoder = Decoder::try_with_ip(bits, bytes, address.0, DecoderOptions::NONE).ok()?;
        let instruction = decoder.decode();
        // Fewer bytes than the longest instruction has may only be its beginning.
        let whole = !instruction.is_invalid() || bytes.len() as u64 >= LONGEST;
        whole.then_some(Self { instruction, cpu })
    }

    /// What is told of it.
    pub fn told(&self, features: CpuFeatures, crashpad: bool, names: &Names) -> Instruction {
        let kind = self.kind();
        if kind == InstructionKind::Invalid {
            return Instruction { text: names.share("(no instruction)"), kind, extension: None, supported: None };
        }
        let mut text = String::new();
        let mut formatter = IntelFormatter::new();
        formatter.options_mut().set_uppercase_hex(false);
        formatter.options_mut().set_hex_prefix("0x");
        formatter.options_mut().set_hex_suffix("");
        formatter.options_mut().set_branch_leading_zeros(false);
        formatter.format(&self.instruction, &mut text);
        let extension = self.instruction.cpuid_features().iter().map(|feature| extension(*feature)).max_by_key(rank);
        let features = if crashpad { CpuFeatures { windows: None, ..features } } else { features };
        let supported = extension.and_then(|extension| supported(extension, features));
        Instruction { text: names.share(&text), kind, extension, supported }
    }

    fn kind(&self) -> InstructionKind {
        let instruction = &self.instruction;
        match instruction.code() {
            Code::INVALID => InstructionKind::Invalid,
            Code::Int3 | Code::Int1 => InstructionKind::Breakpoint,
            // __fastfail of MSVC.
            Code::Int_imm8 if instruction.immediate8() == 0x29 => InstructionKind::FastFail,
            // The assertion interrupt of Windows.
            Code::Int_imm8 if instruction.immediate8() == 0x2C => InstructionKind::Breakpoint,
            Code::Int_imm8 => InstructionKind::Interrupt,
            _ if matches!(instruction.mnemonic(), Mnemonic::Ud0 | Mnemonic::Ud1 | Mnemonic::Ud2) => {
                InstructionKind::Undefined
            }
            _ if instruction.is_privileged() => InstructionKind::Privileged,
            _ => InstructionKind::Ordinary,
        }
    }

    /// The addresses that it reads, writes or jumps to, by the registers in `context`. What lies at the top of the
    /// stack, to which a return goes, is asked of `stack_word`. Instructions that use many addresses at once (gathers)
    /// have none here.
    pub fn used_addresses(
        &self,
        context: &MinidumpContext,
        teb: Option<Address>,
        mut stack_word: impl FnMut(Address) -> Option<u64>,
    ) -> Vec<Used> {
        let instruction = &self.instruction;
        let mut used = Vec::new();
        let mut factory = InstructionInfoFactory::new();
        for memory in factory.info(instruction).used_memory() {
            if memory.access() == OpAccess::NoMemAccess || memory.vsib_size() != 0 {
                continue;
            }
            let address = memory.virtual_address(0, |register, _, _| self.value(register, context, teb));
            let Some(address) = address else { continue };
            let size = memory.memory_size().size() as u64;
            let misaligned = is_aligned_move(instruction.mnemonic())
                && address.checked_rem(size).is_some_and(|remainder| remainder != 0);
            used.push(Used { address: Address(address), misaligned });
        }
        let target = match instruction.flow_control() {
            FlowControl::IndirectBranch | FlowControl::IndirectCall if instruction.op0_kind() == OpKind::Register => {
                self.value(instruction.op0_register(), context, teb)
            }
            FlowControl::Return => {
                self.value(Register::RSP, context, teb).and_then(|pointer| stack_word(Address(pointer)))
            }
            _ => None,
        };
        used.extend(target.map(|address| Used { address: Address(address), misaligned: false }));
        used
    }

    /// A register's value, or the base of a segment.
    fn value(&self, register: Register, context: &MinidumpContext, teb: Option<Address>) -> Option<u64> {
        let wide = self.cpu.is_64_bit();
        match register {
            Register::ES | Register::CS | Register::SS | Register::DS => Some(0),
            // The segment of the thread's environment block.
            Register::GS if wide => teb.map(|teb| teb.0),
            Register::FS if !wide => teb.map(|teb| teb.0),
            _ if register.is_gpr() => {
                let full = if wide { register.full_register() } else { register.full_register32() };
                context.get_register(&format!("{full:?}").to_lowercase())
            }
            _ => None,
        }
    }
}

/// Moves that raise an exception without an address when theirs is not a multiple of their size.
fn is_aligned_move(mnemonic: Mnemonic) -> bool {
    matches!(
        mnemonic,
        Mnemonic::Movaps
            | Mnemonic::Movapd
            | Mnemonic::Movdqa
            | Mnemonic::Movntps
            | Mnemonic::Movntpd
            | Mnemonic::Movntdq
            | Mnemonic::Vmovaps
            | Mnemonic::Vmovapd
            | Mnemonic::Vmovdqa
            | Mnemonic::Vmovntps
            | Mnemonic::Vmovntpd
            | Mnemonic::Vmovntdq
    )
}

/// Of several that an instruction needs, the youngest tells most: the order of the words.
fn rank(extension: &Extension) -> usize {
    Extension::WORDS.iter().position(|word| *word == extension.word()).unwrap_or(0)
}

/// The extension to which a bit of CPUID belongs.
fn extension(feature: CpuidFeature) -> Extension {
    use CpuidFeature as Bit;
    match feature {
        Bit::MMX | Bit::D3NOW | Bit::D3NOWEXT | Bit::SSE => Extension::Sse,
        Bit::SSE2 => Extension::Sse2,
        Bit::SSE3 => Extension::Sse3,
        Bit::SSSE3 => Extension::Ssse3,
        Bit::SSE4A => Extension::Sse4a,
        Bit::SSE4_1 => Extension::Sse41,
        Bit::SSE4_2 => Extension::Sse42,
        Bit::POPCNT | Bit::LZCNT | Bit::BMI1 | Bit::BMI2 | Bit::MOVBE | Bit::ADX => Extension::Bits,
        Bit::AES | Bit::PCLMULQDQ | Bit::SHA | Bit::RDRAND | Bit::RDSEED => Extension::Crypto,
        Bit::AVX => Extension::Avx,
        Bit::F16C => Extension::F16c,
        Bit::FMA => Extension::Fma,
        Bit::FMA4 | Bit::XOP => Extension::Fma4,
        Bit::AVX2 => Extension::Avx2,
        _ => by_name(&format!("{feature:?}")),
    }
}

/// Families of bits that grow with every generation, and what is as old as the architecture.
fn by_name(name: &str) -> Extension {
    const BASE: &[&str] = &[
        "X64",
        "CMOV",
        "FPU",
        "FPU287",
        "FPU387",
        "CX8",
        "CPUID",
        "TSC",
        "FXSR",
        "SEP",
        "SYSCALL",
        "MULTIBYTENOP",
        "PAUSE",
        "CLFSH",
        "MSR",
        "CMPXCHG16B",
        "SMM",
    ];
    if name.starts_with("AVX512") {
        Extension::Avx512
    } else if name.starts_with("AVX") || matches!(name, "VAES" | "VPCLMULQDQ") {
        Extension::LaterAvx
    } else if name.starts_with("AMX") {
        Extension::Amx
    } else if name.starts_with("INTEL") || BASE.contains(&name) {
        Extension::Base
    } else {
        Extension::Other
    }
}

/// Whether programs can use an extension, where what the system says of the processor proves it.
///
/// Source: the `PF_*` constants of `winnt.h`. Those from 36 (SSSE3) to 41 (AVX-512F) came together with Windows 10
/// 2004; every processor that it runs on has SSSE3, so without that bit the others mean nothing.
fn supported(extension: Extension, features: CpuFeatures) -> Option<bool> {
    const SSE3: u32 = 13;
    const XSAVE: u32 = 17;
    const SSSE3: u32 = 36;
    const SSE4_1: u32 = 37;
    const SSE4_2: u32 = 38;
    const AVX: u32 = 39;
    const AVX2: u32 = 40;
    const AVX512F: u32 = 41;
    // What Breakpad's writers for other systems leave is zero.
    let windows = features.windows.filter(|bits| *bits != 0);
    let has = |bit: u32| windows.map(|bits| bits >> bit & 1 == 1);
    let reported = |bit: u32| has(SSSE3).filter(|ssse3| *ssse3).and_then(|_| has(bit));
    let states = features.saved_states.filter(|states| *states != 0);
    let saves = |mask: u64| states.map(|states| states & mask == mask);
    // Registers that the system does not save can't be used: XCR0 bit 2 is the upper half of AVX registers, bits 5 to
    // 7 belong to AVX-512.
    let avx = || {
        let missing = has(XSAVE) == Some(false) || saves(1 << 2) == Some(false) || reported(AVX) == Some(false);
        if missing { Some(false) } else { reported(AVX).or(saves(1 << 2)).filter(|has| *has) }
    };
    let unless_avx_is_missing = || avx().filter(|has| !has);
    match extension {
        Extension::Sse3 => has(SSE3),
        Extension::Ssse3 => has(SSSE3).filter(|has| *has),
        Extension::Sse41 => reported(SSE4_1),
        Extension::Sse42 => reported(SSE4_2),
        Extension::Avx => avx(),
        Extension::F16c | Extension::Fma | Extension::Fma4 | Extension::LaterAvx => unless_avx_is_missing(),
        Extension::Avx2 => unless_avx_is_missing().or_else(|| reported(AVX2)),
        Extension::Avx512 => {
            let missing = saves(0b111 << 5) == Some(false) || reported(AVX512F) == Some(false);
            if missing { Some(false) } else { unless_avx_is_missing() }
        }
        // What every processor has, and what the system does not report.
        Extension::Base | Extension::Sse | Extension::Sse2 => None,
        Extension::Sse4a | Extension::Bits | Extension::Crypto | Extension::Amx | Extension::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8], features: CpuFeatures) -> Instruction {
        let decoded = Decoded::of(bytes, Address(0x1000), CpuArchitecture::X64).expect("an instruction");
        decoded.told(features, false, &Names::default())
    }

    fn of(bytes: &[u8]) -> (String, &'static str, Option<&'static str>) {
        let told = told(bytes, CpuFeatures::default());
        (told.text.to_string(), told.kind.word(), told.extension.map(Extension::word))
    }

    #[test]
    fn instructions_are_named_with_the_extension_that_they_need() {
        let plain = |text: &str, extension| (text.to_owned(), "ordinary", Some(extension));
        assert_eq!(of(&[0x48, 0x8B, 0x41, 0x18]), plain("mov rax,[rcx+0x18]", "base"));
        assert_eq!(of(&[0xC5, 0xFC, 0x10, 0x01]), plain("vmovups ymm0,[rcx]", "avx"));
        assert_eq!(of(&[0xC5, 0xF5, 0xFE, 0xC2]), plain("vpaddd ymm0,ymm1,ymm2", "avx2"));
        assert_eq!(of(&[0x62, 0xF1, 0x75, 0x48, 0xFE, 0xC2]), plain("vpaddd zmm0,zmm1,zmm2", "avx512"));
        assert_eq!(of(&[0xC4, 0xE2, 0x71, 0x98, 0xC2]), plain("vfmadd132ps xmm0,xmm1,xmm2", "fma"));
        assert_eq!(of(&[0x66, 0x0F, 0x38, 0x40, 0xC1]), plain("pmulld xmm0,xmm1", "sse4.1"));
        assert_eq!(of(&[0xF2, 0x0F, 0x38, 0xF1, 0xC1]), plain("crc32 eax,ecx", "sse4.2"));
        assert_eq!(of(&[0xF3, 0x0F, 0xB8, 0xC1]), plain("popcnt eax,ecx", "bit-manipulation"));
        assert_eq!(of(&[0xC4, 0xE2, 0x71, 0xDC, 0xC2]), plain("vaesenc xmm0,xmm1,xmm2", "avx"));
    }

    #[test]
    fn traps_and_privileged_instructions_are_told_from_others() {
        let kind = |bytes: &[u8]| of(bytes).1;
        assert_eq!(kind(&[0x0F, 0x0B]), "undefined");
        assert_eq!(kind(&[0xCC]), "breakpoint");
        assert_eq!(kind(&[0xCD, 0x29]), "fast-fail");
        assert_eq!(kind(&[0xCD, 0x2C]), "breakpoint");
        assert_eq!(kind(&[0xCD, 0x80]), "interrupt");
        assert_eq!(kind(&[0xF4]), "privileged");
        assert_eq!(kind(&[0x0F, 0x20, 0xC0]), "privileged", "mov rax,cr0");
        let nothing = [0x06; 15];
        assert_eq!(of(&nothing), ("(no instruction)".to_owned(), "invalid", None));
    }

    #[test]
    fn an_instruction_that_is_cut_off_is_none() {
        assert!(Decoded::of(&[0x48, 0x8B], Address(0), CpuArchitecture::X64).is_none());
        assert!(Decoded::of(&[], Address(0), CpuArchitecture::X64).is_none());
        assert!(Decoded::of(&[0x90; 16], Address(0), CpuArchitecture::Arm64).is_none());
    }

    #[test]
    fn whether_the_processor_has_avx_is_only_said_where_it_is_proven() {
        const OLD_WINDOWS: u64 = 0x1_10C2_774C;
        let avx = [0xC5, 0xFC, 0x10, 0x01];
        let fma = [0xC4, 0xE2, 0x71, 0x98, 0xC2];
        let avx512 = [0x62, 0xF1, 0x75, 0x48, 0xFE, 0xC2];
        let supported =
            |bytes: &[u8], windows, saved_states| told(bytes, CpuFeatures { windows, saved_states }).supported;
        assert_eq!(supported(&avx, None, None), None);
        assert_eq!(supported(&avx, Some(0), Some(0)), None);
        assert_eq!(supported(&avx, Some(OLD_WINDOWS), None), None, "it does not report AVX");
        assert_eq!(supported(&avx, Some(OLD_WINDOWS), Some(0b111)), Some(true));
        assert_eq!(supported(&avx, Some(OLD_WINDOWS), Some(0b011)), Some(false));
        assert_eq!(supported(&avx, Some(OLD_WINDOWS & !(1 << 17)), None), Some(false), "no XSAVE");
        let with = |bits: u64| Some(OLD_WINDOWS | bits << 36);
        assert_eq!(supported(&avx, with(0b00_0111), None), Some(false));
        assert_eq!(supported(&avx, with(0b00_1111), None), Some(true));
        assert_eq!(supported(&fma, with(0b00_0111), None), Some(false));
        assert_eq!(supported(&fma, with(0b01_1111), None), None, "no bit says so");
        assert_eq!(supported(&avx512, with(0b01_1111), None), Some(false));
        assert_eq!(supported(&avx512, with(0b11_1111), None), None, "AVX-512 has many parts");
    }
}
