//! How often answers are right, by kind of evidence and by rule: the page `docs/accuracy.md` and the table
//! `rules/data/measured.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use report::Measured;
use rules::{RuleSet, UNDETERMINED};

use crate::table::percent;
use crate::{Case, Score, Scored};

/// Columns of a bar from 0 to 100 %.
const BAR: usize = 50;
/// The kinds of evidence by their files' endings.
const KINDS: [(&str, &str); 4] = [("dmp", "dumps"), ("evtx", "event logs"), ("wer", "Report.wer"), ("txt", "text")];

/// How often the first answers of each rule were right, of cases with a known cause, where the answer is a cause and no symptom. A case that is there in two forms counts once for a rule, and is right
/// where both are.
#[must_use]
pub fn by_rule<'s>(score: &'s Score, rules: &RuleSet) -> BTreeMap<&'s str, Measured> {
    let mut answered: BTreeMap<(&str, &str), (bool, bool)> = BTreeMap::new();
    for Scored { case, answers, .. } in &score.cases {
        let Some((first, rule)) = answers.first().and_then(|first| Some((first, first.rule.as_deref()?))) else {
            continue;
        };
        // The cause of a case does not tell whether a symptom was there.
        if case.cause == UNDETERMINED || rules.causes().get(&first.cause).is_some_and(|cause| cause.symptom) {
            continue;
        }
        let (right, confirmed) = answered.entry((rule, case.short_name())).or_insert((true, false));
        *right &= case.accepts(&first.cause);
        *confirmed |= case.is_confirmed;
    }
    let mut records: BTreeMap<&str, Measured> = BTreeMap::new();
    for ((rule, _), (right, confirmed)) in answered {
        let record = records.entry(rule).or_default();
        let add = |count: &mut u32, one: bool| *count = count.saturating_add(u32::from(one));
        add(&mut record.cases, true);
        add(&mut record.right, right);
        add(&mut record.confirmed, right && confirmed);
    }
    records
}

/// The rows of `rules/data/measured.yaml`.
#[must_use]
pub fn rows(records: &BTreeMap<&str, Measured>) -> String {
    let mut rows = String::new();
    for (rule, Measured { cases, right, confirmed }) in records {
        // Writing to a string does not fail.
        let _ = writeln!(rows, "  - {{rule: {rule}, cases: {cases}, right: {right}, confirmed: {confirmed}}}");
    }
    rows
}

/// The page on how often the answers are right.
#[must_use]
pub fn page(score: &Score, rules: &RuleSet) -> String {
    let records = by_rule(score, rules);
    let mut page = String::from(HEAD);
    let mut row = |cells: &[String]| {
        page.push_str("| ");
        page.push_str(&cells.join(" | "));
        page.push_str(" |\n");
    };
    let all = score.clone();
    for (kind, scores) in by_evidence(score).into_iter().chain([("all".to_owned(), all)]) {
        let of = scores.cases.len();
        let sure = scores.sure();
        row(&[
            kind,
            of.to_string(),
            percent(scores.first_right(), of),
            percent(scores.one_of_three(), of),
            sure.to_string(),
            percent(sure.saturating_sub(scores.confidently_wrong()), sure),
            scores.confidently_wrong().to_string(),
        ]);
    }
    page.push_str(RELIABILITY);
    for band in score.bands() {
        let share = if band.given == 0 { 0.0 } else { band.right as f64 / band.given as f64 };
        let range = format!("{:.2} to {:.2}", band.from, band.below);
        let (given, claimed) = (band.given, format!("{:.0} %", band.claimed * 100.0));
        let _ = writeln!(
            page,
            "{range:<14}{given:>7}{claimed:>9}{:>10}  {}",
            percent(band.right, band.given),
            bar(share, band.claimed).trim_end()
        );
    }
    page.push_str(CAUSES);
    for (cause, score) in score.by_cause() {
        let (cases, first, three) = (score.cases, score.first_right, score.one_of_three);
        let _ = writeln!(page, "| {cause} | {cases} | {first} | {three} | {} |", score.confidently_wrong);
    }
    let sum = |of: fn(&Measured) -> u32| records.values().map(of).fold(0, u32::saturating_add);
    let (cases, right) = (sum(|record| record.cases), sum(|record| record.right));
    let confirmed = sum(|record| record.confirmed);
    let _ = write!(
        page,
        "\n## By rule\n\nOf {} rules, {} gave a first answer that names a cause (symptoms are not measured by causes): {cases} answers,\n\
         {right} of them right ({}); in {confirmed} of these somebody confirmed that the fix helped. `rules/data/measured.yaml` has the\n\
         numbers of each, and a verdict shows those of its rule (`verdict.measured`). Where it shows none, the confidence is an\n\
         estimate.\n",
        rules.rules().len(),
        records.len(),
        percent(usize::try_from(right).unwrap_or(usize::MAX), usize::try_from(cases).unwrap_or(usize::MAX)),
    );
    page
}

const HEAD: &str = "# How often the answers are right\n
Made by `cargo xtask accuracy FOLDER...` of labelled public crash reports; not edited by hand. A report is a folder with the\n\
evidence (the text of a ticket, or dumps, event logs and `Report.wer`) and the cause that was found in the end.\n
- *First answer*: the cause with the highest confidence is the one that was found, or another name for the same fix. Of reports\n  \
  whose cause nobody found, or that do not show it, an answer below 0.5 counts as right, too.\n\
- *Sure*: an answer with a confidence of 0.8 and more. *Confidently wrong*: such an answer that is not the cause.\n
The authors of the rules knew these reports. On reports that nobody knew the answers are right less often: read the numbers as\n\
an upper bound.\n
## By kind of evidence\n
| evidence | reports | first answer right | one of three right | sure | of these right | confidently wrong |\n\
| --- | --- | --- | --- | --- | --- | --- |\n";

const RELIABILITY: &str = "\n## Reliability\n
How often first answers are right (`#`), beside the confidence that they state (`|`). Where the bar ends left of the mark, answers\n\
are surer than they are right.\n
```text\n\
confidence    reports  stated     right  0 %                    50 %                  100 %\n";

const CAUSES: &str = "```\n\n## By cause\n
The cause that was found in the end, with the numbers of its reports.\n
| cause | reports | first answer right | one of three right | confidently wrong |\n\
| --- | --- | --- | --- | --- |\n";

/// A bar for a share, with a mark at another one.
fn bar(share: f64, mark: f64) -> String {
    // Shares are 0 to 1.
    let column = |share: f64| (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    let (filled, marked) = (column(share), column(mark).min(BAR.saturating_sub(1)));
    let character = |at: usize| match at {
        at if at == marked => '|',
        at if at < filled => '#',
        _ => ' ',
    };
    (0..BAR).map(character).collect()
}

/// The scores by the kinds of evidence that reports hold.
fn by_evidence(score: &Score) -> BTreeMap<String, Score> {
    let mut kinds: BTreeMap<String, Score> = BTreeMap::new();
    for scored in &score.cases {
        let kind = evidence(&scored.case);
        kinds.entry(kind).or_insert_with(|| Score { cases: Vec::new() }).cases.push(scored.clone());
    }
    kinds
}

/// `dumps, event logs`.
fn evidence(case: &Case) -> String {
    let endings: BTreeSet<String> =
        case.artifacts.iter().filter_map(|path| Some(path.extension()?.to_string_lossy().to_lowercase())).collect();
    let kinds: Vec<&str> =
        KINDS.iter().filter(|(ending, _)| endings.contains(*ending)).map(|(_, kind)| *kind).collect();
    if kinds.is_empty() { "other".to_owned() } else { kinds.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    fn scored(name: &str, file: &str, cause: &str, answer: &str, confidence: f64) -> Scored {
        let case = Case {
            name: name.into(),
            artifacts: vec![file.into()],
            cause: cause.into(),
            also_accepted: Vec::new(),
            is_untold: false,
            is_confirmed: true,
            time: None,
            is_ticket: file.ends_with("txt"),
        };
        Scored::new(case, vec![Answer { cause: answer.into(), confidence, rule: Some(format!("a/{answer}")) }])
    }

    fn builtin() -> RuleSet {
        RuleSet::load(true, &[]).expect("the built-in rules")
    }

    fn score() -> Score {
        Score {
            cases: vec![
                scored("x", "x/ticket.txt", "power-loss", "power-loss", 0.9),
                scored("cases/x", "x/System.evtx", "power-loss", "power-loss", 0.7),
                scored("y", "y/ticket.txt", "gpu-timeout", "power-loss", 0.4),
                scored("z", "z/ticket.txt", UNDETERMINED, "power-loss", 0.4),
            ],
        }
    }

    #[test]
    fn a_case_counts_once_for_a_rule_and_neither_one_without_a_known_cause_nor_a_symptom_does() {
        let (mut score, rules) = (score(), builtin());
        score.cases.push(scored("w", "w/ticket.txt", "stack-overflow", "stack-overflow", 0.9));
        let records = by_rule(&score, &rules);
        let expected = Measured { cases: 2, right: 1, confirmed: 1 };
        assert_eq!(records, BTreeMap::from([("a/power-loss", expected)]));
        assert_eq!(rows(&records), "  - {rule: a/power-loss, cases: 2, right: 1, confirmed: 1}\n");
    }

    #[test]
    fn a_case_in_two_forms_is_right_where_both_are() {
        let mut score = score();
        score.cases[1] = scored("cases/x", "x/System.evtx", "gpu-timeout", "power-loss", 0.7);
        assert_eq!(by_rule(&score, &builtin())["a/power-loss"], Measured { cases: 2, right: 0, confirmed: 0 });
    }

    #[test]
    fn the_page_has_a_row_for_each_kind_of_evidence_and_for_each_cause() {
        let page = page(&score(), &builtin());
        for row in [
            "| event logs | 1 | 100.0 % | 100.0 % | 0 | - | 0 |",
            "| text | 3 | 66.7 % | 66.7 % | 1 | 100.0 % | 0 |",
            "| all | 4 | 75.0 % | 75.0 % | 1 | 100.0 % | 0 |",
            "| power-loss | 2 | 2 | 2 | 0 |",
            "0.30 to 0.50        2     40 %    50.0 %  ####################|####\n",
        ] {
            assert!(page.contains(row), "{row}\n{page}");
        }
    }

    #[test]
    fn bars_and_marks_are_within_their_columns() {
        assert_eq!(bar(0.0, 0.0), format!("|{}", " ".repeat(49)));
        assert_eq!(bar(1.0, 1.0), format!("{}|", "#".repeat(49)));
        assert_eq!(bar(1.0, 0.5), format!("{}|{}", "#".repeat(25), "#".repeat(24)));
    }
}
