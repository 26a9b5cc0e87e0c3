//! Events of a log that a sentence names by source and id: "Kernel-Power 41", "event 18, WHEA-Logger", "nvlddmkm (event
//! 13)".
//!
//! Sources are the providers of the catalogue and what people call them (`called` in `rules/data/events.yaml`). A
//! number beside one is an id where the words say so (`rules/data/text-words.yaml`), or where the two together mean
//! nothing else.

use std::sync::LazyLock;

use expressions::Literals;
use windows_codes::{Knowledge, events as known_events};
use windows_events::catalogue::{find, provider_called, provider_names};

/// A source with as many letters is a name and no word of everyday language, as `disk` and `display` are.
const A_NAME: usize = 8;
/// Ids from here on are not counted things.
const NO_COUNT: u32 = 1000;

/// The names of sources, and the provider of each name.
static SOURCES: LazyLock<(Literals, Vec<&str>)> = LazyLock::new(|| {
    let called =
        known_events().iter().flat_map(|event| event.called.iter().map(move |called| (called, event.provider)));
    let called = called.filter_map(|(called, provider)| {
        Some((*called, provider_called(provider).or_else(|| provider_called(called))?))
    });
    // The first of equal names stays: the catalogue's own.
    let (names, providers): (Vec<String>, Vec<&str>) =
        provider_names().chain(called).map(|(called, name)| (called.to_lowercase(), name)).unzip();
    (Literals::new(names), providers)
});

/// The events that `line` names: provider, as the catalogue spells it, and id.
pub(super) fn events(line: &str) -> Vec<(&'static str, u32)> {
    let (finder, providers) = &*SOURCES;
    let may_have_id = line.bytes().any(|byte| byte.is_ascii_digit());
    let named = may_have_id.then(|| finder.longest_in(line)).into_iter().flatten();
    let events = named.filter_map(|name| {
        let provider = *providers.get(name.index)?;
        let (before, behind) = (line.get(..name.range.start)?, line.get(name.range.end..)?);
        let known = |id: u32| find(provider, id).is_some();
        let counts = |id: u32, label: IdLabel| match label {
            IdLabel::Event => true,
            IdLabel::Id => known(id),
            IdLabel::Nothing => (name.range.len() >= A_NAME || id >= NO_COUNT) && known(id),
        };
        if !is_whole(before, behind) {
            return None;
        }
        let behind_it = id_behind(behind).filter(|(id, label)| counts(*id, *label)).map(|(id, _)| id);
        Some((provider, behind_it.or_else(|| id_before(before))?))
    });
    events.collect()
}

/// What the words before a number call it: an event's number, an id, or nothing.
#[derive(Clone, Copy)]
enum IdLabel {
    Event,
    Id,
    Nothing,
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
fn id_behind(behind: &str) -> Option<(u32, IdLabel)> {
    let rest = behind.trim_start_matches(['"', '\'', ']', ')']).trim_start_matches([',', ':', ';', '-', '–']);
    let rest = rest.trim_start().trim_start_matches(['(', '[', '"', '#']);
    let (label, rest) = match (after_word(rest, "event"), after_word(rest, "event_number")) {
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
    Some((id(digits)?, label)).filter(|_| !goes_on)
}

/// `event 18, `, `Event ID: 41 `, `event id 14 (`, `EventID=153, Provider=`.
fn id_before(before: &str) -> Option<u32> {
    let rest = before.trim_end_matches(['"', '\'', '(', '[']).trim_end().trim_end_matches([':', '=']).trim_end();
    let rest = before_word(rest, "event_source").unwrap_or(rest);
    let rest = rest.trim_end().trim_end_matches([',', ':', ';', '.', ')', '-', '–', '(']).trim_end();
    let rest_of_digits = rest.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = rest.get(rest_of_digits.len()..)?;
    let rest = rest_of_digits.trim_end().trim_end_matches([':', '#', '=']).trim_end();
    id(digits).filter(|_| before_word(rest, "event").is_some())
}

fn id(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|id| (1..=0xFFFF).contains(id))
}

/// What follows the longest word of this purpose with which `text` begins.
fn after_word<'t>(text: &'t str, of: &str) -> Option<&'t str> {
    let words =
        Knowledge::builtin().text_words(of).iter().filter_map(|word| text.split_at_checked(word.len()).zip(Some(word)));
    let words =
        words.filter(|((start, rest), word)| start.to_lowercase() == **word && !rest.starts_with(char::is_alphabetic));
    words.map(|((_, rest), _)| rest).min_by_key(|rest| rest.len())
}

/// What is before the longest word of this purpose with which `text` ends.
fn before_word<'t>(text: &'t str, of: &str) -> Option<&'t str> {
    let rests = Knowledge::builtin().text_words(of).iter().filter_map(|word| {
        let (rest, end) = text.split_at_checked(text.len().checked_sub(word.len())?)?;
        (end.to_lowercase() == *word && !rest.ends_with(char::is_alphanumeric)).then_some(rest)
    });
    rests.min_by_key(|rest| rest.len())
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
