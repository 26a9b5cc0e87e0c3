//! Rules as they are written, read into rules as they are used. Every mistake of a file is noted, not only the first.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Known;
use super::causes::Causes;
use super::collect::{self, Request};
use super::condition::{self, Condition};
use super::explain::{Templates, Text};
use super::finding::{Audience, Severity};
use super::gate::Gate;
use super::guarantee::{World, worlds_when};
use super::list::Lists;
use super::mistakes::{Mistakes, listing, suggestion};
use super::needed::needed;
use super::overlay::{OVERLAY_KEYS, OverlayFile};
use super::required::{self, Required};
use super::rule::{Adjustment, Effect, Logic, Origin, Place, Rule, Texts};
use super::selection::{self, Selection};
use super::self_test::{self, SelfTest};
use super::source::RuleFile;
use super::supersede::Superseded;
use crate::facts::schema::SCALARS;
use crate::yaml::{Diagnostic, Entry, Node, Span, YamlText, parse};

pub(super) const RULE_KEYS: &[&str] = &[
    "id",
    "title",
    "cause",
    "confidence",
    "severity",
    "selections",
    "condition",
    "adjust",
    "requires",
    "supersedes",
    "explanation",
    "remediation",
    "collect",
    "references",
    "tests",
];
pub(super) const OPTIONAL_RULE_KEYS: &[&str] = &["condition", "adjust", "requires", "supersedes", "collect"];

/// What files with rules hold beside rules.
#[derive(Default)]
pub(super) struct Read {
    /// What they say about rules of others.
    pub overlays: Vec<OverlayFile>,
    /// The ids of all rules, also of those with mistakes and of those that are left out.
    pub written: BTreeSet<String>,
}

/// Reads the rules of one file, and what it says about rules of others. A rule with a mistake is not among them; the ids of
/// all go to `read.written`.
pub(super) fn read_file(
    file: &RuleFile,
    origin: Origin,
    known: &Known<'_>,
    templates: &Templates,
    read: &mut Read,
    found: &mut Vec<Diagnostic>,
) -> Vec<Rule> {
    let root = match parse(&file.text) {
        Ok(root) => root,
        Err(wrong) => {
            found.extend(wrong);
            return Vec::new();
        }
    };
    let mut reader = Reader { known, templates, mistakes: Mistakes::new(&file.text) };
    let rules = reader.root(&root, file, origin);
    read.overlays.extend(OverlayFile::of(&root, &file.text, origin.set));
    let nodes = root.get("rules").and_then(Node::items).unwrap_or_default();
    read.written.extend(nodes.iter().filter_map(|rule| rule.get("id")?.text().map(str::to_owned)));
    found.append(&mut reader.mistakes.found);
    rules
}

/// The logic of a built-in rule. `None` only when the program was put together wrongly.
pub(super) fn prepared_logic(encoded: &'static [u8], file: &Arc<YamlText>, lists: &Lists) -> Option<Logic> {
    prepared(file, lists, |reader| {
        let node = Node::decode(encoded)?;
        reader.logic(&node).finished(&node)
    })
}

/// The texts of a built-in rule with these selections.
pub(super) fn prepared_texts(
    encoded: &'static [u8],
    file: &Arc<YamlText>,
    lists: &Lists,
    selections: &[Selection],
) -> Option<Texts> {
    let names = selections.iter().map(|selection| (selection.name.clone(), Span::default())).collect();
    let logic = ReadLogic { names, ..ReadLogic::default() };
    prepared(file, lists, |reader| reader.texts(&Node::decode(encoded)?, &logic).finished())
}

/// The tests of a built-in rule.
pub(super) fn prepared_tests(encoded: &'static [u8], file: &Arc<YamlText>) -> Vec<SelfTest> {
    let mut mistakes = Mistakes::new(file);
    let Some(node) = Node::decode(encoded) else { return Vec::new() };
    self_test::read(&node, node.span, &mut mistakes)
}

/// Reads a part of a rule in which there are no mistakes.
fn prepared<T>(file: &Arc<YamlText>, lists: &Lists, read: impl FnOnce(&mut Reader<'_>) -> Option<T>) -> Option<T> {
    let (causes, templates) = (Causes::default(), Templates::default());
    let known = Known { causes: &causes, lists, proven: true };
    read(&mut Reader { known: &known, templates: &templates, mistakes: Mistakes::new(file) })
}

/// What an override gives anew of a rule. `worlds` are the facts that are known when that rule matches; without them, all
/// are taken to be known.
pub(super) fn read_changes(
    node: &Node,
    known: &Known<'_>,
    templates: &Templates,
    worlds: Option<Vec<World>>,
    mistakes: &mut Mistakes,
) -> Changes {
    let logic = ReadLogic { given: worlds, ..ReadLogic::default() };
    let mut reader = Reader { known, templates, mistakes: Mistakes::new(&mistakes.file) };
    let texts = reader.texts(node, &logic);
    mistakes.found.append(&mut reader.mistakes.found);
    let has = |key| node.get(key).is_some();
    Changes {
        title: texts.title,
        confidence: texts.confidence,
        severity: texts.severity,
        explanation: texts.explanation,
        remediation: has("remediation").then_some(texts.remediation),
        collect: has("collect").then_some(texts.collect),
        references: has("references").then_some(texts.references),
    }
}

struct Reader<'a> {
    known: &'a Known<'a>,
    templates: &'a Templates,
    mistakes: Mistakes,
}

impl Reader<'_> {
    fn root(&mut self, root: &Node, file: &RuleFile, origin: Origin) -> Vec<Rule> {
        let Some(entries) = self.mistakes.mapping(root, "a rule file") else { return Vec::new() };
        if !self.mistakes.schema(root) {
            return Vec::new();
        }
        let keys: Vec<&str> = ["schema", "rules"].into_iter().chain(OVERLAY_KEYS).collect();
        let is_overlay = entries.iter().any(|entry| OVERLAY_KEYS.contains(&entry.name()));
        let required: &[&str] = if is_overlay { &["schema"] } else { &["schema", "rules"] };
        self.mistakes.keys(entries, root.span, "a rule file", &keys, required);
        let Some(rules) = root.get("rules").and_then(|rules| self.mistakes.items(rules, "`rules`")) else {
            return Vec::new();
        };
        rules.iter().filter_map(|node| self.rule(node, file, origin)).collect()
    }

    fn rule(&mut self, node: &Node, file: &RuleFile, origin: Origin) -> Option<Rule> {
        let before = self.errors();
        let entries = self.mistakes.mapping(node, "a rule")?;
        let required: Vec<&str> = RULE_KEYS.iter().copied().filter(|key| !OPTIONAL_RULE_KEYS.contains(key)).collect();
        self.mistakes.keys(entries, node.span, "a rule", RULE_KEYS, &required);

        let id = self.id(node, file);
        let logic = self.logic(node);
        let texts = self.texts(node, &logic);
        self.report_unused(&logic, &texts);
        let tests = node.entry("tests").map(|entry| self_test::read(&entry.value, entry.key.span, &mut self.mistakes));
        if self.errors() > before {
            return None;
        }
        let place = Place { id: id?, file: Arc::clone(&file.text), span: node.span, id_span: node.get("id")?.span };
        let logic = logic.finished(node)?;
        let gate = Gate::new(&needed(&logic.condition, node));
        Some(Rule::new(place, origin, gate, logic, texts.finished()?, tests?))
    }

    /// What a rule says, as far as it can be read.
    fn texts(&mut self, node: &Node, logic: &ReadLogic) -> ReadTexts {
        ReadTexts {
            title: self.plain_text(node, "title"),
            cause: self.cause(node),
            confidence: self.confidence(node),
            severity: node.get("severity").and_then(|node| self.word(node, "severity", Severity::ALL, Severity::word)),
            explanation: node.get("explanation").and_then(|text| self.text(text, "`explanation`", logic, &[])),
            remediation: self.remediation(node, logic),
            adjustments: self.adjustments(node, logic),
            supersedes: self.supersedes(node),
            collect: self.collect(node, logic),
            references: self.plain_texts(node, "references"),
        }
    }

    fn errors(&self) -> usize {
        self.mistakes.found.iter().filter(|mistake| mistake.is_error()).count()
    }

    fn id(&mut self, rule: &Node, file: &RuleFile) -> Option<String> {
        let node = rule.get("id")?;
        let id = self.mistakes.text(node, "`id`")?;
        let part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_'))
        };
        let Some((area, _)) = id.split_once('/').filter(|(area, name)| part(area) && part(name)) else {
            let message = format!("`{id}` is not a rule id");
            let help = "an id is AREA/NAME in lower case, such as memory/stack-overflow";
            self.mistakes.error_with_help("R017", node.span, message, help);
            return None;
        };
        if let Some(folder) = &file.area
            && folder != area
        {
            let message = format!("the area `{area}` is not the folder `{folder}` that the rule stands in");
            let help = format!("write `{folder}/...`, or move the file to the folder {area}");
            self.mistakes.error_with_help("R018", node.span, message, help);
            return None;
        }
        Some(id.to_owned())
    }

    fn cause(&mut self, rule: &Node) -> Option<String> {
        let node = rule.get("cause")?;
        let id = self.mistakes.text(node, "`cause`")?;
        if !self.known.proven && self.known.causes.get(id).is_none() {
            let help = self.known.causes.help(id);
            self.mistakes.error_with_help("R015", node.span, format!("there is no cause `{id}`"), help);
            return None;
        }
        Some(id.to_owned())
    }

    fn confidence(&mut self, rule: &Node) -> Option<f64> {
        let node = rule.get("confidence")?;
        let text = self.mistakes.text(node, "`confidence`")?;
        let value = text.parse::<f64>().ok().filter(|value| (0.01..=0.99).contains(value));
        if value.is_none() {
            let message = format!("a confidence is a number from 0.01 to 0.99, not `{text}`");
            let help = "of ten incidents that the rule matches, in how many is its cause right? Nine: 0.9";
            self.mistakes.error_with_help("R016", node.span, message, help);
        }
        value
    }

    /// One of a closed set of words.
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
            let words = all.map(word);
            let help = suggestion(text, words).unwrap_or_else(|| format!("it is one of {}", listing(words)));
            self.mistakes.error_with_help("R014", node.span, format!("there is no {key} `{text}`"), help);
        }
        known
    }

    fn plain_text(&mut self, rule: &Node, key: &str) -> Option<String> {
        collect::plain(rule.get(key)?, &format!("`{key}`"), &mut self.mistakes)
    }

    /// What would make the rule surer.
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

    fn logic(&mut self, rule: &Node) -> ReadLogic {
        let mut logic = ReadLogic::default();
        if let Some(node) = rule.get("selections") {
            if node.is_nothing() || node.entries().is_some_and(<[_]>::is_empty) {
                self.mistakes.error("R025", node.span, "a rule needs at least one selection");
            } else if let Some(entries) = self.mistakes.mapping(node, "`selections`") {
                logic.names = entries.iter().map(|entry| (entry.name().to_owned(), entry.key.span)).collect();
                for entry in entries {
                    self.check_selection_name(entry);
                    logic.selections.extend(selection::read(entry, self.known, &mut self.mistakes));
                }
                logic.whole = logic.selections.len() == entries.len();
            }
        }
        logic.condition = match rule.get("condition") {
            Some(node) => self.condition(node, "`condition`", &logic),
            None => Some(Condition::all_of(logic.names.len())),
        };
        if let Some(node) = rule.get("requires") {
            logic.requires = required::read(node, &mut self.mistakes);
        }
        logic
    }

    fn supersedes(&mut self, rule: &Node) -> Vec<Superseded> {
        let Some(node) = rule.get("supersedes") else { return Vec::new() };
        let Some(items) = self.mistakes.items(node, "`supersedes`") else { return Vec::new() };
        let mut all: Vec<Superseded> = Vec::new();
        for item in items {
            let Some(id) = self.mistakes.text(item, "an entry of `supersedes`") else { continue };
            if all.iter().any(|known| known.id == id) {
                self.mistakes.error("R034", item.span, format!("`{id}` is superseded twice"));
                continue;
            }
            all.push(Superseded { id: id.to_owned(), span: item.span });
        }
        all
    }

    fn check_selection_name(&mut self, entry: &Entry) {
        let name = entry.name();
        let span = entry.key.span;
        if condition::RESERVED.contains(&name) {
            let message = format!("`{name}` means something in conditions and can't be a selection's name");
            self.mistakes.error("R032", span, message);
        } else if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) {
            let message = format!("`{name}` can't be a selection's name");
            self.mistakes.error_with_help("R032", span, message, "use letters, digits, `_` and `-`");
        }
    }

    fn condition(&mut self, node: &Node, what: &str, logic: &ReadLogic) -> Option<Condition> {
        let text = self.mistakes.text(node, what)?;
        let names: Vec<&str> = logic.names.iter().map(|(name, _)| name.as_str()).collect();
        // Without selections every name would be reported; that they are missing has been said already.
        if names.is_empty() {
            return None;
        }
        match condition::parse(text, &names) {
            Ok(condition) => Some(condition),
            Err(wrongs) => {
                for wrong in wrongs {
                    let span = node.span_within(&self.mistakes.file, wrong.at);
                    let mut diagnostic = Diagnostic::error(wrong.code, &self.mistakes.file, span, wrong.message);
                    diagnostic.help = wrong.help;
                    self.mistakes.found.push(diagnostic);
                }
                None
            }
        }
    }

    fn report_unused(&mut self, logic: &ReadLogic, texts: &ReadTexts) {
        let Some(condition) = &logic.condition else { return };
        let mut used = vec![false; logic.names.len()];
        condition.mark_used(&mut used);
        texts.adjustments.iter().for_each(|adjustment| adjustment.when.mark_used(&mut used));
        texts.collect.iter().for_each(|request| request.mark_used(&mut used));
        for ((name, span), _) in logic.names.iter().zip(&used).filter(|(_, used)| !**used) {
            let message = format!("the selection `{name}` is not used, so it restricts nothing");
            self.mistakes.error_with_help("R033", *span, message, "name it in the condition, or remove it");
        }
    }

    /// A text with facts in it, written when the rule matches and `also` holds.
    fn text(&mut self, node: &Node, what: &str, logic: &ReadLogic, also: &[&Condition]) -> Option<Text> {
        self.mistakes.text(node, what)?;
        if self.known.proven {
            return Text::of(node);
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
            let text = item.get("text").and_then(|node| self.text(node, "`text`", logic, &[]));
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
        let also: Vec<&Condition> = when.iter().collect();
        let say = item.get("say").and_then(|node| self.text(node, "`say`", logic, &also));
        let written = item.get("when").and_then(Node::text).unwrap_or_default().trim().to_owned();
        Some(Adjustment { when: when?, written, change: change?, say: say? })
    }

    /// What an entry of `adjust` does: `by` or `most`.
    fn change(&mut self, item: &Node) -> Option<Effect> {
        match (item.get("by"), item.get("most")) {
            (Some(by), None) => {
                let text = self.mistakes.text(by, "`by`")?;
                let value = text.parse::<f64>().ok().filter(|by| (0.01..=0.98).contains(&by.abs()));
                if value.is_none() {
                    let message = format!("`by` is how far the confidence moves, like +0.05 or -0.2, not `{text}`");
                    self.mistakes.error("R016", by.span, message);
                }
                value.map(Effect::By)
            }
            (None, Some(most)) => {
                let text = self.mistakes.text(most, "`most`")?;
                let value = text.parse::<f64>().ok().filter(|most| (0.01..=0.98).contains(most));
                if value.is_none() {
                    let message = format!("`most` is how sure the rule can be then, like 0.6, not `{text}`");
                    self.mistakes.error("R016", most.span, message);
                }
                value.map(Effect::Most)
            }
            (Some(_), Some(most)) => {
                let help = "move the confidence with `by`, or cap it with `most`; two entries can do both";
                self.mistakes.error_with_help("R016", most.span, "`by` and `most` stand in one entry", help);
                None
            }
            (None, None) => {
                // A key that is only misspelt was reported.
                let keys = ["when", "by", "most", "say"];
                if item.entries().is_some_and(|entries| entries.iter().all(|entry| keys.contains(&entry.name()))) {
                    self.mistakes.error("R011", item.span, "an entry of `adjust` needs the key `by` or `most`");
                }
                None
            }
        }
    }
}

/// Selections, and the condition where it stands next to them.
fn logic_span(rule: &Node) -> Span {
    let selections = rule.entry("selections").map(Entry::span).unwrap_or_default();
    match rule.entry("condition").map(Entry::span) {
        Some(condition) if condition.start > selections.end => selections.to(condition),
        _ => selections,
    }
}

/// What a rule asks for, as far as it could be read.
#[derive(Default)]
struct ReadLogic {
    names: Vec<(String, Span)>,
    selections: Vec<Selection>,
    requires: Vec<Required>,
    /// Whether all selections could be read; their indexes mean nothing otherwise.
    whole: bool,
    condition: Option<Condition>,
    /// The facts that are known when it holds, of a rule that was read before.
    given: Option<Vec<World>>,
}

impl ReadLogic {
    /// The logic of a rule without mistakes, which `rule` writes.
    fn finished(self, rule: &Node) -> Option<Logic> {
        let Self { selections, requires, condition, .. } = self;
        Some(Logic { selections, requires, condition: condition?, span: logic_span(rule) })
    }

    /// The facts that are known when the rule matches and `also` holds. All, when the rule has mistakes: a mistake in
    /// a selection is not reported a second time for each text.
    fn worlds(&self, also: &[&Condition]) -> Vec<World> {
        if let Some(worlds) = &self.given {
            return worlds.clone();
        }
        match &self.condition {
            Some(condition) if self.whole => {
                let mut conditions = vec![condition];
                conditions.extend(also);
                let required: Vec<&'static str> = self.requires.iter().map(|required| required.path()).collect();
                worlds_when(&conditions, &self.selections, &required)
            }
            _ => vec![SCALARS.iter().map(|fact| fact.path).collect()],
        }
    }
}

/// What a rule says, as far as it could be read.
struct ReadTexts {
    title: Option<String>,
    cause: Option<String>,
    confidence: Option<f64>,
    severity: Option<Severity>,
    adjustments: Vec<Adjustment>,
    supersedes: Vec<Superseded>,
    explanation: Option<Text>,
    remediation: Vec<(Audience, Text)>,
    collect: Vec<Request>,
    references: Vec<String>,
}

impl ReadTexts {
    /// The texts of a rule without mistakes.
    fn finished(self) -> Option<Texts> {
        Some(Texts {
            title: self.title?,
            cause: self.cause?,
            confidence: self.confidence?,
            severity: self.severity?,
            adjustments: self.adjustments,
            supersedes: self.supersedes,
            explanation: self.explanation?,
            remediation: self.remediation,
            collect: self.collect,
            references: self.references,
        })
    }
}

/// What is said anew of a rule.
pub(super) struct Changes {
    title: Option<String>,
    confidence: Option<f64>,
    severity: Option<Severity>,
    explanation: Option<Text>,
    remediation: Option<Vec<(Audience, Text)>>,
    collect: Option<Vec<Request>>,
    references: Option<Vec<String>>,
}

impl Changes {
    /// Puts what is given into the place of what a rule says.
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
