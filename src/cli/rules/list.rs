//! `crashsift rules list`: lists rules, one a line.

use std::io;

use super::shape::{ShapedRule, ShapedRules};
use super::{Exit, Format, Output, SourceArgs, Table, Unknown, unknown};
use crate::cli::stream;
use facts::schema::{LISTS, SCALARS};
use report::json::write_indented;
use rules::{Rule, RuleSet, Severity, closest};
use sigma::{RuleEntry, SigmaRules};

/// Arguments of `rules list`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ListArgs {
    /// Only rules that have all of these words in id, title, cause, explanation or remedies
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Only rules that name this cause
    #[arg(long, value_name = "CAUSE")]
    pub cause: Option<String>,
    /// Only rules that name a cause of this family
    #[arg(long, value_name = "FAMILY")]
    pub family: Option<String>,
    /// Only rules of this area, the first part of their ids
    #[arg(long, value_name = "AREA")]
    pub area: Option<String>,
    /// Only rules of this severity: low, medium, high, critical
    #[arg(long, value_name = "SEVERITY")]
    pub severity: Option<String>,
    /// Only rules of this rule set, and those of others that its overlays change
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Only rules that ask for this fact or list
    #[arg(long, value_name = "FACT")]
    pub fact: Option<String>,
    /// The format
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    pub format: Format,
    /// Where the rules come from.
    #[command(flatten)]
    pub sources: SourceArgs,
}

/// Lists the rules that fit the arguments.
pub(super) fn run(
    rules: &RuleSet,
    sigma: Option<&SigmaRules>,
    args: &ListArgs,
    output: &mut Output<'_>,
) -> io::Result<Exit> {
    if let Some(name) = first_unknown(rules, args) {
        return Ok(unknown(name));
    }
    let wanted = |rule: &&Rule| is_wanted(rules, rule, args);
    let chosen = rules.rules().iter().filter(wanted);
    let mut sigma_rules = sigma.map(SigmaRules::entries);
    if let Some(listed) = &mut sigma_rules {
        listed.retain(|listed| is_wanted_of_sigma(listed, args));
    }
    match args.format {
        Format::Text => {
            let mut table = Table::new(["ID", "CAUSE", "CONFIDENCE", "RULE SET", "TITLE"]);
            for rule in chosen {
                let confidence = format!("{:.2}", rule.confidence());
                let (id, cause, title) = (rule.id().to_owned(), rule.cause().to_owned(), rule.title().into_owned());
                table.row([id, cause, confidence, origin(rules, rule), title]);
            }
            let mut of_sigma = Table::new(["SIGMA RULE", "LEVEL", "TITLE", "FILE", "LOADED"]);
            for listed in sigma_rules.iter().flatten() {
                let loaded = listed.reason.as_ref().map_or_else(|| "yes".to_owned(), |why| format!("no: {why}"));
                let [id, level, title] =
                    [listed.id, listed.level, listed.title].map(|value| value.unwrap_or("-").to_owned());
                of_sigma.row([id, level, title, format!("{}:{}", listed.file, listed.line), loaded]);
            }
            if !of_sigma.is_empty() {
                if !table.is_empty() {
                    table.print(output)?;
                    writeln!(output.out)?;
                }
                of_sigma.print(output)?;
            } else if table.is_empty() {
                let of = if rules.rules().is_empty() { "there are no rules" } else { "no rule is like that" };
                stream::note(of);
            } else {
                table.print(output)?;
            }
        }
        Format::Json => {
            let rules = chosen.map(|rule| ShapedRule::of(rules, rule)).collect();
            let sigma = sigma_rules.as_deref().map(|listed| listed.iter().collect());
            write_indented(&ShapedRules::with(rules, sigma), output.out)?;
        }
    }
    Ok(Exit::Success)
}

/// The rule set of a rule, and the sets that changed it: `builtin, overridden by site`. `rules show` prints the
/// reasons.
fn origin(rules: &RuleSet, rule: &Rule) -> String {
    let mut origin = rules.set_of(rule).map_or_else(String::new, |set| set.name.clone());
    for change in rule.overrides() {
        origin.push_str(&format!(", overridden by {}", change.by));
    }
    if let Some(change) = rule.disabled() {
        origin.push_str(&format!(", disabled by {}", change.by));
    }
    for (suppressed, _) in rules.suppressions_of(rule.id()) {
        origin.push_str(&format!(", suppressed by {}", suppressed.by));
    }
    origin
}

/// The first name of the command line that does not exist.
fn first_unknown<'a>(rules: &'a RuleSet, args: &'a ListArgs) -> Option<Unknown<'a>> {
    let causes = || rules.causes().iter().map(|cause| cause.id.as_str()).collect();
    let families = || rules.causes().families().map(|family| family.id.as_str()).collect();
    let areas = || rules.rules().iter().map(Rule::area).collect();
    let severities = || Severity::ALL.map(Severity::word).to_vec();
    let sets = || rules.set_names().collect();
    let facts = || SCALARS.iter().map(|fact| fact.path).chain(LISTS.iter().map(|list| list.name)).collect();
    let in_causes = "`crashsift rules causes` prints all, with what they mean";
    let in_ids = "`crashsift rules list` prints all, as the first parts of ids";
    let in_list = "`crashsift rules list` prints all, `--rules` adds yours";
    let in_facts = "`crashsift rules facts` prints all, with what they mean";
    let names: [(_, _, _, &dyn Fn() -> Vec<&'a str>); 6] = [
        ("cause", in_causes, &args.cause, &causes),
        ("family", in_causes, &args.family, &families),
        ("area", in_ids, &args.area, &areas),
        ("severity", "one is low, medium, high or critical", &args.severity, &severities),
        ("rule set", in_list, &args.set, &sets),
        ("fact", in_facts, &args.fact, &facts),
    ];
    names.into_iter().find_map(|(what, see, name, known)| {
        let (name, known) = (name.as_deref()?, known());
        (!known.contains(&name)).then(|| Unknown { what, name, close: closest(name, known), see })
    })
}

fn is_wanted(rules: &RuleSet, rule: &Rule, args: &ListArgs) -> bool {
    let family = || rules.causes().get(rule.cause()).map(|cause| cause.family.as_str());
    let is_of = |set: &str| {
        let changes = rule.overrides().iter().chain(rule.disabled());
        rules.set_of(rule).is_some_and(|own| own.name == set)
            || changes.into_iter().any(|change| change.by == set)
            || rules.suppressions_of(rule.id()).any(|(suppressed, _)| suppressed.by == set)
    };
    args.cause.as_deref().is_none_or(|cause| rule.cause() == cause)
        && args.family.as_deref().is_none_or(|wanted| family() == Some(wanted))
        && args.area.as_deref().is_none_or(|area| rule.area() == area)
        && args.severity.as_deref().is_none_or(|severity| rule.severity().word() == severity)
        && args.set.as_deref().is_none_or(is_of)
        && args.fact.as_deref().is_none_or(|fact| rule.facts_asked().contains(fact))
        && has_words(rule, &args.text)
}

/// Whether a Sigma rule fits the arguments. It has no cause and is in no rule set.
fn is_wanted_of_sigma(listed: &RuleEntry<'_>, args: &ListArgs) -> bool {
    let of_own = [&args.cause, &args.family, &args.area, &args.severity, &args.set, &args.fact];
    let text = [listed.id, listed.title].map(Option::unwrap_or_default).join("\n").to_lowercase();
    of_own.into_iter().all(Option::is_none) && args.text.iter().all(|word| text.contains(&word.to_lowercase()))
}

fn has_words(rule: &Rule, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut text = [rule.id(), &*rule.title(), rule.cause(), rule.explanation()].join("\n");
    for step in rule.remediation() {
        text.push('\n');
        text.push_str(&step.text);
    }
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}
