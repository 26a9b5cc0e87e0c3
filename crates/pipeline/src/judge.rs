//! Judges incidents: rules match the facts of each incident, and the best-supported cause becomes its verdict.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::leads::leads;
use crate::measured::measured;
use crate::patterns::Pattern;
use evidence::{DumpReason, EventBody, ExceptionCode, OperatingSystem};
use facts::{Around, EvidenceRef, Nearby, Surroundings};
use incident::{EvidenceItem, IncidentKind, JoinKey, JoinedBy, JoinedIncident, dump_written};
use jiff::{SignedDuration, Timestamp};
use report::{GapRequest, Judged, Lead, Verdict};
use rules::{Finding, Occasion, RuleSet, Suppressed, UNDETERMINED};
use windows_codes::{Knowledge, REQUEST_PLACES};

/// The least confidence of a verdict; with less, a cause is only a hint.
const VERDICT_FROM: f64 = 0.3;
/// With less confidence, a verdict is a weak lead, whose evidence fits other causes, too.
const LEAD_BELOW: f64 = 0.45;
/// The least confidence for "act on it", where nothing more needs to be collected first.
const ACT_FROM: f64 = 0.8;
/// A finding of another cause whose confidence is less than the best one's by less than this is its rival.
const RIVAL_WITHIN: f64 = 0.1;

/// Judges one incident. `surroundings` are those of its machine, if its logs were given; `pattern` is the incident's
/// pattern among all incidents.
#[must_use]
pub fn judge<'i>(
    joined: JoinedIncident<'i>,
    surroundings: Option<&'i Surroundings<'i>>,
    pattern: &Pattern,
    rules: &RuleSet,
) -> Judged {
    let around = Around::new(&joined, surroundings);
    let mut facts = facts::facts(&joined);
    pattern.set_facts(&mut facts);
    let occasion = Occasion { host: joined.incident.host.as_deref(), time: joined.incident.time };
    let (mut findings, suppressed) = rules.findings(&facts, &around, occasion);
    let taken_over = take_over_cited(joined.incident.evidence.len(), around.asked_for(), &mut findings);
    let verdict = verdict(&joined, surroundings, rules, &findings, &suppressed);
    let sigma = surroundings.map_or_else(Vec::new, |surroundings| surroundings.sigma(&joined.incident));
    let mut incident = joined.incident;
    incident.evidence.extend(taken_over);
    Judged { incident, findings, suppressed, verdict, sigma, threads: Vec::new(), party: None }
}

/// The machine's records that findings cite, to be added to the `own` items of an incident's evidence. Renumbers the
/// citations.
fn take_over_cited(own: usize, around: &[Nearby<'_>], findings: &mut [Finding]) -> Vec<EvidenceItem> {
    let cited: BTreeSet<EvidenceRef> =
        findings.iter().flat_map(|finding| &finding.evidence).copied().filter(|one| usize::from(one.0) > own).collect();
    let mut taken_over = Vec::new();
    let mut renumbered = BTreeMap::new();
    for nearby in around {
        let Some(old) = nearby.from.filter(|number| cited.contains(number)) else { continue };
        let entry = nearby.entry();
        taken_over.push(EvidenceItem {
            artifact: entry.artifact,
            place: entry.place.clone(),
            sentence: entry.sentence.to_string(),
            joined_by: Some(JoinedBy { key: JoinKey::Machine, strength: JoinKey::Machine.strength(), to: 0 }),
        });
        let Ok(new) = u16::try_from(own.saturating_add(taken_over.len())) else { break };
        renumbered.insert(old, EvidenceRef(new));
    }
    for Finding { evidence, .. } in findings {
        for reference in evidence.iter_mut() {
            *reference = *renumbered.get(reference).unwrap_or(reference);
        }
        evidence.sort_unstable();
        evidence.dedup();
    }
    taken_over
}

fn verdict(
    joined: &JoinedIncident<'_>,
    surroundings: Option<&Surroundings<'_>>,
    rules: &RuleSet,
    findings: &[Finding],
    suppressed: &[Suppressed],
) -> Verdict {
    let first = findings.iter().find(|finding| !finding.is_superseded());
    let decides = |finding: &&Finding| finding.confidence >= VERDICT_FROM && finding.cause != UNDETERMINED;
    let Some(best) = first.filter(decides) else {
        let known = suppressed.iter().find(|one| one.confidence >= VERDICT_FROM && one.cause != UNDETERMINED);
        let (sentence, (collect_next, gap_requests)) = match known {
            // The cause is known and its finding suppressed: nothing needs to be collected.
            Some(known) => (suppressed_sentence(known), (Vec::new(), Vec::new())),
            None => (undetermined_sentence(joined, first), collect_next(joined, surroundings, None, first)),
        };
        return Verdict {
            cause: UNDETERMINED.to_owned(),
            family: None,
            symptom: false,
            confidence: 0.0,
            sentence,
            collect_next,
            gap_requests,
            measured: None,
            leads: leads_of(joined, findings, known.is_some(), rules),
        };
    };
    // The sentence names a second cause that is nearly as likely.
    let rival = rival(best, findings);
    let sentence = match rival {
        Some(rival) => format!("{}; or else: {}.", best.title, lower_first(&rival.title)),
        None => format!("{}.", best.title),
    };
    // A symptom is certain and its cause unknown: evidence is missing all the same.
    let (collect_next, gap_requests) = if best.confidence >= ACT_FROM && !best.symptom {
        (best.collect.iter().cloned().map(Cow::Owned).collect(), Vec::new())
    } else {
        collect_next(joined, surroundings, Some(best), rival)
    };
    let family = rules.causes().get(&best.cause).map(|cause| cause.family.clone());
    let Finding { cause, symptom, confidence, .. } = best;
    let (cause, symptom, confidence) = (cause.clone(), *symptom, *confidence);
    // The causes of known cases do not tell whether a symptom was there.
    let measured = if best.symptom { None } else { measured(best) };
    Verdict { cause, family, symptom, confidence, sentence, measured, collect_next, gap_requests, leads: Vec::new() }
}

/// The leads of an incident without a verdict. None where its cause is known and suppressed, where a text is about one of
/// several incidents that are judged themselves, where nothing shows a failure, of a service and of another system than Windows:
/// the known cases are of programs that people start, all of Windows.
fn leads_of(joined: &JoinedIncident<'_>, findings: &[Finding], is_suppressed: bool, rules: &RuleSet) -> Vec<Lead> {
    let of_other_system = joined.evidence.dump().is_some_and(|(_, dump)| log_of_other_system(dump.system.os).is_some());
    let asked_for = matches!(
        joined.evidence.dump().and_then(|(_, dump)| dump.reason()),
        Some(DumpReason::Request | DumpReason::Debugger)
    );
    let of_service = joined.incident.kind == IncidentKind::Exit && joined.evidence.ended_service().is_some();
    if is_suppressed || asked_for || of_other_system || of_service || !joined.incident.may_be_of.is_empty() {
        return Vec::new();
    }
    leads(&joined.incident, program(joined), findings, rules)
}

/// The title with a first letter in lower case, unless it begins with a name or an abbreviation.
fn lower_first(title: &str) -> String {
    // Only words that can't be names are changed.
    const ARTICLES: [&str; 6] = ["A", "An", "The", "Another", "Some", "Two"];
    let word = title.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    // Behind a letter alone, another mark makes it a part of a name.
    if !ARTICLES.contains(&word) || (word == "A" && !title.starts_with("A ")) {
        return title.to_owned();
    }
    let mut rest = title.chars();
    rest.next().into_iter().flat_map(char::to_lowercase).chain(rest).collect()
}

fn suppressed_sentence(known: &Suppressed) -> String {
    format!("What is known of it is suppressed {} ({}, {:.2}).", known.by.description(), known.rule, known.confidence)
}

fn undetermined_sentence(joined: &JoinedIncident<'_>, weak: Option<&Finding>) -> String {
    let of_service = joined
        .evidence
        .ended_service()
        .map(|end| format!("The service {} ended unexpectedly; the evidence does not say why", end.described()));
    let what = match joined.incident.kind {
        IncidentKind::Exit if let Some(of_service) = &of_service => of_service,
        IncidentKind::Crash => "The evidence shows where the process died, not why",
        IncidentKind::Hang => match joined.evidence.dump().and_then(|(_, dump)| dump.reason()) {
            Some(DumpReason::Assertion) => "An assertion failed and the program went on; the evidence does not say why",
            Some(DumpReason::Debugger) => "A debugger wrote a dump of the running process; nothing shows a failure",
            Some(DumpReason::Request) => {
                "The dump was asked for while the process was running; nothing shows a failure"
            }
            None => "The evidence shows that the process stopped answering or was still running, not why",
        },
        IncidentKind::Bugcheck if joined.incident.bugcheck.is_none() => {
            "The evidence shows that the system stopped, not why"
        }
        IncidentKind::Bugcheck => "The evidence shows with which code the system stopped, not why",
        IncidentKind::GpuReset => "The GPU was reset; the evidence does not say what made it stop answering",
        IncidentKind::StartFailure => "The program did not start; the evidence does not say why",
        IncidentKind::PowerLoss if joined.incident.shut_down => {
            "Windows had finished shutting down, and the machine then did not switch off in order; the evidence does not say why"
        }
        IncidentKind::PowerLoss => "The system ended without shutdown; the evidence does not say why",
        IncidentKind::Exit => "The process ended; the evidence does not say why",
    };
    match weak {
        Some(weak) if weak.cause != UNDETERMINED => {
            format!("{what}. A weak hint only ({:.2}): {}.", weak.confidence, lower_first(&weak.title))
        }
        _ => format!("{what}."),
    }
}

/// The finding of another cause with nearly the confidence of the best one.
fn rival<'f>(best: &Finding, findings: &'f [Finding]) -> Option<&'f Finding> {
    let nearly = |other: &&Finding| other.cause != best.cause && best.confidence - other.confidence < RIVAL_WITHIN;
    findings.iter().filter(|finding| !finding.is_superseded()).find(nearly)
}

/// What the evidence of an incident lacks, or what helps further where it lacks nothing.
///
/// In kebab case, the name is the id in `rules/data/collect.yaml`, where the instructions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
enum Request {
    KernelDumpFailed,
    NoAndroidLog,
    NoApplicationLog,
    NoConsoleText,
    NoDisplayDriver,
    NoDump,
    NoExitDump,
    NoFastFail,
    NoHangDump,
    NoIosLog,
    NoKernelDump,
    NoLinuxLog,
    NoLiveKernelReport,
    NoMacosLog,
    PageHeap,
    PowerHistory,
    NoPythonTraceback,
    Reproduce,
    NoServiceDump,
    NoSideBySide,
    NoStartText,
    NoSystemLog,
    NoWerReport,
    WhichIncident,
}

/// The sentences about what to collect, most useful first, and which of them are for evidence that this incident lacks.
///
/// With a verdict, the requests of its rule come first, because they decide; without one, missing evidence comes first. A
/// text that may be about one of several incidents lacks no evidence: the incidents have it. For such a text, the first
/// question is which incident is meant; requests of rules follow where the text alone supports more than a weak lead.
///
/// `verdict` is the finding of the verdict, if there is one. `rival_or_hint` is the rival of that finding, whose
/// requests decide between the two, or without a verdict the best hint.
fn collect_next(
    joined: &JoinedIncident<'_>,
    surroundings: Option<&Surroundings<'_>>,
    verdict: Option<&Finding>,
    rival_or_hint: Option<&Finding>,
) -> (Vec<Cow<'static, str>>, Vec<GapRequest>) {
    let of_several = !joined.incident.may_be_of.is_empty();
    let lacks = if of_several { vec![Request::WhichIncident] } else { lacking(joined, surroundings) };
    let time = |away: SignedDuration| joined.incident.time?.checked_add(away).ok().map(time_of_log);
    let [from, until] = [time(-AROUND), time(AROUND)];
    let places = [program(joined), joined.evidence.named_dump(), from.as_deref(), until.as_deref()];
    let known: Vec<_> =
        REQUEST_PLACES.into_iter().zip(places).filter_map(|(place, value)| Some((place, value?))).collect();
    let lacks = lacks.into_iter().filter_map(|request| {
        let id: &'static str = request.into();
        Some((Some(id), Knowledge.collect_for(id, &known)?))
    });
    // The evidence of a weak lead fits many causes: missing evidence helps more than the requests of a rule.
    let is_weak = verdict.is_none_or(|best| best.confidence < LEAD_BELOW);
    let findings = [verdict, rival_or_hint].into_iter().flatten().filter(|_| !(of_several && is_weak));
    let of_rules = findings.flat_map(|finding| &finding.collect).map(|request| (None, Cow::Owned(request.clone())));
    let lacks_first = of_several || verdict.is_none();
    let all: Vec<_> = if lacks_first { lacks.chain(of_rules).collect() } else { of_rules.chain(lacks).collect() };
    let (mut sentences, mut asked) = (Vec::new(), Vec::new());
    for (id, sentence) in all {
        let known = sentences.iter().position(|known| *known == sentence);
        let at = known.unwrap_or_else(|| {
            sentences.push(sentence);
            sentences.len().saturating_sub(1)
        });
        // The sum over all incidents counts the incidents and not such a text.
        asked.extend(id.filter(|_| !of_several).map(|id| GapRequest { id, at }));
    }
    (sentences, asked)
}

/// How far before and after an incident a log is asked for.
const AROUND: SignedDuration = SignedDuration::from_mins(5);

/// A time as `journalctl` takes it: `2024-01-31 11:55:00 UTC`.
fn time_of_log(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The program's file name for commands: of a service's host (`svchost.exe_Name`) without the service.
fn program<'b>(joined: &'b JoinedIncident<'_>) -> Option<&'b str> {
    let name = joined.incident.process.as_ref()?.name.as_deref()?;
    let end = name.to_ascii_lowercase().find(".exe")?.checked_add(".exe".len())?;
    let (program, rest) = name.split_at_checked(end)?;
    (rest.is_empty() || rest.starts_with('_')).then_some(program)
}

/// The evidence that the incident lacks, most useful first.
fn lacking(joined: &JoinedIncident<'_>, surroundings: Option<&Surroundings<'_>>) -> Vec<Request> {
    let evidence = &joined.evidence;
    let exception = joined.incident.exception.as_ref();
    // Other systems have none of Windows' logs and reports.
    if let Some(log) = evidence.dump().and_then(|(_, dump)| log_of_other_system(dump.system.os)) {
        return vec![log];
    }
    // Logs say nothing of an error that the program itself printed.
    let printed = joined.incident.is_only_told() && !joined.incident.thrown.is_empty();
    let mut requests = Vec::new();
    match joined.incident.kind {
        IncidentKind::Crash | IncidentKind::Exit | IncidentKind::StartFailure => {
            let of_fast_fail = exception.filter(|known| known.code == ExceptionCode::FAST_FAIL);
            let unknown = of_fast_fail.is_some_and(|known| known.fast_fail.is_none());
            requests.extend(unknown.then_some(Request::NoFastFail));
            let service = evidence.ended_service().is_some();
            let has_log = surroundings.is_some_and(Surroundings::has_application_log);
            let has_report = evidence.report(|_| true).is_some();
            // The log may have the failure already; a dump mostly needs another one.
            let alone = evidence.dump().is_none() && !has_report && !joined.incident.is_only_told();
            let log_first = alone && !has_log && !printed && !service;
            requests.extend(log_first.then_some(Request::NoApplicationLog));
            // A program that exits by itself or does not start calls no error reporting, which would write a dump.
            let plain =
                joined.incident.kind == IncidentKind::Exit && exception.is_some_and(|known| is_plain(known.code));
            let unstarted = joined.incident.kind == IncidentKind::StartFailure;
            if evidence.dump().is_none() && !joined.incident.is_only_told() {
                requests.extend(match () {
                    () if service => Some(Request::NoServiceDump),
                    () if unstarted => start_text(joined),
                    () if plain => Some(Request::NoExitDump),
                    () => Some(Request::NoDump),
                });
            }
            let of_heap = exception.is_some_and(|known| known.code == ExceptionCode::HEAP_CORRUPTION);
            requests.extend(of_heap.then_some(Request::PageHeap));
            if evidence.tickets().next().is_none() && !service && !unstarted {
                if is_python(joined) {
                    requests.push(Request::NoPythonTraceback);
                } else if joined.incident.kind == IncidentKind::Exit
                    || exception.is_some_and(|known| prints(known.code))
                {
                    requests.push(Request::NoConsoleText);
                }
            }
            requests.extend((!has_log && !printed && !log_first).then_some(Request::NoApplicationLog));
            let reported = exception.is_some() && !plain && !unstarted;
            let unreported = reported && evidence.dump().is_none() && !has_report;
            requests.extend(unreported.then_some(Request::NoWerReport));
        }
        IncidentKind::Hang => requests.extend(evidence.dump().is_none().then_some(Request::NoHangDump)),
        IncidentKind::Bugcheck => requests.extend(evidence.kernel_dump().is_none().then(|| {
            let outcome = evidence.events().find_map(|(_, event)| dump_written(&event.content));
            // A path in another record is that of a dump that Windows found, for all that.
            let failed = outcome == Some(false) && evidence.named_dump().is_none();
            if failed { Request::KernelDumpFailed } else { Request::NoKernelDump }
        })),
        IncidentKind::GpuReset => {
            let of_machine = surroundings.map(|surroundings| &surroundings.machine.environment);
            let cards = [Some(&joined.incident.environment), of_machine];
            let known = cards.into_iter().flatten().any(|card| card.contains_key("gpu_driver"));
            requests.extend((!known).then_some(Request::NoDisplayDriver));
            requests.extend(evidence.kernel_dump().is_none().then_some(Request::NoLiveKernelReport));
        }
        IncidentKind::PowerLoss => requests.push(Request::PowerHistory),
    }
    let has_system_log = surroundings.is_some_and(Surroundings::has_system_log);
    requests.extend((!has_system_log && !printed).then_some(Request::NoSystemLog));
    requests.extend(requests.is_empty().then_some(Request::Reproduce));
    requests
}

/// The request for the log of a system that is not Windows; `None` for Windows, and where the system is not known.
fn log_of_other_system(system: OperatingSystem) -> Option<Request> {
    match system {
        OperatingSystem::Linux => Some(Request::NoLinuxLog),
        OperatingSystem::MacOs => Some(Request::NoMacosLog),
        OperatingSystem::Ios => Some(Request::NoIosLog),
        OperatingSystem::Android => Some(Request::NoAndroidLog),
        OperatingSystem::Windows | OperatingSystem::Other => None,
    }
}

/// The request for the reason why a program did not start; none where a message box of the system contains it.
fn start_text(joined: &JoinedIncident<'_>) -> Option<Request> {
    let of_event = joined.evidence.event(|body| match body {
        EventBody::Popup { .. } => Some(None),
        EventBody::SideBySide { .. } => Some(Some(Request::NoSideBySide)),
        _ => None,
    });
    of_event.map_or(Some(Request::NoStartText), |(_, request)| request)
}

/// Whether a program that ends with this code mostly prints the reason: `abort`, and unhandled exceptions of C++ and
/// .NET. With other codes the program itself does not know it.
fn prints(code: ExceptionCode) -> bool {
    matches!(code, ExceptionCode::FAST_FAIL | ExceptionCode::CPP_EXCEPTION | ExceptionCode::CLR_EXCEPTION)
}

/// Whether a code is a program's own number and no status: statuses of errors and warnings have the highest bit set, and
/// small negative numbers are a program's own.
fn is_plain(code: ExceptionCode) -> bool {
    const LEAST_STATUS: u32 = 0x8000_0000;
    const LEAST_NEGATIVE: u32 = 0xFFFF_0000;
    !(LEAST_STATUS..LEAST_NEGATIVE).contains(&code.0)
}

/// Whether the program is Python's interpreter by its name: `python.exe`, `pythonw.exe`, `python3.11.exe`.
fn is_python(joined: &JoinedIncident<'_>) -> bool {
    let name = program(joined).map(str::to_ascii_lowercase);
    let version = name.as_deref().and_then(|name| name.strip_prefix("python")?.strip_suffix(".exe"));
    version.is_some_and(|rest| rest.strip_prefix('w').unwrap_or(rest).chars().all(|c| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_programs_end_with_are_no_statuses() {
        for (code, plain) in [
            (1, true),
            (0xFFFF_FFFF, true),
            (0xC000_0005, false),
            (0xC000_013A, false),
            (0x8000_0003, false),
            (0xE06D_7363, false),
        ] {
            assert_eq!(is_plain(ExceptionCode(code)), plain, "{code:#x}");
        }
    }

    #[test]
    fn every_request_has_its_sentence() {
        for request in <Request as strum::VariantArray>::VARIANTS {
            let id: &str = request.into();
            assert!(Knowledge.collect(id).is_some(), "{id} is not in collect.yaml");
        }
    }
}
