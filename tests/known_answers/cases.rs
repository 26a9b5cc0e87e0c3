//! Real public crash reports, each a folder with a `ticket.txt` and an `expected.json` with the final cause.
//! `CRASHSIFT_CASES` names their folder; without it this test prints that it was skipped. `casekit` scores the
//! verdicts; `cargo xtask cases` prints the same score with its tables.

use std::path::PathBuf;

use rules::RuleSet;

/// Percentage of first answers that may be wrong with a confidence of 0.8 and more.
const MOST_CONFIDENTLY_WRONG: usize = 1;
/// Percentage of first answers that must be right: a guard against rules that break each other. It is below the actual
/// share, because rules that fit nothing but these cases would be worth nothing.
const FEWEST_RIGHT: usize = 85;

#[test]
fn real_reports_are_rarely_answered_wrongly_and_hardly_ever_with_confidence() {
    let Some(folder) = std::env::var_os("CRASHSIFT_CASES").map(PathBuf::from) else {
        println!("skipped: CRASHSIFT_CASES is not set");
        return;
    };
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let cases = casekit::read(&folder).expect("cases");
    let score = casekit::score(cases, &rules);
    println!("{score}");
    let count = score.cases.len();
    let wrong: Vec<String> =
        score.cases.iter().filter(|scored| scored.confidently_wrong).map(ToString::to_string).collect();
    assert!(wrong.len() * 100 <= count * MOST_CONFIDENTLY_WRONG, "{wrong:#?}");
    assert!(score.first_right() * 100 >= count * FEWEST_RIGHT, "{} of {count}", score.first_right());
}
