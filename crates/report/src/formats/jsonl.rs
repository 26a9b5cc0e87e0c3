//! The report as JSON Lines: one object a line, each with its `type`.
//!
//! `run` comes first (program and rule sets), then every `artifact`, `incident`, `machine` and `group`, `coverage`, `comparison` if
//! there is one, and `summary` last. Except for `type` the objects are those of the JSON document.

use std::io::{self, BufWriter, Write};

use super::BUFFER_SIZE;
use super::json::write_compact;
use crate::model::{Document, Report};

/// Writes the report as JSON Lines.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    for line in Document::from(report).into_lines() {
        write_compact(&line, &mut out)?;
        writeln!(out)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tests::sample::{crash, everything, report, undetermined};

    fn lines(report: &Report) -> Vec<Value> {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        let text = String::from_utf8(out).expect("text");
        assert!(text.ends_with('\n'));
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn each_line_has_its_type_and_lines_come_in_their_order() {
        let two = report(Vec::new(), vec![crash("c1"), undetermined("u1", 3)]);
        let types: Vec<_> = lines(&two).iter().map(|line| line["type"].clone()).collect();
        assert_eq!(types, ["run", "incident", "incident", "group", "coverage", "summary"]);
    }

    #[test]
    fn lines_hold_what_the_document_holds() {
        let report = everything();
        let mut document = Vec::new();
        crate::json::write(&report, &mut document).expect("memory can be written to");
        let document: Value = serde_json::from_slice(&document).expect("JSON");

        let mut from_lines = serde_json::json!({"artifacts": [], "incidents": [], "machines": [], "groups": []});
        for mut line in lines(&report) {
            let kind = line.as_object_mut().expect("an object").remove("type").expect("a type");
            match kind.as_str().expect("a word") {
                "run" => from_lines.as_object_mut().expect("an object").extend(line.as_object().expect("one").clone()),
                one @ ("coverage" | "summary") => from_lines[one] = line,
                list => from_lines[format!("{list}s")].as_array_mut().expect("a list").push(line),
            }
        }
        assert_eq!(from_lines, document);
    }

    #[test]
    fn a_line_begins_with_its_type() {
        let mut out = Vec::new();
        write(&report(Vec::new(), Vec::new()), &mut out).expect("memory can be written to");
        let text = String::from_utf8(out).expect("text");
        let tool = format!(r#""tool":{{"name":"crashsift","version":"{}"}}"#, env!("CARGO_PKG_VERSION"));
        let ruleset = r#"{"name":"builtin","version":"2026.11","rules":120}"#;
        let run = format!(r#"{{"type":"run","schema_version":"1.0",{tool},"rulesets":[{ruleset}]}}"#);
        assert_eq!(text.lines().next(), Some(run.as_str()));
    }
}
