//! The rules that are evaluated for a record: those about its channel and event id of which a needed text is in the record.
//! All texts are looked for at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};

use super::evaluate::Detection;
use super::logsource::Source;
use super::needles;
use super::record::{Record, Seen, fold};

/// Records by channel and event id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records {
    /// The ids of each channel, by its name in lower case; `None` is every id.
    pub by_channel: BTreeMap<String, Option<BTreeSet<u32>>>,
    /// The ids of every channel.
    pub any: Option<BTreeSet<u32>>,
}

/// A rule's detection, and the records that it is about.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) detection: Detection,
    pub(super) sources: Vec<Source>,
}

/// All rules by the channels and event ids of their records.
#[derive(Debug, Default)]
pub(super) struct Index {
    rules: Vec<Compiled>,
    /// For each rule, texts of which a matching record contains at least one; `None` for a rule that can match without.
    texts: Vec<Option<Vec<String>>>,
    /// By channel, folded, and event id.
    by_channel: HashMap<Arc<str>, ById>,
    /// Rules about every channel.
    of_any: ById,
}

#[derive(Debug, Default)]
struct ById {
    ids: HashMap<u32, Bucket>,
    any: Bucket,
}

/// Rules about the same records, in their order, each with the number of its source.
#[derive(Debug, Default)]
struct Bucket {
    rules: Vec<(usize, usize)>,
    /// Finds the texts of all of them; built when the first such record comes.
    finder: OnceLock<Finder>,
}

/// Finds the rules of a bucket that can match a record, by the texts in the record.
#[derive(Debug)]
struct Finder {
    /// Finds all texts; `None` where there are too many for one.
    texts: Option<AhoCorasick>,
    /// The rules, by places in the bucket, of each text.
    rules: Vec<Vec<usize>>,
    /// The rules that can match without a text.
    always: Vec<usize>,
}

impl Index {
    /// The index of these rules.
    pub(super) fn new(rules: Vec<Compiled>) -> Self {
        let texts = rules.iter().map(|rule| needles::texts(&rule.detection)).collect();
        let mut index = Self { texts, ..Self::default() };
        for (number, rule) in rules.iter().enumerate() {
            let asked = needles::event_ids(&rule.detection);
            for (place, source) in rule.sources.iter().enumerate() {
                let by_id = match &source.channel {
                    Some(channel) => index.by_channel.entry(Arc::clone(channel)).or_default(),
                    None => &mut index.of_any,
                };
                let ids = match (&source.ids, &asked) {
                    (Some(ids), Some(asked)) => Some(ids.iter().copied().filter(|id| asked.contains(id)).collect()),
                    (Some(ids), None) | (None, Some(ids)) => Some(ids.clone()),
                    (None, None) => None::<Vec<u32>>,
                };
                match ids {
                    Some(ids) => {
                        ids.into_iter().for_each(|id| by_id.ids.entry(id).or_default().rules.push((number, place)));
                    }
                    None => by_id.any.rules.push((number, place)),
                }
            }
        }
        index.rules = rules;
        index
    }

    /// The records that some rule is about.
    pub(super) fn records(&self) -> Records {
        let ids = |by_id: &ById| by_id.any.rules.is_empty().then(|| by_id.ids.keys().copied().collect());
        let channels = self.by_channel.iter().map(|(channel, by_id)| (channel.to_string(), ids(by_id)));
        Records { by_channel: channels.collect(), any: ids(&self.of_any) }
    }

    /// The numbers of the rules that match the record, in order.
    pub(super) fn matches(&self, record: &dyn Record) -> BTreeSet<usize> {
        let of_channel = record.channel().and_then(|channel| self.by_channel.get(&*fold(channel)));
        let by_id = [of_channel, Some(&self.of_any)].into_iter().flatten();
        let buckets = by_id.flat_map(|by_id| [by_id.ids.get(&record.event_id()), Some(&by_id.any)]);
        let buckets: Vec<&Bucket> = buckets.flatten().filter(|bucket| !bucket.rules.is_empty()).collect();
        if buckets.is_empty() {
            return BTreeSet::new();
        }
        let seen = Seen::new(record);
        let possible = buckets.iter().flat_map(|bucket| bucket.possible(&seen, &self.texts));
        let holds = |(rule, source): &(usize, usize)| {
            let rule = self.rules.get(*rule);
            let source = rule.and_then(|rule| Some((&rule.detection, rule.sources.get(*source)?)));
            source.is_some_and(|(detection, source)| detection.holds(&seen, source) == Some(true))
        };
        possible.filter(holds).map(|(rule, _)| rule).collect()
    }
}

impl Bucket {
    /// The rules that can match, by the texts in the record.
    fn possible(&self, seen: &Seen<'_>, texts: &[Option<Vec<String>>]) -> Vec<(usize, usize)> {
        let finder = self.finder.get_or_init(|| Finder::new(&self.rules, texts));
        let Some(automaton) = &finder.texts else { return self.rules.clone() };
        let mut places: BTreeSet<usize> = finder.always.iter().copied().collect();
        for found in automaton.find_overlapping_iter(seen.folded()) {
            places.extend(finder.rules.get(found.pattern().as_usize()).into_iter().flatten());
        }
        places.into_iter().filter_map(|place| self.rules.get(place).copied()).collect()
    }
}

impl Finder {
    fn new(rules: &[(usize, usize)], texts: &[Option<Vec<String>>]) -> Self {
        let mut by_text: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut always = Vec::new();
        for (place, (rule, _)) in rules.iter().enumerate() {
            match texts.get(*rule).and_then(Option::as_ref) {
                Some(texts) => {
                    texts.iter().for_each(|text| by_text.entry(text).or_default().push(place));
                }
                None => always.push(place),
            }
        }
        let texts = AhoCorasick::builder().match_kind(MatchKind::Standard).build(by_text.keys()).ok();
        Self { texts, rules: by_text.into_values().collect(), always }
    }
}
