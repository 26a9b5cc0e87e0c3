//! Events of display drivers, in the System channel.

use crate::FileTime;
use crate::bytes::ByteWriter;
use crate::event_log::{Event, Provider};

/// Display 4101: the display driver stopped answering and was reset.
#[must_use]
pub fn display_reset(time: FileTime, driver: &str) -> Event {
    Event::new(Provider::classic("Display"), 4101).level(3).at(time).strings([driver, ""])
}

/// An event of NVIDIA's kernel driver, with its device and its texts.
#[must_use]
pub fn nvidia_driver(time: FileTime, id: u16, texts: &[&str]) -> Event {
    /// Upper half of the message's id: an error of the driver's facility.
    const QUALIFIERS: u16 = 0xC0AA;
    Event::new(Provider::classic("nvlddmkm"), id)
        .qualifiers(QUALIFIERS)
        .at(time)
        .logged_by(4, 11_236)
        .strings(texts.iter().copied())
        .binary(error_packet((u32::from(QUALIFIERS) << 16) | u32::from(id), texts.len()))
}

/// `IO_ERROR_LOG_PACKET` without dump data, 40 bytes: the data of a kernel driver's events.
fn error_packet(code: u32, strings: usize) -> Vec<u8> {
    let mut out = ByteWriter::new();
    // Major function, retries, size of data, number of strings and where they begin, category, filler.
    out.u8(0).u8(0).u16(0).u16(crate::bytes::count16(strings)).u16(0x30).u16(0).u16(0);
    // Error code, unique value, final status, sequence number, control code, device offset.
    out.u32(code).u32(0).u32(0).u32(0).u32(0).u64(0);
    out.into_bytes()
}
