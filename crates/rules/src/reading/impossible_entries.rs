//! R051: tests with entries of lists that no analysis gives. Such a test proves nothing.

use std::collections::BTreeMap;

use facts::schema::{Absent, ListDefinition, OTHER_INCIDENTS};
use facts::{
    FactType, MOST_BEFORE, MOST_OF_A_KIND, MOST_OTHERS, REACH_AFTER, REACH_BEFORE, Record, Shared, Value, reach_seconds,
};
use rule_syntax::mistakes::Mistakes;
use spanned_yaml::{Code, Node};

/// `R051`: entries of a list that no incident has. Each record comes with its node.
pub(crate) fn look(list: &ListDefinition, node: &Node, entries: &[(&Node, Record)], mistakes: &mut Mistakes) {
    for (item, record) in entries {
        if let Some((field, message, help)) = impossible_field(list, record) {
            let at = item.entries().into_iter().flatten().find(|entry| entry.name() == field);
            let span = at.map_or(item.span, |entry| entry.span());
            mistakes.warning(Code::R051, span, message, help);
        }
    }
    let records: Vec<&Record> = entries.iter().map(|(_, record)| record).collect();
    if let Some((most, what)) = too_many(list, &records) {
        let message = format!("`{}` never has more than {most} entries{what}", list.name);
        mistakes.warning(Code::R051, node.span, message, "give as many as an incident can have");
    }
}

/// A field whose value is impossible in its entry: the field's name, the mistake, and what would be right.
fn impossible_field(list: &ListDefinition, record: &Record) -> Option<(&'static str, String, String)> {
    let by_schema = list.fields.iter().find_map(|field| {
        record.get(field.path)?;
        let (message, help) = match field.absent {
            Absent::UnknownOf(other, words) => {
                let word = record.get(other)?.text().filter(|word| !words.contains(word))?;
                let message =
                    format!("an entry of `{}` whose `{other}` is `{word}` has no `{}`", list.name, field.path);
                (message, format!("those have it whose `{other}` is {}", words.join(" or ")))
            }
            Absent::UnknownWith(other) if record.get(other).is_none() => {
                let message = format!("an entry of `{}` without `{other}` has no `{}`", list.name, field.path);
                (message, format!("write its `{other}`, too"))
            }
            Absent::UnknownUnless(other) if record.get(other).is_some() => {
                let message = format!("an entry of `{}` has either `{}` or `{other}`", list.name, field.path);
                (message, "leave out one of them".to_owned())
            }
            _ => return None,
        };
        Some((field.path, message, help))
    });
    by_schema.or_else(|| wrong_time(list, record)).or_else(|| wrong_flags(list, record))
}

fn wrong_time(list: &ListDefinition, record: &Record) -> Option<(&'static str, String, String)> {
    let number = |field: &str| match record.get(field) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    };
    let (before, after) = (number("seconds_before"), number("seconds_after"));
    if before.is_some() && after.is_some() {
        let message = format!("an entry of `{}` is before the incident or after it", list.name);
        return Some(("seconds_after", message, "leave out one of them".to_owned()));
    }
    if let (Some(away), Some(distance)) = (number("seconds_away"), before.or(after))
        && away != distance
    {
        let message = format!("`seconds_away` is {distance} where the entry is so far before or after");
        return Some(("seconds_away", message, format!("write `seconds_away: {distance}`, or leave it out")));
    }
    let kind = record.get("kind").and_then(Value::text);
    let (most_before, most_after) = match list.name {
        "timeline" => (reach_seconds(kind), REACH_AFTER.as_secs().unsigned_abs()),
        "incidents_before" => (REACH_BEFORE.as_secs().unsigned_abs(), 0),
        _ => return None,
    };
    let shown = |seconds: u64| Value::Number(seconds).display(FactType::Duration);
    let (field, most) = match (before, after) {
        (Some(before), _) if before > most_before => ("seconds_before", most_before),
        (_, Some(after)) if after > most_after => ("seconds_after", most_after),
        _ => return None,
    };
    let message = format!("rules see entries of `{}` up to {} seconds away there", list.name, shown(most));
    Some((field, message, "give it a time that rules see".to_owned()))
}

fn wrong_flags(list: &ListDefinition, record: &Record) -> Option<(&'static str, String, String)> {
    if list.name != OTHER_INCIDENTS {
        return None;
    }
    let is = |field: &str, flag: bool| record.get(field) == Some(&Value::Flag(flag));
    if Shared::ALL.into_iter().all(|shared| is(shared.field(), false)) {
        let message = "an incident that shares nothing is not in `other_incidents`".to_owned();
        return Some((
            Shared::Host.field(),
            message,
            "one of `same_host`, `same_site` and the others is true".to_owned(),
        ));
    }
    let other =
        ["same_code", "same_module"].into_iter().find(|field| is(Shared::Site.field(), true) && is(field, false))?;
    let message = format!("where `same_site` is true, `{other}` is, too");
    Some((other, message, "one place is of one code and one module".to_owned()))
}

/// How many entries a list has at most, of one kind or all, where these are more.
fn too_many(list: &ListDefinition, records: &[&Record]) -> Option<(usize, String)> {
    let of_a_kind = match list.name {
        "timeline" => MOST_OF_A_KIND,
        "incidents_before" => MOST_BEFORE,
        OTHER_INCIDENTS => return (records.len() > MOST_OTHERS).then(|| (MOST_OTHERS, String::new())),
        _ => return None,
    };
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in records.iter().filter_map(|record| record.get("kind")?.text()) {
        let count = count.entry(kind).or_default();
        *count = count.saturating_add(1);
    }
    let (kind, _) = count.into_iter().find(|(_, count)| *count > of_a_kind)?;
    Some((of_a_kind, format!(" of kind `{kind}`")))
}
