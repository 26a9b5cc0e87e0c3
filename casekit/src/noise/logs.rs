//! A System log with errors that the hardware corrected and a request to a drive that was tried again.

use jiff::Timestamp;
use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events;

/// Seconds between 1601, where file times begin, and 1970.
const SECONDS_TO_1970: i64 = 11_644_473_600;
/// Units of a file time in a second.
const UNITS: u64 = 10_000_000;
const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// The log of a computer on which something went wrong at `time`: corrected errors of processor and PCI Express days before,
/// and on the day before a request to a drive that was tried again.
pub(super) fn system_log(host: &str, time: Timestamp) -> Vec<u8> {
    let since_1601 = u64::try_from(time.as_second().saturating_add(SECONDS_TO_1970)).unwrap_or(10 * DAY);
    let time = FileTime(since_1601.max(10 * DAY).saturating_mul(UNITS));
    let mut log = EventLog::new("System", host).starting_at(90_001);
    log.add(events::corrected_processor_error(time.minus_seconds(4 * DAY), 2));
    log.add(events::corrected_pcie_error(time.minus_seconds(3 * DAY), 1));
    log.add(events::request_tried_again(time.minus_seconds(20 * HOUR), r"\Device\Harddisk1\DR1"));
    log.to_bytes()
}
