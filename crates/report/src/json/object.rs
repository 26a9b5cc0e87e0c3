//! An object that is written key by key.
//!
//! For those of which a report holds tens of thousands: their keys need no escapes, and nearly none of their values do, so
//! that they are written in a fraction of the time.

use std::io;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::Serialize;
use serde_json::ser::Formatter;

use super::{Harmless, Layout, to};
use evidence::Place;

/// As a time displays itself.
static TIMES: DateTimePrinter = DateTimePrinter::new();

/// An object that has begun.
pub(super) struct Object<'o, F> {
    layout: Harmless<'static, F>,
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o, F: Layout> Object<'o, F> {
    pub(super) fn begin(layout: F, out: &'o mut Vec<u8>) -> io::Result<Self> {
        let mut layout = Harmless::of(layout);
        layout.begin_object(out)?;
        Ok(Self { layout, out, is_empty: true })
    }

    /// Adds a text.
    pub fn text(&mut self, key: &'static str, text: &str) -> io::Result<()> {
        self.key(key)?;
        self.layout.write_byte_array(self.out, text.as_bytes())?;
        self.layout.end_object_value(self.out)
    }

    /// Adds a number.
    pub(super) fn number(&mut self, key: &'static str, number: u32) -> io::Result<()> {
        self.key(key)?;
        self.layout.write_u32(self.out, number)?;
        self.layout.end_object_value(self.out)
    }

    /// Adds a time.
    pub(super) fn time(&mut self, key: &'static str, time: Timestamp) -> io::Result<()> {
        self.key(key)?;
        self.out.push(b'"');
        TIMES.print_timestamp(&time, &mut *self.out).map_err(io::Error::other)?;
        self.out.push(b'"');
        self.layout.end_object_value(self.out)
    }

    /// Adds a place.
    pub(super) fn place(&mut self, key: &'static str, place: &Place) -> io::Result<()> {
        // Nearly all are records.
        let Place::Record(id) = place else { return self.text(key, &place.to_string()) };
        self.key(key)?;
        self.out.extend_from_slice(b"\"record ");
        self.layout.write_u64(self.out, *id)?;
        self.out.push(b'"');
        self.layout.end_object_value(self.out)
    }

    /// Adds any value.
    pub fn value(&mut self, key: &'static str, value: &impl Serialize) -> io::Result<()> {
        self.key(key)?;
        to(value, Harmless::of(self.layout.layout.clone()), self.out)?;
        self.layout.end_object_value(self.out)
    }

    pub(super) fn end(mut self) -> io::Result<()> {
        self.layout.end_object(self.out)
    }

    fn key(&mut self, key: &'static str) -> io::Result<()> {
        self.layout.begin_object_key(self.out, std::mem::take(&mut self.is_empty))?;
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.push(b'"');
        self.layout.end_object_key(self.out)?;
        self.layout.begin_object_value(self.out)
    }
}
