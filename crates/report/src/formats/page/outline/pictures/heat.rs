//! How many incidents each computer had in each month.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use minijinja::context;
use minijinja::value::Value;

use crate::account::computer;
use crate::formats::text::block::Block;
use crate::wording::counted_as;

/// How many computers have a row of their own.
const MOST_HOSTS: usize = 20;
/// How many months have a column of their own; earlier ones share the first.
const MOST_MONTHS: i32 = 24;
/// The view box: a column of names, the months, a column of totals.
const WIDTH: i32 = 960;
const NAMES: i32 = 170;
const TOTALS: i32 = 50;
const ROW: usize = 24;
const HEAD: usize = 22;
const WIDEST: i32 = 90;
/// The longest name that fits into its column, characters.
const LONGEST: usize = 22;
/// How many shades there are.
const SHADES: usize = 5;

/// A month, counted from the year 0.
fn month(time: Timestamp) -> i32 {
    let date = time.to_zoned(TimeZone::UTC).date();
    i32::from(date.year()) * 12 + i32::from(date.month()) - 1
}

fn month_name(month: i32) -> String {
    format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)
}

/// A row: a computer, its incidents by month, and all of them.
type Row = (String, BTreeMap<i32, usize>, usize);

/// The picture; `None` where no incident has a time, or there is only one field.
pub(in super::super) fn heat(blocks: &[Block<'_>]) -> Option<Value> {
    let mut by_host: BTreeMap<Option<String>, (BTreeMap<i32, usize>, usize)> = BTreeMap::new();
    for judged in blocks.iter().flat_map(Block::incidents) {
        let (months, all) = by_host.entry(computer(judged)).or_default();
        *all += 1;
        if let Some(time) = judged.incident.time {
            *months.entry(month(time)).or_default() += 1;
        }
    }
    let times = || by_host.values().flat_map(|(months, _)| months.keys().copied());
    let (first, last) = (times().min()?, times().max()?);
    if first == last && by_host.len() < 2 {
        return None;
    }
    let from = first.max(last - MOST_MONTHS + 1);
    let rows = rows(by_host);
    let earlier = first < from;
    let columns: Vec<i32> = (from..=last).collect();
    let count = i32::try_from(columns.len()).unwrap_or(MOST_MONTHS) + i32::from(earlier);
    let cell = ((WIDTH - NAMES - TOTALS) / count.max(1)).min(WIDEST);
    let in_month = |months: &BTreeMap<i32, usize>, month: i32| -> usize {
        // The column before the first month has all earlier ones.
        if month < from {
            months.range(..from).map(|(_, count)| count).sum()
        } else {
            months.get(&month).copied().unwrap_or_default()
        }
    };
    let columns: Vec<i32> = earlier.then_some(from - 1).into_iter().chain(columns).collect();
    let column_name =
        |month: i32| if month < from { format!("before {}", month_name(from)) } else { month_name(month) };
    let most =
        rows.iter().flat_map(|(_, months, _)| columns.iter().map(|month| in_month(months, *month))).max()?.max(1);
    // Small numbers differ more than large ones: the shade is the root of the share.
    let shade =
        |count: usize| (1..=SHADES).find(|shade| count * SHADES * SHADES <= most * shade * shade).unwrap_or(SHADES);
    let shade = |count: usize| if most < SHADES { count.min(SHADES) } else { shade(count) };
    let drawn = rows.iter().enumerate().map(|(number, (host, months, all))| {
        let cells = (0_i32..).zip(&columns).filter_map(|(at, month)| {
            let count = Some(in_month(months, *month)).filter(|count| *count > 0)?;
            let title = format!("{host}, {}: {count}", column_name(*month));
            Some(context! { x => NAMES + at * cell, middle => NAMES + at * cell + cell / 2, count, shade => shade(count), title })
        });
        let short = match host.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", host.get(..end).unwrap_or_default()),
            None => host.clone(),
        };
        context! { name => host, short, y => HEAD + number * ROW, cells => cells.collect::<Value>(), all }
    });
    let every = if cell < 60 { 1 + 60 / cell.max(1) } else { 1 };
    let months = (0_i32..).zip(&columns).filter(|(at, month)| at % every == 0 || **month < from).map(|(at, month)| {
        let label = if *month < from { "earlier".to_owned() } else { month_name(*month) };
        (NAMES + at * cell, label)
    });
    let table = rows.iter().flat_map(|(host, months, _)| {
        columns.iter().filter_map(|month| {
            Some((host.clone(), column_name(*month), Some(in_month(months, *month)).filter(|count| *count > 0)?))
        })
    });
    Some(context! {
        height => HEAD + rows.len() * ROW + 4,
        cell_width => cell - 2,
        totals_x => NAMES + cell * count + 8,
        months => months.collect::<Value>(),
        rows => drawn.collect::<Value>(),
        table => table.collect::<Vec<_>>().into_iter().collect::<Value>(),
        from => month_name(first),
        to => month_name(last),
        most,
    })
}

/// The computers with most incidents, then the sum of the others, then what has no name.
fn rows(by_host: BTreeMap<Option<String>, (BTreeMap<i32, usize>, usize)>) -> Vec<Row> {
    let mut named: Vec<Row> = Vec::new();
    let mut nameless: Option<Row> = None;
    for (host, (months, all)) in by_host {
        match host {
            Some(host) => named.push((host.to_uppercase(), months, all)),
            None => nameless = Some(("name unknown".to_owned(), months, all)),
        }
    }
    named.sort_by_key(|(_, _, all)| Reverse(*all));
    let others = named.split_off(named.len().min(MOST_HOSTS));
    let mut rows = named;
    if !others.is_empty() {
        let mut months: BTreeMap<i32, usize> = BTreeMap::new();
        others
            .iter()
            .flat_map(|(_, of_host, _)| of_host)
            .for_each(|(month, count)| *months.entry(*month).or_default() += count);
        let all = others.iter().map(|(_, _, all)| all).sum();
        let names: BTreeSet<&str> = others.iter().map(|(host, ..)| host.as_str()).collect();
        rows.push((counted_as(names.len(), "other computer", "other computers"), months, all));
    }
    rows.extend(nameless);
    rows
}
