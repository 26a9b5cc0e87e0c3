//! The functions of a compiled file, and what was inlined into them.
//!
//! Layout: "CodeView Symbol Records" of LLVM's documentation, `cvinfo.h` of Microsoft's.

use untrusted::bytes::{u16_at, u32_at};

use super::container::{Container, Records, text_at};
use super::debug_info::{Place, Unit};

const END: u16 = 0x0006;
const THUNK: u16 = 0x1102;
const BLOCK: u16 = 0x1103;
const WITH: u16 = 0x1104;
const LOCAL_PROCEDURE: u16 = 0x110F;
const GLOBAL_PROCEDURE: u16 = 0x1110;
const SEPARATED_CODE: u16 = 0x1132;
const LOCAL_PROCEDURE_BY_ID: u16 = 0x1146;
const GLOBAL_PROCEDURE_BY_ID: u16 = 0x1147;
const INLINE_SITE: u16 = 0x114D;
const INLINE_SITE_END: u16 = 0x114E;
const PROCEDURE_END: u16 = 0x114F;
const DEFERRED_PROCEDURE: u16 = 0x1155;
const DEFERRED_PROCEDURE_BY_ID: u16 = 0x1156;
const INLINE_SITE_COUNTED: u16 = 0x115D;

/// Most sites of inlined code in a function that are kept: of those of the largest functions, some thousand.
const MOST_SITES: usize = 64 << 10;

/// A function of a compiled file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Procedure {
    pub place: Place,
    pub size: u32,
    pub name: String,
    /// What was inlined into it, the outer before the inner.
    pub sites: Vec<Site>,
}

/// Code that was inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// How many sites it is within.
    pub depth: usize,
    /// The number of the function's record.
    pub function: u32,
    /// How lines belong to code, in the encoding of the file.
    pub annotations: Vec<u8>,
}

/// What the symbols of a compiled file show of a place in the image.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// The function that holds the place.
    Procedure(Procedure),
    /// None does; the nearest function before the place, if there is one, begins there.
    Nearest(Option<Place>),
}

/// The function that holds a place.
pub fn find(container: &mut Container, unit: Unit, place: Place) -> Found {
    let mut records = Records::new(unit.stream, 4, unit.symbols);
    let mut nearest: Option<Place> = None;
    while let Some(record) = records.next(container) {
        let Some(procedure) = procedure(record) else { continue };
        if procedure.place.section != place.section || procedure.place > place {
            continue;
        }
        if place.offset.checked_sub(procedure.place.offset).is_some_and(|within| within < procedure.size) {
            let sites = sites(container, &mut records);
            return Found::Procedure(Procedure { sites, ..procedure });
        }
        nearest = nearest.max(Some(procedure.place));
    }
    Found::Nearest(nearest)
}

fn procedure(record: &[u8]) -> Option<Procedure> {
    let (size, offset_at, section_at, name_at) = match u16_at(record, 0)? {
        LOCAL_PROCEDURE
        | GLOBAL_PROCEDURE
        | LOCAL_PROCEDURE_BY_ID
        | GLOBAL_PROCEDURE_BY_ID
        | DEFERRED_PROCEDURE
        | DEFERRED_PROCEDURE_BY_ID => (u32_at(record, 14)?, 30, 34, 37),
        THUNK => (u32::from(u16_at(record, 20)?), 14, 18, 23),
        _ => return None,
    };
    let place = Place { section: u16_at(record, section_at)?, offset: u32_at(record, offset_at)? };
    let name = text_at(record, name_at).filter(|name| !name.is_empty())?;
    Some(Procedure { place, size, name: String::from_utf8_lossy(name).into_owned(), sites: Vec::new() })
}

/// The sites of inlined code in the function whose record was read last.
fn sites(container: &mut Container, records: &mut Records) -> Vec<Site> {
    let mut sites = Vec::new();
    // The scopes that are open below the function's, and how many of them are sites.
    let (mut open, mut depth) = (0_usize, 0_usize);
    while let Some(record) = records.next(container).filter(|_| sites.len() < MOST_SITES) {
        match u16_at(record, 0) {
            Some(kind @ (INLINE_SITE | INLINE_SITE_COUNTED)) => {
                let annotations_at = if kind == INLINE_SITE { 14 } else { 18 };
                let annotations = record.get(annotations_at..).unwrap_or_default().to_vec();
                sites.extend(u32_at(record, 10).map(|function| Site { depth, function, annotations }));
                (open, depth) = (open.saturating_add(1), depth.saturating_add(1));
            }
            Some(INLINE_SITE_END) => {
                let Some(left) = open.checked_sub(1) else { break };
                (open, depth) = (left, depth.saturating_sub(1));
            }
            Some(BLOCK | WITH | SEPARATED_CODE | THUNK) => open = open.saturating_add(1),
            Some(END | PROCEDURE_END) => {
                let Some(left) = open.checked_sub(1) else { break };
                open = left;
            }
            _ => (),
        }
    }
    sites
}
