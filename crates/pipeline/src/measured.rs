//! How often the rule of a verdict was right on labelled cases.

use knowledge_tables::measured::Record;
use knowledge_tables::{Sorted, embedded};
use report::Measured;
use rules::Finding;

embedded! {
    RECORDS: Sorted<&str, Record> = "measured";
}

/// How often a finding's rule was right on labelled cases; nothing of rules that no case tried, of rules of other sets, and of
/// rules that an overlay changed.
#[must_use]
pub fn measured(finding: &Finding) -> Option<Measured> {
    let is_as_measured = finding.ruleset == rules::BUILTIN && finding.overridden_by.is_empty();
    let Record { cases, right, confirmed } = *RECORDS.get(finding.rule.as_str()).filter(|_| is_as_measured)?;
    Some(Measured { cases, right, confirmed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::RuleSet;

    #[test]
    fn every_record_is_of_a_rule_that_names_a_cause() {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        assert!(RECORDS.iter().count() > 50, "the table is read");
        for (id, _) in RECORDS.iter() {
            let rule = rules.rule(id).unwrap_or_else(|| panic!("no rule {id}"));
            let cause = rules.causes().get(rule.cause()).expect("a cause");
            assert!(!cause.symptom, "{id} names a symptom");
        }
    }
}
