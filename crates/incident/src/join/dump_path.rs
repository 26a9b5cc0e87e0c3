//! Records that name the dump that was written: BugCheck 1001, and event 1001 of Windows Error Reporting with its list
//! of attached files.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};

use super::alive::Alive;
use super::{JoinKey, MOST_CANDIDATES, Sets, tickets};
use crate::sighting::{Item, Sighting};
use evidence::{EventBody, Observation, base_name};

/// How much later than the dump the record may have been logged: a machine that stopped on Friday is switched on again
/// on Monday, and reports wait in a queue for a connection.
pub(super) const LOGGED_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How much earlier: the dump's time is whole seconds.
pub(super) const CLOCKS: SignedDuration = SignedDuration::from_secs(2);
/// Names that Windows Error Reporting gives to the dump of every report.
const OF_EVERY_REPORT: [&str; 3] = ["minidump.mdmp", "memory.hdmp", "triagedump.dmp"];

/// Joins each dump to the next record that names its file and tells of the same; if two computers have one, to neither.
pub(super) fn by_dump_path(sightings: &[Sighting], items: &[Item], alive: &Alive, sets: &mut Sets<'_>) {
    let mut naming: HashMap<String, Vec<(Timestamp, usize)>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(Observation::Event(event)) = items.get(sighting.item).map(|item| &item.observation) else { continue };
        let (Some(time), true) = (event.time, sighting.host.is_some()) else { continue };
        let mut add = |path: &str| {
            let name = original_name(base_name(path.trim()));
            if is_dump(&name) && !OF_EVERY_REPORT.contains(&&*name) {
                naming.entry(name).or_default().push((time, index));
            }
        };
        match &event.content.body {
            EventBody::BugCheck { dump_path: Some(path), .. } => add(path),
            EventBody::Wer(_) => {
                let attached = event.content.fields.iter().filter(|(name, _)| *name == "AttachedFiles");
                attached.flat_map(|(_, files)| files.lines()).for_each(add);
            }
            _ => {}
        }
    }
    if naming.is_empty() {
        return;
    }
    for records in naming.values_mut() {
        records.sort_unstable();
    }
    let mut named: Vec<(usize, Option<Timestamp>, usize)> = Vec::new();
    for (index, dump) in sightings.iter().enumerate() {
        let Some(item) = items.get(dump.item) else { continue };
        let (Observation::Process(_) | Observation::Kernel(_), Some(time)) = (&item.observation, dump.time) else {
            continue;
        };
        let Some(records) = naming.get(&original_name(&item.file)) else { continue };
        let from = records.partition_point(|(logged, _)| logged.duration_since(time) < -CLOCKS);
        let in_time = records.iter().skip(from).take(MOST_CANDIDATES);
        let in_time = in_time.take_while(|(logged, _)| logged.duration_since(time) <= LOGGED_WITHIN);
        // Of each computer the first: the next start, the first report.
        let mut by_host = BTreeMap::new();
        for (_, record) in in_time {
            if sightings.get(*record).is_some_and(|record| tells_of(record, dump, items)) {
                by_host.entry(sets.host(*record)).or_insert(*record);
            }
        }
        let own = sets.host(index);
        by_host.retain(|host, _| own.is_none() || *host == own);
        let is_kernel = matches!(item.observation, Observation::Kernel(_));
        by_host.retain(|host, record| {
            let logged = sightings.get(*record).and_then(|record| record.time);
            !(is_kernel && logged.is_some_and(|logged| alive.after(time, host.as_deref(), logged)))
        });
        if let (1, Some(record)) = (by_host.len(), by_host.values().next()) {
            named.push((*record, is_kernel.then_some(time), index));
        }
    }
    // A stop's dump takes the place of the one before, whose name is often the same: of several, a record names the last.
    let mut latest: HashMap<usize, Timestamp> = HashMap::new();
    for (record, time, _) in &named {
        if let Some(time) = time {
            latest.entry(*record).and_modify(|latest| *latest = (*latest).max(*time)).or_insert(*time);
        }
    }
    for (record, time, index) in named {
        let latest = time.and_then(|time| Some(latest.get(&record)?.duration_since(time)));
        if latest.is_none_or(|earlier| earlier <= CLOCKS) {
            sets.join(record, index, JoinKey::DumpPath);
        }
    }
}

/// A file's name, lower case, without what browsers, mail programs and Explorer add to that of a copy: `a (1).dmp`,
/// `a(1).dmp`, `a - Copy.dmp`.
pub(super) fn original_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let Some((stem, ending)) = lower.rsplit_once('.') else { return lower };
    let mut original = stem;
    loop {
        let numbered = original.strip_suffix(')').and_then(|stem| stem.rsplit_once('('));
        let without_number = numbered
            .filter(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
            .map(|(stem, _)| stem.trim_end());
        let shorter = without_number.or_else(|| original.strip_suffix(" - copy")).filter(|stem| !stem.is_empty());
        match shorter {
            Some(shorter) => original = shorter,
            None => return format!("{original}.{ending}"),
        }
    }
}

fn is_dump(name: &str) -> bool {
    [".dmp", ".mdmp", ".hdmp"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a record that names a file of the dump's name can be about this dump: the same stop, or the same program,
/// and nothing against it.
fn tells_of(record: &Sighting, dump: &Sighting, items: &[Item]) -> bool {
    if let Some((code, parameters)) = dump.bugcheck {
        return record.bugcheck.is_some_and(|(other, others)| other.plain() == code.plain() && others == parameters);
    }
    let same_program = matches!((&record.process, &dump.process), (Some(a), Some(b)) if a == b);
    let said = |sighting: &Sighting| items.get(sighting.item).and_then(|item| tickets::record(&item.observation));
    let (Some(a), Some(b)) = (said(record), said(dump)) else { return same_program };
    same_program && !tickets::facts_differ(&a, &b) && !tickets::differ(record.pid, dump.pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_name_of_the_original() {
        for copy in ["A.dmp", "a (1).dmp", "a(12).dmp", "a - Copy.dmp", "a - Copy (2).dmp"] {
            assert_eq!(original_name(copy), "a.dmp", "{copy}");
        }
        for name in ["a (x).dmp", "(1).dmp", "a.1.dmp", "a"] {
            assert_eq!(original_name(name), name, "{name}");
        }
    }
}
