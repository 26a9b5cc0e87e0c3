//! Reading the texts of a rule: everything but its selections, condition and tests.

use crate::language::{
    Adjustment, Audience, Cost, Effect, Logic, Remediation, Request, Risk, Severity, Superseded, Texts, WrittenStep,
    unknown,
};
use crate::reading::guarantee::{World, worlds_when};
use crate::reading::rule_file::{Also, ReadLogic, RuleReader};
use crate::reading::test_file::TestFile;
use crate::reading::{LoadContext, Templates, references, requests};
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{Code, Node, Span};

impl RuleReader<'_> {
    /// A rule's texts, as far as they can be read.
    pub(super) fn texts(&mut self, node: &Node, logic: &ReadLogic) -> Texts {
        Texts {
            cause: self.cause(node).unwrap_or_default(),
            adjustments: self.adjustments(node, logic),
            supersedes: self.supersedes(node),
            ..self.overridable_texts(node, logic)
        }
    }

    /// The part of it that an override can give anew.
    fn overridable_texts(&mut self, node: &Node, logic: &ReadLogic) -> Texts {
        let title = node.get("title").and_then(|node| self.title(node));
        let confidence = node.get("confidence").and_then(|node| self.mistakes.confidence(node, "`confidence`"));
        let severity = node.get("severity").and_then(|node| self.word(node, "severity", Severity::ALL, Severity::word));
        let explanation =
            node.get("explanation").and_then(|node| self.text(node, "`explanation`", logic, Also::Nothing));
        Texts {
            title: title.unwrap_or_default(),
            confidence: confidence.unwrap_or_default(),
            severity: severity.unwrap_or_default(),
            explanation: explanation.unwrap_or_default(),
            remediation: self.remediation(node, logic),
            collect: self.collect(node, logic),
            references: self.references(node),
            ..Texts::default()
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

    /// The requests for evidence that would make the rule surer.
    fn collect(&mut self, rule: &Node, logic: &ReadLogic) -> Vec<Request> {
        let Some(node) = rule.get("collect") else { return Vec::new() };
        let names: Vec<&str> = logic.names.iter().map(|(name, _)| name.as_str()).collect();
        let Some(items) = self.mistakes.items(node, "`collect`") else { return Vec::new() };
        items.iter().filter_map(|item| requests::read(item, &names, &mut self.mistakes)).collect()
    }

    fn references(&mut self, rule: &Node) -> Vec<String> {
        let Some(node) = rule.get("references") else { return Vec::new() };
        let Some(items) = self.mistakes.items(node, "`references`") else { return Vec::new() };
        let mut read = Vec::new();
        for item in items {
            if !references::refuse_script(item, &mut self.mistakes) {
                read.extend(requests::plain(item, "an entry of `references`", &mut self.mistakes));
            }
        }
        read
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
    fn text(&mut self, node: &Node, what: &str, logic: &ReadLogic, also: Also<'_>) -> Option<String> {
        let text = self.mistakes.text(node, what)?.trim();
        let is_fine = self.known.proven || self.checked(node, &logic.worlds(also));
        is_fine.then(|| text.to_owned())
    }

    /// Whether a text can be written in each of the worlds.
    fn checked(&mut self, node: &Node, worlds: &[World]) -> bool {
        self.templates.check(node, worlds, self.known.effort, &mut self.mistakes)
    }

    /// A title, with facts that need not be known: lists of rules print it without any.
    fn title(&mut self, node: &Node) -> Option<String> {
        let text = self.mistakes.text(node, "`title`")?.trim();
        let before = self.mistakes.found.len();
        let is_fine = self.known.proven || self.checked(node, &[World::new()]);
        for found in self.mistakes.found.iter_mut().skip(before).filter(|found| found.code == Code::R042) {
            found.help = Some("a title also stands in lists of rules: write `{{ fact or \"...\" }}`".to_owned());
        }
        is_fine.then(|| text.to_owned())
    }

    fn remediation(&mut self, rule: &Node, logic: &ReadLogic) -> Vec<WrittenStep> {
        let Some(node) = rule.get("remediation") else { return Vec::new() };
        let Some(items) = self.mistakes.items(node, "`remediation`") else { return Vec::new() };
        items.iter().filter_map(|item| self.step(item, logic)).collect()
    }

    /// One action of `remediation`.
    fn step(&mut self, item: &Node, logic: &ReadLogic) -> Option<WrittenStep> {
        const KEYS: [&str; 6] = ["audience", "text", "cost", "risk", "admin", "undo"];
        let entries = self.mistakes.mapping(item, "an entry of `remediation`")?;
        self.mistakes.keys(entries, item.span, "an entry of `remediation`", &KEYS, &["audience", "text"]);
        let audience = item.get("audience").and_then(|node| self.word(node, "audience", Audience::ALL, Audience::word));
        let text = item.get("text").and_then(|node| self.text(node, "`text`", logic, Also::Nothing));
        let cost = item.get("cost").and_then(|node| self.word(node, "cost", Cost::ALL, Cost::word));
        let risk = item.get("risk").and_then(|node| self.word(node, "risk", Risk::ALL, Risk::word));
        let admin = item.get("admin").and_then(|node| self.word(node, "admin", [false, true], flag));
        let undo = item.get("undo").and_then(|node| self.text(node, "`undo`", logic, Also::Nothing));
        let span = item.get("text").map(|node| node.span).unwrap_or_default();
        let step = Remediation { audience: audience?, text: text?, cost, risk, admin: admin.unwrap_or_default(), undo };
        Some(WrittenStep { step, span })
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

    /// A number of an entry of `adjust`, which must be as is `wanted`.
    fn number(&mut self, node: &Node, what: &str, is_right: fn(f64) -> bool, wanted: &str) -> Option<f64> {
        let text = self.mistakes.text(node, what)?;
        let value = text.parse().ok().filter(|value| is_right(*value));
        if value.is_none() {
            self.mistakes.error(Code::R016, node.span, format!("{wanted}, not `{text}`"));
        }
        value
    }

    /// What an entry of `adjust` does: `by` or `most`.
    fn change(&mut self, item: &Node) -> Option<Effect> {
        match (item.get("by"), item.get("most")) {
            (Some(by), None) => {
                let is_right = |by: f64| (0.01..=0.98).contains(&by.abs());
                let wanted = "`by` is how far the confidence moves, like +0.05 or -0.2";
                self.number(by, "`by`", is_right, wanted).map(Effect::By)
            }
            (None, Some(most)) => {
                let is_right = |most: f64| (0.01..=0.98).contains(&most);
                let wanted = "`most` is how sure the rule can be then, from 0.01 to 0.98";
                self.number(most, "`most`", is_right, wanted).map(Effect::Most)
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

/// A flag as YAML writes it.
fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// What an override gives anew of a rule with this `logic`; without it, all facts are taken to be known.
pub(crate) fn read_changes(
    node: &Node,
    known: &LoadContext<'_>,
    templates: &Templates,
    logic: Option<&Logic>,
    mistakes: &mut Mistakes,
) -> Texts {
    let selections = logic.map(|logic| logic.selections.as_slice()).unwrap_or_default();
    let given = logic.map(worlds_when);
    let names = selections.iter().map(|selection| (selection.name.clone(), Span::default())).collect();
    let logic = ReadLogic { names, given, ..ReadLogic::default() };
    let mut reader =
        RuleReader { known, templates, tests: &TestFile::Nothing, mistakes: Mistakes::new(&mistakes.file) };
    let changes = reader.overridable_texts(node, &logic);
    if let Some(references) = node.get("references") {
        references::look_at(references, &mut reader.mistakes);
    }
    reader.mistakes.found.drain(..).for_each(|mistake| mistakes.add(mistake));
    changes
}
