//! Values as text, written as the `evtx` crate writes them.

use std::io::Write;

use data_encoding::{Encoding, HEXLOWER, HEXUPPER};
use encoding_rs::WINDOWS_1252;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::Serialize;

use super::Unusual;
use super::value::{Value, fixed_size, kind, sid_size, until_nul};
use crate::coverage::NO_TIME;

/// FILETIME ticks (100 ns) in a second.
const TICKS: u64 = 10_000_000;
/// The years after which the Gregorian calendar repeats, and their seconds.
const CYCLE_YEARS: u64 = 400;
const CYCLE_SECONDS: u64 = 146_097 * 86_400;

/// Whether the value has no text, not even an empty one as an item of a list.
#[inline]
pub(crate) fn is_empty(value: Value<'_>) -> bool {
    match value.kind {
        kind::NULL => true,
        kind::STRING => value.bytes.is_empty() || value.bytes.starts_with(&[0, 0]),
        kind::ANSI_STRING => value.bytes.iter().all(|byte| *byte == 0),
        kind::BINARY | kind::BINARY_XML => value.bytes.is_empty(),
        list => list & kind::ARRAY != 0 && value.bytes.is_empty(),
    }
}

/// Appends the text of a value that is no list.
///
/// # Errors
/// For lists and binary XML, which have no text of their own.
#[inline]
pub(crate) fn push(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), Unusual> {
    if value.kind == kind::STRING {
        push_utf16(value.bytes, out);
        return Ok(());
    }
    push_other(value, out).ok_or(Unusual("a value that has no text"))
}

fn push_other(value: Value<'_>, out: &mut Vec<u8>) -> Option<()> {
    let bytes = value.bytes;
    match value.kind {
        kind::NULL => {}
        kind::ANSI_STRING => push_ansi(bytes, out),
        kind::INT8 => push_number(i8::from_le_bytes(all(bytes)?), out),
        kind::INT16 => push_number(i16::from_le_bytes(all(bytes)?), out),
        kind::INT32 => push_number(i32::from_le_bytes(all(bytes)?), out),
        kind::INT64 => push_number(i64::from_le_bytes(all(bytes)?), out),
        kind::UINT8 | kind::UINT16 | kind::UINT32 | kind::UINT64 => push_number(unsigned(bytes), out),
        kind::REAL32 => push_real(f32::from_le_bytes(all(bytes)?), out)?,
        kind::REAL64 => push_real(f64::from_le_bytes(all(bytes)?), out)?,
        // Some providers log bits as a truth value.
        kind::BOOL => match i32::from_le_bytes(all(bytes)?) {
            0 => out.extend_from_slice(b"false"),
            1 => out.extend_from_slice(b"true"),
            bits => push_number(bits, out),
        },
        kind::BINARY => push_digits(bytes, &HEXUPPER, out),
        kind::GUID => push_guid(&all(bytes)?, out),
        kind::SIZE_T | kind::HEX_INT32 | kind::HEX_INT64 => write!(out, "{:#x}", unsigned(bytes)).ok()?,
        kind::FILETIME => push_filetime(u64::from_le_bytes(all(bytes)?), out)?,
        kind::SYSTEMTIME => push_systemtime(&all(bytes)?, out)?,
        kind::SID => push_sid(bytes, out)?,
        _ => return None,
    }
    Some(())
}

/// The items of a list; `None` for a value that is none.
pub(crate) fn items(list: Value<'_>) -> Option<Items<'_>> {
    if list.kind & kind::ARRAY == 0 {
        return None;
    }
    let mut kind = list.kind & !kind::ARRAY;
    let truth = |bytes: &[u8; 4]| matches!(u32::from_le_bytes(*bytes), 0 | 1);
    // If one item is neither true nor false, all are numbers.
    if kind == kind::BOOL && !list.bytes.as_chunks::<4>().0.iter().all(truth) {
        kind = kind::INT32;
    }
    Some(Items { kind, rest: list.bytes })
}

/// The items of a list, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Items<'c> {
    kind: u8,
    rest: &'c [u8],
}

impl<'c> Iterator for Items<'c> {
    type Item = Value<'c>;

    fn next(&mut self) -> Option<Value<'c>> {
        if self.rest.is_empty() {
            return None;
        }
        let rest = self.rest;
        // The size of the item, and of what ends it.
        let (size, end) = match self.kind {
            kind::STRING => (until_nul(rest).len(), 2),
            kind::ANSI_STRING => (rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len()), 1),
            kind::SID => (sid_size(rest).unwrap_or(rest.len()), 0),
            kind => (fixed_size(kind).unwrap_or(rest.len()), 0),
        };
        self.rest = rest.get(size.saturating_add(end)..).unwrap_or_default();
        Some(Value { kind: self.kind, bytes: rest.get(..size)? })
    }
}

/// Appends the UTF-16 characters in front of a NUL. Half a surrogate pair becomes U+FFFD.
#[inline]
pub(crate) fn push_utf16(utf16: &[u8], out: &mut Vec<u8>) {
    if push_ascii(utf16, out) {
        return;
    }
    let text = until_nul(utf16);
    if text.len() < utf16.len() && push_ascii(text, out) {
        return;
    }
    let units = text.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    for character in char::decode_utf16(units) {
        push_character(character.unwrap_or(char::REPLACEMENT_CHARACTER), out);
    }
}

/// Appends UTF-16 characters if all of them are ASCII and none is a NUL; returns whether they are.
#[inline]
pub(crate) fn push_ascii(utf16: &[u8], out: &mut Vec<u8>) -> bool {
    let units = utf16.as_chunks::<2>().0;
    // Zero for 1 to 127: the bits from 128 on of the unit and, because of NUL, of the unit minus one.
    let other = |unit: &[u8; 2]| {
        let unit = u16::from_le_bytes(*unit);
        (unit | unit.wrapping_sub(1)) & 0xFF80
    };
    let is_ascii = units.iter().fold(0, |all, unit| all | other(unit)) == 0;
    if is_ascii {
        out.extend(units.iter().map(|[low, _]| *low));
    }
    is_ascii
}

/// Appends a character.
#[inline]
pub(crate) fn push_character(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Appends characters of a machine's 8-bit code page, without NULs. The code page is taken for Windows-1252; bytes that it
/// does not define are read as the control characters that they are in Latin-1.
fn push_ansi(bytes: &[u8], out: &mut Vec<u8>) {
    for part in bytes.split(|byte| *byte == 0) {
        out.extend_from_slice(WINDOWS_1252.decode_without_bom_handling(part).0.as_bytes());
    }
}

/// The bytes as an array, if their number is that of the array.
#[inline]
fn all<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

/// A number of at most eight bytes, the lowest first.
#[inline]
pub(crate) fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// Appends a number in decimal digits.
fn push_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends two digits a byte.
#[inline]
fn push_digits(bytes: &[u8], digits: &Encoding, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start.saturating_add(digits.encode_len(bytes.len())), 0);
    digits.encode_mut(bytes, out.get_mut(start..).unwrap_or_default());
}

/// Appends a number with the fewest digits that distinguish it from others of its type.
fn push_real<F: Copy + Into<f64> + Serialize>(number: F, out: &mut Vec<u8>) -> Option<()> {
    let wide: f64 = number.into();
    if wide.is_finite() {
        return serde_json::to_writer(out, &number).ok();
    }
    // "NaN", "inf" or "-inf".
    write!(out, "{wide}").ok()
}

/// Appends a GUID in braces, lower case. Its first three parts are numbers, stored with their low byte first.
fn push_guid(guid: &[u8; 16], out: &mut Vec<u8>) {
    let [a3, a2, a1, a0, b1, b0, c1, c0, d0, d1, e @ ..] = *guid;
    out.push(b'{');
    push_digits(&[a0, a1, a2, a3], &HEXLOWER, out);
    for part in [[b0, b1], [c0, c1], [d0, d1]] {
        out.push(b'-');
        push_digits(&part, &HEXLOWER, out);
    }
    out.push(b'-');
    push_digits(&e, &HEXLOWER, out);
    out.push(b'}');
}

/// Appends a security identifier: `S-revision-authority-part-part...`.
fn push_sid(sid: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (&[revision, parts, a, b, c, d, e, f], rest) = sid.split_first_chunk()?;
    write!(out, "S-{revision}-{}", u64::from_be_bytes([0, 0, a, b, c, d, e, f])).ok()?;
    let mut parts = rest.as_chunks::<4>().0.iter().take(parts.into());
    parts.try_for_each(|part| write!(out, "-{}", u32::from_le_bytes(*part)).ok())
}

/// Appends a time in UTC as Windows writes it, with the last four digits of the year, which is `time`'s or one so many times
/// 400 years later.
fn push_time(time: DateTime, times: u64, out: &mut Vec<u8>) -> Option<()> {
    let year = u64::try_from(time.year()).ok()?.checked_add(times.checked_mul(CYCLE_YEARS)?)? % 10_000;
    let (month, day, hour, minute, second) = (time.month(), time.day(), time.hour(), time.minute(), time.second());
    let ticks = time.subsec_nanosecond() / 100;
    push_padded::<4>(year, out);
    for (mark, part) in [(b'-', month), (b'-', day), (b'T', hour), (b':', minute), (b':', second)] {
        out.push(mark);
        push_padded::<2>(part.try_into().ok()?, out);
    }
    out.push(b'.');
    push_padded::<7>(ticks.try_into().ok()?, out);
    out.push(b'Z');
    Some(())
}

/// Appends the last `DIGITS` decimal digits of a number, with zeros before it.
#[inline]
fn push_padded<const DIGITS: usize>(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = b'0'.saturating_add(u8::try_from(number % 10).unwrap_or_default());
        number /= 10;
    }
    out.extend_from_slice(&digits);
}

/// Appends a FILETIME: 100 ns units since 1601-01-01. A negative one is written as zeros.
fn push_filetime(filetime: u64, out: &mut Vec<u8>) -> Option<()> {
    if i64::try_from(filetime).is_err() {
        out.extend_from_slice(b"0000-00-00T00:00:00.0000000Z");
        return Some(());
    }
    let (seconds, ticks) = (filetime / TICKS, filetime % TICKS);
    let since_epoch = i64::try_from(seconds % CYCLE_SECONDS).ok()?.checked_add(NO_TIME)?;
    let time = Timestamp::new(since_epoch, i32::try_from(ticks.checked_mul(100)?).ok()?).ok()?;
    push_time(Offset::UTC.to_datetime(time), seconds / CYCLE_SECONDS, out)
}

/// Appends a SYSTEMTIME: year, month, day of the week, day, hour, minute, second and milliseconds. One that is no time is
/// written as 1601-01-01.
fn push_systemtime(systemtime: &[u8; 16], out: &mut Vec<u8>) -> Option<()> {
    let mut parts = systemtime.as_chunks::<2>().0.iter().map(|part| u16::from_le_bytes(*part));
    let [year, month, _, day, hour, minute, second, milliseconds] =
        std::array::from_fn(|_| parts.next().unwrap_or_default());
    let small = |part: u16| i8::try_from(part).ok();
    let times = u64::from(year.checked_sub(1601).filter(|_| year <= 30_827).unwrap_or_default()) / CYCLE_YEARS;
    let time = || {
        let year = u64::from(year).checked_sub(times.checked_mul(CYCLE_YEARS)?)?;
        let nanoseconds = i32::from(milliseconds).checked_mul(1_000_000)?;
        let year = i16::try_from(year).ok().filter(|year| (1601..=2000).contains(year))?;
        DateTime::new(year, small(month)?, small(day)?, small(hour)?, small(minute)?, small(second)?, nanoseconds).ok()
    };
    match time() {
        Some(time) => push_time(time, times, out),
        None => push_filetime(0, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: u8, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        push(Value { kind, bytes }, &mut out).expect("a text");
        String::from_utf8(out).expect("UTF-8")
    }

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn strings_end_at_a_nul_and_half_pairs_are_replaced() {
        assert_eq!(text(kind::STRING, &utf16("C:\\app.exe")), "C:\\app.exe");
        assert_eq!(text(kind::STRING, &utf16("tool\0rest")), "tool");
        assert_eq!(text(kind::STRING, &utf16("\u{7F}\u{80}größer 😀\0x")), "\u{7F}\u{80}größer 😀");
        assert_eq!(text(kind::STRING, &[b'a', 0, 0x3D, 0xD8, b'b', 0, 0x00, 0xDE]), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(text(kind::ANSI_STRING, b"a\0b\x80\x81\0"), "ab€\u{81}");
    }

    #[test]
    fn numbers_are_written_in_their_base() {
        assert_eq!(text(kind::INT8, &[0x80]), "-128");
        assert_eq!(text(kind::UINT8, &[0]), "0");
        assert_eq!(text(kind::INT16, &(-2_i16).to_le_bytes()), "-2");
        assert_eq!(text(kind::UINT16, &[0xE8, 3]), "1000");
        assert_eq!(text(kind::INT64, &i64::MIN.to_le_bytes()), "-9223372036854775808");
        assert_eq!(text(kind::UINT64, &[0xFF; 8]), "18446744073709551615");
        assert_eq!(text(kind::HEX_INT32, &[0; 4]), "0x0");
        assert_eq!(text(kind::HEX_INT64, &0x8020_0003_u64.to_le_bytes()), "0x80200003");
        assert_eq!(text(kind::SIZE_T, &[0xFF; 8]), "0xffffffffffffffff");
        assert_eq!(text(kind::BOOL, &[1, 0, 0, 0]), "true");
        assert_eq!(text(kind::BOOL, &[16, 0, 0, 0]), "16");
        assert_eq!(text(kind::REAL64, &1.5_f64.to_le_bytes()), "1.5");
        assert_eq!(text(kind::REAL32, &f32::NEG_INFINITY.to_le_bytes()), "-inf");
        assert_eq!(text(kind::REAL64, &f64::NAN.to_le_bytes()), "NaN");
    }

    #[test]
    fn times_have_seven_decimals_and_impossible_ones_a_fixed_form() {
        assert_eq!(text(kind::FILETIME, &133_594_528_895_000_000_u64.to_le_bytes()), "2024-05-06T07:08:09.5000000Z");
        assert_eq!(text(kind::FILETIME, &[0; 8]), "1601-01-01T00:00:00.0000000Z");
        assert_eq!(text(kind::FILETIME, &[0xFF; 8]), "0000-00-00T00:00:00.0000000Z");
        let systemtime = |parts: [u16; 8]| text(kind::SYSTEMTIME, &parts.map(u16::to_le_bytes).concat());
        assert_eq!(systemtime([2024, 2, 4, 29, 23, 59, 58, 7]), "2024-02-29T23:59:58.0070000Z");
        assert_eq!(systemtime([2023, 2, 4, 29, 23, 59, 58, 7]), "1601-01-01T00:00:00.0000000Z");
    }

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        let epoch = jiff::civil::date(1601, 1, 1);
        // Every day of two cycles and a bit: 1601 to beyond 2401.
        let mut expected = epoch;
        for days in 0..300_000_u64 {
            let found = text(kind::FILETIME, &(days * 86_400 * TICKS + 1).to_le_bytes());
            assert_eq!(found, format!("{expected}T00:00:00.0000001Z"), "day {days}");
            expected = expected.tomorrow().expect("another day");
        }
    }

    #[test]
    fn of_years_beyond_9999_the_last_four_digits_are_written() {
        assert_eq!(text(kind::FILETIME, &i64::MAX.to_le_bytes()), "0828-09-14T02:48:05.4775807Z");
        let systemtime = |parts: [u16; 8]| text(kind::SYSTEMTIME, &parts.map(u16::to_le_bytes).concat());
        assert_eq!(systemtime([30_827, 12, 0, 31, 23, 59, 59, 999]), "0827-12-31T23:59:59.9990000Z");
        assert_eq!(systemtime([2400, 2, 0, 29, 0, 0, 0, 0]), "2400-02-29T00:00:00.0000000Z");
        for none in [[30_828, 1, 0, 1, 0, 0, 0, 0], [1600, 1, 0, 1, 0, 0, 0, 0], [2024, 1, 0, 1, 24, 0, 0, 0]] {
            assert_eq!(systemtime(none), "1601-01-01T00:00:00.0000000Z", "{none:?}");
        }
    }

    #[test]
    fn identifiers_and_bytes_are_written_in_windows_notation() {
        let guid = [0x78, 0x56, 0x34, 0x12, 0xBC, 0x9A, 0xF0, 0xDE, 1, 2, 3, 4, 5, 6, 7, 0xFF];
        assert_eq!(text(kind::GUID, &guid), "{12345678-9abc-def0-0102-0304050607ff}");
        assert_eq!(text(kind::BINARY, &[0x0A, 0xFF]), "0AFF");
        let sid = [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0];
        assert_eq!(text(kind::SID, &sid), "S-1-5-32-544");
    }

    #[test]
    fn lists_have_items() {
        let list = |kind: u8, bytes: &[u8]| -> Vec<String> {
            let list = items(Value { kind: kind::ARRAY | kind, bytes }).expect("a list");
            list.map(|item| text(item.kind, item.bytes)).collect()
        };
        assert_eq!(list(kind::STRING, &utf16("a\0\0bc\0")), ["a", "", "bc"]);
        assert_eq!(list(kind::ANSI_STRING, b"a\0\0b"), ["a", "", "b"]);
        assert_eq!(list(kind::UINT16, &[1, 0, 2, 0]), ["1", "2"]);
        assert_eq!(list(kind::BOOL, &[1, 0, 0, 0, 0, 0, 0, 0]), ["true", "false"]);
        assert_eq!(list(kind::BOOL, &[1, 0, 0, 0, 2, 0, 0, 0]), ["1", "2"]);
        assert_eq!(list(kind::UINT64, &[]), [""; 0]);
        assert!(items(Value { kind: kind::STRING, bytes: b"a\0" }).is_none());
    }

    #[test]
    fn an_item_of_a_list_has_text_even_if_it_is_empty() {
        let list = |kind: u8, bytes| Value { kind: kind::ARRAY | kind, bytes };
        assert!(is_empty(Value::NULL));
        assert!(is_empty(Value { kind: kind::STRING, bytes: b"\0\0a\0" }));
        assert!(is_empty(Value { kind: kind::BINARY, bytes: &[] }));
        assert!(is_empty(list(kind::STRING, &[])));
        assert!(!is_empty(list(kind::STRING, &[0, 0])));
        assert!(!is_empty(Value { kind: kind::UINT8, bytes: &[0] }));
    }
}
