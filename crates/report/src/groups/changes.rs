//! The changes on the machines of a group before its first incident there: by time alone, a hint where to look and never
//! proof.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{Artifact, BearsOn, ChangeBefore, Judged};
use crate::wording::how_long;
use evidence::CoverageAt;
use facts::{BeforeFirst, Change, Surroundings};
use incident::IncidentKind;

/// How many changes a group has at most: more are no help.
const MOST_CHANGES: usize = 10;
/// The shortest name, in bytes, that is searched for in a change's text: shorter ones occur in too many other names.
const SHORTEST_NAME: usize = 4;
/// Bugchecks by the watchdog of the display driver.
///
/// Source: Microsoft's bug check code reference.
const DISPLAY_STOPS: &[u32] = &[0x116, 0x117, 0x119, 0x141];
/// Folders that hold programs of every maker, a line each.
const COMMON_FOLDERS: &str = include_str!("common_folders.txt");

/// The machines of each signature, by host name.
pub(super) struct MachinesBySignature<'s, 'i>(BTreeMap<&'s str, Vec<&'s Surroundings<'i>>>);

impl<'s, 'i> MachinesBySignature<'s, 'i> {
    pub(super) fn new(surroundings: impl Iterator<Item = &'s Surroundings<'i>>) -> Self {
        let mut by_signature: BTreeMap<&str, Vec<&Surroundings<'i>>> = BTreeMap::new();
        for machine in surroundings {
            for signature in machine.signatures() {
                by_signature.entry(signature).or_default().push(machine);
            }
        }
        for machines in by_signature.values_mut() {
            machines.sort_by_cached_key(|machine| machine.machine.host.to_lowercase());
        }
        Self(by_signature)
    }

    /// The changes before the first incident of a signature, those that relate to the group first; `None` when no
    /// machine's logs go back far enough. With a sentence that names the machines without known changes.
    /// `representative` is the incident that represents the group.
    pub(super) fn before(
        &self,
        signature: &str,
        representative: &Judged,
        artifacts: &[Artifact],
    ) -> (Option<Vec<ChangeBefore>>, Option<String>) {
        let kind = representative.incident.kind;
        let machines = self.0.get(signature).map_or(&[][..], Vec::as_slice);
        let known: Vec<(&Surroundings<'_>, BeforeFirst<'_>)> =
            machines.iter().filter_map(|machine| Some((*machine, machine.before_first(signature, kind)?))).collect();
        let covered: Vec<_> = known.iter().filter(|(_, before)| before.is_known()).collect();
        let subject = Subject::new(representative);
        let mut found: BTreeMap<(&str, String), ChangeBefore> = BTreeMap::new();
        for (machine, before) in &covered {
            let mut of_machine: BTreeMap<(&str, String), &Change<'_>> = BTreeMap::new();
            for change in &before.changes {
                // Of several times the last one.
                of_machine.insert((change.entry.kind, change.what.to_lowercase()), change);
            }
            for (key, change) in of_machine {
                let entry = change.entry;
                let mut here = ChangeBefore {
                    kind: Cow::Borrowed(entry.kind),
                    bears_on: subject.bears_on(change),
                    host: Arc::clone(&machine.machine.host),
                    time: entry.time,
                    seconds_before: change.seconds_before,
                    says: entry.sentence.to_string(),
                    hosts: 1,
                    of_hosts: covered.len(),
                    artifact: artifacts.get(entry.artifact).map(|artifact| artifact.path.clone()),
                    place: entry.place.to_string(),
                };
                if let Some(known) = found.get_mut(&key) {
                    known.hosts += 1;
                    here.hosts = known.hosts;
                    if here.seconds_before < known.seconds_before {
                        *known = here;
                    }
                } else {
                    found.insert(key, here);
                }
            }
        }
        let mut changes: Vec<ChangeBefore> = found.into_values().collect();
        changes.sort_by(|a, b| {
            let rank =
                |one: &ChangeBefore| (one.bears_on.is_none(), one.bears_on, Reverse(one.hosts), one.seconds_before);
            rank(a).cmp(&rank(b)).then_with(|| a.says.cmp(&b.says))
        });
        changes.truncate(MOST_CHANGES);
        ((!covered.is_empty()).then_some(changes), unknown(&known))
    }
}

/// A sentence that explains on which machine the changes before the first incident are not known and why, and on how
/// many more machines they are not known.
fn unknown(known: &[(&Surroundings<'_>, BeforeFirst<'_>)]) -> Option<String> {
    let mut without = known.iter().filter(|(_, before)| !before.is_known());
    let (machine, before) = without.next()?;
    let host = &machine.machine.host;
    let (channel, recorded) = before.too_short()?;
    let log = format!("the {channel} log of {host}");
    let why = match recorded {
        CoverageAt::Never => format!("there is no {channel} log of {host}"),
        CoverageAt::Since(since) => match before.first.duration_since(since) {
            covered if covered.as_secs() == 0 => format!("{log} begins with the first incident there"),
            covered => {
                format!("{log} begins {} before the first incident there", how_long(covered.as_secs().unsigned_abs()))
            }
        },
        CoverageAt::Later(_) => format!("{log} begins after the first incident there"),
        CoverageAt::Hole(from, to) => {
            format!("{log} has no record from {from:.0} to {to:.0}, and the first incident there lies between")
        }
        CoverageAt::Until(last) => {
            format!(
                "{log} ends {} before the first incident there",
                how_long(before.first.duration_since(last).as_secs().unsigned_abs())
            )
        }
    };
    let more = match without.count() {
        0 => String::new(),
        1 => "; the logs of 1 more machine do not tell either".to_owned(),
        more => format!("; the logs of {more} more machines do not tell either"),
    };
    Some(format!("What had changed before is not known: {why}{more}."))
}

/// The kind of a group's failure, and the names that a change related to it may have.
struct Subject {
    display: bool,
    kernel: bool,
    ended: bool,
    suspect: Vec<String>,
    program: Vec<String>,
}

impl Subject {
    fn new(representative: &Judged) -> Self {
        let incident = &representative.incident;
        let stop = incident.bugcheck.as_ref().is_some_and(|stop| DISPLAY_STOPS.contains(&stop.code.0));
        let site = incident.fault_site.as_ref().filter(|site| !site.carrier);
        let modules = [
            incident.suspect.as_ref().map(|suspect| (&suspect.module, suspect.path.as_deref())),
            site.map(|site| (&site.module, site.path.as_deref())),
        ];
        let process = incident.process.as_ref();
        let program = process.and_then(|process| Some((process.name.as_ref()?, process.path.as_deref())));
        let names = |of: &mut dyn Iterator<Item = (&Arc<str>, Option<&str>)>| -> Vec<String> {
            of.flat_map(|(name, path)| names_of(name, path)).collect()
        };
        Self {
            display: incident.kind == IncidentKind::GpuReset
                || stop
                || representative.verdict.cause.starts_with("gpu-"),
            kernel: incident.kind == IncidentKind::Bugcheck,
            ended: matches!(incident.kind, IncidentKind::Bugcheck | IncidentKind::PowerLoss),
            suspect: names(&mut modules.into_iter().flatten()),
            program: names(&mut program.into_iter()),
        }
    }

    /// How a change relates to the group.
    fn bears_on(&self, change: &Change<'_>) -> Option<BearsOn> {
        if self.display && change.of_display {
            return Some(BearsOn::DisplayDriver);
        }
        let what = change.what.to_lowercase();
        let named = |names: &[String]| names.iter().any(|name| has_word(&what, name));
        if named(&self.suspect) {
            Some(BearsOn::Suspect)
        } else if named(&self.program) {
            Some(BearsOn::Program)
        } else if self.ended && change.of_firmware {
            Some(BearsOn::Firmware)
        } else {
            (self.kernel && change.entry.kind == "driver-install").then_some(BearsOn::Driver)
        }
    }
}

/// The names under which the product of a file may be installed: the file's name without ending, and the names of its
/// first two folders below the folder of all programs.
fn names_of(name: &str, path: Option<&str>) -> Vec<String> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let folders: Vec<&str> = path.map(|path| path.split(['\\', '/']).collect()).unwrap_or_default();
    let of_programs = |folder: &&str| folder.to_lowercase().starts_with("program files");
    let below = folders.iter().position(of_programs).and_then(|at| folders.get(at.saturating_add(1)..));
    // The last is the file itself.
    let folders = below.and_then(|below| below.split_last()).map_or(&[][..], |(_, folders)| folders);
    let names = folders.iter().take(2).map(|folder| folder.to_lowercase()).chain([stem]);
    names.filter(|name| name.len() >= SHORTEST_NAME && !COMMON_FOLDERS.lines().any(|folder| folder == name)).collect()
}

/// Whether a text contains a name as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let at_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(name).any(|(start, found)| {
        let (before, rest) = text.split_at(start);
        let after = rest.get(found.len()..).unwrap_or_default();
        at_border(before.chars().next_back()) && at_border(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_its_folder_among_the_programs_and_to_its_own_name() {
        let path = r"C:\Program Files\Ledger\bin\ledgercore.dll";
        assert_eq!(names_of("ledgercore.dll", Some(path)), ["ledger", "ledgercore"]);
        assert_eq!(names_of("app.exe", Some(r"C:\Users\u\app.exe")), [""; 0], "too short to be found");
        assert_eq!(names_of("ntdll.dll", Some(r"C:\Windows\System32\ntdll.dll")), ["ntdll"]);
    }

    #[test]
    fn names_are_found_as_words() {
        assert!(has_word("ledger 4.2 (64-bit)", "ledger"));
        assert!(has_word("the ledger", "ledger"));
        assert!(!has_word("ledgerdemain 1.0", "ledger"));
        assert!(!has_word("", "ledger"));
    }
}
