//! How often the rule of a verdict was right on labelled cases.

use knowledge_tables::{Sorted, embedded};
use report::Measured;
use rules::Finding;

embedded! {
    RECORDS: Sorted<&str, Measured> = "measured";
}

/// How often a finding's rule was right on labelled cases; nothing of rules that no case tried, of rules of other sets, and of
/// rules that an overlay changed.
#[must_use]
pub fn measured(finding: &Finding) -> Option<Measured> {
    let is_as_measured = finding.ruleset == rules::BUILTIN && finding.overridden_by.is_empty();
    RECORDS.get(finding.rule.as_str()).filter(|_| is_as_measured).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{RuleSet, Severity};

    #[test]
    fn rules_of_other_sets_and_changed_ones_have_no_record() {
        let (measured_rule, record) = RECORDS.iter().next().expect("a record");
        let built_in = Finding {
            rule: (*measured_rule).to_owned(),
            ruleset: rules::BUILTIN.to_owned(),
            overridden_by: Vec::new(),
            cause: "driver-fault".to_owned(),
            symptom: false,
            confidence: 0.5,
            severity: Severity::High,
            title: String::new(),
            explanation: String::new(),
            remediation: Vec::new(),
            collect: Vec::new(),
            evidence: Vec::new(),
            entries: Vec::new(),
            incidents: Vec::new(),
            references: Vec::new(),
            suppression_ended: None,
            superseded_by: None,
        };
        assert_eq!(measured(&built_in), Some(*record));
        let of_others = Finding { ruleset: "acme".to_owned(), ..built_in.clone() };
        let changed = Finding { overridden_by: vec!["acme".to_owned()], ..built_in.clone() };
        let untried = Finding { rule: "acme/none".to_owned(), ..built_in };
        assert_eq!([of_others, changed, untried].map(|finding| measured(&finding)), [None; 3]);
    }

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
