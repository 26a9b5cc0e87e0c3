//! The text of pages, in Markdown that all renderers support. The templates beside this file lay it out.

use std::fmt;

use minijinja::value::Value;
use minijinja::{Environment, Error, context};

use super::super::shape::printed;
use facts::{schema, write_facts};
use report::confidence::{Level, SYMPTOM};
use report::page::{environment, marked_up};
use rules::{Audience, Cause, Outcome, Remediation, Rule, RuleSet};
use untrusted::sanitise;

/// The first line of every page, by which pages are recognized.
pub(super) const MARK: &str = "<!-- Written by `crashsift rules pages`. To change this page, change the rule. -->\n";

/// The templates of all kinds of pages.
pub(super) struct Templates(Environment<'static>);

impl Templates {
    pub(super) fn new() -> Result<Self, Error> {
        let mut templates = environment(escape)?;
        templates.add_filter("code", |text: &str| marked_up(text, |text, out| out.write_str(&code(text))));
        // Its lines are sanitised one by one.
        templates.add_filter("fenced", |text: &str, language: &str| Value::from_safe_string(fenced(text, language)));
        templates.add_filter("reference", reference);
        templates.add_filter("capital", capital);
        templates.add_template("first", include_str!("first.md"))?;
        templates.add_template("cause", include_str!("cause.md"))?;
        templates.add_template("rule", include_str!("rule.md"))?;
        Ok(Self(templates))
    }

    fn page(&self, template: &str, values: Value) -> Result<String, Error> {
        Ok(format!("{MARK}{}", self.0.get_template(template)?.render(values)?))
    }

    /// The page that leads to all others: causes by family, rules by area.
    pub(super) fn first_page(&self, rules: &RuleSet) -> Result<String, Error> {
        let named = |cause: &Cause| {
            let count = of_cause(&cause.id, rules).count();
            (count > 0).then(|| context! { id => &cause.id, means => &cause.means, rules => count })
        };
        let families = rules.causes().families().map(|family| {
            let of_family = rules.causes().iter().filter(|cause| cause.family == family.id);
            context! { id => &family.id, about => &family.means, causes => of_family.filter_map(named).collect::<Value>() }
        });
        let sets = rules.infos().into_iter().map(|set| format!("{} {} ({})", set.name, set.version, set.contents()));
        let values = context! {
            sets => sets.collect::<Value>(),
            families => families.collect::<Value>(),
            rules => rules.rules().iter().map(linked).collect::<Value>(),
        };
        self.page("first", values)
    }

    /// A cause with the rules that name it.
    pub(super) fn cause_page(&self, cause: &Cause, rules: &RuleSet) -> Result<String, Error> {
        let about =
            rules.causes().families().find(|family| family.id == cause.family).map_or("", |family| &family.means);
        let values = context! {
            id => &cause.id,
            means => &cause.means,
            family => &cause.family,
            about,
            rules => of_cause(&cause.id, rules).map(linked).collect::<Value>(),
        };
        self.page("cause", values)
    }

    /// A rule.
    pub(super) fn rule_page(&self, rule: &Rule, rules: &RuleSet) -> Result<String, Error> {
        let example = rule.examples().find(|example| example.expect == Outcome::Match);
        // With the facts of the example filled in.
        let said = example.and_then(|example| Some((example.name, rules.finding_of(rule, example.facts)?)));
        let (explanation, advice): (&str, Vec<&Remediation>) = match &said {
            Some((_, finding)) => (&finding.explanation, finding.remediation.iter().collect()),
            None => (rule.explanation(), rule.remediation().collect()),
        };
        let steps = Audience::ALL.map(|audience| {
            let steps = advice.iter().filter(|step| step.audience == audience);
            (audience.word(), steps.map(|step| step.with_details()).collect::<Value>())
        });
        let facts = rule.facts_asked().into_iter().filter_map(|path| {
            let fact = schema::scalar(path).map(|fact| (path, fact.about, fact.from));
            fact.or_else(|| schema::list(path).map(|list| (path, list.about, list.from)))
        });
        let others = of_cause(rule.cause(), rules).filter(|other| other.id() != rule.id());
        let values = context! {
            level => match rules.causes().is_symptom(rule.cause()) {
                true => SYMPTOM,
                false => Level::of(rule.confidence()).words(),
            },
            set => rules.set_of(rule).map_or_else(String::new, |set| format!("{} {}", set.name, set.version)),
            example => said.as_ref().map(|(name, _)| *name),
            explanation,
            steps => steps.into_iter().collect::<Value>(),
            facts => facts.collect::<Value>(),
            changes => changes(rule, rules),
            examples => examples(rule),
            others => others.map(linked).collect::<Value>(),
            ..printed(rule)
        };
        self.page("rule", values)
    }
}

/// A rule as the pages of others name it.
fn linked(rule: &Rule) -> Value {
    let confidence = format!("{:.2}", rule.confidence());
    context! { id => rule.id(), area => rule.area(), title => rule.title(), confidence }
}

/// The changes of other rule sets to a rule, one sentence each.
fn changes(rule: &Rule, rules: &RuleSet) -> Value {
    let changes = rule.overrides().iter();
    let overridden = changes.map(|change| format!("Overridden {} ({}).", change.description(), change.keys.join(", ")));
    let disabled = rule.disabled().map(|change| format!("Disabled {}.", change.description()));
    let suppressed = rules.suppressions_of(rule.id()).map(|(by, limited)| {
        let limited = if limited { " (not everywhere)" } else { "" };
        format!("Suppressed {}{limited}.", by.description())
    });
    overridden.chain(disabled).chain(suppressed).collect()
}

/// The rule's tests with their facts, by expected outcome.
fn examples(rule: &Rule) -> Value {
    let headings = [
        (Outcome::Match, "Examples"),
        (Outcome::NoMatch, "What it is not"),
        (Outcome::Skipped, "What is not enough to tell"),
        (Outcome::Superseded, "Where another rule knows more"),
    ];
    let of_kind = headings.into_iter().map(|(expect, heading)| {
        let examples = rule.examples().filter(|example| example.expect == expect).map(|example| {
            let mut facts = Vec::new();
            // Writing to memory does not fail.
            let _ = write_facts(example.facts, 0, &mut facts);
            (example.name, String::from_utf8_lossy(&facts).into_owned())
        });
        (heading, examples.collect::<Value>())
    });
    of_kind.collect()
}

/// The rules that name a cause, the surest first.
fn of_cause<'r>(cause: &str, rules: &'r RuleSet) -> impl Iterator<Item = &'r Rule> {
    let mut of_cause: Vec<&Rule> = rules.rules().iter().filter(|rule| rule.cause() == cause).collect();
    // Rules come by id and the sort is stable.
    of_cause.sort_by(|a, b| b.confidence().total_cmp(&a.confidence()));
    of_cause.into_iter()
}

/// A link, where the text is an address.
fn reference(text: &str) -> Result<Value, Error> {
    let shown = sanitise(text);
    let is_address = shown.starts_with("https://") || shown.starts_with("http://");
    if is_address && !shown.contains([' ', '<', '>']) {
        marked_up(&shown, |shown, out| write!(out, "<{shown}>"))
    } else {
        Ok(Value::from(text))
    }
}

/// A text between more backticks than it has in a row.
fn code(text: &str) -> String {
    let fence = fence(text, 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

/// Text as it is, between fences longer than any in it.
fn fenced(text: &str, language: &str) -> String {
    let fence = fence(text, 3);
    let lines: String = text.lines().map(|line| format!("{}\n", sanitise(line))).collect();
    format!("{fence}{language}\n{lines}{fence}")
}

/// More backticks than a text has in a row, and at least so many.
fn fence(text: &str, least: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.saturating_add(1).max(least))
}

/// Writes a text with all special characters of Markdown escaped.
fn escape(text: &str, out: &mut dyn fmt::Write) -> fmt::Result {
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '{' | '}' | '~') {
            out.write_char('\\')?;
        }
        out.write_char(c)?;
    }
    Ok(())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
