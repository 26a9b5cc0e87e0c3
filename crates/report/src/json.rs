//! The report as one JSON document.
//!
//! Written piece by piece while it is serialised: of its long lists, no more than a few items exist as JSON at a time.

mod long;
mod object;

use std::io::{self, BufWriter, Write};

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};

use self::long::write_long;
use super::shape::LongList;
use super::{Report, WRITTEN_AT_ONCE, shape};
use crate::compare::Comparison;
use untrusted::sanitise;

/// Writes the report as one pretty-printed JSON document with a line end after it.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(WRITTEN_AT_ONCE, out);
    to(&Document(report), Harmless { layout: Indented::default(), report: Some(report) }, &mut out)?;
    writeln!(out)?;
    out.flush()
}

/// Writes one value as the report is written, with a line end after it.
pub fn write_indented(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(WRITTEN_AT_ONCE, out);
    to(value, Harmless::of(Indented::default()), &mut out)?;
    writeln!(out)?;
    out.flush()
}

/// Writes one value that is made of the report without line breaks.
pub(super) fn write_compact(value: &impl Serialize, report: &Report, out: &mut impl Write) -> io::Result<()> {
    to(value, Harmless { layout: CompactFormatter, report: Some(report) }, out)
}

fn to<F: Layout>(value: &impl Serialize, layout: Harmless<'_, F>, out: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, layout);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes what one report says against another as one JSON document.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write_comparison(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    write_indented(&shape::Compared::of(comparison), out)
}

/// The first keys of every JSON document of this program: the version of its shape, and what wrote it.
#[derive(Serialize)]
pub struct Made {
    schema_version: &'static str,
    tool: shape::Tool,
}

impl Made {
    /// By this program.
    pub const NOW: Self = Self { schema_version: shape::SCHEMA_VERSION, tool: shape::TOOL };
}

struct Document<'a>(&'a Report);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(report) = self;
        let run = shape::Run::of(report);
        let mut document = serializer.serialize_struct("Report", 9)?;
        document.serialize_field("schema_version", run.schema_version)?;
        document.serialize_field("tool", &run.tool)?;
        document.serialize_field("rulesets", &run.rulesets)?;
        if let Some(format) = run.evidence_format {
            document.serialize_field("evidence_format", format)?;
        }
        if let Some(since) = &run.since {
            document.serialize_field("since", since)?;
        }
        if let Some(until) = &run.until {
            document.serialize_field("until", until)?;
        }
        document.serialize_field("artifacts", &Each(|| report.artifacts.iter().map(shape::Artifact::of)))?;
        document.serialize_field("incidents", &LongList::Incidents)?;
        document.serialize_field("machines", &Each(|| shape::Machine::all_of(report)))?;
        document
            .serialize_field("groups", &Each(|| report.groups.iter().map(|group| shape::Group::of(report, group))))?;
        document.serialize_field("coverage", &shape::Coverage::of(&report.coverage))?;
        if let Some(comparison) = &report.comparison {
            document.serialize_field("comparison", &shape::Comparison::of(comparison))?;
        }
        document.serialize_field("summary", &shape::Summary::of(report))?;
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

/// How JSON is laid out. A copy of it goes on where it stands.
trait Layout: Formatter + Clone + Sync {}

impl<F: Formatter + Clone + Sync> Layout for F {}

/// A layout in which characters that act on a terminal are escaped: JSON itself only asks that of those below
/// U+0020. The values stay the same.
struct Harmless<'r, F> {
    layout: F,
    /// The report whose long lists it writes.
    report: Option<&'r Report>,
}

impl<F> Harmless<'_, F> {
    fn of(layout: F) -> Self {
        Self { layout, report: None }
    }
}

macro_rules! as_inner {
    ($($method:ident($($argument:ident: $kind:ty),*))*) => {$(
        fn $method<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $kind)*) -> io::Result<()> {
            self.layout.$method(writer $(, $argument)*)
        }
    )*};
}

impl<F: Layout> Formatter for Harmless<'_, F> {
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

    /// Bytes are a text, see [`shape::Text`], or stand for a list, see [`LongList`]. In nearly all texts there is nothing to
    /// escape, which is found out faster here than where texts are written byte by byte.
    fn write_byte_array<W: ?Sized + Write>(&mut self, writer: &mut W, value: &[u8]) -> io::Result<()> {
        if sanitise::is_plain(value) {
            writer.write_all(b"\"")?;
            writer.write_all(value)?;
            return writer.write_all(b"\"");
        }
        if let (Some(report), Some(list)) = (self.report, LongList::of(value)) {
            return write_long(list, report, &mut self.layout, writer);
        }
        let text = str::from_utf8(value).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        to(&text, Harmless::of(CompactFormatter), &mut &mut *writer)
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

/// A layout with a line for every item and two spaces for every level.
#[derive(Clone, Default)]
struct Indented {
    /// How deep the lists and objects are nested that are open.
    depth: usize,
    /// Whether the innermost of them, when it ends, has something in it.
    filled: bool,
}

impl Indented {
    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth = self.depth.saturating_add(1);
        self.filled = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.filled {
            self.line(writer, b"\n")?;
        }
        writer.write_all(bracket)
    }

    fn item<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.line(writer, if first { b"\n" } else { b",\n" })
    }

    /// Ends a line and begins the next.
    fn line<W: ?Sized + Write>(&mut self, writer: &mut W, end: &[u8]) -> io::Result<()> {
        const SPACES: &[u8] = &[b' '; 32];
        writer.write_all(end)?;
        let mut indentation = self.depth.saturating_mul(2);
        while indentation > 0 {
            let spaces = SPACES.get(..indentation).unwrap_or(SPACES);
            writer.write_all(spaces)?;
            indentation = indentation.saturating_sub(spaces.len());
        }
        Ok(())
    }
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
