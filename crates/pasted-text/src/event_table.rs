//! The tables that PowerShell prints of events: `Get-WinEvent` and `Get-EventLog` without `Format-List`.
//!
//! A header names the columns in every language alike, since it has the names of properties. The provider is in a
//! column or, where all events of a table have one, in a line above. Pasting may have taken the columns' places away: a
//! row is known by its time, and the id is the first whole number behind it.

use std::collections::BTreeMap;

use evidence::TicketLine;
use windows_events::catalogue::{is_of_a_crash, provider_called};

/// How many rows of one table are read.
const MOST_ROWS: usize = 4096;
/// The time is within this many words of a row's beginning.
const MOST_OF_A_TIME: usize = 6;
/// The most words of a provider's name.
const MOST_OF_A_NAME: usize = 6;
/// The most words between the time and the id: `PM`, a level and a name.
const MOST_BEFORE_ID: usize = 8;
/// The event that Windows logs for each crash of a program; other events of the crash are next to it.
const CRASH: (&str, u32) = ("Application Error", 1000);

/// An event that a row reports: its provider, as the catalogue spells it, and its id.
pub(super) type Listed = (&'static str, u32);

/// The numbers of the columns of a table that matter: the provider's, if it has one, and the id's.
type Columns = (Option<usize>, usize);

/// The events of the tables in a text, by the position of their lines.
pub(super) fn listed(lines: &[TicketLine]) -> BTreeMap<usize, Listed> {
    let mut found = BTreeMap::new();
    let mut of_all = None;
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        let (at, text) = (next, line.text.trim());
        next = at.saturating_add(1);
        if let Some(provider) = provider_of_all(text) {
            of_all = Some(provider);
        }
        let Some(columns) = columns(text) else { continue };
        let rows = lines.get(next..).unwrap_or_default().iter().take(MOST_ROWS);
        for (row, line) in (next..).zip(rows) {
            if line.text.trim().starts_with("--") {
                continue;
            }
            let Some(event) = event(&line.text, columns, of_all) else { break };
            found.extend(event.map(|event| (row, event)));
            next = row.saturating_add(1);
        }
        of_all = None;
    }
    found
}

/// The indices of the rows of programs' crashes, one for each crash.
pub(super) fn crashes(listed: &BTreeMap<usize, Listed>) -> Vec<usize> {
    let rows = |wanted: &dyn Fn(Listed) -> bool| -> Vec<usize> {
        listed.iter().filter(|(_, event)| wanted(**event)).map(|(at, _)| *at).collect()
    };
    let of_each = rows(&|event| event == CRASH);
    if of_each.is_empty() { rows(&|(provider, id)| is_of_a_crash(provider, id)) } else { of_each }
}

/// The provider of all events of a table: `ProviderName: Application Error`.
fn provider_of_all(line: &str) -> Option<&'static str> {
    provider_called(line.strip_prefix("ProviderName:")?.trim())
}

/// The columns of a table whose header this is.
fn columns(header: &str) -> Option<Columns> {
    // A line below a header, which the rows behind it go on.
    if header.starts_with("--") {
        return None;
    }
    let mut words = header.split_whitespace();
    let (mut time, mut id, mut provider) = (None, None, None);
    for (at, word) in words.by_ref().enumerate().take(16) {
        let slot = match word {
            "TimeCreated" | "TimeGenerated" | "Time" => &mut time,
            "Id" | "EventID" | "EventId" | "InstanceID" | "InstanceId" => &mut id,
            "ProviderName" | "Source" => &mut provider,
            _ => continue,
        };
        slot.get_or_insert(at);
    }
    let (_, id) = time.zip(id)?;
    let others = ["Message", "LevelDisplayName", "EntryType", "ProviderName", "Level"];
    let named = header.split_whitespace().any(|word| others.contains(&word));
    named.then_some((provider, id))
}

/// The event of a row, if its provider is known; `None` for what is no row.
#[expect(clippy::option_option, reason = "a row of an unknown provider is a row")]
fn event(row: &str, (provider, id): Columns, of_all: Option<&'static str>) -> Option<Option<Listed>> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let time = words.iter().take(MOST_OF_A_TIME).position(|word| is_time(word))?;
    let behind = words.get(time.saturating_add(1)..)?;
    let at = behind.iter().take(MOST_BEFORE_ID).position(|word| number(word).is_some())?;
    let number = behind.get(at).and_then(|word| number(word))?;
    let provider = match provider {
        Some(column) if column < id => (0..at).find_map(|from| provider_called(&behind.get(from..at)?.join(" "))),
        Some(_) => {
            let name = behind.get(at.saturating_add(1)..)?;
            (1..=MOST_OF_A_NAME.min(name.len())).rev().find_map(|words| provider_called(&name.get(..words)?.join(" ")))
        }
        None => of_all,
    };
    Some(provider.map(|provider| (provider, number)))
}

/// Whether a word is a time: `10:11:12`, `10:11`.
fn is_time(word: &str) -> bool {
    let parts: Vec<&str> = word.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The id of an event. A log's own number of a kind of events has it in its lowest 16 bits.
///
/// Source: documentation of `EventLogEntry.InstanceId` in .NET.
fn number(word: &str) -> Option<u32> {
    let digits = word.bytes().all(|digit| digit.is_ascii_digit());
    let number = word.parse::<u32>().ok().filter(|_| digits)?;
    Some(number & 0xFFFF).filter(|id| *id != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(usize, Listed)> {
        let lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        listed(&lines).into_iter().collect()
    }

    const POWER: &str = "Microsoft-Windows-Kernel-Power";

    #[test]
    fn a_provider_stands_above_the_table_of_its_events() {
        let text = "   ProviderName: Display\n\
                    TimeCreated                     Id LevelDisplayName Message\n\
                    -----------                     -- ---------------- -------\n\
                    02.01.2024 10:11:12           4101 Warnung          Der Anzeigetreiber\n\
                    1/2/2024 10:11:12 AM 4101 Warning it was reset\n\
                    that is all 7\n\
                    1/2/2024 10:11:12 AM 4101 Warning no row of it";
        assert_eq!(shown(text), [(3, ("Display", 4101)), (4, ("Display", 4101))]);
    }

    #[test]
    fn a_provider_may_have_a_column_before_or_behind_the_id() {
        let before = "TimeCreated ProviderName Id Message\n1/2/2024 10:11:12 AM Microsoft-Windows-Kernel-Power 41 The system\n\
                      1/2/2024 10:11:12 disk 7 The device\n1/2/2024 10:11:12 Nobody Knows 7 The device";
        assert_eq!(shown(before), [(1, (POWER, 41)), (2, ("disk", 7))]);
        let behind =
            "Id TimeCreated ProviderName Message\n1/2/2024 10:11:12 41 Microsoft-Windows-Kernel-Power The system";
        assert_eq!(shown(behind), [(1, (POWER, 41))]);
        let old = "Index Time EntryType Source InstanceID Message\n1234 Jan 02 10:11 Error Application Error 1000 Faulting\n\
                   1235 Jan 02 10:11 Error disk 3221487623 The device";
        assert_eq!(shown(old), [(1, ("Application Error", 1000)), (2, ("disk", 7))]);
    }

    #[test]
    fn events_of_net_are_crashes_where_no_others_are_listed() {
        let table = |ids: [&str; 2]| {
            let rows = ids.map(|event| format!("1/2/2024 10:11:12 {event} message\n"));
            let text = format!("TimeCreated Id ProviderName Message\n{}", rows.concat());
            crashes(&shown(&text).into_iter().collect())
        };
        assert_eq!(table(["1026 .NET Runtime", "1026 .NET Runtime"]), [1, 2]);
        assert_eq!(table(["1026 .NET Runtime", "1000 Application Error"]), [2]);
        assert_eq!(table(["1022 .NET Runtime", "7 disk"]), [0; 0]);
    }

    #[test]
    fn other_tables_are_none_of_events() {
        assert!(shown("Time Id Name\n10:11:12 41 x").is_empty());
        let row = "1/2/2024 10:11 41 Microsoft-Windows-Kernel-Power";
        assert!(shown(&format!("-- TimeCreated Id ProviderName Message\n{row}")).is_empty());
        assert!(shown("TimeCreated Id LevelDisplayName Message\nnothing was found").is_empty());
        assert!(shown("TimeCreated Id LevelDisplayName Message\n1/2/2024 10:11 41 Critical no provider").is_empty());
    }
}
