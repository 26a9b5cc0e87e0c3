//! Events of a log that a sentence names by source and id: "Kernel-Power 41", "event 18, WHEA-Logger", "nvlddmkm (event
//! 13)".
//!
//! Sources are the providers of the catalogue and what people call them (`called` in `rules/data/events.yaml`). A
//! number beside one is an id where the words say so (`rules/data/text-words.yaml`), or where the two together mean
//! nothing else.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use windows_codes::{Knowledge, events as known_events};
use windows_events::catalogue::{find, provider_called, provider_names};

/// A source with as many letters is a name and no word of everyday language, as `disk` and `display` are.
const A_NAME: usize = 8;
/// Ids from here on are not counted things.
const NO_COUNT: u32 = 1000;

/// The words beside a number, of each kind the longest first: some begin with others.
struct Words {
    /// Before an event's number.
    event: Vec<&'static str>,
    /// Before a number of which they don't say of what it is.
    number: Vec<&'static str>,
    /// Between an event's number and its source.
    source: Vec<&'static str>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let sorted = |of: &str| {
        let mut words = Knowledge::builtin().text_words(of).to_vec();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words
    };
    Words { event: sorted("event"), number: sorted("event_number"), source: sorted("event_source") }
});

struct Sources {
    names: AhoCorasick,
    /// The provider of each name.
    providers: Vec<&'static str>,
}

static SOURCES: LazyLock<Option<Sources>> = LazyLock::new(|| {
    let mut names: Vec<(String, &'static str)> =
        provider_names().map(|(called, name)| (called.to_lowercase(), name)).collect();
    for event in known_events() {
        for called in &event.called {
            let provider = provider_called(event.provider).or_else(|| provider_called(called));
            names.extend(provider.map(|provider| (called.to_lowercase(), provider)));
        }
    }
    // The first of equal names stays: the catalogue's own.
    let builder = || AhoCorasick::builder().ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest).clone();
    let (called, providers): (Vec<String>, Vec<&'static str>) = names.into_iter().unzip();
    Some(Sources { names: builder().build(called).ok()?, providers })
});

/// The events that `line` names: provider, as the catalogue spells it, and id.
pub(super) fn events(line: &str) -> Vec<(&'static str, u32)> {
    let Some(sources) = SOURCES.as_ref().filter(|_| line.bytes().any(|byte| byte.is_ascii_digit())) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for name in sources.names.find_iter(line) {
        let (Some(provider), Some(before), Some(behind)) = (
            sources.providers.get(name.pattern().as_usize()).copied(),
            line.get(..name.start()),
            line.get(name.end()..),
        ) else {
            continue;
        };
        if !is_whole(before, behind) {
            continue;
        }
        let long = name.len() >= A_NAME;
        let named = id_behind(behind).filter(|named| named.counts(provider, long)).or_else(|| id_before(before));
        found.extend(named.map(|named| (provider, named.id)));
    }
    found
}

/// A number beside a source.
struct NamedId {
    id: u32,
    label: IdLabel,
}

/// What the words before a number call it: an event's number, an id, or nothing.
#[derive(PartialEq, Eq)]
enum IdLabel {
    Event,
    Id,
    Nothing,
}

impl NamedId {
    /// Whether it is the id of an event of `provider`, whose name in the text is long or not.
    fn counts(&self, provider: &str, long: bool) -> bool {
        match self.label {
            IdLabel::Event => true,
            IdLabel::Id => find(provider, self.id).is_some(),
            IdLabel::Nothing => (long || self.id >= NO_COUNT) && find(provider, self.id).is_some(),
        }
    }
}

/// Whether a source between these is no part of a longer name or of a file's.
fn is_whole(before: &str, behind: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '\\' | '/');
    let mut next = behind.chars();
    let (first, second) = (next.next(), next.next());
    let goes_on = first.is_some_and(|first| part(first) && first != '/')
        || first == Some('.') && second.is_some_and(char::is_alphanumeric);
    !before.ends_with(|last: char| part(last) || last == '.') && !goes_on
}

/// `, event ID: 18`, ` (event 13)`, ` 41`.
fn id_behind(behind: &str) -> Option<NamedId> {
    let rest = behind.trim_start_matches(['"', '\'', ']', ')']).trim_start_matches([',', ':', ';', '-', '–']);
    let rest = rest.trim_start().trim_start_matches(['(', '[', '"', '#']);
    let (label, rest) = match (after_word(rest, &WORDS.event), after_word(rest, &WORDS.number)) {
        (Some(rest), _) => (IdLabel::Event, rest),
        (None, Some(rest)) => (IdLabel::Id, rest),
        (None, None) => (IdLabel::Nothing, rest),
    };
    let rest = rest.trim_start().trim_start_matches([':', '#', '=']).trim_start();
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
    let mut next = rest.get(digits.len()..)?.chars();
    let (first, second) = (next.next(), next.next());
    // `31.0.15`, `4th`, `5,000`, `80 %`.
    let goes_on = first.is_some_and(|first| first.is_alphanumeric() || first == '_')
        || matches!(first, Some('.' | ',' | ':' | '-' | '/')) && second.is_some_and(|second| second.is_ascii_digit())
        || first == Some('%')
        || first == Some(' ') && second == Some('%');
    Some(NamedId { id: id(digits)?, label }).filter(|_| !goes_on)
}

/// `event 18, `, `Event ID: 41 `, `event id 14 (`, `EventID=153, Provider=`.
fn id_before(before: &str) -> Option<NamedId> {
    let rest = before.trim_end_matches(['"', '\'', '(', '[']).trim_end().trim_end_matches([':', '=']).trim_end();
    let rest =
        WORDS.source.iter().filter_map(|word| before_word(rest, word)).min_by_key(|rest| rest.len()).unwrap_or(rest);
    let rest = rest.trim_end().trim_end_matches([',', ':', ';', '.', ')', '-', '–', '(']).trim_end();
    let rest_of_digits = rest.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = rest.get(rest_of_digits.len()..)?;
    let rest = rest_of_digits.trim_end().trim_end_matches([':', '#', '=']).trim_end();
    WORDS.event.iter().any(|word| before_word(rest, word).is_some()).then_some(())?;
    Some(NamedId { id: id(digits)?, label: IdLabel::Event })
}

fn id(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|id| (1..=0xFFFF).contains(id))
}

/// What follows one of these words, with which `text` begins.
fn after_word<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().find_map(|word| {
        let start = text.get(..word.len())?;
        let rest = text.get(word.len()..)?;
        (start.to_lowercase() == *word && !rest.starts_with(char::is_alphabetic)).then_some(rest)
    })
}

/// What is before the word with which `text` ends.
fn before_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.get(..text.len().checked_sub(word.len())?)?;
    let end = text.get(rest.len()..)?;
    (end.to_lowercase() == *word && !rest.ends_with(char::is_alphanumeric)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_by_its_source_and_a_number_beside_it() {
        const WHEA: &str = "Microsoft-Windows-WHEA-Logger";
        const POWER: &str = "Microsoft-Windows-Kernel-Power";
        for (line, provider, id) in [
            ("the System log has Kernel Power Event 41 and nothing else", POWER, 41),
            ("Event: CodeIntegrity, event ID 3077 (with 3033)", "Microsoft-Windows-CodeIntegrity", 3077),
            ("System log: nvlddmkm (event 13)", "nvlddmkm", 13),
            ("System log: nvlddmkm, ID 14", "nvlddmkm", 14),
            ("whea-logger, Event ID: 18", WHEA, 18),
            ("WHEA Ereignis-ID 19", WHEA, 19),
            ("Event 18, WHEA-Logger", WHEA, 18),
            ("Event 18, WHEA", WHEA, 18),
            ("Event ID: 41 Kernel-Power", POWER, 41),
            ("Event 41: Microsoft-Windows-Kernel-Power", POWER, 41),
            ("event id 14 (nvlddmkm)", "nvlddmkm", 14),
            ("event 4101 from source \"Display\"", "Display", 4101),
            ("Event Viewer: Kernel-Power 41 (63), nothing before it", POWER, 41),
            ("CodeIntegrity 3077", "Microsoft-Windows-CodeIntegrity", 3077),
            ("Display 4101", "Display", 4101),
            (".NET Runtime 1026.", ".NET Runtime", 1026),
            ("SCM 7034", "Service Control Manager", 7034),
            ("storahci #129", "storahci", 129),
            ("disk event 7, three times", "disk", 7),
            ("Provider: nvlddmkm, EventID: 153", "nvlddmkm", 153),
            ("EventID=153, Provider=nvlddmkm", "nvlddmkm", 153),
            ("Microsoft-Windows-Kernel-Power (41)", POWER, 41),
        ] {
            assert_eq!(events(line), [(provider, id)], "{line}");
        }
        assert_eq!(events("WHEA-Logger 18, Kernel-Power 41"), [(WHEA, 18), (POWER, 41)]);
    }

    #[test]
    fn a_number_that_only_stands_there_is_no_id() {
        for line in [
            "nvlddmkm 31.0.15.3623",
            "nvlddmkm.sys 153",
            "display 1 is black, disk 7 is full",
            "the .NET Runtime 8",
            "Display ID 3",
            "Kernel-Power 41,000",
            "WHEA-Logger: 18 % of all",
            "disk events: 0",
            "7 display drivers",
            "on 18 WHEA-Logger wrote nothing",
            "my-disk event 7",
            "Kernel-Power",
            "событие 4",
        ] {
            assert_eq!(events(line), [], "{line}");
        }
    }
}
