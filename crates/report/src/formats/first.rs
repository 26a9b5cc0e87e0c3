//! What to do first: blocks with a cause that a step can fix, in the order of the report, those of one cure together.

use std::collections::{BTreeSet, HashMap};

use super::text::block::Block;
use crate::account::{program, title};
use crate::model::Judged;

/// A cause with the blocks that share it: the same rule on the same computer, or for the same program.
pub(crate) struct Entry<'b, 'r> {
    /// The blocks, most urgent first; never empty.
    pub(crate) blocks: Vec<&'b Block<'r>>,
    first: &'b Block<'r>,
}

/// The entries of "do first": blocks of which one thing cures all are one entry.
pub(crate) fn entries<'b, 'r>(blocks: &[&'b Block<'r>]) -> Vec<Entry<'b, 'r>> {
    let mut entries: Vec<Entry<'b, 'r>> = Vec::new();
    let mut by_key: HashMap<Key<'_>, usize> = HashMap::new();
    for &block in blocks {
        let keys = keys(block);
        let known = keys.iter().filter_map(|key| by_key.get(key)).min().copied();
        match known.and_then(|known| entries.get_mut(known)) {
            Some(entry) => entry.blocks.push(block),
            None => {
                for key in keys {
                    by_key.entry(key).or_insert(entries.len());
                }
                entries.push(Entry { blocks: vec![block], first: block });
            }
        }
    }
    entries
}

/// What blocks of one cure have in common: rule, sentence of the verdict, and a program with its customer, or the only
/// computer.
type Key<'r> = (&'r str, &'r str, Option<&'r str>, Option<String>);

/// The keys of a block; none where no rule gave the verdict.
fn keys<'r>(block: &Block<'r>) -> Vec<Key<'r>> {
    let judged: &Judged = block.representative;
    let Some(leading) = judged.leading_finding() else { return Vec::new() };
    let (rule, sentence) = (leading.rule.as_str(), judged.verdict.sentence.as_str());
    let party = judged.party.as_deref().map(str::to_owned);
    let program = program(&judged.incident).map(|program| (rule, sentence, Some(program), party));
    let host = block.hosts().pop_first().filter(|_| block.hosts().len() == 1);
    let host = host.map(|host| (rule, sentence, None, Some(host)));
    program.into_iter().chain(host).collect()
}

impl<'b, 'r> Entry<'b, 'r> {
    /// The most urgent block.
    pub(crate) fn first(&self) -> &'b Block<'r> {
        self.first
    }

    /// The computers of all blocks, in lower case.
    pub(crate) fn hosts(&self) -> BTreeSet<String> {
        self.blocks.iter().flat_map(|block| block.hosts()).collect()
    }

    /// How many incidents there are.
    pub(crate) fn times(&self) -> usize {
        self.blocks.iter().map(|block| block.size()).sum()
    }

    /// What is wrong with which program, or with how many.
    pub(crate) fn headline(&self) -> String {
        let programs: BTreeSet<&str> =
            self.blocks.iter().filter_map(|block| program(&block.representative.incident)).collect();
        match programs.len() {
            0 | 1 => self.first.headline(),
            several => format!("{several} programs: {}", title(self.first.representative)),
        }
    }
}
