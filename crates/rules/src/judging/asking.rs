//! Finding rules by a value that they ask for: which rules concern a code, before any evidence is read.

use crate::evaluating::View;
use crate::language::value::fold;
use crate::language::{Compare, NamedList, Selection, Term, Test, Truth};
use crate::loading::{Rule, RuleSet};
use facts::{FactSet, FactType, Value, schema};
use rule_syntax::condition::Condition;

/// The list of the lines of texts.
const TEXTS: &str = "text";

/// A value that a fact, or a field of a list's entries, may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A fact with this number.
    Fact(&'static str, u64),
    /// An entry of a list with this number in a field.
    Entry(&'static str, &'static str, u64),
}

impl RuleSet {
    /// The rules with a selection that asks for one of these values, and whose condition needs that selection to hold;
    /// the most confident first.
    #[must_use]
    pub fn asking_for(&self, wanted: &[Wanted]) -> Vec<&Rule> {
        let mut asking: Vec<&Rule> =
            self.rules().iter().filter(|rule| wanted.iter().any(|wanted| rule.asks_for(*wanted))).collect();
        // Rules come by id and the sort is stable.
        asking.sort_by(|a, b| b.confidence().total_cmp(&a.confidence()));
        asking
    }

    /// The rules with a term that holds for one of these `facts` of an `incident`, by id. A term about a version, an
    /// offset or a parameter counts only where the rule's term about its module or code holds as well.
    #[must_use]
    pub fn asking_for_any_of(&self, facts: &FactSet, incident: &FactSet) -> Vec<&Rule> {
        let (view, whole) = (View::new(facts, None), View::new(incident, None));
        let owners: Vec<&str> = facts.scalars().flat_map(|(path, _)| owners(path)).collect();
        let wants = |term: &&Term| match &term.test {
            // To be in none of the lists, or something else, is hardly ever what a rule is about.
            Test::Fact {
                compare: Compare::Listed { inside: false, .. } | Compare::Lines { inside: false, .. } | Compare::Not(_),
                ..
            } => false,
            Test::Fact { .. } => term.test.truth(&view) == Truth::True,
            Test::List { quantifier, .. } => quantifier.wants_entries() && term.test.truth(&view) == Truth::True,
            Test::Sequence { .. } => term.test.truth(&view) == Truth::True,
            Test::FactKnown { .. } | Test::ListKnown { .. } => false,
        };
        let wanted = |rule: &&Rule| {
            let selections = rule.wanted_selections();
            let terms = || selections.iter().flat_map(|selection| selection.terms());
            let mut of_owners = terms().filter(|term| owners.contains(&term.test.path())).peekable();
            terms().any(|term| wants(&term))
                && (of_owners.peek().is_none() || of_owners.any(|term| term.test.truth(&whole) == Truth::True))
        };
        self.rules().iter().filter(wanted).collect()
    }

    /// Which of these lines of a text rules ask about: what some rule looks for in texts is found in them, whether the rule wants
    /// that or is ruled out by it.
    #[must_use]
    pub fn ask_about(&self, lines: &[&str]) -> Vec<bool> {
        let folded: Vec<String> = lines.iter().map(|line| fold(FactType::Text, line).into_owned()).collect();
        let mut asked = vec![false; lines.len()];
        let terms = self.rules().iter().flat_map(|rule| &rule.logic().selections).flat_map(Selection::terms);
        let of_texts = terms.flat_map(|term| term.test.field_terms()).filter(|term| term.field.list.name == TEXTS);
        for compare in of_texts.filter_map(|term| term.test.compare()) {
            let unknown = asked.iter_mut().zip(&folded).filter(|(asked, _)| !**asked);
            unknown.for_each(|(asked, line)| *asked = compare.finds_something(line));
        }
        asked
    }

    /// The numbers that rules ask a fact to be, sorted.
    #[must_use]
    pub fn numbers_asked_of(&self, path: &str) -> Vec<u64> {
        let mut numbers: Vec<u64> = self
            .rules()
            .iter()
            .filter(|rule| rule.may_ask_for(path))
            .flat_map(Rule::wanted_selections)
            .flat_map(Selection::terms)
            .filter_map(|term| match &term.test {
                Test::Fact { fact, compare: Compare::Equal(values), .. } if fact.path == path => Some(values),
                _ => None,
            })
            .flatten()
            .filter_map(|value| if let Value::Number(number) = value { Some(*number) } else { None })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// The facts that name what a fact is about: for `fault_site.version`, `fault_site.module` is the module with that version.
fn owners(path: &str) -> impl Iterator<Item = &'static str> {
    const OWNERS: [&str; 3] = ["module", "code", "name"];
    let owner = path.split_once('.').map(|(of, own)| OWNERS.map(|name| (name != own).then(|| format!("{of}.{name}"))));
    let owners = owner.into_iter().flatten().flatten();
    owners.filter_map(|path| schema::scalar(&path).map(|fact| fact.path))
}

impl Rule {
    /// Whether a selection that the rule wants to hold asks for this value.
    fn asks_for(&self, wanted: Wanted) -> bool {
        let (Wanted::Fact(named, _) | Wanted::Entry(named, _, _)) = wanted;
        self.may_ask_for(named)
            && self.wanted_selections().into_iter().flat_map(Selection::terms).any(|term| match (&term.test, wanted) {
                (Test::Fact { fact, compare, .. }, Wanted::Fact(path, number)) => {
                    fact.path == path && is(compare, number)
                }
                (Test::List { list, .. } | Test::Sequence { list, .. }, Wanted::Entry(name, field, number)) => {
                    let is_it = |compare: &Compare| is(compare, number);
                    list.name == name
                        && term.test.wants_entries()
                        && term
                            .test
                            .field_terms()
                            .any(|term| term.field.definition.path == field && term.test.compare().is_some_and(is_it))
                }
                _ => false,
            })
    }

    /// The selections that the condition names without `not`: those that make the rule match.
    fn wanted_selections(&self) -> Vec<&Selection> {
        let logic = self.logic();
        let wanted = logic.selections.iter().enumerate().filter(|(index, _)| wants(&logic.condition, *index));
        wanted.map(|(_, selection)| selection).collect()
    }
}

impl Test {
    /// Whether it can hold only where some entry of its list fits.
    fn wants_entries(&self) -> bool {
        match self {
            Self::List { quantifier, .. } => quantifier.wants_entries(),
            Self::Sequence { .. } => true,
            Self::Fact { .. } | Self::FactKnown { .. } | Self::ListKnown { .. } => false,
        }
    }
}

impl Compare {
    /// Whether a folded text has anything that the comparison looks for, if only to exclude it.
    fn finds_something(&self, text: &str) -> bool {
        match self {
            Self::Not(compare) => compare.finds_something(text),
            Self::Equal(values) => values.iter().any(|value| value.text() == Some(text)),
            Self::Part { place, parts, .. } => parts.iter().any(|part| part.is_in(text, *place)),
            Self::Like { patterns, .. } => patterns.iter().any(|pattern| pattern.fits(text)),
            Self::Regex { patterns, .. } => patterns.iter().any(|pattern| pattern.is_match(text)),
            Self::Listed { lists, .. } => lists.iter().filter_map(NamedList::get).any(|list| list.contains(text)),
            Self::Lines { lists, .. } => lists.iter().filter_map(NamedList::get).any(|list| list.fits(text)),
            Self::Order { .. } | Self::Place { .. } => false,
        }
    }
}

fn wants(condition: &Condition, selection: usize) -> bool {
    match condition {
        Condition::Selection(index) => *index == selection,
        Condition::Not(_) => false,
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(|part| wants(part, selection)),
    }
}

fn is(compare: &Compare, number: u64) -> bool {
    matches!(compare, Compare::Equal(values) if values.contains(&Value::Number(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> RuleSet {
        RuleSet::load(true, &[]).expect("the built-in rules")
    }

    fn ids<'r>(rules: &'r RuleSet, wanted: &[Wanted]) -> Vec<&'r str> {
        rules.asking_for(wanted).into_iter().map(Rule::id).collect()
    }

    #[test]
    fn a_code_finds_the_rules_that_want_it_the_surest_first() {
        let rules = rules();
        let overflow = [Wanted::Fact("exception.code", 0xC000_00FD)];
        assert!(ids(&rules, &overflow).contains(&"memory/stack-overflow"));
        let asking = rules.asking_for(&overflow);
        assert!(asking.is_sorted_by(|a, b| a.confidence() >= b.confidence()));
        assert_eq!(ids(&rules, &[Wanted::Fact("exception.code", 0x1234_5678)]), Vec::<&str>::new());
    }

    #[test]
    fn lines_that_no_rule_looks_for_are_not_asked_about() {
        let lines =
            ["CUDA error: out of memory", "my cat is called Minka", "Could not load library cudnn_ops_infer64_8.dll"];
        assert_eq!(rules().ask_about(&lines), [true, false, true]);
    }

    #[test]
    fn a_number_in_a_list_finds_rules_too() {
        let rules = rules();
        assert!(!ids(&rules, &[Wanted::Entry("win_errors", "number", 126)]).is_empty());
        assert!(ids(&rules, &[Wanted::Entry("win_errors", "number", 60_000)]).is_empty());
    }

    /// That a rule is ruled out by a code does not make it a rule about that code.
    #[test]
    fn a_code_that_a_rule_does_not_want_does_not_find_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rule.yaml");
        std::fs::write(
            &path,
            "schema: 1\nrules:\n  - id: test/negated\n    title: T\n    cause: application-defect\n    confidence: 0.5\n    \
             severity: low\n    selections:\n      a: {exception.code: 0xC0000005}\n      b: {exception.code: 0xC0000006}\n      \
             c: {win_errors|none: {number: 7}}\n    condition: a and c and not b\n    explanation: E.\n    remediation:\n      \
             - {audience: helpdesk, text: T.}\n    references: [https://example.com]\n    tests:\n      - {name: m, facts: \
             {exception.code: 0xC0000005, win_errors: []}, expect: match}\n      - {name: n, facts: {exception.code: \
             0xC0000006}, expect: no-match}\n",
        )
        .expect("a file");
        let rules = RuleSet::load(false, &[path]).expect("a rule");
        assert_eq!(ids(&rules, &[Wanted::Fact("exception.code", 0xC000_0005)]), ["test/negated"]);
        assert_eq!(ids(&rules, &[Wanted::Fact("exception.code", 0xC000_0006)]), Vec::<&str>::new());
        assert_eq!(ids(&rules, &[Wanted::Entry("win_errors", "number", 7)]), Vec::<&str>::new());
        assert_eq!(rules.numbers_asked_of("exception.code"), [0xC000_0005]);
    }

    /// A version below what a rule asks for says nothing where the module is another one.
    #[test]
    fn a_detail_is_asked_for_of_the_module_or_code_that_the_rule_asks_for() {
        let rules = rules();
        let text = |text: &str| Value::Text(text.into());
        let asking = |facts: &[(&'static str, Value)], detail: usize| -> Vec<String> {
            let (mut one, mut all) = (FactSet::default(), FactSet::default());
            facts.iter().for_each(|(path, value)| all.set(path, value.clone(), None));
            facts.iter().skip(detail).take(1).for_each(|(path, value)| one.set(path, value.clone(), None));
            rules.asking_for_any_of(&one, &all).into_iter().map(|rule| rule.id().to_owned()).collect()
        };
        let version = || Value::Version("14.29".parse().expect("a version"));
        let old = "vcruntime/msvcp140-below-14-40".to_owned();
        let site = |module: &str| [("fault_site.module", text(module)), ("fault_site.version", version())];
        assert!(asking(&site("msvcp140.dll"), 1).contains(&old));
        assert!(!asking(&site("combase.dll"), 1).contains(&old));
        // What a code asks for does not depend on where it was.
        assert!(asking(&site("msvcp140.dll"), 0).contains(&old));
        let tests = [
            ("bugcheck.code: 0x9F, bugcheck.parameter_1: 0x3", "match"),
            ("bugcheck.code: 0x9F, bugcheck.parameter_1: 0x4", "no-match"),
        ];
        let rules = crate::testing::rule(
            "stop: {bugcheck.code: 0x9F}, blocked: {bugcheck.parameter_1: 0x3}",
            "stop and blocked",
            &tests,
        );
        let of_stop = |code: u64| {
            let (mut one, mut all) = (FactSet::default(), FactSet::default());
            one.set("bugcheck.parameter_1", Value::Number(0x3), None);
            all.set("bugcheck.code", Value::Number(code), None);
            all.set("bugcheck.parameter_1", Value::Number(0x3), None);
            rules.asking_for_any_of(&one, &all).len()
        };
        assert_eq!([of_stop(0x9F), of_stop(0xD1)], [1, 0]);
    }
}
