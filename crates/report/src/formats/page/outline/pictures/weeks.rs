//! Incidents per week, stacked by family, with the changes on the computers.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use minijinja::context;
use minijinja::value::Value;

use super::{Families, day, scaled};
use crate::formats::text::block::Block;
use crate::wording::{counted, how_long, name, prose, short_time};

/// The view box: the bars are between `LEFT` and `WIDTH`, `TOP` and `BASE`.
const WIDTH: i64 = 960;
const LEFT: i64 = 36;
const TOP: i64 = 34;
const BASE: i64 = 160;
/// The most bars, and the widest one.
const MOST_BARS: i64 = 60;
const WIDEST: i64 = 40;
/// How many dates are below the bars.
const DATES: i64 = 8;
const DATE_WIDTH: i64 = 64;
/// How many changes are marked.
const MOST_CHANGES: usize = 40;
/// How many weeks before the first incident changes are marked.
const WEEKS_BEFORE: i64 = 4;
/// How many weeks one bar can stand for.
const STEPS: [i64; 10] = [1, 2, 4, 8, 13, 26, 52, 104, 260, 520];

const WEEK: i64 = 7 * DAY;
const DAY: i64 = 86_400;
/// The first Monday of the epoch is four days after its begin, a Thursday.
const FIRST_MONDAY: i64 = 4 * DAY;

/// The number of the week of a time, from Monday on.
fn week(time: Timestamp) -> i64 {
    (time.as_second() - FIRST_MONDAY).div_euclid(WEEK)
}

/// The date on which a week begins.
fn begin(week: i64) -> String {
    Timestamp::from_second(week * WEEK + FIRST_MONDAY).map(day).unwrap_or_default()
}

/// The picture; `None` where no incident has a time.
pub(in super::super) fn weeks(families: &Families, blocks: &[Block<'_>]) -> Option<Value> {
    let mut counts: BTreeMap<i64, BTreeMap<usize, usize>> = BTreeMap::new();
    let mut undated = 0_usize;
    for judged in blocks.iter().flat_map(Block::incidents) {
        match judged.incident.time {
            Some(time) => *counts.entry(week(time)).or_default().entry(families.number(judged)).or_default() += 1,
            None => undated += 1,
        }
    }
    let (first_incident, last) = (*counts.keys().next()?, *counts.keys().next_back()?);
    let changes = changes(blocks, first_incident - WEEKS_BEFORE, last);
    let first =
        changes.iter().map(|change| week(change.time)).min().map_or(first_incident, |one| one.min(first_incident));
    let step =
        STEPS.into_iter().find(|step| (last - first) / step < MOST_BARS).unwrap_or((last - first) / MOST_BARS + 1);
    let bars = (last - first) / step + 1;
    let mut by_bar: BTreeMap<i64, BTreeMap<usize, usize>> = BTreeMap::new();
    for (week, of_week) in counts {
        let bar = by_bar.entry((week - first) / step).or_default();
        of_week.into_iter().for_each(|(family, count)| *bar.entry(family).or_default() += count);
    }
    let most = by_bar.values().map(|bar| bar.values().sum::<usize>()).max().unwrap_or(1);
    let scale = Scale { bars, most: i64::try_from(most).unwrap_or(i64::MAX) };
    let title = |bar: i64, parts: &BTreeMap<usize, usize>| {
        let all: usize = parts.values().sum();
        let parts = parts.iter().map(|(family, count)| format!("{} {count}", families.name(*family)));
        (begin(first + bar * step), all, parts.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<(String, usize, String)> = by_bar.iter().map(|(bar, parts)| title(*bar, parts)).collect();
    let drawn = by_bar.iter().map(|(bar, parts)| {
        let (date, all, names) = title(*bar, parts);
        let mut below = 0_usize;
        let parts: Vec<Value> = families
            .numbers()
            .filter_map(|family| Some((family, *parts.get(&family)?)))
            .map(|(family, count)| {
                let (bottom, top) = (scale.y(below), scale.y(below + count));
                below += count;
                context! { y => top, height => (bottom - top).max(1), class => families.class(family) }
            })
            .collect();
        context! { x => scale.x(*bar), title => format!("{date}: {all} ({names})"), parts }
    });
    let span_of_bar = step * WEEK;
    let start = first * WEEK + FIRST_MONDAY;
    let marks = changes.iter().map(|change| {
        let x = LEFT + scaled(change.time.as_second() - start, bars * span_of_bar, WIDTH - LEFT);
        context! { x, title => format!("{} on {}: {}", short_time(change.time), change.host, change.says) }
    });
    let dated = bars / DATES + 1;
    let dates = (0..bars)
        .step_by(usize::try_from(dated).unwrap_or(1))
        .filter(|bar| scale.x(*bar) < WIDTH - DATE_WIDTH)
        .map(|bar| (scale.x(bar), begin(first + bar * step)));
    let lines = BTreeSet::from([0, most.div_ceil(2), most]);
    Some(context! {
        per => if step == 1 { "week".to_owned() } else { format!("{step} weeks") },
        // The first date, the last one, and how many incidents the highest bar has.
        from => begin(first_incident),
        to => begin(last),
        most,
        bar_width => scale.width(),
        bars => drawn.collect::<Value>(),
        lines => lines.into_iter().map(|count| (scale.y(count), count)).collect::<Value>(),
        dates => dates.collect::<Value>(),
        marks => marks.collect::<Value>(),
        rows => rows.into_iter().collect::<Value>(),
        changes => changes.iter().map(|change| change.row()).collect::<Value>(),
        undated => (undated > 0).then(|| counted(undated, "incident")),
    })
}

/// Where bars and numbers are.
struct Scale {
    bars: i64,
    most: i64,
}

impl Scale {
    fn x(&self, bar: i64) -> i64 {
        LEFT + scaled(bar, self.bars, WIDTH - LEFT)
    }

    fn y(&self, count: usize) -> i64 {
        BASE - scaled(i64::try_from(count).unwrap_or(i64::MAX), self.most, BASE - TOP)
    }

    fn width(&self) -> i64 {
        ((WIDTH - LEFT) / self.bars.max(1) - 2).clamp(2, WIDEST)
    }
}

/// A change on a computer, and the groups before whose first incident it was.
struct Change {
    time: Timestamp,
    host: String,
    says: String,
    seconds_before: u64,
    groups: BTreeSet<usize>,
    bears_on: bool,
}

impl Change {
    fn row(&self) -> Value {
        context! {
            time => short_time(self.time),
            host => &self.host,
            says => &self.says,
            before => how_long(self.seconds_before),
            groups => self.groups.iter().collect::<Value>(),
        }
    }
}

/// The changes before the first incidents of groups, in time: of many, those that relate to their group and those that are
/// closest to it.
fn changes(blocks: &[Block<'_>], from: i64, to: i64) -> Vec<Change> {
    let mut all: BTreeMap<(Timestamp, String, String), Change> = BTreeMap::new();
    for block in blocks {
        for one in block.group.iter().flat_map(|group| group.changes_before.as_deref().unwrap_or_default()) {
            if !(from..=to).contains(&week(one.time)) {
                continue;
            }
            let (host, says) = (name(&one.host).into_owned(), prose(&one.says));
            let key = (one.time, host.clone(), says.clone());
            let change = all.entry(key).or_insert_with(|| Change {
                time: one.time,
                host,
                says,
                seconds_before: one.seconds_before,
                groups: BTreeSet::new(),
                bears_on: false,
            });
            change.groups.insert(block.number);
            change.bears_on |= one.bears_on.is_some();
            change.seconds_before = change.seconds_before.min(one.seconds_before);
        }
    }
    let mut all: Vec<Change> = all.into_values().collect();
    all.sort_by_key(|change| (!change.bears_on, change.seconds_before, change.time));
    all.truncate(MOST_CHANGES);
    all.sort_by_key(|change| change.time);
    all
}
