//! The geometry of the pictures on a page: numbers and texts that the template draws as SVG, each with what it shows in words.
//!
//! Coordinates are whole units of a picture's own view box.

mod dots;
mod heat;
mod surroundings;
mod weeks;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use minijinja::context;
use minijinja::value::Value;

pub(super) use dots::Span;
pub(super) use heat::heat;
pub(super) use surroundings::{around, most_important};
pub(super) use weeks::weeks;

use crate::formats::text::block::Block;
use crate::model::{Judged, Report};

/// How many colours there are for families of causes.
const COLORS: usize = 8;

/// The families of causes, each with a colour, and last what has no known cause.
pub(super) struct Families {
    /// Ids and names, by id.
    named: Vec<(String, String)>,
}

impl Families {
    pub(super) fn new(report: &Report) -> Self {
        let mut named: BTreeMap<String, String> =
            report.causes.families().map(|family| (family.id.clone(), family.short.clone())).collect();
        for family in report.incidents.iter().filter_map(|judged| judged.verdict.family.as_ref()) {
            named.entry(family.clone()).or_insert_with(|| family.clone());
        }
        Self { named: named.into_iter().collect() }
    }

    /// The number of an incident's family; without a known cause that behind the last family.
    pub(super) fn number(&self, judged: &Judged) -> usize {
        let family = judged.verdict.family.as_ref().filter(|_| !judged.verdict.is_undetermined());
        family.map_or(self.named.len(), |family| self.by_id(family))
    }

    /// The number of a block's family, where a cause stands for it.
    pub(super) fn of_block(&self, block: &Block<'_>) -> usize {
        let family = block.representative.verdict.family.as_ref().filter(|_| block.confidence().is_some());
        family.map_or(self.named.len(), |family| self.by_id(family))
    }

    fn by_id(&self, family: &str) -> usize {
        self.named.iter().position(|(id, _)| id == family).unwrap_or(self.named.len())
    }

    /// The class by which a style sheet colours a family.
    pub(super) fn class(&self, number: usize) -> String {
        if number < self.named.len() { format!("f{}", number % COLORS) } else { "fx".to_owned() }
    }

    pub(super) fn name(&self, number: usize) -> &str {
        self.named.get(number).map_or("not known", |(_, name)| name)
    }

    /// The families in their order, and what has no known cause.
    fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        0..=self.named.len()
    }
}

/// The width of the bar of families.
const BAR_WIDTH: usize = 960;

/// How many incidents each family has: parts of a bar, the largest first, those without a known cause last.
pub(super) fn families(families: &Families, blocks: &[Block<'_>]) -> Value {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for judged in blocks.iter().flat_map(Block::incidents) {
        *counts.entry(families.number(judged)).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let mut parts: Vec<(usize, usize)> = counts.into_iter().collect();
    parts.sort_by_key(|(number, count)| (*number == families.named.len(), std::cmp::Reverse(*count), *number));
    let mut before = 0;
    let part = |(number, count): (usize, usize)| {
        let at = |count: usize| count * BAR_WIDTH / all.max(1);
        let (x, end) = (at(before), at(before + count));
        before += count;
        let width = (end - x).saturating_sub(2).max(1);
        context! { x, width, count, name => families.name(number), class => families.class(number) }
    };
    parts.into_iter().map(part).collect()
}

/// The date of a time: `2024-05-06`.
pub(super) fn day(time: Timestamp) -> String {
    time.to_string().get(..10).unwrap_or_default().to_owned()
}

/// The names of computers as they are shown, by their names in lower case.
pub(super) fn host_names(blocks: &[Block<'_>]) -> BTreeSet<String> {
    blocks.iter().flat_map(Block::hosts).collect()
}

/// `x` scaled from `0..from` to `0..to`.
fn scaled(x: i64, from: i64, to: i64) -> i64 {
    let scaled = i128::from(x) * i128::from(to) / i128::from(from.max(1));
    i64::try_from(scaled).unwrap_or(to)
}
