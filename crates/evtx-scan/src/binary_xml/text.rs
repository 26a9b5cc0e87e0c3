//! Values as text, written as the `evtx` crate writes them.

use std::io::Write;

use serde::Serialize;

use super::Unusual;
use super::value::{Value, kind, sid_size, until_nul};
use untrusted::text::windows_1252;

/// FILETIME ticks (100 ns) in a second.
const TICKS: u64 = 10_000_000;
/// Seconds in a day.
const DAY: u64 = 86_400;

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
        kind::INT8 => push_signed(i8::from_le_bytes(all(bytes)?).into(), out),
        kind::INT16 => push_signed(i16::from_le_bytes(all(bytes)?).into(), out),
        kind::INT32 => push_signed(i32::from_le_bytes(all(bytes)?).into(), out),
        kind::INT64 => push_signed(i64::from_le_bytes(all(bytes)?), out),
        kind::UINT8 | kind::UINT16 | kind::UINT32 | kind::UINT64 => push_decimal(unsigned(bytes), out),
        kind::REAL32 => push_real(f32::from_le_bytes(all(bytes)?), out)?,
        kind::REAL64 => push_real(f64::from_le_bytes(all(bytes)?), out)?,
        // Some providers log bits as a truth value.
        kind::BOOL => match i32::from_le_bytes(all(bytes)?) {
            0 => out.extend_from_slice(b"false"),
            1 => out.extend_from_slice(b"true"),
            bits => push_signed(bits.into(), out),
        },
        kind::BINARY => push_digits(bytes, UPPER, out),
        kind::GUID => push_guid(&all(bytes)?, out),
        kind::SIZE_T | kind::HEX_INT32 | kind::HEX_INT64 => push_hexadecimal(unsigned(bytes), out),
        kind::FILETIME => push_filetime(u64::from_le_bytes(all(bytes)?), out),
        kind::SYSTEMTIME => push_systemtime(&all(bytes)?, out),
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
            kind => (super::value::fixed_size(kind).unwrap_or(rest.len()), 0),
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
    for byte in bytes.iter().filter(|byte| **byte != 0) {
        let character = windows_1252(*byte);
        let undefined = character == char::REPLACEMENT_CHARACTER;
        push_character(if undefined { char::from(*byte) } else { character }, out);
    }
}

/// The bytes as an array, if their number is that of the array.
#[inline]
fn all<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

/// A number of at most eight bytes, the lowest first.
#[inline]
fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

fn push_signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    push_decimal(number.unsigned_abs(), out);
}

/// Appends a number in decimal digits.
#[inline]
pub(crate) fn push_decimal(mut number: u64, out: &mut Vec<u8>) {
    // 2^64 has 20 digits.
    let mut digits = [b'0'; 20];
    let mut unused = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' | low_byte(number % 10);
        number /= 10;
        unused = unused.saturating_sub(1);
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(unused..).unwrap_or_default());
}

/// Appends `0x` and a number in hexadecimal digits.
fn push_hexadecimal(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"0x");
    // Four bits a digit; at least one digit.
    let digits = (u64::BITS.saturating_sub(number.leading_zeros())).div_ceil(4).max(1);
    for place in (0..digits).rev() {
        let digit = number.checked_shr(place.saturating_mul(4)).unwrap_or(0) & 0xF;
        out.push(digit_of(low_byte(digit), b"0123456789abcdef"));
    }
}

#[inline]
fn low_byte(number: u64) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low
}

#[inline]
fn digit_of(value: u8, digits: &[u8; 16]) -> u8 {
    digits.get(usize::from(value & 0xF)).copied().unwrap_or_default()
}

/// The digits of every byte.
type Pairs = [[u8; 2]; 256];

const UPPER: &Pairs = &pairs(*b"0123456789ABCDEF");
const LOWER: &Pairs = &pairs(*b"0123456789abcdef");

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "worked out when the program is built")]
const fn pairs(digits: [u8; 16]) -> Pairs {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < pairs.len() {
        pairs[byte] = [digits[byte / 16], digits[byte % 16]];
        byte += 1;
    }
    pairs
}

/// Appends two digits a byte.
#[inline]
fn push_digits(bytes: &[u8], digits: &Pairs, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start.saturating_add(bytes.len().saturating_mul(2)), 0);
    let room = out.get_mut(start..).unwrap_or_default().as_chunks_mut::<2>().0;
    for (pair, byte) in room.iter_mut().zip(bytes) {
        *pair = digits.get(usize::from(*byte)).copied().unwrap_or_default();
    }
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
    push_digits(&[a0, a1, a2, a3], LOWER, out);
    for part in [[b0, b1], [c0, c1], [d0, d1]] {
        out.push(b'-');
        push_digits(&part, LOWER, out);
    }
    out.push(b'-');
    push_digits(&e, LOWER, out);
    out.push(b'}');
}

/// Appends a security identifier: `S-revision-authority-part-part...`.
fn push_sid(sid: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (&[revision, parts, a, b, c, d, e, f], rest) = sid.split_first_chunk()?;
    out.extend_from_slice(b"S-");
    push_decimal(revision.into(), out);
    out.push(b'-');
    push_decimal(u64::from_be_bytes([0, 0, a, b, c, d, e, f]), out);
    for part in rest.as_chunks::<4>().0.iter().take(parts.into()) {
        out.push(b'-');
        push_decimal(u32::from_le_bytes(*part).into(), out);
    }
    Some(())
}

/// A moment in UTC.
#[derive(Default)]
struct Moment {
    year: u64,
    month: u64,
    day: u64,
    /// Seconds of the day.
    second: u64,
    /// Of the second, 100 ns each.
    ticks: u64,
}

impl Moment {
    /// Appends the moment as Windows writes it, with the last four digits of the year.
    fn push(&self, out: &mut Vec<u8>) {
        let mut text = *b"0000-00-00T00:00:00.0000000Z";
        let mut put = |place: std::ops::Range<usize>, mut number: u64| {
            for digit in text.get_mut(place).unwrap_or_default().iter_mut().rev() {
                *digit = b'0' | low_byte(number % 10);
                number /= 10;
            }
        };
        put(0..4, self.year);
        put(5..7, self.month);
        put(8..10, self.day);
        put(11..13, self.second / 3600);
        put(14..16, self.second / 60 % 60);
        put(17..19, self.second % 60);
        put(20..27, self.ticks);
        out.extend_from_slice(&text);
    }
}

/// Appends a FILETIME: 100 ns units since 1601-01-01. A negative one is written as zeros.
fn push_filetime(filetime: u64, out: &mut Vec<u8>) {
    if i64::try_from(filetime).is_err() {
        return Moment::default().push(out);
    }
    let seconds = filetime / TICKS;
    let (year, month, day) = date(seconds / DAY);
    Moment { year, month, day, second: seconds % DAY, ticks: filetime % TICKS }.push(out);
}

/// The date so many days after 1601-01-01, in the Gregorian calendar.
///
/// 400 years have 146,097 days, and such a cycle begins with 1601. In it a century has 36,524 days, and four years
/// have 1461, but the last century and the last year of four have one more, which must not count as another.
fn date(days: u64) -> (u64, u64, u64) {
    let (cycles, rest) = (days / 146_097, days % 146_097);
    let centuries = (rest / 36_524).min(3);
    let rest = rest.saturating_sub(centuries.saturating_mul(36_524));
    let (fours, rest) = (rest / 1461, rest % 1461);
    let years = (rest / 365).min(3);
    let mut rest = rest.saturating_sub(years.saturating_mul(365));
    let year = [cycles.saturating_mul(400), centuries.saturating_mul(100), fours.saturating_mul(4), years]
        .into_iter()
        .fold(1601_u64, u64::saturating_add);
    let mut month = 1_u64;
    while month < 12 {
        let length = days_of_month(year, month);
        if rest < length {
            break;
        }
        rest = rest.saturating_sub(length);
        month = month.saturating_add(1);
    }
    (year, month, rest.saturating_add(1))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Appends a SYSTEMTIME: year, month, day of the week, day, hour, minute, second and milliseconds. One that is no time is
/// written as 1601-01-01.
fn push_systemtime(systemtime: &[u8; 16], out: &mut Vec<u8>) {
    let mut parts = systemtime.as_chunks::<2>().0.iter().map(|part| u64::from(u16::from_le_bytes(*part)));
    let [year, month, _, day, hour, minute, second, milliseconds] =
        std::array::from_fn(|_| parts.next().unwrap_or_default());
    let is_time = (1601..=30_827).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60
        && milliseconds < 1000;
    let moment = if is_time {
        let second = hour.saturating_mul(3600).saturating_add(minute.saturating_mul(60)).saturating_add(second);
        Moment { year, month, day, second, ticks: milliseconds.saturating_mul(10_000) }
    } else {
        Moment { year: 1601, month: 1, day: 1, ..Moment::default() }
    };
    moment.push(out);
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
        for days in 0..300_000 {
            let (year, month, day) = date(days);
            let found = (i16::try_from(year), i8::try_from(month), i8::try_from(day));
            assert_eq!(found, (Ok(expected.year()), Ok(expected.month()), Ok(expected.day())), "day {days}");
            expected = expected.tomorrow().expect("another day");
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
