//! The headers of an image: only what unwinding needs.

use evidence::LoadedModule;
use untrusted::bytes::{u16_at, u32_at};

/// `IMAGE_FILE_MACHINE_AMD64` and `IMAGE_FILE_MACHINE_I386`, each with the `Magic` of the optional header (PE32+, PE32) and
/// the offset of the number of directories, which the directories follow, from the signature on.
const KINDS: [(u16, u16, usize); 2] = [(0x8664, 0x20B, 24 + 108), (0x14C, 0x10B, 24 + 92)];
/// The loader refuses images with more sections.
const MOST_SECTIONS: u16 = 96;
/// Length of `IMAGE_SECTION_HEADER`, bytes.
const SECTION_SIZE: u32 = 40;

/// Where a table lies in the loaded image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Offset in the loaded image.
    pub at: u32,
    /// Bytes.
    pub size: u32,
}

/// A section: where its bytes are in the file, and where they are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Offset in the loaded image.
    pub loaded_at: u32,
    /// Bytes in the loaded image.
    pub loaded_size: u32,
    /// Offset in the file.
    pub stored_at: u32,
    /// Bytes in the file; what is loaded beyond them is zero.
    pub stored_size: u32,
}

/// The headers.
#[derive(Debug)]
pub struct Header {
    /// `TimeDateStamp`.
    pub timestamp: u32,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// `SizeOfHeaders`, bytes: so much of the file is loaded as it is.
    pub headers_size: u32,
    /// The export directory.
    pub exports: Table,
    /// The table of functions (`.pdata`); nowhere in images of 32 bits, which have none.
    pub functions: Table,
    /// Sections.
    pub sections: Vec<Section>,
}

impl Header {
    /// Reads the headers of an image of x86 code with `fill`, which fills a buffer from an offset on.
    pub fn read(mut fill: impl FnMut(u32, &mut [u8]) -> Option<()>) -> Option<Self> {
        let mut dos = [0; 0x40];
        fill(0, &mut dos)?;
        if !dos.starts_with(b"MZ") {
            return None;
        }
        let at = u32_at(&dos, 0x3C)?;
        // Signature, file header (20 bytes), and the optional header as far as its fourth directory.
        let mut nt = [0; 24 + 112 + 4 * 8];
        fill(at, &mut nt)?;
        if !nt.starts_with(b"PE\0\0") {
            return None;
        }
        let (machine, magic) = (u16_at(&nt, 4)?, u16_at(&nt, 24)?);
        let (.., directories) = KINDS.into_iter().find(|kind| (kind.0, kind.1) == (machine, magic))?;
        // A directory that the header does not count is none.
        if u32_at(&nt, directories)? < 4 {
            return None;
        }
        let directory = |index: usize| -> Option<Table> {
            let field = index.checked_mul(8)?.checked_add(directories)?.checked_add(4)?;
            Some(Table { at: u32_at(&nt, field)?, size: u32_at(&nt, field.checked_add(4)?)? })
        };
        let wide = magic == 0x20B;
        let sections_at = at.checked_add(24)?.checked_add(u32::from(u16_at(&nt, 20)?))?;
        let mut sections = Vec::new();
        for index in 0..u16_at(&nt, 6)?.min(MOST_SECTIONS) {
            let mut section = [0; SECTION_SIZE as usize];
            fill(sections_at.checked_add(u32::from(index).checked_mul(SECTION_SIZE)?)?, &mut section)?;
            sections.push(Section {
                loaded_size: u32_at(&section, 8)?,
                loaded_at: u32_at(&section, 12)?,
                stored_size: u32_at(&section, 16)?,
                stored_at: u32_at(&section, 20)?,
            });
        }
        Some(Self {
            timestamp: u32_at(&nt, 8)?,
            size: u32_at(&nt, 24 + 56)?,
            headers_size: u32_at(&nt, 24 + 60)?,
            exports: directory(0)?,
            functions: if wide { directory(3)? } else { Table { at: 0, size: 0 } },
            sections,
        })
    }

    /// Whether the image is the build that a module list names: time stamp and size together identify an image.
    pub fn is_build(&self, module: &LoadedModule) -> bool {
        self.timestamp == module.timestamp && self.size == module.size
    }
}
