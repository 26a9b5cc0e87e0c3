//! The answers for people.

use std::io;

use super::{Answer, SHOWN};
use crate::report::text::page::{CAREFUL, PLAIN, Page, SURE};
use crate::rules::{ConfidenceTrace, Outcome, RuleSet, TermTrace, Trace, Truth};

/// Longer terms are not put into a sentence.
const LONG_TERM: usize = 60;
pub(super) fn text(answers: &[Answer<'_>], rules: &RuleSet, page: &mut Page<'_>) -> io::Result<()> {
    for (number, answer) in answers.iter().enumerate() {
        if number > 0 {
            page.blank()?;
        }
        let incident = answer.incident;
        let mut heading = format!("Incident {}: {}", incident.id, incident.kind.word());
        if let Some(name) = incident.process.as_ref().and_then(|process| process.name.as_deref()) {
            heading.push_str(&format!(" of {name}"));
        }
        if let Some(time) = incident.time {
            heading.push_str(&format!(", {time:.0}"));
        }
        page.part(&heading)?;
        let set_aside =
            |trace: &&Trace| matches!(answer.outcome(trace, rules), Outcome::Suppressed | Outcome::Disabled);
        let of = |truth: Truth| answer.traces.iter().filter(move |trace| trace.condition == truth);
        let judging = |truth: Truth| of(truth).filter(|trace| !set_aside(trace));
        let limit = if answer.one_rule { usize::MAX } else { page.limit(SHOWN) };
        for trace in judging(Truth::True) {
            rule(trace, rules, answer, page)?;
        }
        // Of those that somebody set aside, the ones that would match are of interest.
        for trace in answer.traces.iter().filter(set_aside) {
            if limit == usize::MAX || trace.condition == Truth::True {
                rule(trace, rules, answer, page)?;
            }
        }
        for trace in judging(Truth::Undecided).take(limit) {
            rule(trace, rules, answer, page)?;
        }
        // Of the others those are of interest that hold in part.
        let near = |trace: &&Trace| limit == usize::MAX || trace.holding() > 0;
        for trace in judging(Truth::False).filter(near).take(limit) {
            rule(trace, rules, answer, page)?;
        }
        if !answer.one_rule {
            let counts = [Truth::True, Truth::Undecided, Truth::False].map(|truth| judging(truth).count());
            let [matched, undecided, ruled_out] = counts;
            let aside = match answer.traces.iter().filter(set_aside).count() {
                0 => String::new(),
                aside => format!(", {aside} are set aside"),
            };
            page.blank()?;
            page.paragraph(
                0,
                &format!(
                    "{matched} rules match, {undecided} lack facts, {ruled_out} are ruled out{aside}. -v shows all of them."
                ),
            )?;
        }
    }
    Ok(())
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
            page.bullet(&format!("overridden {} ({})", change.says(), change.keys.join(", ")))?;
        }
        if let Some(change) = rule.disabled() {
            page.bullet(&format!("it judges nothing: disabled {}", change.says()))?;
        }
    }
    if let Some(suppressed) = answer.suppressed.get(&trace.rule) {
        page.bullet(&format!("its finding is suppressed {}", suppressed.says()))?;
    }
    if let Some(ended) = answer.shown_again.get(&trace.rule) {
        page.bullet(&format!("its finding is shown again: it was suppressed {}", ended.says()))?;
    }
    for decided in trace.deciding_terms() {
        term(decided, page)?;
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

/// A term with its answer. A long one stands below its answer, as the rule's file has it.
fn term(trace: &TermTrace, page: &mut Page<'_>) -> io::Result<()> {
    if trace.written.chars().count() <= LONG_TERM {
        return page.bullet(&format!("{}.", trace.sentence()));
    }
    page.bullet(&format!("line {} {}:", trace.line, trace.answer()))?;
    for line in &trace.lines {
        let text = line.trim_start();
        page.entry(6_usize.saturating_add(line.len().saturating_sub(text.len())), text)?;
    }
    Ok(())
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
