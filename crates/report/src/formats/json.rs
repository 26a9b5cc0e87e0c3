//! The report as one JSON document.
//!
//! It is written piece by piece while it is serialised: of long lists, one item exists as JSON at a time.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use super::BUFFER_SIZE;
use crate::model::{Comparison, Document, Incident, Made, Report};
use untrusted::sanitise;

/// Writes the report as one pretty-printed JSON document with a line end after it.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    write_indented(&Document::from(report), out)
}

/// Writes incident `number` of the report, from 0, as it is in the document, without line breaks. Returns whether there is one.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write_incident(report: &Report, number: usize, out: &mut dyn Write) -> io::Result<bool> {
    let Some(judged) = report.incidents.get(number) else { return Ok(false) };
    write_compact(&Incident::new(report, judged), &mut &mut *out)?;
    Ok(true)
}

/// Writes one value as the report is written, with a line end after it.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write_indented(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    to(value, PrettyFormatter::new(), &mut out)?;
    writeln!(out)?;
    out.flush()
}

/// Writes one value without line breaks.
pub(super) fn write_compact(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    to(value, CompactFormatter, out)
}

fn to(value: &impl Serialize, layout: impl Formatter, out: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Harmless(layout));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes a comparison of two reports as one JSON document.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write_comparison(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Compared<'a> {
        #[serde(flatten)]
        made: Made,
        comparison: &'a Comparison,
    }
    write_indented(&Compared { made: Made::NOW, comparison }, out)
}

/// A layout that escapes characters which act on a terminal; JSON itself requires that only of those below U+0020. The
/// values stay the same.
struct Harmless<F>(F);

macro_rules! as_inner {
    ($($method:ident($($argument:ident: $kind:ty),*))*) => {$(
        fn $method<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $kind)*) -> io::Result<()> {
            self.0.$method(writer $(, $argument)*)
        }
    )*};
}

impl<F: Formatter> Formatter for Harmless<F> {
    as_inner! {
        begin_array()
        end_array()
        begin_array_value(first: bool)
        end_array_value()
        begin_object()
        end_object()
        begin_object_key(first: bool)
        end_object_key()
        begin_object_value()
        end_object_value()
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if !sanitise::may_act(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((start, character)) = rest.char_indices().find(|(_, character)| sanitise::acts(*character)) {
            let (harmless, after) = rest.split_at(start);
            writer.write_all(harmless.as_bytes())?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = after.split_at(character.len_utf8()).1;
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests;
