//! Which incidents and machines of a run are reported, by what they are about. Joining and judging consider all of them: what
//! is left out changes no verdict.

use incident::{Incident, short_host};
use report::{Selected, Verdict};
use untrusted::glob::AnyCaseGlob;

/// The compiled choice.
pub(super) struct Wanted<'s> {
    hosts: Vec<AnyCaseGlob>,
    processes: Vec<AnyCaseGlob>,
    modules: Vec<AnyCaseGlob>,
    causes: &'s [String],
}

impl<'s> Wanted<'s> {
    pub(super) fn new(selected: &'s Selected) -> Self {
        let globs = |patterns: &[String]| patterns.iter().map(|pattern| AnyCaseGlob::from_wildcards(pattern)).collect();
        Self {
            hosts: globs(&selected.host),
            processes: globs(&selected.process),
            modules: globs(&selected.module),
            causes: &selected.cause,
        }
    }

    /// Whether a computer of that name is wanted. A pattern fits the whole name or the name without its domain.
    pub(super) fn has_host(&self, host: &str) -> bool {
        fits_any(&self.hosts, [host, &short_host(host)])
    }

    /// Whether an incident is wanted, before its cause is known. What is not known of an incident fits no pattern.
    pub(super) fn has(&self, incident: &Incident) -> bool {
        let of_host = || incident.host.as_deref().map_or(self.hosts.is_empty(), |host| self.has_host(host));
        let process = incident.process.as_ref().and_then(|process| process.name.as_deref());
        let site = incident.fault_site.as_ref().map(|site| &*site.module);
        let suspect = incident.suspect.as_ref().map(|suspect| &*suspect.module);
        of_host() && fits_any(&self.processes, process) && fits_any(&self.modules, site.into_iter().chain(suspect))
    }

    /// Whether an incident with that verdict is wanted, by its cause or the family of its cause.
    pub(super) fn has_cause(&self, verdict: &Verdict) -> bool {
        let is_wanted = |cause: &String| *cause == verdict.cause || verdict.family.as_ref() == Some(cause);
        self.causes.is_empty() || self.causes.iter().any(is_wanted)
    }
}

/// Whether there are no patterns, or one fits one of the names.
fn fits_any<'n>(patterns: &[AnyCaseGlob], names: impl IntoIterator<Item = &'n str>) -> bool {
    patterns.is_empty() || names.into_iter().any(|name| patterns.iter().any(|pattern| pattern.fits(name)))
}
