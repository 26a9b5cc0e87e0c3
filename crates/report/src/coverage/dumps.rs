//! Gaps because of incidents without a dump, and of dumps that lack a part.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Host, kinds};
use crate::model::{Gap, Judged};
use crate::wording::{counted, counted_as};
use evidence::{CpuArchitecture, EventBody, Observation, OperatingSystem, ProcessDump, base_name};
use incident::{IncidentKind, JoinKey, JoinedIncident};

/// How many of the dumps that events name a sentence lists.
const NAMED: usize = 3;

/// The kind of the remark about dumps with all memory.
const ALL_MEMORY: &str = "dump-with-all-memory";

/// The logs in which incidents are recorded.
const LOGS: [&str; 2] = ["Application", "System"];

/// What an incident's evidence shows, as far as coverage needs it.
#[derive(Debug, Clone, Default)]
pub struct EvidenceSummary {
    /// Whether a minidump of the process is there.
    pub(super) dump: bool,
    /// Whether a kernel dump is there.
    pub(super) kernel_dump: bool,
    /// The path of a kernel dump that an event names as written.
    pub(super) named_dump: Option<Arc<str>>,
    /// Which of the two logs have a record of it. The record can be later than the incident.
    pub(super) recorded: BTreeSet<&'static str>,
    /// The logs of the two that have none of its evidence, where all of it is records of logs.
    pub(super) of_another_log: Vec<&'static str>,
    /// What its dumps lack, as kinds of gaps; each once a dump.
    pub(super) lacks: Vec<&'static str>,
    /// How many of its dumps hold all memory of the program or of the computer.
    pub(super) with_all_memory: usize,
}

impl EvidenceSummary {
    /// What the evidence of an incident shows.
    #[must_use]
    pub fn new(joined: &JoinedIncident<'_>) -> Self {
        let mut shown = Self::default();
        let channels: Option<Vec<&str>> = joined
            .evidence
            .items
            .iter()
            .take(joined.evidence.sightings.len())
            .map(|item| match &item.observation {
                Observation::Event(event) => event.content.channel.as_deref(),
                _ => None,
            })
            .collect();
        if let Some(channels) = channels.filter(|channels| !channels.is_empty()) {
            let is_another = |log: &&str| channels.iter().all(|channel| !channel.eq_ignore_ascii_case(log));
            shown.of_another_log = LOGS.into_iter().filter(is_another).collect();
        }
        for (item, shows) in joined.evidence.items.iter().zip(&joined.incident.evidence) {
            // A copy lacks what the original lacks.
            let is_copy = shows.joined_by.is_some_and(|joined| joined.key == JoinKey::Copy);
            let has_all_memory = match &item.observation {
                Observation::Process(dump) => dump.all_memory,
                Observation::Kernel(dump) => dump.all_memory,
                _ => false,
            };
            shown.with_all_memory = shown.with_all_memory.saturating_add(usize::from(has_all_memory && !is_copy));
            match &item.observation {
                Observation::Process(dump) => {
                    shown.dump = true;
                    shown.lacks.extend(lacks(dump).filter(|_| !is_copy));
                }
                Observation::Kernel(dump) => {
                    shown.kernel_dump = true;
                    if !is_copy && dump.drivers.is_empty() && dump.frames.is_empty() {
                        shown.lacks.push("kernel-dump-of-header");
                    }
                }
                Observation::Event(event) => {
                    let channel = event.content.channel.as_deref().unwrap_or_default();
                    shown.recorded.extend(LOGS.into_iter().filter(|log| log.eq_ignore_ascii_case(channel)));
                    if let EventBody::BugCheck { dump_path: Some(path), .. } = &event.content.body {
                        shown.named_dump.get_or_insert_with(|| Arc::clone(path));
                    }
                }
                Observation::Wer(_) | Observation::Ticket(_) | Observation::Sigma(_) => {}
            }
        }
        shown
    }
}

/// The kinds of gaps that a minidump of Windows has.
fn lacks(dump: &ProcessDump) -> impl Iterator<Item = &'static str> {
    let is_of_windows = dump.system.os == OperatingSystem::Windows;
    let modules = dump.modules.as_deref().unwrap_or_default();
    // wow64.dll, which runs 32-bit programs, is only in dumps that show the process with 64 bits.
    let has_layer = modules.iter().any(|module| base_name(&module.path).eq_ignore_ascii_case("wow64.dll"));
    let lacks = [
        (dump.exception.is_none(), "dump-without-exception"),
        (modules.is_empty(), "dump-without-modules"),
        (dump.system.cpu == CpuArchitecture::X64 && has_layer, "dump-by-64-bit-tool"),
    ];
    lacks.into_iter().filter(move |(lacks, _)| is_of_windows && *lacks).map(|(_, kind)| kind)
}

/// Adds the gaps of a computer's dumps.
pub(super) fn gaps(host: &Host<'_>, gaps: &mut Vec<Gap>) {
    let of_process = |judged: &Judged| matches!(judged.incident.kind, IncidentKind::Crash | IncidentKind::Hang);
    let of_system = |judged: &Judged| judged.incident.kind == IncidentKind::Bugcheck;
    missing(host, "no-dump", of_process, |shown| shown.dump, gaps);
    missing(host, "no-kernel-dump", of_system, |shown| shown.kernel_dump, gaps);
    let name = host.name.as_ref();
    for (kind, sentences) in kinds() {
        let Some((one, many)) = sentences else { continue };
        let with = host.incidents.iter().filter(|(_, shown)| shown.lacks.contains(&kind));
        let count = with.clone().flat_map(|(_, shown)| &shown.lacks).filter(|lack| **lack == kind).count();
        if count > 0 {
            let of = name.map_or_else(String::new, |name| format!(" ({name})"));
            let says = format!("{}{of}", counted_as(count, one, many));
            gaps.push(Gap { count, ..Gap::new(kind, name, says).helping(with.map(|(judged, _)| *judged)) });
        }
    }
}

/// Adds that dumps hold all memory, and with it what nobody wants to pass on.
pub(super) fn with_all_memory(shown: &[EvidenceSummary], gaps: &mut Vec<Gap>) {
    let count = shown.iter().map(|shown| shown.with_all_memory).fold(0, usize::saturating_add);
    if count > 0 {
        let says = counted_as(
            count,
            "dump holds all memory of its program or PC, with the passwords, keys and documents in it: pass on the output of \
             `crashsift bundle` or a small dump instead",
            "dumps hold all memory of their programs or PCs, with the passwords, keys and documents in it: pass on the \
             output of `crashsift bundle` or small dumps instead",
        );
        gaps.push(Gap { count, ..Gap::new(ALL_MEMORY, None, says) });
    }
}

/// Adds that incidents have no dump.
fn missing(
    host: &Host<'_>,
    kind: &'static str,
    about: impl Fn(&Judged) -> bool,
    has_dump: impl Fn(&EvidenceSummary) -> bool,
    gaps: &mut Vec<Gap>,
) {
    let all: Vec<_> = host.incidents.iter().filter(|(judged, _)| about(judged)).collect();
    let without: Vec<_> = all.iter().filter(|(_, shown)| !has_dump(shown)).collect();
    if without.is_empty() {
        return;
    }
    let name = host.name.as_ref();
    let whose = name.map_or_else(|| " whose computer is not known".to_owned(), |name| format!(" of {name}"));
    let hangs = all.iter().filter(|(judged, _)| judged.incident.kind == IncidentKind::Hang).count();
    let (incidents, dumps) = match kind {
        "no-dump" if hangs == 0 => (counted(all.len(), "crash"), "minidump"),
        "no-dump" if hangs == all.len() => (counted(all.len(), "hang"), "minidump"),
        "no-dump" => (counted_as(all.len(), "crash or hang", "crashes and hangs"), "minidump"),
        _ => (counted(all.len(), "stop"), "kernel dump"),
    };
    let (count, total) = (without.len(), all.len());
    let mut says = match (total, count == total) {
        (1, _) => format!("no {dumps} of the {}{whose}", incidents.trim_start_matches("1 ")),
        (_, true) => format!("no {dumps} of any of the {incidents}{whose}"),
        _ => format!("{incidents}{whose}, {dumps}s of {}", total - count),
    };
    let named: BTreeSet<&str> = without.iter().filter_map(|(_, shown)| shown.named_dump.as_deref()).collect();
    if !named.is_empty() {
        let shown: Vec<&str> = named.iter().copied().take(NAMED).collect();
        says.push_str(&format!("; event 1001 names {}", shown.join(", ")));
        match named.len().saturating_sub(NAMED) {
            0 => {}
            more => says.push_str(&format!(" and {more} more")),
        }
    }
    let gap = Gap::new(kind, name, says).helping(without.iter().map(|(judged, _)| *judged));
    gaps.push(Gap { of: Some(total), ..gap });
}
