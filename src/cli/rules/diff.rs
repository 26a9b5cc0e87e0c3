//! `crashsift rules diff`: lists the incidents that get another verdict by other rules, for review before these are used.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::ArgAction;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::load::load_by;
use crate::cli::color::Color;
use crate::cli::lost::note_lost;
use crate::cli::output::{self, Format, Look, what_and_when};
use crate::cli::stream::usage;
use crate::cli::{Exit, reports, sigma, stream};
use pipeline::{Options, analyze_by_each};
use report::compare::{ChangedIncident, ChangedRule, FindingState, RuleSetComparison, compare_rule_sets};
use report::json::write_indented;
use report::model::Made;
use report::text::page::{CAREFUL, PLAIN, Page};
use report::{Judged, confidence};
use rules::RuleSet;

/// The name of the built-in rules alone on the command line.
const BUILTIN: &str = "builtin";

/// Arguments of `rules diff`.
#[derive(Debug, Clone, clap::Args)]
pub struct DiffArgs {
    /// The rules as they are: `builtin`, or a file or folder beside the built-in ones (a folder named builtin by its
    /// ruleset.yaml takes their place)
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The rules as they would be
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Files and folders with artifacts, and reports that `analyze --mergeable` has written
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// File or folder with rules or overlays that both sides have, loaded before OLD and NEW (repeatable). `sigma:PATH`
    /// is a file or folder of Sigma rules: what they match in event logs is evidence for both
    #[arg(short = 'r', long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// The format
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Every incident that changes, with every rule
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Colours in the text
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

/// Judges the incidents by both rule sets and prints the differences.
pub fn run(arguments: &DiffArgs) -> Result<Exit, Exit> {
    if [&arguments.old, &arguments.new].into_iter().any(|given| sigma::path(given).is_some()) {
        return Err(usage(
            "Sigma rules find no causes that could change; give them to both sides by --rules sigma:PATH",
        ));
    }
    let (both, sigma) = sigma::split(&arguments.rules);
    let (old, new) = (load(&both, &arguments.old)?, load(&both, &arguments.new)?);
    let (paths, before) = reports::split(&arguments.paths)?;
    let options = Options { before, sigma: sigma::load(&sigma, false)?, ..Options::default() };
    let [before, now] = analyze_by_each(&paths, [&old, &new], &options);
    note_lost(&arguments.paths, &now.artifacts, &mut stream::Notes::new(false));
    if before.incidents.is_empty() && now.incidents.is_empty() {
        stream::note("no incident was found there");
        return Ok(Exit::Nothing);
    }
    let compared = compare_rule_sets(&before, &now);
    let look = Look::of(arguments.format, arguments.color, arguments.verbose);
    Ok(output::deliver(None, look, |out, options| match arguments.format {
        Format::Text => text(&compared, Sides { old: &old, new: &new }, &mut Page::new(out, options)),
        Format::Json => write_indented(&Shape::of(&compared, Sides { old: &old, new: &new }), out),
    }))
}

/// The rules of one side: the built-in ones, those that both sides have, and its own.
fn load(both: &[PathBuf], path: &Path) -> Result<RuleSet, Exit> {
    let own = (path != Path::new(BUILTIN)).then(|| path.to_path_buf());
    let paths: Vec<PathBuf> = both.iter().cloned().chain(own).collect();
    // Standing rules are for analyses: what is compared is what the command names.
    load_by(|paths| RuleSet::load(true, paths), &paths, false)
}

/// The rules on both sides.
#[derive(Clone, Copy)]
struct Sides<'r> {
    old: &'r RuleSet,
    new: &'r RuleSet,
}

/// The rule set that disables the rule with this id.
fn disabling<'r>(rules: &'r RuleSet, id: &str) -> Option<&'r str> {
    rules.rule(id)?.disabled().map(|change| change.by.as_str())
}

/// The most changes that are listed without `-v`.
const MOST_LISTED: usize = 20;
/// More changes than this are also counted by verdict before and now.
const FEW: usize = 3;

fn text(compared: &RuleSetComparison<'_>, sides: Sides<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let RuleSetComparison { incidents, changed, findings_changed, gone, new } = compared;
    let sum = changed.len().saturating_add(gone.len()).saturating_add(new.len());
    page.part(&format!("{sum} of {incidents} {}.", if sum == 1 { "incidents changes" } else { "incidents change" }))?;
    if changed.len() > FEW {
        summary(changed, page)?;
    }
    let limit = page.limit(MOST_LISTED);
    for change in changed.iter().take(limit) {
        page.blank()?;
        let style = if change.cause_changed() { CAREFUL } else { PLAIN };
        page.marked(
            style,
            "  - ",
            &format!("{}: {} before, {} now", named(change.now), verdict(change.before), verdict(change.now)),
        )?;
        if change.suspect_changed() {
            let module = |judged| suspect(judged).unwrap_or("none");
            page.paragraph(4, &format!("suspect {} before, {} now", module(change.before), module(change.now)))?;
        }
        if change.signature_changed() {
            page.paragraph(4, &format!("signature {} before", change.before.incident.signature.fine))?;
            page.paragraph(4, &format!("signature {} now", change.now.incident.signature.fine))?;
        }
        change.rules().iter().try_for_each(|rule| page.paragraph(4, &sentence(rule, sides)))?;
    }
    page.more_to_list(changed.len(), limit)?;
    for (word, list) in [("no longer an incident", gone), ("an incident only now", new)] {
        for judged in list.iter().take(limit) {
            page.bullet(&format!("{}: {word}", named(judged)))?;
        }
    }
    if findings_changed.is_empty() {
        return Ok(());
    }
    page.part(&match findings_changed.len() {
        1 => "1 more keeps its verdict, and has other findings beside it.".to_owned(),
        count => format!("{count} more keep their verdicts, and have other findings beside them."),
    })?;
    for change in findings_changed.iter().take(limit) {
        page.blank()?;
        page.marked(PLAIN, "  - ", &format!("{}: {}", named(change.now), verdict(change.now)))?;
        change.rules().iter().try_for_each(|rule| page.paragraph(4, &sentence(rule, sides)))?;
    }
    page.more_to_list(findings_changed.len(), limit)
}

/// Prints the number of changes by verdict before and now, the most frequent first.
fn summary(changed: &[ChangedIncident<'_>], page: &mut Page<'_>) -> io::Result<()> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for change in changed {
        let count = counts.entry((&change.before.verdict.cause, &change.now.verdict.cause)).or_default();
        *count = count.saturating_add(1);
    }
    let mut counts: Vec<((&str, &str), usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    for ((before, now), count) in counts {
        let becomes = if before == now { "stays, otherwise judged".to_owned() } else { format!("becomes {now}") };
        page.paragraph(4, &format!("{count:>3}  {before} {becomes}"))?;
    }
    Ok(())
}

/// A sentence about the change of a rule's finding.
fn sentence(change: &ChangedRule<'_>, sides: Sides<'_>) -> String {
    let rule = change.rule;
    let (before, now) = match (change.before, change.now) {
        (Some(before), Some(now)) => (before, now),
        (Some(before), None) => {
            let gone = match disabling(sides.new, rule) {
                Some(set) => format!("is disabled by {set} now"),
                None if sides.new.rule(rule).is_none() => "is no longer there".to_owned(),
                None => "matches no longer".to_owned(),
            };
            return format!("{rule} {gone}: {:.2}", before.confidence);
        }
        (None, Some(now)) => {
            let came = match disabling(sides.old, rule) {
                Some(set) => format!("is no longer disabled by {set}, and matches"),
                None if sides.old.rule(rule).is_none() => "is new and matches".to_owned(),
                None => "matches now".to_owned(),
            };
            return format!("{rule} {came}{}: {:.2}", aside(now), now.confidence);
        }
        (None, None) => return rule.to_owned(),
    };
    let sure = if before.confidence.total_cmp(&now.confidence).is_eq() {
        format!("{:.2}", now.confidence)
    } else {
        format!("{:.2} before, {:.2} now", before.confidence, now.confidence)
    };
    match (aside(before), aside(now)) {
        (was, is) if was == is => format!("{rule}: {sure}"),
        (was, is) if is.is_empty() => {
            format!("{rule} stands now: {sure}; before, it was{}", was.trim_start_matches(','))
        }
        (_, is) => format!("{rule} is{} now: {sure}", is.trim_start_matches(',')),
    }
}

/// The reason why a finding does not count, in words that follow "it matches".
fn aside(standing: FindingState<'_>) -> String {
    match (standing.suppressed_by, standing.superseded_by) {
        (Some(set), _) => format!(", suppressed by {set}"),
        (None, Some(rule)) => format!(", superseded by {rule}"),
        (None, None) => String::new(),
    }
}

/// An incident's id, kind, program and time.
fn named(judged: &Judged) -> String {
    format!("{} ({})", judged.incident.id, what_and_when(&judged.incident))
}

/// The suspected module.
fn suspect(judged: &Judged) -> Option<&str> {
    judged.incident.suspect.as_ref().map(|suspect| &*suspect.module)
}

fn verdict(judged: &Judged) -> String {
    let verdict = &judged.verdict;
    if verdict.is_undetermined() {
        return "undetermined".to_owned();
    }
    format!("{} {:.2}", verdict.cause, confidence::rounded(verdict.confidence))
}

#[derive(Serialize)]
struct Shape<'a> {
    #[serde(flatten)]
    made: Made,
    incidents: usize,
    changed: Vec<ShapedChange<'a>>,
    findings_changed: Vec<ShapedChange<'a>>,
    gone: Vec<&'a str>,
    new: Vec<&'a str>,
}

#[derive(Serialize)]
struct ShapedChange<'a> {
    incident: &'a str,
    before: ShapedVerdict<'a>,
    now: ShapedVerdict<'a>,
    rules: Vec<ShapedRule<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct ShapedVerdict<'a> {
    cause: &'a str,
    confidence: f64,
    suspect: Option<&'a str>,
    signature: &'a str,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct ShapedRule<'a> {
    rule: &'a str,
    before: Option<f64>,
    now: Option<f64>,
    was_suppressed_by: Option<&'a str>,
    suppressed_by: Option<&'a str>,
    was_disabled_by: Option<&'a str>,
    disabled_by: Option<&'a str>,
    was_superseded_by: Option<&'a str>,
    superseded_by: Option<&'a str>,
}

impl<'a> ShapedRule<'a> {
    fn of(change: &ChangedRule<'a>, sides: Sides<'a>) -> Self {
        // Reports list suppressed findings separately.
        let sure = |standing: Option<FindingState<'a>>| {
            standing.filter(|standing| standing.suppressed_by.is_none()).map(|standing| standing.confidence)
        };
        let ChangedRule { rule, before, now } = *change;
        Self {
            rule,
            before: sure(before),
            now: sure(now),
            was_suppressed_by: before.and_then(|standing| standing.suppressed_by),
            suppressed_by: now.and_then(|standing| standing.suppressed_by),
            was_disabled_by: disabling(sides.old, rule),
            disabled_by: disabling(sides.new, rule),
            was_superseded_by: before.and_then(|standing| standing.superseded_by),
            superseded_by: now.and_then(|standing| standing.superseded_by),
        }
    }
}

impl<'a> Shape<'a> {
    fn of(compared: &'a RuleSetComparison<'a>, sides: Sides<'a>) -> Self {
        let ids = |list: &'a [&Judged]| list.iter().map(|judged| judged.incident.id.as_str()).collect();
        Self {
            made: Made::NOW,
            incidents: compared.incidents,
            changed: compared.changed.iter().map(|change| ShapedChange::of(change, sides)).collect(),
            findings_changed: compared.findings_changed.iter().map(|change| ShapedChange::of(change, sides)).collect(),
            gone: ids(&compared.gone),
            new: ids(&compared.new),
        }
    }
}

impl<'a> ShapedChange<'a> {
    fn of(change: &'a ChangedIncident<'a>, sides: Sides<'a>) -> Self {
        let verdict = |judged: &'a Judged| ShapedVerdict {
            cause: &judged.verdict.cause,
            confidence: confidence::rounded(judged.verdict.confidence),
            suspect: suspect(judged),
            signature: &judged.incident.signature.fine,
        };
        Self {
            incident: &change.now.incident.id,
            before: verdict(change.before),
            now: verdict(change.now),
            rules: change.rules().iter().map(|rule| ShapedRule::of(rule, sides)).collect(),
        }
    }
}
