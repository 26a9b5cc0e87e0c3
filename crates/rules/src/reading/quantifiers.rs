//! Reading how many entries of a list have to fit.

use crate::language::{Count, EntryFilter, Field, Quantifier, Window, slips, unknown, value};
use crate::reading::LoadContext;
use crate::reading::entry_filters::entry_filter;
use facts::schema::{LISTS, ListDefinition};
use facts::{FactType, Value};
use rule_syntax::mistakes::{Mistakes, listing};
use spanned_yaml::{Code, Node};

/// The bounds of a count.
const BOUNDS: [&str; 5] = ["lt", "lte", "gt", "gte", "eq"];

/// Reads `{where: {...}, gte: 2}`.
pub(crate) fn read_count(
    list: &'static ListDefinition,
    node: &Node,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<(Quantifier, EntryFilter)> {
    let entries = mistakes.mapping(node, "`count`")?;
    let before = mistakes.errors();
    let keys = ["where", "within", "distinct"];
    let keys = [keys.as_slice(), &BOUNDS].concat();
    mistakes.keys_or(entries, node.span, "`count`", &keys, &[], |key| slips::count_key(key, list));
    // Another word for a bound is told as such.
    let is_told = mistakes.errors() > before;
    let (mut least, mut most, mut bounds) = (0_u64, u64::MAX, 0_usize);
    for entry in entries.iter().filter(|entry| BOUNDS.contains(&entry.name())) {
        bounds = bounds.saturating_add(1);
        let Some(bound) = entry.value.text().and_then(|text| text.parse::<u64>().ok()) else {
            let message = format!("`{}` must be a number of entries, like 2", entry.name());
            mistakes.error(Code::R027, entry.value.span, message);
            continue;
        };
        match entry.name() {
            // Nothing is less than 0: the range becomes empty, which is reported below.
            "lt" => match bound.checked_sub(1) {
                Some(below) => most = most.min(below),
                None => least = u64::MAX,
            },
            "lte" => most = most.min(bound),
            "gt" => least = least.max(bound.saturating_add(1)),
            "gte" => least = least.max(bound),
            _ => {
                least = least.max(bound);
                most = most.min(bound);
            }
        }
    }
    if bounds == 0 && !is_told {
        let help = format!("write `{}|count: {{where: {{...}}, gte: 2}}`", list.name);
        mistakes.error_with_help(
            Code::R027,
            node.span,
            "`count` needs a bound: `lt`, `lte`, `gt`, `gte` or `eq`",
            help,
        );
    } else if least > most {
        let help = "`lt` and `gt` leave their number out, `lte` and `gte` take it in: `gte: 2, lte: 2` is `eq: 2`";
        mistakes.error_with_help(Code::R027, node.span, "no number of entries fits these bounds", help);
    } else if bounds > 0 && least == 0 && most == u64::MAX {
        mistakes.error(Code::R027, node.span, "every number of entries fits these bounds");
    }
    let filter = match node.get("where") {
        Some(node) => entry_filter(list, node, known, mistakes),
        None => Some(EntryFilter::default()),
    };
    let within = node.get("within").and_then(|node| window(list, node, mistakes));
    let distinct = node.get("distinct").and_then(|node| read_distinct(list, node, mistakes));
    let incident = Field::find(list, "incident").map(|field| field.index);
    let count = Count { least, most, within, incident, distinct };
    (mistakes.errors() == before).then_some((Quantifier::Count(count), filter?))
}

/// Reads the `within` of a count.
fn window(list: &'static ListDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Window> {
    let Some(before) = Field::find(list, "seconds_before") else {
        no_time(list, node, mistakes);
        return None;
    };
    let after = Field::find(list, "seconds_after").map(|field| field.index);
    Some(Window { seconds: span(node, mistakes)?, before, after })
}

/// Says that the entries of a list have no time.
pub(crate) fn no_time(list: &ListDefinition, node: &Node, mistakes: &mut Mistakes) {
    let message = format!("the entries of `{}` have no time, so none lie `within` a span", list.name);
    let timed = LISTS.iter().filter(|list| list.fields.iter().any(|field| field.path == "seconds_before"));
    let help = format!("lists with times are {}", listing(timed.map(|list| list.name)));
    mistakes.error_with_help(Code::R029, node.span, message, help);
}

/// Reads a span of time: seconds.
pub(crate) fn span(node: &Node, mistakes: &mut Mistakes) -> Option<u64> {
    let text = mistakes.text(node, "`within`")?;
    match value::parse(FactType::Duration, text) {
        Ok(Value::Number(seconds)) if seconds > 0 => Some(seconds),
        Ok(_) => {
            mistakes.error(Code::R022, node.span, "a span of time is longer than nothing");
            None
        }
        Err(wrong) => {
            mistakes.error_with_help(Code::R022, node.span, format!("{} (`within`)", wrong.message), wrong.help);
            None
        }
    }
}

/// Reads the field of which different values are counted.
fn read_distinct(list: &'static ListDefinition, node: &Node, mistakes: &mut Mistakes) -> Option<Field> {
    let name = mistakes.text(node, "`distinct`")?;
    let field = Field::find(list, name);
    if field.is_none() {
        unknown::field(list, name, node.span, mistakes);
    }
    field
}
