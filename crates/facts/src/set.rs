//! Values, and the set of them that belongs to one incident.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde_with::SerializeDisplay;

use super::other_incidents::OtherIncidents;
use super::related_incidents::RelatedIncidents;
use super::schema::{self, FactType, OTHER_INCIDENTS};
use super::surroundings::Recorded;
use evidence::Version;

/// The number of an evidence item of the incident: 1 is `e1` in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay)]
pub struct EvidenceRef(pub u16);

/// A fact's value. Which variant it is follows from the fact's [`FactType`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Words, texts, module names and paths.
    Text(Arc<str>),
    /// Numbers, codes and addresses.
    Number(u64),
    /// Versions.
    Version(Version),
    /// Yes or no.
    Flag(bool),
}

/// A value with the evidence that gave it; none in facts that a rule's test wrote inline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The value.
    pub value: Value,
    /// Where it is from.
    pub from: Option<EvidenceRef>,
}

/// One entry of a list fact: values by field name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Field values, in the order of the list's definition; absent fields are absent.
    pub fields: Vec<(&'static str, Value)>,
    /// Where the entry is from.
    pub from: Option<EvidenceRef>,
}

impl Record {
    /// A record of the fields whose values are known.
    pub(crate) fn of_known<const N: usize>(
        fields: [(&'static str, Option<Value>); N],
        from: Option<EvidenceRef>,
    ) -> Self {
        Self { fields: fields.into_iter().filter_map(|(field, value)| Some((field, value?))).collect(), from }
    }

    /// A record of the one field `name`.
    pub(crate) fn of_name(name: &Arc<str>, from: Option<EvidenceRef>) -> Self {
        Self { fields: vec![("name", name.clone().into())], from }
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value)
    }
}

/// All facts of one incident.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactSet {
    scalars: BTreeMap<&'static str, Known>,
    lists: BTreeMap<&'static str, Vec<Record>>,
    /// The list of the other incidents, which is made when something asks for it.
    other_incidents: Option<OtherIncidents>,
    /// The other incidents that facts and lists report: one entry for a fact, one for each record of a list.
    others: BTreeMap<&'static str, Vec<RelatedIncidents>>,
    /// What the logs cover that made the timeline; all of it, where nothing is said.
    recorded: Option<Recorded>,
    /// Why facts are absent, of those that lack something of the incident itself.
    absent: BTreeMap<&'static str, &'static str>,
}

impl FactSet {
    /// Sets a fact. The path must be one of the schema's, and the value of its type; debug builds check it.
    pub fn set(&mut self, path: &'static str, value: impl Into<Value>, from: Option<EvidenceRef>) {
        let value = value.into();
        debug_assert!(
            schema::scalar(path).is_some_and(|definition| definition.kind.holds(&value)),
            "{path} is not a fact of this type"
        );
        self.scalars.insert(path, Known { value, from });
    }

    /// Sets a fact whose value is known, and leaves it as it is otherwise.
    pub(crate) fn set_known(&mut self, path: &'static str, value: Option<impl Into<Value>>, from: Option<EvidenceRef>) {
        if let Some(value) = value {
            self.set(path, value, from);
        }
    }

    /// As [`set_known`](Self::set_known), for a fact that is absent so far: one from better evidence stays.
    pub(crate) fn set_missing(
        &mut self,
        path: &'static str,
        value: Option<impl Into<Value>>,
        from: Option<EvidenceRef>,
    ) {
        if self.get(path).is_none() {
            self.set_known(path, value, from);
        }
    }

    /// Sets a list that has records; one without stays unknown, because its absence shows nothing.
    pub(crate) fn set_filled_list(&mut self, name: &'static str, records: impl Iterator<Item = Record>) {
        let records: Vec<Record> = records.collect();
        if !records.is_empty() {
            self.set_list(name, records);
        }
    }

    /// Sets a list, which makes it known: an empty list is a fact too.
    pub fn set_list(&mut self, name: &'static str, records: Vec<Record>) {
        debug_assert!(schema::list(name).is_some(), "{name} is not a list of the schema");
        self.lists.insert(name, records);
    }

    /// Sets the other incidents of the run that share something with this one.
    pub fn set_other_incidents(&mut self, others: OtherIncidents) {
        self.other_incidents = Some(others);
    }

    /// The other incidents of the run that share something with this one, where a run gave them.
    #[must_use]
    pub fn other_incidents(&self) -> Option<&OtherIncidents> {
        self.other_incidents.as_ref()
    }

    /// Says why a fact or list is absent.
    pub fn set_absent(&mut self, path: &'static str, why: &'static str) {
        self.absent.insert(path, why);
    }

    /// Why a fact or list is absent, where that is known.
    #[must_use]
    pub fn why_absent(&self, path: &str) -> Option<&'static str> {
        self.absent.get(path).copied()
    }

    /// Sets what the logs cover that made the list `timeline`.
    pub fn set_recorded(&mut self, recorded: Recorded) {
        self.recorded = Some(recorded);
    }

    /// What the logs cover that made the list `timeline`; `None` where it has all that there was.
    #[must_use]
    pub fn recorded(&self) -> Option<&Recorded> {
        self.recorded.as_ref()
    }

    /// Sets the other incidents that a fact counts, or of which a list has its records, one for each.
    pub fn set_others(&mut self, path: &'static str, others: Vec<RelatedIncidents>) {
        self.others.insert(path, others);
    }

    /// The other incidents of which a fact or the records of a list tell.
    #[must_use]
    pub fn others(&self, path: &str) -> &[RelatedIncidents] {
        match &self.other_incidents {
            Some(others) if path == OTHER_INCIDENTS => others.named(),
            _ => self.others.get(path).map(Vec::as_slice).unwrap_or_default(),
        }
    }

    /// The value of a fact, if it is known.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Known> {
        self.scalars.get(path)
    }

    /// The entries of a list, if the list is known.
    #[must_use]
    pub fn list(&self, name: &str) -> Option<&[Record]> {
        let others = self.other_incidents.as_ref().filter(|_| name == OTHER_INCIDENTS);
        others.map(OtherIncidents::records).or_else(|| self.lists.get(name).map(Vec::as_slice))
    }

    /// Whether a list is known, without making it.
    #[must_use]
    pub fn knows_list(&self, name: &str) -> bool {
        self.lists.contains_key(name) || (name == OTHER_INCIDENTS && self.other_incidents.is_some())
    }

    /// All known scalar facts, by path.
    pub fn scalars(&self) -> impl Iterator<Item = (&'static str, &Known)> {
        self.scalars.iter().map(|(path, known)| (*path, known))
    }

    /// All known lists, by name.
    pub fn lists(&self) -> impl Iterator<Item = (&'static str, &[Record])> {
        let names: BTreeSet<&'static str> =
            self.lists.keys().copied().chain(self.other_incidents.as_ref().map(|_| OTHER_INCIDENTS)).collect();
        names.into_iter().filter_map(|name| Some((name, self.list(name)?)))
    }
}

/// Implements `From` for the plain types that values are made of.
macro_rules! from_plain {
    ($($plain:ty => $variant:ident,)+) => {
        $(impl From<$plain> for Value {
            fn from(plain: $plain) -> Self {
                Self::$variant(plain.into())
            }
        })+
    };
}

from_plain! {
    Arc<str> => Text,
    u8 => Number,
    u16 => Number,
    u32 => Number,
    u64 => Number,
    Version => Version,
    bool => Flag,
}

impl Value {
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as reports and explanations write it, which depends on the fact's type: codes with eight digits,
    /// addresses in lower-case hexadecimal, numbers in decimal.
    #[must_use]
    pub fn display(&self, kind: FactType) -> String {
        match (self, kind) {
            (Self::Number(code), FactType::Code) => format!("0x{code:08X}"),
            (Self::Number(address), FactType::Address) => format!("{address:#x}"),
            (Self::Number(number), _) => number.to_string(),
            (Self::Text(text), _) => text.to_string(),
            (Self::Version(version), _) => version.to_string(),
            (Self::Flag(flag), _) => flag.to_string(),
        }
    }
}

impl fmt::Display for EvidenceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}
