//! An index that gives the rules that can match an incident without looking at each rule: values of the incident are
//! looked up among those that rules need, and its texts are searched once for all parts that rules search for. The time that takes depends on the incident
//! and on what of it rules ask for, and hardly on how many rules there are.
//!
//! Built-in rules are asked one by one instead: there are few of them, what decides them is known without reading them,
//! and to look that up would cost more than it saves.

use std::collections::{BTreeMap, HashMap};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use super::{Clue, Needs, Place};
use crate::evaluating::{Compared, View};
use expressions::has_second_forms;

/// Rules, as indices, by the clues that they need.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Rules without clues, which have to be evaluated for every incident.
    always: Vec<usize>,
    places: BTreeMap<Place, LookedUp>,
}

/// The clues in one fact or field, with the rules that need them.
#[derive(Debug, Default)]
struct LookedUp {
    numbers: HashMap<u64, Vec<usize>>,
    texts: HashMap<Box<str>, Vec<usize>>,
    parts: TextParts,
}

/// Parts that rules need in texts.
#[derive(Debug, Default)]
struct TextParts {
    rules: Vec<Vec<usize>>,
    /// Finds them, by the same index; `None` where there are none.
    finder: Option<AhoCorasick>,
}

impl Index {
    /// The index of rules with these needs; without needs, a rule is asked each time.
    pub fn new<'n>(rules: impl Iterator<Item = Option<&'n Needs>>) -> Self {
        let mut index = Self::default();
        let mut parts: BTreeMap<Place, BTreeMap<Box<str>, Vec<usize>>> = BTreeMap::new();
        for (number, needs) in rules.enumerate() {
            let Some(clues) = needs.and_then(Needs::looked_up) else {
                index.always.push(number);
                continue;
            };
            for clue in clues {
                match clue {
                    Clue::Number(place, value) => index.wanted(*place).numbers.entry(*value).or_default().push(number),
                    Clue::Text(place, text) => {
                        index.wanted(*place).texts.entry(text.clone()).or_default().push(number);
                    }
                    Clue::Part(place, part) => {
                        parts.entry(*place).or_default().entry(part.clone()).or_default().push(number);
                    }
                    Clue::Known(_) => index.always.push(number),
                }
            }
        }
        for (place, parts) in parts {
            let (texts, rules): (Vec<Box<str>>, Vec<Vec<usize>>) = parts.into_iter().unzip();
            // Parts may overlap and hold each other, and all of them count.
            match AhoCorasickBuilder::new().match_kind(MatchKind::Standard).build(texts.iter().map(|text| &**text)) {
                Ok(finder) => index.wanted(place).parts = TextParts { rules, finder: Some(finder) },
                // Too many for the finder: the rules are asked.
                Err(_) => index.always.extend(rules.into_iter().flatten()),
            }
        }
        index.always.sort_unstable();
        index.always.dedup();
        index
    }

    fn wanted(&mut self, place: Place) -> &mut LookedUp {
        self.places.entry(place).or_default()
    }

    /// The rules that can match, in their order. All others don't.
    pub fn candidates(&self, view: &View<'_>) -> Vec<usize> {
        let mut found = self.always.clone();
        for (place, wanted) in &self.places {
            match place {
                Place::Fact(fact) => {
                    view.scalar(*fact).into_iter().for_each(|seen| wanted.add(seen.compared(), &mut found))
                }
                Place::Field { list, field } => {
                    let rows = view.list(*list).unwrap_or_default().iter();
                    rows.filter_map(|row| row.field(*field)).for_each(|value| wanted.add(value, &mut found));
                }
                Place::List(_) => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl LookedUp {
    /// Adds the rules that need this value.
    fn add(&self, value: Compared<'_>, found: &mut Vec<usize>) {
        match value {
            Compared::Number(number) => found.extend(self.numbers.get(&number).into_iter().flatten()),
            Compared::Text(text) | Compared::Path { text, .. } => {
                found.extend(self.texts.get(text).into_iter().flatten());
                self.parts.add(text, found);
            }
            Compared::Version(_) | Compared::Flag(_) => {}
        }
    }
}

impl TextParts {
    fn add(&self, text: &str, found: &mut Vec<usize>) {
        let Some(finder) = &self.finder else { return };
        if has_second_forms(text) {
            // To a regular expression these are other letters, too.
            found.extend(self.rules.iter().flatten());
            return;
        }
        for part in finder.find_overlapping_iter(text) {
            found.extend(self.rules.get(part.pattern().as_usize()).into_iter().flatten());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::evaluating::Evaluation;
    use crate::language::Truth;
    use crate::{Rule, RuleSet};

    fn built_in_rules_as_a_users() -> RuleSet {
        RuleSet::load(true, &[PathBuf::from(builtin_rules::FOLDER)]).expect("the built-in rules")
    }

    // What the tests of rules tell of is what rules ask for: each against every rule.
    #[test]
    fn no_rule_is_left_out_that_matches() {
        let rules = built_in_rules_as_a_users();
        let (mut matches, mut passed_over) = (0_usize, 0_usize);
        for test in rules.rules().iter().flat_map(|rule| &rule.tests().all) {
            let view = View::new(&test.facts, None);
            let candidates = rules.index.candidates(&view);
            for (number, rule) in rules.rules().iter().enumerate() {
                let logic = rule.logic();
                let holds = Evaluation::new(&logic.selections, &view).truth(&logic.condition) == Truth::True;
                let found = candidates.binary_search(&number).is_ok();
                assert!(found || !holds, "{} in a test of another: {:?}", rule.id(), &test.facts);
                matches = matches.saturating_add(usize::from(holds));
                passed_over = passed_over.saturating_add(usize::from(!found));
            }
        }
        assert!(matches > 300, "{matches}");
        let asked = rules.rules().iter().map(Rule::test_count).sum::<usize>().saturating_mul(rules.rules().len());
        assert!(passed_over > asked / 2, "{passed_over} of {asked}");
    }

    #[test]
    fn what_is_only_like_ascii_leaves_nothing_out() {
        let rules = built_in_rules_as_a_users();
        let wanted = rules.index.places.values().find(|wanted| wanted.parts.finder.is_some());
        let parts = &wanted.expect("texts").parts;
        let (mut none, mut all) = (Vec::new(), Vec::new());
        parts.add("nothing of it", &mut none);
        parts.add("not\u{17F}ing of it", &mut all);
        assert_eq!((none.len(), all.len()), (0, parts.rules.iter().flatten().count()));
    }
}
