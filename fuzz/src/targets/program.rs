//! The whole program, without its command line: a file in, every format of the report out.

use std::sync::LazyLock;

use pipeline::{Options, Silent, analyze};
use report::text::TextOptions;
use report::{Report, csv as csv_format, json, jsonl, page, screen, text};
use rules::RuleSet;

use crate::{Group, Shape, Target, damaged_samples, scratch};

pub(super) const TARGETS: &[Target] = &[
    Target::new(
        "damaged-sample",
        Group::Program,
        "The number of a sample and damage; what is missing is not `ok`",
        damaged_samples::run,
        damaged_samples::seeds,
    )
    .at_most(64),
    Target::new(
        "whole-program",
        Group::Program,
        "The number of a sample and up to eight kinds of damage; every format of the report is well formed",
        whole_program,
        damaged_samples::seeds,
    )
    .at_most(128),
];

/// The built-in rules.
pub(super) static RULES: LazyLock<RuleSet> =
    LazyLock::new(|| RuleSet::load(true, &[]).expect("the built-in rules are right"));

fn whole_program(input: &[u8]) -> Shape {
    let (_, content) = damaged_samples::damaged(input, 8);
    let path = scratch::named_file("evidence", &content);
    let report = analyze(&[path], &RULES, &Options::default(), &Silent);
    let mut shape = Shape::default();
    for artifact in &report.artifacts {
        let detail = artifact.detail.as_deref().unwrap_or_default();
        assert!(!detail.contains("defect of crashsift"), "a reader panicked");
        shape.value(artifact.status);
        shape.message(&detail);
    }
    assert_formats(&report, &mut shape);
    shape
}

/// Writes a report in every format and checks that each is well formed.
pub(super) fn assert_formats(report: &Report, shape: &mut Shape) {
    let of = |write: &mut dyn FnMut(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        String::from_utf8(bytes).expect("every format is UTF-8")
    };
    let whole = of(&mut |out| json::write(report, out).expect("memory"));
    let value: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    let count = |list: &str| value.get(list).and_then(|list| list.as_array()).map_or(0, Vec::len);
    assert_eq!((count("artifacts"), count("incidents")), (report.artifacts.len(), report.incidents.len()));

    let lines = of(&mut |out| jsonl::write(report, out).expect("memory"));
    for line in lines.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("every line is JSON");
    }

    let table = of(&mut |out| csv_format::write(report, false, out).expect("memory"));
    let rows =
        csv::Reader::from_reader(table.as_bytes()).into_records().map(|row| row.expect("columns as in the first row"));
    assert_eq!(rows.count(), report.incidents.len());

    let html = of(&mut |out| page::write_html(report, out, false).expect("memory"));
    assert!(html.starts_with("<!") && html.trim_end().ends_with("</html>"), "the page is whole");
    assert_eq!(html.matches("<script").count(), html.matches("</script>").count());

    let plain = [
        of(&mut |out| page::write_markdown(report, out, false).expect("memory")),
        of(&mut |out| text::write(report, out, TextOptions::default()).expect("memory")),
        of(&mut |out| screen::write(report, out, TextOptions::default()).expect("memory")),
    ];
    for written in plain.iter().chain([&table, &html]) {
        let acting = written.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'));
        assert_eq!(acting, None, "no character controls a terminal");
    }
    for judged in &report.incidents {
        shape.message(&judged.verdict.cause);
        shape.value(judged.incident.kind);
    }
}
