//! All loaded rules, ready to judge.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::causes::{self, Causes};
use super::evaluate::{Evaluation, RestsOn, Truth};
use super::explain::{FactValues, Templates, Text};
use super::finding::{Finding, Judgement, Remediation, Skipped};
use super::gate::Chance;
use super::list::{self, Lists, ModuleList};
use super::rule::{Origin, Rule};
use super::self_test::{Expectation, TestFailure, TestOutcome};
use super::source::{BUILTIN, SetSource};
use super::trace::{self, Trace};
use super::view::View;
use super::weigh::{LessSure, weigh};
use super::{Known, parse};
use crate::facts::{Around, FactSet};
use crate::yaml::{Diagnostic, Span, sort_diagnostics};

/// A rule set that takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSetInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How many rules it has.
    pub rules: usize,
}

/// Everything that was loaded, compiled.
#[derive(Debug)]
pub struct RuleSet {
    infos: Vec<RuleSetInfo>,
    causes: Causes,
    /// By id.
    rules: Vec<Rule>,
    /// With the set that each belongs to.
    lists: Vec<(String, Arc<ModuleList>)>,
    templates: Templates,
    warnings: Vec<Diagnostic>,
}

impl RuleSet {
    /// Loads the built-in rules, if wanted, and those at `paths`: folders and single files.
    ///
    /// Causes and lists of the built-in set are there either way. A folder whose `ruleset.yaml` says `name: builtin`
    /// takes the place of the built-in set, so that a working copy can be tried without building the program.
    ///
    /// # Errors
    /// All mistakes of all files, warnings among them, when there is at least one error.
    pub fn load(builtin: bool, paths: &[PathBuf]) -> Result<Self, Vec<Diagnostic>> {
        Self::load_with(builtin, paths, SetSource::prepared)
    }

    /// Loads the same as [`load`](Self::load) with the built-in rules, and checks those like a user's.
    ///
    /// # Errors
    /// All mistakes of all files, warnings among them, when there is at least one error.
    pub fn check(paths: &[PathBuf]) -> Result<Self, Vec<Diagnostic>> {
        Self::load_with(true, paths, SetSource::embedded)
    }

    fn load_with(
        builtin: bool,
        paths: &[PathBuf],
        embedded: fn(&mut Vec<Diagnostic>) -> SetSource,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let mut sets: Vec<SetSource> = paths.iter().map(|path| SetSource::at(path, &mut found)).collect();
        match sets.iter().position(|set| set.name == BUILTIN) {
            Some(index) => {
                let replacement = sets.remove(index);
                sets.insert(0, replacement);
            }
            None => {
                let mut embedded = embedded(&mut found);
                if !builtin {
                    embedded.rules.clear();
                    embedded.prepared.clear();
                }
                sets.insert(0, embedded);
            }
        }
        let loaded = Self::compile(sets, &mut found);
        sort_diagnostics(&mut found);
        if found.iter().any(Diagnostic::is_error) {
            return Err(found);
        }
        Ok(Self { warnings: found, ..loaded })
    }

    /// Compiles sets of which the first is the built-in one.
    fn compile(sets: Vec<SetSource>, found: &mut Vec<Diagnostic>) -> Self {
        let mut causes = Causes::default();
        let mut builtin_lists = Arc::new(Lists::default());
        let (mut infos, mut rules, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        let templates = Templates::default();
        for (index, set) in sets.into_iter().enumerate() {
            match &set.causes {
                Some(file) if index == 0 => causes = causes::read(file, found),
                Some(file) => {
                    let message = "only the built-in rule set has causes";
                    let help = "name one of its causes in the rules, and remove this file";
                    found.push(Diagnostic::error("R065", file, Span::file_start(), message).with_help(help));
                }
                None => {}
            }
            let own: Vec<ModuleList> =
                set.data.iter().filter_map(|(stem, file)| list::read(stem, file, found)).collect();
            let own_names: BTreeSet<String> = own.iter().map(|list| list.name().to_owned()).collect();
            let known_lists = Arc::new(builtin_lists.with(own));
            lists.extend(
                known_lists
                    .all()
                    .filter(|list| own_names.contains(list.name()))
                    .map(|list| (set.name.clone(), Arc::clone(list))),
            );
            if index == 0 {
                builtin_lists = Arc::clone(&known_lists);
            }
            let known = Known { causes: &causes, lists: &known_lists, proven: false };
            let origin = Origin { set: index, embedded: set.embedded };
            let before = rules.len();
            for file in &set.rules {
                rules.append(&mut parse::read_file(file, origin, &known, &templates, found));
            }
            let prepared = set.prepared.into_iter();
            rules.extend(prepared.map(|(rule, file)| Rule::prepared(rule, origin, &file, &known_lists)));
            let rules = rules.len().saturating_sub(before);
            infos.push(RuleSetInfo { name: set.name, version: set.version, rules });
        }
        rules.sort_by(|a: &Rule, b: &Rule| a.id.cmp(&b.id));
        report_equal_ids(&rules, found);
        Self { infos, causes, rules, lists, templates, warnings: Vec::new() }
    }

    /// The loaded sets, the built-in one first; without it when none of its rules were wanted.
    #[must_use]
    pub fn infos(&self) -> Vec<RuleSetInfo> {
        self.infos.iter().filter(|info| info.rules > 0).cloned().collect()
    }

    /// All rules, by id.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of that id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        let index = self.rules.binary_search_by(|rule| (*rule.id).cmp(id)).ok()?;
        self.rules.get(index)
    }

    /// The set that a rule belongs to.
    #[must_use]
    pub fn set_of(&self, rule: &Rule) -> Option<&RuleSetInfo> {
        self.infos.get(rule.origin.set)
    }

    /// All causes.
    #[must_use]
    pub fn causes(&self) -> &Causes {
        &self.causes
    }

    /// All lists of modules, each with the name of its set, the built-in ones first.
    pub fn lists(&self) -> impl Iterator<Item = (&str, &ModuleList)> {
        self.lists.iter().map(|(set, list)| (set.as_str(), &**list))
    }

    /// Mistakes that did not keep the rules from being loaded.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// What all rules say of an incident.
    #[must_use]
    pub fn judge(&self, facts: &FactSet) -> Judgement {
        self.judge_by(&View::new(facts, None), Chance::Undecided)
    }

    /// The findings of an incident with the timeline `around` it. Rules that nobody could decide are not looked at: with
    /// many incidents, finding out what those lack would be most of the work.
    #[must_use]
    pub fn findings<'a>(&self, facts: &'a FactSet, around: &'a Around<'a>) -> Vec<Finding> {
        self.judge_by(&View::new(facts, Some(around)), Chance::Yes).findings
    }

    /// What the rules say that have at least this chance.
    fn judge_by(&self, view: &View<'_>, least: Chance) -> Judgement {
        let mut judgement = Judgement::default();
        let mut values = None;
        let less = LessSure::default();
        for rule in self.rules.iter().filter(|rule| rule.gate.chance(view) >= least) {
            let logic = rule.logic();
            let mut evaluation = Evaluation::new(&logic.selections, view);
            match evaluation.truth(&logic.condition) {
                Truth::False => {}
                Truth::True => {
                    let values = values.get_or_insert_with(|| FactValues::of(view.facts()));
                    judgement.findings.push(self.finding(rule, &mut evaluation, view, &less, values));
                }
                Truth::Undecided if least == Chance::Yes => {}
                Truth::Undecided => {
                    let mut missing = BTreeSet::new();
                    evaluation.missing(&logic.condition, &mut missing);
                    judgement
                        .skipped
                        .push(Skipped { rule: rule.id().to_owned(), missing: missing.into_iter().collect() });
                }
            }
        }
        // Rules come by id and the sort is stable, so ties stay in that order.
        judgement.findings.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        judgement
    }

    /// What a rule that matches says.
    fn finding<'v>(
        &self,
        rule: &Rule,
        evaluation: &mut Evaluation<'_, '_>,
        view: &View<'v>,
        less: &LessSure<'v>,
        values: &FactValues,
    ) -> Finding {
        let fill = |text: &Text| self.templates.fill(text, values).into_owned();
        let mut rests_on = RestsOn::default();
        evaluation.rests_on(&rule.logic().condition, &mut rests_on);
        let texts = rule.texts();
        let mut explanation = fill(&texts.explanation);
        let weighed = weigh(rule, evaluation, view, less);
        for step in weighed.steps.iter().filter(|step| step.counts) {
            evaluation.rests_on(&step.adjustment.when, &mut rests_on);
            explanation.push(' ');
            explanation.push_str(&fill(&step.adjustment.say));
        }
        for why in &weighed.caps {
            explanation.push(' ');
            explanation.push_str(why);
        }
        Finding {
            rule: rule.id().to_owned(),
            cause: texts.cause.clone(),
            confidence: weighed.confidence,
            severity: texts.severity,
            title: texts.title.clone(),
            explanation,
            remediation: texts
                .remediation
                .iter()
                .map(|(audience, text)| Remediation { audience: *audience, text: fill(text) })
                .collect(),
            collect: texts.collect.clone(),
            evidence: rests_on.evidence.into_iter().collect(),
            incidents: rests_on.incidents.into_values().collect(),
            references: texts.references.clone(),
        }
    }

    /// How a rule comes to its answer for an incident, term by term.
    #[must_use]
    pub fn trace(&self, id: &str, facts: &FactSet) -> Option<Trace> {
        Some(trace::trace(self.rule(id)?, &View::new(facts, None)))
    }

    /// The same for all rules: those that match first, the surest first; then those that can't be decided, then those
    /// that are ruled out, of both those first of which most terms hold. Ties by id.
    #[must_use]
    pub fn traces(&self, facts: &FactSet) -> Vec<Trace> {
        let view = View::new(facts, None);
        let mut traces: Vec<Trace> = self.rules.iter().map(|rule| trace::trace(rule, &view)).collect();
        // Rules come by id and the sort is stable.
        traces.sort_by(Trace::order);
        traces
    }

    /// Runs the tests inside all rules.
    #[must_use]
    pub fn run_tests(&self) -> TestOutcome {
        self.run_tests_of(|_| true)
    }

    /// Runs the tests inside the rules that are `chosen`.
    #[must_use]
    pub fn run_tests_of(&self, chosen: impl Fn(&Rule) -> bool) -> TestOutcome {
        let mut outcome = TestOutcome::default();
        for rule in self.rules.iter().filter(|rule| chosen(rule)) {
            outcome.rules = outcome.rules.saturating_add(1);
            let logic = rule.logic();
            for test in rule.tests() {
                let view = View::new(&test.facts, None);
                let got = Expectation::of(Evaluation::new(&logic.selections, &view).truth(&logic.condition));
                if got == test.expect {
                    outcome.passed = outcome.passed.saturating_add(1);
                    continue;
                }
                let trace = trace::trace(rule, &view);
                outcome.failed.push(TestFailure {
                    rule: rule.id().to_owned(),
                    test: test.name.clone(),
                    file: rule.file.name.clone(),
                    line: test.span.line,
                    expected: test.expect,
                    got,
                    why: trace.deciding_terms().map(|term| term.sentence()).collect(),
                });
            }
        }
        outcome
    }
}

/// Two rules with one id: neither could be told from the other in a report. `rules` is sorted by id.
fn report_equal_ids(rules: &[Rule], found: &mut Vec<Diagnostic>) {
    for equal in rules.chunk_by(|a, b| a.id == b.id) {
        let [first, others @ ..] = equal else { continue };
        found.extend(others.iter().map(|rule| {
            Diagnostic::error("R019", &rule.file, rule.id_span, format!("there are two rules `{}`", rule.id))
                .with_other(&first.file, first.id_span, "first here")
                .with_help("give it another name; ids of built-in rules can't be used again")
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_built_in_rules_is_as_it_is_written() {
        let prepared = RuleSet::load(true, &[]).expect("the built-in rules");
        let written = RuleSet::check(&[]).expect("the built-in rules");
        assert_eq!(prepared.infos(), written.infos());
        for (prepared, written) in prepared.rules().iter().zip(written.rules()) {
            assert_eq!(format!("{:?}", prepared.logic()), format!("{:?}", written.logic()), "{}", written.id);
            assert_eq!(format!("{:?}", prepared.texts()), format!("{:?}", written.texts()), "{}", written.id);
            assert_eq!(format!("{:?}", prepared.tests()), format!("{:?}", written.tests()), "{}", written.id);
            assert_eq!(format!("{:?}", prepared.gate), format!("{:?}", written.gate), "{}", written.id);
            assert_eq!((prepared.span, prepared.id_span), (written.span, written.id_span), "{}", written.id);
            assert_eq!(prepared.written(), written.written());
        }
    }

    #[test]
    fn no_gate_is_closed_to_a_rule_that_matches_or_is_undecided() {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        for rule in rules.rules() {
            for test in rule.tests() {
                let chance = rule.gate.chance(&View::new(&test.facts, None));
                match test.expect {
                    Expectation::Match => assert_eq!(chance, Chance::Yes, "{}: {}", rule.id, test.name),
                    Expectation::Skipped => assert_ne!(chance, Chance::No, "{}: {}", rule.id, test.name),
                    Expectation::NoMatch => {}
                }
            }
        }
    }

    #[test]
    fn a_stop_meets_few_rules() {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        let mut facts = FactSet::default();
        facts.set("incident.kind", crate::facts::Value::Text("bugcheck".into()), None);
        facts.set("bugcheck.code", crate::facts::Value::Number(0x9F), None);
        let view = View::new(&facts, None);
        let met = rules.rules().iter().filter(|rule| rule.gate.chance(&view) == Chance::Yes).count();
        assert!((1..40).contains(&met), "{met} of {}", rules.rules().len());
    }
}
