//! A growing little-endian buffer. Every format here is little-endian.

/// Bytes of a file, or of a piece of memory, written front to back.
#[derive(Debug, Clone, Default)]
pub struct ByteWriter {
    bytes: Vec<u8>,
}

impl ByteWriter {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of bytes written: the offset of the next one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing has been written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The offset of the next byte, for fields that store offsets in 32 bits.
    #[must_use]
    pub fn offset(&self) -> u32 {
        count32(self.bytes.len())
    }

    /// Appends one byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    /// Appends two bytes.
    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Appends four bytes.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Appends eight bytes.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Appends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Appends text as UTF-16, without terminator.
    pub fn utf16(&mut self, text: &str) -> &mut Self {
        for unit in text.encode_utf16() {
            self.u16(unit);
        }
        self
    }

    /// Appends text as UTF-16 in a field of `units` units, cut or filled up with zeros; the last unit is always zero.
    pub fn utf16_field(&mut self, text: &str, units: usize) -> &mut Self {
        let end = self.len() + units * 2;
        for unit in text.encode_utf16().take(units - 1) {
            self.u16(unit);
        }
        self.zeros_to(end)
    }

    /// Appends `count` zero bytes.
    pub fn zeros(&mut self, count: usize) -> &mut Self {
        self.zeros_to(self.len() + count)
    }

    /// Fills up with zero bytes until the buffer is `length` bytes long. A longer buffer stays as it is.
    pub fn zeros_to(&mut self, length: usize) -> &mut Self {
        if length > self.bytes.len() {
            self.bytes.resize(length, 0);
        }
        self
    }

    /// Fills up with zero bytes to the next multiple of `unit`.
    pub fn align(&mut self, unit: usize) -> &mut Self {
        self.zeros_to(self.len().next_multiple_of(unit))
    }

    /// Overwrites two bytes that are already written.
    pub fn patch_u16(&mut self, offset: usize, value: u16) {
        self.patch(offset, &value.to_le_bytes());
    }

    /// Overwrites four bytes that are already written.
    pub fn patch_u32(&mut self, offset: usize, value: u32) {
        self.patch(offset, &value.to_le_bytes());
    }

    /// Overwrites eight bytes that are already written.
    pub fn patch_u64(&mut self, offset: usize, value: u64) {
        self.patch(offset, &value.to_le_bytes());
    }

    /// Overwrites bytes that are already written.
    pub fn patch(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// The bytes written so far.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// The finished bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// A length or offset for a 32-bit field.
///
/// # Panics
///
/// When it does not fit: the sample is then larger than its format allows.
#[must_use]
pub fn count32(length: usize) -> u32 {
    #[expect(clippy::expect_used, reason = "a sample that its format cannot hold must not be written")]
    u32::try_from(length).expect("a length or offset fits into 32 bits")
}

/// A length for a 16-bit field.
///
/// # Panics
///
/// When it does not fit: the sample is then larger than its format allows.
#[must_use]
pub fn count16(length: usize) -> u16 {
    #[expect(clippy::expect_used, reason = "a sample that its format cannot hold must not be written")]
    u16::try_from(length).expect("a length fits into 16 bits")
}

/// A 64-bit FNV-1a hash: makes up values that Windows would take from a file's contents (checksums, PDB ids), the same
/// in every run.
#[must_use]
pub fn stable_hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash
}
