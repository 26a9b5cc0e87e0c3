//! PDBs, the debug files of Microsoft's and LLVM's compilers, read where an address asks for them: the largest have
//! gigabytes, and a stack needs a few functions of them.
//!
//! Layout: "The PDB File Format" of LLVM's documentation. Everything is read with bounds: no part of a file is believed to
//! be larger than the file, and no table larger than those of the largest programs. Files of the
//! format 2.0, which compilers wrote before 2002, are not read.

mod container;
mod debug_info;
mod frame_data;
mod lines;
mod names;
mod procedures;
mod records;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use minidump_unwind::SymbolFile;

use self::container::{Bytes, Container, Records, text_at};
use self::debug_info::{DebugInfo, Place, Unit};
use self::lines::FileLine;
use self::procedures::{Found, Procedure, Site};
use self::records::FunctionNames;
use super::source::{CodeSource, DEEPEST};
use super::unusable::UnusableFile;
use evidence::{DebugId, InlinedFunction, SourceLine};
use untrusted::bytes::{u16_at, u32_at};

/// Largest stream of public names that is searched, bytes, and most names that are kept.
const LARGEST_PUBLICS: u32 = 1 << 30;
const MOST_PUBLICS: usize = 16 << 20;
/// Largest symbols and largest lines of a compiled file that are read, bytes.
const LARGEST_SYMBOLS: u32 = 64 << 20;
const LARGEST_LINES: u32 = 64 << 20;
/// Longest name of a source file that is read, bytes.
const LONGEST_FILE_NAME: u32 = 4 << 10;
/// A public name.
const PUBLIC: u16 = 0x110E;
/// Bits of a public name's flags: it is of code, it is of a function.
const CODE: u32 = 3;

/// An opened PDB.
pub struct Pdb {
    inside: Mutex<Inside>,
    /// About how many bytes it takes in memory.
    kept: AtomicU64,
    /// How frames of 32-bit code are unwound.
    pub unwinding: Option<Arc<SymbolFile>>,
}

struct Inside {
    container: Container,
    info: DebugInfo,
    functions: FunctionNames,
    /// Offsets of public names in the image and in their stream, sorted; read when first needed.
    publics: Option<Vec<(u32, u32)>>,
}

/// A public name: where it is in the image, and where the next one is.
struct Public {
    name: String,
    at: u32,
    next: Option<u32>,
}

impl fmt::Debug for Pdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pdb").finish_non_exhaustive()
    }
}

impl Pdb {
    /// Opens a PDB of `length` bytes, which must be that with identifier `id`.
    ///
    /// # Errors
    /// Why the file is not used.
    pub fn open(bytes: Box<dyn Bytes>, length: u64, id: &DebugId) -> Result<Self, UnusableFile> {
        let in_memory = bytes.in_memory();
        let mut container = Container::open(bytes, length).ok_or(UnusableFile::NoPdb)?;
        let own = debug_info::identity(&mut container).ok_or(UnusableFile::NoPdb)?;
        if own != *id {
            return Err(UnusableFile::OtherBuild { found: own.to_string(), needed: id.to_string() });
        }
        let info = DebugInfo::read(&mut container).ok_or(UnusableFile::NoPdb)?;
        let unwinding = frame_data::read(&mut container, &info);
        let tables = container.kept().saturating_add(info.kept());
        let (unwinding, of_unwinding) = unwinding.unzip();
        let kept = [in_memory, tables, of_unwinding.unwrap_or(0)].into_iter().fold(0, u64::saturating_add);
        let inside = Inside { container, info, functions: FunctionNames::default(), publics: None };
        Ok(Self { inside: Mutex::new(inside), kept: AtomicU64::new(kept), unwinding })
    }

    /// What is known of the code at an offset in the image. `begins` is where the function begins that holds it, if the
    /// image shows it.
    pub fn at(&self, offset: u32, begins: Option<u32>) -> Option<CodeSource> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let publics = |inside: &Inside| inside.publics.as_ref().map_or(0, Vec::len);
        let before = publics(&inside);
        let found = inside.at(offset, begins);
        let added = publics(&inside).saturating_sub(before).saturating_mul(size_of::<(u32, u32)>());
        self.kept.fetch_add(added as u64, Ordering::Relaxed);
        found
    }

    /// About how many bytes it takes in memory: what of the file is there, its tables and its names.
    pub fn kept(&self) -> u64 {
        self.kept.load(Ordering::Relaxed)
    }
}

impl Inside {
    fn at(&mut self, offset: u32, begins: Option<u32>) -> Option<CodeSource> {
        let place = self.info.map.place(offset)?;
        let contribution = self.info.contribution(place);
        let unit = contribution.and_then(|part| self.info.units.get(usize::from(part.unit)).copied());
        let unit = unit.filter(|unit| unit.symbols <= LARGEST_SYMBOLS);
        let nearest = match unit.map(|unit| (unit, procedures::find(&mut self.container, unit, place))) {
            Some((unit, Found::Procedure(procedure))) => return Some(self.procedure(unit, place, procedure)),
            Some((_, Found::Nearest(nearest))) => nearest,
            None => None,
        };
        let Public { name, at, next } = self.public(offset)?;
        // A public name has no end: what lies behind it is in its function only where that is known to begin no later, or
        // where the part of the image that a compiled file gave begins with it and has no other name.
        let holds = match begins {
            Some(begins) => at >= begins,
            None => contribution.is_some_and(|part| {
                let end = at.saturating_add(part.size);
                self.info.map.offset(part.place) == Some(at) && next.is_none_or(|next| next >= end)
            }),
        };
        let other = nearest.and_then(|place| self.info.map.offset(place)).is_some_and(|nearest| nearest >= at);
        (holds && !other).then(|| CodeSource { function: names::plain(&name), source: None, inlined: Vec::new() })
    }

    fn procedure(&mut self, unit: Unit, place: Place, procedure: Procedure) -> CodeSource {
        let lines = self.lines(unit).unwrap_or_default();
        let within = place.offset.saturating_sub(procedure.place.offset);
        let mut inlined = Vec::new();
        for (site, line) in sites_at(&lines, &procedure.sites, within) {
            // What is within code of an unknown function is not known to belong to the next one.
            let Some(function) = self.functions.name(&mut self.container, site.function) else { break };
            let source = line.and_then(|line| self.source(&lines, line));
            inlined.push(InlinedFunction { function: function.into(), source });
        }
        inlined.reverse();
        let source = lines::line(&lines, place).and_then(|line| self.source(&lines, line));
        CodeSource { function: names::plain(&procedure.name), source, inlined }
    }

    fn lines(&mut self, unit: Unit) -> Option<Vec<u8>> {
        if unit.lines > LARGEST_LINES {
            return None;
        }
        self.container.part(unit.stream, unit.symbols.checked_add(unit.old_lines)?, unit.lines)
    }

    fn source(&mut self, lines: &[u8], line: FileLine) -> Option<SourceLine> {
        let name = lines::file_name(lines, line.file)?;
        // Behind the header of the table of texts, 12 bytes.
        let file = self.container.text(self.info.texts?, name.checked_add(12)?, LONGEST_FILE_NAME)?;
        Some(SourceLine { file: file.into(), line: line.line })
    }

    /// The last public name of code at or before an offset in the image.
    fn public(&mut self, offset: u32) -> Option<Public> {
        let stream = self.info.publics?;
        if self.publics.is_none() {
            self.publics = Some(self.all_publics(stream));
        }
        let publics = self.publics.as_ref()?;
        let after = publics.partition_point(|(at, _)| *at <= offset);
        let (at, _) = *publics.get(after.checked_sub(1)?)?;
        let next = publics.get(after).map(|(next, _)| *next);
        // Of several names for one place the first in the file is taken.
        let first = publics.partition_point(|(other, _)| *other < at);
        let (_, record) = *publics.get(first)?;
        let mut records = Records::new(stream, record, self.container.size(stream));
        let name = text_at(records.next(&mut self.container)?, 12)?;
        Some(Public { name: String::from_utf8_lossy(name).into_owned(), at, next })
    }

    fn all_publics(&mut self, stream: u32) -> Vec<(u32, u32)> {
        let end = self.container.size(stream).min(LARGEST_PUBLICS);
        let mut records = Records::new(stream, 0, end);
        let mut publics = Vec::new();
        while publics.len() < MOST_PUBLICS {
            let position = records.position();
            let Some(record) = records.next(&mut self.container) else { break };
            if u16_at(record, 0) != Some(PUBLIC) {
                continue;
            }
            let (Some(flags), Some(offset), Some(section)) = (u32_at(record, 2), u32_at(record, 6), u16_at(record, 10))
            else {
                break;
            };
            let place = Place { section, offset };
            if flags & CODE == 0 && !self.info.map.is_executable(section) {
                continue;
            }
            publics.extend(self.info.map.offset(place).map(|offset| (offset, position)));
        }
        publics.sort_unstable();
        publics
    }
}

/// The sites of inlined code that hold an offset in their function, the outer before the inner, each with its line.
fn sites_at<'s>(lines: &[u8], sites: &'s [Site], within: u32) -> Vec<(&'s Site, Option<FileLine>)> {
    let mut found: Vec<(&Site, Option<FileLine>)> = Vec::new();
    for site in sites {
        // Within another site that does not hold the offset, or beside one that does.
        if site.depth != found.len() || lines::inlined_line(&site.annotations, None, within).is_none() {
            continue;
        }
        if found.len() >= DEEPEST {
            break;
        }
        let begins = lines::inlined_function(lines, site.function);
        found.extend(lines::inlined_line(&site.annotations, begins, within).map(|line| (site, line)));
    }
    found
}
