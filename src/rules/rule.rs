//! A rule as it is used: everything read, checked and compiled.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::condition::Condition;
use super::explain::Text;
use super::finding::{Audience, Severity};
use super::gate::Gate;
use super::list::Lists;
use super::parse;
use super::prepared::PreparedRule;
use super::selection::Selection;
use super::self_test::SelfTest;
use crate::yaml::{Span, YamlText};

/// One rule of a loaded rule set.
///
/// A user's rule is read as a whole when it is loaded, because its mistakes have to be told. Of a built-in rule, whose
/// mistakes would have kept the program from being released, each part is read when it is first asked for: most runs
/// ask for the logic of some rules and for the texts of few.
#[derive(Debug)]
pub struct Rule {
    pub(super) id: Cow<'static, str>,
    pub(super) origin: Origin,
    pub(super) file: Arc<YamlText>,
    pub(super) span: Span,
    pub(super) id_span: Span,
    pub(super) gate: Gate,
    parts: Parts,
}

/// The parts of a rule, as far as they are read.
#[derive(Debug)]
struct Parts {
    logic: OnceLock<Logic>,
    texts: OnceLock<Texts>,
    tests: OnceLock<Vec<SelfTest>>,
    /// Where parts that are not read yet come from.
    prepared: Option<Prepared>,
}

/// A built-in rule as the build left it.
#[derive(Debug)]
struct Prepared {
    rule: PreparedRule<'static>,
    lists: Arc<Lists>,
}

/// What a rule asks of an incident.
#[derive(Debug)]
pub(super) struct Logic {
    pub selections: Vec<Selection>,
    pub condition: Condition,
    /// Where both stand.
    pub span: Span,
}

/// What a rule says of the incidents that it matches.
#[derive(Debug)]
pub(super) struct Texts {
    pub title: String,
    pub cause: String,
    pub confidence: f64,
    pub severity: Severity,
    pub adjustments: Vec<Adjustment>,
    pub explanation: Text,
    pub remediation: Vec<(Audience, Text)>,
    pub collect: Vec<String>,
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
    /// The condition as the rule has it.
    pub written: String,
    pub by: f64,
    pub say: Text,
}

/// A rule's id and places.
pub(super) struct Place {
    pub id: String,
    pub file: Arc<YamlText>,
    pub span: Span,
    pub id_span: Span,
}

impl Rule {
    /// A rule that was read as a whole.
    pub(super) fn new(
        place: Place,
        origin: Origin,
        gate: Gate,
        logic: Logic,
        texts: Texts,
        tests: Vec<SelfTest>,
    ) -> Self {
        let Place { id, file, span, id_span } = place;
        let parts = Parts { logic: logic.into(), texts: texts.into(), tests: tests.into(), prepared: None };
        Self { id: Cow::Owned(id), origin, file, span, id_span, gate, parts }
    }

    /// A built-in rule, of which nothing is read yet.
    pub(super) fn prepared(
        rule: PreparedRule<'static>,
        origin: Origin,
        file: &Arc<YamlText>,
        lists: &Arc<Lists>,
    ) -> Self {
        let gate = Gate::new(&rule.needs);
        Self {
            id: Cow::Borrowed(rule.id),
            origin,
            file: Arc::clone(file),
            span: rule.span,
            id_span: rule.id_span,
            gate,
            parts: Parts {
                logic: OnceLock::new(),
                texts: OnceLock::new(),
                tests: OnceLock::new(),
                prepared: Some(Prepared { rule, lists: Arc::clone(lists) }),
            },
        }
    }

    /// What it asks.
    pub(super) fn logic(&self) -> &Logic {
        self.parts.logic.get_or_init(|| {
            let read = |from: &Prepared| parse::prepared_logic(from.rule.logic.bytes(), &self.file, &from.lists);
            self.parts.prepared.as_ref().and_then(read).unwrap_or_else(Logic::never)
        })
    }

    /// What it says.
    pub(super) fn texts(&self) -> &Texts {
        self.parts.texts.get_or_init(|| {
            let read = |from: &Prepared| {
                parse::prepared_texts(from.rule.texts.bytes(), &self.file, &from.lists, &self.logic().selections)
            };
            self.parts.prepared.as_ref().and_then(read).unwrap_or_else(Texts::none)
        })
    }

    /// How it is shown to be right.
    pub(super) fn tests(&self) -> &[SelfTest] {
        self.parts.tests.get_or_init(|| {
            let read = |from: &Prepared| parse::prepared_tests(from.rule.tests.bytes(), &self.file);
            self.parts.prepared.as_ref().map(read).unwrap_or_default()
        })
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

    /// What would make it surer.
    #[must_use]
    pub fn collect(&self) -> &[String] {
        &self.texts().collect
    }

    /// Where the knowledge comes from.
    #[must_use]
    pub fn references(&self) -> &[String] {
        &self.texts().references
    }

    /// How many tests it brings.
    #[must_use]
    pub fn test_count(&self) -> usize {
        self.tests().len()
    }

    /// The file that it stands in, as diagnostics name it.
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

    /// What moves its confidence, as it is written: by how much, on which condition, and the sentence that says so.
    #[must_use]
    pub fn adjustments(&self) -> Vec<(f64, &str, &str)> {
        let adjustments = self.texts().adjustments.iter();
        adjustments.map(|adjustment| (adjustment.by, adjustment.written.as_str(), adjustment.say.written())).collect()
    }

    /// The whole rule as it is written.
    #[must_use]
    pub fn written(&self) -> String {
        self.without_indentation(self.span)
    }

    /// Its selections and its condition as they are written.
    #[must_use]
    pub fn logic_written(&self) -> String {
        self.without_indentation(self.logic().span)
    }

    /// A part of the rule's file without the indentation that its first line has.
    fn without_indentation(&self, span: Span) -> String {
        self.file.lines_of(span).into_iter().map(|line| line + "\n").collect()
    }
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
            explanation: Text::Plain(String::new()),
            remediation: Vec::new(),
            collect: Vec::new(),
            references: Vec::new(),
        }
    }
}

impl Logic {
    /// The logic of a rule that never matches.
    fn never() -> Self {
        Self { selections: Vec::new(), condition: Condition::Any(Vec::new()), span: Span::default() }
    }
}
