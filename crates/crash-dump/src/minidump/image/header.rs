//! The headers of an image: only what unwinding needs.

use evidence::LoadedModule;
use untrusted::bytes::{u16_at, u32_at};

/// `IMAGE_FILE_MACHINE_AMD64`.
const MACHINE_AMD64: u16 = 0x8664;
/// `Magic` of the optional header of 64-bit images (PE32+).
const PE32_PLUS: u16 = 0x20B;
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
    /// The table of functions (`.pdata`).
    pub functions: Table,
    /// Sections.
    pub sections: Vec<Section>,
}

impl Header {
    /// Reads the headers of an x64 image with `fill`, which fills a buffer from an offset on.
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
        let known = nt.starts_with(b"PE\0\0")
            && u16_at(&nt, 4) == Some(MACHINE_AMD64)
            && u16_at(&nt, 24) == Some(PE32_PLUS)
            // A directory that the header does not count is none.
            && u32_at(&nt, 24 + 108)? >= 4;
        if !known {
            return None;
        }
        let directory = |index: usize| -> Option<Table> {
            let field = index.checked_mul(8)?.checked_add(24 + 112)?;
            Some(Table { at: u32_at(&nt, field)?, size: u32_at(&nt, field.checked_add(4)?)? })
        };
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
            functions: directory(3)?,
            sections,
        })
    }

    /// Whether the image is the build that a module list names: time stamp and size together identify an image.
    pub fn is_build(&self, module: &LoadedModule) -> bool {
        self.timestamp == module.timestamp && self.size == module.size
    }
}
