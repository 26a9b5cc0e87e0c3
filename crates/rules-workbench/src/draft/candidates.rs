//! The facts of an incident that a rule could ask for, the strongest first.

use std::borrow::Cow;

use super::message;
use super::private::Private;
use super::term::DraftTerm;
use facts::{FactSet, Value};

/// First parameters of stops up to here are numbers of the kind of failure; beyond lie addresses, which differ each time.
const LARGEST_NUMBER: u64 = 0xF_FFFF;

/// A term that a rule could have.
#[derive(Debug)]
pub(super) struct Candidate {
    /// What the selection is called.
    pub name: &'static str,
    pub term: DraftTerm,
    pub strength: Strength,
    /// A description in a few words.
    pub what: Cow<'static, str>,
}

/// How much a term says of the cause, in the order in which terms become selections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// The kind of incident, where there is no code.
    Kind,
    /// The code with which it ended: many causes have the same.
    Code,
    /// A name that the evidence itself gives: what was missing, thrown, waited for.
    Named,
    /// Where it happened, or the module that the evidence points to.
    Site,
    /// Words of a message.
    Says,
    /// A detail of how it ended.
    Detail,
    /// Words of a text without a failure.
    LastResort,
    /// The program: the same cause can end others, too.
    Program,
    /// A fact that only the author can judge.
    Hint,
}

/// Facts, each with the name of its selection, its strength and its description.
const FACTS: &[(&str, &str, Strength, &str)] = &[
    ("exception.code", "code", Strength::Code, "the code with which it ended"),
    ("bugcheck.code", "stop", Strength::Code, "the stop code"),
    ("exception.fast_fail", "fast_fail", Strength::Code, "the fast-fail code"),
    ("bugcheck.status", "status", Strength::Code, "the status among the stop's parameters"),
    ("exception.in_page_status", "status", Strength::Code, "why a page could not be read"),
    ("exception.inner_code", "inner_code", Strength::Code, "the error inside the exception"),
    ("bugcheck.machine_check", "machine_check", Strength::Named, "what the machine check reported"),
    ("delay_load.module", "not_found", Strength::Named, "the DLL that was not found"),
    ("delay_load.procedure", "procedure", Strength::Hint, "what was wanted of that DLL"),
    ("start_failure.module", "named_in_message", Strength::Named, "the DLL that the message names"),
    ("start_failure.assembly", "assembly", Strength::Named, "the assembly that was not found"),
    ("exception.managed_type", "thrown", Strength::Named, "the exception that nobody caught"),
    ("cpp_exception.type", "thrown", Strength::Named, "the C++ exception that nobody caught"),
    ("cpp_exception.module", "thrown_by", Strength::Hint, "the module that threw it"),
    ("debugger.suspects", "debugger", Strength::Named, "what a debugger's analysis names"),
    ("opengl.error_code", "opengl_error", Strength::Named, "the error that the OpenGL driver reported"),
    ("hang.waiting_for_service", "waits_for", Strength::Named, "the service that it waited for"),
    ("hang.waiting_for", "waits_for", Strength::Named, "the process that it waited for"),
    ("service.name", "service", Strength::Named, "the service that ended"),
    ("exit.ended_by", "ended_by", Strength::Named, "the program that ended it"),
    ("power.too_hot", "too_hot", Strength::Named, "whether heat ended it"),
    ("wer.error", "update_error", Strength::Named, "the error of a failed update"),
    ("instruction.extension", "extension", Strength::Hint, "what the instruction at the fault needs"),
    ("exception.access_target", "wanted", Strength::Hint, "what lies at the address that was wanted"),
    ("exception.access", "access", Strength::Hint, "what was done there"),
    ("fault_site.version", "version", Strength::Hint, "the version of the module at the fault"),
    ("fault_site.function", "function", Strength::Hint, "the function at the fault"),
    ("fault_site.offset", "offset", Strength::Hint, "where in that module, of this build of it"),
    ("suspect.version", "suspect_version", Strength::Hint, "the version of the suspect"),
    ("wer.event_type", "event_type", Strength::Hint, "what Windows calls it"),
    ("environment.nvidia_driver", "nvidia_driver", Strength::Hint, "the release of the NVIDIA driver"),
    ("environment.cuda", "cuda", Strength::Hint, "the CUDA runtime"),
    ("environment.cudnn", "cudnn", Strength::Hint, "cuDNN"),
    ("environment.python", "python", Strength::Hint, "Python"),
    ("process.architecture", "architecture", Strength::Hint, "what the program was built for"),
    ("process.version", "program_version", Strength::Hint, "the version of the program"),
    ("os.build", "windows", Strength::Hint, "the build of Windows"),
];

/// All terms that a rule could have, each name once.
pub(super) fn candidates(facts: &FactSet, private: &Private) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut add = |name: &'static str, term: Option<DraftTerm>, strength: Strength, what: &'static str| {
        if let Some(term) = term.filter(|_| !found.iter().any(|known| known.name == name)) {
            found.push(Candidate { name, term, strength, what: what.into() });
        }
    };
    for (path, name, strength, what) in FACTS {
        add(name, DraftTerm::fact(facts, path), *strength, what);
    }
    let has = |path: &str| facts.get(path).is_some();
    let coded = ["exception.code", "bugcheck.code"].into_iter().any(has);
    if !coded {
        add("exit_code", DraftTerm::fact(facts, "process.exit_code"), Strength::Code, "the code with which it ended");
        add("kind", DraftTerm::fact(facts, "incident.kind"), Strength::Kind, "what happened");
        add("event", event(facts), Strength::Named, "the record that tells of it");
    }
    let parameter = facts.get("bugcheck.parameter_1");
    if parameter.is_some_and(|known| matches!(known.value, Value::Number(number) if number <= LARGEST_NUMBER))
        && has("bugcheck.parameter_1_means")
    {
        let what = "the kind of failure, which the stop's first parameter says";
        add("parameter", DraftTerm::fact(facts, "bugcheck.parameter_1"), Strength::Detail, what);
    }
    // A carrier only passes the exceptions of others on.
    if facts.get("fault_site.carrier").is_some_and(|known| known.value == Value::Flag(false)) {
        let what = "the module in which it was raised";
        add("fault_site", DraftTerm::fact(facts, "fault_site.module"), Strength::Site, what);
    }
    let suspect = DraftTerm::fact(facts, "suspect.module");
    let name = |term: &DraftTerm| term.distinctive_name().map(|name| name.to_lowercase());
    let site = DraftTerm::fact(facts, "fault_site.module");
    let elsewhere = suspect.filter(|suspect| site.is_none_or(|site| name(&site) != name(suspect)));
    let what = match facts.get("suspect.basis").and_then(|known| known.value.text()) {
        Some("scanned") => "the suspect, by an address on the stack that may be stale",
        Some("inferred") => "the suspect, which is only inferred",
        _ => "the module that the evidence points to",
    };
    add("suspect", elsewhere, Strength::Site, what);
    add("package", package(facts), Strength::Site, "the Python package in which the program was");
    let what = "an error number in the text";
    add("win_error", entry(facts, "win_errors", "number"), Strength::Named, what);
    add("hresult", entry(facts, "hresults", "code"), Strength::Named, what);
    let symbol = message::symbol(facts, private);
    let file = message::file(facts, private).filter(|file| !symbol.as_ref().is_some_and(|known| known.contains(file)));
    let says = message::message(facts, private, &[symbol.clone(), file.clone()]);
    add("symbol", symbol.map(DraftTerm::Line), Strength::Says, "an error's name in the text");
    add("file", file.map(DraftTerm::Line), Strength::Says, "a file that a message names");
    let what = "words of a message; look whether another case would have the same";
    add("says", says.map(DraftTerm::Line), Strength::Says, what);
    let what = "words of the text, in which nothing names a failure";
    add("says", message::words(facts, private).map(DraftTerm::Line), Strength::LastResort, what);
    add("sigma", sigma(facts), Strength::Hint, "a Sigma rule that a record of the machine around it matches");
    add("program", DraftTerm::fact(facts, "process.name"), Strength::Program, "the program");
    found
}

/// The first record of an event log that belongs to the incident.
fn event(facts: &FactSet) -> Option<DraftTerm> {
    let event = facts.list("events")?.first()?;
    let values = [("provider", event.get("provider")?.clone()), ("id", event.get("id")?.clone())];
    DraftTerm::entry("events", &values)
}

/// The first match of a Sigma rule around the incident.
fn sigma(facts: &FactSet) -> Option<DraftTerm> {
    let (kind, title) =
        facts.list("timeline")?.iter().find_map(|entry| Some((entry.get("kind")?, entry.get("sigma_title")?)))?;
    DraftTerm::entry("timeline", &[("kind", kind.clone()), ("sigma_title", title.clone())])
}

/// The first entry of a list that is more than mentioned, by one of its fields.
fn entry(facts: &FactSet, list: &'static str, field: &'static str) -> Option<DraftTerm> {
    let counts = |flag: Option<&Value>| flag != Some(&Value::Flag(true));
    let mut sure = facts.list(list)?.iter().filter(|one| counts(one.get("mentioned")) && counts(one.get("unreported")));
    DraftTerm::entry(list, &[(field, sure.next()?.get(field)?.clone())])
}

/// The package of the innermost frame that is in one.
fn package(facts: &FactSet) -> Option<DraftTerm> {
    let package = facts.list("python_frames")?.iter().find_map(|frame| frame.get("package"))?;
    DraftTerm::entry("python_frames", &[("package", package.clone())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::schema;

    #[test]
    fn every_fact_that_is_looked_at_exists() {
        for (path, ..) in FACTS {
            assert!(schema::scalar(path).is_some(), "{path}");
        }
    }
}
