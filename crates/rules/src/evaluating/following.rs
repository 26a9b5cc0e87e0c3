//! Finding entries of a list that follow one another as a sequence asks.

use crate::evaluating::entries::Lack;
use crate::evaluating::{Compared, Row};
use crate::language::{Along, EntryFilter, Field, Sequence, Truth};

/// An entry that fits a step.
#[derive(Debug, Clone, Copy)]
struct StepEntry {
    row: usize,
    /// When it was: seconds, or its position in the list.
    at: i128,
    /// When the first step of its chain was, in the unit of `at`.
    start: i128,
    /// What the entry is about: consecutive steps must be about different incidents or entries.
    who: Who,
    /// The index of the previous step's entry in the list of that step's entries.
    before: usize,
}

/// What identifies the event of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Incident(u64),
    Row(usize),
}

impl Sequence {
    /// Whether entries match the steps in order. `more` returns whether the list may lack entries for a step. The order
    /// of entries of the same second is not known.
    pub fn truth(&self, rows: &[Row<'_>], more: impl Fn(&EntryFilter) -> bool) -> Truth {
        if !self.found(rows).is_empty() {
            return Truth::True;
        }
        let is_open = |step: &EntryFilter| {
            let anywhere = |row: &Row<'_>| self.may_be_anywhere(row) && step.truth(row) != Truth::False;
            more(step) || rows.iter().any(anywhere)
        };
        let decided: Vec<&EntryFilter> = self.steps.iter().filter(|step| !is_open(step)).collect();
        // What an open step leaves between its neighbours is not told by them.
        let apart = decided.len() < self.steps.len();
        let possible = decided.is_empty() || self.chain(&decided, rows, false, apart).1.is_some();
        if possible { Truth::Undecided } else { Truth::False }
    }

    /// The entries that certainly match the steps in order, the first step's entry first; of several such sequences the
    /// one whose last entry is latest. Empty where there is none.
    pub fn found<'r, 'v>(&self, rows: &'r [Row<'v>]) -> Vec<&'r Row<'v>> {
        let steps: Vec<&EntryFilter> = self.steps.iter().collect();
        let chain = self.chain(&steps, rows, true, false).1.unwrap_or_default();
        chain.into_iter().filter_map(|row| rows.get(row)).collect()
    }

    /// How many steps, from the first on, entries certainly match in order.
    pub fn reached(&self, rows: &[Row<'_>]) -> usize {
        let steps: Vec<&EntryFilter> = self.steps.iter().collect();
        self.chain(&steps, rows, true, false).0
    }

    /// When the entry was: in seconds (negative: before the incident), or its position.
    pub fn place(&self, row: &Row<'_>) -> Option<i128> {
        let number = |field: Field| match row.field(field.index)? {
            Compared::Number(number) => Some(i128::from(number)),
            _ => None,
        };
        match self.along {
            Along::Time { before, .. } => number(before)?.checked_neg(),
            Along::Position { field, .. } => number(field),
        }
    }

    /// Whether the place of an entry in the order is unknown.
    pub fn may_be_anywhere(&self, row: &Row<'_>) -> bool {
        self.place(row).is_none() && self.field().lack(row) == Lack::Unknown
    }

    /// Entries for these steps in their order, and for how many of the first steps there are some. `sure`: those that
    /// surely fit, at different times; else those that may. `apart`: steps are left out between them.
    fn chain(&self, steps: &[&EntryFilter], rows: &[Row<'_>], sure: bool, apart: bool) -> (usize, Option<Vec<usize>>) {
        let who = |number: usize, row: &Row<'_>| match self.incident.and_then(|field| row.field(field)) {
            Some(Compared::Number(incident)) => Who::Incident(incident),
            _ => Who::Row(number),
        };
        let of_step = |filter: &EntryFilter| {
            let fits = |row: &Row<'_>| match filter.truth(row) {
                Truth::True => true,
                Truth::Undecided => !sure,
                Truth::False => false,
            };
            let rows = rows.iter().enumerate().filter(|(_, row)| fits(row));
            let placed = rows.filter_map(|(number, row)| {
                let at = self.place(row)?;
                Some(StepEntry { row: number, at, start: at, who: who(number, row), before: 0 })
            });
            let mut placed: Vec<StepEntry> = placed.collect();
            placed.sort_by_key(|step| (step.at, step.row));
            placed
        };
        let mut done: Vec<Vec<StepEntry>> = Vec::new();
        for (number, filter) in steps.iter().enumerate() {
            let mut placed = of_step(filter);
            if let Some(before) = done.last() {
                placed = self.following(before, placed, sure, apart);
            }
            if number.saturating_add(1) == steps.len()
                && let Along::Time { within: Some(within), .. } = self.along
            {
                placed.retain(|step| step.at.saturating_sub(step.start) <= i128::from(within));
            }
            if placed.is_empty() {
                return (number, None);
            }
            done.push(placed);
        }
        let reached = done.len();
        let mut chain = Vec::new();
        let mut next = done.last().map(|last| last.len().saturating_sub(1));
        for placed in done.iter().rev() {
            let Some(step) = next.and_then(|place| placed.get(place)) else { return (reached, None) };
            chain.push(step.row);
            next = Some(step.before);
        }
        chain.reverse();
        (reached, Some(chain))
    }

    /// The entries of `placed` that follow an entry of the previous step, each linked to the one whose chain began
    /// last, which is the shortest.
    fn following(&self, before: &[StepEntry], placed: Vec<StepEntry>, sure: bool, apart: bool) -> Vec<StepEntry> {
        if let Along::Position { adjacent: true, .. } = self.along
            && !apart
        {
            let follow = |step: StepEntry| {
                let wanted = step.at.checked_sub(1)?;
                let place = before.partition_point(|earlier| earlier.at < wanted);
                let earlier = before.get(place).filter(|earlier| earlier.at == wanted)?;
                Some(StepEntry { start: earlier.start, before: place, ..step })
            };
            return placed.into_iter().filter_map(follow).collect();
        }
        let is_timed = matches!(self.along, Along::Time { .. });
        let mut entering = before.iter().enumerate().peekable();
        // The two whose chains began last, and that tell of different things: one of them is not what follows.
        let mut latest: [Option<(usize, &StepEntry)>; 2] = [None, None];
        let mut following = Vec::new();
        for step in placed {
            let is_before = |earlier: &StepEntry| earlier.at < step.at || (!sure && is_timed && earlier.at == step.at);
            while let Some(entered) = entering.next_if(|(_, earlier)| is_before(earlier)) {
                latest = match latest {
                    [first, second] if first.is_none_or(|(_, known)| entered.1.start >= known.start) => {
                        let same = first.is_some_and(|(_, known)| known.who == entered.1.who);
                        [Some(entered), if same { second } else { first }]
                    }
                    [Some(first), second]
                        if first.1.who != entered.1.who
                            && second.is_none_or(|(_, known)| entered.1.start >= known.start) =>
                    {
                        [Some(first), Some(entered)]
                    }
                    unchanged => unchanged,
                };
            }
            let earlier = latest.into_iter().flatten().find(|(_, earlier)| apart || earlier.who != step.who);
            following.extend(earlier.map(|(place, earlier)| StepEntry { start: earlier.start, before: place, ..step }));
        }
        following
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::passes;

    /// A timeline of these kinds, so many seconds before the incident.
    fn timeline(entries: &[(&str, u32)]) -> String {
        let entries = entries.iter().map(|(kind, before)| format!("{{kind: {kind}, seconds_before: {before}}}"));
        format!("timeline: [{}]", entries.collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn steps_follow_one_another_up_to_the_incident() {
        let asked = "timeline|sequence: [{kind: driver-install}, {kind: driver-reset}]";
        let after = "timeline: [{kind: driver-install, seconds_before: 60}, {kind: driver-reset, seconds_after: 60}]";
        let tests = [
            (timeline(&[("driver-install", 300), ("driver-reset", 60)]), "match"),
            (timeline(&[("driver-reset", 20), ("thermal", 30), ("driver-install", 40)]), "match"),
            (timeline(&[("driver-install", 60), ("driver-reset", 300)]), "no-match"),
            (timeline(&[("driver-install", 60)]), "no-match"),
            (after.to_owned(), "no-match"),
        ];
        let tests: Vec<(&str, &str)> = tests.iter().map(|(facts, expect)| (facts.as_str(), *expect)).collect();
        passes(asked, "it", &tests);
    }

    #[test]
    fn what_stands_in_one_second_has_no_known_order() {
        let asked = "timeline|sequence: [{kind: driver-install}, {kind: driver-reset}]";
        let at_once = timeline(&[("driver-install", 60), ("driver-reset", 60)]);
        let in_order = timeline(&[("driver-install", 60), ("driver-reset", 60), ("driver-reset", 59)]);
        passes(asked, "it", &[(&in_order, "match"), (&at_once, "skipped"), ("timeline: []", "no-match")]);
        passes(asked, "not it", &[("timeline: []", "match"), (&at_once, "skipped"), (&in_order, "no-match")]);
    }

    #[test]
    fn one_entry_and_one_incident_are_not_two_steps_in_a_row() {
        let asked = "timeline|sequence: [{kind: driver-reset}, {kind: driver-reset}]";
        let of = |numbers: [&str; 2]| {
            let [first, second] = numbers;
            format!(
                "timeline: [{{kind: driver-reset, seconds_before: 9{first}}}, {{kind: driver-reset, seconds_before: 5{second}}}]"
            )
        };
        let (two, none) = (of([", incident: 1", ", incident: 2"]), of(["", ""]));
        let (told_twice, once) = (of([", incident: 1", ", incident: 1"]), timeline(&[("driver-reset", 5)]));
        passes(asked, "it", &[(&two, "match"), (&none, "match"), (&told_twice, "no-match"), (&once, "no-match")]);
    }

    #[test]
    fn the_whole_can_have_to_lie_in_a_span() {
        let asked = "timeline|sequence: {steps: [{kind: thermal}, {kind: driver-reset}, {kind: crash}], within: 5 min}";
        let close = timeline(&[("thermal", 900), ("thermal", 310), ("driver-reset", 100), ("crash", 10)]);
        let far = timeline(&[("thermal", 311), ("driver-reset", 100), ("crash", 10)]);
        passes(asked, "it", &[(&close, "match"), (&far, "no-match")]);
    }

    #[test]
    fn a_step_whose_time_nobody_knows_leaves_it_open() {
        let asked = "incidents_before|sequence: [{kind: hang}, {kind: crash}]";
        let of = |hang: &str| format!("incidents_before: [{{kind: hang{hang}}}, {{kind: crash, seconds_before: 10}}]");
        let tests =
            [(of(", seconds_before: 20"), "match"), (of(""), "skipped"), (of(", seconds_before: 5"), "no-match")];
        passes(asked, "it", &tests.each_ref().map(|(facts, expect)| (facts.as_str(), *expect)));
    }

    #[test]
    fn frames_follow_one_another_outwards() {
        let facts = |modules: &[&str]| {
            let frames = modules.iter().enumerate().map(|(at, module)| format!("{{position: {at}, module: {module}}}"));
            format!("frames: [{}]", frames.collect::<Vec<_>>().join(", "))
        };
        let (direct, over, other) =
            (facts(&["x.dll", "a.dll", "b.dll"]), facts(&["a.dll", "c.dll", "b.dll"]), facts(&["b.dll", "a.dll"]));
        let steps = "[{module: a.dll}, {module: b.dll}]";
        let called = format!("frames|sequence: {steps}");
        passes(&called, "it", &[(&direct, "match"), (&over, "match"), (&other, "no-match")]);
        let directly = format!("frames|sequence: {{steps: {steps}, adjacent: true}}");
        passes(&directly, "it", &[(&direct, "match"), (&over, "no-match"), (&other, "no-match")]);
    }

    #[test]
    fn a_step_can_have_alternatives() {
        let asked = "timeline|sequence: [[{kind: driver-install}, {kind: update}], {kind: driver-reset}]";
        let (update, none) = (timeline(&[("update", 30), ("driver-reset", 10)]), timeline(&[("driver-reset", 10)]));
        passes(asked, "it", &[(&update, "match"), (&none, "no-match")]);
    }
}
