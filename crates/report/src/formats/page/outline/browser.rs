//! The parts of a page for browsers that show all groups together: numbers, pictures, what to do first, the table of groups.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use minijinja::value::Value;

use super::group::{level, step_values};
use super::pictures::{self, Families, Span, day};
use crate::account::{self, place};
use crate::confidence::{Level, NOT_DETERMINED, SYMPTOM, percent, rounded};
use crate::formats::first::{Entry, entries};
use crate::formats::screen::next_for_the_cause;
use crate::formats::text::block::Block;
use crate::model::Report;
use crate::wording::{self, counted, counted_as, grouped, name, prose};
use rules::Severity;

/// How many cards "do first" has, and how many steps each.
const CARDS: usize = 6;
const STEPS_OF_CARD: usize = 2;
/// How many groups without a cause are named beside them.
const UNKNOWN: usize = 5;
/// How many computers of a group its row names.
const HOSTS_NAMED: usize = 3;

/// The levels of confidence that rows are filtered by, in the order of their numbers.
const LEVELS: [&str; 6] = ["act on it", "likely", "possible", "weak", SYMPTOM, NOT_DETERMINED];

/// The values; of the groups, at most `most_rows` in the table. The first `described` groups have a section.
pub(super) fn values(report: &Report, blocks: &[Block<'_>], most_rows: usize, described: usize) -> Value {
    let families = Families::new(report);
    let (known, unknown): (Vec<_>, Vec<_>) = blocks.iter().partition(|block| block.is_actionable());
    let all = entries(&known);
    let times = report.incidents.iter().filter_map(|judged| judged.incident.time);
    let span = Span::of(times);
    let hosts = pictures::host_names(blocks);
    let customers: BTreeSet<&str> = blocks.iter().filter_map(Block::party).collect();
    let table = Table { families: &families, span: span.as_ref(), hosts: &hosts, customers: &customers, described };
    let left_out = blocks.len().saturating_sub(most_rows);
    context! {
        tiles => tiles(report, blocks, &hosts),
        families => pictures::families(&families, blocks),
        cards => all.iter().take(CARDS).map(|entry| card(entry, &families, described)).collect::<Value>(),
        cards_left_out => all.len().saturating_sub(CARDS),
        unknown_first => unknown.iter().take(UNKNOWN).map(|block| unknown_line(report, block, described)).collect::<Value>(),
        unknown_left_out => unknown.len().saturating_sub(UNKNOWN),
        weeks => pictures::weeks(&families, blocks),
        heat => pictures::heat(blocks),
        rows => blocks.iter().take(most_rows).map(|block| table.row(block)).collect::<Value>(),
        rows_left_out => (left_out > 0).then(|| grouped(left_out)),
        filters => table.filters(blocks),
    }
}

/// How many incidents there are on how many computers, from which day to which.
pub(super) fn heading(report: &Report, blocks: &[Block<'_>]) -> String {
    let hosts = pictures::host_names(blocks).len();
    let on = if hosts > 0 { format!(" on {}", counted(hosts, "computer")) } else { String::new() };
    let times = || report.incidents.iter().filter_map(|judged| judged.incident.time);
    let days = match (times().min().map(day), times().max().map(day)) {
        (Some(first), Some(last)) if first == last => format!(", {first}"),
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => String::new(),
    };
    format!("{}{on}{days}", counted(report.incidents.len(), "incident"))
}

/// Numbers that say how much there is and how bad it is, each with its words.
fn tiles(report: &Report, blocks: &[Block<'_>], hosts: &BTreeSet<String>) -> Value {
    let groups = |is: &dyn Fn(&Block<'_>) -> bool| blocks.iter().filter(|block| is(block)).count();
    let critical = |block: &Block<'_>| {
        let severity = block.representative.leading_finding().map(|finding| finding.severity);
        block.level().is_some() && severity == Some(Severity::Critical)
    };
    let incidents: usize = blocks.iter().map(Block::size).sum();
    let damaged = report.summary.failed + report.summary.partial;
    let tiles = [
        (incidents, if incidents == 1 { "incident" } else { "incidents" }, ""),
        (blocks.len(), if blocks.len() == 1 { "problem" } else { "problems" }, ""),
        (hosts.len(), if hosts.len() == 1 { "computer" } else { "computers" }, ""),
        (groups(&critical), "critical", "bad"),
        (groups(&|block| block.level() == Some(Level::ActOnIt)), "with a clear cause", "good"),
        (groups(&|block| block.level().is_none()), "without a cause", ""),
        (damaged, if damaged == 1 { "damaged file" } else { "damaged files" }, if damaged > 0 { "bad" } else { "" }),
    ];
    tiles.into_iter().map(|(count, what, class)| context! { count => grouped(count), what, class }).collect()
}

/// A card of "do first".
fn card(entry: &Entry<'_, '_>, families: &Families, described: usize) -> Value {
    let first = entry.first();
    let finding = first.representative.leading_finding();
    let steps = finding.map(account::first_steps).unwrap_or_default();
    context! {
        number => first.number,
        is_described => first.number <= described,
        class => families.class(families.of_block(first)),
        severity => finding.map_or("", |finding| finding.severity.word()),
        level => level(first),
        sure => first.confidence().map(percent),
        on => place(&entry.hosts()),
        times => counted(entry.times(), "incident"),
        headline => entry.headline(),
        steps_count => steps.len(),
        steps => steps.into_iter().take(STEPS_OF_CARD).map(step_values).collect::<Value>(),
        // The other groups that the same steps fix.
        also => entry.blocks.iter().skip(1).take(CARDS).map(|block| block.number).collect::<Value>(),
        also_more => entry.blocks.len().saturating_sub(1 + CARDS),
    }
}

/// A group without a cause, and what helps to find it.
fn unknown_line(report: &Report, block: &Block<'_>, described: usize) -> Value {
    context! {
        number => block.number,
        is_described => block.number <= described,
        headline => block.headline(),
        size => block.size(),
        on => place(&block.hosts()),
        next => next_for_the_cause(report, block.representative),
    }
}

/// What the rows of the table are made with.
struct Table<'t> {
    families: &'t Families,
    span: Option<&'t Span>,
    /// All computers, in lower case.
    hosts: &'t BTreeSet<String>,
    /// All customers, where folders are customers.
    customers: &'t BTreeSet<&'t str>,
    /// How many groups have a section.
    described: usize,
}

impl Table<'_> {
    fn row(&self, block: &Block<'_>) -> Value {
        let judged = block.representative;
        let finding = judged.leading_finding().filter(|_| block.level().is_some());
        let hosts = block.hosts();
        let family = self.families.of_block(block);
        let named: Vec<String> = hosts.iter().take(HOSTS_NAMED).map(|host| name(host).to_uppercase()).collect();
        let (first, last) = match block.group {
            Some(group) => (group.first, group.last),
            None => (judged.incident.time, judged.incident.time),
        };
        let days = first.map(day).zip(last.map(day));
        context! {
            number => block.number,
            is_described => block.number <= self.described,
            headline => block.headline(),
            family,
            class => self.families.class(family),
            kind => wording::kind(judged.incident.kind),
            kind_number => kind_number(block),
            cause => block.confidence().map(|_| &judged.verdict.cause),
            level => level(block),
            level_number => level_number(block),
            level_words => LEVELS.get(level_number(block)).copied(),
            confidence => block.confidence().map_or(0, whole_percent),
            severity => finding.map_or("", |finding| finding.severity.word()),
            severity_number => finding.map_or(0, |finding| severity_number(finding.severity)),
            size => block.size(),
            hosts_count => hosts.len(),
            hosts => named.join(", "),
            hosts_more => hosts.len().saturating_sub(HOSTS_NAMED),
            // The places of the computers in the list of all, and of the customer.
            host_numbers => self.numbers_of(&hosts),
            customer_number => self.customer_number(block),
            first => days.as_ref().map(|(first, _)| first),
            last => days.as_ref().filter(|(first, last)| first != last).map(|(_, last)| last),
            dots => self.span.map(|span| span.dots(block)),
        }
    }

    fn numbers_of(&self, hosts: &BTreeSet<String>) -> String {
        let of = self.hosts.iter().enumerate().filter(|(_, host)| hosts.contains(*host));
        of.map(|(number, _)| number.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// The place of the customer in the list of all; behind it for what is in no customer's folder.
    fn customer_number(&self, block: &Block<'_>) -> usize {
        let place = self.customers.iter().position(|customer| block.party() == Some(customer));
        place.unwrap_or(self.customers.len())
    }

    /// The choices of each filter, with numbers and how many groups there are.
    fn filters(&self, blocks: &[Block<'_>]) -> Value {
        let count = |number: &dyn Fn(&Block<'_>) -> (usize, String)| -> Value {
            let mut counts: BTreeMap<(usize, String), usize> = BTreeMap::new();
            blocks.iter().for_each(|block| *counts.entry(number(block)).or_default() += 1);
            counts.into_iter().map(|((number, words), count)| (number, words, grouped(count))).collect()
        };
        let words = |number: usize| LEVELS.get(number).copied().unwrap_or_default().to_owned();
        context! {
            families => count(&|block| {
                let family = self.families.of_block(block);
                (family, self.families.name(family).to_owned())
            }),
            levels => count(&|block| (level_number(block), words(level_number(block)))),
            kinds => count(&|block| {
                (kind_number(block), wording::kind(block.representative.incident.kind).to_owned())
            }),
            customers => (!self.customers.is_empty()).then(|| count(&|block| {
                (self.customer_number(block), name(block.party().unwrap_or("none")).into_owned())
            })),
            hosts => self.hosts.iter().map(|host| name(host).to_uppercase()).collect::<Value>(),
        }
    }
}

fn kind_number(block: &Block<'_>) -> usize {
    block.representative.incident.kind as usize
}

fn level_number(block: &Block<'_>) -> usize {
    match (block.level(), block.confidence()) {
        (Some(Level::ActOnIt), _) => 0,
        (Some(Level::Likely), _) => 1,
        (Some(Level::Possible), _) => 2,
        (Some(Level::Weak), _) => 3,
        (None, Some(_)) => 4,
        (None, None) => 5,
    }
}

fn severity_number(severity: Severity) -> usize {
    match severity {
        Severity::Low => 1,
        Severity::Medium => 2,
        Severity::High => 3,
        Severity::Critical => 4,
    }
}

/// A confidence as a whole number of percent.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rounded confidence is between 0 and 1")]
fn whole_percent(confidence: f64) -> u8 {
    (rounded(confidence) * 100.0).round() as u8
}

/// What is left out of a list, and where it is: `and 2,312 more: the JSON report (-f json) has them`.
pub(super) fn more(count: usize) -> Option<String> {
    let verb = counted_as(count, "it", "them");
    let verb = verb.rsplit(' ').next().unwrap_or_default();
    (count > 0).then(|| prose(&format!("and {} more: the JSON report (-f json) has {verb}", grouped(count))))
}
