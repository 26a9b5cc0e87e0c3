//! What can stand in a selection: facts and lists, each with all that can be asked of it.

use serde_json::{Map, Value, json};

use super::values::{equal, part};
use super::{add, entry_name, mapping, one_or_more, reference, sentence};
use facts::FactType;
use facts::schema::{FactDefinition, LISTS, ListDefinition, SCALARS};
use rules::language::{Modifier, STEPS, order_of};

/// The keys of a selection: every fact with every modifier that compares it, and every list with its quantifiers.
pub(super) fn terms() -> Map<String, Value> {
    let mut all = Map::new();
    for fact in SCALARS.iter() {
        add_term(fact, Some(fact.from), &mut all);
    }
    for list in LISTS.iter() {
        let entries = one_or_more(reference(&entry_name(list)));
        let told = |how: &str| format!("{how} {} From {}.", sentence(list.about), list.from);
        let quantified = |how: &str| json!({"allOf": [entries.clone()], "description": told(how)});
        all.insert(format!("{}|any", list.name), quantified("An entry fits."));
        all.insert(format!("{}|none", list.name), quantified("No entry fits."));
        let has_times = list.fields.iter().any(|field| field.path == "seconds_before");
        let counted = count(list, entries.clone(), has_times, &told("So many entries fit."));
        all.insert(format!("{}|count", list.name), counted);
        if order_of(list).is_some() {
            let followed = sequence(entries.clone(), has_times, &told("Entries follow one another."));
            all.insert(format!("{}|sequence", list.name), followed);
        }
        all.insert(format!("{}|exists", list.name), reference("exists"));
    }
    all
}

/// A fact, or a field of a list, with every modifier that compares it.
fn add_term(fact: &FactDefinition, from: Option<&str>, all: &mut Map<String, Value>) {
    let from = from.map(|from| format!(" From {from}.")).unwrap_or_default();
    let about = format!("{}: {}{from}", fact.kind.name(), sentence(fact.about));
    all.insert(fact.path.to_owned(), json!({"allOf": [one_or_more(equal(fact.kind))], "description": about}));
    all.insert(format!("{}|neq", fact.path), one_or_more(equal(fact.kind)));
    let alone = |modifier: &Modifier| !matches!(modifier, Modifier::All | Modifier::Not);
    let fitting = Modifier::WORDS.iter().filter(|(_, modifier)| alone(modifier) && modifier.fits(fact.kind));
    for (word, modifier) in fitting {
        let key = format!("{}|{word}", fact.path);
        match modifier {
            Modifier::Part(_) | Modifier::Like | Modifier::Regex => {
                let texts = one_or_more(part(fact.kind, *modifier));
                all.insert(format!("{key}|all"), texts.clone());
                all.insert(format!("{key}|neq"), texts.clone());
                all.insert(format!("{}|all|{word}", fact.path), texts.clone());
                all.insert(key, texts);
            }
            Modifier::Order(_) | Modifier::Within => drop(all.insert(key, equal(fact.kind))),
            Modifier::Place(_) => drop(all.insert(key, reference("place"))),
            Modifier::Listed(inside) if fact.kind == FactType::Text => {
                if *inside {
                    all.insert(format!("{key}|all"), reference("list of lines"));
                }
                all.insert(key, reference("list of lines"));
            }
            Modifier::Listed(_) => drop(all.insert(key, reference("list name"))),
            Modifier::Exists => drop(all.insert(key, reference("exists"))),
            Modifier::All | Modifier::Not => {}
        }
    }
}

/// The fields of a list's entries with every modifier.
pub(super) fn fields(list: &ListDefinition) -> Map<String, Value> {
    let mut all = Map::new();
    list.fields.iter().for_each(|field| add_term(field, None, &mut all));
    all
}

/// Steps, or a mapping with their greatest distance to each other.
fn sequence(entries: Value, has_times: bool, about: &str) -> Value {
    let steps = json!({"type": "array", "minItems": STEPS.start(), "maxItems": STEPS.end(), "items": entries});
    let (key, closeness) = if has_times {
        let about = "A span of time that holds all of them.";
        ("within", json!({"allOf": [reference("duration")], "description": about}))
    } else {
        let about = "Whether each stands directly after the other.";
        ("adjacent", json!({"allOf": [reference("flag")], "description": about}))
    };
    let mut whole = mapping(Map::from_iter([("steps".to_owned(), steps.clone()), (key.to_owned(), closeness)]));
    add(&mut whole, "", [("required".to_owned(), json!(["steps"]))]);
    json!({"anyOf": [steps, whole], "description": about})
}

/// Bounds of how many entries fit, or how many different values they have.
fn count(list: &ListDefinition, entries: Value, has_times: bool, about: &str) -> Value {
    let bounds = ["lt", "lte", "gt", "gte", "eq"];
    let mut properties: Map<String, Value> =
        bounds.iter().map(|bound| ((*bound).to_owned(), reference("bound"))).collect();
    properties.insert("where".to_owned(), entries);
    let fields: Vec<&str> = list.fields.iter().map(|field| field.path).collect();
    let distinct =
        json!({"enum": fields, "description": "The field of which different values count, and not entries."});
    properties.insert("distinct".to_owned(), distinct);
    if has_times {
        let within = json!({"allOf": [reference("duration")], "description": "A span of time that holds so many."});
        properties.insert("within".to_owned(), within);
    }
    let mut count = mapping(properties);
    let any_of: Value = bounds.map(|bound| json!({"required": [bound]})).into_iter().collect();
    add(&mut count, "", [("anyOf".to_owned(), any_of), ("description".to_owned(), Value::from(about))]);
    count
}
