//! An incident in sentences for people: what happened (certain), the headline, the steps, and what the verdict rests on.
//!
//! What happened is read from the evidence, and why it happened is the verdict of rules, a probability: the two are apart in
//! every format.

use std::collections::BTreeSet;

use incident::{Bugcheck, ExceptionFacts, Incident, IncidentKind, Thrown, short_host};

use crate::confidence::percent;
use crate::model::{Judged, Lead, Measured, Report};
use crate::wording::{self, name, prose};
use evidence::ExceptionCode;
use rules::{Audience, Finding, Remediation};

/// The longest text of an exception that a sentence quotes, characters.
const LONGEST_QUOTE: usize = 160;

/// What happened, in one sentence without any judgement: `ledger.exe crashed in ledger.exe+0x12c40: 0xC0000005
/// (STATUS_ACCESS_VIOLATION), read of 0x0.`
pub(crate) fn happened(judged: &Judged) -> String {
    let incident = &judged.incident;
    let program = program(incident).map(|program| name(program).into_owned());
    let who = program.clone().unwrap_or_else(|| "A program".to_owned());
    if let Some(mechanism) = &incident.mechanism {
        // The sentence about the origin of a value is for developers.
        let first = sentences(&mechanism.sentence).into_iter().next().unwrap_or_default();
        return match program {
            Some(program) if !first.contains(&program) => prose(&format!("{program} crashed: {first}")),
            _ => prose(&first),
        };
    }
    let on = incident.host.as_deref().map_or_else(String::new, |host| format!(" on {}", name(host)));
    let exception = incident.exception.as_ref();
    if is_of_a_running_process(incident) {
        return prose(&format!("{who} was running when the dump was written; the dump alone shows no failure."));
    }
    let sentence = match incident.kind {
        IncidentKind::Crash => crash(incident, &who),
        IncidentKind::Hang => format!("{who} stopped answering"),
        IncidentKind::Bugcheck => match &incident.bugcheck {
            Some(bugcheck) if bugcheck.live => format!("Kernel error report without a restart{on}: {}", stop(bugcheck)),
            Some(bugcheck) => format!("Blue screen{on}: {}", stop(bugcheck)),
            None => format!("Blue screen{on}; its code is not in this evidence"),
        },
        IncidentKind::GpuReset => match &incident.bugcheck {
            Some(bugcheck) => format!("The GPU was reset (GPU timeout, TDR){on}: {}", stop(bugcheck)),
            None => format!("The GPU or its driver was reset (GPU timeout, TDR){on}"),
        },
        IncidentKind::StartFailure => format!("{who} did not start{}", exception.map_or_else(String::new, with_code)),
        IncidentKind::PowerLoss => format!("The computer went off without shutting down{on}"),
        // Whether the program ended, a text without a code need not show.
        IncidentKind::Exit if incident.is_only_told() => {
            let of = program.map_or_else(String::new, |program| format!(" of {program}"));
            let mut lines = judged.leading_finding().into_iter().flat_map(lines_of_texts);
            match lines.find(|line| tells_of_failure(line)) {
                Some(line) => format!("A text reports a failure{of}: {}", in_quotes(line.trim_end_matches('.'))),
                None => format!("A text reports a failure{of}"),
            }
        }
        IncidentKind::Exit => format!("{who} ended unexpectedly{}", exception.map_or_else(String::new, with_code)),
    };
    prose(&format!("{sentence}."))
}

/// Whether all evidence is a dump that was written of a process that went on.
fn is_of_a_running_process(incident: &Incident) -> bool {
    let requested = incident.dump.as_ref().is_some_and(|dump| dump.requested == Some(true));
    requested && incident.kind == IncidentKind::Hang && incident.evidence.len() == 1
}

/// A crash of `who` without a known mechanism.
fn crash(incident: &Incident, who: &str) -> String {
    let site = incident.fault_site.as_ref().map_or_else(String::new, |site| {
        let offset = site.offset.map_or_else(String::new, |offset| format!("+{offset}"));
        let function = site.function.as_deref().map_or_else(String::new, |function| format!(" ({})", name(function)));
        format!(" in {}{offset}{function}", name(&site.module))
    });
    let Some(exception) = &incident.exception else { return format!("{who} crashed{site}") };
    let thrown = incident.thrown.first().map_or_else(String::new, |thrown| format!(": {}", quoted(thrown)));
    match exception.code {
        ExceptionCode::FAST_FAIL => {
            let reason = match &exception.fast_fail {
                Some(reason) => format!("fast-fail code {}", reason.code.0),
                None => "the reason code is not in this evidence".to_owned(),
            };
            format!("{who} shut itself down{site} ({}; {reason})", exception.code)
        }
        ExceptionCode::CPP_EXCEPTION => format!("{who} threw a C++ exception that nobody caught{thrown}"),
        ExceptionCode::CLR_EXCEPTION => format!("{who} threw a .NET exception that nobody caught{thrown}"),
        _ => {
            let access = exception.access.map_or_else(String::new, |access| {
                format!(", {} of {}", access.kind.unwrap_or("access"), access.address)
            });
            format!("{who} crashed{site}{}{access}{thrown}", with_code(exception))
        }
    }
}

/// `: 0xC0000005 (STATUS_ACCESS_VIOLATION)`.
fn with_code(exception: &ExceptionFacts) -> String {
    let named = exception.name.as_deref().map_or_else(String::new, |name| format!(" ({name})"));
    format!(": {}{named}", exception.code)
}

/// A stop code with its name: `0x00000116 VIDEO_TDR_FAILURE`.
fn stop(bugcheck: &Bugcheck) -> String {
    let named = bugcheck.name.as_deref().map_or_else(String::new, |name| format!(" {name}"));
    format!("{}{named}", bugcheck.code)
}

/// The type of an exception and its message in quotation marks.
fn quoted(thrown: &Thrown) -> String {
    let text = thrown.text.as_deref().map_or_else(String::new, |text| format!(", {}", in_quotes(text)));
    format!("{}{text}", name(&thrown.type_name))
}

/// A text in quotation marks, single ones where it has double ones; cut where it is too long for a sentence.
fn in_quotes(text: &str) -> String {
    let mark = if text.contains('"') { '\'' } else { '"' };
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{mark}{}...{mark}", text.get(..end).unwrap_or_default()),
        None => format!("{mark}{text}{mark}"),
    }
}

/// Words of lines that tell of a failure; other lines on which a rule rests are circumstances.
const OF_FAILURE: [&str; 16] = [
    "error",
    "fail",
    "could not",
    "cannot",
    "can't",
    "unable",
    "not found",
    "exception",
    "abort",
    "out of memory",
    "illegal",
    "denied",
    "refused",
    "killed",
    "terminat",
    "crash",
];

fn tells_of_failure(line: &str) -> bool {
    let line = line.to_lowercase();
    OF_FAILURE.iter().any(|word| line.contains(word))
}

/// The file name of the program that an incident happened to.
pub(crate) fn program(incident: &Incident) -> Option<&str> {
    incident.process.as_ref()?.name.as_deref()
}

/// The headline of an incident: the program and the rule's title where a cause or a symptom is named, else what happened.
pub(crate) fn headline(judged: &Judged) -> String {
    let Judged { incident, verdict, .. } = judged;
    if verdict.is_undetermined() {
        return short(incident);
    }
    let title = title(judged);
    match program(incident).map(name) {
        Some(program) if !title.contains(&*program) => format!("{program}: {title}"),
        Some(_) => title,
        None => match framework(incident) {
            Some((name, versioned)) if !title.contains(name) => format!("{versioned}: {title}"),
            _ => title,
        },
    }
}

/// The frameworks and runtimes that stand for a program whose name is not known, by their keys in the environment.
const FRAMEWORKS: [(&str, &str); 3] = [("tensorflow", "TensorFlow"), ("pytorch", "PyTorch"), ("python", "Python")];

/// What a program without a known name is made with: the name, alone and with its version.
fn framework(incident: &Incident) -> Option<(&'static str, String)> {
    let of_process = matches!(
        incident.kind,
        IncidentKind::Crash | IncidentKind::Exit | IncidentKind::StartFailure | IncidentKind::Hang
    );
    let (value, name) = FRAMEWORKS.iter().find_map(|(key, name)| Some((incident.environment.get(key)?, *name)))?;
    let mut words = value.split([' ', ',', ';']);
    let version = words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // Of `2.4 or 2.6` none is known.
    let version = version.filter(|_| words.next() != Some("or"));
    let versioned = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
    of_process.then_some((name, versioned))
}

/// The rule's title, without other causes.
pub(crate) fn title(judged: &Judged) -> String {
    let sentence = prose(&judged.verdict.sentence);
    sentence.split_once("; or else: ").map_or(sentence.as_str(), |(first, _)| first).trim_end_matches('.').to_owned()
}

/// What happened in few words, for lists and for headlines without a cause: `ledger.exe crashed at ledger.exe+0x12c40`.
pub(crate) fn short(incident: &Incident) -> String {
    let unnamed =
        || framework(incident).map_or_else(|| "a program".to_owned(), |(_, made)| format!("a program with {made}"));
    let who = program(incident).map_or_else(unnamed, |program| name(program).into_owned());
    if is_of_a_running_process(incident) {
        return format!("dump of {who}, which was running");
    }
    let at = incident.fault_site.as_ref().map_or_else(String::new, |site| {
        let offset = site.offset.map_or_else(String::new, |offset| format!("+{offset}"));
        format!(" at {}{offset}", name(&site.module))
    });
    let code = incident.exception.as_ref().map_or_else(String::new, |exception| format!(" ({})", exception.code));
    match (incident.kind, &incident.bugcheck) {
        (IncidentKind::Crash, _) => match incident.thrown.first() {
            Some(thrown) => format!("{who}: uncaught {}", prose(&quoted(thrown))),
            None => format!("{who} crashed{at}{code}"),
        },
        (IncidentKind::Hang, _) => format!("{who} stopped answering"),
        (IncidentKind::StartFailure, _) => format!("{who} did not start{code}"),
        (IncidentKind::Exit, _) => format!("{who} ended unexpectedly{code}"),
        (IncidentKind::PowerLoss, _) => "went off without shutting down".to_owned(),
        (IncidentKind::GpuReset, Some(bugcheck)) => format!("GPU reset, {}", stop(bugcheck)),
        (IncidentKind::GpuReset, None) => "GPU reset".to_owned(),
        (IncidentKind::Bugcheck, Some(bugcheck)) if bugcheck.live => format!("kernel error report {}", stop(bugcheck)),
        (IncidentKind::Bugcheck, Some(bugcheck)) => format!("blue screen {}", stop(bugcheck)),
        (IncidentKind::Bugcheck, None) => "blue screen, code not known".to_owned(),
    }
}

/// The steps that a finding advises to an audience, in the order of the rule.
pub(crate) fn steps(finding: &Finding, audience: Audience) -> Vec<&Remediation> {
    finding.remediation.iter().filter(|step| step.audience == audience).collect()
}

/// The steps for whoever is at the computer; where the rule has none, those for the developer.
pub(crate) fn first_steps(finding: &Finding) -> Vec<&Remediation> {
    match steps(finding, Audience::Helpdesk) {
        none if none.is_empty() => steps(finding, Audience::Developer),
        steps => steps,
    }
}

/// The computer of an incident without its domain, in lower case, behind the customer, where folders are customers: computers
/// of several customers are never the same.
pub(crate) fn computer(judged: &Judged) -> Option<String> {
    let host = short_host(judged.incident.host.as_deref()?);
    Some(judged.party.as_ref().map_or_else(|| host.clone(), |party| format!("{}/{host}", party.to_lowercase())))
}

/// The computer, or how many there are; `hosts` are names of [`computer`].
pub(crate) fn place(hosts: &BTreeSet<String>) -> String {
    match (hosts.first(), hosts.len()) {
        (Some(host), 1) => name(host).to_uppercase(),
        (None, _) => "name unknown".to_owned(),
        (_, several) => format!("{several} computers"),
    }
}

/// Words whose stop ends no sentence.
const ABBREVIATIONS: [&str; 5] = ["e.g", "i.e", "etc", "vs", "cf"];

/// The sentences of a text. A stop within brackets, quotation marks or a command ends none, nor does one behind an
/// abbreviation or before a small letter.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let (mut all, mut current) = (Vec::new(), String::new());
    let (mut depth, mut quoted, mut command) = (0_usize, false, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        current.push(c);
        match c {
            '`' => command = !command,
            '"' if !command => quoted = !quoted,
            '(' if !command => depth = depth.saturating_add(1),
            ')' if !command => depth = depth.saturating_sub(1),
            '.' | '!' | '?' if !command && !quoted && depth == 0 && rest.peek() == Some(&' ') => {
                let word = current.trim_end_matches('.').rsplit([' ', '(']).next().unwrap_or_default();
                let begins = rest.clone().nth(1).is_some_and(|next| !next.is_lowercase());
                if begins && !ABBREVIATIONS.contains(&word) {
                    all.push(std::mem::take(&mut current).trim().to_owned());
                }
            }
            _ => {}
        }
    }
    all.push(current.trim().to_owned());
    all.retain(|sentence| !sentence.is_empty());
    all
}

/// Something that the verdict rests on: a quotation from the evidence with its place, or a fact.
pub(crate) struct Because {
    /// The line, record or fact.
    pub(crate) text: String,
    /// File and place in it; absent for facts of the whole incident.
    pub(crate) place: Option<String>,
}

/// What a verdict rests on, the deciding things first: the lines and records that its rule cites before the record of the
/// crash itself, which every verdict has, and then why a module is suspected. Without a rule, the evidence.
pub(crate) fn because(report: &Report, judged: &Judged) -> Vec<Because> {
    let Judged { incident, .. } = judged;
    let leading = judged.leading_finding();
    let mut all: Vec<Because> = Vec::new();
    let lines = leading.map(quoted_lines).unwrap_or_default();
    all.extend(lines.into_iter().map(|text| Because { text, place: None }));
    let item = |number: usize| {
        let item = incident.evidence.get(number)?;
        Some(Because { text: prose(&item.sentence), place: Some(wording::place(report, item.artifact, &item.place)) })
    };
    let cited: Vec<usize> = match leading {
        Some(finding) => finding.evidence.iter().map(|one| usize::from(one.0).saturating_sub(1)).collect(),
        None => (0..incident.evidence.len()).collect(),
    };
    all.extend(cited.iter().filter(|number| **number > 0 && leading.is_some()).filter_map(|number| item(*number)));
    if leading.is_some() {
        all.extend(cited.iter().filter(|number| **number == 0).filter_map(|number| item(*number)));
    } else {
        all.extend(cited.iter().filter_map(|number| item(*number)));
    }
    if let Some(suspect) = &incident.suspect {
        let text = format!("{} is the suspected module: {}", name(&suspect.module), prose(&suspect.reason));
        all.push(Because { text, place: None });
    }
    all
}

/// The lines of texts on which a finding rests.
fn lines_of_texts(finding: &Finding) -> impl Iterator<Item = String> {
    let texts = finding.entries.iter().filter(|entries| entries.list == "text").flat_map(|entries| &entries.says);
    texts.filter_map(|entry| Some(prose(&quoted_line(entry)?)))
}

/// The lines of texts on which a finding rests, in quotation marks.
pub(crate) fn quoted_lines(finding: &Finding) -> Vec<String> {
    lines_of_texts(finding).map(|line| format!("\"{line}\"")).collect()
}

/// The line of an entry of the list `text`, as it stands in the evidence. Entries are written by `facts::list_entry`: the line
/// comes first, plain or in single quotes, in which each quote is doubled.
fn quoted_line(entry: &str) -> Option<String> {
    let written = entry.strip_prefix("{line: ")?;
    let Some(quoted) = written.strip_prefix('\'') else {
        return Some(written.split([',', '}']).next().unwrap_or_default().to_owned());
    };
    let mut line = String::new();
    let mut rest = quoted.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\'' && rest.next_if_eq(&'\'').is_none() {
            return Some(line);
        }
        line.push(c);
    }
    None
}

/// How often the rule of a verdict was right on labelled cases, or that its confidence is an estimate: `right in 5 of 6 known
/// cases; the fix is confirmed in 3`.
pub(crate) fn measured(measured: Option<Measured>) -> String {
    let Some(Measured { cases, right, confirmed }) = measured else {
        return "on no known case: the confidence is an estimate".to_owned();
    };
    let cases = wording::counted(usize::try_from(cases).unwrap_or(usize::MAX), "known case");
    let helped = match confirmed {
        0 => "of none is the fix confirmed".to_owned(),
        confirmed => format!("the fix is confirmed in {confirmed}"),
    };
    format!("right in {right} of {cases}; {helped}")
}

/// The heading above leads.
pub(crate) const LEADS: &str = "What similar crashes turned out to be (statistics, not read from this evidence)";

/// A lead's cause and share: `gpu-driver-defect: about 31 % (14 similar cases)`. A share that was cut is only a least one, and
/// few cases have none.
pub(crate) fn lead(lead: &Lead) -> String {
    let cases = wording::counted(usize::try_from(lead.cases).unwrap_or(usize::MAX), "similar case");
    let about = if lead.share < Lead::MOST_SHARE { "about" } else { "at least" };
    prose(&match lead.few {
        true => format!("{} (only {cases})", lead.cause),
        false => format!("{}: {about} {} ({cases})", lead.cause, percent(lead.share)),
    })
}

/// How to find out whether a lead is right: the test with the time it takes, and the meaning of each outcome.
pub(crate) fn lead_test(lead: &Lead) -> String {
    prose(&format!("To check ({} min): {} {}", lead.minutes, lead.test, lead.means))
}

/// The facts that a program's maker needs, a line each: what crashed where, in which versions.
pub(crate) fn for_the_maker(incident: &Incident) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(process) = &incident.process {
        let version = process.version.map_or_else(String::new, |version| format!(" {version}"));
        lines.extend(process.name.as_deref().map(|program| format!("Program: {}{version}", name(program))));
    }
    if let Some(site) = &incident.fault_site {
        let version = site.version.map_or_else(String::new, |version| format!(" {version}"));
        let offset = site.offset.map_or_else(String::new, |offset| format!("+{offset}"));
        lines.push(format!(
            "Faulting module: {}{offset}, version{}{}",
            name(&site.module),
            if version.is_empty() { " not known" } else { &version },
            if site.carrier { " (only passed the error on)" } else { "" }
        ));
    }
    if let Some(exception) = &incident.exception {
        let thrown = incident.thrown.first().map_or_else(String::new, |thrown| format!(", {}", quoted(thrown)));
        lines.push(format!("Exception{}{}", with_code(exception), prose(&thrown)));
    }
    lines.extend(incident.environment.get("os").map(|system| format!("System: {}", prose(system))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{crash, undetermined};

    #[test]
    fn a_share_that_was_cut_is_told_as_the_least() {
        let with = |share| {
            lead(&Lead {
                cause: "gpu-timeout".into(),
                share,
                cases: 14,
                few: false,
                test: "Look.".into(),
                minutes: 5,
                means: "If so, it is.".into(),
            })
        };
        assert_eq!(with(0.31), "gpu-timeout: about 31 % (14 similar cases)");
        assert_eq!(with(Lead::MOST_SHARE), "gpu-timeout: at least 44 % (14 similar cases)");
    }

    #[test]
    fn a_framework_stands_for_a_program_without_a_name() {
        let mut judged = undetermined("u1", 0);
        judged.incident.environment.insert("tensorflow", "2.4 (as the text says)".into());
        let named = headline(&judged);
        assert!(named.starts_with("python.exe "), "{named}");
        judged.incident.process = None;
        assert!(headline(&judged).starts_with("a program with TensorFlow 2.4 "), "{}", headline(&judged));
        let mut judged = crash("c1");
        judged.incident.process = None;
        judged.incident.environment.insert("pytorch", "2.4 or 2.6 (the text says both)".into());
        assert!(headline(&judged).starts_with("PyTorch: "), "{}", headline(&judged));
        judged.incident.environment.insert("pytorch", "version not known".into());
        judged.verdict.sentence = "A DLL was not found.".into();
        assert_eq!(headline(&judged), "PyTorch: A DLL was not found");
        judged.verdict.sentence = "PyTorch did not find a DLL.".into();
        assert_eq!(headline(&judged), "PyTorch did not find a DLL");
        judged.incident.kind = IncidentKind::PowerLoss;
        judged.verdict.sentence = "The power failed.".into();
        assert_eq!(headline(&judged), "The power failed", "what happens to the computer is no program's");
    }

    #[test]
    fn a_dump_of_a_running_process_shows_no_failure() {
        let mut judged = undetermined("u1", 0);
        judged.incident.kind = IncidentKind::Hang;
        judged.incident.mechanism = None;
        judged.incident.evidence.truncate(1);
        assert_eq!(headline(&judged), "python.exe stopped answering");
        judged.incident.dump.get_or_insert_default().requested = Some(true);
        assert_eq!(headline(&judged), "dump of python.exe, which was running");
        let shown = happened(&judged);
        assert_eq!(shown, "python.exe was running when the dump was written; the dump alone shows no failure.");
    }

    #[test]
    fn what_a_text_reports_is_quoted_where_a_line_tells_of_it() {
        let mut judged = crash("c1");
        judged.incident.mechanism = None;
        judged.incident.kind = IncidentKind::Exit;
        judged.incident.exception = None;
        judged.incident.process = None;
        judged.incident.evidence.clear();
        let with = |judged: &mut Judged, lines: &[&str]| {
            let says = lines.iter().map(|line| format!("{{line: '{line}'}}")).collect();
            let entries = vec![rules::NamedEntries { list: "text", says, more: 0 }];
            judged.findings.iter_mut().for_each(|finding| finding.entries.clone_from(&entries));
            happened(judged)
        };
        assert!(judged.incident.is_only_told() && judged.leading_finding().is_some(), "a text alone, with a verdict");
        let quoted = with(&mut judged, &["Loaded module: a.dll", "Error loading \"b.dll\" or one of its imports."]);
        assert_eq!(quoted, "A text reports a failure: 'Error loading \"b.dll\" or one of its imports'.");
        assert_eq!(with(&mut judged, &["CUDA out of memory"]), "A text reports a failure: \"CUDA out of memory\".");
        assert_eq!(with(&mut judged, &["Loaded module: a.dll"]), "A text reports a failure.", "a circumstance");
    }

    #[test]
    fn what_is_measured_is_told_apart_from_an_estimate() {
        let with = |cases, right, confirmed| measured(Some(Measured { cases, right, confirmed }));
        assert_eq!(with(6, 5, 3), "right in 5 of 6 known cases; the fix is confirmed in 3");
        assert_eq!(with(1, 1, 0), "right in 1 of 1 known case; of none is the fix confirmed");
        assert_eq!(measured(None), "on no known case: the confidence is an estimate");
    }

    #[test]
    fn a_quoted_line_is_what_stands_in_the_evidence() {
        for (entry, line) in [
            ("{line: killed}", "killed"),
            ("{line: 'Could not locate a.dll', certain: 'Could not'}", "Could not locate a.dll"),
            (r#"{line: 'Error loading "c10.dll"'}"#, r#"Error loading "c10.dll""#),
            ("{line: 'it''s gone, and more', certain: it}", "it's gone, and more"),
        ] {
            assert_eq!(quoted_line(entry).as_deref(), Some(line), "{entry}");
        }
        assert_eq!(quoted_line("{name: a.dll}"), None);
    }

    #[test]
    fn names_of_files_do_not_end_a_sentence_and_sentences_may_end_with_one() {
        assert_eq!(
            sentences("Run a.exe now. Then close b.dll. Done."),
            ["Run a.exe now.", "Then close b.dll.", "Done."]
        );
    }
}
