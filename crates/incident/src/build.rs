//! From joined evidence to an incident: each fact is taken from the evidence that knows it best, and contradictions are
//! kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::bugcheck::bugcheck;
use super::context;
use super::contradictions::contradictions;
use super::crash_record::CrashRecord;
use super::dump_state;
use super::environment::{self, Environment, card};
use super::fault_site::{self, Carriers};
use super::host_names::short_host;
use super::incident::{
    Access, EvidenceItem, ExceptionFacts, FastFail, Incident, IncidentKind, JoinedBy, Process, Signature,
};
use super::join;
use super::joined_evidence::JoinedEvidence;
use super::kernel_site;
use super::mechanism::mechanism;
use super::messages::{MessageReader, Messages};
use super::needed;
use super::other_software;
use super::same_process;
use super::sentence::sentence;
use super::sessions::Sessions;
use super::sighting::Sighting;
use super::signature::signature;
use super::sourced_evidence::SourcedEvidence;
use super::stack;
use super::text_stack;
use super::thrown;
use super::waits;
use evidence::{
    Address, DumpReason, EventBody, ExceptionCode, FastFailCode, Observation, OperatingSystem, Place, ProcessDump,
    base_name, has_folder,
};
use windows_codes::Knowledge;

/// An incident with the evidence that was joined to it, and the environment that the evidence shows.
#[derive(Debug)]
pub struct JoinedIncident<'i> {
    /// The incident.
    pub incident: Incident,
    /// Its evidence.
    pub evidence: JoinedEvidence<'i>,
    /// What surrounds its process.
    pub environment: Environment<'i>,
}

/// Joins the sightings and makes an incident of each group, earliest first, those without a time last. `sightings` are
/// those of `items`, from [`sightings`](super::sightings); `read_message` reads the messages of events.
#[must_use]
pub fn incidents<'i>(
    items: &'i [SourcedEvidence],
    sightings: &'i [Sighting<'i>],
    carriers: &dyn Carriers,
    read_message: &MessageReader<'_>,
) -> Vec<JoinedIncident<'i>> {
    let groups = join::join(items, sightings);
    let sessions = Sessions::new(items, sightings);
    let contexts = context::contexts(&groups, items);
    let of_contexts = contexts.iter().flatten().filter_map(|index| items.get(*index));
    let of_incidents = sightings.iter().map(|sighting| sighting.evidence).chain(of_contexts);
    let messages = Messages::new(of_incidents, read_message);
    let mut several: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for group in groups.iter().filter(|group| !group.fits.is_empty()) {
        let fits = group.fits.iter().map(|sighting| sighting.item).collect();
        several.extend(group.members.first().map(|text| (text.item, fits)));
    }
    let mut joined: Vec<JoinedIncident<'i>> = groups
        .into_par_iter()
        .zip(contexts)
        .filter_map(|(group, context)| {
            let (sightings, mut joined_by) = (group.members, group.joined_by);
            let context: Vec<&SourcedEvidence> = context.iter().filter_map(|index| items.get(*index)).collect();
            joined_by.extend(context.iter().map(|item| Some(context::joined_by(item))));
            let items: Vec<&SourcedEvidence> =
                sightings.iter().map(|sighting| sighting.evidence).chain(context).collect();
            let messages = items.iter().enumerate().filter_map(|(number, item)| Some((number, messages.of(item)?)));
            let messages = messages.collect();
            build(JoinedEvidence { sightings, items, messages }, joined_by, carriers, &sessions)
        })
        .collect();
    set_ids(&mut joined);
    remark_on_ambiguous_texts(&mut joined, &several);
    same_process::remark_on_failures(&mut joined);
    joined.sort_by(|a, b| {
        let key = |joined: &JoinedIncident<'_>| (joined.incident.time.is_none(), joined.incident.time);
        key(a).cmp(&key(b)).then_with(|| a.incident.id.cmp(&b.incident.id))
    });
    joined
}

/// Adds to texts that fit several incidents which ones these are. `several` has, by the item of such a text, an item of
/// each.
fn remark_on_ambiguous_texts(joined: &mut [JoinedIncident<'_>], several: &BTreeMap<usize, Vec<usize>>) {
    const NAMED: usize = 4;
    if several.is_empty() {
        return;
    }
    let ids: BTreeMap<usize, String> = joined
        .iter()
        .flat_map(|one| one.evidence.sightings.iter().map(|sighting| (sighting.item, one.incident.id.clone())))
        .collect();
    for one in joined {
        let fits = one.evidence.sightings.iter().find_map(|sighting| several.get(&sighting.item));
        let fits = fits.map(Vec::as_slice).unwrap_or_default();
        let fits: BTreeSet<&String> = fits.iter().filter_map(|item| ids.get(item)).collect();
        if fits.len() < 2 {
            continue;
        }
        one.incident.may_be_of = fits.into_iter().cloned().collect();
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
    evidence: JoinedEvidence<'i>,
    joined_by: Vec<Option<JoinedBy>>,
    carriers: &dyn Carriers,
    sessions: &Sessions,
) -> Option<JoinedIncident<'i>> {
    let kind = kind(&evidence)?;
    let session = sessions.end(&evidence);
    let records = evidence.crash_records();
    let exception = exception(&evidence, &records);
    let bugcheck = bugcheck(&evidence);
    let kernel = evidence.kernel_dump().filter(|_| evidence.dump().is_none());
    let (fault_site, suspect) = if let Some((_, dump)) = kernel {
        kernel_site::site_and_suspect(dump, carriers)
    } else {
        let site = fault_site::fault_site(&evidence, carriers);
        let code = exception.as_ref().map(|exception| exception.code);
        let suspect = fault_site::suspect(&evidence, site.as_ref(), code, carriers);
        text_stack::completed(&evidence, site, suspect, carriers)
    };
    let suspect = suspect.map(|suspect| suspect.of_product(carriers));
    let process = process(&evidence, &records);
    let mechanism = mechanism(&evidence, exception.as_ref(), fault_site.as_ref(), process.as_ref());
    let mechanism = mechanism.filter(|_| kernel.is_none());
    let environment = environment::environment(&evidence);
    let mut card = card::card(&evidence, &environment);
    context::add_stated(&mut card, &evidence);
    let items = evidence
        .items
        .iter()
        .zip(joined_by)
        .map(|(item, joined_by)| EvidenceItem {
            joined_by,
            artifact: item.artifact,
            place: item.place.clone(),
            sentence: sentence(&item.observation),
        })
        .collect();
    let named = evidence.sightings.iter().find_map(|sighting| sighting.host.clone());
    let by_folder = if named.is_none() { folder_host(&evidence) } else { None };
    let mut remarks = remarks(&evidence);
    if bugcheck.as_ref().is_some_and(|bugcheck| bugcheck.live) {
        remarks.push("Only live kernel reports carry this code: the system noticed it and went on.".to_owned());
    }
    let mut incident = Incident {
        id: String::new(),
        kind,
        time: time(&evidence, session.time),
        shut_down: session.shut_down,
        host_by_folder: by_folder.is_some(),
        host: named.or(by_folder),
        may_be_of: Vec::new(),
        crashed_later: None,
        environment: card,
        remarks,
        process,
        exception,
        bugcheck,
        fault_site,
        mechanism,
        suspect,
        stack: stack::stack(&evidence),
        symbols_needed: needed::needed(&evidence),
        thrown: thrown::thrown(&evidence),
        dump: dump_state::dump_state(&evidence),
        other_software: other_software::other_software(&evidence, carriers),
        built_with: other_software::components(&evidence, carriers),
        signature: Signature::default(),
        evidence: items,
    };
    incident.signature = signature(&incident, incident.suspect.as_ref(), &evidence);
    // By the signature, incidents of which only the driver names the program stay alike.
    if let Some(process) = incident.process.as_mut().filter(|process| process.name.is_none()) {
        process.name = named_by_driver(&evidence).map(Arc::from);
    }
    Some(JoinedIncident { incident, evidence, environment })
}

/// The computer whose event logs are in the folders of the evidence, if that is one.
fn folder_host(evidence: &JoinedEvidence<'_>) -> Option<Arc<str>> {
    let mut hosts = evidence.sightings.iter().filter_map(|sighting| sighting.folder_host.as_ref());
    let first = hosts.next()?;
    hosts.all(|other| other.eq_ignore_ascii_case(first)).then(|| Arc::clone(first))
}

/// The kind of the best-ranked evidence, but a blue screen outweighs a record that only reports "no shutdown".
fn kind(evidence: &JoinedEvidence<'_>) -> Option<IncidentKind> {
    let kinds = || evidence.sightings.iter().map(|sighting| sighting.kind);
    if kinds().any(|kind| kind == IncidentKind::Bugcheck) { Some(IncidentKind::Bugcheck) } else { kinds().next() }
}

/// When it happened. Records about a restart are written when the system is up again; the end of the session before is
/// better, and so is the dump's own time.
fn time(evidence: &JoinedEvidence<'_>, session_end: Option<Timestamp>) -> Option<Timestamp> {
    let stop = evidence.kernel_dump().and_then(|(_, dump)| dump.time);
    let is_crash_event =
        |sighting: &&&Sighting<'_>| matches!(sighting.event_body(), Some(EventBody::ApplicationError(_)));
    let crash_event = evidence.sightings.iter().find(is_crash_event).and_then(|sighting| sighting.time);
    // A dump of the process while it was running has the time at which somebody wrote it.
    let earliest = |kind: Option<IncidentKind>| {
        let fits = |sighting: &&&Sighting<'_>| kind.is_none_or(|kind| sighting.kind == kind);
        evidence.sightings.iter().filter(fits).filter_map(|sighting| sighting.time).min()
    };
    // The event's time is exact to 100 ns; the dump's is whole seconds.
    stop.or(crash_event).or(session_end).or_else(|| earliest(kind(evidence))).or_else(|| earliest(None))
}

fn process(evidence: &JoinedEvidence<'_>, records: &[(usize, CrashRecord<'_>)]) -> Option<Process> {
    let mut process = Process::default();
    if let Some((_, dump)) = evidence.dump() {
        if let Some(module) = dump.executable() {
            process.name = Some(Arc::from(module.name()));
            process.version = module.version;
            process.path = has_folder(&module.path).then(|| Arc::clone(&module.path));
        }
        process.pid = dump.pid;
        process.started = dump.started;
    }
    for (_, record) in records {
        // Some records hold a path where others hold a name.
        let path = record.app_path.or(record.app.filter(|app| has_folder(app)));
        process.name = process.name.or_else(|| path.map(base_name).or(record.app).map(Arc::from));
        process.version = process.version.or(record.app_version);
        process.path = process.path.or_else(|| path.map(Arc::from));
        process.pid = process.pid.or(record.pid);
        // An event knows the start to 100 ns, a dump to the second.
        if record.started.is_some() && process.started.is_none_or(|started| started.subsec_nanosecond() == 0) {
            process.started = record.started;
        }
    }
    process.pid = process.pid.or_else(|| evidence.sightings.iter().find_map(|sighting| sighting.pid));
    (process != Process::default()).then_some(process)
}

/// The program that the record of NVIDIA's OpenGL driver names behind process and thread:
/// `(pid=32376 tid=11 tool.exe 64bit)`.
fn named_by_driver<'e>(evidence: &JoinedEvidence<'e>) -> Option<&'e str> {
    let named = evidence.event(|body| match body {
        EventBody::OpenGlDriver { text, .. } => program_behind_thread(text),
        _ => None,
    });
    named.map(|(_, program)| program)
}

fn program_behind_thread(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("(pid=")?;
    let (_, behind) = behind.split_once(" tid=")?;
    let (_, behind) = behind.split_once(' ')?;
    let (inside, _) = behind.split_once(')')?;
    let (program, _) = inside.rsplit_once(' ')?;
    let program = base_name(program.trim());
    (!program.is_empty()).then_some(program)
}

/// The name of an exception's code; some runtimes end a process with an HRESULT.
fn exception_name(code: ExceptionCode) -> Option<&'static str> {
    Knowledge.exception_name(code).or_else(|| Knowledge.hresult_name(code.0))
}

fn exception(evidence: &JoinedEvidence<'_>, records: &[(usize, CrashRecord<'_>)]) -> Option<ExceptionFacts> {
    let fast_fail_of_record = records.iter().find_map(|(_, record)| record.fast_fail);
    let with_name = |code: FastFailCode| FastFail { code, name: Knowledge.fast_fail_name(code).map(Arc::from) };
    let recorded = records.iter().find_map(|(_, record)| record.code);
    // What a process survived is not what a record shows that ended it.
    let dump = evidence.dump().map(|(_, dump)| dump).filter(|dump| dump.requested.is_none() || recorded.is_none());
    if let Some((exception, dump)) = dump.and_then(|dump| Some((dump.raised()?, dump))) {
        let windows = dump.system.os == OperatingSystem::Windows;
        let name = match &exception.foreign_reason {
            Some(reason) => Some(Arc::clone(reason)),
            None => exception_name(exception.code).map(Arc::from),
        };
        let fast_fail = (windows && exception.code == ExceptionCode::FAST_FAIL)
            .then(|| exception.parameters.first().and_then(|code| u32::try_from(*code).ok()).map(FastFailCode))
            .flatten()
            .or(fast_fail_of_record);
        return Some(ExceptionFacts {
            code: exception.code,
            name,
            address: Some(exception.address),
            recorded_code: recorded_code(evidence, records, exception.code),
            parameters: Some(exception.parameters.clone()),
            fast_fail: fast_fail.map(with_name),
            access: windows.then(|| access(dump)).flatten(),
        });
    }
    let code = recorded?;
    let address = evidence.tickets().find_map(|(_, ticket)| ticket.access_address);
    Some(ExceptionFacts {
        code,
        name: exception_name(code).map(Arc::from),
        address: None,
        recorded_code: None,
        parameters: None,
        fast_fail: fast_fail_of_record.filter(|_| code == ExceptionCode::FAST_FAIL).map(with_name),
        access: address.map(|address| Access { kind: None, address }),
    })
}

/// The code that an event or a report recorded, if it is another one than that of the dump.
fn recorded_code(
    evidence: &JoinedEvidence<'_>,
    records: &[(usize, CrashRecord<'_>)],
    of_dump: ExceptionCode,
) -> Option<ExceptionCode> {
    let is_text = |number: usize| {
        evidence.items.get(number).is_some_and(|item| matches!(item.observation, Observation::Ticket(_)))
    };
    let recorded = records.iter().filter(|(number, _)| !is_text(*number));
    recorded.filter_map(|(_, record)| record.code).find(|code| *code != of_dump)
}

/// What an access violation or in-page error tried to access, and how: parameter 0 is 0 for reading, 1 for writing, 8 for executing;
/// parameter 1 is the address.
///
/// Source: `EXCEPTION_RECORD` of the Windows API documentation.
fn access(dump: &ProcessDump) -> Option<Access> {
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
    Some(Access { kind: Some(kind), address: Address(address) })
}

/// What contradicts itself or limits what can be concluded.
fn remarks(evidence: &JoinedEvidence<'_>) -> Vec<String> {
    let mut remarks = contradictions(evidence);
    let former: BTreeSet<&str> = evidence.items.iter().filter_map(|item| item.former_host.as_deref()).collect();
    for name in former {
        remarks.push(format!("The log calls the computer {name} at that time, and by its present name later."));
    }
    for (number, ticket) in evidence.tickets() {
        remarks.extend(ticket.contradictions.iter().map(|other| {
            format!("e{} also says {} {} (line {}).", number.saturating_add(1), other.of, other.value, other.line)
        }));
    }
    if evidence.sightings.iter().all(|sighting| sighting.logged_later) {
        remarks.push(
            "The time is when Windows Error Reporting logged its report; what it reports may be days older.".to_owned(),
        );
    }
    if let Some((_, dump)) = evidence.dump() {
        if dump.exception.is_none() {
            let reason = match dump.reason() {
                None => "holds no exception: it",
                Some(DumpReason::Request) => "was asked for by the program: it",
                Some(DumpReason::Debugger) => "has the breakpoint of a debugger that broke into the process: it",
                Some(DumpReason::Assertion) => "has the exception of an assertion after which the program goes on: it",
            };
            remarks.push(format!(
                "The dump {reason} was written while the process was running, and does not show a crash."
            ));
            remarks.extend(waits::sentence(dump));
        }
        if dump.modules.is_some() && !dump.modules_complete {
            remarks
                .push("The dump's module list has gaps: a module that is not in it may have been loaded.".to_owned());
        }
    }
    remarks
}

/// Gives each incident an id made from its evidence, and neither from where the files were nor from what rule sets know of
/// modules. Two incidents with the same evidence (the same record in two logs that cannot be joined) differ by a number.
fn set_ids(joined: &mut [JoinedIncident<'_>]) {
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    let mut order: Vec<usize> = (0..joined.len()).collect();
    order.sort_by_cached_key(|index| joined.get(*index).map(first_place));
    for index in order {
        let Some(one) = joined.get_mut(index) else { continue };
        let key = fingerprint(&one.incident, &one.evidence);
        let count = seen.entry(key).or_insert(0);
        *count = count.saturating_add(1);
        one.incident.id = if *count == 1 { format!("{key:016x}") } else { format!("{key:016x}-{count}") };
    }
}

fn first_place(joined: &JoinedIncident<'_>) -> Option<(usize, Place)> {
    joined.incident.evidence.iter().map(|item| (item.artifact, item.place.clone())).min()
}

/// A hash of the facts by which an incident is known again.
fn fingerprint(incident: &Incident, evidence: &JoinedEvidence<'_>) -> u64 {
    let mut hash = Xxh3::new();
    let mut add = |part: &str| {
        hash.update(part.as_bytes());
        hash.update(&[0]);
    };
    add(incident.kind.word());
    add(&incident.time.map_or_else(String::new, |time| time.to_string()));
    // Neither the domain nor the folder identifies an incident.
    let host = incident.host.as_deref().filter(|_| !incident.host_by_folder).unwrap_or_default();
    add(&short_host(host));
    if let Some(process) = &incident.process {
        add(&process.name.as_deref().unwrap_or_default().to_lowercase());
        add(&process.pid.map_or_else(String::new, |pid| pid.to_string()));
        add(&process.started.map_or_else(String::new, |time| time.as_second().to_string()));
    }
    // Which module is the suspect is a judgement, by lists that a rule set can extend.
    add(&signature(incident, None, evidence).fine);
    let sentences: BTreeSet<&str> = incident.evidence.iter().map(|item| item.sentence.as_str()).collect();
    sentences.into_iter().for_each(&mut add);
    // The sentence of a text is next to empty.
    evidence.text_hashes().iter().for_each(|text| add(&format!("{text:016x}")));
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::program_behind_thread;

    #[test]
    fn the_driver_names_the_program_behind_process_and_thread() {
        for (text, program) in [
            ("Error code: 7\n (pid=32376 tid=11 tool.exe 64bit)", Some("tool.exe")),
            (r"(pid=1 tid=2 C:\My tools\tool.exe 32bit)", Some("tool.exe")),
            ("(pid=1 tid=2 64bit)", None),
            ("(pid=1)", None),
            ("tid=2 a.exe b)", None),
        ] {
            assert_eq!(program_behind_thread(text), program, "{text}");
        }
    }
}
