//! The values of a template's instance: a table of their sizes and types, and the values behind it.

use std::ops::Range;

use super::Unusual;

/// Types of values. Source: MS-EVEN6, section 2.2.12 (`ValueType`).
pub(crate) mod kind {
    pub(crate) const NULL: u8 = 0x00;
    pub(crate) const STRING: u8 = 0x01;
    pub(crate) const ANSI_STRING: u8 = 0x02;
    pub(crate) const INT8: u8 = 0x03;
    pub(crate) const UINT8: u8 = 0x04;
    pub(crate) const INT16: u8 = 0x05;
    pub(crate) const UINT16: u8 = 0x06;
    pub(crate) const INT32: u8 = 0x07;
    pub(crate) const UINT32: u8 = 0x08;
    pub(crate) const INT64: u8 = 0x09;
    pub(crate) const UINT64: u8 = 0x0A;
    pub(crate) const REAL32: u8 = 0x0B;
    pub(crate) const REAL64: u8 = 0x0C;
    pub(crate) const BOOL: u8 = 0x0D;
    pub(crate) const BINARY: u8 = 0x0E;
    pub(crate) const GUID: u8 = 0x0F;
    pub(crate) const SIZE_T: u8 = 0x10;
    pub(crate) const FILETIME: u8 = 0x11;
    pub(crate) const SYSTEMTIME: u8 = 0x12;
    pub(crate) const SID: u8 = 0x13;
    pub(crate) const HEX_INT32: u8 = 0x14;
    pub(crate) const HEX_INT64: u8 = 0x15;
    pub(crate) const BINARY_XML: u8 = 0x21;
    /// Set in the type of a list; the other bits are the type of its items.
    pub(crate) const ARRAY: u8 = 0x80;

    /// Whether the size of a value of this type is also in its content.
    pub(crate) fn has_own_size(kind: u8) -> bool {
        kind & !ARRAY == SID || kind == ARRAY | STRING
    }
}

/// The sizes that values of a type can have.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// This number of bytes.
    Fixed(u16),
    /// Any number of bytes.
    Any,
    /// A number of bytes in which none of these bits is set: whole items of 1, 2, 4, 8 or 16 bytes.
    Without(u16),
    /// A number of bytes that is also in the value's content.
    Own,
    /// Values of this type are not read here.
    Unknown,
}

/// By type.
const EXTENTS: [Extent; 256] = {
    let mut table = [Extent::Unknown; 256];
    let mut kind = 0;
    #[expect(clippy::indexing_slicing, reason = "worked out when the program is built")]
    while kind < table.len() {
        table[kind] = extent(kind as u8);
        kind += 1;
    }
    table
};

#[expect(clippy::arithmetic_side_effects, reason = "worked out when the program is built")]
const fn extent(kind: u8) -> Extent {
    use Extent::{Any, Fixed, Own, Unknown, Without};

    match kind {
        kind::NULL | kind::ANSI_STRING | kind::BINARY | kind::BINARY_XML => Any,
        kind::STRING => Without(1),
        kind::INT8 | kind::UINT8 => Fixed(1),
        kind::INT16 | kind::UINT16 => Fixed(2),
        kind::INT32 | kind::UINT32 | kind::REAL32 | kind::BOOL | kind::HEX_INT32 => Fixed(4),
        kind::INT64 | kind::UINT64 | kind::REAL64 | kind::FILETIME | kind::HEX_INT64 => Fixed(8),
        kind::GUID | kind::SYSTEMTIME => Fixed(16),
        kind::SIZE_T | kind::SID => Own,
        _ if kind & kind::ARRAY == 0 => Unknown,
        _ => match (kind & !kind::ARRAY, extent(kind & !kind::ARRAY)) {
            (kind::STRING | kind::SID, _) => Own,
            (kind::ANSI_STRING, _) => Any,
            (_, Fixed(size)) => Without(size - 1),
            _ => Unknown,
        },
    }
}

/// Whether templates may name this type: one whose values are read here, or a handle (0x20), XML as text (0x23), or a list
/// of bytes or sizes (0x8E and 0x90).
#[inline]
pub(crate) fn is_type(kind: u8) -> bool {
    !matches!(EXTENTS.get(usize::from(kind)), None | Some(Extent::Unknown)) || matches!(kind, 0x20 | 0x23 | 0x8E | 0x90)
}

/// The size of all values of this type, if they have the same size, bytes.
#[inline]
pub(crate) fn fixed_size(kind: u8) -> Option<usize> {
    match EXTENTS.get(usize::from(kind)) {
        Some(Extent::Fixed(size)) => Some(usize::from(*size)),
        _ => None,
    }
}

/// The size of the SID that these bytes begin with, if all of it is there: eight bytes, of which the second is the number of
/// the sub-authorities of four bytes that follow.
#[inline]
pub(crate) fn sid_size(bytes: &[u8]) -> Option<usize> {
    let size = usize::from(*bytes.get(1)?).saturating_mul(4).saturating_add(8);
    (size <= bytes.len()).then_some(size)
}

/// A value. Its bytes have a size that values of its type can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value<'c> {
    /// Its type: a constant of [`kind`].
    pub(crate) kind: u8,
    /// Its bytes.
    pub(crate) bytes: &'c [u8],
}

impl<'c> Value<'c> {
    /// No value.
    pub(crate) const NULL: Self = Self { kind: kind::NULL, bytes: &[] };

    /// Whether an element that depends on this value is left out.
    #[inline]
    pub(crate) fn is_null(self) -> bool {
        self.kind == kind::NULL || (self.kind == kind::BINARY_XML && self.bytes.is_empty())
    }
}

/// The UTF-16 characters in front of a NUL, if there is one, or else all.
#[inline]
pub(crate) fn until_nul(utf16: &[u8]) -> &[u8] {
    let units = utf16.as_chunks::<2>().0;
    match units.iter().position(|unit| *unit == [0, 0]) {
        Some(nul) => utf16.get(..nul.saturating_mul(2)).unwrap_or_default(),
        None => utf16,
    }
}

/// The type and the place of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    at: u32,
    size: u16,
    /// The value's type.
    pub(crate) kind: u8,
}

impl Slot {
    /// The value in its chunk.
    #[inline]
    pub(crate) fn value(self, chunk: &[u8]) -> Result<Value<'_>, Unusual> {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        let bytes = chunk.get(at..at.saturating_add(usize::from(self.size)));
        Ok(Value { kind: self.kind, bytes: bytes.ok_or(Unusual("a value reaches beyond the chunk"))? })
    }

    /// The value's bytes in the chunk.
    pub(crate) fn range(self) -> Range<usize> {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        at..at.saturating_add(usize::from(self.size))
    }

    /// Whether an element that depends on the value is left out.
    #[inline]
    pub(crate) fn is_null(self) -> bool {
        self.kind == kind::NULL || (self.kind == kind::BINARY_XML && self.size == 0)
    }
}

/// The values of a template's instance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Values<'c> {
    /// The chunk up to where the instance must end.
    pub(crate) bytes: &'c [u8],
    /// The table: for each value, its size (two bytes), its type and a byte without meaning.
    pub(crate) descriptors: &'c [[u8; 4]],
    /// Where in the chunk the first value begins.
    pub(crate) start: usize,
}

impl<'c> Values<'c> {
    /// The values whose table begins at `at` with their number. They must end within `bytes`, the beginning of the chunk.
    ///
    /// # Errors
    /// When the table ends beyond `bytes`.
    #[inline]
    pub(crate) fn at(bytes: &'c [u8], at: usize) -> Result<Self, Unusual> {
        const CUT: Unusual = Unusual("the table of values is cut");

        let (count, rest) = bytes.get(at..).and_then(<[u8]>::split_first_chunk).ok_or(CUT)?;
        let count = usize::try_from(u32::from_le_bytes(*count)).map_err(|_| CUT)?;
        let descriptors = rest.as_chunks::<4>().0.get(..count).ok_or(CUT)?;
        let start = at.saturating_add(4).saturating_add(count.saturating_mul(4));
        Ok(Self { bytes, descriptors, start })
    }

    /// The number of values.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.descriptors.len()
    }

    /// Whether one of the values is binary XML.
    #[inline]
    pub(crate) fn have_binary_xml(&self) -> bool {
        self.descriptors.iter().any(|[_, _, kind, _]| *kind == kind::BINARY_XML)
    }

    /// The value with this index; [`Value::NULL`] when there are fewer values. Walks the table up to the value.
    ///
    /// # Errors
    /// When the value or one in front of it does not have a size of its type.
    #[inline]
    pub(crate) fn find(&self, index: usize) -> Result<Value<'c>, Unusual> {
        let Some((kind, place)) = self.locate(index)? else { return Ok(Value::NULL) };
        let bytes = self.bytes.get(place).ok_or(Unusual("a value reaches beyond its record"))?;
        Ok(Value { kind, bytes })
    }

    /// The bytes in the chunk of the value with this index, which must be of this type.
    ///
    /// # Errors
    /// When the value is of another type, or it or one in front of it does not have a size of its type.
    #[inline]
    pub(crate) fn place(&self, index: usize, kind: u8) -> Result<Range<usize>, Unusual> {
        match self.locate(index)? {
            Some((found, place)) if found == kind => Ok(place),
            _ => Err(Unusual("a value of another type")),
        }
    }

    /// The type and place of the value with this index; `None` when there are fewer values.
    #[inline]
    fn locate(&self, index: usize) -> Result<Option<(u8, Range<usize>)>, Unusual> {
        let mut at = self.start;
        for descriptor in self.descriptors.iter().take(index) {
            at = self.end_of(*descriptor, at)?;
        }
        let Some(&descriptor @ [_, _, kind, _]) = self.descriptors.get(index) else { return Ok(None) };
        Ok(Some((kind, at..self.end_of(descriptor, at)?)))
    }

    /// Puts the places of the first values into `table`, as many as it has room for.
    ///
    /// # Errors
    /// When there are fewer values, or one does not have a size of its type or reaches beyond its record.
    pub(crate) fn beginning(&self, table: &mut [Slot]) -> Result<(), Unusual> {
        let descriptors =
            self.descriptors.get(..table.len()).ok_or(Unusual("a value that the record does not have"))?;
        let mut at = self.start;
        for (slot, &descriptor) in table.iter_mut().zip(descriptors) {
            let [low, high, kind, _] = descriptor;
            let place = u32::try_from(at).map_err(|_| Unusual("a value lies beyond any chunk"))?;
            *slot = Slot { at: place, size: u16::from_le_bytes([low, high]), kind };
            at = self.end_of(descriptor, at)?;
        }
        if at > self.bytes.len() {
            return Err(Unusual("a value reaches beyond its record"));
        }
        Ok(())
    }

    /// Adds the places of all values to `table`; returns where the last value ends.
    ///
    /// # Errors
    /// When a value does not have a size of its type, or reaches beyond its record.
    #[inline]
    pub(crate) fn fill(&self, table: &mut Vec<Slot>) -> Result<usize, Unusual> {
        let mut at = self.start;
        let mut irregular = None;
        table.extend(self.descriptors.iter().map(|&descriptor| {
            let [low, high, kind, _] = descriptor;
            let slot = Slot { at: u32::try_from(at).unwrap_or(u32::MAX), size: u16::from_le_bytes([low, high]), kind };
            match self.end_of(descriptor, at) {
                Ok(end) => at = end,
                Err(unusual) => irregular = Some(unusual),
            }
            slot
        }));
        match irregular {
            Some(unusual) => Err(unusual),
            None if at > self.bytes.len() => Err(Unusual("a value reaches beyond its record")),
            None => Ok(at),
        }
    }

    /// Where the last value ends.
    ///
    /// # Errors
    /// As [`Self::fill`].
    #[inline]
    pub(crate) fn end(&self) -> Result<usize, Unusual> {
        let end = self.descriptors.iter().try_fold(self.start, |at, descriptor| self.end_of(*descriptor, at))?;
        if end > self.bytes.len() { Err(Unusual("a value reaches beyond its record")) } else { Ok(end) }
    }

    /// Whether the tokens around the instance end at `end`, where its last value ends.
    #[inline]
    pub(crate) fn end_tokens(&self, end: usize) -> bool {
        matches!(self.bytes.get(end), None | Some(0))
    }

    /// Where the value at `at` with this entry of the table ends.
    #[inline]
    fn end_of(&self, [low, high, kind, _]: [u8; 4], at: usize) -> Result<usize, Unusual> {
        let size = u16::from_le_bytes([low, high]);
        let end = at.saturating_add(usize::from(size));
        let regular = match EXTENTS.get(usize::from(kind)).copied().unwrap_or(Extent::Unknown) {
            Extent::Fixed(expected) => size == expected,
            Extent::Any => true,
            Extent::Without(bits) => size & bits == 0,
            Extent::Own => self.bytes.get(at..end).is_some_and(|bytes| has_own_size(kind, bytes)),
            Extent::Unknown => return Err(Unusual("a value of a type that is not read here")),
        };
        if regular { Ok(end) } else { Err(Unusual("a value does not have the size of its type")) }
    }
}

/// Whether a value has the size that is in its content.
fn has_own_size(kind: u8, bytes: &[u8]) -> bool {
    const STRINGS: u8 = kind::ARRAY | kind::STRING;
    const SIDS: u8 = kind::ARRAY | kind::SID;
    match kind {
        kind::SIZE_T => matches!(bytes.len(), 4 | 8),
        kind::SID => sid_size(bytes) == Some(bytes.len()),
        // Each string ends with a NUL.
        STRINGS => bytes.as_chunks::<2>().1.is_empty() && (bytes.is_empty() || bytes.ends_with(&[0, 0])),
        SIDS => {
            let mut rest = bytes;
            while !rest.is_empty() {
                match sid_size(rest).and_then(|size| rest.get(size..)) {
                    Some(behind) => rest = behind,
                    None => return false,
                }
            }
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The count, table and values of an instance.
    fn instance(values: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes = u32::try_from(values.len()).expect("few").to_le_bytes().to_vec();
        for (kind, value) in values {
            bytes.extend(u16::try_from(value.len()).expect("short").to_le_bytes());
            bytes.extend([*kind, 0]);
        }
        bytes.extend(values.iter().flat_map(|(_, value)| *value));
        bytes
    }

    #[test]
    fn a_value_is_found_behind_those_before_it() {
        let sid = [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
        let bytes = instance(&[
            (kind::UINT8, &[7]),
            (kind::NULL, &[]),
            (kind::SID, &sid),
            (kind::STRING, b"a\0b\0"),
            (kind::ARRAY | kind::STRING, b"x\0\0\0\0\0"),
            (kind::UINT16, &[1, 2]),
        ]);
        let values = Values::at(&bytes, 0).expect("values");
        assert_eq!(values.len(), 6);
        assert_eq!(values.find(0).map(|value| value.bytes), Ok(&[7][..]));
        assert!(values.find(1).expect("a value").is_null());
        assert_eq!(values.find(3).map(|value| value.bytes), Ok(&b"a\0b\0"[..]));
        assert_eq!(values.find(5).map(|value| value.bytes), Ok(&[1, 2][..]));
        assert_eq!(values.find(6), Ok(Value::NULL));
        let mut table = Vec::new();
        assert_eq!(values.fill(&mut table), Ok(bytes.len()));
        for (index, slot) in table.iter().enumerate() {
            assert_eq!(slot.value(&bytes), values.find(index));
        }
    }

    #[test]
    fn sizes_that_a_type_does_not_have_are_unusual() {
        let sid_of_two = [1, 2, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
        let irregular: [(u8, &[u8]); 9] = [
            (kind::UINT32, &[0; 2]),
            (kind::UINT32, &[]),
            (kind::STRING, b"odd"),
            (kind::SID, &sid_of_two),
            (kind::SID, &[]),
            (kind::SIZE_T, &[0; 2]),
            (kind::ARRAY | kind::STRING, b"x\0"),
            (kind::ARRAY | kind::UINT32, &[0; 6]),
            (0x23, &[]),
        ];
        for value in irregular {
            let bytes = instance(&[value, (kind::UINT8, &[1])]);
            let values = Values::at(&bytes, 0).expect("values");
            assert!(values.find(1).is_err(), "{value:?}");
            assert!(values.find(0).is_err(), "{value:?}");
            assert!(values.fill(&mut Vec::new()).is_err(), "{value:?}");
        }
    }

    #[test]
    fn values_that_reach_beyond_their_record_are_unusual() {
        let bytes = instance(&[(kind::UINT8, &[1]), (kind::UINT32, &[0; 4])]);
        let cut = &bytes[..bytes.len() - 1];
        let values = Values::at(cut, 0).expect("values");
        assert!(values.find(0).is_ok());
        assert!(values.find(1).is_err());
        assert!(values.fill(&mut Vec::new()).is_err());
        assert!(Values::at(&bytes[..11], 0).is_err());
        assert!(Values::at(&[255; 4], 0).is_err());
        assert!(Values::at(&[], 9).is_err());
    }
}
