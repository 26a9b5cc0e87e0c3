//! Reading rule files into rules. Every mistake of a file is reported, not only the first.

mod texts;

pub(crate) use texts::read_changes;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::language::keys::{OPTIONAL_RULE_KEYS, OVERLAY_KEYS, RULE_KEYS};
use crate::language::{Logic, Selection, Subject, Texts, Unless, slips};
use crate::reading::asked_last::asked_last;
use crate::reading::guarantee::{Partly, World, all_asked_for, worlds_as_far};
use crate::reading::source::{RuleFile, encoded};
use crate::reading::test_file::TestFile;
use crate::reading::{
    Causes, Effort, Lists, LoadContext, OverlayFile, Read, Superseding, Templates, Tests, Unfinished, required,
    selections, self_test, source,
};
use facts::schema::SCALARS;
use rule_syntax::condition::{self, Condition};
use rule_syntax::mistakes::{Mistakes, closest};
use rule_syntax::prepared::Part;
use spanned_yaml::{Code, Diagnostic, Entry, Node, Span, YamlText, parse_leniently};

/// The longest id of a rule, bytes: files are named after rules, and names of files have at most 255.
const LONGEST_ID: usize = 100;

/// A rule that was read as a whole.
pub(crate) struct ReadRule {
    pub id: String,
    pub file: Arc<YamlText>,
    pub span: Span,
    pub id_span: Span,
    pub logic: Logic,
    pub texts: Texts,
    pub tests: Tests,
}

/// Reads the rules and overlays of one file. `set` is the index of its rule set. Rules with mistakes are left out; the
/// ids of all rules go to `read.written`.
pub(crate) fn read_file(
    file: &RuleFile,
    set: usize,
    known: &LoadContext<'_>,
    templates: &Templates,
    read: &mut Read,
    found: &mut Vec<Diagnostic>,
) -> Vec<ReadRule> {
    let (root, wrong) = parse_leniently(&file.text);
    found.extend(wrong);
    let tests = &file.tests;
    let Some(root) = root else {
        read.unread.push(Arc::clone(&file.text));
        return Vec::new();
    };
    let mut reader = RuleReader { known, templates, tests, mistakes: Mistakes::new(&file.text) };
    let rules = reader.root(&root, file);
    let is_understood = rules.is_some();
    let rules = rules.unwrap_or_default();
    if !is_understood {
        read.unread.push(Arc::clone(&file.text));
    }
    let overlays = OverlayFile::read(&root, &file.text, set);
    let nodes = root.get("rules").and_then(Node::items).unwrap_or_default();
    read.written.extend(nodes.iter().filter_map(|rule| rule.get("id")?.text().map(str::to_owned)));
    // Where the list of rules could not be read, tests may be of any rule.
    if is_understood && (overlays.is_some() || !nodes.is_empty()) {
        tests.report_unknown(nodes, found);
    }
    read.overlays.extend(overlays);
    for node in nodes.iter().filter(|_| is_understood) {
        read.superseding.extend(Superseding::read(node, &file.text));
        let id = node.get("id").and_then(|id| Some((id.text()?, id.span)));
        let unfinished = id.filter(|(_, span)| !rules.iter().any(|rule: &ReadRule| rule.id_span == *span));
        read.unfinished.extend(unfinished.map(|(id, span)| {
            let file = Arc::clone(&file.text);
            Unfinished { id: id.to_owned(), file, span, set }
        }));
    }
    found.extend(reader.mistakes.take());
    rules
}

/// The logic of a built-in rule. `None` only when the program was put together wrongly.
pub(crate) fn prepared_logic(part: Part, file: &Arc<YamlText>, lists: &Lists) -> Option<Logic> {
    prepared(file, lists, |reader| {
        let node = Node::decode(encoded(part))?;
        reader.logic(&node).finished(&node)
    })
}

/// The texts of a built-in rule with these selections.
pub(crate) fn prepared_texts(
    part: Part,
    file: &Arc<YamlText>,
    lists: &Lists,
    selections: &[Selection],
) -> Option<Texts> {
    let names = selections.iter().map(|selection| (selection.name.clone(), Span::default())).collect();
    let logic = ReadLogic { names, ..ReadLogic::default() };
    prepared(file, lists, |reader| Some(reader.texts(&Node::decode(encoded(part))?, &logic)))
}

/// The tests of a built-in rule.
pub(crate) fn prepared_tests(part: Part) -> Option<Tests> {
    let (file, node) = source::prepared_tests(part)?;
    let all = self_test::read(&node, node.span, &mut Mistakes::new(&file));
    Some(Tests { file, all })
}

/// Reads a part of a rule in which there are no mistakes.
fn prepared<T>(file: &Arc<YamlText>, lists: &Lists, read: impl FnOnce(&mut RuleReader<'_>) -> Option<T>) -> Option<T> {
    let (causes, templates, effort) = (Causes::default(), Templates::default(), Effort::default());
    let known = LoadContext { causes: &causes, lists, proven: true, effort: &effort };
    read(&mut RuleReader {
        known: &known,
        templates: &templates,
        tests: &TestFile::Nothing,
        mistakes: Mistakes::new(file),
    })
}

struct RuleReader<'a> {
    known: &'a LoadContext<'a>,
    templates: &'a Templates,
    /// The tests beside the file.
    tests: &'a TestFile,
    mistakes: Mistakes,
}

impl RuleReader<'_> {
    /// The rules without mistakes of a file; `None` of one in another language.
    fn root(&mut self, root: &Node, file: &RuleFile) -> Option<Vec<ReadRule>> {
        let entries = self.mistakes.mapping(root, "a rule file")?;
        if !self.mistakes.schema(root) {
            return None;
        }
        let keys: Vec<&str> = ["schema", "rules"].into_iter().chain(OVERLAY_KEYS).collect();
        let is_overlay = entries.iter().any(|entry| OVERLAY_KEYS.contains(&entry.name()));
        let tests_elsewhere = |key: &str| {
            let help = "tests are inside their rule, or under the ids of rules in NAME.tests.yaml beside NAME.yaml";
            (key == "tests").then(|| help.to_owned())
        };
        self.mistakes.keys_or(entries, root.span, "a rule file", &keys, &["schema"], tests_elsewhere);
        let meant: Vec<&str> = keys.iter().copied().chain(["tests"]).collect();
        let misspelt = |entry: &Entry| !keys.contains(&entry.name()) && closest(entry.name(), meant.clone()).is_some();
        if !is_overlay && root.get("rules").is_none() && !entries.iter().any(misspelt) {
            let help = "a file that only changes rules of other sets has `override`, `disable` or `suppress`";
            self.mistakes.error_with_help(Code::R011, root.span, "a rule file needs the key `rules`", help);
        }
        let Some(rules) = root.get("rules").and_then(|rules| self.mistakes.items(rules, "`rules`")) else {
            return Some(Vec::new());
        };
        Some(rules.iter().filter_map(|node| self.rule(node, rules, file)).collect())
    }

    /// The rule that `node` writes, one of the `rules` of its file.
    fn rule(&mut self, node: &Node, rules: &[Node], file: &RuleFile) -> Option<ReadRule> {
        if self.mistakes.is_full() {
            return None;
        }
        let before = self.mistakes.errors();
        let entries = self.mistakes.mapping(node, "a rule")?;
        let is_apart = |key: &str| key == "tests" && self.tests.is_there();
        let is_required = |key: &&str| !OPTIONAL_RULE_KEYS.contains(key) && !is_apart(key);
        let required: Vec<&str> = RULE_KEYS.iter().copied().filter(is_required).collect();
        self.mistakes.keys(entries, node.span, "a rule", RULE_KEYS, &required);

        let id = self.id(node, file);
        let logic = self.logic(node);
        let texts = self.texts(node, &logic);
        self.report_unused(node, &logic, &texts);
        let tests = match node.entry("tests") {
            Some(entry) => {
                self.tests.report_twice(node, entry.key.span, &mut self.mistakes);
                let all = self_test::read(&entry.value, entry.key.span, &mut self.mistakes);
                Some(Tests { file: Arc::clone(&file.text), all })
            }
            None => self.tests.tests_of(node, rules, &mut self.mistakes),
        };
        if self.mistakes.errors() > before {
            return None;
        }
        Some(ReadRule {
            id: id?,
            file: Arc::clone(&file.text),
            span: node.span,
            id_span: node.get("id")?.span,
            logic: logic.finished(node)?,
            texts,
            tests: tests?,
        })
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
            self.mistakes.error_with_help(Code::R017, node.span, message, help);
            return None;
        };
        if id.len() > LONGEST_ID {
            let message = format!("the id has {} bytes, more than {LONGEST_ID}", id.len());
            self.mistakes.error_with_help(Code::R017, node.span, message, "write a shorter id");
            return None;
        }
        if let Some(folder) = &file.area
            && folder != area
        {
            let message = format!("the area `{area}` is not the folder `{folder}` that the rule stands in");
            let help = format!("write `{folder}/...`, or move the file to the folder {area}");
            self.mistakes.error_with_help(Code::R018, node.span, message, help);
            return None;
        }
        Some(id.to_owned())
    }

    fn logic(&mut self, rule: &Node) -> ReadLogic {
        let mut logic = ReadLogic::default();
        if let Some(node) = rule.get("selections") {
            if node.is_nothing() || node.entries().is_some_and(<[_]>::is_empty) {
                self.mistakes.error(Code::R025, node.span, "a rule needs at least one selection");
            } else if let Some(entries) = self.mistakes.mapping(node, "`selections`") {
                logic.names = entries.iter().map(|entry| (entry.name().to_owned(), entry.key.span)).collect();
                for (index, entry) in entries.iter().enumerate() {
                    self.check_selection_name(entry);
                    let read = selections::read(entry, self.known, &mut self.mistakes).unwrap_or_else(|| {
                        logic.unread.insert(index, selections::seems_to_ask(entry));
                        Selection { name: entry.name().to_owned(), alternatives: Vec::new() }
                    });
                    logic.selections.push(read);
                }
            }
        }
        logic.condition = match rule.get("condition") {
            Some(node) => self.condition(node, "`condition`", &logic),
            None => Some(asked_last(Condition::all_of(logic.names.len()), &logic.selections)),
        };
        if let Some(node) = rule.get("requires") {
            let before = self.mistakes.errors();
            logic.requires = required::read(node, &mut self.mistakes);
            if self.mistakes.errors() > before {
                logic.meant.extend(required::seems_to_ask(node));
            }
        }
        logic
    }

    fn check_selection_name(&mut self, entry: &Entry) {
        let name = entry.name();
        let span = entry.key.span;
        if condition::RESERVED.contains(&name) {
            let message = format!("`{name}` means something in conditions and can't be a selection's name");
            self.mistakes.error(Code::R032, span, message);
        } else if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) {
            let message = format!("`{name}` can't be a selection's name");
            self.mistakes.error_with_help(Code::R032, span, message, "use letters, digits, `_` and `-`");
        }
    }

    fn condition(&mut self, node: &Node, what: &str, logic: &ReadLogic) -> Option<Condition> {
        let text = self.mistakes.text(node, what)?;
        let names: Vec<&str> = logic.names.iter().map(|(name, _)| name.as_str()).collect();
        // Without selections every name would be reported; that they are missing has been said already.
        if names.is_empty() {
            return None;
        }
        match condition::parse(text, &names, slips::selection) {
            Ok(condition) => Some(asked_last(condition, &logic.selections)),
            Err(wrongs) => {
                for wrong in wrongs {
                    let span = node.span_within(&self.mistakes.file, wrong.at);
                    let mut diagnostic = Diagnostic::error(wrong.code, &self.mistakes.file, span, wrong.message);
                    diagnostic.help = wrong.help;
                    self.mistakes.add(diagnostic);
                }
                None
            }
        }
    }

    fn report_unused(&mut self, rule: &Node, logic: &ReadLogic, texts: &Texts) {
        let Some(condition) = &logic.condition else { return };
        let is_used = |index| {
            condition.uses(index)
                || texts.adjustments.iter().any(|adjustment| adjustment.when.uses(index))
                || texts.collect.iter().any(|request| request.unless.contains(&Unless::Selection(index)))
        };
        let mut used: Vec<bool> = (0..logic.names.len()).map(is_used).collect();
        let written = |key: &str| rule.get(key).and_then(Node::items).unwrap_or_default();
        if texts.adjustments.len() < written("adjust").len() {
            let names = written("adjust").iter().filter_map(|entry| entry.get("when")?.text());
            names.for_each(|text| logic.mark_meant(text, &mut used));
        }
        if texts.collect.len() < written("collect").len() {
            for unless in written("collect").iter().filter_map(|entry| entry.get("unless")) {
                let names = unless.one_or_more().iter().filter_map(Node::text);
                names.for_each(|text| logic.mark_meant(text, &mut used));
            }
        }
        for ((name, span), _) in logic.names.iter().zip(&used).filter(|(_, used)| !**used) {
            let message = format!("the selection `{name}` is not used, so it restricts nothing");
            self.mistakes.error_with_help(Code::R033, *span, message, "name it in the condition, or remove it");
        }
    }
}

/// The place of the selections, and of the condition where it follows them.
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
    /// All of them; one that could not be read has no alternatives.
    selections: Vec<Selection>,
    /// The selections that could not be read, by index, with the facts that they seem to compare.
    unread: BTreeMap<usize, World>,
    requires: Vec<Subject>,
    /// Facts that entries of `requires` with mistakes seem to mean.
    meant: World,
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

    /// The facts that are known when the rule matches and `also` holds. What could not be read is taken for what suits
    /// a text best: a mistake in a selection or condition is not reported a second time for each text.
    fn worlds(&self, also: Also<'_>) -> Vec<World> {
        if let Some(worlds) = &self.given {
            return worlds.clone();
        }
        if self.names.is_empty() {
            return vec![SCALARS.iter().map(|fact| fact.path).collect()];
        }
        let required = self.requires.iter().map(|required| required.name()).chain(self.meant.iter().copied());
        let required: Vec<&'static str> = required.collect();
        let selections = Partly { selections: &self.selections, unread: &self.unread };
        match (&self.condition, also) {
            (Some(condition), Also::Nothing) => worlds_as_far(&[condition], &selections, &required),
            (Some(condition), Also::This(also)) => worlds_as_far(&[condition, also], &selections, &required),
            (None, _) | (_, Also::Unread) => {
                let mut known = all_asked_for(&selections);
                known.extend(required);
                vec![known]
            }
        }
    }

    /// Marks the selections that a text with a mistake in it names, or nearly names.
    fn mark_meant(&self, text: &str, used: &mut [bool]) {
        for word in text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')')) {
            let names = self.names.iter().map(|(name, _)| name.as_str());
            // `them` and `exe_*` are several at once.
            let several = word == "them" || word.contains('*');
            let meant = closest(word, names);
            for ((name, _), used) in self.names.iter().zip(used.iter_mut()) {
                *used |= several || meant == Some(name.as_str());
            }
        }
    }
}

/// What holds beside the condition of a rule where a text is written.
#[derive(Clone, Copy)]
enum Also<'c> {
    Nothing,
    This(&'c Condition),
    /// Something that could not be read.
    Unread,
}
