//! Reading overlays and changing the rules that they name. Every mistake is noted, not only the first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;

use crate::language::OVERRIDABLE;
use crate::language::keys::{OVERLAY_KEYS, RULE_KEYS};
use crate::loading::overlay::suppression::{SuppressedBy, Suppression, Suppressions};
use crate::loading::{Change, Rule, RuleSetInfo};
use crate::reading::rule_file::read_changes;
use crate::reading::{Causes, Effort, Lists, LoadContext, OverlayFile, Read, Templates, selections};
use rule_syntax::hints;
use rule_syntax::mistakes::{Mistakes, closest, listing};
use spanned_yaml::{Code, Diagnostic, Entry, Node, Span, YamlText};
use untrusted::glob::Glob;

/// What overlays are applied to.
pub(crate) struct Target<'a> {
    /// All rules, by id.
    pub rules: &'a mut [Rule],
    /// The ids of built-in rules that were not loaded: overlays may name them, without effect.
    pub left_out: &'a BTreeSet<String>,
    /// Rules with mistakes, which are not in `rules`: an overlay that names one is not reported as naming an unknown
    /// rule.
    pub written: &'a Read,
    /// The sets, whose changes are counted.
    pub sets: &'a mut [RuleSetInfo],
    /// The lists that each set's rules can name.
    pub lists: &'a [Arc<Lists>],
    pub causes: &'a Causes,
    pub templates: &'a Templates,
    /// What reading the overlays has cost so far.
    pub effort: &'a Effort,
}

/// Applies overlays in the order of their sets, later ones over earlier ones, and gives the suppressions.
pub(crate) fn apply(files: &[OverlayFile], target: &mut Target<'_>, found: &mut Vec<Diagnostic>) -> Suppressions {
    let mut suppressions = Suppressions::default();
    for of_set in files.chunk_by(|a, b| a.set == b.set) {
        let mut changed = Changed::default();
        for file in of_set {
            let mut reader = OverlayReader {
                file,
                target,
                changed: &mut changed,
                suppressions: &mut suppressions,
                mistakes: Mistakes::new(&file.text),
            };
            reader.read();
            found.extend(reader.mistakes.take());
        }
    }
    suppressions
}

/// The ids of the rules that a set has changed so far, each with the place of that change.
type Changed = BTreeMap<String, (Arc<YamlText>, Span)>;

struct OverlayReader<'r, 'a> {
    file: &'r OverlayFile,
    target: &'r mut Target<'a>,
    changed: &'r mut Changed,
    suppressions: &'r mut Suppressions,
    mistakes: Mistakes,
}

/// The rule that an overlay names.
struct NamedRule {
    id: String,
    /// Its index; `None` for a built-in rule that was left out.
    index: Option<usize>,
}

impl OverlayReader<'_, '_> {
    fn read(&mut self) {
        let file = self.file;
        let readers: [fn(&mut Self, &Node) -> bool; 3] = [Self::override_, Self::disable, Self::suppress];
        let count: [fn(&mut RuleSetInfo) -> &mut usize; 3] =
            [|set| &mut set.overrides, |set| &mut set.disables, |set| &mut set.suppressions];
        for (((node, key), read), count) in file.entries.iter().zip(OVERLAY_KEYS).zip(readers).zip(count) {
            let Some(node) = node else { continue };
            let Some(items) = self.mistakes.items(node, &format!("`{key}`")) else { continue };
            for item in items {
                if !self.mistakes.is_full()
                    && read(self, item)
                    && let Some(set) = self.target.sets.get_mut(file.set)
                {
                    let count = count(set);
                    *count = count.saturating_add(1);
                }
            }
        }
    }

    /// Reads an entry of `override` and changes the rule; false when the entry has a mistake.
    fn override_(&mut self, item: &Node) -> bool {
        let what = "an entry of `override`";
        let before = self.mistakes.errors();
        let Some(entries) = self.mapping(item, what) else { return false };
        let keys: Vec<&str> = ["rule", "reason"].into_iter().chain(OVERRIDABLE).collect();
        let (fixed, others): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| is_fixed(entry.name()));
        for entry in fixed {
            let message = format!("`{}` can't be overridden: with another one it would be another rule", entry.name());
            let help =
                format!("what can be is {}; `disable` the rule, and write one of your own", listing(OVERRIDABLE));
            self.mistakes.error_with_help(Code::R074, entry.key.span, message, help);
        }
        let others: Vec<Entry> = others.into_iter().cloned().collect();
        self.mistakes.keys_or(&others, item.span, what, &keys, &["rule"], other_key);
        let given: Vec<&'static str> =
            entries.iter().filter_map(|entry| OVERRIDABLE.into_iter().find(|key| *key == entry.name())).collect();
        if given.is_empty() && self.mistakes.errors() == before {
            let help = format!("give at least one of {}", listing(OVERRIDABLE));
            self.mistakes.error_with_help(Code::R073, item.span, "an override that changes nothing", help);
        }
        let reason = self.text(item, "reason");
        let named = self.named(item);
        let rule = named.as_ref().and_then(|named| self.target.rules.get(named.index?));
        let lists = self.lists();
        let effort = self.target.effort;
        let known = LoadContext { causes: self.target.causes, lists: &lists, proven: false, effort };
        let changes = read_changes(item, &known, self.target.templates, rule.map(Rule::logic), &mut self.mistakes);
        let Some(named) = named else { return false };
        if !self.is_first(item, &named.id) || self.mistakes.errors() > before {
            return false;
        }
        let change = self.change(item, given, reason);
        let Some(rule) = named.index.and_then(|index| self.target.rules.get_mut(index)) else { return true };
        if let Some(disabled) = rule.disabled() {
            let message = format!("the rule `{}` is disabled {}", named.id, disabled.description());
            let help = "an override does not bring it back; remove one of the two";
            self.mistakes.warning(Code::R081, item.get("rule").map_or(item.span, |node| node.span), message, help);
        }
        rule.change(changes, change);
        true
    }

    /// An entry as a mapping; somebody may have written the id alone.
    fn mapping<'n>(&mut self, item: &'n Node, what: &str) -> Option<&'n [Entry]> {
        if let Some(id) = item.text().filter(|_| !item.is_nothing()) {
            let help = format!("write `{{rule: {}, reason: ...}}`", id.trim());
            self.mistakes.error_with_help(Code::R012, item.span, format!("{what} must be a mapping, not a text"), help);
            return None;
        }
        self.mistakes.mapping(item, what)
    }

    fn disable(&mut self, item: &Node) -> bool {
        let what = "an entry of `disable`";
        let before = self.mistakes.errors();
        let Some(entries) = self.mapping(item, what) else { return false };
        let keys = ["rule", "reason"];
        self.mistakes.keys_or(entries, item.span, what, &keys, &keys, other_key);
        let reason = self.text(item, "reason");
        let Some(named) = self.named(item) else { return false };
        if !self.is_first(item, &named.id) || self.mistakes.errors() > before {
            return false;
        }
        let change = self.change(item, Vec::new(), reason);
        if let Some(rule) = named.index.and_then(|index| self.target.rules.get_mut(index)) {
            rule.disable(change);
        }
        true
    }

    fn suppress(&mut self, item: &Node) -> bool {
        let what = "an entry of `suppress`";
        let before = self.mistakes.errors();
        let Some(entries) = self.mapping(item, what) else { return false };
        let keys = ["rule", "reason", "until", "hosts", "when"];
        self.mistakes.keys_or(entries, item.span, what, &keys, &["rule", "reason"], other_key);
        let reason = self.text(item, "reason");
        let (until, place) = self.until(item).unzip();
        let hosts = self.hosts(item);
        let lists = self.lists();
        let effort = self.target.effort;
        let known = LoadContext { causes: self.target.causes, lists: &lists, proven: false, effort };
        let when = item.entry("when").and_then(|entry| selections::read(entry, &known, &mut self.mistakes));
        let named = self.named(item);
        let (Some(named), Some(reason)) = (named, reason) else { return false };
        if self.mistakes.errors() > before {
            return false;
        }
        let by = SuppressedBy { by: self.set_name(), reason, until };
        self.suppressions.add(named.id, Suppression { by, until: place, hosts, when });
        true
    }

    /// The last day, and where it is written.
    fn until(&mut self, item: &Node) -> Option<(Date, (Arc<YamlText>, Span))> {
        /// `2027-01-31`; a date's parser takes a time behind it, too.
        const LENGTH: usize = 10;
        let node = item.get("until")?;
        let text = self.mistakes.text(node, "`until`")?.trim();
        let date = text.parse::<Date>().ok().filter(|_| text.len() == LENGTH);
        if date.is_none() {
            let help = "write the last day whose incidents are suppressed, in UTC: 2027-01-31";
            self.mistakes.error_with_help(Code::R075, node.span, format!("`{text}` is not a date"), help);
        }
        Some((date?, (Arc::clone(&self.file.text), node.span)))
    }

    fn hosts(&mut self, item: &Node) -> Vec<Glob> {
        let Some(node) = item.get("hosts") else { return Vec::new() };
        let Some(items) = self.mistakes.texts(node, "`hosts`") else { return Vec::new() };
        let name = |item: &Node, mistakes: &mut Mistakes| {
            mistakes.text(item, "an entry of `hosts`").map(|name| Glob::from_wildcards(&name.trim().to_lowercase()))
        };
        let hosts: Vec<Glob> = items.iter().filter_map(|item| name(item, &mut self.mistakes)).collect();
        // Every computer, also one that nobody knows.
        if hosts.iter().any(Glob::fits_all) { Vec::new() } else { hosts }
    }

    /// The rule that an entry names: one of an earlier set.
    fn named(&mut self, item: &Node) -> Option<NamedRule> {
        let node = item.get("rule")?;
        if node.items().is_some() {
            let help = "write an entry for each rule";
            self.mistakes.error_with_help(Code::R012, node.span, "`rule` must be one rule's id, not a list", help);
            return None;
        }
        let id = self.mistakes.text(node, "`rule`")?.trim();
        let rules = &*self.target.rules;
        let Ok(index) = rules.binary_search_by(|rule| rule.id().cmp(id)) else {
            if self.target.left_out.contains(id) || self.target.written.has(id) {
                return Some(NamedRule { id: id.to_owned(), index: None });
            }
            let known = rules.iter().map(Rule::id).chain(self.target.left_out.iter().map(String::as_str));
            let help = if id.contains(['*', '?']) {
                "write an entry for each rule, with its whole id; `crashsift rules list --area AREA` shows those of an area"
                    .to_owned()
            } else {
                closest(id, known).map_or_else(
                    || {
                        "`crashsift rules list` shows all rules; where it belongs to another rule set of yours, give that \
                         set, too, before this one"
                            .to_owned()
                    },
                    |close| format!("did you mean `{close}`?"),
                )
            };
            self.mistakes.error_with_help(Code::R070, node.span, format!("there is no rule `{id}`"), help);
            return None;
        };
        let set = rules.get(index)?.origin.set;
        if set >= self.file.set {
            let (message, help) = if set == self.file.set {
                (format!("the rule `{id}` stands in this very rule set"), "change it where it stands")
            } else {
                let message = format!("the rule `{id}` belongs to a rule set that is loaded later");
                (message, "give that set first: `--rules` takes rule sets in order, later ones change earlier ones")
            };
            self.mistakes.error_with_help(Code::R071, node.span, message, help);
            return None;
        }
        Some(NamedRule { id: id.to_owned(), index: Some(index) })
    }

    /// Notes that this set changes the rule; false, with a mistake, if the set has another entry for the rule.
    fn is_first(&mut self, item: &Node, id: &str) -> bool {
        let span = item.get("rule").map_or(item.span, |node| node.span);
        if let Some((file, first)) = self.changed.get(id) {
            let message = format!("this rule set says twice what becomes of the rule `{id}`");
            let twice = Diagnostic::error(Code::R072, &self.file.text, span, message)
                .with_other(file, *first, "first here")
                .with_help("put it into one entry; a rule is either overridden or disabled");
            self.mistakes.add(twice);
            return false;
        }
        self.changed.insert(id.to_owned(), (Arc::clone(&self.file.text), span));
        true
    }

    fn change(&self, item: &Node, keys: Vec<&'static str>, reason: Option<String>) -> Change {
        Change { by: self.set_name(), file: self.file.text.name.clone(), line: item.span.line, keys, reason }
    }

    /// The lists that the set's rules can name.
    fn lists(&self) -> Arc<Lists> {
        self.target.lists.get(self.file.set).map(Arc::clone).unwrap_or_default()
    }

    fn set_name(&self) -> String {
        self.target.sets.get(self.file.set).map(|set| set.name.clone()).unwrap_or_default()
    }

    fn text(&mut self, item: &Node, key: &str) -> Option<String> {
        let text = self.mistakes.text(item.get(key)?, &format!("`{key}`"))?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// What to write for a key that overlays do not have.
fn other_key(key: &str) -> Option<String> {
    hints::OVERLAY_KEYS.get(key).map(str::to_owned)
}

/// Whether the key defines a rule and so can't be overridden.
fn is_fixed(key: &str) -> bool {
    RULE_KEYS.contains(&key) && !OVERRIDABLE.contains(&key)
}
