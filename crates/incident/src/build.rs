//! From joined evidence to an incident: each fact from the evidence that knows it best, contradictions kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::environment::{self, Environment};
use super::fault_site::{self, Carriers};
use super::gathered::{CrashRecord, Gathered};
use super::sighting::{Item, Sighting};
use super::{
    Bugcheck, EvidenceItem, ExceptionFacts, Incident, IncidentKind, JoinedBy, Process, bugcheck, context,
    contradictions, join, kernel_site, same_process, says, signature, text_stack,
};
use evidence::{Address, EventBody, ExceptionCode, FastFailCode, OperatingSystem, ProcessDump, base_name};
use windows_codes::Knowledge;

/// An incident with the evidence it was made of.
#[derive(Debug)]
pub struct Built<'i> {
    /// The incident.
    pub incident: Incident,
    /// Its evidence.
    pub gathered: Gathered<'i>,
    /// What surrounds its process.
    pub environment: Environment<'i>,
}

/// Joins the items and builds an incident of each group, earliest first, those without a time last.
#[must_use]
pub fn incidents<'i>(
    items: &'i [Item],
    sightings: &'i [Sighting],
    knowledge: &Knowledge,
    carriers: &dyn Carriers,
) -> Vec<Built<'i>> {
    let groups = join::join(sightings, items);
    let contexts = context::contexts(&groups, sightings, items);
    let mut several: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let item_of = |index: &usize| sightings.get(*index).map(|sighting| sighting.item);
    for group in groups.iter().filter(|group| !group.fits.is_empty()) {
        let text = group.members.first().and_then(item_of);
        several.extend(text.map(|text| (text, group.fits.iter().filter_map(item_of).collect())));
    }
    let mut built: Vec<Built<'i>> = groups
        .into_par_iter()
        .zip(contexts)
        .filter_map(|(group, context)| {
            let sightings: Vec<&Sighting> = group.members.iter().filter_map(|index| sightings.get(*index)).collect();
            let told = sightings.iter().map(|sighting| sighting.item);
            let mut joined_by = group.joined_by;
            joined_by.extend(context.iter().filter_map(|index| items.get(*index)).map(context::joined_by).map(Some));
            let items = told.chain(context).filter_map(|index| items.get(index)).collect();
            build(Gathered { sightings, items }, joined_by, knowledge, carriers)
        })
        .collect();
    distinguish(&mut built);
    tell_several(&mut built, &several);
    same_process::tell_others(&mut built);
    built.sort_by(|a, b| {
        let key = |built: &Built<'_>| (built.incident.time.is_none(), built.incident.time);
        key(a).cmp(&key(b)).then_with(|| a.incident.id.cmp(&b.incident.id))
    });
    built
}

/// Tells of texts of which incidents they may tell. `several` has, by the item of such a text, an item of each.
fn tell_several(built: &mut [Built<'_>], several: &BTreeMap<usize, Vec<usize>>) {
    const NAMED: usize = 4;
    if several.is_empty() {
        return;
    }
    let items = |built: &Built<'_>| built.gathered.sightings.iter().map(|sighting| sighting.item).collect::<Vec<_>>();
    let ids: BTreeMap<usize, String> = built
        .iter()
        .flat_map(|one| items(one).into_iter().map(|item| (item, one.incident.id.clone())).collect::<Vec<_>>())
        .collect();
    for one in built {
        let of = items(one).iter().find_map(|item| several.get(item)).map(Vec::as_slice).unwrap_or_default();
        let of: BTreeSet<&String> = of.iter().filter_map(|item| ids.get(item)).collect();
        if of.len() < 2 {
            continue;
        }
        one.incident.may_be_of = of.into_iter().cloned().collect();
        let named: Vec<&str> = one.incident.may_be_of.iter().take(NAMED).map(String::as_str).collect();
        let more = match one.incident.may_be_of.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        one.incident.remarks.push(format!(
            "This text may tell of any of {} incidents, and does not say of which: {}{more}. It is not counted among them.",
            one.incident.may_be_of.len(),
            named.join(", "),
        ));
    }
}

fn build<'i>(
    gathered: Gathered<'i>,
    joined_by: Vec<Option<JoinedBy>>,
    knowledge: &Knowledge,
    carriers: &dyn Carriers,
) -> Option<Built<'i>> {
    let kind = kind(&gathered)?;
    let records = gathered.crash_records();
    let process = process(&gathered, &records);
    let exception = exception(&gathered, &records, knowledge);
    let bugcheck = bugcheck::bugcheck(&gathered, knowledge);
    let kernel = gathered.kernel_dump().filter(|_| gathered.dump().is_none()).map(|(_, dump)| dump);
    let (site, suspect) = if let Some(dump) = kernel {
        (kernel_site::fault_site(dump, knowledge, carriers), kernel_site::suspect(dump, knowledge, carriers))
    } else {
        let site = fault_site::fault_site(&gathered, carriers).map(|(_, site)| site);
        let code = exception.as_ref().map(|exception| exception.code);
        let suspect = fault_site::suspect(&gathered, site.as_ref(), code, carriers);
        text_stack::completed(&gathered, site, suspect, knowledge, carriers)
    };
    let parts = signature::Parts {
        kind,
        process: process.as_ref(),
        exception: exception.as_ref(),
        bugcheck: bugcheck.as_ref(),
        fault_site: site.as_ref(),
        suspect: suspect.as_ref(),
    };
    let signature = parts.signature(&gathered);
    let environment = environment::environment(&gathered, knowledge);
    let evidence = gathered
        .items
        .iter()
        .zip(joined_by)
        .map(|(item, joined_by)| EvidenceItem {
            joined_by,
            artifact: item.artifact,
            place: item.place.clone(),
            says: says::says(&item.observation, knowledge),
        })
        .collect();
    let named = gathered.sightings.iter().find_map(|sighting| sighting.host.clone());
    let by_folder = || folder_host(&gathered);
    let incident = Incident {
        id: String::new(),
        kind,
        time: time(&gathered),
        host_by_folder: named.is_none() && by_folder().is_some(),
        host: named.or_else(by_folder),
        may_be_of: Vec::new(),
        crashed_later: None,
        environment: context::described(environment::card(&gathered, &environment, knowledge), &gathered, knowledge),
        remarks: remarks(&gathered).into_iter().chain(bugcheck.as_ref().and_then(live_remark)).collect(),
        process,
        exception,
        bugcheck,
        fault_site: site,
        suspect,
        signature,
        evidence,
    };
    Some(Built { incident, gathered, environment })
}

/// The computer that the folders of the evidence stand for, if that is one.
fn folder_host(gathered: &Gathered<'_>) -> Option<Arc<str>> {
    let mut hosts = gathered.sightings.iter().filter_map(|sighting| sighting.folder_host.as_ref());
    let first = hosts.next()?;
    hosts.all(|other| other.eq_ignore_ascii_case(first)).then(|| Arc::clone(first))
}

/// A stop outweighs the record that only says "no shutdown"; else the best-ranked evidence decides.
fn kind(gathered: &Gathered<'_>) -> Option<IncidentKind> {
    let kinds = || gathered.sightings.iter().map(|sighting| sighting.kind);
    if kinds().any(|kind| kind == IncidentKind::Bugcheck) { Some(IncidentKind::Bugcheck) } else { kinds().next() }
}

/// When it happened. Records about a restart are written when the system is up again; what they say about the moment
/// before is better, and so is the dump's own time.
fn time(gathered: &Gathered<'_>) -> Option<Timestamp> {
    let stop = gathered.kernel_dump().and_then(|(_, dump)| dump.time);
    let alive = gathered.event(|body| match body {
        EventBody::UncleanShutdown { last_alive } => *last_alive,
        _ => None,
    });
    let event = gathered.event(|body| matches!(body, EventBody::ApplicationError { .. }).then_some(()));
    let of_crash_event =
        event.and_then(|(number, ())| gathered.sightings.get(number)).and_then(|sighting| sighting.time);
    // A dump of the process while it was running has the time at which somebody wrote it.
    let earliest = |kind: Option<IncidentKind>| {
        let fits = |sighting: &&&Sighting| kind.is_none_or(|kind| sighting.kind == kind);
        gathered.sightings.iter().filter(fits).filter_map(|sighting| sighting.time).min()
    };
    // The event's time is exact to 100 ns; the dump's is whole seconds.
    stop.or(of_crash_event)
        .or(alive.map(|(_, time)| time))
        .or_else(|| earliest(kind(gathered)))
        .or_else(|| earliest(None))
}

fn process(gathered: &Gathered<'_>, records: &[(usize, CrashRecord)]) -> Option<Process> {
    let mut process = Process::default();
    if let Some((_, dump)) = gathered.dump() {
        if let Some(module) = dump.executable() {
            process.name = Some(Arc::from(module.name()));
            process.version = module.version;
            process.path = module.path.contains(['\\', '/']).then(|| Arc::clone(&module.path));
        }
        process.pid = dump.pid;
        process.started = dump.started;
    }
    for (_, record) in records {
        // Some records hold a path where others hold a name.
        let app_is_path = record.app.as_deref().is_some_and(|app| app.contains(['\\', '/']));
        let path = record.app_path.clone().or_else(|| record.app.clone().filter(|_| app_is_path));
        let of_path = path.as_deref().map(|path| Arc::from(base_name(path)));
        process.name = process.name.or(of_path).or_else(|| record.app.clone());
        process.version = process.version.or(record.app_version);
        process.path = process.path.or(path);
        process.pid = process.pid.or(record.pid);
        // An event knows the start to 100 ns, a dump to the second.
        if record.started.is_some() && process.started.is_none_or(|started| started.subsec_nanosecond() == 0) {
            process.started = record.started;
        }
    }
    if process.pid.is_none() {
        process.pid = gathered.sightings.iter().find_map(|sighting| sighting.pid);
    }
    (process != Process::default()).then_some(process)
}

fn exception(
    gathered: &Gathered<'_>,
    records: &[(usize, CrashRecord)],
    knowledge: &Knowledge,
) -> Option<ExceptionFacts> {
    let fast_fail_of_record = records.iter().find_map(|(_, record)| record.fast_fail);
    let with_name = |code: FastFailCode| (code, knowledge.fast_fail_name(code).map(Arc::from));
    if let Some((exception, dump)) = gathered.dump().and_then(|(_, dump)| Some((dump.exception.as_ref()?, dump))) {
        let windows = dump.system.os == OperatingSystem::Windows;
        let name = match &exception.foreign_reason {
            Some(reason) => Some(Arc::clone(reason)),
            None => knowledge.exception_name(exception.code).map(Arc::from),
        };
        let fast_fail = (windows && exception.code == ExceptionCode::FAST_FAIL)
            .then(|| exception.parameters.first().and_then(|code| u32::try_from(*code).ok()).map(FastFailCode))
            .flatten()
            .or(fast_fail_of_record);
        return Some(ExceptionFacts {
            code: exception.code,
            name,
            address: Some(exception.address),
            parameters: Some(exception.parameters.clone()),
            fast_fail: fast_fail.map(with_name),
            access: windows.then(|| access(dump)).flatten().map(|(kind, address)| (Some(kind), address)),
        });
    }
    let code = records.iter().find_map(|(_, record)| record.code)?;
    let address = gathered.tickets().find_map(|(_, ticket)| ticket.access_address);
    Some(ExceptionFacts {
        code,
        name: knowledge.exception_name(code).map(Arc::from),
        address: None,
        parameters: None,
        fast_fail: fast_fail_of_record.filter(|_| code == ExceptionCode::FAST_FAIL).map(with_name),
        access: address.map(|address| (None, address)),
    })
}

/// What an access violation or in-page error wanted: parameter 0 is 0 for reading, 1 for writing, 8 for executing;
/// parameter 1 is the address.
///
/// Source: `EXCEPTION_RECORD` of the Windows API documentation.
fn access(dump: &ProcessDump) -> Option<(&'static str, Address)> {
    let exception = dump.exception.as_ref()?;
    if !matches!(exception.code, ExceptionCode::ACCESS_VIOLATION | ExceptionCode::IN_PAGE_ERROR) {
        return None;
    }
    let kind = match exception.parameters.first()? {
        0 => "read",
        1 => "write",
        8 => "execute",
        _ => return None,
    };
    let mut address = *exception.parameters.get(1)?;
    if !dump.system.cpu.is_64_bit() {
        address &= 0xFFFF_FFFF;
    }
    Some((kind, Address(address)))
}

/// What contradicts itself or limits what can be concluded.
fn remarks(gathered: &Gathered<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    let dump = gathered.dump();
    remarks.extend(contradictions::contradictions(gathered));
    let former: BTreeSet<&str> = gathered.items.iter().filter_map(|item| item.former_host.as_deref()).collect();
    for name in former {
        remarks.push(format!("The log calls the computer {name} at that time, and by its present name later."));
    }
    for (number, ticket) in gathered.tickets() {
        remarks.extend(ticket.contradictions.iter().map(|other| {
            format!("e{} also says {} {} (line {}).", number.saturating_add(1), other.of, other.value, other.line)
        }));
    }
    if gathered.sightings.iter().all(|sighting| sighting.logged_later) {
        remarks.push(
            "The time is when Windows Error Reporting logged its report; what it reports may be days older.".to_owned(),
        );
    }
    if let Some((_, dump)) = dump {
        if dump.exception.is_none() {
            remarks.push(
                "The dump holds no exception: it was written while the process was running, and does not show a crash."
                    .to_owned(),
            );
        }
        if dump.modules.is_some() && !dump.modules_complete {
            remarks
                .push("The dump's module list has gaps: a module that is not in it may have been loaded.".to_owned());
        }
    }
    remarks
}

/// What must be said of a live kernel report: it has the format of a stop and is none.
fn live_remark(bugcheck: &Bugcheck) -> Option<String> {
    bugcheck.live.then(|| "Only live kernel reports carry this code: the system noticed it and went on.".to_owned())
}

/// Gives each incident an id made from what its evidence says, not from where the files lay nor from what rule sets say of
/// modules. Two that say the same (the same record in two logs that can't be joined) are told apart by a number.
fn distinguish(built: &mut [Built<'_>]) {
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    let mut order: Vec<usize> = (0..built.len()).collect();
    order.sort_by_cached_key(|index| built.get(*index).map(first_place));
    for index in order {
        let Some(one) = built.get_mut(index) else { continue };
        let key = fingerprint(&one.incident, &one.gathered);
        let count = seen.entry(key).or_insert(0);
        *count = count.saturating_add(1);
        one.incident.id = if *count == 1 { format!("{key:016x}") } else { format!("{key:016x}-{count}") };
    }
}

fn first_place(built: &Built<'_>) -> Option<(usize, super::Place)> {
    built.incident.evidence.iter().map(|item| (item.artifact, item.place.clone())).min()
}

fn fingerprint(incident: &Incident, gathered: &Gathered<'_>) -> u64 {
    let mut hash = Xxh3::new();
    let mut add = |part: &str| {
        hash.update(part.as_bytes());
        hash.update(&[0]);
    };
    add(incident.kind.word());
    add(&incident.time.map_or_else(String::new, |time| time.to_string()));
    // Neither the domain nor what lay beside it is what an incident is known by.
    let host = incident.host.as_deref().filter(|_| !incident.host_by_folder).unwrap_or_default();
    add(&context::short(host));
    if let Some(process) = &incident.process {
        add(&process.name.as_deref().unwrap_or_default().to_lowercase());
        add(&process.pid.map_or_else(String::new, |pid| pid.to_string()));
        add(&process.started.map_or_else(String::new, |time| time.as_second().to_string()));
    }
    // Which module is the suspect is a judgement, by lists that a rule set can extend.
    let parts = signature::Parts {
        kind: incident.kind,
        process: incident.process.as_ref(),
        exception: incident.exception.as_ref(),
        bugcheck: incident.bugcheck.as_ref(),
        fault_site: incident.fault_site.as_ref(),
        suspect: None,
    };
    add(&parts.signature(gathered).fine);
    let mut says: Vec<&str> = incident.evidence.iter().map(|item| item.says.as_str()).collect();
    says.sort_unstable();
    says.dedup();
    for sentence in says {
        add(sentence);
    }
    // Of a text the sentence tells next to nothing.
    gathered.texts().iter().for_each(|text| add(&format!("{text:016x}")));
    hash.digest()
}
