//! The list `other_incidents`: the incidents of a run that share something with one, put together when a rule asks.

mod run;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::SignedDuration;

use super::related_incidents::{RelatedIncidents, Relation};
use super::schema::FactType;
use super::value::{Record, Value, word};
use run::{LeftOut, Near};
pub use run::{MOST_OTHERS, NEAREST, OF_A_MACHINE, Profile, Run, Shared};

/// The other incidents of the run that share a machine, place, signature, suspect or program with one incident.
#[derive(Clone)]
pub struct OtherIncidents {
    run: Arc<Run>,
    /// The position of that incident in the run.
    own: usize,
    found: OnceLock<Found>,
    perhaps: OnceLock<Found>,
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
    place: usize,
    /// Whether both have each property in common, in the order of [`Shared::ALL`]; `None` where that is unknown.
    same: [Option<bool>; Shared::ALL.len()],
    same_code: Option<bool>,
    same_module: Option<bool>,
    /// How long it was before the incident; negative if it was after.
    before: Option<SignedDuration>,
}

/// The texts of an incident in the form in which rules compare them, without differences of case.
#[derive(Debug, Clone)]
pub struct Folded {
    /// The module at the fault.
    pub module: Option<Box<str>>,
    /// The module that its evidence points to.
    pub suspect: Option<Box<str>>,
    /// Its program.
    pub program: Option<Box<str>>,
    /// Its computer.
    pub host: Option<Box<str>>,
    /// The day on which it was.
    pub day: Option<Box<str>>,
}

impl OtherIncidents {
    /// The list of the incident at the position `own` of the run.
    #[must_use]
    pub fn new(run: &Arc<Run>, own: usize) -> Self {
        let (found, perhaps, records) = Default::default();
        Self { run: Arc::clone(run), own, found, perhaps, records }
    }

    /// The incidents that are known to share something, the nearest in time first, those without a time last.
    #[must_use]
    pub fn entries(&self) -> &[OtherIncident] {
        &self.found().entries
    }

    /// The incidents that may share something but lack the facts to decide it, the nearest in time first.
    #[must_use]
    pub fn perhaps(&self) -> &[OtherIncident] {
        &self.found_perhaps().entries
    }

    fn found(&self) -> &Found {
        self.found.get_or_init(|| self.compared(self.run.near(self.own)))
    }

    fn found_perhaps(&self) -> &Found {
        self.perhaps.get_or_init(|| {
            let sharing: HashSet<usize> = self.entries().iter().map(|entry| entry.place).collect();
            self.compared(self.run.perhaps(self.own, &sharing))
        })
    }

    fn compared(&self, near: Near) -> Found {
        let Near { places, left_out } = near;
        let entries = places.into_iter().filter_map(|place| {
            let (own, other) = (self.run.profile(self.own)?, self.run.profile(place)?);
            Some(OtherIncident {
                run: Arc::clone(&self.run),
                place,
                same: Shared::ALL.map(|shared| own.shares(shared, other)),
                same_code: own.same_code(other),
                same_module: own.same_module(other),
                before: other.before(own),
            })
        });
        Found { entries: entries.collect(), left_out }
    }

    /// Whether [`Self::entries`] and [`Self::perhaps`] have every incident that shares this or may, on the same machine
    /// (`here`), elsewhere, or wherever, and is not further away than so many seconds. Not where nobody knows it of the
    /// incident itself.
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
        is_known && is_whole(self.found()) && is_whole(self.found_perhaps())
    }

    /// Puts ids of some of them in the order of their times.
    pub fn sort_in_time(&self, ids: &mut [Arc<str>]) {
        let place = |id: &Arc<str>| self.entries().iter().find(|entry| entry.id() == *id).map(|entry| entry.place);
        ids.sort_by_cached_key(place);
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
        self.run.profile(self.place)
    }

    fn id(&self) -> Arc<str> {
        self.profile().map_or_else(|| Arc::from(""), |profile| Arc::clone(&profile.id))
    }

    /// Whether it is known to share something with the incident.
    #[must_use]
    pub fn is_sharing(&self) -> bool {
        self.same.contains(&Some(true))
    }

    /// Its kind, a word of the schema.
    #[must_use]
    pub fn kind(&self) -> Option<&'static str> {
        Some(self.profile()?.kind.word())
    }

    /// The code of its exception or stop.
    #[must_use]
    pub fn code(&self) -> Option<u32> {
        Some(self.profile()?.code?.0)
    }

    /// The build of Windows.
    #[must_use]
    pub fn os_build(&self) -> Option<u32> {
        self.profile()?.os_build
    }

    /// How long before the incident it was, if it was not after it: seconds.
    #[must_use]
    pub fn seconds_before(&self) -> Option<u64> {
        self.before.filter(|before| !before.is_negative()).map(|before| before.as_secs().unsigned_abs())
    }

    /// How long after the incident it was, if it was after it: seconds.
    #[must_use]
    pub fn seconds_after(&self) -> Option<u64> {
        self.before.filter(SignedDuration::is_negative).map(|before| before.as_secs().unsigned_abs())
    }

    /// How far away it was: seconds.
    #[must_use]
    pub fn seconds_away(&self) -> Option<u64> {
        self.before.map(|before| before.as_secs().unsigned_abs())
    }

    /// Whether it is the same in this; `None` where nobody knows.
    #[must_use]
    pub fn same(&self, shared: Shared) -> Option<bool> {
        self.same.get(shared as usize).copied().flatten()
    }

    /// Whether the code is the same.
    #[must_use]
    pub fn same_code(&self) -> Option<bool> {
        self.same_code
    }

    /// Whether the module at the fault is the same.
    #[must_use]
    pub fn same_module(&self) -> Option<bool> {
        self.same_module
    }

    /// Its texts as they compare, by `fold`.
    #[must_use]
    pub fn folded(&self, fold: fn(FactType, &str) -> Cow<'_, str>) -> Option<&Folded> {
        self.run.folded(self.place, |profile| {
            let folded = |kind, text: &Option<Arc<str>>| text.as_deref().map(|text| fold(kind, text).into());
            Folded {
                module: folded(FactType::Module, &profile.module),
                suspect: folded(FactType::Module, &profile.suspect),
                program: folded(FactType::Module, &profile.program),
                host: folded(FactType::Text, &profile.host),
                day: day(profile).map(String::into_boxed_str),
            }
        })
    }

    /// The incident as a record.
    #[must_use]
    pub fn record(&self) -> Record {
        let profile = self.profile();
        let text = |of: fn(&Profile) -> Option<&Arc<str>>| Some(Value::Text(Arc::clone(profile.and_then(of)?)));
        let number = |number: Option<u64>| number.map(Value::Number);
        let flag = |flag: Option<bool>| flag.map(Value::Flag);
        let fields = [
            ("kind", self.kind().map(word)),
            ("code", number(self.code().map(u64::from))),
            ("module", text(|profile| profile.module.as_ref())),
            ("suspect", text(|profile| profile.suspect.as_ref())),
            ("program", text(|profile| profile.program.as_ref())),
            ("host", text(|profile| profile.host.as_ref())),
            ("os_build", number(self.os_build().map(u64::from))),
            ("day", profile.and_then(day).map(|day| Value::Text(day.into()))),
            ("seconds_before", number(self.seconds_before())),
            ("seconds_after", number(self.seconds_after())),
            ("seconds_away", number(self.seconds_away())),
            ("same_code", flag(self.same_code)),
            ("same_host", flag(self.same(Shared::Host))),
            ("same_module", flag(self.same_module)),
            ("same_program", flag(self.same(Shared::Program))),
            ("same_signature", flag(self.same(Shared::Signature))),
            ("same_site", flag(self.same(Shared::Site))),
            ("same_suspect", flag(self.same(Shared::Suspect))),
        ];
        Record::of_known(fields, None)
    }
}

/// The day on which an incident was, in UTC: `2026-05-20`.
fn day(profile: &Profile) -> Option<String> {
    Some(profile.time?.strftime("%Y-%m-%d").to_string())
}
