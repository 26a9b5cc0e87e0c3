//! The header of a record and the descriptors of its sections.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::sections;
use evidence::{ErrorComponent, ErrorDetail, ErrorRecord, ErrorSection, ErrorSeverity};
use untrusted::bytes::{array_at, u16_at, u32_at};

/// What a record begins with.
pub const SIGNATURE: [u8; 4] = *b"CPER";
/// Length of the record's header; the descriptors of its sections follow. Bytes.
pub const HEADER: usize = 128;
/// The longest record that is read, bytes; Windows writes some hundred to some thousand.
pub const LONGEST: usize = 1 << 20;

/// Where the header holds its fields, in bytes from its beginning.
mod field {
    /// Number of sections, 16 bits.
    pub const SECTIONS: usize = 10;
    /// Severity.
    pub const SEVERITY: usize = 12;
    /// Bits of the fields that are set; bit 1 is the time's.
    pub const VALID: usize = 16;
    /// Length of the whole record.
    pub const LENGTH: usize = 20;
    /// Time: second, minute, hour, flags, day, month, year, century, a byte each.
    pub const TIME: usize = 24;
}

/// Where a section's descriptor holds its fields, and its length.
mod descriptor {
    /// Offset of the section from the beginning of the record.
    pub const OFFSET: usize = 0;
    /// Length of the section.
    pub const LENGTH: usize = 4;
    /// Bits of the fields that are set, 8 bits; bit 1 is the unit's name's.
    pub const VALID: usize = 10;
    /// Flags, of which the lowest marks the section with the error itself.
    pub const FLAGS: usize = 12;
    /// The identifier of the section's kind.
    pub const KIND: usize = 16;
    /// Severity.
    pub const SEVERITY: usize = 48;
    /// Name of the part that can be replaced (FRU), as firmware gave it: 20 ASCII characters.
    pub const UNIT: usize = 52;
    /// Length of a descriptor.
    pub const SIZE: usize = 72;
}

/// The most sections that are read; Windows writes a handful.
const MOST_SECTIONS: usize = 32;

/// The length of the record that begins with these bytes, as its header gives it; `None` where no record begins, or a longer one
/// than is read.
#[must_use]
pub fn length(bytes: &[u8]) -> Option<usize> {
    if array_at(bytes, 0)? != SIGNATURE {
        return None;
    }
    let length = usize::try_from(u32_at(bytes, field::LENGTH)?).ok()?;
    (HEADER..=LONGEST).contains(&length).then_some(length)
}

/// The record at the beginning of `bytes`. Of one that is cut, the sections are read whose descriptors are there; `None`
/// where no record begins.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<ErrorRecord> {
    if array_at(bytes, 0)? != SIGNATURE {
        return None;
    }
    let count = usize::from(u16_at(bytes, field::SECTIONS)?).min(MOST_SECTIONS);
    let valid = u32_at(bytes, field::VALID).unwrap_or_default();
    Some(ErrorRecord {
        severity: severity(u32_at(bytes, field::SEVERITY).unwrap_or_default()),
        time: array_at(bytes, field::TIME).filter(|_| valid & 2 != 0).and_then(time),
        sections: (0..count).map_while(|number| section(bytes, number)).collect(),
    })
}

fn severity(number: u32) -> ErrorSeverity {
    match number {
        0 => ErrorSeverity::Recoverable,
        1 => ErrorSeverity::Fatal,
        2 => ErrorSeverity::Corrected,
        _ => ErrorSeverity::Informational,
    }
}

/// A time whose parts are a byte each. The specification wants two decimal digits in each byte, and Windows writes plain
/// numbers: the century (0x20 or 20) tells which it is.
fn time([second, minute, hour, _, day, month, year, century]: [u8; 8]) -> Option<Timestamp> {
    let number = |byte: u8| match century {
        0x19 | 0x20 | 0x21 => i16::from(byte >> 4).checked_mul(10)?.checked_add(i16::from(byte & 0xF)),
        _ => Some(i16::from(byte)),
    };
    let part = |byte: u8| i8::try_from(number(byte)?).ok();
    let year = number(century)?.checked_mul(100)?.checked_add(number(year)?)?;
    let civil = DateTime::new(year, part(month)?, part(day)?, part(hour)?, part(minute)?, part(second)?, 0).ok()?;
    TimeZone::UTC.to_timestamp(civil).ok()
}

fn section(record: &[u8], number: usize) -> Option<ErrorSection> {
    let begin = number.checked_mul(descriptor::SIZE)?.checked_add(HEADER)?;
    let about = record.get(begin..)?;
    let kind: [u8; 16] = array_at(about, descriptor::KIND)?;
    let (component, read) = sections::reader(kind);
    let valid = *about.get(descriptor::VALID)?;
    let unit = about.get(descriptor::UNIT..descriptor::SIZE).filter(|_| valid & 2 != 0).and_then(ascii);
    let content = || {
        let offset = usize::try_from(u32_at(about, descriptor::OFFSET)?).ok()?;
        let length = usize::try_from(u32_at(about, descriptor::LENGTH)?).ok()?;
        record.get(offset..offset.checked_add(length)?)
    };
    let detail = if component == ErrorComponent::Other { None } else { content().and_then(read) };
    Some(ErrorSection {
        primary: u32_at(about, descriptor::FLAGS)? & 1 != 0,
        severity: severity(u32_at(about, descriptor::SEVERITY).unwrap_or_default()),
        component,
        unit,
        detail: detail.unwrap_or(ErrorDetail::None),
    })
}

/// A name of printable ASCII characters up to a NUL or the end.
fn ascii(bytes: &[u8]) -> Option<Arc<str>> {
    let text = bytes.split(|byte| *byte == 0).next()?;
    let text = std::str::from_utf8(text).ok()?.trim();
    (!text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')).then(|| Arc::from(text))
}

#[cfg(test)]
mod tests;
