//! The facts of one incident, prepared so that many rules can compare them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::language::value::fold;
use crate::language::{Compare, Subject};
use evidence::Version;
use expressions::Lines;
use facts::schema::{FactDefinition, LISTS, ListDefinition, OTHER_INCIDENTS, SCALARS};
use facts::{
    Around, EvidenceRef, FactSet, FactType, FieldValue, Nearby, OTHER_FIELDS, OtherIncident, OtherIncidents, Record,
    Recorded, TIMELINE_FIELDS, Value,
};

/// A value of an incident, prepared for comparisons.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    /// The value as it was read.
    pub value: &'a Value,
    kind: FactType,
    /// The path of the process's executable, if it is known.
    program: Option<&'a str>,
    folded: OnceCell<Cow<'a, str>>,
    /// The evidence that it comes from.
    pub from: Option<EvidenceRef>,
}

impl<'a> Seen<'a> {
    fn new(definition: &FactDefinition, value: &'a Value, from: Option<EvidenceRef>, program: Option<&'a str>) -> Self {
        Self { value, kind: definition.kind, program, folded: OnceCell::new(), from }
    }

    /// The value as it compares; a text is folded when a rule first asks.
    pub fn compared(&self) -> Compared<'_> {
        match self.value {
            Value::Text(text) => {
                let text = self.folded.get_or_init(|| fold(self.kind, text));
                match self.kind {
                    FactType::Path => Compared::Path { text, program: self.program },
                    _ => Compared::Text(text),
                }
            }
            Value::Number(number) => Compared::Number(*number),
            Value::Version(version) => Compared::Version(*version),
            Value::Flag(flag) => Compared::Flag(*flag),
        }
    }
}

/// A value as it compares: texts are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Compared<'a> {
    Text(&'a str),
    /// A path, with the path of the process's executable, if it is known.
    Path {
        text: &'a str,
        program: Option<&'a str>,
    },
    Number(u64),
    Version(Version),
    Flag(bool),
}

/// An entry of a list.
#[derive(Debug)]
pub(crate) enum Row<'a> {
    /// With its fields in the order of the list's definition.
    Fields(Vec<Option<Seen<'a>>>, Option<EvidenceRef>),
    /// An entry of the timeline.
    Nearby(&'a Nearby<'a>),
    /// An entry of the list of other incidents.
    Other(&'a OtherIncident),
}

impl Row<'_> {
    /// The value of a field, by its index in the list's definition.
    pub fn field(&self, index: usize) -> Option<Compared<'_>> {
        match self {
            Self::Fields(fields, _) => Some(fields.get(index)?.as_ref()?.compared()),
            Self::Nearby(entry) => (TIMELINE_FIELDS.get(index)?.1)(entry).map(compared),
            Self::Other(entry) => (OTHER_FIELDS.get(index)?.1)(entry).map(compared),
        }
    }

    /// Whether the entry has a field.
    pub fn has(&self, index: usize) -> bool {
        match self {
            Self::Fields(fields, _) => fields.get(index).is_some_and(Option::is_some),
            Self::Nearby(_) | Self::Other(_) => self.field(index).is_some(),
        }
    }

    /// Whether the entry is known to belong to its list.
    pub fn is_listed(&self) -> bool {
        !matches!(self, Self::Other(entry) if !entry.is_sharing())
    }

    /// The evidence that the entry was made of.
    pub fn from(&self) -> Option<EvidenceRef> {
        match self {
            Self::Fields(_, from) => *from,
            Self::Nearby(entry) => entry.from,
            Self::Other(_) => None,
        }
    }
}

/// The fact with the path of the process's executable.
pub(crate) const PROGRAM: &str = "process.path";
/// The list that is made from what a machine's logs recorded.
pub(crate) const TIMELINE: &str = "timeline";

/// The first field of a timeline entry.
const KIND: usize = 0;

/// The value of a field that is made when a rule asks for it.
fn compared(given: FieldValue<'_>) -> Compared<'_> {
    match given {
        FieldValue::Word(word) => Compared::Text(word),
        FieldValue::Number(number) => Compared::Number(number),
        FieldValue::Flag(flag) => Compared::Flag(flag),
        FieldValue::Text { written, kind, folded } => Compared::Text(folded.get_or_init(|| fold(kind, written).into())),
    }
}

/// All facts of one incident. Facts and lists go by their index in the schema; a list is prepared when the first rule
/// asks for it, because most incidents are decided without.
#[derive(Debug)]
pub(crate) struct View<'a> {
    facts: &'a FactSet,
    around: Option<&'a Around<'a>>,
    /// The path of the process's executable, if it is known.
    program: Option<&'a str>,
    scalars: Vec<Option<Seen<'a>>>,
    /// Which lists are known.
    known_lists: Vec<bool>,
    lists: Vec<OnceCell<Option<Vec<Row<'a>>>>>,
    /// The other incidents, including those that only may share something.
    possible_others: OnceCell<Vec<Row<'a>>>,
    /// The lines of its texts, prepared to be searched.
    lines: OnceCell<Lines>,
    /// What counts.
    counted: CountedStatements,
}

/// Which statements of texts count as facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CountedStatements {
    All,
    /// Statements that are more than a mention.
    Certain,
    /// Certain statements without quoted messages that no statement confirms.
    Reported,
}

/// Facts that mark other facts as only mentioned, each with those facts.
const MENTIONS: [(&str, &[&str]); 2] =
    [("bugcheck.mentioned", &["bugcheck.code"]), ("exception.mentioned", &["exception.code", "exception.fast_fail"])];
/// The lists that have a field `mentioned`.
const LISTS_WITH_MENTIONS: [&str; 2] = ["hresults", "win_errors"];
/// The list of a text's lines; then its field that rules search, its field with the certain part of the line, and its
/// field with the reported part.
const TEXT: (&str, &str, &str, &str) = ("text", "line", "certain", "reported");

impl<'a> View<'a> {
    /// Prepares the facts of an incident. With the timeline `around` it, that is the list `timeline`.
    pub fn new(facts: &'a FactSet, around: Option<&'a Around<'a>>) -> Self {
        let program = facts.get(PROGRAM).and_then(|known| known.value.text());
        let mut scalars: Vec<Option<Seen<'a>>> = SCALARS.iter().map(|_| None).collect();
        for (path, known) in facts.scalars() {
            // The definitions are sorted by path. An incident has a tenth of them.
            let Ok(index) = SCALARS.binary_search_by(|definition| definition.path.cmp(path)) else { continue };
            if let (Some(definition), Some(seen)) = (SCALARS.get(index), scalars.get_mut(index)) {
                *seen = Some(Seen::new(definition, &known.value, known.from, program));
            }
        }
        let is_known = |name: &str| facts.knows_list(name) || (around.is_some() && name == TIMELINE);
        let known_lists = LISTS.iter().map(|list| is_known(list.name)).collect();
        let lists = LISTS.iter().map(|_| OnceCell::new()).collect();
        Self {
            facts,
            around,
            program,
            scalars,
            known_lists,
            lists,
            possible_others: OnceCell::new(),
            lines: OnceCell::new(),
            counted: CountedStatements::All,
        }
    }

    /// The same incident without what is only mentioned: of lines only what is certain of them, and no error that only
    /// a denial, advice or a list of codes names. `None` where nothing is.
    pub fn without_mentions(&self) -> Option<View<'a>> {
        let flagged = MENTIONS.iter().any(|(flag, _)| is_set(self.facts, flag));
        let listed = LISTS_WITH_MENTIONS.iter().any(|list| self.has(list, "mentioned"));
        let (text, _, certain, _) = TEXT;
        let other = flagged || listed || self.has(text, certain);
        other.then(|| Self { counted: CountedStatements::Certain, ..Self::new(self.facts, self.around) })
    }

    /// The same incident without mentions and without quoted messages that no statement confirms. `None` where there
    /// are no such quotations, or no crash is stated without doubt.
    pub fn without_quotations(&self) -> Option<View<'a>> {
        let told = MENTIONS
            .iter()
            .any(|(flag, facts)| !is_set(self.facts, flag) && facts.iter().any(|fact| self.facts.get(fact).is_some()));
        let (text, _, _, reported) = TEXT;
        let quoted = self.has(text, reported) || LISTS_WITH_MENTIONS.iter().any(|list| self.has(list, "unreported"));
        (told && quoted).then(|| Self { counted: CountedStatements::Reported, ..Self::new(self.facts, self.around) })
    }

    /// Whether an entry of a list has a field.
    fn has(&self, list: &str, field: &str) -> bool {
        self.facts.list(list).is_some_and(|records| records.iter().any(|record| record.get(field).is_some()))
    }

    /// Whether only certain facts count, and this one, by its index, is only mentioned.
    pub fn in_doubt(&self, index: usize) -> bool {
        self.counted >= CountedStatements::Certain
            && SCALARS.get(index).is_some_and(|definition| {
                MENTIONS.iter().any(|(flag, facts)| facts.contains(&definition.path) && is_set(self.facts, flag))
            })
    }

    /// The facts.
    pub fn facts(&self) -> &'a FactSet {
        self.facts
    }

    /// A fact's value, if it is known.
    pub fn scalar(&self, index: usize) -> Option<&Seen<'a>> {
        self.scalars.get(index)?.as_ref()
    }

    /// Whether a list may be known, without preparing it.
    pub fn may_know_list(&self, index: usize) -> bool {
        self.known_lists.get(index).copied().unwrap_or(false)
    }

    /// A list's entries, if the list is known.
    pub fn list(&self, index: usize) -> Option<&[Row<'a>]> {
        self.lists.get(index)?.get_or_init(|| self.rows(LISTS.get(index)?)).as_deref()
    }

    /// A list's entries, if the list is known, including other incidents that only may share something with this one.
    pub fn possible(&self, index: usize) -> Option<&[Row<'a>]> {
        let Some(others) = self.others_of(index) else { return self.list(index) };
        let all = || others.entries().iter().chain(others.possible_entries()).map(Row::Other).collect();
        Some(self.possible_others.get_or_init(all))
    }

    /// The entries of a list, by their index, that may have in a field what a rule wants it to be, found without looking at
    /// each of them; `None` where that is not known. It is for kinds of timeline entries and for lines of texts.
    pub fn that_may_fit(&self, index: usize, field: usize, wanted: &Compare) -> Option<BTreeSet<usize>> {
        let list = LISTS.get(index)?;
        match wanted {
            Compare::Equal(texts) if list.name == TIMELINE && field == KIND => {
                let around = self.around?;
                let has = |text: &Value| matches!(text, Value::Text(kind) if around.has_kind(kind));
                (!texts.iter().any(has)).then(BTreeSet::new)
            }
            _ if list.name == TEXT.0 && list.fields.get(field)?.path == TEXT.1 => {
                let rows = self.list(index)?;
                wanted.lines(self.lines.get_or_init(|| Lines::new(rows.iter().map(|row| text_of(row, field)))))
            }
            _ => None,
        }
    }

    /// Whether a list is known to be complete; the timeline is if a System log covers the incident.
    pub fn knows_list(&self, index: usize) -> bool {
        let is_covered = self.recorded_of(index).is_none_or(Recorded::has_system_log);
        is_covered && self.list(index).is_some()
    }

    /// Whether a fact is known, or a list, even without entries.
    pub fn knows(&self, subject: Subject) -> bool {
        match subject {
            Subject::Fact(index) => self.scalar(index).is_some(),
            Subject::List(index) => self.knows_list(index),
        }
    }

    /// The period that the logs behind the timeline cover; `None` for other lists, and for a complete timeline.
    pub fn recorded_of(&self, index: usize) -> Option<&'a Recorded> {
        let is_timeline = LISTS.get(index).is_some_and(|list| list.name == TIMELINE);
        let recorded = || self.around.map_or_else(|| self.facts.recorded.as_ref(), Around::recorded);
        is_timeline.then(recorded).flatten()
    }

    /// The other incidents of the run, if this is the list of other incidents.
    pub fn others_of(&self, index: usize) -> Option<&'a OtherIncidents> {
        let is_theirs = LISTS.get(index).is_some_and(|list| list.name == OTHER_INCIDENTS);
        self.facts.other_incidents.as_ref().filter(|_| is_theirs)
    }

    fn rows(&self, definition: &'static ListDefinition) -> Option<Vec<Row<'a>>> {
        if definition.name == TIMELINE
            && let Some(around) = self.around
        {
            return Some(around.entries()?.iter().map(Row::Nearby).collect());
        }
        if definition.name == OTHER_INCIDENTS
            && let Some(others) = &self.facts.other_incidents
        {
            return Some(others.entries().iter().map(Row::Other).collect());
        }
        let records = self.facts.list(definition.name)?.iter();
        let flagged = |record: &Record, flag| record.get(flag) == Some(&Value::Flag(true));
        let counted = records.filter(|record| {
            let mentioned = self.counted >= CountedStatements::Certain && flagged(record, "mentioned");
            let quoted = self.counted >= CountedStatements::Reported && flagged(record, "unreported");
            !mentioned && !quoted
        });
        let rows = counted.map(|record| {
            let fields = definition.fields.iter();
            let seen = fields.map(|field| {
                let value = self.value(definition, field, record)?;
                Some(Seen::new(field, value, record.from, self.program))
            });
            Row::Fields(seen.collect(), record.from)
        });
        Some(rows.collect())
    }

    fn value<'r>(&self, list: &ListDefinition, field: &FactDefinition, record: &'r Record) -> Option<&'r Value> {
        let (text, line, certain, reported) = TEXT;
        let is_line = list.name == text && field.path == line;
        let part = |least, part| record.get(part).filter(|_| is_line && self.counted >= least);
        part(CountedStatements::Certain, certain)
            .or_else(|| part(CountedStatements::Reported, reported))
            .or_else(|| record.get(field.path))
    }
}

/// The text that an entry has in a field.
fn text_of<'r>(row: &'r Row<'_>, field: usize) -> Option<&'r str> {
    match row.field(field)? {
        Compared::Text(text) => Some(text),
        _ => None,
    }
}

fn is_set(facts: &FactSet, flag: &str) -> bool {
    facts.get(flag).is_some_and(|known| known.value == Value::Flag(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_schema_in_its_order() {
        let defined = |list: &str| -> Vec<&str> {
            let list = facts::schema::list(list).expect("a list of the schema");
            list.fields.iter().map(|field| field.path).collect()
        };
        assert_eq!(TIMELINE_FIELDS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), defined(TIMELINE));
        assert_eq!(OTHER_FIELDS.map(|(name, _)| name).to_vec(), defined(OTHER_INCIDENTS));
        assert_eq!(TIMELINE_FIELDS[KIND].0, "kind");
    }
}
