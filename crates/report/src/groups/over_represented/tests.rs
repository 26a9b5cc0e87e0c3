#![expect(clippy::arithmetic_side_effects, reason = "small numbers that the tests make themselves")]

use super::super::attributes::Source;
use super::*;

/// Pseudo-random numbers: the same in every run (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

/// A folder of incidents.
#[derive(Default)]
struct Folder {
    attributes: Attributes,
    incidents: Vec<IncidentAttributes>,
}

impl Folder {
    /// Adds an incident of a program on a machine with these modules; gives its place.
    fn add(&mut self, host: Option<u32>, process: u32, modules: &[&str]) -> usize {
        let mut has: Vec<u32> =
            modules.iter().map(|module| self.attributes.number(MODULE, (*module).to_owned())).collect();
        has.sort_unstable();
        let known = [self.attributes.all_of(MODULE, Source::Any)].into();
        self.incidents.push(IncidentAttributes { host, process: Some(process), known, has: has.into() });
        self.incidents.len() - 1
    }

    /// Adds an attribute of the machine to an incident.
    fn add_to_machine(&mut self, incident: usize, kind: &'static str, value: &str) {
        let number = self.attributes.number(kind, value.to_owned());
        let kind = self.attributes.all_of(kind, Source::Any);
        let incident = &mut self.incidents[incident];
        incident.known = sorted(&incident.known, kind);
        incident.has = sorted(&incident.has, number);
    }

    fn of_group(&self, incidents: &[usize]) -> Vec<OverRepresented> {
        let members = Members { incidents, named: BTreeSet::new() };
        over_represented(&[members], &self.incidents, &self.attributes).remove(0)
    }
}

fn sorted<T: Copy + Ord>(numbers: &[T], further: T) -> Box<[T]> {
    let all: BTreeSet<T> = numbers.iter().copied().chain([further]).collect();
    all.into_iter().collect()
}

fn sentences(found: &[OverRepresented]) -> Vec<String> {
    found.iter().map(|one| one.says.clone()).collect()
}

const GAME: u32 = 1;

#[test]
fn an_overlay_in_nearly_all_of_a_group_and_few_others_stands_out() {
    let mut folder = Folder::default();
    let of = |overlay: bool| if overlay { &["ntdll.dll", "overlay.dll"][..] } else { &["ntdll.dll"][..] };
    let group: Vec<usize> = (0..42).map(|n| folder.add(None, GAME, of(n != 7))).collect();
    for n in 0..330 {
        folder.add(None, GAME, of(n < 40));
    }
    let found = folder.of_group(&group);
    assert_eq!(sentences(&found), ["overlay.dll in 41 of 42, against 12 % of 330 other incidents"]);
    assert!(found[0].q < 1e-20 && found[0].difference[0] > 0.7 && found[0].unit == "incidents");
}

#[test]
fn fewer_than_five_are_silent() {
    for (group, rest) in [(4, 100), (100, 4)] {
        let mut folder = Folder::default();
        let group: Vec<usize> = (0..group).map(|_| folder.add(None, GAME, &["overlay.dll"])).collect();
        for _ in 0..rest {
            folder.add(None, GAME, &[]);
        }
        assert_eq!(sentences(&folder.of_group(&group)), [""; 0]);
    }
}

#[test]
fn what_follows_from_something_else_is_left_out() {
    let mut folder = Folder::default();
    // The helper comes with the overlay in half of all cases, whatever the group.
    let mut add = |overlay: bool, n: u32| {
        let modules = match (overlay, n % 2) {
            (true, 0) => &["overlay.dll", "helper.dll"][..],
            (true, _) => &["overlay.dll"][..],
            (false, _) => &[][..],
        };
        folder.add(None, GAME, modules)
    };
    let group: Vec<usize> = (0..40).map(|n| add(true, n)).collect();
    for n in 0..200 {
        add(n < 30, n);
    }
    assert_eq!(sentences(&folder.of_group(&group)), ["overlay.dll in 40 of 40, against 15 % of 200 other incidents"]);
}

#[test]
fn what_always_comes_together_is_one_finding() {
    let mut folder = Folder::default();
    let group: Vec<usize> = (0..20).map(|_| folder.add(None, GAME, &["overlay.dll", "overlay64.dll"])).collect();
    for n in 0..20 {
        folder.add(None, GAME, if n < 2 { &["overlay.dll", "overlay64.dll"] } else { &[] });
    }
    let found = folder.of_group(&group);
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(one.value, "overlay.dll");
    assert_eq!(one.together_with, ["overlay64.dll"]);
}

#[test]
fn a_program_s_own_modules_are_not_what_makes_it_crash() {
    let mut folder = Folder::default();
    let group: Vec<usize> = (0..20).map(|_| folder.add(None, GAME, &["engine.dll", "overlay.dll"])).collect();
    for n in 0..100 {
        folder.add(None, 2, if n < 5 { &["overlay.dll"] } else { &[] });
    }
    // Nothing else has the engine; the overlay is in others, too, but none of them is this program.
    let found = folder.of_group(&group);
    let expected = "overlay.dll in 20 of 20, against 5 % of 100 other incidents; it may be the program that brings it";
    assert_eq!(sentences(&found), [expected]);
    // Other incidents of the program have both: neither is special.
    for _ in 0..10 {
        folder.add(None, GAME, &["engine.dll", "overlay.dll"]);
    }
    assert_eq!(sentences(&folder.of_group(&group)), [""; 0]);
}

#[test]
fn many_incidents_of_one_machine_say_nothing_of_its_driver() {
    let mut folder = Folder::default();
    let mut group = Vec::new();
    for n in 0..40 {
        let incident = folder.add(Some(0), GAME, if n < 38 { &["overlay.dll"] } else { &[] });
        folder.add_to_machine(incident, "gpu_driver", "536.23");
        group.push(incident);
    }
    for n in 0..60 {
        let other = folder.add(Some(n % 6), GAME, &[]);
        folder.add_to_machine(other, "gpu_driver", if n % 6 == 0 { "536.23" } else { "551.61" });
    }
    let expected = "overlay.dll in 38 of 40, against none of 10 other incidents of the same machines";
    assert_eq!(sentences(&folder.of_group(&group)), [expected]);
}

#[test]
fn machines_are_counted_where_there_are_enough() {
    let mut folder = Folder::default();
    let mut group = Vec::new();
    for host in 0..12 {
        for _ in 0..3 {
            let incident = folder.add(Some(host), GAME, &[]);
            folder.add_to_machine(incident, "gpu_driver", "536.23");
            group.push(incident);
        }
    }
    for host in 12..40 {
        let other = folder.add(Some(host), GAME, &[]);
        folder.add_to_machine(other, "gpu_driver", if host < 15 { "536.23" } else { "551.61" });
    }
    let expected = "gpu driver 536.23 in 12 of 12 machines, against 11 % of 28 other machines";
    assert_eq!(sentences(&folder.of_group(&group)), [expected]);
}

/// 400 folders in which nothing has to do with anything: two groups, some machines, modules of any frequency.
#[test]
fn chance_alone_speaks_in_at_most_one_folder_of_twenty() {
    let mut random = Random(0x5EED);
    let mut spoke = 0;
    for _ in 0..400 {
        let mut folder = Folder::default();
        let names: Vec<(String, u64)> = (0..60).map(|n| (format!("module{n}.dll"), 5 + random.below(90))).collect();
        let mut groups = [Vec::new(), Vec::new()];
        for _ in 0..80 + random.below(80) {
            let modules: Vec<&str> =
                names.iter().filter(|(_, share)| random.below(100) < *share).map(|(name, _)| name.as_str()).collect();
            let incident = folder.add(None, u32::try_from(random.below(2)).expect("small"), &modules);
            match random.below(5) {
                0 => groups[0].push(incident),
                1 => groups[1].push(incident),
                _ => {}
            }
        }
        let members: Vec<Members<'_>> =
            groups.iter().map(|incidents| Members { incidents, named: BTreeSet::new() }).collect();
        let found = over_represented(&members, &folder.incidents, &folder.attributes);
        spoke += usize::from(found.iter().any(|of_group| !of_group.is_empty()));
    }
    println!("{spoke} of 400 folders");
    assert!(spoke * 20 <= 400, "{spoke}");
}

#[test]
fn groups_that_have_nothing_to_compare_are_compared_with_nothing() {
    let mut folder = Folder::default();
    let groups: Vec<[usize; 2]> = (0..3000)
        .map(|program| [folder.add(None, program, &["ntdll.dll"]), folder.add(None, program, &["ntdll.dll"])])
        .collect();
    assert!(groups.iter().all(|group| !has_frequent(group, &folder.incidents)));
    let enough: Vec<usize> = (0..5).map(|_| folder.add(None, GAME, &["overlay.dll"])).collect();
    assert!(has_frequent(&enough, &folder.incidents));
}
