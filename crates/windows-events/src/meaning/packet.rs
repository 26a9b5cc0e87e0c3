//! The I/O error packet that a kernel driver logs as binary data beside its texts.
//!
//! Source of the layout: Windows driver documentation, `IO_ERROR_LOG_PACKET`, which the event's data begin with.

use evidence::NtStatus;
use untrusted::bytes::{u16_at, u32_at};

/// Offset of `DumpDataSize`: the number of bytes that the driver added behind the packet.
const DUMP_DATA_SIZE: usize = 2;
/// Offset of `ErrorCode`; its lower half is the event's id.
const ERROR_CODE: usize = 12;
/// Offset of `FinalStatus`: the result of the request.
const FINAL_STATUS: usize = 20;
/// Offset of the driver's own data.
const DUMP_DATA: usize = 40;

/// The packet of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet<'b> {
    bytes: &'b [u8],
}

impl<'b> Packet<'b> {
    /// The packet in the binary data of an event with event id `id`; `None` when there is none, or that of another event.
    pub(super) fn from_event(bytes: &'b [u8], id: u32) -> Option<Self> {
        (u32_at(bytes, ERROR_CODE)? & 0xFFFF == id).then_some(Self { bytes })
    }

    /// The result of the request; `None` where it is zero.
    pub(super) fn final_status(&self) -> Option<NtStatus> {
        u32_at(self.bytes, FINAL_STATUS).filter(|status| *status != 0).map(NtStatus)
    }

    /// The driver's own data; empty when they are cut.
    pub(super) fn dump_data(&self) -> &'b [u8] {
        let size = u16_at(self.bytes, DUMP_DATA_SIZE).map_or(0, usize::from);
        let end = DUMP_DATA.saturating_add(size);
        self.bytes.get(DUMP_DATA..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(dump_data: &[u8], counted: u16) -> Vec<u8> {
        let mut bytes = vec![0_u8; DUMP_DATA];
        bytes[DUMP_DATA_SIZE..4].copy_from_slice(&counted.to_le_bytes());
        bytes[ERROR_CODE..16].copy_from_slice(&0xC0AA_000D_u32.to_le_bytes());
        bytes[FINAL_STATUS..24].copy_from_slice(&0xC000_000E_u32.to_le_bytes());
        bytes.extend(dump_data);
        bytes
    }

    #[test]
    fn a_packet_belongs_to_the_event_whose_id_ends_its_code() {
        let bytes = packet(&[], 0);
        assert!(Packet::from_event(&bytes, 14).is_none());
        let packet = Packet::from_event(&bytes, 13).expect("a packet");
        assert_eq!(packet.final_status(), Some(NtStatus(0xC000_000E)));
        assert_eq!(packet.dump_data(), [0; 0]);
    }

    #[test]
    fn dump_data_are_as_long_as_the_packet_says_or_none() {
        let bytes = packet(&[1, 2, 3, 4, 5, 6], 4);
        let whole = Packet::from_event(&bytes, 13).expect("a packet");
        assert_eq!(whole.dump_data(), [1, 2, 3, 4]);
        let bytes = packet(&[1, 2], 4);
        let cut = Packet::from_event(&bytes, 13).expect("a packet");
        assert_eq!(cut.dump_data(), [0; 0]);
        assert!(Packet::from_event(&bytes[..12], 13).is_none());
    }
}
