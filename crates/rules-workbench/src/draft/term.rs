//! A term of a draft: one line of YAML, facts for which it holds, and similar facts for which it does not hold.

use std::sync::Arc;

use evidence::{Version, base_name};
use facts::schema::{self, FactDefinition, ListDefinition, OTHER_INCIDENTS};
use facts::{FactSet, FactType, Record, Value, quoted, write_fact};
use rules::Question;
use untrusted::sanitise;

/// The list of lines, and the field with a line.
const TEXT: (&str, &str) = ("text", "line");
/// The list of records, and the field with a record's kind.
const TIMELINE: &str = "timeline";
const KIND: &str = "kind";
/// Two kinds of records.
const ONE_KIND: &str = "thermal";
const ANOTHER_KIND: &str = "power-state";
/// A line without any message of a failure.
const OTHER_LINE: &str = "Everything went well.";

#[derive(Debug, Clone)]
pub(super) enum DraftTerm {
    /// A fact with this value.
    Fact(&'static FactDefinition, Value),
    /// A list with an entry of these values.
    Entry(&'static ListDefinition, Vec<(&'static FactDefinition, Value)>),
    /// A text with a line that contains this.
    Line(String),
    /// A record of the timeline before the incident: its kind, the field with the seconds between, and the most of them.
    Recorded(Arc<str>, &'static FactDefinition, u64),
    /// Incidents on other machines: the field for what they have in common, within how many seconds, and on how many
    /// machines.
    Elsewhere(&'static str, u64, usize),
}

impl DraftTerm {
    /// The term for a fact's value as an incident has it, if a rule can ask for it word for word.
    pub(super) fn fact(facts: &FactSet, path: &str) -> Option<Self> {
        let definition = schema::scalar(path)?;
        Some(Self::Fact(definition, askable(definition.kind, &facts.get(path)?.value)?))
    }

    /// The term for an entry of a list with these values.
    pub(super) fn entry(list: &str, values: &[(&str, Value)]) -> Option<Self> {
        let definition = schema::list(list)?;
        let fields = values.iter().map(|(field, value)| {
            let field = definition.fields.iter().find(|known| known.path == *field)?;
            Some((field, askable(field.kind, value)?))
        });
        Some(Self::Entry(definition, fields.collect::<Option<Vec<_>>>()?))
    }

    /// The term for a record of this kind at most `within` seconds before the incident, by the field with the seconds.
    pub(super) fn recorded(kind: &str, field: &str, within: u64) -> Option<Self> {
        let field = schema::list(TIMELINE)?.fields.iter().find(|known| known.path == field)?;
        Some(Self::Recorded(Arc::from(kind), field, within))
    }

    /// The fact or list that it is about.
    pub(super) fn path(&self) -> &'static str {
        match self {
            Self::Fact(definition, _) => definition.path,
            Self::Entry(definition, _) => definition.name,
            Self::Line(_) => TEXT.0,
            Self::Recorded(..) => TIMELINE,
            Self::Elsewhere(..) => OTHER_INCIDENTS,
        }
    }

    /// The YAML of a selection of this term alone, on one line.
    pub(super) fn on_one_line(&self) -> String {
        format!("{{{}}}", self.yaml())
    }

    /// The YAML of the term.
    pub(super) fn yaml(&self) -> String {
        match self {
            Self::Fact(definition, value) => write_fact(definition, value),
            Self::Entry(definition, fields) => {
                let fields: Vec<String> = fields.iter().map(|(field, value)| write_fact(field, value)).collect();
                format!("{}|any: {{{}}}", definition.name, fields.join(", "))
            }
            Self::Line(part) => format!("{}|any: {{{}|contains: {}}}", TEXT.0, TEXT.1, quoted(part)),
            Self::Recorded(kind, field, within) => {
                format!("{TIMELINE}|any: {{{KIND}: {kind}, {}|within: {}}}", field.path, duration(*within))
            }
            Self::Elsewhere(field, within, machines) => format!(
                "{OTHER_INCIDENTS}|count: {{where: {{{field}: true, same_host: false, seconds_away|within: {}}}, distinct: host, \
                 gte: {machines}}}",
                duration(*within)
            ),
        }
    }

    /// The term compiled, as a question to facts.
    pub(super) fn question(&self) -> Option<Question> {
        Question::read(&self.on_one_line())
    }

    /// Facts for which the term holds, and no others.
    pub(super) fn facts(&self) -> FactSet {
        let mut facts = FactSet::default();
        self.put(&mut facts);
        facts
    }

    /// Adds facts for which the term holds.
    pub(super) fn put(&self, facts: &mut FactSet) {
        match self {
            Self::Fact(definition, value) => facts.set(definition.path, value.clone(), None),
            Self::Entry(definition, fields) => add(facts, definition.name, record(fields.iter().cloned())),
            Self::Line(part) => add(facts, TEXT.0, line(part)),
            Self::Recorded(kind, field, within) => add(facts, TIMELINE, logged(kind, field, *within)),
            Self::Elsewhere(field, within, machines) => {
                (0..*machines).for_each(|number| add(facts, OTHER_INCIDENTS, elsewhere(field, *within, number)));
            }
        }
    }

    /// Adds similar facts for which the term does not hold.
    pub(super) fn put_near_miss(&self, facts: &mut FactSet) {
        match self {
            Self::Fact(definition, value) => facts.set(definition.path, another_value(definition.kind, value), None),
            Self::Entry(definition, fields) => {
                // Each time one field is another one: a rule that forgot it would match.
                for changed in 0..fields.len() {
                    let fields = fields.iter().enumerate().map(|(place, (field, value))| {
                        (*field, if place == changed { another_value(field.kind, value) } else { value.clone() })
                    });
                    add(facts, definition.name, record(fields));
                }
            }
            Self::Line(_) => add(facts, TEXT.0, line(OTHER_LINE)),
            Self::Recorded(kind, field, within) => {
                let another = if &**kind == ONE_KIND { ANOTHER_KIND } else { ONE_KIND };
                add(facts, TIMELINE, logged(another, field, *within));
                add(facts, TIMELINE, logged(kind, field, within.saturating_add(1)));
            }
            Self::Elsewhere(field, within, machines) => {
                let fewer = (1..*machines).map(|number| elsewhere(field, *within, number));
                let later = elsewhere(field, within.saturating_add(1), 0);
                fewer.chain([later]).for_each(|record| add(facts, OTHER_INCIDENTS, record));
            }
        }
    }

    /// A name or code that sets the term apart from others.
    pub(super) fn distinctive_name(&self) -> Option<String> {
        match self {
            Self::Fact(definition, value) => match definition.kind {
                FactType::Module | FactType::Code | FactType::Text => Some(value.display(definition.kind)),
                _ => None,
            },
            Self::Entry(_, fields) => {
                let (field, value) = fields.first()?;
                Some(value.display(field.kind))
            }
            Self::Line(part) => (!part.contains(char::is_whitespace)).then(|| part.clone()),
            Self::Recorded(..) | Self::Elsewhere(..) => None,
        }
    }
}

fn add(facts: &mut FactSet, list: &'static str, record: Record) {
    let mut records = facts.list(list).map(<[Record]>::to_vec).unwrap_or_default();
    if !records.contains(&record) {
        records.push(record);
    }
    facts.set_list(list, records);
}

fn record(fields: impl Iterator<Item = (&'static FactDefinition, Value)>) -> Record {
    Record { fields: fields.map(|(field, value)| (field.path, value)).collect(), from: None }
}

fn logged(kind: &str, field: &'static FactDefinition, before: u64) -> Record {
    Record { fields: vec![(KIND, Value::Text(Arc::from(kind))), (field.path, Value::Number(before))], from: None }
}

/// An incident of another machine with something in common, so many seconds away.
fn elsewhere(field: &'static str, away: u64, number: usize) -> Record {
    let host = Value::Text(format!("machine-{}", number.saturating_add(1)).into());
    let fields = [
        ("host", host),
        ("seconds_away", Value::Number(away)),
        ("same_host", Value::Flag(false)),
        (field, Value::Flag(true)),
    ];
    Record { fields: fields.into(), from: None }
}

/// A span of time in the largest unit of which it is a whole number.
fn duration(seconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(86_400, "d"), (3600, "h"), (60, "min")];
    let whole = UNITS.into_iter().find_map(|(unit, name)| {
        let count = seconds.checked_div(unit).filter(|count| *count > 0 && count.checked_mul(unit) == Some(seconds))?;
        Some(format!("{count} {name}"))
    });
    whole.unwrap_or_else(|| format!("{seconds} s"))
}

fn line(text: &str) -> Record {
    Record { fields: vec![(TEXT.1, Value::Text(Arc::from(text)))], from: None }
}

/// The value as a rule can ask for it: a module's name without path. `None` for a text that a rule would read as something
/// else.
fn askable(kind: FactType, value: &Value) -> Option<Value> {
    let Value::Text(text) = value else { return Some(value.clone()) };
    let text = if kind == FactType::Module { base_name(text) } else { text };
    let same = !text.is_empty() && text.trim() == text && sanitise(text) == text;
    let is_pattern = matches!(kind, FactType::Module | FactType::Path) && text.contains(['*', '?']);
    (same && !is_pattern).then(|| Value::Text(Arc::from(text)))
}

/// Another value of the same type.
fn another_value(kind: FactType, value: &Value) -> Value {
    /// Two codes that most rules distinguish.
    const CODES: [u64; 2] = [0xC000_0005, 0xC000_0374];
    match (kind, value) {
        (FactType::Word(words), Value::Text(word)) => {
            Value::Text(Arc::from(words.iter().copied().find(|other| *other != &**word).unwrap_or_default()))
        }
        (FactType::Code, Value::Number(code)) => {
            Value::Number(CODES.into_iter().find(|other| other != code).unwrap_or_default())
        }
        (FactType::Module, Value::Text(name)) => {
            let ending = name.rsplit_once('.').map_or("dll", |(_, ending)| ending);
            let names = [format!("other.{ending}"), format!("another.{ending}")];
            let other = names.into_iter().find(|other| !other.eq_ignore_ascii_case(name));
            Value::Text(Arc::from(other.unwrap_or_default()))
        }
        (FactType::Path, _) => Value::Text(Arc::from(r"C:\other")),
        (_, Value::Text(text)) => {
            Value::Text(Arc::from(if text.eq_ignore_ascii_case("other") { "another" } else { "other" }))
        }
        (_, Value::Number(number)) => {
            Value::Number(number.checked_add(1).or_else(|| number.checked_sub(1)).unwrap_or_default())
        }
        (_, Value::Version(version)) => {
            let [one, two] = [Version([1, 0, 0, 0]), Version([2, 0, 0, 0])];
            Value::Version(if *version == one { two } else { one })
        }
        (_, Value::Flag(flag)) => Value::Flag(!flag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_asked_holds_for_its_own_facts_and_not_for_the_others() {
        let mut facts = FactSet::default();
        for definition in schema::SCALARS.iter() {
            let value = match definition.kind {
                FactType::Word(words) => Value::Text(Arc::from(words[0])),
                // A stop, of whose code no bit is the flag of small dumps.
                FactType::Code => Value::Number(0x116),
                FactType::Number | FactType::Duration | FactType::Address => Value::Number(u64::from(u32::MAX)),
                FactType::Version => Value::Version(Version([1, 0, 0, 0])),
                FactType::Module => Value::Text(Arc::from(r"C:\a\Other.dll")),
                FactType::Path | FactType::Text => Value::Text(Arc::from("Other")),
                FactType::Flag => Value::Flag(true),
            };
            facts.set(definition.path, value, None);
            let term = DraftTerm::fact(&facts, definition.path).expect("it can be term for");
            let question = term.question().expect("a question");
            assert_eq!(question.holds(&facts), Some(true), "{}", definition.path);
            assert_eq!(question.holds(&term.facts()), Some(true), "{}", definition.path);
            let mut others = FactSet::default();
            term.put_near_miss(&mut others);
            assert_eq!(question.holds(&others), Some(false), "{}", definition.path);
            assert_eq!(question.holds(&FactSet::default()), None);
        }
    }

    #[test]
    fn what_was_recorded_holds_for_its_kind_and_span_alone() {
        let term = DraftTerm::recorded("driver-install", "seconds_before_first", 43_200).expect("a field");
        assert_eq!(term.yaml(), "timeline|any: {kind: driver-install, seconds_before_first|within: 12 h}");
        let question = term.question().expect("a question");
        assert_eq!(question.holds(&term.facts()), Some(true));
        let mut others = FactSet::default();
        term.put_near_miss(&mut others);
        assert_eq!(others.list(TIMELINE).map(<[Record]>::len), Some(2));
        assert_eq!(question.holds(&others), Some(false));
        assert_eq!(question.holds(&FactSet::default()), None);
        assert_eq!((duration(90), duration(300), duration(604_800)), ("90 s".into(), "5 min".into(), "7 d".into()));
    }

    #[test]
    fn what_would_be_read_otherwise_is_not_asked_for() {
        let text = |text: &str| Value::Text(Arc::from(text));
        assert!(askable(FactType::Text, &text(" a")).is_none());
        assert!(askable(FactType::Text, &text("a\u{1b}b")).is_none());
        assert!(askable(FactType::Module, &text("a*.dll")).is_none());
        assert_eq!(askable(FactType::Module, &text(r"C:\a\b.dll")), Some(text("b.dll")));
    }
}
