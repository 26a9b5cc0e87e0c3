//! From incidents to verdicts: the rules judge each incident's facts, and the best-supported cause becomes its verdict.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::patterns::Pattern;
use evidence::{EventBody, ExceptionCode};
use facts::{Around, EvidenceRef, Nearby, Surroundings};
use incident::{Built, EvidenceItem, IncidentKind, JoinKey, JoinedBy};
use report::{GapRequest, Judged, Verdict};
use rules::UNDETERMINED;
use rules::{Finding, Occasion, RuleSet, Suppressed};
use windows_codes::Knowledge;

/// Below this a cause is a possibility among others and no verdict.
const VERDICT_FROM: f64 = 0.3;
/// Below this a verdict is a weak lead: its evidence fits the cause, and others as well.
const LEAD_BELOW: f64 = 0.45;
/// From this on the contract says "act on it": nothing more needs to be collected first.
const ACT_FROM: f64 = 0.8;
/// A finding that is less sure than the best one by less than this is its rival.
const RIVAL_WITHIN: f64 = 0.1;

/// Judges one incident. `surroundings` are those of the machine it happened on, when its logs were given; `pattern` is
/// what it is among the other incidents.
#[must_use]
pub fn judge<'i>(
    built: Built<'i>,
    surroundings: Option<&'i Surroundings<'i>>,
    pattern: &Pattern,
    rules: &RuleSet,
    knowledge: &Knowledge,
) -> Judged {
    let around = Around::new(&built, surroundings);
    let mut facts = facts::facts(&built);
    pattern.tell(&mut facts);
    let occasion = Occasion { host: built.incident.host.as_deref(), time: built.incident.time };
    let (mut findings, suppressed) = rules.findings(&facts, &around, occasion);
    let taken_over = take_over_cited(built.incident.evidence.len(), around.asked_for(), &mut findings);
    let verdict = verdict(&built, surroundings, &findings, &suppressed, knowledge);
    let sigma = surroundings.map_or_else(Vec::new, |surroundings| surroundings.sigma(&built.incident));
    let mut incident = built.incident;
    incident.evidence.extend(taken_over);
    Judged { incident, findings, suppressed, verdict, sigma }
}

/// The machine's records that findings cite, to be added to an incident's `own` items of evidence. The citations are
/// renumbered.
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
            says: entry.says.to_string(),
            joined_by: Some(JoinedBy { key: JoinKey::Machine, strength: JoinKey::Machine.strength(), to: 0 }),
        });
        let Ok(new) = u16::try_from(own.saturating_add(taken_over.len())) else { break };
        renumbered.insert(old, EvidenceRef(new));
    }
    for reference in findings.iter_mut().flat_map(|finding| &mut finding.evidence) {
        if let Some(new) = renumbered.get(reference) {
            *reference = *new;
        }
    }
    for finding in findings {
        finding.evidence.sort_unstable();
        finding.evidence.dedup();
    }
    taken_over
}

fn verdict(
    built: &Built<'_>,
    surroundings: Option<&Surroundings<'_>>,
    findings: &[Finding],
    suppressed: &[Suppressed],
    knowledge: &Knowledge,
) -> Verdict {
    let standing = || findings.iter().filter(|finding| finding.stands());
    let best = standing().next();
    let decides = |finding: &&Finding| finding.confidence >= VERDICT_FROM && finding.cause != UNDETERMINED;
    let Some(best) = best.filter(decides) else {
        let known = suppressed.iter().find(|one| one.confidence >= VERDICT_FROM && one.cause != UNDETERMINED);
        let (sentence, (collect_next, asked)) = match known {
            // It is known, and somebody does not want to hear of it: nothing needs to be collected.
            Some(known) => (suppressed_sentence(known), (Vec::new(), Vec::new())),
            None => {
                let sentence = undetermined_sentence(built, standing().next());
                (sentence, collect_next(built, surroundings, &hints(findings), knowledge))
            }
        };
        return Verdict {
            cause: UNDETERMINED.to_owned(),
            confidence: 0.0,
            sentence,
            collect_next,
            gap_requests: asked,
        };
    };
    // A second cause that is nearly as likely belongs into the sentence.
    let rival = rival(best, findings);
    let sentence = match rival {
        Some(rival) => format!("{}; or else: {}.", best.title, lower_first(&rival.title)),
        None => format!("{}.", best.title),
    };
    let (collect_next, asked) = if best.confidence >= ACT_FROM {
        (best.collect.iter().cloned().map(Cow::Owned).collect(), Vec::new())
    } else {
        let asking: Vec<&Finding> = [Some(best), rival].into_iter().flatten().collect();
        collect_next(built, surroundings, &Asking::Verdict(&asking), knowledge)
    };
    Verdict { cause: best.cause.clone(), confidence: best.confidence, sentence, collect_next, gap_requests: asked }
}

/// The title with a small first letter, unless it begins with a name or an abbreviation.
fn lower_first(title: &str) -> String {
    let mut rest = title.chars();
    match (rest.next(), rest.clone().next()) {
        (Some(first), Some(second)) if first.is_uppercase() && (second.is_lowercase() || second == ' ') => {
            let word: String = title.chars().take_while(|c| c.is_alphanumeric()).collect();
            // Only words that are surely no names are changed.
            const ARTICLES: [&str; 6] = ["A", "An", "The", "Another", "Some", "Two"];
            if ARTICLES.contains(&word.as_str()) {
                first.to_lowercase().chain(rest).collect()
            } else {
                title.to_owned()
            }
        }
        _ => title.to_owned(),
    }
}

fn suppressed_sentence(known: &Suppressed) -> String {
    format!("What is known of it is suppressed {} ({}, {:.2}).", known.by.says(), known.rule, known.confidence)
}

fn undetermined_sentence(built: &Built<'_>, weak: Option<&Finding>) -> String {
    let service = built.gathered.event(|body| match body {
        EventBody::ServiceEnded(end) => Some(end.name.as_deref().unwrap_or(&end.display_name)),
        _ => None,
    });
    let of_service;
    let what = match built.incident.kind {
        IncidentKind::Exit if service.is_some() => {
            let name = service.map_or("", |(_, name)| name);
            of_service = format!("The service {name} ended unexpectedly; the evidence does not say why");
            of_service.as_str()
        }
        IncidentKind::Crash => "The evidence shows where the process died, not why",
        IncidentKind::Hang => "The evidence shows that the process stopped answering or was still running, not why",
        IncidentKind::Bugcheck if built.incident.bugcheck.is_none() => {
            "The evidence shows that the system stopped, not why"
        }
        IncidentKind::Bugcheck => "The evidence shows with which code the system stopped, not why",
        IncidentKind::GpuReset => "The GPU was reset; the evidence does not say what made it stop answering",
        IncidentKind::StartFailure => "The program did not start; the evidence does not say why",
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

/// The finding of another cause that is nearly as likely as the best one.
fn rival<'f>(best: &Finding, findings: &'f [Finding]) -> Option<&'f Finding> {
    let nearly = |other: &&Finding| other.cause != best.cause && best.confidence - other.confidence < RIVAL_WITHIN;
    findings.iter().filter(|finding| finding.stands()).find(nearly)
}

/// Whose requests are told.
enum Asking<'f> {
    /// Those of the verdict's finding and of its rival, which decide between the two.
    Verdict(&'f [&'f Finding]),
    /// Those of the best hint, where nothing gives a verdict.
    Hint(Option<&'f Finding>),
}

/// Who asks where nothing gives a verdict.
fn hints(findings: &[Finding]) -> Asking<'_> {
    Asking::Hint(findings.iter().find(|finding| finding.stands()))
}

impl Asking<'_> {
    /// What the rules ask for, the best one first.
    fn requests(&self) -> impl Iterator<Item = Cow<'static, str>> {
        let findings = match self {
            Self::Verdict(findings) => findings,
            Self::Hint(hint) => hint.as_slice(),
        };
        findings.iter().flat_map(|finding| &finding.collect).cloned().map(Cow::Owned)
    }

    /// Whether the evidence fits many causes, or none: what it lacks helps more than what a rule wants to know.
    fn is_weak(&self) -> bool {
        match self {
            Self::Verdict(findings) => findings.first().is_none_or(|best| best.confidence < LEAD_BELOW),
            Self::Hint(_) => true,
        }
    }
}

/// Declares [`Request`] with the id of each in `rules/data/collect.yaml`, so that none is left out of `ALL`.
macro_rules! requests {
    ($($name:ident = $id:literal,)*) => {
        /// What the evidence of an incident can lack, or what tells more where it lacks nothing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Request {
            $($name,)*
        }

        impl Request {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its id in `rules/data/collect.yaml`, which says how to get it.
            fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }
        }
    };
}

requests! {
    ApplicationLog = "no-application-log",
    ConsoleText = "no-console-text",
    DisplayDriver = "no-display-driver",
    Dump = "no-dump",
    ExitDump = "no-exit-dump",
    FastFail = "no-fast-fail",
    HangDump = "no-hang-dump",
    KernelDump = "no-kernel-dump",
    LiveKernelReport = "no-live-kernel-report",
    PageHeap = "page-heap",
    PowerHistory = "power-history",
    PythonTraceback = "no-python-traceback",
    Reproduce = "reproduce",
    ServiceDump = "no-service-dump",
    SideBySide = "no-side-by-side",
    StartText = "no-start-text",
    SystemLog = "no-system-log",
    WerReport = "no-wer-report",
    WhichIncident = "which-incident",
}

/// What to collect, most useful first, and which of it is what this incident's evidence lacks.
///
/// A verdict's rule knows what would decide, so that its requests stand before what is missing. Where there is no verdict,
/// what is missing comes first. Of a text that tells of one of several incidents, nothing is missing: it is there, with
/// these. It is asked which of them is meant, and what a rule wants to know if the text alone supports more than a weak
/// lead; else the incidents themselves ask for it.
fn collect_next(
    built: &Built<'_>,
    surroundings: Option<&Surroundings<'_>>,
    asking: &Asking<'_>,
    knowledge: &Knowledge,
) -> (Vec<Cow<'static, str>>, Vec<GapRequest>) {
    let of_several = !built.incident.may_be_of.is_empty();
    let lacks = if of_several { vec![Request::WhichIncident] } else { lacking(built, surroundings) };
    let lacks = lacks.into_iter().filter_map(|request| {
        let name = if request == Request::KernelDump { named_dump(built) } else { program(built) };
        Some((Some(request.id()), knowledge.collect_for(request.id(), name)?))
    });
    let of_rules = asking.requests().filter(|_| !(of_several && asking.is_weak())).map(|request| (None, request));
    let lacks_first = of_several || matches!(asking, Asking::Hint(_));
    let all: Vec<_> = if lacks_first { lacks.chain(of_rules).collect() } else { of_rules.chain(lacks).collect() };
    let (mut sentences, mut asked) = (Vec::new(), Vec::new());
    for (id, sentence) in all {
        let known = sentences.iter().position(|known| *known == sentence);
        let at = known.unwrap_or_else(|| {
            sentences.push(sentence);
            sentences.len().saturating_sub(1)
        });
        // In what all incidents ask for, such a text is not counted beside those that it may tell of.
        asked.extend(id.filter(|_| !of_several).map(|id| GapRequest { id, at }));
    }
    (sentences, asked)
}

/// The file name of the program that commands can name: of a service's host without the service that follows it
/// (`svchost.exe_Name`).
fn program<'b>(built: &'b Built<'_>) -> Option<&'b str> {
    let name = built.incident.process.as_ref()?.name.as_deref()?;
    let end = name.to_ascii_lowercase().find(".exe")?.checked_add(".exe".len())?;
    let (program, rest) = name.split_at_checked(end)?;
    (rest.is_empty() || rest.starts_with('_')).then_some(program)
}

/// The dump that event 1001 says the stop was saved in.
fn named_dump<'b>(built: &'b Built<'_>) -> Option<&'b str> {
    let (_, path) = built.gathered.event(|body| match body {
        EventBody::BugCheck { dump_path, .. } => dump_path.as_deref(),
        _ => None,
    })?;
    Some(path)
}

/// What the incident's evidence lacks, most useful first.
fn lacking(built: &Built<'_>, surroundings: Option<&Surroundings<'_>>) -> Vec<Request> {
    let gathered = &built.gathered;
    let exception = built.incident.exception.as_ref();
    let mut requests = Vec::new();
    match built.incident.kind {
        IncidentKind::Crash | IncidentKind::Exit | IncidentKind::StartFailure => {
            if exception.is_some_and(|known| known.code == ExceptionCode::FAST_FAIL && known.fast_fail.is_none()) {
                requests.push(Request::FastFail);
            }
            // What ends by itself, or does not start, calls no error reporting: no dump would be written.
            let plain =
                built.incident.kind == IncidentKind::Exit && exception.is_some_and(|known| is_plain(known.code));
            let unstarted = built.incident.kind == IncidentKind::StartFailure;
            let service = gathered.event(|body| matches!(body, EventBody::ServiceEnded(_)).then_some(())).is_some();
            if gathered.dump().is_none() {
                requests.extend(match () {
                    () if service => Some(Request::ServiceDump),
                    () if unstarted => start_text(built),
                    () if plain => Some(Request::ExitDump),
                    () => Some(Request::Dump),
                });
            }
            if exception.is_some_and(|known| known.code == ExceptionCode::HEAP_CORRUPTION) {
                requests.push(Request::PageHeap);
            }
            if gathered.ticket().is_none() && !service && !unstarted {
                if is_python(built) {
                    requests.push(Request::PythonTraceback);
                } else if built.incident.kind == IncidentKind::Exit || exception.is_some_and(|known| prints(known.code))
                {
                    requests.push(Request::ConsoleText);
                }
            }
            if !surroundings.is_some_and(Surroundings::has_application_log) {
                requests.push(Request::ApplicationLog);
            }
            let reported = exception.is_some() && !plain && !unstarted;
            if reported && gathered.dump().is_none() && gathered.report(|_| true).is_none() {
                requests.push(Request::WerReport);
            }
        }
        IncidentKind::Hang => {
            if gathered.dump().is_none() {
                requests.push(Request::HangDump);
            }
        }
        IncidentKind::Bugcheck => {
            if gathered.kernel_dump().is_none() {
                requests.push(Request::KernelDump);
            }
        }
        IncidentKind::GpuReset => {
            let of_machine = surroundings.map(|surroundings| &surroundings.machine().environment);
            let cards = [Some(&built.incident.environment), of_machine];
            if !cards.into_iter().flatten().any(|card| card.contains_key("gpu_driver")) {
                requests.push(Request::DisplayDriver);
            }
            if gathered.kernel_dump().is_none() {
                requests.push(Request::LiveKernelReport);
            }
        }
        IncidentKind::PowerLoss => requests.push(Request::PowerHistory),
    }
    if !surroundings.is_some_and(Surroundings::has_system_log) {
        requests.push(Request::SystemLog);
    }
    if requests.is_empty() {
        requests.push(Request::Reproduce);
    }
    requests
}

/// What would tell why a program did not start, unless a message box of the system told it.
fn start_text(built: &Built<'_>) -> Option<Request> {
    let of_event = built.gathered.event(|body| match body {
        EventBody::Popup { .. } => Some(None),
        EventBody::SideBySide { .. } => Some(Some(Request::SideBySide)),
        _ => None,
    });
    of_event.map_or(Some(Request::StartText), |(_, request)| request)
}

/// Whether what ends a program with this code mostly writes why: `abort`, and runtimes that an exception of their
/// language reaches. Of other codes the program itself does not know.
fn prints(code: ExceptionCode) -> bool {
    /// Microsoft's C++ exceptions, and those of .NET.
    const OF_LANGUAGES: [ExceptionCode; 2] = [ExceptionCode(0xE06D_7363), ExceptionCode(0xE043_4352)];
    code == ExceptionCode::FAST_FAIL || OF_LANGUAGES.contains(&code)
}

/// Whether a code is a number that a program ends with, and no status: those of errors and warnings have the highest bit
/// set, and small negative numbers are a program's own.
fn is_plain(code: ExceptionCode) -> bool {
    const LEAST_STATUS: u32 = 0x8000_0000;
    const LEAST_NEGATIVE: u32 = 0xFFFF_0000;
    !(LEAST_STATUS..LEAST_NEGATIVE).contains(&code.0)
}

/// Whether the program is Python's interpreter by its name: `python.exe`, `pythonw.exe`, `python3.11.exe`.
fn is_python(built: &Built<'_>) -> bool {
    let name = program(built).map(str::to_ascii_lowercase);
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
        let knowledge = Knowledge::builtin();
        for request in Request::ALL {
            assert!(knowledge.collect(request.id()).is_some(), "{} is not in collect.yaml", request.id());
        }
    }
}
