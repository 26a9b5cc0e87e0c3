//! What parts of Windows keep for the case of a stop, in blocks of the secondary data ("black boxes").
//!
//! Source: of the boot status, the structure `RTL_BSD_DATA` of the public headers `phnt`; of the others, the layouts on which
//! public parsers of kernel dumps agree.

use std::io::{Read, Seek};
use std::sync::Arc;

use super::secondary_data::{Block, data_of};
use super::source::Source;
use evidence::{BlackBoxes, BootStatus, FileSystem, LogonState, PlugAndPlay};
use untrusted::bytes::{u16_at, u32_at, u64_at};
use untrusted::notation::filetime;
use untrusted::text::{utf16_lossy, utf16_units};

/// `f57308df-cc45-4e01-ad76-29a4ebb010ec`.
const BOOT: [u8; 16] = *b"\xDF\x08\x73\xF5\x45\xCC\x01\x4E\xAD\x76\x29\xA4\xEB\xB0\x10\xEC";
/// `00afe9c4-940d-4213-8016-cd3719b5bc20`.
const FILE_SYSTEM: [u8; 16] = *b"\xC4\xE9\xAF\x00\x0D\x94\x13\x42\x80\x16\xCD\x37\x19\xB5\xBC\x20";
/// `b7631941-532a-4cd6-b1b1-edb5917d4557`.
const PLUG_AND_PLAY: [u8; 16] = *b"\x41\x19\x63\xB7\x2A\x53\xD6\x4C\xB1\xB1\xED\xB5\x91\x7D\x45\x57";
/// `80cc79cf-a719-4af1-bf97-fe29ff76ebc1`.
const LOGON: [u8; 16] = *b"\xCF\x79\xCC\x80\x19\xA7\xF1\x4A\xBF\x97\xFE\x29\xFF\x76\xEB\xC1";

/// More UTF-16 units than a device's instance id has.
const LONGEST_TEXT: usize = 400;

/// The black boxes among these blocks.
pub(super) fn read<F: Read + Seek>(source: &mut Source<F>, blocks: &[Block]) -> BlackBoxes {
    BlackBoxes {
        boot: data_of(source, blocks, BOOT).and_then(|data| boot(&data)),
        file_system: data_of(source, blocks, FILE_SYSTEM).and_then(|data| file_system(&data)),
        plug_and_play: data_of(source, blocks, PLUG_AND_PLAY).and_then(|data| plug_and_play(&data)),
        logon: data_of(source, blocks, LOGON).and_then(|data| logon(&data)),
    }
}

/// The boot status: its length, product, then flags of a byte each, and the transition of the power state.
fn boot(data: &[u8]) -> Option<BootStatus> {
    /// Bits of the byte with the transition's flags: a user's shutdown, the system's, and 4 bits of sleep.
    const SHUTDOWN: u8 = 0b1100;
    const SLEEP: u8 = 0xF0;
    let length = usize::try_from(u32_at(data, 0)?).ok()?;
    // The first version that has the transition was 0x40 bytes long.
    if length <= 0x40 || length > data.len() {
        return None;
    }
    let flag = |offset: usize| data.get(offset).map(|byte| *byte != 0);
    let transition = *data.get(0x18)?;
    Some(BootStatus {
        boot_succeeded: flag(0x0A)?,
        shut_down: flag(0x0B)?,
        sleep_in_progress: flag(0x0C)? || transition & SLEEP != 0,
        shutdown_in_progress: transition & SHUTDOWN != 0,
        power_button: u64_at(data, 0x10).and_then(filetime),
    })
}

/// What NTFS waited for: a version (0), the length, the offset of the first record, a time; the number of places for slow
/// requests and where they begin. Each place has 32 bytes, which are 0 where it is free. Records are linked by their offsets
/// and hold their kind first.
fn file_system(data: &[u8]) -> Option<FileSystem> {
    const PLACE: usize = 32;
    const HEADER: usize = 0x18;
    const OPLOCK: u16 = 2;
    let length = usize::from(u16_at(data, 2)?);
    if u16_at(data, 0)? != 0 || length < HEADER || length > data.len() {
        return None;
    }
    let (count, first) = (usize::from(u16_at(data, 0x10)?), usize::from(u16_at(data, 0x12)?));
    let places = data.get(first.max(HEADER)..)?.get(..count.checked_mul(PLACE)?)?;
    let used = places.chunks_exact(PLACE).filter(|place| place.iter().take(16).any(|byte| *byte != 0)).count();
    let mut found = FileSystem { slow_requests: u32::try_from(used).ok()?, oplock_timeouts: 0 };
    let mut record = usize::from(u16_at(data, 4)?);
    // Records are at least 8 bytes long, so a longer chain leads back into itself.
    for _ in 0..length.div_ceil(8) {
        let (Some(kind), Some(next)) = (u16_at(data, record), u16_at(data, record.saturating_add(4))) else { break };
        if record == 0 {
            break;
        }
        if kind == OPLOCK {
            found.oplock_timeouts = found.oplock_timeouts.saturating_add(1);
        }
        record = usize::from(next);
    }
    Some(found)
}

/// The event of Plug and Play: its activity and time, what came out, whether it is in progress, the device's problem code,
/// the kind of refusal and where its text is, and the device's instance id.
fn plug_and_play(data: &[u8]) -> Option<PlugAndPlay> {
    let veto = usize::try_from(u32_at(data, 0x28)?).ok().filter(|offset| *offset != 0);
    Some(PlugAndPlay {
        in_progress: *data.get(0x1C)? != 0,
        problem: u32_at(data, 0x20)?,
        device: text(data.get(0x2C..)?),
        veto: veto.and_then(|offset| text(data.get(offset..)?)),
    })
}

/// What Winlogon does: a version (1), the length, whether an operation is pending, and the thread's name.
fn logon(data: &[u8]) -> Option<LogonState> {
    let length = usize::try_from(u32_at(data, 4)?).ok()?;
    if u32_at(data, 0)? != 1 || length != data.len() {
        return None;
    }
    Some(LogonState { pending: u32_at(data, 8)? != 0, thread: text(data.get(12..)?) })
}

/// A text of UTF-16 up to a NUL; `None` where it is empty, or no text.
fn text(bytes: &[u8]) -> Option<Arc<str>> {
    let units = utf16_units(bytes).take(LONGEST_TEXT).take_while(|unit| *unit != 0);
    let text = utf16_lossy(units);
    let sound = !text.is_empty() && !text.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER);
    sound.then(|| Arc::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn the_event_of_plug_and_play_names_device_and_refusal() {
        let mut data = vec![0_u8; 0x2C];
        data[0x1C] = 1;
        data[0x20] = 43;
        data.extend(wide(r"USB\VID_1234&PID_5678\6&1"));
        let veto = u32::try_from(data.len()).expect("short");
        data[0x28..0x2C].copy_from_slice(&veto.to_le_bytes());
        data.extend(wide("example.sys"));
        let found = plug_and_play(&data).expect("an event");
        assert!(found.in_progress);
        assert_eq!((found.problem, found.device.as_deref()), (43, Some(r"USB\VID_1234&PID_5678\6&1")));
        assert_eq!(found.veto.as_deref(), Some("example.sys"));
        assert_eq!(plug_and_play(&data[..0x20]), None);
    }

    #[test]
    fn free_places_of_slow_requests_do_not_count() {
        let mut data = vec![0_u8; 0x1000];
        data[2..8].copy_from_slice(&[0, 0x10, 0x18, 1, 0, 0]);
        data[0x10..0x14].copy_from_slice(&[8, 0, 0x18, 0]);
        assert_eq!(file_system(&data), Some(FileSystem { slow_requests: 0, oplock_timeouts: 0 }));
        data[0x18 + 32] = 1;
        // Two records, the second of which leads back to the first.
        data[0x118..0x11E].copy_from_slice(&[2, 0, 0x40, 0, 0x58, 1]);
        data[0x158..0x15E].copy_from_slice(&[9, 0, 0x40, 0, 0, 0]);
        assert_eq!(file_system(&data), Some(FileSystem { slow_requests: 1, oplock_timeouts: 1 }));
        data[0x158..0x15E].copy_from_slice(&[9, 0, 0x40, 0, 0x18, 1]);
        assert!(file_system(&data).is_some_and(|found| found.oplock_timeouts > 1), "a loop ends");
        assert_eq!(file_system(&data[..0x100]), None);
    }

    #[test]
    fn the_boot_status_tells_of_shutdown_and_power_button() {
        let mut data = vec![0_u8; 0xC8];
        data[0] = 0xC8;
        data[0x0A] = 1;
        data[0x10..0x18].copy_from_slice(&133_684_000_000_000_000_u64.to_le_bytes());
        data[0x18] = 0b0100;
        let found = boot(&data).expect("a status");
        assert!(found.boot_succeeded && !found.shut_down && found.shutdown_in_progress && !found.sleep_in_progress);
        assert!(found.power_button.is_some());
        assert_eq!(boot(&data[..0x60]), None);
        data[0] = 0x20;
        assert_eq!(boot(&data), None);
    }

    #[test]
    fn winlogon_names_what_it_waits_for() {
        let mut data = [1_u32, 0, 1].iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        data.extend(wide("Notify shutdown"));
        data[4] = u8::try_from(data.len()).expect("short");
        let found = logon(&data).expect("a state");
        assert_eq!((found.pending, found.thread.as_deref()), (true, Some("Notify shutdown")));
        data.push(0);
        assert_eq!(logon(&data), None, "the length does not fit");
    }
}
