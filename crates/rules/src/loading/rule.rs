//! A rule as it is used: everything read, checked and compiled.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem::swap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::language::{Effect, Logic, Outcome, Remediation, Request, Severity, Texts};
use crate::prefilter::Needs;
use crate::reading::{Lists, ReadRule, Tests, rule_file, source, without_facts};
use facts::FactSet;
use memchr::memmem;
use rule_syntax::prepared::PreparedRule;
use spanned_yaml::{Span, YamlText};

/// One rule of a loaded rule set.
///
/// A user's rule is read as a whole when it is loaded, because its mistakes have to be reported. Of a built-in rule, whose
/// mistakes would have kept the program from being released, each part is read when it is first asked for: most runs
/// ask for the logic of some rules and for the texts of few.
#[derive(Debug)]
pub struct Rule {
    pub(crate) id: Cow<'static, str>,
    pub(crate) origin: Origin,
    pub(crate) file: Arc<YamlText>,
    pub(crate) span: Span,
    pub(crate) id_span: Span,
    pub(crate) needs: Needs,
    logic: OnceLock<Logic>,
    texts: OnceLock<Texts>,
    tests: OnceLock<Tests>,
    /// Where parts that are not read yet come from: a built-in rule as the build left it, and the lists that it can name.
    prepared: Option<(PreparedRule<'static>, Arc<Lists>)>,
    overrides: Vec<Change>,
    disabled: Option<Change>,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    /// The set that it belongs to, by index.
    pub set: usize,
    /// Whether that set is the one inside the program.
    pub embedded: bool,
}

impl Rule {
    /// A rule that was read as a whole.
    pub(crate) fn new(rule: ReadRule, origin: Origin) -> Self {
        let ReadRule { id, file, span, id_span, logic, texts, tests } = rule;
        Self {
            id: id.into(),
            origin,
            file,
            span,
            id_span,
            needs: Needs::from_logic(&logic),
            logic: logic.into(),
            texts: texts.into(),
            tests: tests.into(),
            prepared: None,
            overrides: Vec::new(),
            disabled: None,
        }
    }

    /// A built-in rule that is not decoded yet.
    pub(crate) fn prepared(
        rule: PreparedRule<'static>,
        origin: Origin,
        file: Arc<YamlText>,
        lists: &Arc<Lists>,
    ) -> Self {
        Self {
            id: rule.id.into(),
            origin,
            file,
            span: rule.span,
            id_span: rule.id_span,
            needs: Needs::prepared(&rule.needs),
            logic: OnceLock::new(),
            texts: OnceLock::new(),
            tests: OnceLock::new(),
            prepared: Some((rule, Arc::clone(lists))),
            overrides: Vec::new(),
            disabled: None,
        }
    }

    /// What it asks of an incident, read when first needed.
    pub(crate) fn logic(&self) -> &Logic {
        self.logic.get_or_init(|| {
            let prepared = self.prepared.as_ref();
            let read = prepared.and_then(|(rule, lists)| rule_file::prepared_logic(rule.logic, &self.file, lists));
            read.unwrap_or_else(Logic::never)
        })
    }

    /// Whether its selections may ask for a fact or list. Of a built-in rule that is seen without decoding it: the encoding has
    /// texts as they are.
    pub(crate) fn may_ask_for(&self, path: &str) -> bool {
        let unread = self.prepared.as_ref().filter(|_| self.logic.get().is_none());
        unread.is_none_or(|(rule, _)| memmem::find(source::encoded(rule.logic), path.as_bytes()).is_some())
    }

    /// Whether it is a built-in rule of which the build has read what it needs.
    pub(crate) fn is_prepared(&self) -> bool {
        self.prepared.is_some()
    }

    /// What it states, read when first needed.
    pub(crate) fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let selections = || &*self.logic().selections;
            let prepared = self.prepared.as_ref();
            let read = prepared
                .and_then(|(rule, lists)| rule_file::prepared_texts(rule.texts, &self.file, lists, selections()));
            read.unwrap_or_default()
        })
    }

    /// Its tests, read when first needed, with the file that they are in.
    pub(crate) fn tests(&self) -> &Tests {
        self.tests.get_or_init(|| {
            let read = self.prepared.as_ref().and_then(|(rule, _)| rule_file::prepared_tests(rule.tests));
            read.unwrap_or_else(|| Tests { file: Arc::clone(&self.file), all: Vec::new() })
        })
    }

    /// Applies an override of a later rule set, which gives the keys of the change anew.
    pub(crate) fn change(&mut self, mut new: Texts, change: Change) {
        // What is not changed has to be read first.
        self.texts();
        if let Some(texts) = self.texts.get_mut() {
            for key in &change.keys {
                match *key {
                    "title" => swap(&mut texts.title, &mut new.title),
                    "confidence" => swap(&mut texts.confidence, &mut new.confidence),
                    "severity" => swap(&mut texts.severity, &mut new.severity),
                    "explanation" => swap(&mut texts.explanation, &mut new.explanation),
                    "remediation" => swap(&mut texts.remediation, &mut new.remediation),
                    "collect" => swap(&mut texts.collect, &mut new.collect),
                    "references" => swap(&mut texts.references, &mut new.references),
                    other => debug_assert!(false, "`{other}` is in OVERRIDABLE and is not overridden"),
                }
            }
        }
        self.overrides.push(change);
    }

    /// Disables it for a later rule set. Of several, the first is named.
    pub(crate) fn disable(&mut self, change: Change) {
        self.disabled.get_or_insert(change);
    }

    /// The overrides of later rule sets, in their order.
    #[must_use]
    pub fn overrides(&self) -> &[Change] {
        &self.overrides
    }

    /// The change that disabled it, if one did: it judges nothing then.
    #[must_use]
    pub fn disabled(&self) -> Option<&Change> {
        self.disabled.as_ref()
    }

    /// Its id, `area/name`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The first part of its id.
    #[must_use]
    pub fn area(&self) -> &str {
        self.id.split_once('/').map_or("", |(area, _)| area)
    }

    /// What it finds, in one line, with what stands in the place of facts that are not known.
    #[must_use]
    pub fn title(&self) -> Cow<'_, str> {
        without_facts(&self.texts().title)
    }

    /// The cause that it names.
    #[must_use]
    pub fn cause(&self) -> &str {
        &self.texts().cause
    }

    /// How often the cause is right when the rule matches, before adjustments.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.texts().confidence
    }

    /// What the cause means for the user.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.texts().severity
    }

    /// What to do, one action each, as it is written: facts are not filled in.
    pub fn remediation(&self) -> impl Iterator<Item = &Remediation> {
        self.texts().remediation.iter().map(|written| &written.step)
    }

    /// The explanation of the cause as the rule writes it, without facts filled in.
    #[must_use]
    pub fn explanation(&self) -> &str {
        &self.texts().explanation
    }

    /// Requests for evidence that would raise its confidence, each with the conditions that make it needless.
    #[must_use]
    pub fn collect(&self) -> Vec<String> {
        self.texts().collect.iter().map(Request::shown).collect()
    }

    /// Where the knowledge comes from.
    #[must_use]
    pub fn references(&self) -> &[String] {
        &self.texts().references
    }

    /// Its tests, as examples of what it is for.
    pub fn examples(&self) -> impl Iterator<Item = Example<'_>> {
        self.tests().all.iter().map(|test| Example { name: &test.name, facts: &test.facts, expect: test.expect })
    }

    /// The facts and lists that its selections ask for or that it requires, sorted.
    #[must_use]
    pub fn facts_asked(&self) -> BTreeSet<&'static str> {
        self.logic().terms().map(|term| term.test.path()).chain(self.requires()).collect()
    }

    /// How many tests it brings.
    #[must_use]
    pub fn test_count(&self) -> usize {
        self.tests().all.len()
    }

    /// The file that it is in, as diagnostics name it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file.name
    }

    /// The line of its id.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.id_span.line
    }

    /// Whether it is inside the program.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.origin.embedded
    }

    /// The facts and lists without which it is skipped.
    pub fn requires(&self) -> impl Iterator<Item = &'static str> {
        self.logic().requires.iter().map(|required| required.name())
    }

    /// The ids of the rules whose findings it takes the place of.
    pub fn supersedes(&self) -> impl Iterator<Item = &str> {
        self.texts().supersedes.iter().map(|superseded| superseded.id.as_str())
    }

    /// Its adjustments as they are written: effect, condition, and the sentence for the report.
    #[must_use]
    pub fn adjustments(&self) -> Vec<(Effect, &str, &str)> {
        let adjustments = self.texts().adjustments.iter();
        adjustments
            .map(|adjustment| (adjustment.change, adjustment.written.as_str(), adjustment.say.as_str()))
            .collect()
    }

    /// Its selections and its condition as they are written, without the indentation that the first line has.
    #[must_use]
    pub fn logic_written(&self) -> String {
        self.file.lines_of(self.logic().span).into_iter().map(|line| line + "\n").collect()
    }
}

/// A test of a rule, as an example of what the rule is for.
#[derive(Debug, Clone, Copy)]
pub struct Example<'r> {
    /// The test's name.
    pub name: &'r str,
    /// The facts of the test.
    pub facts: &'r FactSet,
    /// The expected outcome of the rule.
    pub expect: Outcome,
}

/// A change of a rule by a later rule set: an override, or that it is disabled.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The rule set's name.
    pub by: String,
    /// The keys of the rule that the overlay replaces, in the order of the file; empty for a disabled rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<&'static str>,
    /// The reason that the overlay gives for the change.
    pub reason: Option<String>,
    /// The file of the overlay.
    pub file: String,
    /// Its line.
    pub line: u32,
}

impl Change {
    /// The rule set and its reason, worded to follow "disabled" or "overridden": `by site: too noisy`.
    #[must_use]
    pub fn description(&self) -> String {
        let why = self.reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
        format!("by {}{why}", self.by)
    }
}
