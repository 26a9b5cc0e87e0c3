//! Records that name the dump that was written: BugCheck 1001, and event 1001 of Windows Error Reporting with its list
//! of attached files.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::compare::{differ, facts_differ};
use super::key::JoinKey;
use super::last_alive::LastAlive;
use super::limits::{DUMP_CLOCK, LOGGED_WITHIN, MOST_CANDIDATES};
use super::sets::Sets;
use crate::sighting::Sighting;
use evidence::{EventBody, Observation, base_name};

/// Names that Windows Error Reporting gives to the dump of every report.
const OF_EVERY_REPORT: [&str; 3] = ["minidump.mdmp", "memory.hdmp", "triagedump.dmp"];

/// Joins each dump to the next record that names its file and agrees with it; if two computers have one, to neither.
pub(super) fn by_dump_path(sightings: &[Sighting<'_>], alive: &LastAlive<'_>, sets: &mut Sets<'_>) {
    let naming = records_by_dump_name(sightings);
    if naming.is_empty() {
        return;
    }
    let mut named: Vec<(&Sighting<'_>, Option<Timestamp>, &Sighting<'_>)> = Vec::new();
    for dump in sightings {
        let is_kernel = match &dump.evidence.observation {
            Observation::Process(_) => false,
            Observation::Kernel(_) => true,
            _ => continue,
        };
        let Some(time) = dump.time else { continue };
        let Some(records) = naming.get(&original_name(&dump.evidence.file)) else { continue };
        let from = records.partition_point(|(logged, _)| logged.duration_since(time) < -DUMP_CLOCK);
        let in_time = records.iter().skip(from).take(MOST_CANDIDATES);
        let in_time = in_time.take_while(|(logged, _)| logged.duration_since(time) <= LOGGED_WITHIN);
        // Of each computer the first: the next start, the first report.
        let mut by_host = BTreeMap::new();
        for (_, record) in in_time.filter(|(_, record)| can_name(record, dump)) {
            by_host.entry(sets.host(record)).or_insert(*record);
        }
        let own = sets.host(dump);
        by_host.retain(|host, record| {
            let ran_on = || record.time.is_some_and(|logged| alive.is_after(time, host.as_deref(), logged));
            (own.is_none() || *host == own) && !(is_kernel && ran_on())
        });
        if let (1, Some(record)) = (by_host.len(), by_host.values().next()) {
            named.push((record, is_kernel.then_some(time), dump));
        }
    }
    // A blue screen's dump replaces the one before, whose name is often the same: of several, a record names the last.
    let mut latest: HashMap<usize, Timestamp> = HashMap::new();
    for (record, time, _) in &named {
        if let Some(time) = time {
            latest.entry(record.index).and_modify(|latest| *latest = (*latest).max(*time)).or_insert(*time);
        }
    }
    for (record, time, dump) in named {
        let earlier = time.and_then(|time| Some(latest.get(&record.index)?.duration_since(time)));
        if earlier.is_none_or(|earlier| earlier <= DUMP_CLOCK) {
            sets.join(record, dump, JoinKey::DumpPath);
        }
    }
}

/// By the names of dumps: the records that name them, with the times at which they were logged, earliest first.
fn records_by_dump_name<'s>(sightings: &'s [Sighting<'s>]) -> HashMap<String, Vec<(Timestamp, &'s Sighting<'s>)>> {
    let mut naming: HashMap<String, Vec<(Timestamp, &Sighting<'_>)>> = HashMap::new();
    for sighting in sightings {
        let Observation::Event(event) = &sighting.evidence.observation else { continue };
        let (Some(time), true) = (event.time, sighting.host.is_some()) else { continue };
        let mut add = |path: &str| {
            let name = original_name(base_name(path.trim()));
            let is_dump = [".dmp", ".mdmp", ".hdmp"].iter().any(|ending| name.ends_with(ending));
            if is_dump && !OF_EVERY_REPORT.contains(&&*name) {
                naming.entry(name).or_default().push((time, sighting));
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
    naming.values_mut().for_each(|records| records.sort_unstable());
    naming
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

/// Whether a record that names a file of the dump's name can be about this dump: the same blue screen, or the same
/// program, with no contradiction.
fn can_name(record: &Sighting<'_>, dump: &Sighting<'_>) -> bool {
    if let Some((code, parameters)) = dump.bugcheck {
        return record.bugcheck.is_some_and(|(other, others)| other.plain() == code.plain() && others == parameters);
    }
    let same_program = record.process.is_some() && record.process == dump.process;
    let (Some(a), Some(b)) = (record.record(), dump.record()) else { return same_program };
    same_program && !facts_differ(&a, &b) && !differ(record.pid, dump.pid)
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
