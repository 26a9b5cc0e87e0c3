//! Chainsaw's mapping: the records of each log source, and the names of their fields.

use std::path::Path;

use evtx_scan::{Record, RecordFields};
use spanned_yaml::{Entry, Node};

use super::rules::{Rule, read_yaml};

/// The parts of a mapping that decide whether a rule can match a record.
#[derive(Debug, Default)]
pub struct Mapping {
    /// Titles of excluded rules.
    left_out: Vec<String>,
    /// Conditions for records of a log source.
    conditions: Vec<Condition>,
    /// Fields by their names in rules, with their places in records.
    fields: Vec<(String, String)>,
}

/// Conditions that records must meet for some rules.
#[derive(Debug)]
struct Condition {
    /// The rules: `logsource.category`, `logsource.service` or `id`, with its value.
    of: Vec<(String, String)>,
    /// Alternatives, each of parts with their accepted values.
    alternatives: Vec<Vec<(String, Vec<String>)>>,
}

impl Mapping {
    /// Reads the file of a mapping.
    pub fn read(path: &Path) -> Result<Self, String> {
        let root = read_yaml(path)?;
        let items = |node: Option<&Node>| node.and_then(Node::items).unwrap_or_default().to_vec();
        let left_out = items(root.get("exclusions")).iter().filter_map(Node::text).map(str::to_owned).collect();
        let mut mapping = Self { left_out, ..Self::default() };
        for one in items(root.get("extensions").and_then(|extensions| extensions.get("preconditions"))) {
            let of = one.get("for").and_then(Node::entries).unwrap_or_default();
            let of = of.iter().filter_map(|entry| Some((entry.name().to_owned(), entry.value.text()?.to_owned())));
            let Some(filter) = one.get("filter") else { continue };
            let single = std::slice::from_ref(filter);
            let alternatives = filter.items().unwrap_or(single).iter().map(parts).collect();
            mapping.conditions.push(Condition { of: of.collect(), alternatives });
        }
        for group in items(root.get("groups")) {
            let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
            let fields = items(group.get("fields"));
            mapping.fields.extend(fields.iter().filter_map(|field| Some((text(field, "from")?, text(field, "to")?))));
        }
        Ok(mapping)
    }

    /// Whether a rule with this title is excluded.
    pub fn leaves_out(&self, title: &str) -> bool {
        self.left_out.iter().any(|own| own == title)
    }

    /// Whether the record belongs to the rule's log source.
    pub fn is_about(&self, rule: &Rule, record: &Record<'_>) -> bool {
        let has = |(key, value): &(String, String)| match key.as_str() {
            "logsource.category" => rule.category.as_ref() == Some(value),
            "logsource.service" => rule.service.as_ref() == Some(value),
            "id" => rule.id == *value,
            _ => false,
        };
        let mut conditions = self.conditions.iter().filter(|condition| condition.of.iter().all(has));
        conditions.all(|condition| condition.alternatives.iter().any(|parts| fits(parts, record)))
    }

    /// Whether it contains a field with this name in rules.
    pub fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|(from, _)| from == field)
    }

    /// The fields of a record by their names in rules.
    pub fn fields(&self, record: &Record<'_>) -> RecordFields {
        let values = |to: &str| -> Vec<String> {
            match to.strip_prefix("Event.EventData.") {
                Some(field) => {
                    let fields = record.fields.iter().filter(|(name, _)| name.unwrap_or("Data") == field);
                    fields.map(|(_, value)| value.to_owned()).collect()
                }
                None => of_head(record, to.trim_start_matches("Event.System.")).into_iter().collect(),
            }
        };
        let mapped = self.fields.iter().flat_map(|(from, to)| values(to).into_iter().map(move |value| (from, value)));
        let mapped: Vec<(&String, String)> = mapped.collect();
        mapped.iter().map(|(name, value)| (Some(name.as_str()), value.as_str())).collect()
    }
}

fn parts(node: &Node) -> Vec<(String, Vec<String>)> {
    let values = |entry: &Entry| {
        let single = std::slice::from_ref(&entry.value);
        let values = entry.value.items().unwrap_or(single);
        values.iter().filter_map(Node::text).map(str::to_owned).collect()
    };
    let name = |entry: &Entry| entry.name().trim_start_matches("int(").trim_end_matches(')').to_owned();
    node.entries().unwrap_or_default().iter().map(|entry| (name(entry), values(entry))).collect()
}

fn fits(parts: &[(String, Vec<String>)], record: &Record<'_>) -> bool {
    parts.iter().all(|(name, values)| of_head(record, name).is_some_and(|own| values.contains(&own)))
}

/// A part of the head of a record.
fn of_head(record: &Record<'_>, name: &str) -> Option<String> {
    match name {
        "Provider" => Some(record.provider.to_owned()),
        "EventID" => Some(record.event_id.to_string()),
        "Channel" => record.channel.map(str::to_owned),
        "Computer" => record.computer.map(str::to_owned),
        name => record.head.text(name).ok().flatten().map(|text| text.into_owned()),
    }
}
