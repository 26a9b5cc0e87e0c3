//! The list `other_incidents`: the incidents of a run that share something with one, put together when a rule asks.

mod run;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::SignedDuration;

use super::given::FieldValue;
use super::related_incidents::{RelatedIncidents, Relation};
use super::schema::FactType;
use super::value::Record;
use run::{LeftOut, Member, Near};
pub use run::{MOST_OTHERS, NEAREST, OF_A_MACHINE, Profile, Run, Shared};

/// The other incidents of the run that share a machine, fault site, signature, suspect or program with one incident.
#[derive(Clone)]
pub struct OtherIncidents {
    run: Arc<Run>,
    /// The position of that incident in the run.
    own: usize,
    found: OnceLock<Found>,
    possible: OnceLock<Found>,
    records: OnceLock<(Vec<Record>, Vec<RelatedIncidents>)>,
}

#[derive(Debug, Clone)]
struct Found {
    entries: Vec<OtherIncident>,
    left_out: [LeftOut; Shared::ALL.len()],
}

/// An incident of the list, compared with the incident that the list belongs to.
#[derive(Debug, Clone)]
pub struct OtherIncident {
    run: Arc<Run>,
    index: usize,
    /// Whether both have each property in common, in the order of [`Shared::ALL`]; `None` where that is unknown.
    same: [Option<bool>; Shared::ALL.len()],
    same_code: Option<bool>,
    same_module: Option<bool>,
    /// How long it was before the incident; negative if it was after.
    before: Option<SignedDuration>,
}

/// The fields of another incident, in the order of the list's definition, which a test compares.
pub const OTHER_FIELDS: [(&str, OfOther); 18] = [
    ("kind", |entry| Some(FieldValue::Word(entry.profile()?.kind.word()))),
    ("code", |entry| Some(FieldValue::Number(entry.profile()?.code?.0.into()))),
    ("module", |entry| entry.text(FactType::Module, |it| (&it.profile.module, &it.folded.module))),
    ("suspect", |entry| entry.text(FactType::Module, |it| (&it.profile.suspect, &it.folded.suspect))),
    ("program", |entry| entry.text(FactType::Module, |it| (&it.profile.program, &it.folded.program))),
    ("host", |entry| entry.text(FactType::Text, |it| (&it.profile.host, &it.folded.host))),
    ("os_build", |entry| Some(FieldValue::Number(entry.profile()?.os_build?.into()))),
    ("day", |entry| entry.run.member(entry.index)?.day().map(FieldValue::Word)),
    ("seconds_before", |entry| entry.before.filter(|before| !before.is_negative()).map(seconds)),
    ("seconds_after", |entry| entry.before.filter(SignedDuration::is_negative).map(seconds)),
    ("seconds_away", |entry| entry.before.map(seconds)),
    ("same_code", |entry| entry.same_code.map(FieldValue::Flag)),
    ("same_host", |entry| entry.same(Shared::Host)),
    ("same_module", |entry| entry.same_module.map(FieldValue::Flag)),
    ("same_program", |entry| entry.same(Shared::Program)),
    ("same_signature", |entry| entry.same(Shared::Signature)),
    ("same_site", |entry| entry.same(Shared::Site)),
    ("same_suspect", |entry| entry.same(Shared::Suspect)),
];

/// How another incident gives a field.
type OfOther = fn(&OtherIncident) -> Option<FieldValue<'_>>;

/// A text of an incident of the run, and its folded form.
type TextOf = fn(&Member) -> (&Option<Arc<str>>, &OnceLock<Box<str>>);

fn seconds(span: SignedDuration) -> FieldValue<'static> {
    FieldValue::Number(span.as_secs().unsigned_abs())
}

impl OtherIncidents {
    /// The list of the incident at the position `own` of the run.
    #[must_use]
    pub fn new(run: &Arc<Run>, own: usize) -> Self {
        let (found, possible, records) = Default::default();
        Self { run: Arc::clone(run), own, found, possible, records }
    }

    /// The incidents that are known to share something, the nearest in time first, those without a time last.
    #[must_use]
    pub fn entries(&self) -> &[OtherIncident] {
        &self.found().entries
    }

    /// The incidents that may share something but lack the facts to decide it, the nearest in time first.
    #[must_use]
    pub fn possible_entries(&self) -> &[OtherIncident] {
        &self.found_possible().entries
    }

    fn found(&self) -> &Found {
        self.found.get_or_init(|| self.compared(self.run.nearest(self.own)))
    }

    fn found_possible(&self) -> &Found {
        self.possible.get_or_init(|| {
            let sharing: HashSet<usize> = self.entries().iter().map(|entry| entry.index).collect();
            self.compared(self.run.nearest_possible(self.own, &sharing))
        })
    }

    fn compared(&self, near: Near) -> Found {
        let Near { indices, left_out } = near;
        let entries = indices.into_iter().filter_map(|index| {
            let (own, other) = (self.run.profile(self.own)?, self.run.profile(index)?);
            Some(OtherIncident {
                run: Arc::clone(&self.run),
                index,
                same: Shared::ALL.map(|shared| own.shares(shared, other)),
                same_code: own.same_code(other),
                same_module: own.same_module(other),
                before: other.time_before(own),
            })
        });
        Found { entries: entries.collect(), left_out }
    }

    /// Whether [`Self::entries`] and [`Self::possible_entries`] contain every incident that shares this value or may share
    /// it: on the same machine (`here`), elsewhere, or on any machine, and `within` so many seconds. False where the
    /// incident's own value is not known.
    #[must_use]
    pub fn has_all(&self, shared: Shared, here: Option<bool>, within: Option<u64>) -> bool {
        let is_known =
            self.run.profile(self.own).is_some_and(|own| own.keys.get(shared as usize).is_some_and(Option::is_some));
        let none_nearer = |left: Option<u64>| match (left, within) {
            (None, _) => true,
            (Some(left), Some(within)) => left > within,
            (Some(_), None) => false,
        };
        // Others on the machine are the same machine's, and elsewhere there are none of those.
        let (ask_here, ask_elsewhere) = (here != Some(false), here != Some(true) && shared != Shared::Host);
        let is_whole = |found: &Found| {
            let LeftOut { here, elsewhere } = found.left_out.get(shared as usize).copied().unwrap_or_default();
            (!ask_here || none_nearer(here)) && (!ask_elsewhere || none_nearer(elsewhere))
        };
        is_known && is_whole(self.found()) && is_whole(self.found_possible())
    }

    /// Puts ids of some of them in the order of their times.
    pub fn sort_in_time(&self, ids: &mut [Arc<str>]) {
        let index = |id: &Arc<str>| self.entries().iter().find(|entry| entry.id() == *id).map(|entry| entry.index);
        ids.sort_by_cached_key(index);
    }

    /// The list as records.
    pub(super) fn records(&self) -> &[Record] {
        &self.as_records().0
    }

    /// Each incident of the list as a finding names it.
    pub(super) fn named(&self) -> &[RelatedIncidents] {
        &self.as_records().1
    }

    fn as_records(&self) -> &(Vec<Record>, Vec<RelatedIncidents>) {
        self.records.get_or_init(|| {
            let named = |entry: &OtherIncident| RelatedIncidents::one(Relation::Other, entry.id());
            let entries = self.entries();
            (entries.iter().map(OtherIncident::record).collect(), entries.iter().map(named).collect())
        })
    }
}

impl fmt::Debug for OtherIncidents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.records()).finish()
    }
}

impl PartialEq for OtherIncidents {
    fn eq(&self, other: &Self) -> bool {
        self.records() == other.records()
    }
}

impl Eq for OtherIncidents {}

impl OtherIncident {
    fn profile(&self) -> Option<&Profile> {
        self.run.profile(self.index)
    }

    fn id(&self) -> Arc<str> {
        self.profile().map_or_else(|| Arc::from(""), |profile| Arc::clone(&profile.id))
    }

    /// Whether it is known to share something with the incident.
    #[must_use]
    pub fn is_sharing(&self) -> bool {
        self.same.contains(&Some(true))
    }

    /// Whether the incident shares this value with the one that is judged; `None` where it is not known.
    fn same(&self, shared: Shared) -> Option<FieldValue<'_>> {
        self.same.get(shared as usize).copied().flatten().map(FieldValue::Flag)
    }

    /// A text of the incident, which `of` gives.
    fn text(&self, kind: FactType, of: TextOf) -> Option<FieldValue<'_>> {
        let (written, folded) = of(self.run.member(self.index)?);
        Some(FieldValue::Text { written: written.as_ref()?, kind, folded })
    }

    /// The incident as a record.
    #[must_use]
    pub fn record(&self) -> Record {
        let known = OTHER_FIELDS.iter().filter_map(|(name, field)| Some((*name, field(self)?.value())));
        Record { fields: known.collect(), from: None }
    }
}
