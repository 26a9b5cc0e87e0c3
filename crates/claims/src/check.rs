//! Checks claims one by one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::claim::{self, Claim, Claims, Role, Subject};
use super::modules::{Named, loaded, of_incident};
use super::quotes;
use incident::{SourcedEvidence, short_host};
use report::{Judged, Report};
use windows_codes::Kind;

/// What the artifacts say to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// They have what is claimed.
    Found,
    /// They have something else in its place.
    Contradicted,
    /// They neither have it nor something else in its place.
    NotThere,
}

impl Outcome {
    /// The words for it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Contradicted => "contradicted",
            Self::NotThere => "not there",
        }
    }
}

/// A place in the artifacts.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The path of the artifact; absent for what several artifacts of an incident say together.
    pub artifact: Option<String>,
    /// Where in it.
    pub place: Option<String>,
}

/// A claim with what the artifacts say to it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// The claim as it was given.
    pub claim: Value,
    /// What the artifacts say to it.
    pub outcome: Outcome,
    /// What they have, in a sentence.
    pub says: String,
    /// Where it is, of what was found.
    pub found_at: Option<Place>,
}

/// A finished run over the artifacts.
pub struct Ran<'r> {
    /// Its report.
    pub report: &'r Report,
    /// Its evidence.
    pub evidence: &'r [SourcedEvidence],
    /// The file of an artifact by the path that the report shows; `None` for a member of an archive.
    pub file: &'r dyn Fn(&str) -> Option<PathBuf>,
}

/// Checks each claim, in their order.
#[must_use]
pub fn check(claims: &Claims, ran: &Ran<'_>) -> Vec<Checked> {
    let answer = |given: &Value| {
        let claim = Claim::deserialize(given).map_err(|error| error.to_string())?;
        let subject = claim.subject()?;
        Ok(Scope::new(claim.incident.as_deref().or(claims.incident.as_deref()), ran).check(&claim, &subject))
    };
    let of = |given: &Value| {
        let (outcome, says, found_at) = answer(given)
            .unwrap_or_else(|reason: String| (Outcome::NotThere, format!("it can't be checked: {reason}"), None));
        Checked { claim: given.clone(), outcome, says, found_at }
    };
    claims.claims.iter().map(of).collect()
}

/// The outcome, what the artifacts have, and where.
type Answer = (Outcome, String, Option<Place>);

/// The incidents that a claim is about.
struct Scope<'r> {
    ran: &'r Ran<'r>,
    incidents: Vec<&'r Judged>,
    /// Whether the claim names an incident.
    is_named: bool,
}

impl<'r> Scope<'r> {
    fn new(id: Option<&str>, ran: &'r Ran<'r>) -> Self {
        let id = id.map(|id| id.trim().to_lowercase());
        let is_meant = |judged: &&Judged| id.as_ref().is_none_or(|id| judged.incident.id.starts_with(id.as_str()));
        Self { ran, incidents: ran.report.incidents.iter().filter(is_meant).collect(), is_named: id.is_some() }
    }

    fn check(&self, claim: &Claim, subject: &Subject<'_>) -> Answer {
        if self.is_named && self.incidents.is_empty() {
            return (Outcome::NotThere, "no incident has this id".to_owned(), None);
        }
        match *subject {
            Subject::Code(ref codes) => self.code(codes),
            Subject::Quote(quote) => self.quote(claim, quote),
            Subject::Module(name, offset) => self.module(claim, name, offset),
            Subject::Time(time, precision) => self.time(time, precision),
            Subject::Process(name) => self.process(claim, name),
            Subject::Host(name) => self.host(name),
            Subject::Cause(cause) => self.cause(cause),
        }
    }

    /// The only incident that is meant.
    fn only(&self) -> Option<&'r Judged> {
        match self.incidents.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    fn place_of(judged: &Judged) -> Option<Place> {
        Some(Place { artifact: None, place: Some(format!("incident {}", judged.incident.id)) })
    }

    /// Whether an artifact is one of the incidents that are meant; every artifact is, where no incident is named.
    fn artifacts(&self) -> impl Fn(usize) -> bool + use<> {
        let items = self.incidents.iter().flat_map(|judged| &judged.incident.evidence);
        let own: BTreeSet<usize> = items.map(|item| item.artifact).collect();
        let is_named = self.is_named;
        move |artifact| !is_named || own.contains(&artifact)
    }

    /// Answers by the values of the incidents: found where one is as claimed; contradicted where the only incident has
    /// another.
    fn by_values<T: ToString>(
        &self,
        what: &str,
        values: impl Fn(&'r Judged) -> Vec<T>,
        is_claimed: impl Fn(&T) -> bool,
    ) -> Answer {
        for judged in &self.incidents {
            if let Some(value) = values(judged).iter().find(|value| is_claimed(value)) {
                return (Outcome::Found, format!("{what} {}", value.to_string()), Self::place_of(judged));
            }
        }
        let known: BTreeSet<String> =
            self.incidents.iter().flat_map(|judged| values(judged)).map(|value| value.to_string()).collect();
        let known: Vec<String> = known.into_iter().collect();
        match (self.only(), known.is_empty()) {
            (_, true) => (Outcome::NotThere, format!("no artifact has a {what}"), None),
            (Some(_), false) => {
                (Outcome::Contradicted, format!("the incident has the {what} {}", known.join(", ")), None)
            }
            (None, false) => (Outcome::NotThere, format!("no incident has this {what}"), None),
        }
    }

    fn code(&self, claimed: &[(Option<Kind>, u64)]) -> Answer {
        let of = |judged: &'r Judged| {
            let incident = &judged.incident;
            let exception = incident.exception.iter();
            let codes = exception.flat_map(|one| [Some(one.code), one.recorded_code]).flatten();
            let codes = codes.map(|code| (Kind::Exception, code.0, code.to_string()));
            let fast_fail = incident.exception.iter().filter_map(|one| one.fast_fail.as_ref());
            let fast_fail = fast_fail.map(|reason| (Kind::FastFail, reason.code.0, reason.code.0.to_string()));
            // With and without the mark of a small dump.
            let stops = incident.bugcheck.iter().flat_map(|stop| [stop.code.0, stop.code.plain()]);
            let stops = stops.map(|code| (Kind::Bugcheck, code, evidence::BugcheckCode(code).to_string()));
            let all = codes.chain(stops).chain(fast_fail);
            all.map(|(kind, number, shown)| Code { kind, number: u64::from(number), shown }).collect()
        };
        let is = |known: &Code, (kind, number): (Option<Kind>, u64)| {
            known.number == number && kind.is_none_or(|kind| kind == known.kind)
        };
        self.by_values("code", of, |known: &Code| claimed.iter().any(|claimed| is(known, *claimed)))
    }

    fn time(&self, time: Timestamp, precision: i64) -> Answer {
        let is_near = |known: &Timestamp| known.duration_since(time).abs() <= SignedDuration::from_millis(precision);
        let answer = self.by_values("time", |judged| judged.incident.time.into_iter().collect(), is_near);
        if answer.0 == Outcome::Found {
            return answer;
        }
        let hosts: BTreeSet<String> =
            self.incidents.iter().filter_map(|judged| judged.incident.host.as_deref()).map(short_host).collect();
        for machine in &self.ran.report.machines {
            if self.is_named && !hosts.contains(&short_host(&machine.host)) {
                continue;
            }
            if let Some(entry) = machine.timeline.iter().find(|entry| is_near(&entry.time)) {
                let place = Place {
                    artifact: self.ran.report.artifact_path(entry.artifact).map(str::to_owned),
                    place: Some(entry.place.to_string()),
                };
                return (Outcome::Found, format!("{}: {}", entry.time, entry.sentence), Some(place));
            }
        }
        answer
    }

    fn process(&self, claim: &Claim, name: &str) -> Answer {
        let named = self.by_values(
            "program",
            |judged| judged.incident.process.iter().filter_map(|process| process.name.clone()).collect(),
            |known| is_named(known, name),
        );
        let Some(pid) = claim.pid.filter(|_| named.0 == Outcome::Found) else { return named };
        let is_of = |judged: &'r Judged| {
            let process = judged.incident.process.as_ref();
            let process = process.filter(|process| process.name.as_deref().is_some_and(|own| is_named(own, name)));
            process.and_then(|process| process.pid).into_iter().collect()
        };
        self.by_values("process id", is_of, |known| *known == pid)
    }

    fn host(&self, name: &str) -> Answer {
        let of = |judged: &'r Judged| judged.incident.host.iter().cloned().collect::<Vec<_>>();
        self.by_values("computer", of, |known| short_host(known) == short_host(name))
    }

    fn cause(&self, cause: &str) -> Answer {
        let of = |judged: &'r Judged| {
            let verdict = Some(&judged.verdict).filter(|verdict| !verdict.is_undetermined());
            verdict.map(|verdict| verdict.cause.clone()).into_iter().collect()
        };
        let answer = self.by_values("cause", of, |known| known == cause);
        let also =
            self.incidents.iter().flat_map(|judged| judged.other_causes()).find(|finding| finding.cause == cause);
        match also.filter(|_| answer.0 != Outcome::Found) {
            Some(finding) => {
                (answer.0, format!("{}; rule {} names it with {}", answer.1, finding.rule, finding.confidence), None)
            }
            None => answer,
        }
    }

    fn module(&self, claim: &Claim, name: &str, offset: Option<u64>) -> Answer {
        let name = evidence::base_name(name);
        let wanted = self.artifacts();
        let (loaded, is_complete) = loaded(self.ran.report, self.ran.evidence, &wanted);
        let mut all: Vec<Named> = self.incidents.iter().flat_map(|judged| of_incident(judged)).collect();
        all.extend(loaded);
        let in_role = |known: &&Named| claim.role.is_none_or(|role| known.role == role);
        let same: Vec<&Named> = all.iter().filter(in_role).filter(|known| is_named(&known.name, name)).collect();
        let unmarked = claim.offset.as_ref().and_then(claim::unmarked);
        let fits = |known: &&&Named| {
            let version = claim.version.as_deref();
            let version =
                version.is_none_or(|claimed| known.version.as_deref().is_some_and(|own| begins(own, claimed)));
            let is_claimed = |own: u64| Some(own) == offset || Some(own) == unmarked;
            version && (offset.is_none() || known.offset.is_some_and(is_claimed))
        };
        if let Some(found) = same.iter().find(fits) {
            return (Outcome::Found, described(found), Some(found.place.clone()));
        }
        if !same.is_empty() {
            return differing(claim, offset, &same);
        }
        let role = match claim.role {
            Some(Role::Faulting) => Some("the faulting module"),
            Some(Role::Suspect) => Some("the suspected module"),
            _ => None,
        };
        let other = all.iter().filter(in_role).find(|_| role.is_some() && self.only().is_some());
        match (role, other) {
            (Some(role), Some(other)) => (Outcome::Contradicted, format!("{role} is {}", other.name), None),
            (Some(role), None) => (Outcome::NotThere, format!("no incident has it as {role}"), None),
            (None, _) if claim.role != Some(Role::Stack) && is_complete && self.only().is_some() => {
                (Outcome::Contradicted, "the whole list of loaded modules does not have it".to_owned(), None)
            }
            (None, _) => (Outcome::NotThere, "no artifact names it so".to_owned(), None),
        }
    }

    fn quote(&self, claim: &Claim, quote: &str) -> Answer {
        let own = self.artifacts();
        let of = |artifact: usize| self.ran.report.artifact_path(artifact).unwrap_or_default();
        let is_named = |artifact: usize| {
            claim
                .artifact
                .as_deref()
                .is_none_or(|end| of(artifact).to_lowercase().ends_with(&end.replace('\\', "/").to_lowercase()))
        };
        let search = |wanted: &dyn Fn(usize) -> bool| {
            quotes::find(quote, self.ran.report, self.ran.evidence, wanted, self.ran.file)
        };
        if claim.artifact.is_some() && !(0..self.ran.report.artifacts.len()).any(is_named) {
            return (Outcome::NotThere, "no artifact has this path".to_owned(), None);
        }
        let searched = search(&|artifact| own(artifact) && is_named(artifact));
        if let Some(place) = searched.found {
            return (Outcome::Found, "an artifact has this text".to_owned(), Some(place));
        }
        if claim.artifact.is_some()
            && let Some(Place { artifact: Some(path), place }) = search(&own).found
        {
            let says = format!("it is not in the artifact that is named, but in {path}, {}", place.unwrap_or_default());
            return (Outcome::NotThere, says, None);
        }
        let says = match searched.not_searched {
            0 => "no artifact has this text".to_owned(),
            several => {
                format!("nothing that was read has this text; {several} artifacts were not searched byte by byte")
            }
        };
        (Outcome::NotThere, says, None)
    }
}

/// A code with the form in which it is shown.
struct Code {
    kind: Kind,
    number: u64,
    shown: String,
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Whether a version begins with all parts of another one.
fn begins(version: &str, with: &str) -> bool {
    let rest = version.strip_prefix(with.trim());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a file is the one that a claim names. People leave endings away: `python` is python.exe.
fn is_named(known: &str, claimed: &str) -> bool {
    let stem = known.split('.').next().unwrap_or(known);
    known.eq_ignore_ascii_case(claimed) || stem.eq_ignore_ascii_case(claimed)
}

/// What a module is, with version and place.
fn described(known: &Named) -> String {
    let version = known.version.as_deref().map_or_else(String::new, |version| format!(" {version}"));
    let offset = known.offset.map_or_else(String::new, |offset| format!("+{offset:#x}"));
    format!("{}{offset}{version} is {}", known.name, known.what)
}

/// The answer where the module is there with another version or at another place. Another version contradicts the claim where
/// all known ones differ; another place only where the claim is about the one place of the fault.
fn differing(claim: &Claim, offset: Option<u64>, same: &[&Named]) -> Answer {
    let versions: BTreeSet<&str> = same.iter().filter_map(|known| known.version.as_deref()).collect();
    if let Some(claimed) = claim.version.as_deref()
        && !versions.iter().any(|own| begins(own, claimed))
    {
        let known: Vec<&str> = versions.into_iter().collect();
        return match known.is_empty() {
            true => (Outcome::NotThere, "it is there, and its version is not known".to_owned(), None),
            false => (Outcome::Contradicted, format!("its version is {}", known.join(", ")), None),
        };
    }
    let known: BTreeSet<u64> = same.iter().filter_map(|known| known.offset).collect();
    let shown: Vec<String> = known.iter().take(8).map(|offset| format!("{offset:#x}")).collect();
    let claimed = offset.map_or_else(String::new, |offset| format!("{offset:#x}"));
    match (known.is_empty(), claim.role) {
        (true, _) => (Outcome::NotThere, format!("it is there, and no artifact names the place {claimed} in it"), None),
        (false, Some(Role::Faulting)) => (Outcome::Contradicted, format!("the fault is at {}", shown.join(", ")), None),
        (false, _) => (Outcome::NotThere, format!("it is there at {}, not at {claimed}", shown.join(", ")), None),
    }
}
