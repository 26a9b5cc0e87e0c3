//! Another program's matches, read from its output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::records::{Match, Place, microseconds};
use super::rules::Rule;

/// The matches of another program.
#[derive(Debug, Default)]
pub struct Found {
    /// Its matches, with the id of the rule that it used, which may be a rewritten rule.
    pub matches: BTreeMap<Match, String>,
    /// Matches of rules that are not in the folder.
    pub others: usize,
}

/// Reads the JSON lines of `hayabusa dfir-timeline -t jsonl -O -p super-verbose`. `rewritten` are the rules that it
/// used, each made from one of `rules`.
pub fn hayabusa(
    path: &Path,
    logs: &Path,
    rules: &BTreeMap<String, Rule>,
    rewritten: &BTreeMap<String, Rule>,
) -> Result<Found, String> {
    let mut found = Found::default();
    for line in lines(path)? {
        let used = text(&line["RuleID"]).to_owned();
        let original = rewritten.get(&used).and_then(|used| original(used, rules));
        match original.zip(hayabusa_place(&line, logs)) {
            Some((original, at)) => {
                found.matches.insert(Match { rule: original.id.clone(), at }, used);
            }
            None => found.others += 1,
        }
    }
    Ok(found)
}

/// The record of a line.
pub fn hayabusa_place(line: &Value, logs: &Path) -> Option<Place> {
    Some(Place {
        log: below(text(&line["EvtxFile"]), logs)?,
        record: number(&line["RecordID"])?,
        time: microseconds(text(&line["Timestamp"])),
    })
}

/// The rule from which a rewritten one was made: if it names several, the one in a file of the same name or with the
/// same title.
pub fn original<'r>(rewritten: &Rule, rules: &'r BTreeMap<String, Rule>) -> Option<&'r Rule> {
    let named = || rewritten.derived_from.iter().filter_map(|id| rules.get(id));
    named()
        .find(|rule| rule.file_name() == rewritten.file_name())
        .or_else(|| named().find(|rule| rule.title == rewritten.title))
}

/// Reads the JSON lines of `chainsaw hunt --jsonl -s RULES --mapping MAPPING`.
pub fn chainsaw(path: &Path, logs: &Path, rules: &BTreeMap<String, Rule>) -> Result<Found, String> {
    let mut found = Found::default();
    for line in lines(path)? {
        let rule = text(&line["id"]).to_owned();
        for place in chainsaw_places(&line, logs) {
            match place.filter(|_| rules.contains_key(&rule)) {
                Some(at) => {
                    found.matches.insert(Match { rule: rule.clone(), at }, rule.clone());
                }
                None => found.others += 1,
            }
        }
    }
    Ok(found)
}

/// The records of a line.
pub fn chainsaw_places(line: &Value, logs: &Path) -> Vec<Option<Place>> {
    let single = std::slice::from_ref(&line["document"]);
    let documents = line["documents"].as_array().map_or(single, Vec::as_slice);
    let place = |document: &Value| {
        let system = &document["data"]["Event"]["System"];
        Some(Place {
            log: below(text(&document["path"]), logs)?,
            record: number(&system["EventRecordID"])?,
            time: microseconds(text(&system["TimeCreated_attributes"]["SystemTime"])),
        })
    };
    documents.iter().map(place).collect()
}

/// The JSON values of a file, one a line.
pub fn lines(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let values = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
    values.collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", path.display()))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// A path below the folder of logs.
fn below(path: &str, logs: &Path) -> Option<String> {
    let path = Path::new(path).strip_prefix(logs).ok()?;
    Some(path.to_string_lossy().replace('\\', "/"))
}
