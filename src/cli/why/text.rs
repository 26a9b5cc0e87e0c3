//! The traces as text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::{Answer, SHOWN};
use crate::cli::output::what_and_when;
use report::text::page::{CAREFUL, PLAIN, Page, SURE};
use report::{counted, counted_as};
use rules::{ConfidenceTrace, Entries, Outcome, RuleSet, TermTrace, Trace, Truth};

/// The most characters of a term in a sentence; a longer one is printed below its answer.
const LONG_TERM: usize = 60;
/// The most terms that are shown of a rule that does not match, where the command line names an incident.
const TERMS: usize = 2;
/// The indent of lines about a term.
const BELOW: usize = 6;

pub(super) fn text(answers: &[Answer<'_>], rules: &RuleSet, page: &mut Page<'_>) -> io::Result<()> {
    match answers {
        [_, _, ..] => of_rule(answers, rules, page),
        _ => answers.iter().try_for_each(|answer| one(answer, rules, page)),
    }
}

/// Prints the outcomes of one rule for several incidents: first those that it matches, then those that lack facts, then
/// those for which it is ruled out, the nearest matches first.
fn of_rule(answers: &[Answer<'_>], rules: &RuleSet, page: &mut Page<'_>) -> io::Result<()> {
    let trace = |answer: &Answer<'_>| answer.traces.first().map(|trace| (trace.condition, trace.holding()));
    let of = |truth: Truth| -> Vec<&Answer<'_>> {
        answers.iter().filter(|answer| trace(answer).is_some_and(|(condition, _)| condition == truth)).collect()
    };
    let (matched, undecided, mut ruled_out) = (of(Truth::True), of(Truth::Undecided), of(Truth::False));
    // The sort is stable: equal ones stay in the report's order.
    ruled_out.sort_by_key(|answer| Reverse(trace(answer).map(|(_, holding)| holding)));
    let rule = answers.iter().flat_map(|answer| &answer.traces).next().map_or("", |trace| &trace.rule);
    let limit = page.limit(SHOWN);
    let more = if undecided.len() > limit || ruled_out.len() > limit { " -v shows all of them." } else { "" };
    let made = match rules.rule(rule).and_then(|rule| rule.disabled()) {
        Some(change) => {
            let (matches, lacks, out) = (matched.len(), undecided.len(), ruled_out.len());
            let by = &change.by;
            format!(
                "would match {matches}, is disabled by {by}, would lack facts for {lacks} and be ruled out for {out}"
            )
        }
        None => outcomes(answers, rules),
    };
    page.paragraph(0, &format!("Of {} incidents, {rule} {made}.{more}", answers.len()))?;
    let shown = matched.into_iter().chain(undecided.into_iter().take(limit)).chain(ruled_out.into_iter().take(limit));
    for answer in shown {
        page.blank()?;
        one(answer, rules, page)?;
    }
    Ok(())
}

/// A sentence about the number of incidents by the outcome of a rule. Rare outcomes are named where there are any.
fn outcomes(answers: &[Answer<'_>], rules: &RuleSet) -> String {
    let count = |wanted: Outcome| {
        let traces = answers.iter().flat_map(|answer| answer.traces.iter().map(move |trace| (answer, trace)));
        traces.filter(|(answer, trace)| answer.outcome(trace, rules) == wanted).count()
    };
    let mut made = vec![format!("matches {}", count(Outcome::Match))];
    let by: BTreeSet<&str> =
        answers.iter().flat_map(|answer| answer.suppressed.values()).map(|suppressed| &*suppressed.by).collect();
    let by = by.into_iter().collect::<Vec<_>>().join(", ");
    let suppressed = count(Outcome::Suppressed);
    let suppressed_by = format!("would match {suppressed} more and is suppressed there by {by}");
    for (outcome, says) in [
        (Outcome::Superseded, format!("is superseded for {}", count(Outcome::Superseded))),
        (Outcome::Suppressed, suppressed_by),
        (Outcome::Error, format!("fails for {}", count(Outcome::Error))),
    ] {
        if count(outcome) > 0 {
            made.push(says);
        }
    }
    made.push(format!("lacks facts for {}", count(Outcome::Skipped)));
    format!("{} and is ruled out for {}", made.join(", "), count(Outcome::NoMatch))
}

/// Prints the outcomes of rules for one incident.
fn one(answer: &Answer<'_>, rules: &RuleSet, page: &mut Page<'_>) -> io::Result<()> {
    let incident = answer.incident;
    page.part(&format!("Incident {}: {}", incident.id, what_and_when(incident)))?;
    let set_aside = |trace: &&Trace| matches!(answer.outcome(trace, rules), Outcome::Suppressed | Outcome::Disabled);
    let of = |truth: Truth| answer.traces.iter().filter(move |trace| trace.condition == truth);
    let judging = |truth: Truth| of(truth).filter(|trace| !set_aside(trace));
    let limit = if answer.one_rule { usize::MAX } else { page.limit(SHOWN) };
    for trace in judging(Truth::True) {
        rule(trace, rules, answer, page)?;
    }
    // Rules that are disabled or suppressed are shown where they would match.
    for trace in answer.traces.iter().filter(set_aside) {
        if limit == usize::MAX || trace.condition == Truth::True {
            rule(trace, rules, answer, page)?;
        }
    }
    // Other rules are shown where some of their selections are true.
    let near = |trace: &&Trace| limit == usize::MAX || trace.holding() > 0;
    for trace in judging(Truth::Undecided).filter(near).take(limit) {
        rule(trace, rules, answer, page)?;
    }
    for trace in judging(Truth::False).filter(near).take(limit) {
        rule(trace, rules, answer, page)?;
    }
    if !answer.one_rule {
        waiting(judging(Truth::Undecided), page)?;
        let counts = [Truth::True, Truth::Undecided, Truth::False].map(|truth| judging(truth).count());
        let [matched, undecided, ruled_out] = counts;
        let mut summary = vec![
            counted_as(matched, "rule matches", "rules match"),
            counted_as(undecided, "lacks facts", "lack facts"),
            counted_as(ruled_out, "is ruled out", "are ruled out"),
        ];
        let aside = answer.traces.iter().filter(set_aside).count();
        summary.extend((aside > 0).then(|| counted_as(aside, "is set aside", "are set aside")));
        page.blank()?;
        page.paragraph(0, &format!("{}. -v shows all of them.", summary.join(", ")))?;
    }
    Ok(())
}

/// Prints the facts that most undecided rules lack, with the evidence that would contain them.
fn waiting<'t>(undecided: impl Iterator<Item = &'t Trace>, page: &mut Page<'_>) -> io::Result<()> {
    let mut facts: BTreeMap<&str, Awaited<'_>> = BTreeMap::new();
    for trace in undecided {
        // A rule counts once, also where it lacks a fact for several reasons.
        let lacks: BTreeSet<&str> = trace.missing.iter().map(|missing| &*missing.fact).collect();
        for fact in lacks {
            let awaited = facts.entry(fact).or_default();
            awaited.rules = awaited.rules.saturating_add(1);
        }
        for missing in &trace.missing {
            let of_fact = facts.entry(&missing.fact).or_default();
            let count = of_fact.needs.entry((missing.why, &missing.from)).or_default();
            *count = count.saturating_add(1);
        }
    }
    let mut facts: Vec<(&str, Awaited<'_>)> = facts.into_iter().collect();
    facts.sort_by_key(|(_, awaited)| Reverse(awaited.rules));
    if facts.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.paragraph(2, "What rules wait for:")?;
    let limit = page.limit(SHOWN);
    for (fact, awaited) in facts.iter().take(limit) {
        let wait = counted_as(awaited.rules, "rule waits", "rules wait");
        // The most frequent reason, and the first of equally frequent ones.
        let need = awaited.needs.iter().rev().max_by_key(|(_, count)| **count);
        let need = match need {
            Some(((Some(why), _), _)) => format!("It is not known: {why}"),
            Some(((None, from), _)) => format!("It comes with {from}"),
            None => continue,
        };
        page.bullet(&format!("`{fact}`: {wait} for it. {need}."))?;
    }
    match facts.len().saturating_sub(limit) {
        0 => Ok(()),
        more => page.paragraph(4, &format!("and {}", counted(more, "more fact"))),
    }
}

/// A fact that rules wait for.
#[derive(Default)]
struct Awaited<'t> {
    rules: usize,
    /// The number of rules by the reason why it is unknown, or by the evidence that would contain it.
    needs: BTreeMap<(Option<&'static str>, &'t str), usize>,
}

fn rule(trace: &Trace, rules: &RuleSet, answer: &Answer<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let (word, style) = match answer.outcome(trace, rules) {
        Outcome::Match => ("matches", SURE),
        Outcome::Superseded => ("is superseded", PLAIN),
        Outcome::Suppressed | Outcome::Disabled => ("is set aside", PLAIN),
        Outcome::Error => ("fails", CAREFUL),
        Outcome::Skipped => ("lacks facts", CAREFUL),
        Outcome::NoMatch => ("ruled out", PLAIN),
    };
    let known = rules.rule(&trace.rule);
    let cause = known.map_or("", |rule| rule.cause());
    let sure = trace.confidence.as_ref().map_or_else(String::new, |sure| format!(" {:.2}", sure.confidence));
    page.blank()?;
    page.marked(style, "  ", &format!("{} {word}: {cause}{sure}", trace.rule))?;
    if let Some(rule) = known {
        page.paragraph(4, &format!("{}, line {}", rule.file(), rule.line()))?;
        for change in rule.overrides() {
            page.bullet(&format!("overridden {} ({})", change.description(), change.keys.join(", ")))?;
        }
        if let Some(change) = rule.disabled() {
            page.bullet(&format!("it judges nothing: disabled {}", change.description()))?;
        }
    }
    if let Some(suppressed) = answer.suppressed.get(&trace.rule) {
        page.bullet(&format!("its finding is suppressed {}", suppressed.description()))?;
    }
    if let Some(ended) = answer.shown_again.get(&trace.rule) {
        page.bullet(&format!("its finding is shown again: it was suppressed {}", ended.description()))?;
    }
    let mut absent: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let whole = answer.one_rule || page.verbose;
    let (mut shown, mut left_out) = (0_usize, 0_usize);
    for decided in trace.deciding_terms() {
        // Terms about absent facts are shown in full where the command line names the rule.
        if decided.found.is_none() && !whole {
            absent.entry(decided.fact).or_default().push(decided.line.to_string());
        } else if whole || trace.condition == Truth::True || shown < TERMS {
            shown = shown.saturating_add(1);
            term(decided, page)?;
        } else {
            left_out = left_out.saturating_add(1);
        }
    }
    match left_out {
        0 => {}
        1 => page.bullet("1 more term that says so")?,
        more => page.bullet(&format!("{more} more terms that say so"))?,
    }
    for (fact, lines) in absent {
        let of = if lines.len() == 1 { "line" } else { "lines" };
        page.bullet(&format!("{of} {} can't be decided: `{fact}` is absent.", lines.join(", ")))?;
    }
    if let Some(other) = &trace.superseded_by {
        page.bullet(&format!("It matches, and so does {other}, which takes its place."))?;
    }
    if let Some(error) = &trace.error {
        page.bullet(&format!("It matches, and a text of it is shown as it is written: {error}."))?;
    }
    for missing in &trace.missing {
        page.bullet(&match missing.why {
            Some(why) => format!("`{}` would decide it, and is not known: {why}.", missing.fact),
            None => format!("`{}` would decide it: {} brings it.", missing.fact, missing.from),
        })?;
    }
    trace.confidence.as_ref().map_or(Ok(()), |sure| confidence(sure, page))?;
    if page.verbose {
        let all = trace.selections.iter().flat_map(|selection| &selection.terms);
        let deciding: Vec<&TermTrace> = trace.deciding_terms().collect();
        let mut others = all.filter(|term| !deciding.iter().any(|decided| std::ptr::eq(*decided, *term))).peekable();
        if others.peek().is_some() {
            page.paragraph(4, "Terms that did not decide it:")?;
        }
        for other in others {
            term(other, page)?;
        }
    }
    Ok(())
}

/// Prints a term with its answer; a long term below its answer, as it is in the rule's file.
fn term(trace: &TermTrace, page: &mut Page<'_>) -> io::Result<()> {
    if trace.written.chars().count() <= LONG_TERM {
        page.bullet(&format!("{}.", trace.sentence()))?;
    } else {
        page.bullet(&format!("line {} {}:", trace.line, trace.answer()))?;
        for line in &trace.lines {
            let text = line.trim_start();
            page.entry(BELOW.saturating_add(line.len().saturating_sub(text.len())), text)?;
        }
    }
    entries("fits", &trace.fits, page)?;
    entries("may fit", &trace.may_fit, page)
}

/// Prints entries of a list. Entries that are incidents are in the answer already, by their ids.
fn entries(fit: &str, entries: &Entries, page: &mut Page<'_>) -> io::Result<()> {
    let mut named = entries.first.iter().filter(|entry| entry.incident.is_none()).peekable();
    if named.peek().is_none() {
        return Ok(());
    }
    for entry in named {
        page.whole_entry(BELOW, &format!("{fit}: {}", entry.written()))?;
    }
    match entries.more {
        0 => Ok(()),
        more => page.entry(BELOW, &format!("{fit}: {more} more")),
    }
}

fn confidence(sure: &ConfidenceTrace, page: &mut Page<'_>) -> io::Result<()> {
    page.bullet(&format!("confidence {:.2} by itself", sure.first))?;
    let all = page.verbose;
    for adjustment in sure.adjustments.iter().filter(|adjustment| adjustment.counts || all) {
        let why = match (adjustment.counts, adjustment.holds) {
            (true, _) => "holds",
            (false, Truth::True) => "holds only by what is mentioned, and does not count",
            (false, Truth::False) => "does not hold",
            (false, Truth::Undecided) => "can't be decided",
        };
        page.bullet(&format!("{}: `{}` {why}", adjustment.change, adjustment.when))?;
    }
    for (most, why) in &sure.caps {
        page.bullet(&format!("at most {most:.2}: {why}"))?;
    }
    Ok(())
}
