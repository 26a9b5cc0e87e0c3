//! The report as one JSON document.
//!
//! Written piece by piece while it is serialised: no more than one incident exists as JSON at a time.

use std::io::{self, BufWriter, Write};

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use super::{Report, sanitise, shape};

/// Writes the report as one pretty-printed JSON document with a line end after it.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    to(&Document(report), PrettyFormatter::new(), &mut out)?;
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

struct Document<'a>(&'a Report);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(report) = self;
        let run = shape::Run::of(report);
        let mut document = serializer.serialize_struct("Report", 8)?;
        document.serialize_field("schema_version", run.schema_version)?;
        document.serialize_field("tool", &run.tool)?;
        document.serialize_field("rulesets", &run.rulesets)?;
        document.serialize_field("artifacts", &Each(|| report.artifacts.iter().map(shape::Artifact::of)))?;
        document.serialize_field(
            "incidents",
            &Each(|| report.incidents.iter().map(|judged| shape::Incident::of(report, judged))),
        )?;
        document.serialize_field(
            "machines",
            &Each(|| report.machines.iter().map(|machine| shape::Machine::of(report, machine))),
        )?;
        document.serialize_field("groups", &Each(|| report.groups.iter().map(shape::Group::of)))?;
        document.serialize_field("summary", &shape::Summary::of(&report.summary))?;
        document.end()
    }
}

/// A list whose items are made one by one as they are written.
struct Each<F>(F);

impl<F, I> Serialize for Each<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// A layout in which characters that act on a terminal are escaped: JSON itself only asks that of those below
/// U+0020. The values stay the same.
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
