//! Images in memory: addresses, offsets and modules.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Version;

/// A virtual address in the process (or kernel) that the artifact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address(pub u64);

/// The distance of an address from the base of the module that contains it, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModuleOffset(pub u64);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl fmt::Display for ModuleOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// Which debug file belongs to a module: the identifier of its CodeView record, or a build id in that form. Shown as
/// Breakpad writes it: the signature's hexadecimal digits in upper case, then the age's in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DebugId {
    /// What the debug file is known by.
    pub signature: DebugSignature,
    /// How often the debug file had been changed (PDB age).
    pub age: u32,
}

/// The two kinds of signature that PDB files have had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DebugSignature {
    /// A GUID, in the order in which it is written (RSDS records, since PDB 7.0).
    Guid([u8; 16]),
    /// A time (NB10 records, PDB 2.0).
    Time(u32),
}

impl fmt::Display for DebugId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.signature {
            DebugSignature::Guid(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?,
            DebugSignature::Time(time) => write!(f, "{time:08X}")?,
        }
        write!(f, "{:x}", self.age)
    }
}

/// A module of a process's module list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LoadedModule {
    /// File name without path.
    pub name: Arc<str>,
    /// The path as the artifact gives it; only a file name where it holds no path.
    pub path: Arc<str>,
    /// File version from the version resource.
    pub version: Option<Version>,
    /// Where the image begins.
    pub base: Address,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// The PE header's `TimeDateStamp`. On reproducible builds a hash and no date, so only ever a part of identity.
    pub timestamp: u32,
    /// Which debug file belongs to it.
    pub debug_id: Option<DebugId>,
    /// The debug file's name, without path.
    pub debug_file: Option<Arc<str>>,
}

/// A module that had been unloaded before the artifact was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnloadedModule {
    /// File name, without path on most systems.
    pub path: Arc<str>,
    /// Where the image began.
    pub base: Address,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// The PE header's `TimeDateStamp`.
    pub timestamp: u32,
}

/// The last part of a path, whichever slash it is written with: Windows' own, or the one of the dump's system.
#[must_use]
pub fn base_name(path: &str) -> &str {
    let name = path.bytes().rposition(is_separator).map_or(0, |separator| separator.saturating_add(1));
    path.get(name..).unwrap_or(path)
}

/// Whether a path is more than a file name.
#[must_use]
pub fn has_folder(path: &str) -> bool {
    path.bytes().any(is_separator)
}

/// Whether a byte separates folders. Compared as bytes, because thousands of names are looked at before anything is judged.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b'\\' | b'/')
}

/// Whether a file, by its ending, is started as a process of its own, and not loaded into one.
#[must_use]
pub fn starts_process(path: &str) -> bool {
    const PROGRAMS: [&str; 3] = [".exe", ".com", ".scr"];
    let ending = path.len().checked_sub(4).and_then(|start| path.get(start..));
    ending.is_some_and(|ending| PROGRAMS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

impl LoadedModule {
    /// What symbol stores call an image of this build: time stamp and size, hexadecimal.
    #[must_use]
    pub fn image_id(&self) -> String {
        format!("{:08X}{:x}", self.timestamp, self.size)
    }

    /// File name without path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The offset of `address` in this module, if it lies within it.
    #[must_use]
    pub fn offset_of(&self, address: Address) -> Option<ModuleOffset> {
        offset_within(self.base, u64::from(self.size), address)
    }
}

impl UnloadedModule {
    /// File name without path.
    #[must_use]
    pub fn name(&self) -> &str {
        base_name(&self.path)
    }

    /// The offset of `address` in the range where this module was, if it lies within it.
    #[must_use]
    pub fn offset_of(&self, address: Address) -> Option<ModuleOffset> {
        offset_within(self.base, u64::from(self.size), address)
    }
}

/// The offset of `address` in an image of `size` bytes at `base`, if it lies within it.
pub(crate) fn offset_within(base: Address, size: u64, address: Address) -> Option<ModuleOffset> {
    address.0.checked_sub(base.0).filter(|offset| *offset < size).map(ModuleOffset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_ids_are_written_as_symbol_stores_name_them() {
        let guid = DebugId { signature: DebugSignature::Guid([0xAB; 16]), age: 10 };
        assert_eq!(guid.to_string(), "ABABABABABABABABABABABABABABABABa");
        assert_eq!(DebugId { signature: DebugSignature::Time(0x1234), age: 1 }.to_string(), "000012341");
    }
}
