//! Points in time as Windows stores them.

use crate::bytes::{ByteWriter, count16};

/// A FILETIME: 100-nanosecond units since 1601-01-01, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileTime(pub u64);

const UNITS_PER_SECOND: u64 = 10_000_000;
const SECONDS_PER_DAY: u64 = 86_400;
/// Days from 1601-01-01 to 1970-01-01.
const DAYS_TO_1970: u64 = 134_774;

impl FileTime {
    /// A moment of the calendar, UTC.
    #[must_use]
    pub const fn utc(year: u64, month: u64, day: u64, hour: u64, minute: u64, second: u64) -> Self {
        let seconds = hour * 3600 + minute * 60 + second;
        Self((days_since_1601(year, month, day) * SECONDS_PER_DAY + seconds) * UNITS_PER_SECOND)
    }

    /// So many seconds later.
    #[must_use]
    pub const fn plus_seconds(self, seconds: u64) -> Self {
        Self(self.0 + seconds * UNITS_PER_SECOND)
    }

    /// So many seconds earlier.
    #[must_use]
    pub const fn minus_seconds(self, seconds: u64) -> Self {
        Self(self.0 - seconds * UNITS_PER_SECOND)
    }

    /// So many microseconds later.
    #[must_use]
    pub const fn plus_micros(self, micros: u64) -> Self {
        Self(self.0 + micros * 10)
    }

    /// Whole seconds since 1970, as minidumps store times.
    #[must_use]
    pub fn unix_seconds(self) -> u32 {
        crate::bytes::count32((self.0 / UNITS_PER_SECOND - DAYS_TO_1970 * SECONDS_PER_DAY) as usize)
    }

    /// The date: year, month, day.
    #[must_use]
    pub fn date(self) -> (u64, u64, u64) {
        let day = self.0 / UNITS_PER_SECOND / SECONDS_PER_DAY;
        let mut year = 1601;
        while days_since_1601(year + 1, 1, 1) <= day {
            year += 1;
        }
        let mut month = 1;
        while month < 12 && days_since_1601(year, month + 1, 1) <= day {
            month += 1;
        }
        (year, month, day - days_since_1601(year, month, 1) + 1)
    }

    /// The time of day: hour, minute, second.
    #[must_use]
    pub fn time_of_day(self) -> (u64, u64, u64) {
        let seconds = self.0 / UNITS_PER_SECOND % SECONDS_PER_DAY;
        (seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    /// A SYSTEMTIME: year, month, weekday, day, hour, minute, second, milliseconds, 16 bits each.
    #[must_use]
    pub fn system_time(self) -> Vec<u8> {
        let (year, month, day) = self.date();
        let (hour, minute, second) = self.time_of_day();
        // 1601-01-01 was a Monday; weekdays are counted from Sunday.
        let weekday = (self.0 / UNITS_PER_SECOND / SECONDS_PER_DAY + 1) % 7;
        let millis = self.0 % UNITS_PER_SECOND / 10_000;
        let mut out = ByteWriter::new();
        for part in [year, month, weekday, day, hour, minute, second, millis] {
            out.u16(count16(part as usize));
        }
        out.into_bytes()
    }
}

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn days_since_1601(year: u64, month: u64, day: u64) -> u64 {
    let before = year - 1601;
    let mut days = before * 365 + before / 4 - before / 100 + before / 400;
    let mut passed = 1;
    while passed < month {
        days += match passed {
            4 | 6 | 9 | 11 => 30,
            2 if is_leap(year) => 29,
            2 => 28,
            _ => 31,
        };
        passed += 1;
    }
    days + day - 1
}

#[cfg(test)]
mod tests {
    use super::FileTime;

    #[test]
    fn calendar_and_units_agree() {
        let time = FileTime::utc(2024, 3, 5, 9, 30, 1);
        assert_eq!(time.unix_seconds(), 1_709_631_001);
        assert_eq!((time.date(), time.time_of_day()), ((2024, 3, 5), (9, 30, 1)));
        assert_eq!(FileTime::utc(1970, 1, 1, 0, 0, 0).0, 116_444_736_000_000_000);
    }

    #[test]
    fn a_leap_days_weekday_is_right() {
        // 2024-02-29 was a Thursday.
        let bytes = FileTime::utc(2024, 2, 29, 23, 59, 58).system_time();
        assert_eq!(bytes[..8], [0xE8, 7, 2, 0, 4, 0, 29, 0]);
    }
}
