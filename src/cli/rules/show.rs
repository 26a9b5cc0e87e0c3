//! `crashsift rules show`: rules in full.

use std::io;

use minijinja::context;
use minijinja::value::Value;

use super::shape::{ShapedRules, WholeRule, printed};
use super::{Exit, Format, Output, SourceArgs, Unknown, template, unknown};
use report::json::write_indented;
use rules::{Rule, RuleSet, closest};
use sigma::{RuleEntry, SigmaRules};

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
            let chosen: Value = chosen.into_iter().map(|rule| whole(rules, rule)).collect();
            let sigma: Value = of_sigma.into_iter().map(whole_of_sigma).collect();
            template::write(include_str!("show.txt"), context! { rules => chosen, sigma }, output)?;
        }
        Format::Json => {
            let all = chosen.into_iter().map(|rule| WholeRule::of(rules, rule)).collect();
            let sigma = sigma.is_some().then_some(of_sigma);
            write_indented(&ShapedRules::with(all, sigma), output.out)?;
        }
    }
    Ok(Exit::Success)
}

/// The head of a Sigma rule, and whether the rule is loaded.
fn whole_of_sigma(rule: &RuleEntry<'_>) -> Value {
    context! {
        id => rule.id.unwrap_or_default(),
        title => rule.title.unwrap_or("(without title)"),
        level => rule.level,
        tags => rule.tags,
        place => format!("{}:{}", rule.file, rule.line),
        loaded => rule.reason.as_ref().map_or_else(|| "yes".to_owned(), |why| format!("no: {why}")),
    }
}

/// The id that was probably meant: also that of a rule with this name in another area.
fn close_to<'r>(rules: &'r RuleSet, id: &str) -> Option<&'r str> {
    let ids = || rules.rules().iter().map(Rule::id);
    let names = || ids().filter_map(|id| id.split_once('/').map(|(_, name)| name));
    let name = names().find(|name| *name == id).or_else(|| closest(id, names()).filter(|_| !id.contains('/')));
    let of_name = name.and_then(|name| ids().find(|id| id.split_once('/').is_some_and(|(_, known)| known == name)));
    of_name.or_else(|| closest(id, ids()))
}

/// A rule in full, with the changes of other rule sets to it.
fn whole(rules: &RuleSet, rule: &Rule) -> Value {
    let place = |file: &str, line: u32| format!("{file}:{line}");
    let set = rules
        .set_of(rule)
        .map(|set| ("Rule set  ", format!("{} {}, {}", set.name, set.version, place(rule.file(), rule.line()))));
    let overridden = rule.overrides().iter().map(|change| {
        let keys = change.keys.join(", ");
        ("Overridden", format!("{} ({keys}), {}", change.description(), place(&change.file, change.line)))
    });
    let disabled = rule
        .disabled()
        .map(|change| ("Disabled  ", format!("{}, {}", change.description(), place(&change.file, change.line))));
    let suppressed = rules.suppressions_of(rule.id()).map(|(suppressed, limited)| {
        let limited = if limited { " (not everywhere: under a condition, or on some computers)" } else { "" };
        ("Suppressed", format!("{}{limited}", suppressed.description()))
    });
    context! {
        means => rules.causes().get(rule.cause()).map_or("", |cause| cause.means.as_str()),
        origin => set.into_iter().chain(overridden).chain(disabled).chain(suppressed).collect::<Value>(),
        tests => rule.test_count(),
        explanation => rule.explanation(),
        steps => rule.remediation().map(|step| (step.audience.word(), step.with_details())).collect::<Value>(),
        ..printed(rule)
    }
}
