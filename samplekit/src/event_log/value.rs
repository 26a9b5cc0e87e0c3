//! Values that a record substitutes into its template.

use crate::bytes::ByteWriter;
use crate::{FileTime, Guid};

/// A security identifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sid {
    authority: u8,
    parts: Vec<u32>,
}

impl Sid {
    /// The identifier `S-1-AUTHORITY-PARTS...`.
    #[must_use]
    pub fn new(authority: u8, parts: &[u32]) -> Self {
        Self { authority, parts: parts.to_vec() }
    }

    /// `S-1-5-18`, the system account.
    #[must_use]
    pub fn system() -> Self {
        Self::new(5, &[18])
    }

    /// `S-1-5-19`, the local service account.
    #[must_use]
    pub fn local_service() -> Self {
        Self::new(5, &[19])
    }

    /// A made-up account of a person, with the same machine part in every sample.
    #[must_use]
    pub fn user() -> Self {
        Self::new(5, &[21, 1_004_336_348, 1_177_238_915, 682_003_330, 1001])
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        // Revision 1, number of parts, then the authority as six bytes, most significant first.
        out.u8(1).u8(self.parts.len() as u8).raw(&[0, 0, 0, 0, 0, self.authority]);
        for part in &self.parts {
            out.u32(*part);
        }
        out.into_bytes()
    }
}

/// A value with its type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// No value. Optional parts of the template are then left out.
    Null,
    /// Text.
    Text(String),
    /// Text in the 8-bit code page of the machine; here ASCII.
    Ansi(String),
    /// A list of texts: the `Data` elements of a classic event.
    Texts(Vec<String>),
    /// Unsigned, 8 bits.
    U8(u8),
    /// Unsigned, 16 bits.
    U16(u16),
    /// Unsigned, 32 bits.
    U32(u32),
    /// Unsigned, 64 bits.
    U64(u64),
    /// True or false.
    Bool(bool),
    /// Bytes, shown as hexadecimal digits.
    Binary(Vec<u8>),
    /// A GUID.
    Guid(Guid),
    /// A moment.
    Time(FileTime),
    /// A security identifier.
    Sid(Sid),
    /// 32 bits, shown as `0x...`.
    Hex32(u32),
    /// 64 bits, shown as `0x...`.
    Hex64(u64),
    /// Any type by its number, with the stored bytes, which need not fit the type.
    Stored(u8, Vec<u8>),
}

/// Type of a value that is binary XML itself.
pub(super) const XML_TYPE: u8 = 0x21;

impl Value {
    /// The type's number in the format.
    pub(super) fn type_code(&self) -> u8 {
        match self {
            Self::Stored(code, _) => *code,
            Self::Null => 0x00,
            Self::Text(_) => 0x01,
            Self::Ansi(_) => 0x02,
            Self::U8(_) => 0x04,
            Self::U16(_) => 0x06,
            Self::U32(_) => 0x08,
            Self::U64(_) => 0x0A,
            Self::Bool(_) => 0x0D,
            Self::Binary(_) => 0x0E,
            Self::Guid(_) => 0x0F,
            Self::Time(_) => 0x11,
            Self::Sid(_) => 0x13,
            Self::Hex32(_) => 0x14,
            Self::Hex64(_) => 0x15,
            Self::Texts(_) => 0x81,
        }
    }

    /// The value as stored. Texts have no terminator; lists have one after each item.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        match self {
            Self::Null => {}
            Self::Text(text) => {
                out.utf16(text);
            }
            Self::Ansi(text) => {
                out.raw(text.as_bytes());
            }
            Self::Texts(texts) => {
                for text in texts {
                    out.utf16(text).u16(0);
                }
            }
            Self::U8(value) => {
                out.u8(*value);
            }
            Self::U16(value) => {
                out.u16(*value);
            }
            Self::U32(value) | Self::Hex32(value) => {
                out.u32(*value);
            }
            Self::U64(value) | Self::Hex64(value) => {
                out.u64(*value);
            }
            // A Windows BOOL, four bytes.
            Self::Bool(value) => {
                out.u32(u32::from(*value));
            }
            Self::Binary(bytes) | Self::Stored(_, bytes) => {
                out.raw(bytes);
            }
            Self::Guid(guid) => {
                out.raw(&guid.0);
            }
            Self::Time(time) => {
                out.u64(time.0);
            }
            Self::Sid(sid) => {
                out.raw(&sid.bytes());
            }
        }
        out.into_bytes()
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
