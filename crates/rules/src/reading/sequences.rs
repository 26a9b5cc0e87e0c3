//! Reading how entries of a list have to follow one another.

use crate::language::{Along, Field, STEPS, Sequence, order_of};
use crate::reading::LoadContext;
use crate::reading::comparisons::flag;
use crate::reading::entry_filters::entry_filter;
use crate::reading::quantifiers::{no_time, span};
use facts::schema::{LISTS, ListDefinition};
use rule_syntax::mistakes::{Mistakes, each, listing};
use spanned_yaml::{Code, Node};

/// Reads `[STEP, STEP]`, or `{steps: [STEP, STEP], within: 10 min}`.
pub(crate) fn read(
    list: &'static ListDefinition,
    node: &Node,
    known: &LoadContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<Sequence> {
    let timed = Field::find(list, "seconds_before");
    let Some(field) = timed.or_else(|| Field::find(list, "position")) else {
        let message = format!("the entries of `{}` have no order, so none follows another", list.name);
        let ordered = LISTS.iter().filter(|list| order_of(list).is_some());
        let help = format!("lists with an order are {}", listing(ordered.map(|list| list.name)));
        mistakes.error_with_help(Code::R037, node.span, message, help);
        return None;
    };
    let before = mistakes.errors();
    let (mut within, mut adjacent) = (None, false);
    let steps = if node.items().is_some() {
        node
    } else {
        let entries = mistakes.mapping(node, "`sequence`")?;
        mistakes.keys(entries, node.span, "`sequence`", &["steps", "within", "adjacent"], &["steps"]);
        match node.get("within") {
            Some(node) if timed.is_some() => within = span(node, mistakes),
            Some(node) => no_time(list, node, mistakes),
            None => {}
        }
        if let Some(node) = node.get("adjacent") {
            adjacent = flag(node, "`adjacent`", mistakes) == Some(true);
            if timed.is_some() {
                let message = format!("the entries of `{}` have times and no positions", list.name);
                let help = "write `within: 1 min` for what lies close together";
                mistakes.error_with_help(Code::R037, node.span, message, help);
            }
        }
        node.get("steps")?
    };
    let items = mistakes.items(steps, "`sequence`")?;
    if !STEPS.contains(&items.len()) {
        let message =
            format!("a sequence has {} to {} steps, and this one {}", STEPS.start(), STEPS.end(), items.len());
        let help = format!("write `{}|any: {{...}}` for one entry", list.name);
        mistakes.error_with_help(Code::R037, steps.span, message, help);
        return None;
    }
    let steps = each(items, |item| entry_filter(list, item, known, mistakes))?;
    let along = match timed {
        Some(before) => Along::Time { before, within },
        None => Along::Position { field, adjacent },
    };
    let incident = Field::find(list, "incident").map(|field| field.index);
    (mistakes.errors() == before).then_some(Sequence { steps, along, incident })
}
