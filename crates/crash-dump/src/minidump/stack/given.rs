//! What every walk of a stack uses, and what holds of the frames of all.

use minidump::{MinidumpContext, MinidumpModuleList};

use crate::minidump::excerpt::Excerpted;
use crate::minidump::symbols::Symbols;
use evidence::{CpuArchitecture, Frame, FrameTrust, Names, OperatingSystem, System};

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

/// Whether code has the function tables of 64-bit Windows.
pub fn has_function_tables(system: &System) -> bool {
    system.os == OperatingSystem::Windows && system.cpu == CpuArchitecture::X64
}

/// A frame is no surer than those between it and the exception.
pub fn no_surer_than_before(frames: &mut [Frame]) {
    let mut least = FrameTrust::Exact;
    for frame in frames {
        least = least.min(frame.trust);
        frame.trust = least;
    }
}
