//! Why two programs disagree about a rule and a record.
//!
//! A reason counts only when it is checked: in most cases, the rule is applied here with the other program's known
//! interpretation, and then gives the other program's result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use evtx_scan::{Record, RecordFields};
use pipeline::sigma_matches::SigmaMatcher;
use sigma::SigmaRules;
use windows_events::RecordMatcher;

use super::mapping::Mapping;
use super::peer::{chainsaw_places, hayabusa_place, lines};
use super::records::{Place, any_matches, with_head_first, without_blanks, without_truth};
use super::rules::{Rule, read};

/// A rule and a record about which two programs disagree.
pub struct Case<'c> {
    pub rule: &'c Rule,
    pub at: &'c Place,
    pub record: &'c Record<'c>,
    /// Whether the rule matches according to the other program.
    pub peer_matches: bool,
    /// The id of the rule that the other program used, if it matches.
    pub used: Option<&'c str>,
}

impl Case<'_> {
    /// Whether these rules give the other program's result for the record.
    fn agrees(&self, rules: &SigmaRules) -> bool {
        self.agrees_on(rules, self.record)
    }

    fn agrees_on(&self, rules: &SigmaRules, record: &Record<'_>) -> bool {
        any_matches(rules, record) == self.peer_matches
    }

    fn agrees_with_fields(&self, rules: &SigmaRules, fields: &RecordFields) -> bool {
        self.agrees_on(rules, &Record { fields, ..*self.record })
    }

    /// Whether the record belongs to the rule's log source.
    fn is_of_source(&self, rules: &SigmaRules) -> bool {
        SigmaMatcher(rules).records().has(self.record.channel, self.record.event_id)
    }

    /// The reasons that apply to every program.
    fn common(&self, own: &SigmaRules) -> Option<&'static str> {
        if self.agrees_with_fields(own, &with_head_first(self.record)) {
            Some("the head's Provider, Channel or Computer is taken where the record has a field of that name")
        } else if self.agrees(&self.rule.with_plain_backslashes()) {
            Some("two backslashes in it are read as two, not as one that was escaped")
        } else if self.agrees_with_fields(own, &without_blanks(self.record)) {
            Some("blanks at the end of a value do not count")
        } else {
            None
        }
    }
}

/// A program with other results.
pub trait Differs {
    /// The reason in this case; `None` where it is not known.
    fn reason(&self, case: &Case<'_>) -> Option<&'static str>;
}

/// Hayabusa with its rewritten rules.
pub struct Hayabusa {
    pub rules: BTreeMap<String, Rule>,
    /// The rewritten rules of each rule.
    made_of: BTreeMap<String, Vec<String>>,
    /// The ids in its list of excluded rules.
    left_out: BTreeSet<String>,
    /// The records that it reads, if its output for a rule that matches every record is given.
    read: Option<BTreeSet<Place>>,
}

impl Hayabusa {
    /// The repository of its rules, and its output for a rule that every record matches.
    pub fn new(
        folder: &Path,
        originals: &BTreeMap<String, Rule>,
        read_by: Option<(&Path, &Path)>,
    ) -> Result<Self, String> {
        let rules = read(&folder.join("sigma"))?;
        let mut made_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (id, rule) in &rules {
            if let Some(original) = super::peer::original(rule, originals) {
                made_of.entry(original.id.clone()).or_default().push(id.clone());
            }
        }
        let list = std::fs::read_to_string(folder.join("config/exclude_rules.txt")).unwrap_or_default();
        let ids = list.lines().filter_map(|line| line.split_whitespace().next());
        let read = read_by.map(|(path, logs)| {
            let places = lines(path)?;
            Ok::<_, String>(places.iter().filter_map(|line| hayabusa_place(line, logs)).collect())
        });
        Ok(Self { rules, made_of, left_out: ids.map(str::to_owned).collect(), read: read.transpose()? })
    }
}

impl Differs for Hayabusa {
    fn reason(&self, case: &Case<'_>) -> Option<&'static str> {
        let own = case.rule.loaded();
        let made = self.made_of.get(&case.rule.id).map(Vec::as_slice).unwrap_or_default();
        if !case.peer_matches {
            if made.is_empty() {
                return Some("it has no such rule");
            }
            if made.iter().all(|id| self.left_out.contains(id)) {
                return Some("its list of rules that are left out has it");
            }
            if self.read.as_ref().is_some_and(|read| !read.contains(case.at)) {
                return Some("it does not read the record");
            }
        }
        if let Some(reason) = case.common(&own) {
            return Some(reason);
        }
        let used = case.used.into_iter().chain(made.iter().map(String::as_str)).filter_map(|id| self.rules.get(id));
        let rewritten: Vec<SigmaRules> = used.map(Rule::about_every_record).collect();
        // The rewritten rule uses other names of fields, so this program can't check whether it matches.
        if case.peer_matches && !case.is_of_source(&own) && rewritten.iter().any(|rules| case.is_of_source(rules)) {
            return Some("its rewritten rule is about another event, too");
        }
        if rewritten.iter().any(|rules| any_matches(rules, case.record)) != case.peer_matches {
            return None;
        }
        Some(if case.record.event_id == 4688 {
            "a field that event 4688 does not have is taken for one that is empty"
        } else {
            "its rewritten rule asks for something else"
        })
    }
}

/// Chainsaw with a mapping.
pub struct Chainsaw {
    pub mapping: Option<Mapping>,
    /// The output of `chainsaw lint` about the rules.
    pub lint: String,
    /// The records that it reads, if its output for a rule that matches every record is given.
    pub read: Option<BTreeSet<Place>>,
}

impl Chainsaw {
    /// The records in its output for a rule that every record matches.
    pub fn read(path: &Path, logs: &Path) -> Result<BTreeSet<Place>, String> {
        Ok(lines(path)?.iter().flat_map(|line| chainsaw_places(line, logs)).flatten().collect())
    }
}

impl Differs for Chainsaw {
    fn reason(&self, case: &Case<'_>) -> Option<&'static str> {
        let own = case.rule.loaded();
        let refused = format!("/{}: ", case.rule.path);
        if !case.peer_matches
            && let Some(line) = self.lint.lines().find(|line| line.contains(&refused))
        {
            let known = [
                ("modifiers - windash", "it does not load the rule: modifier `windash`"),
                ("modifiers - cidr", "it does not load the rule: modifier `cidr`"),
                ("modifiers - fieldref", "it does not load the rule: modifier `fieldref`"),
                ("keyless identifiers", "it does not load the rule: words without a field"),
            ];
            let known = known.into_iter().find(|(says, _)| line.contains(says));
            return Some(known.map_or("it does not load the rule", |(_, reason)| reason));
        }
        if !case.peer_matches && self.read.as_ref().is_some_and(|read| !read.contains(case.at)) {
            return Some("it does not read the record");
        }
        if let Some(mapping) = &self.mapping {
            if !case.peer_matches && mapping.leaves_out(&case.rule.title) {
                return Some("its mapping leaves the rule out");
            }
            if !case.peer_matches && !mapping.is_about(case.rule, case.record) {
                return Some("its mapping takes other records for the rule's log source");
            }
        }
        if let Some(reason) = case.common(&own) {
            return Some(reason);
        }
        let anywhere = case.rule.about_every_record();
        if case.peer_matches && !case.is_of_source(&own) && case.agrees(&anywhere) {
            return Some("it takes records of other logs for the rule's log source");
        }
        if case.agrees_with_fields(&own, &without_truth(case.record)) {
            return Some("a truth value is not compared with the text `true` or `false`");
        }
        if case.agrees(&case.rule.with_plain_stars()) {
            return Some("`*` within a value is that character and not any text");
        }
        let mapping = self.mapping.as_ref()?;
        if case.agrees_with_fields(&anywhere, &mapping.fields(case.record)) {
            return Some("its mapping does not have a field that the rule asks for, or has it elsewhere");
        }
        let unknown = case.rule.fields.iter().any(|field| !mapping.has(field));
        (!case.peer_matches && unknown)
            .then_some("its mapping does not have a field that the rule asks for behind `not`")
    }
}
