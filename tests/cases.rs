//! Real public crash reports, each a folder with a `ticket.txt` and an `expected.json` that says which cause was found
//! in the end. `CRASHSIFT_CASES` names their folder; without it this test says that it was skipped.
//!
//! How an answer counts: causes are ranked by confidence, verdict and findings of all incidents together; no finding
//! is `undetermined`. The first answer is right when it is the cause or one that is accepted too, and for a case that
//! nobody solved when it is below 0.5. It is confidently wrong when it has 0.8 or more and is neither.

use std::path::PathBuf;

use crashsift::knowledge::Knowledge;
use crashsift::report::UNDETERMINED;
use crashsift::rules::RuleSet;
use crashsift::{Options, Silent, analyze};
use serde_json::Value;

/// Of a hundred first answers, at most so many may be confidently wrong.
const MOST_CONFIDENTLY_WRONG: usize = 1;
/// Of a hundred first answers, at least so many must be right: a guard against rules that break each other, below what
/// is reached, because rules that fit nothing but these cases would be worth nothing.
const FEWEST_RIGHT: usize = 85;

#[test]
fn real_reports_are_rarely_answered_wrongly_and_hardly_ever_with_confidence() {
    let Some(folder) = std::env::var_os("CRASHSIFT_CASES").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CASES is not set");
        return;
    };
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let knowledge = Knowledge::builtin();
    let (mut cases, mut right, mut sure) = (0, 0, 0);
    let mut confidently_wrong = Vec::new();
    for case in std::fs::read_dir(&folder).expect("a folder of cases") {
        let case = case.expect("a case").path();
        let expected = std::fs::read_to_string(case.join("expected.json")).expect("expected.json");
        let expected: Value = serde_json::from_str(&expected).expect("JSON");
        let accepted: Vec<&str> = std::iter::once(&expected["cause"])
            .chain(expected["also_accepted"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        let report = analyze(&[case.join("ticket.txt")], &rules, &knowledge, &Options::default(), &Silent);
        let verdicts = report.incidents.iter().map(|judged| (judged.verdict.confidence, judged.verdict.cause.as_str()));
        let findings = report.incidents.iter().flat_map(|judged| &judged.findings);
        let (confidence, cause) = verdicts
            .chain(findings.map(|finding| (finding.confidence, finding.cause.as_str())))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or((0.0, UNDETERMINED));
        let unsolved = expected["cause"] == UNDETERMINED;
        let is_right = accepted.contains(&cause) || (unsolved && confidence < 0.5);
        cases += 1;
        right += usize::from(is_right);
        sure += usize::from(confidence >= 0.8);
        if confidence >= 0.8 && !accepted.contains(&cause) {
            confidently_wrong.push(format!("{}: {cause} {confidence}", case.display()));
        }
    }
    println!("{cases} cases, {right} first answers right, {sure} sure, {} of them wrong", confidently_wrong.len());
    assert!(confidently_wrong.len() * 100 <= cases * MOST_CONFIDENTLY_WRONG, "{confidently_wrong:#?}");
    assert!(right * 100 >= cases * FEWEST_RIGHT, "{right} of {cases}");
}
