//! The values of a template instance: a table of sizes and types, and the values behind it.

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
    /// Set in the type of an array of the type that the other bits say.
    pub(crate) const ARRAY: u8 = 0x80;

    /// Whether a value of this type tells its size by its content.
    pub(crate) fn has_own_size(kind: u8) -> bool {
        kind & !ARRAY == SID || kind == ARRAY | STRING
    }
}

/// What a type says about the size of its values.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// That many bytes.
    Fixed(u16),
    /// Any number of bytes.
    Any,
    /// A number of bytes in which none of these bits is set: whole units of 2, 4, 8 or 16 bytes.
    Without(u16),
    /// A number of bytes that the value itself says too.
    Own,
    /// No type that is read here.
    Unknown,
}

const EXTENTS: [Extent; 256] = extents();

#[expect(clippy::indexing_slicing, reason = "constant indices below the table's length, checked by the compiler")]
const fn extents() -> [Extent; 256] {
    use Extent::{Any, Fixed, Own, Without};

    let mut table = [Extent::Unknown; 256];
    table[kind::NULL as usize] = Any;
    table[kind::STRING as usize] = Without(1);
    table[kind::ANSI_STRING as usize] = Any;
    table[kind::INT8 as usize] = Fixed(1);
    table[kind::UINT8 as usize] = Fixed(1);
    table[kind::INT16 as usize] = Fixed(2);
    table[kind::UINT16 as usize] = Fixed(2);
    table[kind::INT32 as usize] = Fixed(4);
    table[kind::UINT32 as usize] = Fixed(4);
    table[kind::INT64 as usize] = Fixed(8);
    table[kind::UINT64 as usize] = Fixed(8);
    table[kind::REAL32 as usize] = Fixed(4);
    table[kind::REAL64 as usize] = Fixed(8);
    table[kind::BOOL as usize] = Fixed(4);
    table[kind::BINARY as usize] = Any;
    table[kind::GUID as usize] = Fixed(16);
    table[kind::SIZE_T as usize] = Own;
    table[kind::FILETIME as usize] = Fixed(8);
    table[kind::SYSTEMTIME as usize] = Fixed(16);
    table[kind::SID as usize] = Own;
    table[kind::HEX_INT32 as usize] = Fixed(4);
    table[kind::HEX_INT64 as usize] = Fixed(8);
    table[kind::BINARY_XML as usize] = Any;
    table[(kind::ARRAY | kind::STRING) as usize] = Own;
    table[(kind::ARRAY | kind::ANSI_STRING) as usize] = Any;
    table[(kind::ARRAY | kind::INT8) as usize] = Any;
    table[(kind::ARRAY | kind::UINT8) as usize] = Any;
    table[(kind::ARRAY | kind::INT16) as usize] = Without(1);
    table[(kind::ARRAY | kind::UINT16) as usize] = Without(1);
    table[(kind::ARRAY | kind::INT32) as usize] = Without(3);
    table[(kind::ARRAY | kind::UINT32) as usize] = Without(3);
    table[(kind::ARRAY | kind::INT64) as usize] = Without(7);
    table[(kind::ARRAY | kind::UINT64) as usize] = Without(7);
    table[(kind::ARRAY | kind::REAL32) as usize] = Without(3);
    table[(kind::ARRAY | kind::REAL64) as usize] = Without(7);
    table[(kind::ARRAY | kind::BOOL) as usize] = Without(3);
    table[(kind::ARRAY | kind::GUID) as usize] = Without(15);
    table[(kind::ARRAY | kind::FILETIME) as usize] = Without(7);
    table[(kind::ARRAY | kind::SYSTEMTIME) as usize] = Without(15);
    table[(kind::ARRAY | kind::SID) as usize] = Own;
    table[(kind::ARRAY | kind::HEX_INT32) as usize] = Without(3);
    table[(kind::ARRAY | kind::HEX_INT64) as usize] = Without(7);
    table
}

/// Whether it is a type at all: one whose values are read here, or a handle (0x20), XML as text (0x23), or a list of
/// bytes or sizes (0x8E and 0x90), of which templates may speak.
#[inline]
pub(crate) fn is_type(kind: u8) -> bool {
    !matches!(EXTENTS.get(usize::from(kind)), None | Some(Extent::Unknown)) || matches!(kind, 0x20 | 0x23 | 0x8E | 0x90)
}

/// Size of all values of this type, if it has one.
#[inline]
pub(crate) fn fixed_size(kind: u8) -> Option<usize> {
    match EXTENTS.get(usize::from(kind)) {
        Some(Extent::Fixed(size)) => Some(usize::from(*size)),
        _ => None,
    }
}

/// Size of the SID that these bytes begin with, if they hold all of it: eight bytes, of which the second counts the
/// sub-authorities of four bytes that follow.
#[inline]
pub(crate) fn sid_size(bytes: &[u8]) -> Option<usize> {
    let size = usize::from(*bytes.get(1)?).saturating_mul(4).saturating_add(8);
    (size <= bytes.len()).then_some(size)
}

/// A value. Its bytes have the size that its type demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value<'c> {
    /// Its type, of those in [`kind`].
    pub(crate) kind: u8,
    /// What is stored.
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

/// UTF-16 characters up to a NUL, if there is one.
#[inline]
pub(crate) fn until_nul(utf16: &[u8]) -> &[u8] {
    let units = utf16.as_chunks::<2>().0;
    match units.iter().position(|unit| *unit == [0, 0]) {
        Some(nul) => utf16.get(..nul.saturating_mul(2)).unwrap_or_default(),
        None => utf16,
    }
}

/// Where in the chunk a value lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    at: u32,
    size: u16,
    kind: u8,
}

impl Slot {
    /// The value.
    #[inline]
    pub(crate) fn value(self, chunk: &[u8]) -> Result<Value<'_>, Unusual> {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        let bytes = chunk.get(at..at.saturating_add(usize::from(self.size)));
        Ok(Value { kind: self.kind, bytes: bytes.ok_or(Unusual("a value reaches beyond the chunk"))? })
    }

    /// Where it lies: its offset in the chunk, and its size.
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        let at = usize::try_from(self.at).unwrap_or(usize::MAX);
        at..at.saturating_add(usize::from(self.size))
    }

    /// Its type.
    #[inline]
    pub(crate) fn kind(self) -> u8 {
        self.kind
    }

    /// Whether an element that depends on the value is left out.
    #[inline]
    pub(crate) fn is_null(self) -> bool {
        self.kind == kind::NULL || (self.kind == kind::BINARY_XML && self.size == 0)
    }
}

/// The values of a template instance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Values<'c> {
    /// The chunk up to where the instance must end.
    bytes: &'c [u8],
    /// Size (two bytes), type and a byte without meaning for each value.
    descriptors: &'c [[u8; 4]],
    /// Where the first value lies.
    start: usize,
}

impl<'c> Values<'c> {
    /// The values whose count is at `at`. They must end within `bytes`, the beginning of the chunk.
    #[inline]
    pub(crate) fn at(bytes: &'c [u8], at: usize) -> Result<Self, Unusual> {
        const CUT: Unusual = Unusual("the table of values is cut");

        let (count, rest) = bytes.get(at..).and_then(<[u8]>::split_first_chunk).ok_or(CUT)?;
        let count = usize::try_from(u32::from_le_bytes(*count)).map_err(|_| CUT)?;
        let descriptors = rest.as_chunks::<4>().0.get(..count).ok_or(CUT)?;
        let start = at.saturating_add(4).saturating_add(count.saturating_mul(4));
        Ok(Self { bytes, descriptors, start })
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.descriptors.len()
    }

    /// Whether one of them is binary XML.
    #[inline]
    pub(crate) fn have_binary_xml(&self) -> bool {
        self.descriptors.iter().any(|[_, _, kind, _]| *kind == kind::BINARY_XML)
    }

    /// Size and type of each, as the table has them.
    #[inline]
    pub(crate) fn descriptors(&self) -> &'c [[u8; 4]] {
        self.descriptors
    }

    /// Where in the chunk the first value lies.
    #[inline]
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// The chunk up to where the instance must end.
    #[inline]
    pub(crate) fn bytes(&self) -> &'c [u8] {
        self.bytes
    }

    /// The value with this index; none when there are fewer. Walks the table up to it.
    ///
    /// # Errors
    /// When it or a value before it does not have the size that its type demands.
    #[inline]
    pub fn find(&self, index: usize) -> Result<Value<'c>, Unusual> {
        let mut at = self.start;
        for descriptor in self.descriptors.iter().take(index) {
            at = self.end_of(*descriptor, at)?;
        }
        let Some(&descriptor) = self.descriptors.get(index) else { return Ok(Value::NULL) };
        let end = self.end_of(descriptor, at)?;
        let [_, _, kind, _] = descriptor;
        let bytes = self.bytes.get(at..end).ok_or(Unusual("a value reaches beyond its record"))?;
        Ok(Value { kind, bytes })
    }

    /// Where in the chunk the value with this index lies, which must be of this type.
    ///
    /// # Errors
    /// When it is not, or it or a value before it does not have the size that its type demands.
    #[inline]
    pub(crate) fn place(&self, index: usize, kind: u8) -> Result<std::ops::Range<usize>, Unusual> {
        let mut at = self.start;
        for descriptor in self.descriptors.iter().take(index) {
            at = self.end_of(*descriptor, at)?;
        }
        match self.descriptors.get(index) {
            Some(&descriptor @ [_, _, found, _]) if found == kind => Ok(at..self.end_of(descriptor, at)?),
            _ => Err(Unusual("a value of another type")),
        }
    }

    /// Puts the first values into `table`.
    ///
    /// # Errors
    /// When there are fewer, one does not have the size that its type demands, or reaches beyond its record.
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

    /// Adds all values to `table`; says where the last one ends.
    ///
    /// # Errors
    /// When one does not have the size that its type demands, or reaches beyond its record.
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

    /// Where the last one ends.
    ///
    /// # Errors
    /// As [`Self::fill`].
    #[inline]
    pub(crate) fn end(&self) -> Result<usize, Unusual> {
        let end = self.descriptors.iter().try_fold(self.start, |at, descriptor| self.end_of(*descriptor, at))?;
        if end > self.bytes.len() { Err(Unusual("a value reaches beyond its record")) } else { Ok(end) }
    }

    /// Whether the tokens around the instance end at `end`, where its last value does.
    #[inline]
    pub(crate) fn end_tokens(&self, end: usize) -> bool {
        matches!(self.bytes.get(end), None | Some(0))
    }

    /// Where the value at `at` ends, of which the table says this.
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

/// Whether a value of varying size ends where its own content says.
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
