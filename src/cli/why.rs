//! `crashsift why`: how rules came to their answers. Of an incident, what every rule made of it; of a rule, what it made
//! of every incident.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use clap::ArgAction;
use serde::Serialize;

use super::color::Color;
use super::lost::note_lost;
use super::output::{self, Format, Look};
use super::reporting::usage;
use super::{Exit, load_rules, open_symbols, print_symbol_notes, sigma, stream};
use crate::facts::FactSet;
use crate::incident::Incident;
use crate::knowledge::Knowledge;
use crate::report::json::{Made, write_indented};
use crate::report::text::page::{CAREFUL, PLAIN, Page, SURE};
use crate::rules::{
    ConfidenceTrace, Effect, Occasion, Outcome, RuleSet, SuppressedBy, TermTrace, Trace, Truth, closest,
};
use crate::{Options, Silent, inspect};

/// Rules that can't be decided, and rules that nearly hold, that are shown of an incident.
const SHOWN: usize = 5;
/// Longer terms are not put into a sentence.
const LONG_TERM: usize = 60;
/// Fewer characters of an incident's id could be a rule's mistyped name.
const SHORTEST_ID: usize = 4;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// An incident's id, or the beginning of it, or a rule's id (`cudnn/zlibwapi-delay-load`).
    #[arg(value_name = "INCIDENT|RULE")]
    what: String,

    /// Files and folders, as for `analyze`.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The format.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Use the rules of this file or folder beside the built-in ones; can be given again. `sigma:PATH` is a file or folder
    /// of Sigma rules, whose matches rules can ask for.
    #[arg(short, long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// Leave out the built-in rules.
    #[arg(long)]
    no_builtin_rules: bool,

    /// As for `analyze`.
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,

    /// Every rule and every incident, with every term.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Colours in the text.
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

pub fn run(arguments: &Arguments) -> Exit {
    carry_out(arguments).unwrap_or_else(|exit| exit)
}

fn carry_out(arguments: &Arguments) -> Result<Exit, Exit> {
    let (own, sigma) = sigma::split(&arguments.rules);
    let rules = load_rules(!arguments.no_builtin_rules, &own, false)?;
    let sigma = sigma::load(&sigma, false)?;
    let knowledge = Knowledge::builtin();
    let options = Options { symbols: open_symbols(&arguments.symbols)?, sigma, ..Options::default() };
    let inspected = inspect(&arguments.paths, &rules, &knowledge, &options, &Silent);
    print_symbol_notes(options.symbols.as_deref());
    note_lost(&arguments.paths, &inspected.artifacts, &mut stream::Notes::new(false));
    if inspected.incidents.is_empty() {
        stream::note("no incident was found there");
        return Ok(Exit::Nothing);
    }
    let answers = answers(&arguments.what, &rules, &inspected.incidents).map_err(|message| usage(&message))?;
    let look = Look::of(arguments.format, arguments.color, arguments.verbose);
    Ok(output::deliver(None, look, |out, options| match arguments.format {
        Format::Text => text(&answers, &rules, &mut Page::new(out, options)),
        Format::Json => write_indented(&shape(&answers, &rules), out),
    }))
}

/// What rules made of one incident: of all rules, or of the one that was asked for.
struct Answer<'i> {
    incident: &'i Incident,
    traces: Vec<Trace>,
    /// Rules whose findings are suppressed.
    suppressed: BTreeMap<String, SuppressedBy>,
    /// Whether one rule was asked for.
    one_rule: bool,
}

impl<'i> Answer<'i> {
    fn new(incident: &'i Incident, facts: &FactSet, traces: Vec<Trace>, one_rule: bool, rules: &RuleSet) -> Self {
        let occasion = Occasion { host: incident.host.as_deref(), time: incident.time };
        let matching = traces.iter().filter(|trace| trace.condition == Truth::True);
        let suppressed = matching
            .filter_map(|trace| Some((trace.rule.clone(), rules.suppressed_by(&trace.rule, facts, occasion)?)))
            .collect();
        Self { incident, traces, suppressed, one_rule }
    }

    /// What a rule made of the incident, and what others make of the rule.
    fn outcome(&self, trace: &Trace, rules: &RuleSet) -> Outcome {
        let disabled = rules.rule(&trace.rule).is_some_and(|rule| rule.disabled().is_some());
        match trace.outcome() {
            _ if disabled => Outcome::Disabled,
            Outcome::Match | Outcome::Superseded if self.suppressed.contains_key(&trace.rule) => Outcome::Suppressed,
            outcome => outcome,
        }
    }
}

fn answers<'i>(what: &str, rules: &RuleSet, incidents: &'i [(Incident, FactSet)]) -> Result<Vec<Answer<'i>>, String> {
    if rules.rule(what).is_some() {
        let of = |(incident, facts): &'i (Incident, FactSet)| {
            Answer::new(incident, facts, rules.trace(what, facts).into_iter().collect(), true, rules)
        };
        return Ok(incidents.iter().map(of).collect());
    }
    if what.contains('/') {
        let meant = closest(what, rules.rules().iter().map(|rule| rule.id()));
        let meant = meant.map_or_else(|| ";".to_owned(), |meant| format!("; did you mean {meant}?"));
        return Err(format!("there is no rule {what}{meant} `crashsift rules list` shows all"));
    }
    let exact = incidents.iter().find(|(incident, _)| incident.id == what);
    let mut fitting =
        incidents.iter().filter(|(incident, _)| what.len() >= SHORTEST_ID && incident.id.starts_with(what));
    match (exact, fitting.next(), fitting.next()) {
        (Some((incident, facts)), ..) | (None, Some((incident, facts)), None) => {
            Ok(vec![Answer::new(incident, facts, rules.traces(facts), false, rules)])
        }
        (None, Some(_), Some(_)) => {
            let all = incidents.iter().map(|(incident, _)| incident.id.as_str()).filter(|id| id.starts_with(what));
            let all: Vec<&str> = all.take(SHOWN).collect();
            Err(format!("several incidents have ids that begin with {what}: {}", all.join(", ")))
        }
        (None, None, _) => {
            let some: Vec<&str> = incidents.iter().take(SHOWN).map(|(incident, _)| incident.id.as_str()).collect();
            Err(format!("there is neither an incident nor a rule {what}; incidents here: {}", some.join(", ")))
        }
    }
}

fn text(answers: &[Answer<'_>], rules: &RuleSet, page: &mut Page<'_>) -> io::Result<()> {
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

#[derive(Serialize)]
struct Shape<'a> {
    #[serde(flatten)]
    made: Made,
    incidents: Vec<ShapedIncident<'a>>,
}

#[derive(Serialize)]
struct ShapedIncident<'a> {
    incident: &'a str,
    kind: &'static str,
    rules: Vec<ShapedRule<'a>>,
}

#[derive(Serialize)]
struct ShapedRule<'a> {
    rule: &'a str,
    cause: &'a str,
    file: &'a str,
    line: u32,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<ShapedConfidence<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<ShapedMissing<'a>>,
    selections: Vec<ShapedSelection<'a>>,
}

#[derive(Serialize)]
struct ShapedConfidence<'a> {
    first: f64,
    adjustments: Vec<ShapedAdjustment<'a>>,
    caps: Vec<&'static str>,
    confidence: f64,
}

#[derive(Serialize)]
struct ShapedAdjustment<'a> {
    when: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<f64>,
    holds: &'static str,
    counts: bool,
}

#[derive(Serialize)]
struct ShapedMissing<'a> {
    fact: &'a str,
    from: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[derive(Serialize)]
struct ShapedSelection<'a> {
    name: &'a str,
    holds: &'static str,
    decisive: bool,
    terms: Vec<ShapedTerm<'a>>,
}

#[derive(Serialize)]
struct ShapedTerm<'a> {
    term: &'a str,
    line: u32,
    holds: &'static str,
    fact: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'a str>,
}

/// The word for an answer in JSON.
fn word(truth: Truth) -> &'static str {
    match truth {
        Truth::True => "yes",
        Truth::False => "no",
        Truth::Undecided => "undecided",
    }
}

fn shape<'a>(answers: &'a [Answer<'_>], rules: &'a RuleSet) -> Shape<'a> {
    let of_rule = |answer: &'a Answer<'_>, trace: &'a Trace| {
        let rule = rules.rule(&trace.rule);
        let disabled = rule.and_then(|rule| rule.disabled());
        let suppressed = answer.suppressed.get(&trace.rule);
        ShapedRule {
            rule: &trace.rule,
            cause: rule.map_or("", |rule| rule.cause()),
            file: rule.map_or("", |rule| rule.file()),
            line: rule.map_or(0, |rule| rule.line()),
            outcome: answer.outcome(trace, rules).word(),
            by: disabled.map(|change| &*change.by).or_else(|| suppressed.map(|suppressed| &*suppressed.by)),
            reason: disabled
                .and_then(|change| change.reason.as_deref())
                .or_else(|| suppressed.map(|suppressed| &*suppressed.reason)),
            superseded_by: trace.superseded_by.as_deref(),
            error: trace.error.as_deref(),
            confidence: trace.confidence.as_ref().map(|sure| ShapedConfidence {
                first: sure.first,
                adjustments: sure
                    .adjustments
                    .iter()
                    .map(|one| {
                        let (by, most) = match one.change {
                            Effect::By(by) => (Some(by), None),
                            Effect::Most(most) => (None, Some(most)),
                        };
                        ShapedAdjustment { when: &one.when, by, most, holds: word(one.holds), counts: one.counts }
                    })
                    .collect(),
                caps: sure.caps.iter().map(|(_, why)| *why).collect(),
                confidence: sure.confidence,
            }),
            missing: trace
                .missing
                .iter()
                .map(|missing| ShapedMissing { fact: &missing.fact, from: &missing.from, why: missing.why })
                .collect(),
            selections: trace
                .selections
                .iter()
                .enumerate()
                .map(|(index, selection)| ShapedSelection {
                    name: &selection.name,
                    holds: word(selection.holds),
                    decisive: trace.decisive.contains(&index),
                    terms: selection.terms.iter().map(of_term).collect(),
                })
                .collect(),
        }
    };
    let of_incident = |answer: &'a Answer<'_>| ShapedIncident {
        incident: &answer.incident.id,
        kind: answer.incident.kind.word(),
        rules: answer.traces.iter().map(|trace| of_rule(answer, trace)).collect(),
    };
    Shape { made: Made::NOW, incidents: answers.iter().map(of_incident).collect() }
}

fn of_term(term: &TermTrace) -> ShapedTerm<'_> {
    ShapedTerm {
        term: &term.written,
        line: term.line,
        holds: word(term.holds),
        fact: term.fact,
        found: term.found.as_deref(),
    }
}
