//! What programs and their crash handlers write into a dump as keys and values: Crashpad's annotations, Breakpad's
//! record of a failed assertion, and the crash context of Unreal Engine.
//!
//! Layouts: `MinidumpCrashpadInfo` and what it refers to of Crashpad's `minidump_extensions.h`;
//! `MDRawAssertionInfo` of Breakpad's `minidump_format.h`.

use memchr::memmem;

use super::directory::{Directory, StreamKind, UNREAL_CONTEXT, place};
use super::location::Location;
use evidence::{Annotation, Names};
use untrusted::Loss;
use untrusted::bytes::{Source, u16_at, u32_at};
use untrusted::text::{utf16_lossy, utf16_units};

/// Most annotations that are read of one dump, and most modules whose annotations are; Chromium writes some two hundred
/// annotations.
const MOST: usize = 1024;
/// The most entries that are read of all lists of annotations together.
const MOST_ENTRIES: u64 = 4096;
/// Longest key or value, bytes; what is longer is cut there.
const LONGEST: u64 = 4096;

/// All annotations, sorted, without repetitions.
pub fn read(source: &mut Source<'_>, directory: &Directory, names: &Names, losses: &mut Vec<Loss>) -> Vec<Annotation> {
    let mut reader = Reader { source, found: Vec::new(), beyond: 0, entries_left: MOST_ENTRIES };
    if let Some(info) = directory.find(StreamKind::CrashpadInfo) {
        reader.crashpad(info.offset, info.size);
        if reader.beyond > 0 {
            let reason = format!("{} parts of the annotations are not where they should be", reader.beyond);
            losses.push(Loss::new(place(StreamKind::CrashpadInfo), reason));
        }
    }
    if let Some(info) = directory.find(StreamKind::BreakpadAssertion) {
        reader.assertion(info.offset);
    }
    if let Some(info) = directory.find(UNREAL_CONTEXT) {
        reader.unreal(info.offset, info.size);
    }
    let mut found = reader.found;
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(key, value)| Annotation { key: names.share(&key), value: names.share(&value) }).collect()
}

/// Collects annotations.
struct Reader<'s, 'f> {
    source: &'s mut Source<'f>,
    found: Vec<(String, String)>,
    /// Parts that the file does not hold, or whose sizes contradict each other.
    beyond: usize,
    /// How many entries of lists may still be read.
    entries_left: u64,
}

impl Reader<'_, '_> {
    /// Version, two ids of 16 bytes, and the locations of a dictionary and of the list of modules.
    fn crashpad(&mut self, offset: u64, size: u64) {
        let Some(info) = self.part(offset, size.min(52)) else { return };
        self.dictionary(Location::read(&info, 36));
        // Index of the module, and the location of its annotations.
        for link in self.entries(Location::read(&info, 44), 12) {
            if let Some(module) = Location::read(&link, 4).and_then(Location::present) {
                self.module(module);
            }
        }
    }

    /// Version, and the locations of a list of texts, a dictionary and a list of typed values.
    fn module(&mut self, module: Location) {
        let Some(info) = self.part(u64::from(module.offset), 28) else { return };
        self.texts(Location::read(&info, 4));
        self.dictionary(Location::read(&info, 12));
        self.objects(Location::read(&info, 20));
    }

    /// Reads a dictionary: a count, then for each entry the offsets of its key and its value.
    fn dictionary(&mut self, dictionary: Option<Location>) {
        for entry in self.entries(dictionary, 8) {
            self.add_text(&entry, 0, 4);
        }
    }

    /// Reads a list of texts without keys, such as the messages of the system's libraries: a count, then the offset of
    /// each text.
    fn texts(&mut self, list: Option<Location>) {
        for entry in self.entries(list, 4) {
            if let Some(text) = self.text(&entry, 0) {
                self.add("message".to_owned(), text);
            }
        }
    }

    /// Reads annotation objects: a count, then for each the offset of its name, its type (1 is text), and the offset of
    /// its value. Only texts are taken.
    fn objects(&mut self, objects: Option<Location>) {
        const TEXT: u16 = 1;
        for entry in self.entries(objects, 12) {
            if u16_at(&entry, 4) == Some(TEXT) {
                self.add_text(&entry, 0, 8);
            }
        }
    }

    /// Adds the key and the value whose offsets are at these places of a list's entry.
    fn add_text(&mut self, entry: &[u8], key_at: usize, value_at: usize) {
        if let (Some(key), Some(value)) = (self.text(entry, key_at), self.text(entry, value_at)) {
            self.add(key, value);
        }
    }

    /// Expression, function and file, 128 units of UTF-16 each, then line and type.
    fn assertion(&mut self, offset: u64) {
        const TYPES: [&str; 3] = ["", "invalid parameter", "pure virtual call"];
        let Some(info) = self.part(offset, 776) else { return };
        for (key, at) in [("assertion.expression", 0), ("assertion.function", 256), ("assertion.file", 512)] {
            if let Some(field) = info.get(at..).and_then(|field| field.get(..256)) {
                self.add(key.to_owned(), wide(field));
            }
        }
        if let Some(line) = u32_at(&info, 768).filter(|line| *line != 0) {
            self.add("assertion.line".to_owned(), line.to_string());
        }
        if let Some(kind) = u32_at(&info, 772).and_then(|kind| TYPES.get(kind as usize)) {
            self.add("assertion.type".to_owned(), (*kind).to_owned());
        }
    }

    /// XML in UTF-16 with an element for each value, of which those about the crash are read.
    fn unreal(&mut self, offset: u64, size: u64) {
        /// Longest context that is read, bytes; whole call stacks are in it.
        const LONGEST_CONTEXT: u64 = 1 << 20;
        const ELEMENTS: [&str; 9] = [
            "CrashType",
            "ErrorMessage",
            "EngineVersion",
            "GameName",
            "Misc.CPUBrand",
            "Misc.PrimaryGPUBrand",
            "MemoryStats.bIsOOM",
            "MemoryStats.OOMAllocationSize",
            "GPUBreadcrumbs",
        ];
        let Some(bytes) = self.part(offset, size.min(LONGEST_CONTEXT)) else { return };
        for element in ELEMENTS {
            let value = between(&bytes, &format!("<{element}>"), &format!("</{element}>"));
            if let Some(value) = value.map(|value| unescaped(&wide(value))) {
                self.add(format!("unreal.{element}"), cut(&value).to_owned());
            }
        }
    }

    fn add(&mut self, key: String, value: String) {
        if !key.is_empty() && !value.is_empty() && self.found.len() < MOST {
            self.found.push((key, value));
        }
    }

    /// The entries of a list that begins with a count of 32 bits, at most [`MOST`]. The location's size gives the count
    /// too.
    fn entries(&mut self, list: Option<Location>, size: u32) -> Vec<Vec<u8>> {
        let Some(list) = list.and_then(Location::present) else { return Vec::new() };
        let offset = u64::from(list.offset);
        let Some(count) = self.part(offset, 4).and_then(|count| u32_at(&count, 0)) else { return Vec::new() };
        let room = list.size.saturating_sub(4).checked_div(size).unwrap_or(0);
        self.beyond = self.beyond.saturating_add(usize::from(count != room));
        let wanted = u64::from(count.min(room)).min(MOST as u64);
        // Entries can name the same lists and texts again and again.
        self.entries_left = self.entries_left.saturating_sub(wanted);
        if self.entries_left == 0 {
            return Vec::new();
        }
        let all = self.part(offset.saturating_add(4), wanted.saturating_mul(u64::from(size))).unwrap_or_default();
        all.chunks_exact(size as usize).map(<[u8]>::to_vec).collect()
    }

    /// The text of UTF-8, with its length before it, whose offset is at a place of `entry`.
    fn text(&mut self, entry: &[u8], at: usize) -> Option<String> {
        let offset = u64::from(u32_at(entry, at)?);
        let size = u32_at(&self.part(offset, 4)?, 0)?;
        let bytes = self.part(offset.saturating_add(4), u64::from(size).min(LONGEST))?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_end_matches(['\0', char::REPLACEMENT_CHARACTER]).trim().to_owned())
    }

    fn part(&mut self, offset: u64, size: u64) -> Option<Vec<u8>> {
        let part = self.source.read(offset, size).map(|part| part.into_owned());
        self.beyond = self.beyond.saturating_add(usize::from(part.is_none()));
        part
    }
}

/// What lies between two texts in UTF-16, as bytes: the whole is long, and little of it is wanted.
fn between<'b>(bytes: &'b [u8], before: &str, after: &str) -> Option<&'b [u8]> {
    let encoded = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let (before, after) = (encoded(before), encoded(after));
    let start = memmem::find(bytes, &before)?.checked_add(before.len())?;
    let rest = bytes.get(start..)?;
    rest.get(..memmem::find(rest, &after)?)
}

/// Text of UTF-16 up to its NUL or the field's end.
fn wide(bytes: &[u8]) -> String {
    utf16_lossy(utf16_units(bytes).take_while(|unit| *unit != 0)).trim().to_owned()
}

/// The five entities of XML, replaced.
fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}

/// At most [`LONGEST`] bytes of a text, whole characters.
fn cut(text: &str) -> &str {
    let longest = usize::try_from(LONGEST).unwrap_or(usize::MAX);
    let end = (0..=longest.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::directory::Stream;
    use super::*;

    fn annotations(bytes: &[u8], kind: impl Into<u32>, size: u64) -> (Vec<(String, String)>, Vec<Loss>) {
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, bytes).expect("written");
        let mut source = Source::open(&mut file, bytes.len() as u64).expect("readable");
        let directory = Directory { time: 0, flags: 0, streams: vec![Stream { kind: kind.into(), offset: 0, size }] };
        let mut losses = Vec::new();
        let found = read(&mut source, &directory, &Names::default(), &mut losses);
        (found.iter().map(|one| (one.key.to_string(), one.value.to_string())).collect(), losses)
    }

    #[test]
    fn a_dictionary_that_lies_about_its_size_is_a_loss() {
        let mut bytes = vec![0; 56];
        // The dictionary is at 52, and counts more entries than there are bytes.
        bytes[36] = 4;
        bytes[40] = 52;
        bytes[52..56].copy_from_slice(&u32::MAX.to_le_bytes());
        let (found, losses) = annotations(&bytes, StreamKind::CrashpadInfo, 52);
        assert_eq!(found, []);
        assert_eq!(losses.len(), 1);
    }

    #[test]
    fn elements_of_unreals_context_are_taken_by_name() {
        let text = "<Crash><ErrorMessage>a &lt; b</ErrorMessage><User>x</User><GameName></GameName></Crash>";
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let (found, _) = annotations(&bytes, UNREAL_CONTEXT, bytes.len() as u64);
        assert_eq!(found, [("unreal.ErrorMessage".to_owned(), "a < b".to_owned())]);
    }
}
