//! The events of Windows logs that are read, as their file holds them and as the build encodes them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::de::IntoDeserializer;
use serde::de::value::Error;
use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, Node, YamlText, parse};

use crate::table::{Row, mistake};

/// One kind of event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow<T = &'static str> {
    /// The names of its providers, compared without regard to case. One that ends in `*` stands for all names that begin
    /// so.
    pub providers: Vec<T>,
    /// Its ids; none for every id.
    pub ids: Vec<RangeInclusive<u16>>,
    /// What kind of entry it makes in a machine's timeline, one of `facts::schema::TIMELINE_KINDS`.
    pub timeline: T,
    /// How its fields are read.
    pub meaning: Meaning,
    /// What the meaning needs beside the fields: the sentence, the component, the reason, the change; else empty.
    pub text: T,
    /// Names of the values without name, in their order.
    pub fields: Vec<T>,
}

/// How an event's fields become evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Application Error 1000.
    ApplicationError,
    /// Application Error 1005.
    InPageError,
    /// Windows Error Reporting 1001.
    Wer,
    /// Application Hang 1002.
    Hang,
    /// .NET Runtime.
    DotNet,
    /// SideBySide.
    SideBySide,
    /// Application Popup 26.
    Popup,
    /// BugCheck 1001.
    BugCheck,
    /// Kernel-Power 41.
    UncleanRestart,
    /// EventLog 6008.
    UncleanShutdown,
    /// Display 4101.
    DisplayReset,
    /// A display driver's own events.
    DisplayDriver,
    /// NVIDIA OpenGL Driver 1.
    OpenGlDriver,
    /// WHEA-Logger: an error of a component.
    Hardware,
    /// WHEA-Logger: an error of a component that the hardware corrected.
    CorrectedHardware,
    /// A storage driver's events, with an I/O error packet as binary data.
    Storage,
    /// Ntfs 55 and 140: the record itself reports damage.
    FileSystem,
    /// Ntfs 98: a state that is mostly "healthy".
    FileSystemState,
    /// Resource-Exhaustion-Detector 2004.
    MemoryExhausted,
    /// CodeIntegrity and the like: a file was refused for a reason.
    ImageRefused,
    /// CodeIntegrity: a file would have been refused for a reason.
    ImageAllowed,
    /// Defender 1007 and 1117.
    DefenderAction,
    /// MemoryDiagnostics-Results: no errors.
    MemoryTestPassed,
    /// MemoryDiagnostics-Results: errors.
    MemoryTestFailed,
    /// Service Control Manager 7031 and 7034.
    ServiceEnded,
    /// Service Control Manager 7026.
    BootDriversFailed,
    /// Service Control Manager 7045.
    ServiceInstalled,
    /// Kernel-PnP 219.
    DriverNotLoaded,
    /// WindowsUpdateClient 19.
    UpdateInstalled,
    /// WindowsUpdateClient 20.
    UpdateFailed,
    /// Servicing 2.
    PackageChanged,
    /// Servicing 3.
    PackageNotChanged,
    /// MsiInstaller: a change of a product.
    Product,
    /// UserPnp 20001.
    DriverInstalled,
    /// Kernel-Boot 20.
    LastShutdown,
    /// Kernel-Boot 27.
    KindOfStart,
    /// Kernel-General 12.
    SystemStarted,
    /// Kernel-General 1.
    ClockSet,
    /// Kernel-Power 105.
    PowerSource,
    /// Kernel-Power 86.
    ShutDownByHeat,
    /// StorPort 512.
    DriveHealth,
    /// ProcessExitMonitor 3000 and 3001.
    SilentExit,
    /// Security-Auditing 4689.
    ProcessExit,
    /// WER-Diag 1.
    CorruptFile,
    /// Any event whose record is fully described by one sentence with its values.
    Sentence,
}

impl Meaning {
    /// The key of the word that a row with this meaning needs, and these words: those of
    /// `evidence::EventBody`, or, of a product, what was done with it.
    fn word(self) -> Option<(&'static str, &'static [&'static str])> {
        match self {
            Self::Hardware | Self::CorrectedHardware => {
                Some(("component", &["memory", "other", "pci", "pcie", "processor"]))
            }
            Self::ImageRefused | Self::ImageAllowed => {
                Some(("reason", &["hardening", "policy", "revoked", "signature"]))
            }
            Self::Product => Some(("change", &["changed", "installed", "removed", "updated"])),
            _ => None,
        }
    }
}

/// Reads the file and gives its rows, encoded.
///
/// # Errors
/// All mistakes of the file.
pub fn encoded(file: &Arc<YamlText>) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let root = parse(file)?;
    let mut mistakes = Vec::new();
    let mut rows: Vec<EventRow<String>> = Vec::new();
    for node in root.get("events").and_then(Node::items).unwrap_or_default() {
        let row = Row { file, node };
        match event(&row, root.get("layouts"), &mut mistakes) {
            Ok(event) if rows.iter().any(|earlier| share_an_event(earlier, &event)) => {
                mistakes.push(row.wrong("ids", "an earlier row has the same event"));
            }
            Ok(event) => rows.push(event),
            Err(wrong) => mistakes.push(wrong),
        }
    }
    if rows.is_empty() {
        mistakes.push(mistake(file, &root, "the list `events` is missing".to_owned()));
    }
    match postcard::to_allocvec(&rows) {
        Ok(encoded) if mistakes.is_empty() => Ok(encoded),
        Ok(_) => Err(mistakes),
        Err(error) => Err(vec![mistake(file, &root, error.to_string())]),
    }
}

fn event(
    row: &Row<'_>,
    layouts: Option<&Node>,
    mistakes: &mut Vec<Diagnostic>,
) -> Result<EventRow<String>, Diagnostic> {
    let (meaning, key, text) = match row.optional("sentence") {
        Some(sentence) => {
            check_sentence(row, sentence)?;
            (Meaning::Sentence, "sentence", sentence)
        }
        None => {
            let word: Result<Meaning, Error> = Meaning::deserialize(row.text("meaning")?.into_deserializer());
            let meaning = word.map_err(|error| row.wrong("meaning", &error.to_string()))?;
            match meaning.word() {
                Some((key, known)) if known.contains(&row.text(key)?) => (meaning, key, row.text(key)?),
                Some((key, known)) => return Err(row.wrong(key, &format!("`{key}` is one of {}", known.join(", ")))),
                None if meaning == Meaning::Sentence => return Err(row.wrong("meaning", "`sentence` is missing")),
                None => (meaning, "meaning", ""),
            }
        }
    };
    let kind = if meaning == Meaning::Sentence { "sentence" } else { "meaning" };
    mistakes.extend(row.unknown_keys(&["providers", "ids", "timeline", kind, key, "fields"]));
    let layout = row.optional("fields");
    let fields = match layout.zip(layouts) {
        Some((layout, layouts)) => {
            Row { file: row.file, node: layouts }.texts(layout)?.into_iter().map(str::to_owned).collect()
        }
        None => row.optional_texts("fields")?,
    };
    Ok(EventRow {
        providers: row.texts("providers")?.into_iter().map(str::to_owned).collect(),
        ids: ids(row)?,
        timeline: row.text("timeline")?.to_owned(),
        meaning,
        text: text.to_owned(),
        fields,
    })
}

/// The event ids of a row: numbers and ranges such as `51-52`, or none for `any`.
fn ids(row: &Row<'_>) -> Result<Vec<RangeInclusive<u16>>, Diagnostic> {
    if row.optional("ids") == Some("any") {
        return Ok(Vec::new());
    }
    let range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = first.parse().ok()?..=last.parse().ok()?;
        (!range.is_empty()).then_some(range)
    };
    let ranges: Option<Vec<_>> = row.texts("ids")?.into_iter().map(range).collect();
    ranges.ok_or_else(|| row.wrong("ids", "`ids` are numbers from 0 to 65535 and ranges of them, such as 51-52"))
}

/// Checks that the places in a sentence and its optional parts can be filled in.
fn check_sentence(row: &Row<'_>, sentence: &str) -> Result<(), Diagnostic> {
    let wrong = |message: &str| row.wrong("sentence", message);
    let mut is_optional = false;
    let mut rest = sentence;
    while let Some(at) = rest.find(['[', ']', '{', '}']) {
        let (mark, behind) = rest.split_at(at).1.split_at(1);
        rest = behind;
        match mark {
            "[" if !is_optional => is_optional = true,
            "]" if is_optional => is_optional = false,
            "{" => {
                let (place, behind) = rest.split_once('}').ok_or_else(|| wrong("a `{` of the sentence has no `}`"))?;
                let (name, form) = place.split_once(':').unwrap_or((place, "number"));
                if name.is_empty()
                    || !(["code", "number", "file", "service"].contains(&form) || place == "packet:status")
                {
                    return Err(wrong(&format!("`{{{place}}}` is no field, or in a form that is not known")));
                }
                rest = behind;
            }
            _ => return Err(wrong(&format!("a `{mark}` of the sentence has no partner, or stands in another pair"))),
        }
    }
    if is_optional { Err(wrong("a `[` of the sentence has no `]`")) } else { Ok(()) }
}

/// Whether two rows have an event in common.
fn share_an_event(one: &EventRow<String>, other: &EventRow<String>) -> bool {
    let is_among = |name: &str, known: &str| {
        let (name, known) = (name.trim_end_matches('*').to_lowercase(), known.to_lowercase());
        known.strip_suffix('*').map_or(name == known, |beginning| name.starts_with(beginning))
    };
    let same_provider = one.providers.iter().any(|a| other.providers.iter().any(|b| is_among(a, b) || is_among(b, a)));
    let same_id = one.ids.iter().any(|a| other.ids.iter().any(|b| a.start() <= b.end() && b.start() <= a.end()));
    same_provider && (same_id || one.ids.is_empty() || other.ids.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(events: &str) -> Result<Vec<EventRow<String>>, Vec<String>> {
        let file = YamlText::new("events.yaml", format!("layouts:\n  two: [a, b]\nevents:\n{events}"));
        encoded(&file)
            .map(|bytes| postcard::from_bytes(&bytes).expect("what was encoded"))
            .map_err(|mistakes| mistakes.into_iter().map(|mistake| mistake.message).collect())
    }

    const DISK: &str = "  - {providers: [disk, 'iaStor*'], ids: [7, 51-52], timeline: other, fields: two, ";

    #[test]
    fn a_row_has_a_sentence_or_a_meaning_with_its_word() {
        let rows = read(&format!("{DISK}sentence: '{{a}} failed[ ({{b:code}})]'}}\n")).expect("a table");
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((row.meaning, row.text.as_str()), (Meaning::Sentence, "{a} failed[ ({b:code})]"));
        assert_eq!((row.ids.as_slice(), row.fields.join(" ")), (&[7..=7, 51..=52][..], "a b".to_owned()));
        let rows = read(&format!("{DISK}meaning: corrected-hardware, component: pcie}}\n")).expect("a table");
        assert_eq!((rows[0].meaning, rows[0].text.as_str()), (Meaning::CorrectedHardware, "pcie"));
    }

    #[test]
    fn what_can_not_be_read_is_a_mistake() {
        let wrong = |row: &str| read(&format!("{DISK}{row}}}\n")).expect_err("a mistake").remove(0);
        assert!(
            wrong("meaning: nothing").starts_with("unknown variant `nothing`, expected one of `application-error`")
        );
        assert_eq!(
            wrong("meaning: hardware, component: desk"),
            "`component` is one of memory, other, pci, pcie, processor"
        );
        assert_eq!(wrong("meaning: hang, reason: policy"), "`reason` means nothing here");
        assert_eq!(wrong("meaning: sentence"), "`sentence` is missing");
        assert_eq!(wrong("sentence: '{a:color}'"), "`{a:color}` is no field, or in a form that is not known");
        assert_eq!(wrong("sentence: '{a'"), "a `{` of the sentence has no `}`");
        for odd in ["a]", "[[a]]", "a}", "[a}"] {
            assert!(wrong(&format!("sentence: '{odd}'")).contains("no partner"), "{odd}");
        }
        assert_eq!(wrong("sentence: '[a'"), "a `[` of the sentence has no `]`");
        let ids = |ids: &str| read(&format!("  - {{providers: [a], ids: {ids}, timeline: other, meaning: hang}}\n"));
        assert!(ids("any").is_ok_and(|rows| rows[0].ids.is_empty()));
        for odd in ["[70000]", "[9-8]", "[a]", "7"] {
            assert!(ids(odd).is_err(), "{odd}");
        }
        assert_eq!(read("").expect_err("a mistake"), ["the list `events` is missing"]);
    }

    #[test]
    fn an_event_that_an_earlier_row_has_is_a_mistake() {
        let both = |providers: &str, ids: &str| {
            let other = format!("  - {{providers: [{providers}], ids: {ids}, timeline: other, meaning: hang}}\n");
            read(&format!("{DISK}meaning: storage}}\n{other}"))
        };
        for (providers, ids) in [("Disk", "[52]"), ("iaStorAC", "[7]"), ("'i*'", "any"), ("disk", "[1-99]")] {
            assert_eq!(
                both(providers, ids).expect_err("a mistake"),
                ["an earlier row has the same event"],
                "{providers}"
            );
        }
        assert!(both("disk", "[8]").is_ok() && both("disks", "any").is_ok());
    }
}
