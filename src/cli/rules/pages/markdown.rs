//! The text of pages, in Markdown that all renderers support.

use std::collections::BTreeMap;

use super::CAUSES;
use facts::{schema, write_facts};
use report::confidence::Level;
use rules::{Audience, Cause, Example, Finding, Outcome, Rule, RuleSet};
use untrusted::sanitise;

/// The first line of every page, by which pages are recognized.
pub(super) const MARK: &str = "<!-- Written by `crashsift rules pages`. To change this page, change the rule. -->\n";

/// The page that leads to all others: causes by family, rules by area.
pub(super) fn first_page(rules: &RuleSet) -> String {
    let mut page = Page::new("Rules");
    for set in rules.infos() {
        page.item(&escaped(&format!("{} {} ({})", set.name, set.version, set.says())));
    }
    page.gap();
    page.heading("Causes");
    for (family, about) in rules.causes().families() {
        let of_family = || rules.causes().iter().filter(|cause| cause.family == family);
        let counted: Vec<(&Cause, usize)> = of_family()
            .map(|cause| (cause, of_cause(&cause.id, rules).count()))
            .filter(|(_, count)| *count > 0)
            .collect();
        if counted.is_empty() {
            continue;
        }
        page.paragraph(&format!("**{}**: {}", escaped(family), escaped(about)));
        for (cause, count) in counted {
            let (id, means) = (&cause.id, escaped(&cause.means));
            page.item(&format!("[{id}]({CAUSES}/{id}.md) ({count}): {means}"));
        }
        page.gap();
    }
    let mut areas: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in rules.rules() {
        areas.entry(rule.area()).or_default().push(rule);
    }
    for (area, of_area) in areas {
        page.heading(area);
        of_area.into_iter().for_each(|rule| page.item(&link(rule, "")));
        page.gap();
    }
    page.text
}

/// A cause with the rules that name it.
pub(super) fn cause_page(cause: &Cause, rules: &RuleSet) -> String {
    let mut page = Page::new(&cause.id);
    page.paragraph(&escaped(&cause.means));
    let about = rules.causes().families().find(|(id, _)| *id == cause.family).map_or("", |(_, about)| about);
    page.paragraph(&format!("Family {}: {}", escaped(&cause.family), escaped(about)));
    page.heading("Rules that name it");
    of_cause(&cause.id, rules).for_each(|rule| page.item(&format!("{:.2} {}", rule.confidence(), link(rule, "../"))));
    page.gap();
    page.paragraph("[All rules](../README.md)");
    page.text
}

/// A rule.
pub(super) fn rule_page(rule: &Rule, rules: &RuleSet) -> String {
    let mut page = Page::new(rule.title());
    let cause = rule.cause();
    page.table(&["rule", "cause", "confidence", "severity", "rule set"]);
    let confidence = rule.confidence();
    let set = rules.set_of(rule).map_or_else(String::new, |set| format!("{} {}", set.name, set.version));
    page.row(&[
        &format!("`{}`", rule.id()),
        &format!("[{cause}](../{CAUSES}/{cause}.md)"),
        &format!("{confidence:.2}, {}", Level::of(confidence).words()),
        rule.severity().word(),
        &escaped(&set),
    ]);
    page.gap();
    let example = rule.examples().find(|example| example.expect == Outcome::Match);
    // With the facts of the example filled in.
    let finding: Option<Finding> = example.and_then(|example| rules.says(rule, example.facts));
    page.heading("Why");
    match (&finding, example) {
        (Some(finding), Some(example)) => {
            page.paragraph(&escaped(&finding.explanation));
            page.paragraph(&format!("(As it says of the example \"{}\".)", escaped(example.name)));
        }
        _ => page.block("", rule.explanation()),
    }
    page.heading("What to do");
    for audience in Audience::ALL {
        let texts: Vec<String> = match &finding {
            Some(finding) => {
                finding.remediation.iter().filter(|one| one.audience == audience).map(|one| one.text.clone()).collect()
            }
            None => rule.remediation().filter(|(of, _)| *of == audience).map(|(_, text)| text.to_owned()).collect(),
        };
        if texts.is_empty() {
            continue;
        }
        page.paragraph(&format!("**{}**", capital(audience.word())));
        texts.iter().for_each(|text| page.item(&escaped(text)));
        page.gap();
    }
    page.items("What would make it surer", rule.collect().iter().map(|text| escaped(text)));
    page.heading("What it matches");
    page.block("yaml", &rule.logic_written());
    let adjustments = rule.adjustments();
    page.items(
        "What moves its confidence",
        adjustments.iter().map(|(by, when, say)| format!("{by:+.2} when {}: {}", code(when), code(say))),
    );
    page.heading("Facts that it asks for");
    page.table(&["fact", "means", "from"]);
    for path in rule.facts_asked() {
        let (about, from) = match (schema::scalar(path), schema::list(path)) {
            (Some(fact), _) => (fact.about, fact.from),
            (None, Some(list)) => (list.about, list.from),
            (None, None) => continue,
        };
        page.row(&[&code(path), &escaped(about), &escaped(from)]);
    }
    page.gap();
    page.items("What it requires to be known", rule.requires().map(code));
    page.items("Rules whose place it takes", rule.supersedes().map(code));
    page.items("What other rule sets change", changes(rule, rules).iter().map(|text| escaped(text)));
    examples(rule, &mut page);
    page.items("Where this is from", rule.references().iter().map(|text| reference(text)));
    let others = of_cause(cause, rules).filter(|other| other.id() != rule.id());
    page.items("Other rules for the same cause", others.map(|other| link(other, "../")));
    page.paragraph("[All rules](../README.md)");
    page.text
}

/// The changes of other rule sets to a rule, one sentence each.
fn changes(rule: &Rule, rules: &RuleSet) -> Vec<String> {
    let overridden = rule.overrides().iter();
    let overridden = overridden.map(|change| format!("Overridden {} ({}).", change.says(), change.keys.join(", ")));
    let disabled = rule.disabled().map(|change| format!("Disabled {}.", change.says()));
    let suppressed = rules.suppressions_of(rule.id()).map(|(by, limited)| {
        let limited = if limited { " (not everywhere)" } else { "" };
        format!("Suppressed {}{limited}.", by.says())
    });
    overridden.chain(disabled).chain(suppressed).collect()
}

/// Adds the rule's tests, by expected outcome.
fn examples(rule: &Rule, page: &mut Page) {
    for (expect, heading) in [
        (Outcome::Match, "Examples"),
        (Outcome::NoMatch, "What it is not"),
        (Outcome::Skipped, "What is not enough to tell"),
        (Outcome::Superseded, "Where another rule knows more"),
    ] {
        let of_kind: Vec<Example<'_>> = rule.examples().filter(|example| example.expect == expect).collect();
        if of_kind.is_empty() {
            continue;
        }
        page.heading(heading);
        for example in of_kind {
            page.paragraph(&capital(&escaped(example.name)));
            let mut facts = Vec::new();
            // Writing to memory does not fail.
            let _ = write_facts(example.facts, 0, &mut facts);
            page.block("yaml", &String::from_utf8_lossy(&facts));
        }
    }
}

/// The rules that name a cause, the surest first.
fn of_cause<'r>(cause: &str, rules: &'r RuleSet) -> impl Iterator<Item = &'r Rule> {
    let mut of_cause: Vec<&Rule> = rules.rules().iter().filter(|rule| rule.cause() == cause).collect();
    // Rules come by id and the sort is stable.
    of_cause.sort_by(|a, b| b.confidence().total_cmp(&a.confidence()));
    of_cause.into_iter()
}

/// A link to a rule's page; `root` leads from the page to the folder.
fn link(rule: &Rule, root: &str) -> String {
    format!("[{}]({root}{}.md): {}", rule.id(), rule.id(), escaped(rule.title()))
}

fn reference(text: &str) -> String {
    let text = sanitise(text);
    let address = text.starts_with("https://") || text.starts_with("http://");
    if address && !text.contains([' ', '<', '>']) { format!("<{text}>") } else { escaped(&text) }
}

/// A text between more backticks than it has in a row.
fn code(text: &str) -> String {
    let text = sanitise(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.saturating_add(1));
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

/// A text with all special characters of Markdown escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in sanitise(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '{' | '}' | '~') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

struct Page {
    text: String,
}

impl Page {
    fn new(title: &str) -> Self {
        Self { text: format!("{MARK}# {}\n\n", escaped(title)) }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn gap(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, text: &str) {
        self.gap();
        self.line(&format!("## {}\n", escaped(text)));
    }

    fn paragraph(&mut self, text: &str) {
        self.gap();
        self.line(text);
        self.gap();
    }

    fn item(&mut self, text: &str) {
        self.line(&format!("- {text}"));
    }

    /// A heading with a list below; nothing of an empty one.
    fn items(&mut self, heading: &str, items: impl Iterator<Item = String>) {
        let mut items = items.peekable();
        if items.peek().is_some() {
            self.heading(heading);
            items.for_each(|item| self.item(&item));
            self.gap();
        }
    }

    /// Text as it is, between fences longer than any in it.
    fn block(&mut self, language: &str, text: &str) {
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.saturating_add(1).max(3));
        self.gap();
        self.line(&format!("{fence}{language}"));
        text.lines().for_each(|line| self.line(&sanitise(line)));
        self.line(&fence);
        self.gap();
    }

    fn table(&mut self, head: &[&str]) {
        self.gap();
        self.row(head);
        self.row(&vec!["---"; head.len()]);
    }

    fn row(&mut self, cells: &[&str]) {
        self.line(&format!("| {} |", cells.join(" | ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_means_anything_to_markdown() {
        assert_eq!(escaped("a*b_c [d](e) <f>"), r"a\*b\_c \[d\](e) \<f\>");
        assert_eq!(code("a|b"), r"`a\|b`");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(reference("https://example.com/a_b"), "<https://example.com/a_b>");
        assert_eq!(reference("seen in *one* case"), r"seen in \*one\* case");
    }
}
