//! Reading the texts of a rule: everything but its selections, condition and tests.

use super::{Also, ReadLogic, RuleReader, TestFile};
use crate::LoadContext;
use crate::collect::{self, Request};
use crate::explain::{Templates, Text};
use crate::finding::{Audience, Severity};
use crate::guarantee::World;
use crate::lint::look_at_references;
use crate::rule::{Adjustment, Effect, Rule, Texts};
use crate::supersede::Superseded;
use crate::unknown;
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{Code, Node, Span};

impl RuleReader<'_> {
    /// What a rule says, as far as it can be read.
    pub(super) fn texts(&mut self, node: &Node, logic: &ReadLogic) -> ReadTexts {
        ReadTexts {
            cause: self.cause(node),
            adjustments: self.adjustments(node, logic),
            supersedes: self.supersedes(node),
            ..self.overridable_texts(node, logic)
        }
    }

    /// The part of it that an override can give anew.
    fn overridable_texts(&mut self, node: &Node, logic: &ReadLogic) -> ReadTexts {
        let has = |key| node.get(key).is_some();
        ReadTexts {
            title: self.plain_text(node, "title"),
            confidence: self.confidence(node),
            severity: self.severity(node),
            explanation: self.explanation(node, logic),
            remediation: has("remediation").then(|| self.remediation(node, logic)),
            collect: has("collect").then(|| self.collect(node, logic)),
            references: has("references").then(|| self.plain_texts(node, "references")),
            ..ReadTexts::default()
        }
    }

    fn cause(&mut self, rule: &Node) -> Option<String> {
        let node = rule.get("cause")?;
        let id = self.mistakes.text(node, "`cause`")?;
        if !self.known.proven && self.known.causes.get(id).is_none() {
            let help = self.known.causes.help(id);
            self.mistakes.error_with_help(Code::R015, node.span, format!("there is no cause `{id}`"), help);
            return None;
        }
        Some(id.to_owned())
    }

    fn confidence(&mut self, rule: &Node) -> Option<f64> {
        let node = rule.get("confidence")?;
        self.mistakes.confidence(node, "`confidence`")
    }

    fn severity(&mut self, rule: &Node) -> Option<Severity> {
        self.word(rule.get("severity")?, "severity", Severity::ALL, Severity::word)
    }

    fn explanation(&mut self, rule: &Node, logic: &ReadLogic) -> Option<Text> {
        self.text(rule.get("explanation")?, "`explanation`", logic, Also::Nothing)
    }

    /// The value that is written as one of a closed set of words (`R014` for any other word).
    fn word<T: Copy, const N: usize>(
        &mut self,
        node: &Node,
        key: &str,
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.mistakes.text(node, &format!("`{key}`"))?;
        let known = all.into_iter().find(|value| word(*value) == text);
        if known.is_none() {
            let help = unknown::help(text, all.map(word).into_iter(), "it is one of");
            self.mistakes.error_with_help(Code::R014, node.span, format!("there is no {key} `{text}`"), help);
        }
        known
    }

    fn plain_text(&mut self, rule: &Node, key: &str) -> Option<String> {
        collect::plain(rule.get(key)?, &format!("`{key}`"), &mut self.mistakes)
    }

    /// The requests for evidence that would make the rule surer.
    fn collect(&mut self, rule: &Node, logic: &ReadLogic) -> Vec<Request> {
        let Some(node) = rule.get("collect") else { return Vec::new() };
        let names: Vec<&str> = logic.names.iter().map(|(name, _)| name.as_str()).collect();
        let Some(items) = self.mistakes.items(node, "`collect`") else { return Vec::new() };
        items.iter().filter_map(|item| collect::read(item, &names, &mut self.mistakes)).collect()
    }

    fn plain_texts(&mut self, rule: &Node, key: &str) -> Vec<String> {
        let Some(node) = rule.get(key) else { return Vec::new() };
        let what = format!("`{key}`");
        let Some(items) = self.mistakes.items(node, &what) else { return Vec::new() };
        let what = format!("an entry of {what}");
        items.iter().filter_map(|item| collect::plain(item, &what, &mut self.mistakes)).collect()
    }

    fn supersedes(&mut self, rule: &Node) -> Vec<Superseded> {
        let Some(node) = rule.get("supersedes") else { return Vec::new() };
        let Some(items) = self.mistakes.texts(node, "`supersedes`") else { return Vec::new() };
        let mut all: Vec<Superseded> = Vec::new();
        for item in items {
            let Some(id) = self.mistakes.text(item, "an entry of `supersedes`") else { continue };
            if all.iter().any(|known| known.id == id) {
                self.mistakes.error(Code::R034, item.span, format!("`{id}` is superseded twice"));
                continue;
            }
            all.push(Superseded { id: id.to_owned(), span: item.span });
        }
        all
    }

    /// A text with facts in it, written when the rule matches and `also` holds.
    fn text(&mut self, node: &Node, what: &str, logic: &ReadLogic, also: Also<'_>) -> Option<Text> {
        self.mistakes.text(node, what)?;
        if self.known.proven {
            return Text::read(node);
        }
        self.templates.check(node, &logic.worlds(also), &mut self.mistakes)
    }

    fn remediation(&mut self, rule: &Node, logic: &ReadLogic) -> Vec<(Audience, Text)> {
        let Some(node) = rule.get("remediation") else { return Vec::new() };
        let Some(items) = self.mistakes.items(node, "`remediation`") else { return Vec::new() };
        let keys = ["audience", "text"];
        let mut all = Vec::new();
        for item in items {
            let Some(entries) = self.mistakes.mapping(item, "an entry of `remediation`") else { continue };
            self.mistakes.keys(entries, item.span, "an entry of `remediation`", &keys, &keys);
            let audience =
                item.get("audience").and_then(|node| self.word(node, "audience", Audience::ALL, Audience::word));
            let text = item.get("text").and_then(|node| self.text(node, "`text`", logic, Also::Nothing));
            all.extend(audience.zip(text));
        }
        all
    }

    fn adjustments(&mut self, rule: &Node, logic: &ReadLogic) -> Vec<Adjustment> {
        let Some(node) = rule.get("adjust") else { return Vec::new() };
        let Some(items) = self.mistakes.items(node, "`adjust`") else { return Vec::new() };
        items.iter().filter_map(|item| self.adjustment(item, logic)).collect()
    }

    fn adjustment(&mut self, item: &Node, logic: &ReadLogic) -> Option<Adjustment> {
        let keys = ["when", "by", "most", "say"];
        let entries = self.mistakes.mapping(item, "an entry of `adjust`")?;
        self.mistakes.keys(entries, item.span, "an entry of `adjust`", &keys, &["when", "say"]);
        let when = item.get("when").and_then(|node| self.condition(node, "`when`", logic));
        let change = self.change(item);
        let also = when.as_ref().map_or(Also::Unread, Also::This);
        let say = item.get("say").and_then(|node| self.text(node, "`say`", logic, also));
        let written = item.get("when").and_then(Node::text).unwrap_or_default().trim().to_owned();
        let span = item.get("when").map(|node| node.span).unwrap_or_default();
        Some(Adjustment { when: when?, written, span, change: change?, say: say? })
    }

    /// What an entry of `adjust` does: `by` or `most`.
    fn change(&mut self, item: &Node) -> Option<Effect> {
        match (item.get("by"), item.get("most")) {
            (Some(by), None) => {
                let text = self.mistakes.text(by, "`by`")?;
                let value = text.parse::<f64>().ok().filter(|by| (0.01..=0.98).contains(&by.abs()));
                if value.is_none() {
                    let message = format!("`by` is how far the confidence moves, like +0.05 or -0.2, not `{text}`");
                    self.mistakes.error(Code::R016, by.span, message);
                }
                value.map(Effect::By)
            }
            (None, Some(most)) => {
                let text = self.mistakes.text(most, "`most`")?;
                let value = text.parse::<f64>().ok().filter(|most| (0.01..=0.98).contains(most));
                if value.is_none() {
                    let message = format!("`most` is how sure the rule can be then, from 0.01 to 0.98, not `{text}`");
                    self.mistakes.error(Code::R016, most.span, message);
                }
                value.map(Effect::Most)
            }
            (Some(_), Some(most)) => {
                let help = "move the confidence with `by`, or cap it with `most`; two entries can do both";
                self.mistakes.error_with_help(Code::R016, most.span, "`by` and `most` stand in one entry", help);
                None
            }
            (None, None) => {
                // A key that is only misspelt was reported.
                let keys = ["when", "by", "most", "say"];
                if item.entries().is_some_and(|entries| entries.iter().all(|entry| keys.contains(&entry.name()))) {
                    self.mistakes.error(Code::R011, item.span, "an entry of `adjust` needs the key `by` or `most`");
                }
                None
            }
        }
    }
}

/// What an override gives anew of a `rule`. `worlds` are the facts that are known when that rule matches; without them,
/// all are taken to be known.
pub(crate) fn read_changes(
    node: &Node,
    known: &LoadContext<'_>,
    templates: &Templates,
    rule: Option<&Rule>,
    worlds: Option<Vec<World>>,
    mistakes: &mut Mistakes,
) -> ReadTexts {
    let selections = rule.map(|rule| rule.logic().selections.as_slice()).unwrap_or_default();
    let names = selections.iter().map(|selection| (selection.name.clone(), Span::default())).collect();
    let logic = ReadLogic { names, given: worlds, ..ReadLogic::default() };
    let mut reader =
        RuleReader { known, templates, tests: &TestFile::Nothing, mistakes: Mistakes::new(&mistakes.file) };
    let changes = reader.overridable_texts(node, &logic);
    if let Some(references) = node.get("references") {
        look_at_references(references, &mut reader.mistakes);
    }
    mistakes.found.append(&mut reader.mistakes.found);
    changes
}

/// What a rule says, or what an override gives anew of it, as far as it is written and could be read.
#[derive(Default)]
pub(crate) struct ReadTexts {
    title: Option<String>,
    cause: Option<String>,
    confidence: Option<f64>,
    severity: Option<Severity>,
    pub(super) adjustments: Vec<Adjustment>,
    supersedes: Vec<Superseded>,
    explanation: Option<Text>,
    remediation: Option<Vec<(Audience, Text)>>,
    pub(super) collect: Option<Vec<Request>>,
    references: Option<Vec<String>>,
}

impl ReadTexts {
    /// The texts of a rule without mistakes.
    pub(super) fn finished(self) -> Option<Texts> {
        Some(Texts {
            title: self.title?,
            cause: self.cause?,
            confidence: self.confidence?,
            severity: self.severity?,
            adjustments: self.adjustments,
            supersedes: self.supersedes,
            explanation: self.explanation?,
            remediation: self.remediation.unwrap_or_default(),
            collect: self.collect.unwrap_or_default(),
            references: self.references.unwrap_or_default(),
        })
    }

    /// Puts what an override gives into the place of what a rule says.
    pub fn apply(self, texts: &mut Texts) {
        fn put<T>(new: Option<T>, old: &mut T) {
            if let Some(new) = new {
                *old = new;
            }
        }
        put(self.title, &mut texts.title);
        put(self.confidence, &mut texts.confidence);
        put(self.severity, &mut texts.severity);
        put(self.explanation, &mut texts.explanation);
        put(self.remediation, &mut texts.remediation);
        put(self.collect, &mut texts.collect);
        put(self.references, &mut texts.references);
    }
}
