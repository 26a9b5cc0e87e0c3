//! `crashsift why`: explains the outcome of every rule for an incident, or of one rule for every incident.

mod shape;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ArgAction;

use self::shape::shape;
use self::text::text;
use super::color::Color;
use super::id_prefix::{self, Named};
use super::judging::Judging;
use super::lost::note_lost;
use super::output::{self, Format, Look};
use super::stream::usage;
use super::{Exit, redaction, stream, symbols};
use facts::FactSet;
use incident::{Incident, IncidentKind};
use pipeline::inspect;
use report::inspected::Inspected;
use report::json::write_indented;
use report::text::page::Page;
use rules::{Occasion, Outcome, RuleSet, Ruling, SuppressedBy, Trace, Truth, closest};

/// The most undecided rules, and the most nearly matching ones, that are shown of an incident without `-v`.
const SHOWN: usize = 5;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// An incident's id, or the beginning of it, or a rule's id (`cudnn/zlibwapi-delay-load`).
    #[arg(value_name = "INCIDENT|RULE")]
    what: String,

    /// Files and folders, as for `analyze`, and reports that `analyze --mergeable` has written.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The format.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    #[command(flatten)]
    judging: Judging,

    /// Every rule and every incident, with every term.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Colours in the text.
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let rules = arguments.judging.rules()?;
    if let Some(swapped) = swapped(arguments, &rules) {
        return Err(usage(swapped));
    }
    let (paths, options) = arguments.judging.options(&arguments.paths)?;
    let inspected = inspect(&paths, &rules, &options);
    redaction::save(options.redaction.as_ref())?;
    symbols::print_notes(options.symbols.as_deref());
    note_lost(&arguments.paths, &inspected.artifacts, &mut stream::Notes::new(false));
    if inspected.incidents.is_empty() {
        stream::note("no incident was found there");
        return Ok(Exit::Nothing);
    }
    let answers = answers(&arguments.what, &rules, &inspected).map_err(usage)?;
    let look = Look::of(arguments.format, arguments.color, arguments.verbose);
    Ok(output::deliver(None, look, |out, options| match arguments.format {
        Format::Text => text(&answers, &rules, &mut Page::new(out, options)),
        Format::Json => write_indented(&shape(&answers, &rules), out),
    }))
}

/// The message where the rule comes after the artifacts on the command line.
fn swapped(arguments: &Arguments, rules: &RuleSet) -> Option<String> {
    let Arguments { what, paths, .. } = arguments;
    let [.., last] = paths.as_slice() else { return None };
    let rule = last.to_str().filter(|last| rules.rule(last).is_some() && !Path::new(last).exists())?;
    (rules.rule(what).is_none() && Path::new(what).exists())
        .then(|| format!("the rule stands before the artifacts: `crashsift why {rule} {what}`"))
}

/// The kinds of the artifacts with evidence of an incident, and the log with its records: the Application log has
/// those of processes, the System log those of the system.
fn given_kinds<'i>(incident: &Incident, inspected: &'i Inspected) -> Vec<&'i str> {
    let kinds = incident.evidence.iter().filter_map(|item| inspected.artifacts.get(item.artifact));
    let mut given: Vec<&str> = kinds.map(|artifact| &*artifact.kind).collect();
    if given.contains(&"event-log") {
        given.extend(match incident.kind {
            IncidentKind::Crash | IncidentKind::Hang => Some("application-log"),
            IncidentKind::Bugcheck | IncidentKind::GpuReset | IncidentKind::PowerLoss => Some("system-log"),
            // Either log can have their records.
            IncidentKind::StartFailure | IncidentKind::Exit => None,
        });
    }
    given
}

/// The traces of all rules over one incident, or that of the rule on the command line.
struct Answer<'i> {
    incident: &'i Incident,
    traces: Vec<Trace>,
    /// Rules whose findings are suppressed.
    suppressed: BTreeMap<String, SuppressedBy>,
    /// Rules whose findings are shown again, because the suppression ended.
    shown_again: BTreeMap<String, SuppressedBy>,
    /// Whether the command line names one rule.
    one_rule: bool,
}

impl<'i> Answer<'i> {
    fn new(
        (incident, facts): (&'i Incident, &FactSet),
        mut traces: Vec<Trace>,
        one_rule: bool,
        rules: &RuleSet,
        inspected: &Inspected,
    ) -> Self {
        let given = given_kinds(incident, inspected);
        traces.iter_mut().flat_map(|trace| &mut trace.missing).for_each(|missing| missing.leave_out(&given));
        let occasion = Occasion { host: incident.host.as_deref(), time: incident.time };
        let (mut suppressed, mut shown_again) = (BTreeMap::new(), BTreeMap::new());
        for Trace { rule, .. } in traces.iter().filter(|trace| trace.condition == Truth::True) {
            match rules.ruling(rule, facts, occasion) {
                Ruling::Suppressed(by) => drop(suppressed.insert(rule.clone(), by)),
                Ruling::ShownAgain(by) => drop(shown_again.insert(rule.clone(), by)),
                Ruling::Shown => {}
            }
        }
        Self { incident, traces, suppressed, shown_again, one_rule }
    }

    /// The outcome of a rule for the incident, after suppressions and overlays.
    fn outcome(&self, trace: &Trace, rules: &RuleSet) -> Outcome {
        let disabled = rules.rule(&trace.rule).is_some_and(|rule| rule.disabled().is_some());
        match trace.outcome() {
            _ if disabled => Outcome::Disabled,
            Outcome::Match | Outcome::Superseded if self.suppressed.contains_key(&trace.rule) => Outcome::Suppressed,
            outcome => outcome,
        }
    }
}

fn answers<'i>(what: &str, rules: &RuleSet, inspected: &'i Inspected) -> Result<Vec<Answer<'i>>, String> {
    if rules.rule(what).is_some() {
        return Ok(of_rule(what, rules, inspected));
    }
    let incidents = inspected.incidents.as_slice();
    if what.contains('/') {
        let meant = closest(what, rules.rules().iter().map(|rule| rule.id()));
        let meant = meant.map_or_else(|| ";".to_owned(), |meant| format!("; did you mean {meant}?"));
        return Err(format!("there is no rule {what}{meant} `crashsift rules list` shows all, `--rules` adds yours"));
    }
    match id_prefix::find(incidents, what, |(incident, _)| &incident.id) {
        Named::One((incident, facts)) => {
            Ok(vec![Answer::new((incident, facts), rules.traces(facts), false, rules, inspected)])
        }
        Named::Several => {
            let all = incidents.iter().map(|(incident, _)| incident.id.as_str()).filter(|id| id.starts_with(what));
            let all: Vec<&str> = all.take(SHOWN).collect();
            Err(format!("several incidents have ids that begin with {what}: {}", all.join(", ")))
        }
        Named::Nothing => {
            if let Some(meant) = meant(what, rules) {
                return Err(format!("there is neither an incident nor a rule {what}; {meant}"));
            }
            let some: Vec<&str> = incidents.iter().take(SHOWN).map(|(incident, _)| incident.id.as_str()).collect();
            Err(format!("there is neither an incident nor a rule {what}; incidents here: {}", some.join(", ")))
        }
    }
}

/// The traces of one rule over the incidents of the report; without any, over the texts that no rule matches.
fn of_rule<'i>(rule: &str, rules: &RuleSet, inspected: &'i Inspected) -> Vec<Answer<'i>> {
    let all = || inspected.incidents.iter();
    let mut shown: Vec<&(Incident, FactSet)> =
        all().filter(|(incident, facts)| inspected.is_reported(incident, facts, rules)).collect();
    if shown.is_empty() {
        shown = all().collect();
    }
    let of = |(incident, facts): &'i (Incident, FactSet)| {
        let traces = rules.trace(rule, facts).into_iter().collect();
        Answer::new((incident, facts), traces, true, rules, inspected)
    };
    shown.into_iter().map(of).collect()
}

/// A hint about a word that is neither the id of an incident nor that of a rule: the name of a rule without its area, or
/// a cause.
fn meant(what: &str, rules: &RuleSet) -> Option<String> {
    let name = |id: &str| id.split_once('/').is_some_and(|(_, name)| name == what);
    let named: Vec<&str> = rules.rules().iter().map(|rule| rule.id()).filter(|id| name(id)).take(SHOWN).collect();
    if !named.is_empty() {
        return Some(format!("did you mean {}?", named.join(", ")));
    }
    let cause = rules.causes().get(what).is_some();
    cause.then(|| format!("it is a cause, which `crashsift rules list --cause {what}` shows the rules of"))
}
