//! Loaded and unloaded modules.

use super::Minidump;
use super::pending::{Pending, string};
use crate::bytes::{ByteWriter, count32, stable_hash};
use crate::{FileVersion, Guid};

/// A loaded image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Full path.
    pub path: String,
    /// File version; none for files without version resource.
    pub version: Option<FileVersion>,
    /// Where it is loaded.
    pub base: u64,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// `TimeDateStamp` of the PE header.
    pub timestamp: u32,
    /// `CheckSum` of the PE header.
    pub checksum: u32,
    /// The record that identifies its debug information; empty for none. See [`Module::windows`] and [`Module::elf`].
    pub codeview: Vec<u8>,
}

impl Module {
    /// A Windows image. Time stamp, checksum and PDB id are made up from path and version, the PDB's name from the
    /// file's.
    #[must_use]
    pub fn windows(path: &str, version: Option<FileVersion>, base: u64, size: u32) -> Self {
        let seed = version.map_or_else(|| path.to_owned(), |version| format!("{path} {version}"));
        let hash = stable_hash(seed.as_bytes());
        let name = path.rsplit('\\').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Self {
            path: path.to_owned(),
            version,
            base,
            size,
            timestamp: (hash >> 32) as u32,
            checksum: size + (hash & 0xFFFF) as u32,
            codeview: pdb_record(Guid::made_up(&seed), 1, &format!("{stem}.pdb")),
        }
    }

    /// A Linux image with a build id made up from its path.
    #[must_use]
    pub fn elf(path: &str, base: u64, size: u32) -> Self {
        // Signature "BpEL" read as a number is how Breakpad marks a build id; the id itself is a SHA-1, 20 bytes.
        let mut record = ByteWriter::new();
        record.u32(0x4270_454C).raw(&Guid::made_up(path).0).u32(stable_hash(path.as_bytes()) as u32);
        Self {
            path: path.to_owned(),
            version: None,
            base,
            size,
            timestamp: 0,
            checksum: 0,
            codeview: record.into_bytes(),
        }
    }

    /// File name without folder.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit(['\\', '/']).next().unwrap_or(&self.path)
    }
}

/// A CodeView record of a PDB 7.0: "RSDS", GUID, age, name.
fn pdb_record(id: Guid, age: u32, name: &str) -> Vec<u8> {
    let mut out = ByteWriter::new();
    out.raw(b"RSDS").raw(&id.0).u32(age).raw(name.as_bytes()).u8(0);
    out.into_bytes()
}

/// A module that was unloaded before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnloadedModule {
    /// File name.
    pub name: String,
    /// Where it was loaded.
    pub base: u64,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// `TimeDateStamp` of the PE header.
    pub timestamp: u32,
}

/// `MINIDUMP_MODULE_LIST`: a count and `MINIDUMP_MODULE`s of 108 bytes.
pub(super) fn write_loaded(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    out.u32(count32(dump.modules.len()));
    for module in &dump.modules {
        out.u64(module.base).u32(module.size).u32(module.checksum).u32(module.timestamp);
        pending.point_to(out, string(&module.path));
        write_version(module, out);
        pending.locate(out, module.codeview.clone());
        // No miscellaneous record; two reserved words.
        out.u64(0).u64(0).u64(0);
    }
}

/// `VS_FIXEDFILEINFO`, 52 bytes; all zero for a file without version.
fn write_version(module: &Module, out: &mut ByteWriter) {
    let Some(version) = module.version else {
        out.zeros(52);
        return;
    };
    let (high, low) = version.halves();
    // Signature, version of the structure, file version, product version.
    out.u32(0xFEEF_04BD).u32(0x0001_0000).u32(high).u32(low).u32(high).u32(low);
    // Which flags are valid, none set, made for Windows NT, and whether a program or a DLL.
    let kind = if module.path.ends_with(".exe") { 1 } else { 2 };
    out.u32(0x3F).u32(0).u32(0x0004_0004).u32(kind).u32(0).u64(0);
}

/// `MINIDUMP_UNLOADED_MODULE_LIST`: a header of 12 bytes and 24 bytes a module.
pub(super) fn write_unloaded(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    out.u32(12).u32(24).u32(count32(dump.unloaded.len()));
    for module in &dump.unloaded {
        out.u64(module.base).u32(module.size).u32(0).u32(module.timestamp);
        pending.point_to(out, string(&module.name));
    }
}
