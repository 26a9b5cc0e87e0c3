//! `crashsift why`: how rules came to their answers. Of an incident, what every rule made of it; of a rule, what it made
//! of every incident.

use std::io;
use std::path::PathBuf;

use clap::ArgAction;
use serde::Serialize;

use super::color::Color;
use super::output::{self, Format, Look};
use super::reporting::usage;
use super::{Exit, load_rules, open_symbols, print_symbol_notes, sigma, stream};
use crate::facts::FactSet;
use crate::incident::Incident;
use crate::knowledge::Knowledge;
use crate::report::json::write_indented;
use crate::report::text::page::{CAREFUL, PLAIN, Page, SURE};
use crate::rules::{ConfidenceTrace, RuleSet, TermTrace, Trace, Truth};
use crate::{Options, Silent, inspect};

/// Rules that can't be decided, and rules that nearly hold, that are shown of an incident.
const SHOWN: usize = 5;
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
    /// Whether one rule was asked for.
    one_rule: bool,
}

fn answers<'i>(what: &str, rules: &RuleSet, incidents: &'i [(Incident, FactSet)]) -> Result<Vec<Answer<'i>>, String> {
    if rules.rule(what).is_some() {
        let of = |(incident, facts): &'i (Incident, FactSet)| Answer {
            incident,
            traces: rules.trace(what, facts).into_iter().collect(),
            one_rule: true,
        };
        return Ok(incidents.iter().map(of).collect());
    }
    if what.contains('/') {
        return Err(format!("there is no rule {what}; `crashsift rules list` shows all"));
    }
    let exact = incidents.iter().find(|(incident, _)| incident.id == what);
    let mut fitting =
        incidents.iter().filter(|(incident, _)| what.len() >= SHORTEST_ID && incident.id.starts_with(what));
    match (exact, fitting.next(), fitting.next()) {
        (Some((incident, facts)), ..) | (None, Some((incident, facts)), None) => {
            Ok(vec![Answer { incident, traces: rules.traces(facts), one_rule: false }])
        }
        (None, Some(_), Some(_)) => Err(format!("several incidents have ids that begin with {what}")),
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
        let of = |truth: Truth| answer.traces.iter().filter(move |trace| trace.condition == truth);
        let limit = if answer.one_rule { usize::MAX } else { page.limit(SHOWN) };
        for trace in of(Truth::True) {
            rule(trace, rules, page)?;
        }
        for trace in of(Truth::Undecided).take(limit) {
            rule(trace, rules, page)?;
        }
        // Of the others those are of interest that hold in part.
        let near = |trace: &&Trace| limit == usize::MAX || trace.holding() > 0;
        for trace in of(Truth::False).filter(near).take(limit) {
            rule(trace, rules, page)?;
        }
        if !answer.one_rule {
            let counts = [Truth::True, Truth::Undecided, Truth::False].map(|truth| of(truth).count());
            let [matched, undecided, ruled_out] = counts;
            page.blank()?;
            page.paragraph(
                0,
                &format!(
                    "{matched} rules match, {undecided} lack facts, {ruled_out} are ruled out. -v shows all of them."
                ),
            )?;
        }
    }
    Ok(())
}

fn rule(trace: &Trace, rules: &RuleSet, page: &mut Page<'_>) -> io::Result<()> {
    let (word, style) = match trace.condition {
        Truth::True => ("matches", SURE),
        Truth::Undecided => ("lacks facts", CAREFUL),
        Truth::False => ("ruled out", PLAIN),
    };
    let known = rules.rule(&trace.rule);
    let cause = known.map_or("", |rule| rule.cause());
    let sure = trace.confidence.as_ref().map_or_else(String::new, |sure| format!(" {:.2}", sure.confidence));
    page.blank()?;
    page.marked(style, "  ", &format!("{} {word}: {cause}{sure}", trace.rule))?;
    if let Some(rule) = known {
        page.paragraph(4, &format!("{}, line {}", rule.file(), rule.line()))?;
    }
    let shown: Vec<&TermTrace> = if page.verbose {
        trace.selections.iter().flat_map(|selection| &selection.terms).collect()
    } else {
        trace.deciding_terms().collect()
    };
    for term in shown {
        page.bullet(&format!("{}.", term.sentence()))?;
    }
    for missing in &trace.missing {
        page.bullet(&format!("`{}` would decide it: {} brings it.", missing.fact, missing.from))?;
    }
    trace.confidence.as_ref().map_or(Ok(()), |sure| confidence(sure, page))
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
        page.bullet(&format!("{:+.2}: `{}` {why}", adjustment.by, adjustment.when))?;
    }
    for cap in &sure.caps {
        page.bullet(&format!("at most 0.50: {cap}"))?;
    }
    Ok(())
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
    confidence: Option<ShapedConfidence<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<ShapedMissing>,
    selections: Vec<ShapedSelection<'a>>,
}

#[derive(Serialize)]
struct ShapedConfidence<'a> {
    first: f64,
    adjustments: Vec<ShapedAdjustment<'a>>,
    caps: &'a [&'static str],
    confidence: f64,
}

#[derive(Serialize)]
struct ShapedAdjustment<'a> {
    when: &'a str,
    by: f64,
    holds: &'static str,
    counts: bool,
}

#[derive(Serialize)]
struct ShapedMissing {
    fact: &'static str,
    from: &'static str,
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

fn shape<'a>(answers: &'a [Answer<'_>], rules: &'a RuleSet) -> Vec<ShapedIncident<'a>> {
    let of_rule = |trace: &'a Trace| {
        let rule = rules.rule(&trace.rule);
        ShapedRule {
            rule: &trace.rule,
            cause: rule.map_or("", |rule| rule.cause()),
            file: rule.map_or("", |rule| rule.file()),
            line: rule.map_or(0, |rule| rule.line()),
            outcome: match trace.condition {
                Truth::True => "match",
                Truth::False => "no-match",
                Truth::Undecided => "skipped",
            },
            confidence: trace.confidence.as_ref().map(|sure| ShapedConfidence {
                first: sure.first,
                adjustments: sure
                    .adjustments
                    .iter()
                    .map(|one| ShapedAdjustment {
                        when: &one.when,
                        by: one.by,
                        holds: word(one.holds),
                        counts: one.counts,
                    })
                    .collect(),
                caps: &sure.caps,
                confidence: sure.confidence,
            }),
            missing: trace
                .missing
                .iter()
                .map(|missing| ShapedMissing { fact: missing.fact, from: missing.from })
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
        rules: answer.traces.iter().map(of_rule).collect(),
    };
    answers.iter().map(of_incident).collect()
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
