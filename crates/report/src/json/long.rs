//! The lists of a report with so many items that several threads make JSON of them.
//!
//! A list is cut into pieces. While those that are ready are written, in their order, the next ones are made. How a list is
//! cut does not show in what is written.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::object::Object;
use super::{Harmless, Layout, to};
use crate::{Judged, Report, WRITTEN_AT_ONCE, shape};
use incident::TimelineEntry;

/// How many incidents are a piece: each is some KiB of JSON.
const INCIDENTS: usize = 8;
/// How many entries of a timeline are: each is some 300 bytes.
const ENTRIES: usize = 256;
/// How many pieces are made at once for each thread, so that none waits long for the last one.
const PIECES: usize = 2;

/// How much room a piece is given at most before it is made, bytes.
const MOST_ROOM: usize = 512 << 10;

/// Writes a list of the report.
///
/// # Errors
///
/// When `out` can't be written to.
pub(super) fn write_long<F: Layout, W: ?Sized + Write>(
    list: shape::LongList,
    report: &Report,
    layout: &mut F,
    out: &mut W,
) -> io::Result<()> {
    match list {
        shape::LongList::Incidents => {
            let write = |judged: &Judged, layout, out: &mut Vec<u8>| {
                to(&shape::Incident::of(report, judged), Harmless::of(layout), out)
            };
            write_list(&report.incidents, INCIDENTS, write, layout, out)
        }
        shape::LongList::Timeline(machine) => {
            let machine = report.machines.get(machine);
            let entries = machine.map(|machine| machine.timeline.as_slice()).unwrap_or_default();
            let write = |entry: &TimelineEntry, layout, out: &mut Vec<u8>| write_entry(report, entry, layout, out);
            write_list(entries, ENTRIES, write, layout, out)
        }
    }
}

/// Writes an entry of a machine's timeline.
fn write_entry<F: Layout>(report: &Report, entry: &TimelineEntry, layout: F, out: &mut Vec<u8>) -> io::Result<()> {
    let mut object = Object::begin(layout, out)?;
    object.time("time", entry.time)?;
    object.text("kind", entry.kind)?;
    if let Some(incident) = &entry.incident {
        object.text("incident", incident)?;
    }
    if !entry.provider.is_empty() {
        object.text("provider", &entry.provider)?;
        object.number("event_id", entry.id)?;
    }
    object.text("says", &entry.says)?;
    if let Some(rule) = &entry.sigma {
        object.value("sigma", &shape::Sigma::of(rule))?;
    }
    if let Some(artifact) = report.artifact_path(entry.artifact) {
        object.text("artifact", artifact)?;
    }
    object.place("place", &entry.place)?;
    object.end()
}

fn write_list<T: Sync, F: Layout, W: ?Sized + Write>(
    items: &[T],
    in_piece: usize,
    write: impl Fn(&T, F, &mut Vec<u8>) -> io::Result<()> + Sync,
    layout: &mut F,
    out: &mut W,
) -> io::Result<()> {
    layout.begin_array(out)?;
    let begun = &*layout;
    // Pieces are of much the same size: none is moved again and again while it grows.
    let room = AtomicUsize::new(WRITTEN_AT_ONCE);
    let render = |(number, piece): (usize, &[T])| -> io::Result<Vec<u8>> {
        let mut rendered = Vec::with_capacity(room.load(Ordering::Relaxed));
        for (index, item) in piece.iter().enumerate() {
            let mut layout = begun.clone();
            layout.begin_array_value(&mut rendered, number == 0 && index == 0)?;
            write(item, layout, &mut rendered)?;
        }
        room.fetch_max(rendered.capacity().min(MOST_ROOM), Ordering::Relaxed);
        Ok(rendered)
    };
    let pieces: Vec<(usize, &[T])> = items.chunks(in_piece).enumerate().collect();
    match pieces.as_slice() {
        [] => return layout.end_array(out),
        [only] => out.write_all(&render(*only)?)?,
        several => {
            let at_once = rayon::current_num_threads().saturating_mul(PIECES);
            let mut ready = Vec::new();
            for pieces in several.chunks(at_once) {
                let mut next = Vec::new();
                rayon::in_place_scope(|scope| {
                    scope.spawn(|_| pieces.par_iter().map(|piece| render(*piece)).collect_into_vec(&mut next));
                    write_all(&mut ready, out)
                })?;
                ready = next;
            }
            write_all(&mut ready, out)?;
        }
    }
    // The list has items now, as the layout knows by the end of one.
    layout.end_array_value(out)?;
    layout.end_array(out)
}

fn write_all<W: ?Sized + Write>(pieces: &mut Vec<io::Result<Vec<u8>>>, out: &mut W) -> io::Result<()> {
    pieces.drain(..).try_for_each(|piece| out.write_all(&piece?))
}
