//! All incidents of a run, found by what they share.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::{SignedDuration, Timestamp};

use incident::IncidentKind;

/// How many incidents of each relation rules see: the nearest on the same machine, and as many on other machines.
pub const NEAREST: usize = 32;
/// The most of these from one other machine, so that a machine that crashes all day does not hide the rest.
pub const OF_A_MACHINE: usize = 4;
/// How many of each relation are looked at on each side of an incident.
const LOOKED_AT: usize = 256;
/// The most that the list can hold: of the machine, and twice as many of each other relation.
pub const MOST_OTHERS: usize = NEAREST * (2 * Shared::ALL.len() - 1);

/// What two incidents can have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(prefix = "same_", serialize_all = "lowercase")]
pub enum Shared {
    /// The computer.
    Host,
    /// Code, module, build and offset.
    Site,
    /// The coarse signature.
    Signature,
    /// The module that the evidence points to.
    Suspect,
    /// The program.
    Program,
}

impl Shared {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Host, Self::Site, Self::Signature, Self::Suspect, Self::Program];

    /// The field of an entry for this relation: `same_host`.
    #[must_use]
    pub fn field(self) -> &'static str {
        self.into()
    }
}

/// The values of an incident that are compared with those of other incidents. Equal values have equal numbers.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its id.
    pub id: Arc<str>,
    /// Its kind.
    pub kind: IncidentKind,
    /// When it was, where that is known.
    pub time: Option<Timestamp>,
    /// The code of its exception or stop, and whether it is that of a blue screen: these are different numbers.
    pub code: Option<(u32, bool)>,
    /// The module at the fault.
    pub module: Option<Arc<str>>,
    /// The module that the evidence points to.
    pub suspect: Option<Arc<str>>,
    /// The program.
    pub program: Option<Arc<str>>,
    /// The computer.
    pub host: Option<Arc<str>>,
    /// The build of Windows.
    pub os_build: Option<u32>,
    /// What it can share with others, in the order of [`Shared::ALL`].
    pub keys: [Option<u32>; Shared::ALL.len()],
}

impl Profile {
    fn key(&self, shared: Shared) -> Option<u32> {
        self.keys.get(shared as usize).copied().flatten()
    }

    fn is_of_a_process(&self) -> bool {
        use IncidentKind::{Crash, Exit, Hang, StartFailure};
        matches!(self.kind, Crash | Exit | Hang | StartFailure)
    }

    /// Whether the incident is of a kind without an exception (a hang or a power loss), and so has no fault site.
    fn has_no_fault_site(&self) -> bool {
        self.code.is_none() && matches!(self.kind, IncidentKind::Hang | IncidentKind::PowerLoss)
    }

    /// Whether both incidents have the same value of this kind; `None` where this is not known.
    #[must_use]
    pub fn shares(&self, shared: Shared, other: &Self) -> Option<bool> {
        match (self.key(shared), other.key(shared), shared) {
            (Some(own), Some(other), _) => Some(own == other),
            // Another module or another code is another fault site, at any offset.
            (_, _, Shared::Site) => {
                let differs = self.same_module(other) == Some(false) || self.same_code(other) == Some(false);
                (differs || self.has_no_fault_site() || other.has_no_fault_site()).then_some(false)
            }
            // A blue screen has no program.
            (_, _, Shared::Program) if !self.is_of_a_process() || !other.is_of_a_process() => Some(false),
            _ => None,
        }
    }

    /// Whether the faulting module has the same name; `None` if one of the two is not known.
    #[must_use]
    pub fn same_module(&self, other: &Self) -> Option<bool> {
        Some(self.module.as_ref()?.eq_ignore_ascii_case(other.module.as_ref()?))
    }

    /// Whether the exception or stop code is the same; `None` if one of the two is not known.
    #[must_use]
    pub fn same_code(&self, other: &Self) -> Option<bool> {
        Some(self.code? == other.code?)
    }

    /// How long this incident was before `other`; negative if it was after it.
    #[must_use]
    pub fn time_before(&self, other: &Self) -> Option<SignedDuration> {
        Some(other.time?.duration_since(self.time?))
    }
}

/// The incidents that can be in one relation, such as "same program", by their indices.
#[derive(Debug, Default)]
struct IncidentsByValue {
    /// The incidents with each value that the relation compares.
    by_key: HashMap<u32, Vec<usize>>,
    /// The incidents whose value is not known.
    unknown: Vec<usize>,
}

/// The incidents of each relation, in the order of [`Shared::ALL`].
type ByProperty = [IncidentsByValue; Shared::ALL.len()];

/// All incidents of a run that are none of several.
pub struct Run {
    /// In the order of their times, those without one last.
    all: Vec<Member>,
    relations: OnceLock<ByProperty>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run of {} incidents", self.all.len())
    }
}

/// An incident of the run.
#[derive(Debug)]
pub(super) struct Member {
    pub profile: Profile,
    pub folded: FoldedTexts,
}

/// The texts of a profile as they compare, each made when a rule first asks.
#[derive(Debug, Default)]
pub(super) struct FoldedTexts {
    /// The day on which it was.
    day: OnceLock<Option<Box<str>>>,
    pub module: OnceLock<Box<str>>,
    pub suspect: OnceLock<Box<str>>,
    pub program: OnceLock<Box<str>>,
    pub host: OnceLock<Box<str>>,
}

impl Member {
    /// The incident's day in UTC: `2026-05-20`.
    pub fn day(&self) -> Option<&str> {
        let day = || Some(self.profile.time?.strftime("%Y-%m-%d").to_string().into());
        self.folded.day.get_or_init(day).as_deref()
    }
}

/// The incidents nearest in time that share a value with a given incident.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Indices of these incidents, the nearest first; those without a known time last.
    pub indices: Vec<usize>,
    /// The nearest of the incidents that were left out of each relation, in the order of [`Shared::ALL`].
    pub left_out: [LeftOut; Shared::ALL.len()],
}

/// The distance of the nearest incident that was left out of a relation, seconds; 0 where no time is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// On the same machine.
    pub here: Option<u64>,
    /// On other machines.
    pub elsewhere: Option<u64>,
}

impl LeftOut {
    /// Notes an incident that was left out; where it is not known whether it was on the same machine, for both.
    fn note(&mut self, same_host: Option<bool>, distance: Option<u64>) {
        let distance = distance.unwrap_or_default();
        let nearest = |known: Option<u64>| Some(known.map_or(distance, |known| known.min(distance)));
        if same_host != Some(false) {
            self.here = nearest(self.here);
        }
        if same_host != Some(true) {
            self.elsewhere = nearest(self.elsewhere);
        }
    }
}

impl Run {
    /// The incidents of a run, in the order of their times, those without one last.
    #[must_use]
    pub fn new(all: Vec<Profile>) -> Self {
        let member = |profile| Member { profile, folded: FoldedTexts::default() };
        Self { all: all.into_iter().map(member).collect(), relations: OnceLock::new() }
    }

    pub(super) fn member(&self, index: usize) -> Option<&Member> {
        self.all.get(index)
    }

    pub(super) fn profile(&self, index: usize) -> Option<&Profile> {
        Some(&self.member(index)?.profile)
    }

    fn relations(&self) -> &ByProperty {
        self.relations.get_or_init(|| {
            let mut relations: ByProperty = Default::default();
            for (index, member) in self.all.iter().enumerate() {
                for (relation, key) in relations.iter_mut().zip(member.profile.keys) {
                    match key {
                        Some(key) => relation.by_key.entry(key).or_default().push(index),
                        None => relation.unknown.push(index),
                    }
                }
            }
            relations
        })
    }

    /// The nearest incidents that share something with the incident at an index.
    pub(super) fn nearest(&self, own: usize) -> Near {
        self.of_relations(own, |shared, relation, profile, near, left_out| {
            let list = profile.key(shared).and_then(|key| relation.by_key.get(&key));
            let list = list.map_or(&[][..], Vec::as_slice);
            near.extend(self.of_relation(shared, profile, list, own, left_out));
        })
    }

    /// The nearest incidents that may share something with the incident at index `own`, as the values to compare are
    /// not known. Without the incidents `sharing`, which are known to share something.
    pub(super) fn nearest_possible(&self, own: usize, sharing: &HashSet<usize>) -> Near {
        self.of_relations(own, |shared, relation, profile, possible, left_out| {
            // What is not known of the incident itself leaves all of it open.
            if profile.key(shared).is_none() {
                return;
            }
            let mut count = 0_usize;
            for (looked_at, (distance, index)) in self.nearest_first(profile, &relation.unknown, own).enumerate() {
                if looked_at >= 2 * LOOKED_AT {
                    left_out.note(None, self.rest(distance, &relation.unknown));
                    break;
                }
                let Some(other) = self.profile(index).filter(|other| profile.shares(shared, other).is_none()) else {
                    continue;
                };
                if sharing.contains(&index) || possible.contains(&index) {
                    continue;
                }
                if count >= NEAREST {
                    left_out.note(profile.shares(Shared::Host, other), distance);
                    continue;
                }
                count = count.saturating_add(1);
                possible.insert(index);
            }
        })
    }

    /// What `add` finds in each relation for the incident at an index: it adds indices, and notes what it leaves out.
    fn of_relations(
        &self,
        own: usize,
        add: impl Fn(Shared, &IncidentsByValue, &Profile, &mut HashSet<usize>, &mut LeftOut),
    ) -> Near {
        let mut near = Near::default();
        let Some(profile) = self.profile(own) else { return near };
        let mut indices = HashSet::new();
        for ((shared, relation), left_out) in Shared::ALL.into_iter().zip(self.relations()).zip(&mut near.left_out) {
            add(shared, relation, profile, &mut indices, left_out);
        }
        near.indices.extend(indices);
        // Those without a time last.
        let distance = |index: &usize| self.distance(profile, *index);
        near.indices.sort_by_key(|index| (distance(index).is_none(), distance(index), *index));
        near
    }

    /// The distance of the nearest of a list from one at a distance on: nothing nearer follows, but for those without a time
    /// at its end, which may lie anywhere.
    fn rest(&self, distance: Option<u64>, list: &[usize]) -> Option<u64> {
        let last = list.last().and_then(|index| self.profile(*index));
        distance.filter(|_| last.is_none_or(|last| last.time.is_some()))
    }

    /// The nearest incidents of `list` in one relation; notes the nearest that is left out in `left_out`.
    fn of_relation(
        &self,
        shared: Shared,
        profile: &Profile,
        list: &[usize],
        own: usize,
        left_out: &mut LeftOut,
    ) -> Vec<usize> {
        let mut taken = Vec::new();
        let (mut here, mut elsewhere) = (0_usize, 0_usize);
        let mut of_machine: HashMap<u32, usize> = HashMap::new();
        for (looked_at, (distance, index)) in self.nearest_first(profile, list, own).enumerate() {
            let is_full = here >= NEAREST && (elsewhere >= NEAREST || shared == Shared::Host);
            if is_full || looked_at >= 2 * LOOKED_AT {
                left_out.note(None, self.rest(distance, list));
                break;
            }
            let Some(other) = self.profile(index) else { continue };
            if profile.shares(Shared::Host, other) == Some(true) {
                if here < NEAREST {
                    here = here.saturating_add(1);
                    taken.push(index);
                } else {
                    left_out.note(Some(true), distance);
                }
                continue;
            }
            // Where a machine is not known, it may be any.
            let of_its_machine = other.key(Shared::Host).map(|host| of_machine.entry(host).or_default());
            if elsewhere >= NEAREST || of_its_machine.as_ref().is_some_and(|count| **count >= OF_A_MACHINE) {
                left_out.note(Some(false), distance);
                continue;
            }
            elsewhere = elsewhere.saturating_add(1);
            of_its_machine.into_iter().for_each(|count| *count = count.saturating_add(1));
            taken.push(index);
        }
        taken
    }

    /// The indices of a list with their distances, the nearest first, without the own one.
    fn nearest_first<'l>(
        &'l self,
        profile: &'l Profile,
        list: &'l [usize],
        own: usize,
    ) -> impl Iterator<Item = (Option<u64>, usize)> + 'l {
        let at = list.partition_point(|index| *index < own);
        let (before, after) = list.split_at_checked(at).unwrap_or((list, &[]));
        let with_distance = move |index: &usize| (self.distance(profile, *index), *index);
        let mut before = before.iter().rev().map(with_distance).peekable();
        let mut after = after.iter().filter(move |index| **index != own).map(with_distance).peekable();
        let order = |distance: Option<u64>| (distance.is_none(), distance);
        std::iter::from_fn(move || match (before.peek(), after.peek()) {
            (Some((earlier, _)), Some((later, _))) if order(*later) < order(*earlier) => after.next(),
            (Some(_), _) => before.next(),
            (None, _) => after.next(),
        })
    }

    /// How far an incident is from the incident at an index, seconds.
    fn distance(&self, profile: &Profile, index: usize) -> Option<u64> {
        Some(self.profile(index)?.time_before(profile)?.as_secs().unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An incident on a machine at a second, with one signature.
    fn profile(host: Option<u32>, second: Option<i64>) -> Profile {
        Profile {
            id: Arc::from("id"),
            kind: IncidentKind::Crash,
            time: second.map(|second| Timestamp::from_second(second).expect("a time")),
            code: None,
            module: None,
            suspect: None,
            program: None,
            host: None,
            os_build: None,
            keys: [host, None, Some(1), None, None],
        }
    }

    #[test]
    fn the_nearest_come_first_and_those_without_a_time_last() {
        let times = [Some(0), Some(90), Some(100), Some(100), Some(105), None];
        let run = Run::new(times.iter().map(|time| profile(None, *time)).collect());
        assert_eq!(run.nearest(2).indices, [3, 4, 1, 0, 5]);
        assert_eq!(run.nearest(5).indices, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_machine_that_crashes_all_day_does_not_hide_others() {
        let mut hosts = vec![Some(1); 100];
        hosts.push(Some(2));
        hosts.push(Some(3));
        let run = Run::new(hosts.iter().zip(0..).map(|(host, second)| profile(*host, Some(second))).collect());
        let near = run.nearest(101);
        let of = |host: u32| near.indices.iter().filter(|index| hosts[**index] == Some(host)).count();
        assert_eq!((of(1), of(2)), (OF_A_MACHINE, 1));
        let [of_host, _, of_signature, ..] = near.left_out;
        assert_eq!(of_host, LeftOut::default());
        // The four nearest are 2 to 5 seconds before it.
        assert_eq!(of_signature, LeftOut { here: None, elsewhere: Some(6) });
    }

    #[test]
    fn what_is_left_out_is_known_with_its_distance() {
        let run = Run::new((0..100).map(|second| profile(Some(1), Some(second))).collect());
        let near = run.nearest(99);
        assert_eq!(near.indices.len(), NEAREST);
        let [of_host, ..] = near.left_out;
        assert_eq!(of_host.here, Some(33));
        assert!(near.indices.len() <= MOST_OTHERS);
    }

    #[test]
    fn what_is_not_known_of_one_is_neither_the_same_nor_another() {
        let (known, unknown) = (profile(Some(1), None), profile(None, None));
        assert_eq!(known.shares(Shared::Host, &unknown), None);
        assert_eq!(known.shares(Shared::Host, &profile(Some(2), None)), Some(false));
        let stop = Profile { kind: IncidentKind::Bugcheck, ..profile(None, None) };
        assert_eq!(known.shares(Shared::Program, &stop), Some(false));
        assert_eq!(known.shares(Shared::Program, &unknown), None);
        let of = |module: &str| Profile { module: Some(module.into()), ..profile(None, None) };
        assert_eq!(of("a.dll").shares(Shared::Site, &of("b.dll")), Some(false));
        assert_eq!(of("a.dll").shares(Shared::Site, &of("A.dll")), None);
        let hang = Profile { kind: IncidentKind::Hang, ..profile(None, None) };
        assert_eq!(of("a.dll").shares(Shared::Site, &hang), Some(false));
    }

    /// Of one host, with another signature.
    fn unlike(host: Option<u32>, second: Option<i64>) -> Profile {
        Profile { keys: [host, None, Some(2), None, None], ..profile(None, second) }
    }

    #[test]
    fn those_that_perhaps_share_something_are_the_nearest_that_share_nothing_else() {
        let all =
            [profile(None, Some(0)), unlike(None, Some(10)), unlike(Some(2), Some(20)), profile(Some(1), Some(30))];
        let run = Run::new([all.as_slice(), &[unlike(None, None)]].concat());
        let sharing: HashSet<usize> = run.nearest(3).indices.into_iter().collect();
        assert_eq!(sharing, HashSet::from([0]));
        let possible = run.nearest_possible(3, &sharing);
        assert_eq!(possible.indices, [1, 4]);
        assert_eq!(possible.left_out, [LeftOut::default(); 5]);
    }

    #[test]
    fn of_those_that_perhaps_share_something_it_is_known_how_near_one_is_left_out() {
        let mut all: Vec<Profile> = (0..100).map(|second| unlike(None, Some(second))).collect();
        all.push(profile(Some(1), Some(100)));
        let possible = Run::new(all.clone()).nearest_possible(100, &HashSet::new());
        assert_eq!(possible.indices.len(), NEAREST);
        let [of_host, ..] = possible.left_out;
        assert_eq!(of_host, LeftOut { here: Some(33), elsewhere: Some(33) });
        all.extend(std::iter::repeat_n(unlike(None, None), 2));
        let [of_host, ..] = Run::new(all).nearest_possible(100, &HashSet::new()).left_out;
        assert_eq!(of_host.here, Some(0), "one without a time may be nearest");
    }

    #[test]
    fn one_without_a_time_that_is_left_out_may_be_nearest() {
        let mut all: Vec<Profile> = (0..100).map(|second| profile(Some(1), Some(second))).collect();
        all.push(profile(Some(1), None));
        let [of_host, ..] = Run::new(all).nearest(99).left_out;
        assert_eq!(of_host.here, Some(0));
    }
}
