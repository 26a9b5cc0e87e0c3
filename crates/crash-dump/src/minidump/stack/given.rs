//! What every walk of a stack uses, and what holds of the frames of all.

use minidump::{MinidumpContext, MinidumpModuleList};

use crate::minidump::excerpt::Excerpted;
use crate::minidump::memory::Memory;
use crate::minidump::symbols::{CodeSource, Symbols};
use crate::minidump::wanted::wanted_address;
use evidence::{
    Address, CpuArchitecture, Frame, FrameTrust, InlinedFunction, Names, OperatingSystem, ProcessDump, SourceLine,
    System,
};

/// Most frames of the crashing thread that are walked: the innermost ones show what happened.
pub const MOST_FRAMES: usize = 64;

/// What a walk of stacks uses.
pub struct Given<'g, 'b> {
    /// The excerpt of the dump.
    pub dump: &'g Excerpted<'b>,
    /// The module list.
    pub modules: Option<&'g MinidumpModuleList>,
    /// The registers at the exception.
    pub context: Option<&'g MinidumpContext>,
    /// Symbols and images from outside of the dump.
    pub symbols: Option<&'g Symbols>,
    /// Shares equal names.
    pub names: &'g Names,
}

/// Whether it is x86 code on Windows.
pub fn is_x86_on_windows(system: &System) -> bool {
    system.os == OperatingSystem::Windows && matches!(system.cpu, CpuArchitecture::X86 | CpuArchitecture::X64)
}

/// Whether a thread was where no code is: a call or a jump had led there, and nothing of it ran. `executable` is whether
/// the page can be executed, where the dump describes it.
pub fn is_nowhere(
    instruction: Address,
    process: &ProcessDump,
    executable: Option<bool>,
    memory: &mut Memory<'_, '_>,
) -> bool {
    let at_exception = process.exception.as_ref().is_some_and(|exception| exception.address == instruction);
    if process.could_not_execute() && at_exception {
        return true;
    }
    if process.module_at(instruction).is_some() {
        return false;
    }
    let could_not_fetch = process.system.os == OperatingSystem::Windows && wanted_address(process) == Some(instruction);
    could_not_fetch || executable.map_or_else(|| memory.part(instruction.0, 1).is_none(), |executable| !executable)
}

/// A frame with what symbols show of its place.
pub fn with_source(frame: Frame, shown: &CodeSource, names: &Names) -> Frame {
    let line = |line: &SourceLine| SourceLine { file: names.share(&line.file), line: line.line };
    let inlined = shown.inlined.iter().map(|inlined| InlinedFunction {
        function: names.share(&inlined.function),
        source: inlined.source.as_ref().map(line),
    });
    Frame {
        function: Some(names.share(&shown.function)),
        source: shown.source.as_ref().map(line),
        inlined: inlined.collect(),
        ..frame
    }
}

/// A frame is no surer than those between it and the exception.
pub fn no_surer_than_before(frames: &mut [Frame]) {
    let mut least = FrameTrust::Exact;
    for frame in frames {
        least = least.min(frame.trust);
        frame.trust = least;
    }
}
