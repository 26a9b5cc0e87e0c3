//! Deciding which entries of a list fit, and what it means that an entry lacks a field.

use std::collections::BTreeSet;
use std::fmt;

use crate::evaluating::view::PROGRAM;
use crate::evaluating::{Compared, Row, View};
use crate::language::{EntryFilter, Field, FieldTerm, FieldTest, Truth};
use facts::FactType;
use facts::schema::Absent;

impl EntryFilter {
    /// The entries of a list, by their index, that may fit, found without looking at each of them; `None` where all may.
    pub fn that_may_fit(&self, list: usize, view: &View<'_>) -> Option<BTreeSet<usize>> {
        let of_term = |term: &FieldTerm| match &term.test {
            FieldTest::Value(compare) => view.that_may_fit(list, term.field.index, compare),
            FieldTest::Known(_) => None,
        };
        if self.alternatives.is_empty() {
            return None;
        }
        let mut all = BTreeSet::new();
        for terms in &self.alternatives {
            all.append(&mut terms.iter().find_map(of_term)?);
        }
        Some(all)
    }

    /// Whether an entry surely fits one of the alternatives.
    pub fn fits(&self, row: &Row<'_>) -> bool {
        self.truth(row) == Truth::True
    }

    /// Whether an entry fits one of the alternatives; undecided where it lacks a field that would decide.
    pub fn truth(&self, row: &Row<'_>) -> Truth {
        let fits = match self.alternatives.as_slice() {
            [] => Truth::True,
            alternatives => Truth::any(alternatives.iter().map(|terms| fits_all(terms, row))),
        };
        match fits {
            Truth::True if !row.is_listed() => Truth::Undecided,
            decided => decided,
        }
    }

    /// The terms that leave it undecided whether an entry fits.
    pub fn undecided<'t>(&'t self, row: &'t Row<'_>) -> impl Iterator<Item = &'t FieldTerm> {
        let open = self.alternatives.iter().filter(|terms| fits_all(terms, row) == Truth::Undecided);
        open.flatten().filter(|term| term.truth(row) == Truth::Undecided)
    }
}

fn fits_all(terms: &[FieldTerm], row: &Row<'_>) -> Truth {
    Truth::all(terms.iter().map(|term| term.truth(row)))
}

/// The meaning of a missing field in an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// The value is not known.
    Unknown,
    /// There is no such thing.
    Nothing,
    /// It is `false`.
    False,
}

impl Field {
    /// The meaning of this field's absence in this entry.
    pub fn lack(self, row: &Row<'_>) -> Lack {
        let other = |name: &str| Self::find(self.list, name).map(|field| field.index);
        let is_unknown = match self.definition.absent {
            Absent::No if self.definition.kind == FactType::Flag => return Lack::False,
            Absent::No => false,
            Absent::Unknown => true,
            Absent::UnknownOf(name, words) => other(name)
                .is_none_or(|other| matches!(row.field(other), Some(Compared::Text(word)) if words.contains(&word))),
            Absent::UnknownWith(name) => other(name).is_none_or(|other| row.has(other)),
            Absent::UnknownUnless(name) => other(name).is_none_or(|other| !row.has(other)),
        };
        if is_unknown { Lack::Unknown } else { Lack::Nothing }
    }
}

impl FieldTerm {
    fn truth(&self, row: &Row<'_>) -> Truth {
        match (&self.test, row.field(self.field.index)) {
            (FieldTest::Value(compare), Some(seen)) => compare.truth(seen),
            (FieldTest::Value(compare), None) => match self.field.lack(row) {
                Lack::Unknown => Truth::Undecided,
                Lack::Nothing => Truth::False,
                Lack::False => compare.truth(Compared::Flag(false)),
            },
            (FieldTest::Known(known), seen) => (seen.is_some() == *known).into(),
        }
    }

    /// The fact or field whose absence leaves it undecided for an entry.
    pub fn lacks(&self, row: &Row<'_>) -> Lacking {
        // Paths alone are compared with something else: the folder of the program.
        if row.has(self.field.index) { Lacking { path: PROGRAM, field: None } } else { self.field.into() }
    }
}

/// A fact that is absent, a list, or a field of a list's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lacking {
    pub path: &'static str,
    pub field: Option<&'static str>,
}

impl From<Field> for Lacking {
    fn from(field: Field) -> Self {
        Self { path: field.list.name, field: Some(field.definition.path) }
    }
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)?;
        self.field.map_or(Ok(()), |field| write!(f, ".{field}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{passes, rule};

    const OLD: &str = "modules: [{name: a.dll, version: 1.0}]";
    const RECENT: &str = "modules: [{name: a.dll, version: 3.0}]";
    const UNKNOWN: &str = "modules: [{name: a.dll}]";

    #[test]
    fn an_entry_that_may_fit_leaves_undecided_whether_one_does() {
        let asked = "modules|any: {name: a.dll, version|gte: 2.0}";
        let others = "modules: [{name: b.dll}, {name: a.dll, version: 1.0}]";
        let both = "modules: [{name: a.dll}, {name: a.dll, version: 3.0}]";
        let tests = [(RECENT, "match"), (both, "match"), (OLD, "no-match"), (others, "no-match"), (UNKNOWN, "skipped")];
        passes(asked, "it", &tests);
        let denied = [(OLD, "match"), (RECENT, "no-match"), (both, "no-match"), (UNKNOWN, "skipped")];
        passes(asked, "not it", &denied);
        passes("modules|none: {name: a.dll, version|gte: 2.0}", "it", &denied);
    }

    #[test]
    fn a_count_is_decided_when_no_entry_that_may_fit_could_change_it() {
        let facts = |entries: &str| format!("modules: [{entries}]");
        let two = facts("{name: a.dll, version: 1.0}, {name: a.dll, version: 1.0}, {name: a.dll}");
        let one = facts("{name: a.dll, version: 1.0}, {name: a.dll}, {name: b.dll}");
        let none = facts("{name: b.dll}, {name: a.dll, version: 5.0}");
        let at_least = [(two.as_str(), "match"), (&one, "skipped"), (&none, "no-match")];
        passes("modules|count: {where: {name: a.dll, version|lt: 2.0}, gte: 2}", "it", &at_least);
        let at_most = [(two.as_str(), "no-match"), (&one, "skipped"), (&none, "match")];
        passes("modules|count: {where: {name: a.dll, version|lt: 2.0}, lt: 2}", "it", &at_most);
    }

    #[test]
    fn whether_a_field_is_there_is_decided() {
        let tests = [(UNKNOWN, "match"), (OLD, "no-match")];
        passes("modules|any: {name: a.dll, version|exists: false}", "it", &tests);
    }

    #[test]
    fn what_an_entry_does_not_have_is_not_unknown() {
        let tests = [
            ("timeline: [{kind: driver-reset, seconds_after: 5}]", "match"),
            ("timeline: [{kind: driver-reset, seconds_before: 5}]", "no-match"),
        ];
        passes("timeline|any: {kind: driver-reset, seconds_after|within: 10 s}", "it", &tests);
        let tests = [
            ("timeline: [{kind: storage-error, status: 0xC0000185}]", "match"),
            ("timeline: [{kind: driver-reset}]", "no-match"),
            ("timeline: [{kind: storage-error}]", "skipped"),
        ];
        passes("timeline|any: {status: 0xC0000185}", "it", &tests);
        let tests = [
            ("timeline: [{kind: update, seconds_before_first: 60}]", "match"),
            ("timeline: [{kind: update, seconds_after_first: 60}]", "no-match"),
            ("timeline: [{kind: update}]", "skipped"),
        ];
        passes("timeline|any: {kind: update, seconds_before_first|within: 1 d}", "it", &tests);
        let tests = [
            ("frames: [{module: a.dll, function: crash}]", "match"),
            ("frames: [{position: 0}]", "no-match"),
            ("frames: [{module: a.dll}]", "skipped"),
        ];
        passes("frames|any: {function: crash}", "it", &tests);
    }

    #[test]
    fn entries_that_tell_of_one_incident_count_once() {
        let reset = |seconds: u32, more: &str| format!("{{kind: driver-reset, seconds_before: {seconds}{more}}}");
        let told_twice = format!("timeline: [{}, {}]", reset(10, ", incident: 1"), reset(12, ", incident: 1"));
        let two = format!("timeline: [{}, {}]", reset(10, ", incident: 1"), reset(12, ", incident: 2"));
        let of_none = format!("timeline: [{}, {}]", reset(10, ""), reset(12, ""));
        let tests = [(two.as_str(), "match"), (&of_none, "match"), (&told_twice, "no-match")];
        passes("timeline|count: {where: {kind: driver-reset}, gte: 2}", "it", &tests);
        passes("timeline|count: {where: {kind: driver-reset}, gte: 2, within: 1 min}", "it", &tests);
    }

    #[test]
    fn an_entry_can_be_asked_to_be_something_else() {
        let tests = [
            (r"modules: [{name: a.dll, path: 'C:\App\a.dll'}]", "match"),
            (r"modules: [{name: a.dll, path: 'C:\Temp\a.dll'}, {name: b.dll, path: 'C:\App\b.dll'}]", "no-match"),
            ("modules: [{name: a.dll}]", "skipped"),
        ];
        passes(r"modules|any: {name: a.dll, path|contains|neq: '\temp\'}", "it", &tests);
        let tests = [
            ("process.name: app.exe", "match"),
            ("process.name: PYTHON.exe", "no-match"),
            ("process.name: pythonw.exe", "no-match"),
            ("os.build: 22631", "skipped"),
        ];
        passes("process.name|neq: [python.exe, pythonw.exe]", "it", &tests);
    }

    #[test]
    fn a_flag_that_an_entry_lacks_is_false() {
        let tests = [
            ("win_errors: [{number: 126}]", "match"),
            ("win_errors: [{number: 126, mentioned: false}]", "match"),
            ("win_errors: [{number: 126, mentioned: true}]", "no-match"),
        ];
        passes("win_errors|any: {number: 126, mentioned: false}", "it", &tests);
    }

    #[test]
    fn what_a_list_lacks_is_named_with_its_field_and_with_what_brings_it() {
        let tests = [("modules: [{name: a.dll, version: 2.0}]", "match"), ("modules: []", "no-match")];
        let rules = rule("it: {modules|any: {name: a.dll, version|gte: 2.0}}", "it", &tests);
        let mut facts = facts::FactSet::default();
        let name = facts::Value::Text("a.dll".into());
        facts.set_list("modules", vec![facts::Record { fields: vec![("name", name)], from: None }]);
        let trace = rules.trace("t/rule", &facts).expect("a rule");
        let [missing] = trace.missing.as_slice() else { panic!("{:?}", trace.missing) };
        assert_eq!((&*missing.fact, &*missing.from), ("modules.version", "a minidump of the crash"));
        let answer = "can't be decided: 0 of 1 entries fit, and of 1 it is not known";
        assert_eq!(trace.deciding_terms().next().expect("a term").answer(), answer);
        assert_eq!(rules.judge(&facts).skipped[0].missing, ["modules.version"]);
    }

    #[test]
    fn a_place_that_depends_on_where_the_program_lies_is_undecided_without_it() {
        const PROGRAM: &str = r"process.path: 'C:\App\app.exe'";
        let beside = format!(r"fault_site.path: 'C:\App\a.dll', {PROGRAM}");
        let elsewhere = format!(r"fault_site.path: 'C:\Other\a.dll', {PROGRAM}");
        let unknown = r"fault_site.path: 'C:\App\a.dll'";
        let tests = [(beside.as_str(), "match"), (&elsewhere, "no-match"), (unknown, "skipped")];
        passes("fault_site.path|place: application", "it", &tests);
        let tests = [(beside.as_str(), "no-match"), (&elsewhere, "match"), (unknown, "skipped")];
        passes("fault_site.path|place: application", "not it", &tests);
        passes("fault_site.path|not_place: application", "it", &tests);
        let system = r"fault_site.path: '%SystemRoot%\System32\a.dll'";
        let tests = [(beside.as_str(), "match"), (system, "match"), (&elsewhere, "no-match"), (unknown, "skipped")];
        passes("fault_site.path|place: [application, system]", "it", &tests);
    }
}
