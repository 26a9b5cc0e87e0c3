//! The facts of an incident that a rule could ask for, the strongest first.

use std::borrow::Cow;

use super::fact_table::{FACTS, FactCandidate, Strength};
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

/// All terms that a rule could have, each name once.
pub(super) fn candidates(facts: &FactSet, private: &Private) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut add = |name: &'static str, term: Option<DraftTerm>, strength: Strength, what: &'static str| {
        if let Some(term) = term.filter(|_| !found.iter().any(|known| known.name == name)) {
            found.push(Candidate { name, term, strength, what: what.into() });
        }
    };
    for FactCandidate { fact, name, strength, what } in &FACTS.candidates {
        add(name, DraftTerm::fact(facts, fact), *strength, what);
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
        assert_eq!((FACTS.candidates.len(), FACTS.shown_texts.len()), (37, 20));
        for path in FACTS.candidates.iter().map(|candidate| &candidate.fact).chain(&FACTS.shown_texts) {
            assert!(schema::scalar(path).is_some(), "{path}");
        }
    }
}
