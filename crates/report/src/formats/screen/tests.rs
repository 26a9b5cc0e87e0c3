//! The screen as it is read. `SNAPSHOTS=overwrite cargo test -p report screen::` writes the expected pages anew.

use std::path::Path;

use super::*;
use crate::Judged;
use crate::tests::sample::{artifact, bugcheck, crash, report, undetermined};
use crate::{Artifact, ArtifactStatus};

fn screen(report: &Report, width: usize, color: bool) -> String {
    let mut out = Vec::new();
    write(report, &mut out, TextOptions { width, color, verbose: false }).expect("memory can be written to");
    String::from_utf8(out).expect("text")
}

/// What `crashsift show` prints.
fn selected(report: &Report, wanted: &str) -> String {
    let Found::Selection(selection) = find(report, wanted) else { panic!("{wanted} is there") };
    let mut out = Vec::new();
    selection.write(&mut out, TextOptions { width: 80, ..TextOptions::default() }).expect("memory can be written to");
    String::from_utf8(out).expect("text")
}

#[track_caller]
fn assert_page(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/formats/screen/expected").join(name);
    if std::env::var_os("SNAPSHOTS").is_some_and(|wanted| wanted == "overwrite") {
        std::fs::write(&path, actual).expect("the expected page can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the expected page");
    assert_eq!(actual, expected, "{name}");
}

fn artifacts() -> Vec<Artifact> {
    vec![
        artifact("dumps/a.dmp", ArtifactStatus::Ok, None),
        artifact("logs/System.evtx", ArtifactStatus::Partial, Some("chunk 3: damaged")),
    ]
}

/// A symptom: a program that damaged its heap.
fn symptom(id: &str) -> Judged {
    let mut judged = undetermined(id, 30);
    judged.verdict.cause = "heap-corruption".into();
    judged.verdict.family = Some("memory-safety".into());
    judged.verdict.symptom = true;
    judged.verdict.confidence = 0.88;
    judged.verdict.sentence = "The heap is damaged.".into();
    judged.incident.signature.coarse = "crash|heap".into();
    judged.findings = vec![crate::tests::sample::finding("memory/heap", "heap-corruption", 0.88)];
    judged.findings[0].symptom = true;
    judged
}

fn several() -> Report {
    let mut first = crash("c1");
    first.incident.signature.coarse = "crash|cudnn".into();
    let others = (0..30_u8).map(|number| {
        let mut judged = undetermined(&format!("u{number}"), i64::from(number));
        judged.incident.signature.coarse = format!("crash|program {number}");
        judged
    });
    report(artifacts(), [first, bugcheck("b1", 60), symptom("h1")].into_iter().chain(others).collect())
}

#[test]
fn several_problems() {
    assert_page("several-80.txt", &screen(&several(), 80, false));
    assert_page("several-140.txt", &screen(&several(), 140, false));
    assert_page("several-40.txt", &screen(&several(), 40, false));
}

#[test]
fn one_problem_is_shown_at_once() {
    let one = report(artifacts(), vec![crash("c1")]);
    assert_page("one-80.txt", &screen(&one, 80, false));
    let unknown = report(artifacts(), vec![undetermined("u1", 0)]);
    assert_page("undetermined-80.txt", &screen(&unknown, 80, false));
    assert_page("symptom-80.txt", &screen(&report(artifacts(), vec![symptom("h1")]), 80, false));
}

#[test]
fn nothing_was_found() {
    assert_page("nothing-80.txt", &screen(&report(artifacts(), Vec::new()), 80, false));
}

#[test]
fn the_page_fits_whatever_the_width() {
    for of in [several(), report(artifacts(), vec![crash("c1")]), report(artifacts(), Vec::new())] {
        for width in 1..200 {
            let page = screen(&of, width, false);
            let widest = page.lines().map(str::len).max().unwrap_or_default();
            assert!(widest <= width.clamp(TextOptions::MIN_WIDTH, WIDEST), "{width}:\n{page}");
            assert!(page.lines().count() <= ROWS, "{width}:\n{page}");
            assert!(page.is_ascii(), "{page}");
        }
    }
}

#[test]
fn colours_change_no_character() {
    let (plain, coloured) = (screen(&several(), 80, false), screen(&several(), 80, true));
    assert!(!plain.contains('\u{1b}'));
    let mut without = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        without.push_str(before);
        rest = after.split_once('m').expect("an escape sequence ends").1;
    }
    without.push_str(rest);
    assert_eq!(without, plain);
}

#[test]
fn names_can_not_act_on_the_terminal() {
    const HOSTILE: &str = "a\u{1b}[2J\u{7}\u{202e}b";
    let hostile = |id: &str| {
        let mut judged = crash(id);
        judged.incident.host = Some(HOSTILE.into());
        judged.verdict.sentence = format!("Bad {HOSTILE} news.");
        judged.incident.process.iter_mut().for_each(|process| process.name = Some(HOSTILE.into()));
        judged.incident.fault_site.iter_mut().for_each(|site| site.module = HOSTILE.into());
        judged.incident.suspect.iter_mut().for_each(|suspect| suspect.module = HOSTILE.into());
        judged.incident.stack.iter_mut().for_each(|frame| frame.module = Some(HOSTILE.into()));
        judged.incident.evidence.iter_mut().for_each(|item| item.sentence = HOSTILE.into());
        judged.findings.iter_mut().for_each(|finding| finding.title = HOSTILE.into());
        judged
    };
    let one = report(artifacts(), vec![hostile("c1")]);
    let mut other = hostile("c2");
    other.incident.signature.coarse = "another".into();
    let two = report(artifacts(), vec![hostile("c1"), other]);
    for shown in [screen(&one, 80, false), screen(&two, 80, false), selected(&two, "1"), selected(&two, "2")] {
        assert!(shown.contains("Bad"), "{shown}");
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown}");
    }
}

#[test]
fn the_heading_counts_the_problems_that_are_shown() {
    let known = |number: u8, program: &str| {
        let mut judged = crash(&format!("c{number}"));
        judged.incident.signature.coarse = format!("crash|{number}");
        judged.incident.process.iter_mut().for_each(|process| process.name = Some(program.into()));
        judged
    };
    let alike = report(artifacts(), (0..8).map(|number| known(number, "same.exe")).collect());
    let page = screen(&alike, 80, false);
    assert!(page.contains("DO FIRST\n"), "one entry has them all:\n{page}");
    let five = (0..5).map(|number| {
        let mut judged = known(number, &format!("p{number}.exe"));
        judged.incident.host = Some(format!("PC-{number}").into());
        judged
    });
    let narrow = screen(&report(artifacts(), five.collect()), 40, false);
    let shown = (0..5).filter(|number| narrow.contains(&format!("p{number}.exe"))).count();
    assert_eq!(shown < 5, narrow.contains("(most urgent of 5 problems)"), "{narrow}");
}

#[test]
fn a_symptom_is_no_cause_to_act_on() {
    let page = screen(&several(), 80, false);
    let unknown = page.split("NO CAUSE YET").nth(1).expect("problems without a cause");
    assert!(page.contains("DO FIRST") && !unknown.contains("act on it"), "{page}");
    let alone = screen(&report(artifacts(), vec![symptom("h1")]), 80, false);
    assert!(alone.contains("Not known") && !alone.contains("act on it"), "{alone}");
}

/// The ids of the incidents that a name means, in the order in which they are shown; or how many blocks there are.
fn ids(report: &Report, wanted: &str) -> Result<Vec<String>, usize> {
    match find(report, wanted) {
        Found::Selection(selection) => {
            Ok(selection.incidents().into_iter().map(|judged| judged.incident.id.clone()).collect())
        }
        Found::Nothing(last) => Err(last),
    }
}

#[test]
fn blocks_go_by_number_and_signature_and_incidents_by_id() {
    let all = several();
    assert!(ids(&all, "2").is_ok_and(|ids| !ids.is_empty()));
    assert_eq!(ids(&all, "crash|CUDNN"), ids(&all, "1"));
    let group = report(artifacts(), vec![crash("aaaa1"), crash("aaaa2")]);
    assert_eq!(ids(&group, "1").map(|ids| ids.len()), Ok(2));
    for id in ["aaaa1", "aaaa2"] {
        let found = ids(&group, id).expect("it is there");
        let stands_for_it = group.groups.first().is_some_and(|group| group.representative == id);
        assert_eq!(found.len(), if stands_for_it { 2 } else { 1 }, "{id}");
        assert_eq!(found.first().map(String::as_str), Some(id));
    }
    let mut other = crash("0123fedcba987654");
    other.incident.signature.coarse = "another".into();
    let others = report(artifacts(), vec![undetermined("0123456789abcdef", 0), other]);
    assert_eq!(ids(&others, "0123f"), Ok(vec!["0123fedcba987654".to_owned()]));
    assert_eq!(ids(&others, "01234"), Ok(vec!["0123456789abcdef".to_owned()]));
    assert_eq!(ids(&others, "0123").map(|ids| ids.len()), Ok(2));
    assert_eq!(ids(&others, "012"), Err(2), "the beginning of any");
    assert_eq!(ids(&all, "nothing like it"), Err(33));
}

#[test]
fn an_incident_of_a_group_is_shown_itself() {
    let group = report(artifacts(), vec![crash("aaaa1"), crash("aaaa2")]);
    let stands_for_it = &group.groups.first().expect("a group").representative;
    let id = ["aaaa1", "aaaa2"].into_iter().find(|id| id != stands_for_it).expect("another one");
    let shown = selected(&group, id);
    assert!(shown.contains("1 of 2 incidents of problem 1, of a report with 2 incidents"), "{shown}");
    assert!(shown.contains(&format!("incident {id}")) && shown.contains("python.exe"), "{shown}");
}
