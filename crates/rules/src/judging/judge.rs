//! Judging incidents: the findings of all rules, and traces of how a rule came to its answer.

use crate::evaluating::{Evaluation, Lacking, NamedEntries, View, found};
use crate::judging::supersede::Found;
use crate::judging::{Finding, Judgement, LessSure, Scale, Skipped, Suppressed, Trace, supersede, trace, weigh};
use crate::language::{Request, Truth, Unless};
use crate::loading::{Occasion, Rule, RuleSet, Ruling};
use crate::prefilter::Chance;
use crate::reading::FactValues;
use facts::{Around, FactSet, Relation};

impl RuleSet {
    /// The result of all rules for an incident.
    #[must_use]
    pub fn judge(&self, facts: &FactSet) -> Judgement {
        self.judge_by(&View::new(facts, None), Occasion::default(), Chance::Undecided)
    }

    /// The findings of an incident with the timeline `around` it, and its suppressed findings. Rules that can't be
    /// decided are not evaluated: with many incidents, finding out which facts they lack would take most of the time.
    #[must_use]
    pub fn findings<'a>(
        &self,
        facts: &'a FactSet,
        around: &'a Around<'a>,
        occasion: Occasion<'_>,
    ) -> (Vec<Finding>, Vec<Suppressed>) {
        let judgement = self.judge_by(&View::new(facts, Some(around)), occasion, Chance::Yes);
        (judgement.findings, judgement.suppressed)
    }

    /// What suppressions do to the finding of a rule that matches an incident.
    #[must_use]
    pub fn ruling(&self, id: &str, facts: &FactSet, occasion: Occasion<'_>) -> Ruling {
        self.suppressions.ruling(id, &View::new(facts, None), occasion)
    }

    /// The finding of a rule that matches these facts, before suppressions and other rules change it.
    #[must_use]
    pub fn finding_of(&self, rule: &Rule, facts: &FactSet) -> Option<Finding> {
        let view = View::new(facts, None);
        let logic = rule.logic();
        let mut evaluation = Evaluation::new(&logic.selections, &view);
        let matches = logic.truth(&mut evaluation, &view) == Truth::True;
        let (less, values) = (LessSure::default(), FactValues::known_in(facts));
        matches.then(|| self.finding(rule, &mut evaluation, &view, &less, &values).finding)
    }

    /// The judgement by the rules with at least this chance. A suppressed finding still supersedes others: it is left out
    /// of the report, and not wrong.
    fn judge_by(&self, view: &View<'_>, occasion: Occasion<'_>, least: Chance) -> Judgement {
        let (findings, skipped) = self.decided(view, least);
        let mut judgement = Judgement { skipped, ..Judgement::default() };
        for mut finding in findings {
            match self.suppressions.ruling(&finding.rule, view, occasion) {
                Ruling::Suppressed(by) => {
                    let Finding { rule, cause, confidence, title, .. } = finding;
                    judgement.suppressed.push(Suppressed { rule, cause, confidence, title, by });
                    continue;
                }
                Ruling::ShownAgain(by) => finding.suppression_ended = Some(by),
                Ruling::Shown => {}
            }
            judgement.findings.push(finding);
        }
        judgement
    }

    /// The findings of the rules that have at least this chance, whether or not somebody wants to see them, and the
    /// rules that can't be decided.
    fn decided(&self, view: &View<'_>, least: Chance) -> (Vec<Finding>, Vec<Skipped>) {
        let (mut found, mut skipped) = (Vec::new(), Vec::new());
        let mut values = None;
        let less = LessSure::default();
        let asked = match least {
            Chance::Yes => self.index.candidates(view),
            // Which facts a rule lacks is told of every rule.
            Chance::Undecided | Chance::No => (0..self.rules.len()).collect(),
        };
        let asked = asked.into_iter().filter_map(|number| self.rules.get(number));
        let judging = asked.filter(|rule| rule.disabled().is_none());
        for rule in judging.filter(|rule| rule.needs.chance(view) >= least) {
            let logic = rule.logic();
            let mut evaluation = Evaluation::new(&logic.selections, view);
            match logic.truth(&mut evaluation, view) {
                Truth::False => {}
                Truth::True => {
                    let values = values.get_or_insert_with(|| FactValues::known_in(view.facts()));
                    found.push(self.finding(rule, &mut evaluation, view, &less, values));
                }
                Truth::Undecided if least == Chance::Yes => {}
                Truth::Undecided => {
                    let missing = logic.missing(&mut evaluation, view).iter().map(Lacking::to_string).collect();
                    skipped.push(Skipped { rule: rule.id().to_owned(), missing });
                }
            }
        }
        (supersede::decided(found), skipped)
    }

    /// The finding of a rule that matches.
    fn finding<'r, 'v>(
        &self,
        rule: &'r Rule,
        evaluation: &mut Evaluation<'_, '_>,
        view: &View<'v>,
        less: &LessSure<'v>,
        values: &FactValues,
    ) -> Found<'r> {
        let mut rests_on = rule.logic().rests_on(evaluation, view);
        let texts = rule.texts();
        let weighed = weigh(&Scale::of_rule(rule), evaluation, view, less);
        let counting = || weighed.steps.iter().filter(|step| step.counts);
        counting().for_each(|step| evaluation.rests_on(&step.adjustment.when, &mut rests_on));
        let named = texts.print_found().then(|| values.with(found(rule.logic(), view)));
        let values = named.as_ref().unwrap_or(values);
        let fill = |text: &str| self.templates.fill(text, values).into_owned();
        let mut explanation = fill(&texts.explanation);
        for step in counting() {
            explanation.push(' ');
            explanation.push_str(&fill(&step.adjustment.say));
        }
        if let (Some(named), Some(others)) =
            (rests_on.incidents.get_mut(&Relation::Other), &view.facts().other_incidents)
        {
            others.sort_in_time(&mut named.ids);
        }
        for (_, why) in &weighed.caps {
            explanation.push(' ');
            explanation.push_str(why);
        }
        let finding = Finding {
            rule: rule.id().to_owned(),
            ruleset: self.set_of(rule).map(|set| set.name.clone()).unwrap_or_default(),
            overridden_by: rule.overrides().iter().map(|change| change.by.clone()).collect(),
            cause: texts.cause.clone(),
            symptom: self.causes().is_symptom(&texts.cause),
            confidence: weighed.confidence,
            severity: texts.severity,
            title: title(&texts.title, fill(&texts.title)),
            explanation,
            // A step whose text is empty with these facts is none.
            remediation: texts
                .remediation
                .iter()
                .map(|written| written.step.filled(fill))
                .filter(|step| !step.text.is_empty())
                .collect(),
            collect: texts
                .collect
                .iter()
                .filter_map(|request| request.wanted(evaluation, view))
                .map(str::to_owned)
                .collect(),
            evidence: rests_on.evidence.into_iter().collect(),
            entries: rests_on
                .entries
                .iter()
                .filter_map(|(index, places)| NamedEntries::at_places(*index, places, view))
                .collect(),
            incidents: rests_on.incidents.into_values().collect(),
            references: texts.references.clone(),
            suppression_ended: None,
            superseded_by: None,
        };
        Found { finding, supersedes: &texts.supersedes, in_doubt: weighed.in_doubt }
    }

    /// Why a text of a rule that matches can't be written; `None` where all texts can.
    pub(crate) fn unwritable(
        &self,
        rule: &Rule,
        evaluation: &mut Evaluation<'_, '_>,
        view: &View<'_>,
    ) -> Option<String> {
        let texts = rule.texts();
        let says = texts.adjustments.iter().filter(|adjustment| evaluation.truth(&adjustment.when) == Truth::True);
        let says = says.map(|adjustment| &*adjustment.say);
        let values = FactValues::known_in(view.facts());
        let mut all = says.chain(texts.with_facts());
        all.find_map(|text| self.templates.try_fill(text, &values).err())
    }

    /// The first rule by id that matches these facts and supersedes this one, which matches them.
    pub(crate) fn superseding(&self, id: &str, view: &View<'_>) -> Option<&str> {
        let names = |rule: &&Rule| rule.needs.chance(view) == Chance::Yes && rule.supersedes().any(|other| other == id);
        if !self.rules.iter().any(|rule| names(&rule)) {
            return None;
        }
        let (findings, _) = self.decided(view, Chance::Yes);
        let finding = findings.iter().find(|finding| finding.rule == id)?;
        self.rule(finding.superseded_by.as_deref()?).map(Rule::id)
    }

    /// How a rule came to its answer, with the rule that supersedes it.
    fn traced(&self, rule: &Rule, view: &View<'_>) -> Trace {
        let mut trace = trace::trace(rule, view);
        if trace.condition == Truth::True {
            trace.superseded_by = self.superseding(rule.id(), view).map(str::to_owned);
            let mut evaluation = Evaluation::new(&rule.logic().selections, view);
            trace.error = self.unwritable(rule, &mut evaluation, view);
        }
        trace
    }

    /// How a rule comes to its answer for an incident, term by term.
    #[must_use]
    pub fn trace(&self, id: &str, facts: &FactSet) -> Option<Trace> {
        Some(self.traced(self.rule(id)?, &View::new(facts, None)))
    }

    /// The traces of all rules: first those that match, by confidence; then those that can't be decided, then those
    /// that are ruled out, both by how many terms hold. Ties by id.
    #[must_use]
    pub fn traces(&self, facts: &FactSet) -> Vec<Trace> {
        let view = View::new(facts, None);
        let mut traces: Vec<Trace> = self.rules.iter().map(|rule| self.traced(rule, &view)).collect();
        // Rules come by id and the sort is stable.
        traces.sort_by(Trace::order);
        traces
    }
}

/// The most characters of a title with facts in it: a name from a file can be of any length.
const LONGEST_TITLE: usize = 160;

/// A title with facts filled in, of a length that a headline can have.
fn title(written: &str, filled: String) -> String {
    match filled.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) if filled != written => format!("{}...", filled.get(..end).unwrap_or_default()),
        _ => filled,
    }
}

impl Request {
    /// The text of the request, unless a condition makes it needless.
    fn wanted(&self, evaluation: &mut Evaluation<'_, '_>, view: &View<'_>) -> Option<&str> {
        let mut there = |unless: &Unless| match unless {
            Unless::Selection(index) => evaluation.selection(*index) == Truth::True,
            Unless::Known(subject) => view.knows(*subject),
        };
        (!self.unless.iter().any(&mut there)).then_some(&*self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_make_no_title_longer_than_a_headline() {
        let long = "a".repeat(400);
        assert_eq!(title(&long, long.clone()), long);
        assert_eq!(title("{{ a.b or \"c\" }} failed", "c failed".to_owned()), "c failed");
        let cut = title("{{ a.b or \"c\" }}", "\u{e4}".repeat(400));
        assert_eq!((cut.chars().count(), cut.ends_with("\u{e4}...")), (LONGEST_TITLE + 3, true));
    }
}
