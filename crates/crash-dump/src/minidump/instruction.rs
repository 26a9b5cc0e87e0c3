//! The instruction at the fault: what it is, which extension of the processor it needs, and whether that is there.

pub(super) mod arm64;

use evidence::{AccessKind, Address, CpuArchitecture, CpuFeatures, Extension, Instruction, InstructionKind, Names};
use iced_x86::{
    Code, CpuidFeature, Decoder, DecoderOptions, EncodingKind, FlowControl, Formatter, InstructionInfoFactory,
    IntelFormatter, Mnemonic, OpAccess, OpKind, Register,
};
use untrusted::bytes::u32_at;

/// The longest instruction of x86, bytes.
pub const LONGEST: u64 = 15;

/// A decoded instruction.
#[derive(Debug, Clone, Copy)]
pub enum DecodedInstruction {
    /// An instruction of x86.
    X86 {
        /// The instruction.
        instruction: iced_x86::Instruction,
        /// Whether addresses have 64 bits.
        wide: bool,
    },
    /// An instruction of 64-bit ARM.
    Arm64(u32),
}

/// An address that an instruction uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    /// The address.
    pub address: Address,
    /// How many bytes; 0 when that is not known.
    pub size: u32,
    /// How they are used.
    pub access: AccessKind,
    /// The number of the register that the address counts from.
    pub base: Option<usize>,
    /// That register's value.
    pub base_value: Option<u64>,
    /// The number of the register that is added, multiplied.
    pub index: Option<usize>,
    /// What is added besides, bytes.
    pub displacement: i64,
    /// Whether the instruction insists on an alignment that the address does not have.
    pub misaligned: bool,
}

impl Used {
    /// Whether `address` is among the bytes.
    pub fn holds(&self, address: Address) -> bool {
        address.0.wrapping_sub(self.address.0) < u64::from(self.size.max(1))
    }
}

/// The addresses that an instruction uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uses {
    /// Those that are known.
    pub known: Vec<Used>,
    /// Whether these are all, with their sizes, and the instruction can fail in no other way than by them.
    pub complete: bool,
}

impl DecodedInstruction {
    /// Decodes the instruction at `address`; `None` when the bytes end before it does, or for other processors.
    pub fn decode(bytes: &[u8], address: Address, cpu: CpuArchitecture) -> Option<Self> {
        let bits = match cpu {
            CpuArchitecture::X64 => 64,
            CpuArchitecture::X86 => 32,
            CpuArchitecture::Arm64 => {
                // Instructions have four bytes and lie at multiples of four.
                let aligned = address.0.checked_rem(4) == Some(0);
                return u32_at(bytes, 0).filter(|_| aligned).map(Self::Arm64);
            }
            CpuArchitecture::Arm | CpuArchitecture::Other => return None,
        };
        let mut decoder = Decoder::try_with_ip(bits, bytes, address.0, DecoderOptions::NONE).ok()?;
        let instruction = decoder.decode();
        // Fewer bytes than the longest instruction has may only be its beginning.
        let whole = !instruction.is_invalid() || bytes.len() as u64 >= LONGEST;
        whole.then_some(Self::X86 { instruction, wide: bits == 64 })
    }

    /// The instruction in its maker's notation.
    pub fn text(&self) -> String {
        match self {
            Self::X86 { instruction, .. } => text(instruction),
            Self::Arm64(word) => arm64::read(*word).0,
        }
    }

    /// The instruction as evidence, with `features`, the extensions that the processor has.
    pub fn describe(&self, features: CpuFeatures, names: &Names) -> Instruction {
        let instruction = match self {
            Self::X86 { instruction, .. } => instruction,
            Self::Arm64(word) => return arm64::describe(*word, names),
        };
        let kind = kind(instruction);
        if kind == InstructionKind::Invalid {
            return Instruction { text: names.share("(no instruction)"), kind, extension: None, supported: None };
        }
        let text = text(instruction);
        let extension = instruction.cpuid_features().iter().map(|feature| extension(*feature)).max_by_key(rank);
        let supported = extension.and_then(|extension| features.has(extension));
        Instruction { text: names.share(&text), kind, extension, supported }
    }

    /// The addresses that it reads, writes or jumps to, by the values of the general `registers`. What lies at the top of
    /// the stack, to which a return goes, is asked of `stack_word`. Instructions that use many addresses at once (gathers)
    /// have none here.
    pub fn uses(
        &self,
        registers: &[u64],
        teb: Option<Address>,
        mut stack_word: impl FnMut(Address) -> Option<u64>,
    ) -> Uses {
        let (instruction, wide) = match self {
            Self::X86 { instruction, wide } => (instruction, *wide),
            Self::Arm64(word) => return arm64::uses(*word, registers),
        };
        let value = |register| value(register, wide, registers, teb);
        let mut uses = Uses { known: Vec::new(), complete: !is_by_the_system(instruction) };
        let mut factory = InstructionInfoFactory::new();
        for memory in factory.info(instruction).used_memory() {
            let access = match memory.access() {
                OpAccess::Read | OpAccess::CondRead => AccessKind::Read,
                OpAccess::Write | OpAccess::CondWrite => AccessKind::Write,
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => AccessKind::ReadWrite,
                OpAccess::None | OpAccess::NoMemAccess => continue,
            };
            let address = memory.virtual_address(0, |register, _, _| value(register));
            let size = memory.memory_size().size();
            let Some(address) = address.filter(|_| memory.vsib_size() == 0) else {
                uses.complete = false;
                continue;
            };
            uses.complete &= size != 0;
            let misaligned = needs_alignment(instruction, size)
                && address.checked_rem(size as u64).is_some_and(|remainder| remainder != 0);
            let number = |register: Register| register.is_gpr().then(|| register.number());
            let displacement = memory.displacement().cast_signed();
            uses.known.push(Used {
                address: Address(address),
                size: u32::try_from(size).unwrap_or(0),
                access,
                base: number(memory.base()),
                base_value: if memory.base().is_gpr() { value(memory.base()) } else { None },
                index: number(memory.index()),
                displacement: if wide { displacement } else { i64::from(displacement as i32) },
                misaligned,
            });
        }
        let target = match instruction.flow_control() {
            FlowControl::IndirectBranch | FlowControl::IndirectCall if instruction.op0_kind() == OpKind::Register => {
                let register = instruction.op0_register();
                Some((value(register), register.is_gpr().then(|| register.number())))
            }
            FlowControl::Return => {
                let pointer = value(if wide { Register::RSP } else { Register::ESP });
                Some((pointer.and_then(|pointer| stack_word(Address(pointer))), None))
            }
            _ => None,
        };
        if let Some((Some(address), base)) = target {
            uses.known.push(Used {
                address: Address(address),
                size: 1,
                access: AccessKind::Execute,
                base,
                base_value: base.map(|_| address),
                index: None,
                displacement: 0,
                misaligned: false,
            });
        }
        uses
    }
}

/// Whether an instruction can fail for reasons that are not in its operands: it uses tables of the system, saves or loads the
/// processor's state, or goes to the system.
fn is_by_the_system(instruction: &iced_x86::Instruction) -> bool {
    use Mnemonic::*;
    let to_system = matches!(
        instruction.flow_control(),
        FlowControl::Interrupt | FlowControl::Exception | FlowControl::XbeginXabortXend
    );
    let segment = (0..instruction.op_count()).any(|operand| {
        instruction.op_kind(operand) == OpKind::Register && instruction.op_register(operand).is_segment_register()
    });
    let state = matches!(
        instruction.mnemonic(),
        Fxsave
            | Fxsave64
            | Fxrstor
            | Fxrstor64
            | Xsave
            | Xsave64
            | Xsavec
            | Xsavec64
            | Xsaveopt
            | Xsaveopt64
            | Xrstor
            | Xrstor64
            | Fsave
            | Fnsave
            | Frstor
            | Ldmxcsr
            | Vldmxcsr
            | Syscall
            | Sysenter
            | Enter
            | Wait
    );
    to_system || segment || state || instruction.is_privileged() || kind(instruction) != InstructionKind::Ordinary
}

/// A register's value, or the base of a segment.
fn value(register: Register, wide: bool, registers: &[u64], teb: Option<Address>) -> Option<u64> {
    match register {
        Register::ES | Register::CS | Register::SS | Register::DS => Some(0),
        // The segment of the thread's environment block.
        Register::GS if wide => teb.map(|teb| teb.0),
        Register::FS if !wide => teb.map(|teb| teb.0),
        _ if register.is_gpr() => registers.get(register.full_register().number()).copied(),
        _ => None,
    }
}

/// The instruction in Intel's notation.
pub(super) fn text(instruction: &iced_x86::Instruction) -> String {
    let mut text = String::new();
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_uppercase_hex(false);
    formatter.options_mut().set_hex_prefix("0x");
    formatter.options_mut().set_hex_suffix("");
    formatter.options_mut().set_branch_leading_zeros(false);
    formatter.format(instruction, &mut text);
    text
}

fn kind(instruction: &iced_x86::Instruction) -> InstructionKind {
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

/// Whether an instruction raises an exception without an address when that of its operand, of `size` bytes, is not a multiple
/// of the size. Of SSE all instructions on 16 bytes do but a few; of AVX only the moves that say so.
///
/// Source: "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 1, 4.1.1 and 14.9.
fn needs_alignment(instruction: &iced_x86::Instruction, size: usize) -> bool {
    use Mnemonic::*;
    /// Bytes of a register of SSE.
    const SSE: usize = 16;
    let of_avx = matches!(
        instruction.mnemonic(),
        Vmovaps | Vmovapd | Vmovdqa | Vmovdqa32 | Vmovdqa64 | Vmovntps | Vmovntpd | Vmovntdq | Vmovntdqa
    );
    let any_address = matches!(
        instruction.mnemonic(),
        Movups
            | Movupd
            | Movdqu
            | Lddqu
            | Maskmovdqu
            | Pcmpestri
            | Pcmpestri64
            | Pcmpestrm
            | Pcmpestrm64
            | Pcmpistri
            | Pcmpistrm
    );
    let of_sse = instruction.code().encoding() == EncodingKind::Legacy
        && (0..instruction.op_count()).any(|operand| {
            instruction.op_kind(operand) == OpKind::Register && instruction.op_register(operand).is_xmm()
        });
    of_avx || instruction.mnemonic() == Cmpxchg16b || (of_sse && size == SSE && !any_address)
}

/// The age of an extension, the oldest first: of several that an instruction needs, the youngest is shown.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8], features: CpuFeatures) -> Instruction {
        let decoded = DecodedInstruction::decode(bytes, Address(0x1000), CpuArchitecture::X64).expect("an instruction");
        decoded.describe(features, &Names::default())
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

    /// What an instruction of x64 does with the memory at its first operand, with rcx = `rcx`.
    fn used(bytes: &[u8], rcx: u64) -> (AccessKind, bool) {
        let decoded = DecodedInstruction::decode(bytes, Address(0x1000), CpuArchitecture::X64).expect("an instruction");
        let uses = decoded.uses(&[0, rcx, 0, 0, 0x8000, 0, 0, 0], None, |_| None);
        let used = uses.known.iter().find(|used| used.address == Address(rcx)).expect("an operand");
        (used.access, used.misaligned)
    }

    #[test]
    fn instructions_of_sse_need_an_aligned_address_but_for_a_few() {
        let misaligned = |bytes: &[u8]| used(bytes, 0x2008).1;
        assert!(misaligned(&[0x0F, 0x28, 0x01]), "movaps xmm0,[rcx]");
        assert!(misaligned(&[0x0F, 0x58, 0x01]), "addps xmm0,[rcx]");
        assert!(misaligned(&[0x66, 0x0F, 0xFE, 0x01]), "paddd xmm0,[rcx]");
        assert!(misaligned(&[0xF0, 0x48, 0x0F, 0xC7, 0x09]), "lock cmpxchg16b [rcx]");
        assert!(!misaligned(&[0x0F, 0x10, 0x01]), "movups xmm0,[rcx]");
        assert!(!misaligned(&[0xF3, 0x0F, 0x6F, 0x01]), "movdqu xmm0,[rcx]");
        assert!(!misaligned(&[0xF2, 0x0F, 0x10, 0x01]), "movsd xmm0,[rcx]");
        assert!(!misaligned(&[0xC5, 0xF0, 0x58, 0x01]), "vaddps xmm0,xmm1,[rcx]");
        assert!(misaligned(&[0xC5, 0xFC, 0x28, 0x01]), "vmovaps ymm0,[rcx]");
        assert!(!used(&[0x0F, 0x58, 0x01], 0x2010).1, "an aligned address");
    }

    #[test]
    fn atomic_operations_read_and_write() {
        let access = |bytes: &[u8]| used(bytes, 0x2008).0;
        assert_eq!(access(&[0xF0, 0x48, 0x0F, 0xB1, 0x11]), AccessKind::ReadWrite, "lock cmpxchg [rcx],rdx");
        assert_eq!(access(&[0xF0, 0x48, 0x0F, 0xC1, 0x11]), AccessKind::ReadWrite, "lock xadd [rcx],rdx");
        assert_eq!(access(&[0x48, 0x87, 0x11]), AccessKind::ReadWrite, "xchg [rcx],rdx");
        assert_eq!(access(&[0xF0, 0xFF, 0x01]), AccessKind::ReadWrite, "lock inc dword ptr [rcx]");
        assert_eq!(access(&[0xF0, 0x48, 0x0F, 0xBA, 0x29, 0x00]), AccessKind::ReadWrite, "lock bts qword ptr [rcx],0");
    }

    #[test]
    fn an_instruction_that_is_cut_off_is_none() {
        assert!(DecodedInstruction::decode(&[0x48, 0x8B], Address(0), CpuArchitecture::X64).is_none());
        assert!(DecodedInstruction::decode(&[], Address(0), CpuArchitecture::X64).is_none());
        assert!(DecodedInstruction::decode(&[0x90; 16], Address(0), CpuArchitecture::Arm).is_none());
        assert!(DecodedInstruction::decode(&[0x90; 3], Address(0), CpuArchitecture::Arm64).is_none());
        assert!(DecodedInstruction::decode(&[0x90; 16], Address(2), CpuArchitecture::Arm64).is_none());
    }

    #[test]
    fn code_of_32_bits_is_decoded_as_such() {
        let of = |bytes: &[u8]| {
            let decoded =
                DecodedInstruction::decode(bytes, Address(0x40_1000), CpuArchitecture::X86).expect("an instruction");
            let told = decoded.describe(CpuFeatures::default(), &Names::default());
            (told.text.to_string(), told.kind.word())
        };
        // With 64 bits these bytes begin `dec eax` as the prefix of the next instruction.
        assert_eq!(of(&[0x48, 0x8B, 0x41, 0x18]), ("dec eax".to_owned(), "ordinary"));
        assert_eq!(of(&[0x8B, 0x41, 0x18]), ("mov eax,[ecx+0x18]".to_owned(), "ordinary"));
        assert_eq!(of(&[0xCD, 0x29]), ("int 0x29".to_owned(), "fast-fail"));
        assert_eq!(of(&[0xC5, 0xFC, 0x10, 0x01]), ("vmovups ymm0,[ecx]".to_owned(), "ordinary"));
        assert_eq!(of(&[0xFF, 0x25, 0x10, 0x20, 0x40, 0x00]), ("jmp dword ptr [0x402010]".to_owned(), "ordinary"));
    }

    #[test]
    fn whether_the_processor_has_what_an_instruction_needs_is_only_said_where_it_is_known() {
        let avx = [0xC5, 0xFC, 0x10, 0x01];
        let supported = |windows| told(&avx, CpuFeatures { windows, saved_states: None }).supported;
        assert_eq!(supported(None), None);
        assert_eq!(supported(Some(0x1_10C2_774C | 0b00_0111 << 36)), Some(false));
        assert_eq!(supported(Some(0x1_10C2_774C | 0b00_1111 << 36)), Some(true));
    }
}
