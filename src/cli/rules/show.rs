//! `crashsift rules show`: rules in full.

use std::io::{self, Write};

use anstyle::Style;

use super::shape::{ShapedRules, WholeRule};
use super::{Exit, Format, Output, SourceArgs, Unknown, unknown};
use report::json::write_indented;
use rules::{Rule, RuleSet, closest};
use sigma::{RuleEntry, SigmaRules};
use untrusted::sanitise;

/// Arguments of `rules show`.
#[derive(Debug, Clone, clap::Args)]
pub struct ShowArgs {
    /// Ids of rules, such as memory/stack-overflow
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// The format
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    pub format: Format,
    /// Where the rules come from.
    #[command(flatten)]
    pub sources: SourceArgs,
}

/// Shows the rules with the ids of the command line.
pub(super) fn run(
    rules: &RuleSet,
    sigma: Option<&SigmaRules>,
    args: &ShowArgs,
    output: &mut Output<'_>,
) -> io::Result<Exit> {
    let listed = sigma.map(SigmaRules::entries);
    let (mut chosen, mut of_sigma) = (Vec::new(), Vec::new());
    for id in &args.ids {
        let is_it = |listed: &&RuleEntry<'_>| listed.id.is_some_and(|known| known.eq_ignore_ascii_case(id));
        let of_this: Vec<&RuleEntry<'_>> = listed.iter().flatten().filter(is_it).collect();
        match rules.rule(id) {
            Some(rule) => chosen.push(rule),
            None if !of_this.is_empty() => of_sigma.extend(of_this),
            None => {
                let close = close_to(rules, id);
                let see = "`crashsift rules list` prints all, `--rules` adds yours";
                return Ok(unknown(Unknown { what: "rule", name: id, close, see }));
            }
        }
    }
    match args.format {
        Format::Text => {
            let mut between = false;
            for rule in chosen {
                divide(&mut between, output)?;
                text(rules, rule, output)?;
            }
            for rule in of_sigma {
                divide(&mut between, output)?;
                sigma_text(rule, output)?;
            }
        }
        Format::Json => {
            let all = chosen.into_iter().map(|rule| WholeRule::of(rules, rule)).collect();
            let sigma = sigma.is_some().then_some(of_sigma);
            write_indented(&ShapedRules::with(all, sigma), output.out)?;
        }
    }
    Ok(Exit::Success)
}

/// Puts a line between rules.
fn divide(between: &mut bool, output: &mut Output<'_>) -> io::Result<()> {
    if std::mem::replace(between, true) { writeln!(output.out, "\n----\n") } else { Ok(()) }
}

/// Prints the head of a Sigma rule, and whether the rule is loaded.
fn sigma_text(rule: &RuleEntry<'_>, output: &mut Output<'_>) -> io::Result<()> {
    let heading = output.style(Style::new().bold());
    let out = &mut *output.out;
    let place = format!("{}:{}", rule.file, rule.line);
    let loaded = rule.reason.as_ref().map_or_else(|| "yes".to_owned(), |why| format!("no: {why}"));
    writeln!(out, "{heading}{}{heading:#}", sanitise(rule.id.unwrap_or_default()))?;
    writeln!(out, "{}\n", sanitise(rule.title.unwrap_or("(without title)")))?;
    for (what, value) in
        [("Level", rule.level.unwrap_or_default()), ("Tags", rule.tags), ("File", &place), ("Loaded", &loaded)]
    {
        if !value.is_empty() {
            writeln!(out, "{what:<10}  {}", sanitise(value))?;
        }
    }
    Ok(())
}

/// The id that was probably meant: also that of a rule with this name in another area.
fn close_to<'r>(rules: &'r RuleSet, id: &str) -> Option<&'r str> {
    let ids = || rules.rules().iter().map(Rule::id);
    let names = || ids().filter_map(|id| id.split_once('/').map(|(_, name)| name));
    let name = names().find(|name| *name == id).or_else(|| closest(id, names()).filter(|_| !id.contains('/')));
    let of_name = name.and_then(|name| ids().find(|id| id.split_once('/').is_some_and(|(_, known)| known == name)));
    of_name.or_else(|| closest(id, ids()))
}

fn text(rules: &RuleSet, rule: &Rule, output: &mut Output<'_>) -> io::Result<()> {
    let heading = output.style(Style::new().bold());
    let out = &mut *output.out;
    writeln!(out, "{heading}{}{heading:#}", sanitise(rule.id()))?;
    writeln!(out, "{}\n", sanitise(rule.title()))?;
    let means = rules.causes().get(rule.cause()).map_or("", |cause| cause.means.as_str());
    writeln!(out, "Cause       {}: {}", sanitise(rule.cause()), sanitise(means))?;
    writeln!(out, "Confidence  {:.2}", rule.confidence())?;
    writeln!(out, "Severity    {}", rule.severity().word())?;
    origin(rules, rule, out)?;
    writeln!(out, "Tests       {}", rule.test_count())?;
    for (what, names) in [
        ("Requires", rule.requires().collect::<Vec<_>>().join(", ")),
        ("Supersedes", rule.supersedes().collect::<Vec<_>>().join(", ")),
    ] {
        if !names.is_empty() {
            writeln!(out, "{what:<10}  {}", sanitise(&names))?;
        }
    }
    writeln!(out, "\n{heading}When{heading:#}")?;
    indented(out, &rule.logic_written())?;
    if !rule.adjustments().is_empty() {
        writeln!(out, "\n{heading}Surer or less sure{heading:#}")?;
        for (effect, when, say) in rule.adjustments() {
            writeln!(out, "  {effect} when {}", sanitise(&format!("{when}: {say}")))?;
        }
    }
    writeln!(out, "\n{heading}Why{heading:#}")?;
    indented(out, rule.explanation())?;
    writeln!(out, "\n{heading}What to do{heading:#}")?;
    for (audience, text) in rule.remediation() {
        writeln!(out, "  {}: {}", audience.word(), sanitise(text))?;
    }
    let collect = rule.collect();
    if !collect.is_empty() {
        writeln!(out, "\n{heading}What would make it surer{heading:#}")?;
        bullets(out, &collect)?;
    }
    writeln!(out, "\n{heading}Where this is from{heading:#}")?;
    bullets(out, rule.references())
}

/// Prints the rule set of a rule, and the changes of other rule sets to it.
fn origin(rules: &RuleSet, rule: &Rule, out: &mut dyn Write) -> io::Result<()> {
    if let Some(set) = rules.set_of(rule) {
        let set = format!("{} {}, {}:{}", set.name, set.version, rule.file(), rule.line());
        writeln!(out, "Rule set    {}", sanitise(&set))?;
    }
    for change in rule.overrides() {
        let place = format!("{} ({}), {}:{}", change.says(), change.keys.join(", "), change.file, change.line);
        writeln!(out, "Overridden  {}", sanitise(&place))?;
    }
    if let Some(change) = rule.disabled() {
        let place = format!("{}, {}:{}", change.says(), change.file, change.line);
        writeln!(out, "Disabled    {}", sanitise(&place))?;
    }
    for (suppressed, limited) in rules.suppressions_of(rule.id()) {
        let limited = if limited { " (not everywhere: under a condition, or on some computers)" } else { "" };
        writeln!(out, "Suppressed  {}", sanitise(&format!("{}{limited}", suppressed.says())))?;
    }
    Ok(())
}

fn indented(out: &mut dyn Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| writeln!(out, "  {}", sanitise(line)))
}

fn bullets(out: &mut dyn Write, items: &[String]) -> io::Result<()> {
    items.iter().try_for_each(|item| writeln!(out, "  - {}", sanitise(item)))
}
