//! The facts of one incident.

use std::collections::{BTreeMap, BTreeSet};

use super::other_incidents::OtherIncidents;
use super::related_incidents::RelatedIncidents;
use super::schema::{self, OTHER_INCIDENTS};
use super::surroundings::Recorded;
use super::value::{EvidenceRef, Record, Value};

/// A value with the evidence that gave it; none in facts that a rule's test wrote inline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFact {
    /// The value.
    pub value: Value,
    /// The evidence that it comes from.
    pub from: Option<EvidenceRef>,
}

/// All facts of one incident.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactSet {
    scalars: BTreeMap<&'static str, KnownFact>,
    lists: BTreeMap<&'static str, Vec<Record>>,
    /// The run's incidents that share something with this one; `None` outside of a run. Their list is made on first
    /// use.
    pub other_incidents: Option<OtherIncidents>,
    /// The other incidents that facts and lists report: one entry for a fact, one for each record of a list.
    related_incidents: BTreeMap<&'static str, Vec<RelatedIncidents>>,
    /// The period that the logs behind the list `timeline` cover; `None` if the list is complete.
    pub recorded: Option<Recorded>,
    /// Why facts are absent, of those that lack something of the incident itself.
    absent: BTreeMap<&'static str, &'static str>,
}

impl FactSet {
    /// Sets a fact. The path must be one of the schema's, and the value of its type; debug builds check it.
    pub fn set(&mut self, path: &'static str, value: impl Into<Value>, from: Option<EvidenceRef>) {
        let value = value.into();
        debug_assert!(
            schema::scalar(path).is_some_and(|definition| value.is_of(definition.kind)),
            "{path} is not a fact of this type"
        );
        self.scalars.insert(path, KnownFact { value, from });
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

    /// Says why a fact or list is absent.
    pub fn set_absent(&mut self, path: &'static str, why: &'static str) {
        self.absent.insert(path, why);
    }

    /// Why a fact or list is absent, where that is known.
    #[must_use]
    pub fn why_absent(&self, path: &str) -> Option<&'static str> {
        self.absent.get(path).copied()
    }

    /// Sets the other incidents behind a fact that counts them, or behind a list: one for each of its records.
    pub fn set_related_incidents(&mut self, path: &'static str, related: Vec<RelatedIncidents>) {
        self.related_incidents.insert(path, related);
    }

    /// The other incidents behind a fact or behind a list's records.
    #[must_use]
    pub fn related_incidents(&self, path: &str) -> &[RelatedIncidents] {
        match &self.other_incidents {
            Some(others) if path == OTHER_INCIDENTS => others.named(),
            _ => self.related_incidents.get(path).map(Vec::as_slice).unwrap_or_default(),
        }
    }

    /// The value of a fact, if it is known.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&KnownFact> {
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
    pub fn scalars(&self) -> impl Iterator<Item = (&'static str, &KnownFact)> {
        self.scalars.iter().map(|(path, known)| (*path, known))
    }

    /// All known lists, by name.
    pub fn lists(&self) -> impl Iterator<Item = (&'static str, &[Record])> {
        let names: BTreeSet<&'static str> =
            self.lists.keys().copied().chain(self.other_incidents.as_ref().map(|_| OTHER_INCIDENTS)).collect();
        names.into_iter().filter_map(|name| Some((name, self.list(name)?)))
    }
}
