//! A rule as it is used: everything read, checked and compiled.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::collect::Request;
use super::entries::Lacking;
use super::evaluate::{Evaluation, Truth};
use super::explain::Text;
use super::finding::{Audience, Severity};
use super::list::Lists;
use super::outcome::Outcome;
use super::overlay::Change;
use super::parse::{self, ReadTexts};
use super::prefilter::Needs;
use super::required;
use super::selection::{Selection, Term};
use super::self_test::{SelfTest, Tests};
use super::source::encoded;
use super::subject::Subject;
use super::supersede::Superseded;
use super::view::View;
use facts::FactSet;
use rule_syntax::condition::Condition;
use rule_syntax::prepared::PreparedRule;
use spanned_yaml::{Span, YamlText};

/// One rule of a loaded rule set.
///
/// A user's rule is read as a whole when it is loaded, because its mistakes have to be reported. Of a built-in rule, whose
/// mistakes would have kept the program from being released, each part is read when it is first asked for: most runs
/// ask for the logic of some rules and for the texts of few.
#[derive(Debug)]
pub struct Rule {
    pub(super) id: Cow<'static, str>,
    pub(super) origin: Origin,
    pub(super) file: Arc<YamlText>,
    pub(super) span: Span,
    pub(super) id_span: Span,
    pub(super) needs: Needs,
    parts: LazyParts,
    overrides: Vec<Change>,
    disabled: Option<Change>,
}

/// The parts of a rule, as far as they are read.
#[derive(Debug)]
struct LazyParts {
    logic: OnceLock<Logic>,
    texts: OnceLock<Texts>,
    tests: OnceLock<Tests>,
    /// Where parts that are not read yet come from.
    prepared: Option<Prepared>,
}

/// A built-in rule as the build left it.
#[derive(Debug)]
struct Prepared {
    rule: PreparedRule<'static>,
    lists: Arc<Lists>,
}

/// The logic of a rule: what it asks of an incident.
#[derive(Debug)]
pub(super) struct Logic {
    pub selections: Vec<Selection>,
    pub condition: Condition,
    pub requires: Vec<Subject>,
    /// Where selections and condition stand.
    pub span: Span,
}

/// The texts of a rule: what it states about the incidents that it matches.
#[derive(Debug)]
pub(super) struct Texts {
    pub title: String,
    pub cause: String,
    pub confidence: f64,
    pub severity: Severity,
    pub adjustments: Vec<Adjustment>,
    pub supersedes: Vec<Superseded>,
    pub explanation: Text,
    pub remediation: Vec<(Audience, Text)>,
    pub collect: Vec<Request>,
    pub references: Vec<String>,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The set that it belongs to, by index.
    pub set: usize,
    /// Whether that set is the one inside the program.
    pub embedded: bool,
}

/// Evidence that moves the confidence.
#[derive(Debug)]
pub(super) struct Adjustment {
    pub when: Condition,
    /// The condition as the rule has it, and where.
    pub written: String,
    pub span: Span,
    pub change: Effect,
    pub say: Text,
}

/// What an adjustment does to the confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Moves it by so much, up or down.
    By(f64),
    /// Caps it: it is no surer than this, whatever else moves it.
    Most(f64),
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::By(by) => write!(f, "{by:+.2}"),
            Self::Most(most) => write!(f, "at most {most:.2}"),
        }
    }
}

/// A rule's id and places.
pub(super) struct RulePlace {
    pub id: String,
    pub file: Arc<YamlText>,
    pub span: Span,
    pub id_span: Span,
}

impl Rule {
    /// A rule that was read as a whole.
    pub(super) fn new(place: RulePlace, origin: Origin, logic: Logic, texts: Texts, tests: Tests) -> Self {
        let RulePlace { id, file, span, id_span } = place;
        let needs = Needs::from_logic(&logic);
        let parts = LazyParts { logic: logic.into(), texts: texts.into(), tests: tests.into(), prepared: None };
        let (overrides, disabled) = (Vec::new(), None);
        Self { id: Cow::Owned(id), origin, file, span, id_span, needs, parts, overrides, disabled }
    }

    /// A built-in rule, of which nothing is read yet.
    pub(super) fn prepared(
        rule: PreparedRule<'static>,
        origin: Origin,
        file: &Arc<YamlText>,
        lists: &Arc<Lists>,
    ) -> Self {
        let needs = Needs::prepared(&rule.needs);
        Self {
            id: Cow::Borrowed(rule.id),
            origin,
            file: Arc::clone(file),
            span: rule.span,
            id_span: rule.id_span,
            needs,
            parts: LazyParts {
                logic: OnceLock::new(),
                texts: OnceLock::new(),
                tests: OnceLock::new(),
                prepared: Some(Prepared { rule, lists: Arc::clone(lists) }),
            },
            overrides: Vec::new(),
            disabled: None,
        }
    }

    /// What it asks of an incident, read when first needed.
    pub(super) fn logic(&self) -> &Logic {
        self.parts.logic.get_or_init(|| {
            let read = |from: &Prepared| parse::prepared_logic(encoded(from.rule.logic), &self.file, &from.lists);
            self.parts.prepared.as_ref().and_then(read).unwrap_or_else(Logic::never)
        })
    }

    /// Whether it is a built-in rule of which the build has read what it needs.
    pub(super) fn is_prepared(&self) -> bool {
        self.parts.prepared.is_some()
    }

    /// What it states, read when first needed.
    pub(super) fn texts(&self) -> &Texts {
        self.parts.texts.get_or_init(|| {
            let read = |from: &Prepared| {
                parse::prepared_texts(encoded(from.rule.texts), &self.file, &from.lists, &self.logic().selections)
            };
            self.parts.prepared.as_ref().and_then(read).unwrap_or_else(Texts::none)
        })
    }

    /// Its tests, read when first needed.
    pub(super) fn tests(&self) -> &[SelfTest] {
        &self.read_tests().all
    }

    /// The file that its tests are in, as diagnostics name it.
    pub(super) fn tests_file(&self) -> &str {
        &self.read_tests().file.name
    }

    fn read_tests(&self) -> &Tests {
        self.parts.tests.get_or_init(|| {
            let read = |from: &Prepared| parse::prepared_tests(from.rule.tests);
            let none = || Tests { file: Arc::clone(&self.file), all: Vec::new() };
            self.parts.prepared.as_ref().and_then(read).unwrap_or_else(none)
        })
    }

    /// Applies an override of a later rule set.
    pub(super) fn change(&mut self, changes: ReadTexts, change: Change) {
        // What is not changed has to be read first.
        self.texts();
        if let Some(texts) = self.parts.texts.get_mut() {
            changes.apply(texts);
        }
        self.overrides.push(change);
    }

    /// Disables it for a later rule set. Of several, the first is named.
    pub(super) fn disable(&mut self, change: Change) {
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

    /// What it finds, in one line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.texts().title
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

    /// What to do, for whom, as it is written: facts are not filled in.
    pub fn remediation(&self) -> impl Iterator<Item = (Audience, &str)> {
        self.texts().remediation.iter().map(|(audience, text)| (*audience, text.written()))
    }

    /// Why, as it is written: facts are not filled in.
    #[must_use]
    pub fn explanation(&self) -> &str {
        self.texts().explanation.written()
    }

    /// What would make it surer, with what makes that needless.
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
        self.tests().iter().map(|test| Example { name: &test.name, facts: &test.facts, expect: test.expect })
    }

    /// The facts and lists that its selections ask for or that it requires, sorted.
    #[must_use]
    pub fn facts_asked(&self) -> BTreeSet<&'static str> {
        self.logic().terms().map(|term| term.test.path()).chain(self.requires()).collect()
    }

    /// How many tests it brings.
    #[must_use]
    pub fn test_count(&self) -> usize {
        self.tests().len()
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

    /// What moves or caps its confidence, as it is written: how, on which condition, and the sentence that says so.
    #[must_use]
    pub fn adjustments(&self) -> Vec<(Effect, &str, &str)> {
        let adjustments = self.texts().adjustments.iter();
        adjustments
            .map(|adjustment| (adjustment.change, adjustment.written.as_str(), adjustment.say.written()))
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
    /// The facts that are known in it.
    pub facts: &'r FactSet,
    /// What the rule makes of them.
    pub expect: Outcome,
}

impl Texts {
    /// No texts.
    fn none() -> Self {
        Self {
            title: String::new(),
            cause: String::new(),
            confidence: 0.0,
            severity: Severity::Low,
            adjustments: Vec::new(),
            supersedes: Vec::new(),
            explanation: Text::Plain(String::new()),
            remediation: Vec::new(),
            collect: Vec::new(),
            references: Vec::new(),
        }
    }
}

impl Logic {
    /// The terms of all selections.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.selections.iter().flat_map(Selection::terms)
    }

    /// Whether the rule matches.
    pub fn truth(&self, evaluation: &mut Evaluation<'_, '_>, view: &View<'_>) -> Truth {
        required::with(&self.requires, evaluation.truth(&self.condition), view)
    }

    /// The facts whose absence leaves open whether the rule matches, sorted, each once. Nothing where that is decided.
    pub fn missing(&self, evaluation: &mut Evaluation<'_, '_>, view: &View<'_>) -> Vec<Lacking> {
        let mut lacking = BTreeSet::new();
        if self.truth(evaluation, view) == Truth::Undecided {
            evaluation.missing(&self.condition, &mut lacking);
            required::missing(&self.requires, view, &mut lacking);
        }
        lacking.into_iter().collect()
    }

    /// The logic of a rule that never matches.
    fn never() -> Self {
        let (selections, requires) = (Vec::new(), Vec::new());
        Self { selections, condition: Condition::Any(Vec::new()), requires, span: Span::default() }
    }
}
