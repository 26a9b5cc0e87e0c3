//! The sessions of event tracing that Windows saves into small dumps: their buffers hold events that may not have come into a
//! log's file.
//!
//! Source: `EVENT_HEADER` and `EVENT_TRACE_LOGFILE` of the Windows SDK for events and clocks, public parsers of `.etl` files
//! for the buffer's header; the block's own header as public parsers of kernel dumps read it, measured on a dump of
//! Windows 10.

use std::collections::VecDeque;
use std::sync::Arc;

use evidence::{Names, SavedEvent};
use jiff::Timestamp;
use untrusted::Loss;
use untrusted::bytes::{array_at, u16_at, u32_at, u64_at};
use untrusted::notation::{filetime, guid_of};
use untrusted::text::{utf16_lossy, utf16_units};

/// `2b88b710-1c93-4f7c-b06c-655ecc50decc`.
pub(super) const TAG: [u8; 16] = *b"\x10\xB7\x88\x2B\x93\x1C\x7C\x4F\xB0\x6C\x65\x5E\xCC\x50\xDE\xCC";

/// Length of the block's header, which has the processor's MHz at 8 and the frequency of the performance counter at 0x18.
const HEADER: usize = 0x20;
/// The first 32 bits of a session's header, its length, and the longest name of a session in bytes.
const SESSION: u32 = 0x01EB_AFE1;
const SESSION_HEADER: usize = 0x30;
const LONGEST_NAME: usize = 2048;
/// Length of a buffer's header, and the largest buffer, bytes.
const BUFFER_HEADER: usize = 0x48;
const LARGEST_BUFFER: u32 = 16 << 20;
/// Length of an event's header, bytes, and its type for 64-bit and 32-bit programs.
const EVENT_HEADER: usize = 0x50;
const EVENT_TYPES: [u8; 2] = [0x12, 0x13];
/// Types of headers that hold their length behind version and type.
const SYSTEM_TYPES: [u8; 6] = [0x01, 0x02, 0x03, 0x04, 0x10, 0x11];
/// As many events are kept, the last ones.
const MOST_EVENTS: usize = 256;

/// How a session's times are to be read.
#[derive(Debug, Clone, Copy)]
struct Clock {
    /// 1 the performance counter, 2 the system's time, 3 the processor's cycles.
    kind: u32,
    /// The system's time at `reference`, as a FILETIME.
    system_time: u64,
    reference: u64,
    /// Units of the performance counter in a second.
    frequency: u64,
    megahertz: u32,
}

impl Clock {
    fn time(self, stamp: u64) -> Option<Timestamp> {
        /// Units of a FILETIME in a second, and in the time in which a clock of 1 MHz counts one.
        const PER_SECOND: i128 = 10_000_000;
        const PER_MICROSECOND: i128 = 10;
        let passed = || i128::from(stamp).checked_sub(i128::from(self.reference));
        let units = match self.kind {
            2 => return filetime(stamp),
            1 => passed()?.checked_mul(PER_SECOND)?.checked_div(i128::from(self.frequency))?,
            3 => passed()?.checked_mul(PER_MICROSECOND)?.checked_div(i128::from(self.megahertz))?,
            _ => return None,
        };
        filetime(u64::try_from(i128::from(self.system_time).checked_add(units)?).ok()?)
    }
}

/// A session of which buffers follow.
struct Session {
    id: u32,
    name: Arc<str>,
    name_bytes: usize,
    buffer: u32,
    clock: Clock,
}

/// The events in the block `data`, the oldest first, and the loss where the block could not be read to its end.
pub(super) fn read(data: &[u8], names: &Names) -> (Vec<SavedEvent>, Option<Loss>) {
    let mut events = VecDeque::new();
    let (megahertz, frequency) = (u32_at(data, 0x08).unwrap_or_default(), u64_at(data, 0x18).unwrap_or_default());
    let mut session: Option<Session> = None;
    let mut at = HEADER;
    let mut loss = None;
    while let Some(rest) = data.get(at..).filter(|rest| !rest.is_empty()) {
        if u32_at(rest, 0) == Some(SESSION) {
            let Some(found) = read_session(rest, frequency, megahertz, names) else {
                loss = Some(at);
                break;
            };
            at = at.saturating_add(SESSION_HEADER).saturating_add(found.name_bytes);
            session = Some(found);
            continue;
        }
        let Some(of) = &session else {
            loss = Some(at);
            break;
        };
        // Windows 10 leaves as many bytes behind the name as the name has.
        let skipped = [0, of.name_bytes].into_iter().find(|skipped| buffer(rest, *skipped, of).is_some());
        let Some((skipped, length)) = skipped.and_then(|skipped| Some((skipped, buffer(rest, skipped, of)?))) else {
            // What fills up the block is zero.
            loss = rest.iter().any(|byte| *byte != 0).then_some(at);
            break;
        };
        let bytes = rest.get(skipped..).and_then(|rest| rest.get(BUFFER_HEADER..length)).unwrap_or_default();
        read_buffer(bytes, of, names, &mut events);
        at = at.saturating_add(skipped).saturating_add(length);
    }
    let mut events: Vec<SavedEvent> = events.into();
    events.sort_by(|a, b| (a.time, a.id, &a.provider).cmp(&(b.time, b.id, &b.provider)));
    let surplus = events.len().saturating_sub(MOST_EVENTS);
    events.drain(..surplus);
    let loss = loss.map(|at| Loss::new("event sessions", format!("what is at byte {at:#x} of the block is not known")));
    (events, loss)
}

fn read_session(bytes: &[u8], frequency: u64, megahertz: u32, names: &Names) -> Option<Session> {
    let name_bytes = usize::try_from(u32_at(bytes, 0x14)?).ok().filter(|length| *length <= LONGEST_NAME)?;
    let name = bytes.get(SESSION_HEADER..SESSION_HEADER.checked_add(name_bytes)?)?;
    let name = utf16_lossy(utf16_units(name).take_while(|unit| *unit != 0));
    Some(Session {
        id: u32_at(bytes, 0x04)?,
        name: names.share(&name),
        name_bytes,
        buffer: u32_at(bytes, 0x10).filter(|size| *size > BUFFER_HEADER as u32 && *size <= LARGEST_BUFFER)?,
        clock: Clock {
            kind: u32_at(bytes, 0x0C)?,
            system_time: u64_at(bytes, 0x20)?,
            reference: u64_at(bytes, 0x28)?,
            frequency,
            megahertz,
        },
    })
}

/// The length of the buffer at `skipped` of `bytes`, if it is one of the session: with the session's size and id.
fn buffer(bytes: &[u8], skipped: usize, session: &Session) -> Option<usize> {
    let header = bytes.get(skipped..)?;
    let (size, saved, current) = (u32_at(header, 0)?, u32_at(header, 4)?, u32_at(header, 8)?);
    if size != session.buffer || u32::from(u16_at(header, 0x2A)?) != session.id {
        return None;
    }
    let length = usize::try_from(if current > size { saved } else { current }).ok()?;
    (length >= BUFFER_HEADER && length <= header.len()).then_some(length)
}

/// The events of a buffer: each is as long as it says, filled up to 8 bytes.
fn read_buffer(bytes: &[u8], session: &Session, names: &Names, events: &mut VecDeque<SavedEvent>) {
    /// Kept while reading: more than are kept in the end, because buffers are not in the order of time.
    const MOST_READ: usize = 1 << 16;
    let mut at = 0_usize;
    while let Some(rest) = bytes.get(at..) {
        let Some(kind) = rest.get(2).map(|kind| kind & 0x3F) else { break };
        let length = if SYSTEM_TYPES.contains(&kind) { u16_at(rest, 4) } else { u16_at(rest, 0) };
        let Some(length) = length.map(usize::from).filter(|length| *length >= 8 && *length <= rest.len()) else {
            break;
        };
        if EVENT_TYPES.contains(&kind) && length >= EVENT_HEADER {
            events.extend(event(rest, session, names));
        }
        if events.len() > MOST_READ {
            events.pop_front();
        }
        let Some(next) = length.checked_next_multiple_of(8).and_then(|length| at.checked_add(length)) else { break };
        at = next;
    }
}

fn event(bytes: &[u8], session: &Session, names: &Names) -> Option<SavedEvent> {
    Some(SavedEvent {
        session: Arc::clone(&session.name),
        provider: names.share(&guid_of(array_at(bytes, 0x18)?)),
        id: u16_at(bytes, 0x28)?,
        level: *bytes.get(0x2C)?,
        time: session.clock.time(u64_at(bytes, 0x10)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use samplekit::kernel_dump::saved_events;

    #[test]
    fn events_of_a_session_have_provider_id_level_and_time() {
        let data = saved_events(&[("disk", 153, 3, 20), ("Kernel-Power", 41, 1, 10)], 0);
        let (events, loss) = read(&data, &Names::default());
        assert_eq!(loss, None);
        let shown: Vec<_> = events.iter().map(|event| (event.id, event.level, &*event.session)).collect();
        assert_eq!(shown, [(41, 1, "EventLog-System"), (153, 3, "EventLog-System")], "by time");
        let spans: Vec<_> = events.iter().filter_map(|event| event.time).collect();
        assert_eq!(spans.first().zip(spans.last()).map(|(a, b)| b.duration_since(*a).as_secs()), Some(10));
    }

    #[test]
    fn bytes_behind_the_name_are_passed_over_and_a_cut_block_is_a_loss() {
        let data = saved_events(&[("disk", 153, 3, 20)], 30);
        assert_eq!(read(&data, &Names::default()).0.len(), 1);
        let mut wrong = saved_events(&[("disk", 153, 3, 20)], 0);
        wrong.extend([7; 0x60]);
        let (events, loss) = read(&wrong, &Names::default());
        assert_eq!((events.len(), loss.is_some()), (1, true));
        for length in 0..data.len() {
            let _ = read(&data[..length], &Names::default());
        }
    }

    #[test]
    fn times_of_counters_count_from_their_reference() {
        let clock =
            Clock { kind: 1, system_time: 133_684_000_000_000_000, reference: 500, frequency: 10, megahertz: 2 };
        let reference = clock.time(500).expect("a time");
        assert_eq!(clock.time(530).map(|time| time.duration_since(reference).as_secs()), Some(3));
        let cycles = Clock { kind: 3, ..clock };
        assert_eq!(cycles.time(4_000_500).map(|time| time.duration_since(reference).as_secs()), Some(2));
        assert_eq!(Clock { frequency: 0, ..clock }.time(1), None);
        assert_eq!(Clock { kind: 9, ..clock }.time(1), None);
    }
}
