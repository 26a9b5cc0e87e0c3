//! Whether the list of other incidents is known to hold every incident that a test asks for.

use crate::language::{EntryFilter, FieldTerm, FieldTest, tests_of};
use facts::{OtherIncidents, Shared, Value};

/// Whether the list contains every incident that can fit: every incident that shares the values that the test wants to
/// be the same, within its distance.
pub(crate) fn is_whole(entries: &EntryFilter, others: &OtherIncidents) -> bool {
    if entries.alternatives.is_empty() {
        return Shared::ALL.into_iter().all(|shared| others.has_all(shared, None, None));
    }
    entries.alternatives.iter().all(|terms| of_terms(terms, others))
}

/// Whether the list contains every incident that can fit these terms.
fn of_terms(terms: &[FieldTerm], others: &OtherIncidents) -> bool {
    let flag = |name: &'static str| {
        tests_of(terms, name).find_map(|test| match test.one_of()? {
            [Value::Flag(flag)] => Some(*flag),
            _ => None,
        })
    };
    let here = flag(Shared::Host.field());
    let distances = ["seconds_away", "seconds_before", "seconds_after"].into_iter();
    let within = distances.flat_map(|name| tests_of(terms, name)).filter_map(FieldTest::at_most).min();
    let is_same = |shared: &Shared| flag(shared.field()) == Some(true);
    let mut same = Shared::ALL.into_iter().filter(is_same).peekable();
    if same.peek().is_none() {
        return Shared::ALL.into_iter().all(|shared| others.has_all(shared, here, within));
    }
    same.any(|shared| others.has_all(shared, here, within))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use crate::language::Truth::{self, False, True, Undecided};
    use crate::testing::rule;
    use facts::{FactSet, OtherIncidents, Profile, Run};
    use incident::IncidentKind::{self, Bugcheck, Crash, Hang};

    /// An incident on a machine, that many hours after the first.
    type Made = (IncidentKind, Option<u32>, i64);

    /// What a selection makes of the first of these incidents, of which none has anything else in common.
    fn asked(selection: &str, made: &[Made]) -> Truth {
        let profiles = made.iter().zip(0..).map(|((kind, host, hour), number)| Profile {
            id: Arc::from(format!("i{number}")),
            kind: *kind,
            time: Some(Timestamp::from_second(hour.saturating_mul(3600)).expect("a time")),
            code: None,
            module: None,
            suspect: None,
            program: None,
            host: host.map(|host| Arc::from(format!("PC-{host}"))),
            os_build: None,
            keys: [*host, None, Some(number), None, None],
        });
        let mut profiles: Vec<Profile> = profiles.collect();
        profiles.sort_by_key(|profile| profile.time);
        let own = profiles.iter().position(|profile| &*profile.id == "i0").expect("the first");
        let mut facts = FactSet::default();
        facts.other_incidents = Some(OtherIncidents::new(&Arc::new(Run::new(profiles)), own));
        let rules = rule(&format!("it: {{other_incidents|{selection}}}"), "it", &[("", "match"), ("", "no-match")]);
        rules.trace("t/rule", &facts).expect("a rule").condition
    }

    const OWN: Made = (Crash, Some(1), 0);

    #[test]
    fn that_there_is_no_other_is_open_while_one_may_be_of_the_same_machine() {
        let within = "none: {same_host: true, kind: [crash, bugcheck], seconds_away|within: 1 d}";
        let any = "any: {same_host: true, kind: [crash, bugcheck], seconds_away|within: 1 d}";
        for (other, answer) in [
            ((Crash, Some(1), 3), False),
            ((Crash, Some(2), 3), True),
            ((Crash, None, 3), Undecided),
            ((Bugcheck, None, 3), Undecided),
            // Neither too far away nor of another kind.
            ((Crash, None, 30), True),
            ((Hang, None, 3), True),
        ] {
            assert_eq!(asked(within, &[OWN, other]), answer, "{other:?}");
            assert_eq!(asked(any, &[OWN, other]), answer.not(), "{other:?}");
        }
        assert_eq!(asked(any, &[OWN, (Crash, None, 2), (Crash, Some(1), 3)]), True);
    }

    #[test]
    fn a_count_is_open_where_those_that_may_be_of_the_same_machine_would_change_it() {
        let made: &[Made] = &[OWN, (Crash, Some(1), 1), (Crash, None, 2), (Crash, Some(2), 3)];
        let of = |bound: &str| asked(&format!("count: {{where: {{same_host: true}}, {bound}}}"), made);
        assert_eq!(
            ["lte: 1", "lte: 2", "gte: 1", "gte: 2", "gte: 3"].map(of),
            [Undecided, True, True, Undecided, False]
        );
    }

    #[test]
    fn an_incident_of_which_nobody_knows_whether_it_is_another_one_is_none_for_sure() {
        assert_eq!(asked("any: {kind: hang}", &[OWN, (Hang, None, 1)]), Undecided);
        let count = "count: {where: {same_host: true, kind: hang}, gte: 1}";
        assert_eq!(asked(count, &[OWN, (Hang, Some(1), 1)]), True);
    }

    #[test]
    fn a_sequence_is_open_where_a_step_may_be_of_the_same_machine() {
        let steps = "sequence: [{same_host: true, kind: hang}, {same_host: true, kind: bugcheck}]";
        let made = |host, hour| asked(steps, &[(Crash, Some(1), 9), (Hang, host, hour), (Bugcheck, Some(1), 5)]);
        assert_eq!(made(Some(1), 2), True);
        assert_eq!(made(None, 2), Undecided);
        assert_eq!(made(None, 7), False);
    }
}
