//! Names of inlined functions, which a PDB has among its type records.
//!
//! Layout: "The PDB TPI and IPI Streams" and "CodeView Type Records" of LLVM's documentation, `cvinfo.h` of Microsoft's.

use std::collections::HashMap;

use untrusted::bytes::{u16_at, u32_at};

use super::container::{Container, Records, text_at};

/// The number of the PDB's stream with records of types (TPI).
pub const TYPES: u32 = 2;
/// The number of the stream with records of functions and inlined functions (IPI).
pub const ITEMS: u32 = 4;
/// Largest stream whose records are counted, bytes.
const LARGEST: u32 = 1 << 30;
/// For every so many records it is kept where one begins.
const STEP: u32 = 512;

const FUNCTION: u16 = 0x1601;
const METHOD: u16 = 0x1602;
const TEXT: u16 = 0x1605;
const CLASS: u16 = 0x1504;
const STRUCTURE: u16 = 0x1505;
const UNION: u16 = 0x1506;
/// Numbers of at least this value are kinds of longer numbers (`LF_NUMERIC`).
const NUMERIC: u16 = 0x8000;

/// The records of a stream, by their numbers.
#[derive(Debug, Default)]
pub struct Numbered {
    /// The number of the first record.
    first: u32,
    /// Where each [`STEP`]th record begins.
    places: Vec<u32>,
    end: u32,
}

impl Numbered {
    /// Counts the records of a stream. Empty where it is not there, or too large.
    pub fn count(container: &mut Container, stream: u32) -> Self {
        Self::counted(container, stream).unwrap_or_default()
    }

    fn counted(container: &mut Container, stream: u32) -> Option<Self> {
        let size = container.size(stream);
        if size > LARGEST {
            return None;
        }
        let header = container.part(stream, 0, 20)?;
        let end = u32_at(&header, 4)?.checked_add(u32_at(&header, 16)?)?.min(size);
        let mut records = Records::new(stream, u32_at(&header, 4)?, end);
        let mut numbered = Self { first: u32_at(&header, 8)?, places: Vec::new(), end };
        let mut count = 0_u32;
        loop {
            if count.checked_rem(STEP) == Some(0) {
                numbered.places.push(records.position());
            }
            if records.next(container).is_none() {
                break;
            }
            count = count.checked_add(1)?;
        }
        Some(numbered)
    }

    /// A record by its number.
    pub fn record(&self, container: &mut Container, stream: u32, number: u32) -> Option<Vec<u8>> {
        let index = number.checked_sub(self.first)?;
        let place = *self.places.get(usize::try_from(index.checked_div(STEP)?).ok()?)?;
        let mut records = Records::new(stream, place, self.end);
        for _ in 0..index.checked_rem(STEP)? {
            records.next(container)?;
        }
        records.next(container).map(<[u8]>::to_vec)
    }
}

/// Functions by the numbers of their records.
#[derive(Debug, Default)]
pub struct FunctionNames {
    items: Option<Numbered>,
    types: Option<Numbered>,
    known: HashMap<u32, Option<String>>,
}

impl FunctionNames {
    /// The name of a function, with its namespace or class.
    pub fn name(&mut self, container: &mut Container, number: u32) -> Option<String> {
        if let Some(known) = self.known.get(&number) {
            return known.clone();
        }
        let name = self.read(container, number);
        self.known.insert(number, name.clone());
        name
    }

    fn read(&mut self, container: &mut Container, number: u32) -> Option<String> {
        let items = self.items.get_or_insert_with(|| Numbered::count(container, ITEMS));
        let record = items.record(container, ITEMS, number)?;
        let name = String::from_utf8_lossy(text_at(&record, 10)?).into_owned();
        let scope = u32_at(&record, 2).filter(|scope| *scope != 0);
        let scope = match u16_at(&record, 0)? {
            FUNCTION => scope.and_then(|scope| {
                let record = items.record(container, ITEMS, scope)?;
                let text = (u16_at(&record, 0)? == TEXT).then(|| text_at(&record, 6))??;
                Some(String::from_utf8_lossy(text).into_owned())
            }),
            METHOD => scope.and_then(|class| {
                let types = self.types.get_or_insert_with(|| Numbered::count(container, TYPES));
                class_name(&types.record(container, TYPES, class)?)
            }),
            _ => return None,
        };
        Some(match scope {
            Some(scope) if !name.starts_with(&format!("{scope}::")) => format!("{scope}::{name}"),
            _ => name,
        })
    }
}

/// The name of a class: behind its size, which is a number of its own kind.
fn class_name(record: &[u8]) -> Option<String> {
    let size_at = match u16_at(record, 0)? {
        CLASS | STRUCTURE => 18,
        UNION => 10,
        _ => return None,
    };
    let longer = match u16_at(record, size_at)? {
        short if short < NUMERIC => 0,
        0x8000 => 1,
        0x8001 | 0x8002 => 2,
        0x8003 | 0x8004 => 4,
        0x8009 | 0x800A => 8,
        _ => return None,
    };
    let name = text_at(record, size_at.checked_add(2)?.checked_add(longer)?)?;
    Some(String::from_utf8_lossy(name).into_owned())
}
