//! The JSON as programs read it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{write, write_incident};
use crate::tests::sample::*;
use crate::*;
use evidence::Place;
use incident::Machine;

fn json(report: &Report) -> String {
    let mut out = Vec::new();
    write(report, &mut out).expect("memory can be written to");
    String::from_utf8(out).expect("text")
}

fn parsed(report: &Report) -> Value {
    serde_json::from_str(&json(report)).expect("JSON")
}

#[test]
fn an_incident_alone_is_that_of_the_document() {
    let report = everything();
    let whole = parsed(&report);
    let of_document = whole["incidents"].as_array().expect("a list");
    for (number, expected) in of_document.iter().enumerate() {
        let mut out = Vec::new();
        assert!(write_incident(&report, number, &mut out).expect("memory can be written to"));
        assert_eq!(&serde_json::from_slice::<Value>(&out).expect("JSON"), expected);
    }
    let mut out = Vec::new();
    assert!(!write_incident(&report, of_document.len(), &mut out).expect("memory can be written to"));
    assert!(out.is_empty());
}

/// All keys below a value, with dots between the levels; an entry of a list is `[]`.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(array) => array.iter().for_each(|value| keys(value, &format!("{path}[]"), found)),
        _ => {}
    }
}

/// What the contract with scripts lists, and the keys that were added to it.
const CONTRACT: &str = "
    schema_version tool tool.name tool.version rulesets rulesets[].name rulesets[].version rulesets[].rules
    rulesets[].overrides rulesets[].disables rulesets[].suppressions rulesets[].lists
    artifacts artifacts[].path artifacts[].kind artifacts[].status artifacts[].detail artifacts[].bytes
    artifacts[].records artifacts[].party incidents[].party machines[].party groups[].party coverage.gaps[].party
    coverage.collect_next[].party
    incidents incidents[].id incidents[].kind incidents[].time incidents[].host incidents[].host_basis
    incidents[].may_be_of
    incidents[].process incidents[].process.name incidents[].process.version incidents[].process.pid
    incidents[].process.path incidents[].process.started
    incidents[].exception incidents[].exception.code incidents[].exception.name incidents[].exception.address
    incidents[].exception.parameters incidents[].exception.fast_fail incidents[].exception.fast_fail.code
    incidents[].exception.fast_fail.name incidents[].exception.access incidents[].exception.access.kind
    incidents[].exception.access.address
    incidents[].bugcheck incidents[].bugcheck.code incidents[].bugcheck.name incidents[].bugcheck.parameters
    incidents[].bugcheck.meanings incidents[].bugcheck.meanings[].parameter incidents[].bugcheck.meanings[].is
    incidents[].bugcheck.meanings[].means incidents[].bugcheck.live incidents[].bugcheck.status
    incidents[].fault_site incidents[].fault_site.module incidents[].fault_site.version
    incidents[].fault_site.offset incidents[].fault_site.path incidents[].fault_site.function
    incidents[].fault_site.unloaded incidents[].fault_site.carrier
    incidents[].mechanism incidents[].mechanism.kind incidents[].mechanism.certainty incidents[].mechanism.sentence
    incidents[].mechanism.register incidents[].mechanism.offset incidents[].mechanism.address
    incidents[].mechanism.access incidents[].mechanism.instruction incidents[].mechanism.origin
    incidents[].mechanism.origin.end incidents[].mechanism.origin.frame incidents[].mechanism.origin.module
    incidents[].mechanism.origin.callee incidents[].mechanism.origin.sentence incidents[].mechanism.origin.steps
    incidents[].mechanism.origin.steps[].frame incidents[].mechanism.origin.steps[].address
    incidents[].mechanism.origin.steps[].instruction incidents[].mechanism.origin.steps[].loaded
    incidents[].suspect incidents[].suspect.module incidents[].suspect.version incidents[].suspect.basis
    incidents[].suspect.reason incidents[].suspect.path incidents[].suspect.what incidents[].suspect.kind
    incidents[].stack incidents[].stack[].module incidents[].stack[].version incidents[].stack[].offset
    incidents[].stack[].address incidents[].stack[].function incidents[].stack[].file incidents[].stack[].line
    incidents[].stack[].inline incidents[].stack[].inline[].function incidents[].stack[].inline[].file
    incidents[].stack[].inline[].line
    incidents[].stack[].trust incidents[].stack[].probability incidents[].stack[].of
    incidents[].symbols_needed incidents[].symbols_needed[].file incidents[].symbols_needed[].kind
    incidents[].symbols_needed[].id incidents[].symbols_needed[].path incidents[].symbols_needed[].module
    incidents[].symbols_needed[].shows incidents[].symbols_needed[].reason
    incidents[].threads incidents[].threads[].id incidents[].threads[].name incidents[].threads[].crashed
    incidents[].threads[].start incidents[].threads[].frames incidents[].threads[].frames[].module
    incidents[].threads[].frames[].offset incidents[].threads[].frames[].trust incidents[].threads[].modules
    incidents[].threads[].trust
    incidents[].thrown incidents[].thrown[].of incidents[].thrown[].type incidents[].thrown[].text
    incidents[].thrown[].module
    incidents[].dump incidents[].dump.written incidents[].dump.requested incidents[].dump.uptime_seconds
    incidents[].dump.system_uptime_seconds incidents[].dump.memory_available incidents[].dump.commit_charge
    incidents[].dump.commit_limit incidents[].dump.process_commit incidents[].dump.working_set
    incidents[].dump.virtual_size incidents[].dump.handles incidents[].dump.threads incidents[].dump.integrity
    incidents[].dump.thread incidents[].dump.thread.id incidents[].dump.thread.name incidents[].dump.thread.start
    incidents[].dump.inner_errors incidents[].dump.inner_errors[].code incidents[].dump.inner_errors[].name
    incidents[].dump.inner_errors[].module incidents[].dump.inner_errors[].text
    incidents[].dump.windows_files incidents[].dump.windows_files.build incidents[].dump.windows_files.files
    incidents[].dump.windows_files.of_other_builds incidents[].dump.windows_files.of_other_builds[].module
    incidents[].dump.windows_files.of_other_builds[].version incidents[].dump.windows_files.of_other_builds[].build
    incidents[].dump.windows_files.of_other_builds[].path
    incidents[].dump.messages incidents[].dump.comment incidents[].dump.annotations
    incidents[].dump.annotations[].key incidents[].dump.annotations[].value incidents[].dump.annotations_left_out
    incidents[].dump.says
    incidents[].other_software incidents[].other_software.modules incidents[].other_software.modules[].module
    incidents[].other_software.modules[].version incidents[].other_software.modules[].path
    incidents[].other_software.modules[].folder incidents[].other_software.modules[].what incidents[].other_software.modules[].kind
    incidents[].other_software.left_out
    incidents[].built_with incidents[].built_with[].what incidents[].built_with[].module incidents[].built_with[].version
    incidents[].environment incidents[].environment.cudnn incidents[].environment.os
    incidents[].signature incidents[].signature.algorithm incidents[].signature.coarse
    incidents[].signature.fine
    incidents[].verdict.family incidents[].verdict.how_sure incidents[].verdict.mechanism incidents[].verdict.severity
    incidents[].verdict.steps incidents[].verdict.steps[].audience incidents[].verdict.steps[].text
    incidents[].verdict.steps[].cost incidents[].verdict.steps[].risk incidents[].verdict.steps[].admin
    incidents[].verdict.steps[].undo
    incidents[].verdict.measured incidents[].verdict.measured.cases incidents[].verdict.measured.right
    incidents[].verdict.measured.confirmed
    incidents[].verdict.leads incidents[].verdict.leads[].cause incidents[].verdict.leads[].share
    incidents[].verdict.leads[].cases incidents[].verdict.leads[].few incidents[].verdict.leads[].test
    incidents[].verdict.leads[].minutes incidents[].verdict.leads[].means
    incidents[].findings[].symptom groups[].confidence coverage.collect_next[].short
    incidents[].evidence incidents[].evidence[].id incidents[].evidence[].artifact incidents[].evidence[].place
    incidents[].evidence[].says incidents[].evidence[].joined_by incidents[].evidence[].joined_by.key
    incidents[].evidence[].joined_by.strength incidents[].evidence[].joined_by.to
    incidents[].exception.recorded_code incidents[].remarks
    incidents[].sigma incidents[].sigma[].title incidents[].sigma[].id incidents[].sigma[].level
    incidents[].sigma[].tags incidents[].sigma[].file incidents[].sigma[].time incidents[].sigma[].seconds_after
    incidents[].sigma[].matches incidents[].sigma[].artifact incidents[].sigma[].place
    incidents[].findings incidents[].findings[].rule incidents[].findings[].cause incidents[].findings[].confidence
    incidents[].findings[].severity incidents[].findings[].title incidents[].findings[].explanation
    incidents[].findings[].remediation incidents[].findings[].remediation[].audience
    incidents[].findings[].remediation[].text incidents[].findings[].remediation[].cost
    incidents[].findings[].remediation[].risk incidents[].findings[].remediation[].admin
    incidents[].findings[].remediation[].undo incidents[].findings[].collect incidents[].findings[].evidence
    incidents[].findings[].entries incidents[].findings[].entries[].list incidents[].findings[].entries[].says
    incidents[].findings[].entries[].more
    incidents[].findings[].incidents incidents[].findings[].incidents[].relation
    incidents[].findings[].incidents[].ids incidents[].findings[].incidents[].more
    incidents[].findings[].references incidents[].findings[].ruleset incidents[].findings[].overridden_by
     incidents[].findings[].superseded_by
    incidents[].findings[].suppression_ended incidents[].findings[].suppression_ended.by
    incidents[].findings[].suppression_ended.reason incidents[].findings[].suppression_ended.until
    incidents[].suppressed incidents[].suppressed[].rule incidents[].suppressed[].cause
    incidents[].suppressed[].confidence incidents[].suppressed[].title incidents[].suppressed[].by
    incidents[].suppressed[].reason incidents[].suppressed[].until
    incidents[].verdict incidents[].verdict.cause incidents[].verdict.confidence incidents[].verdict.sentence
    incidents[].verdict.collect_next
    machines machines[].host machines[].environment machines[].environment.os machines[].timeline
    machines[].environment.gpu_driver machines[].environment_earlier machines[].environment_earlier[].key
    machines[].environment_earlier[].value machines[].environment_earlier[].time
    machines[].timeline[].time machines[].timeline[].kind machines[].timeline[].says
    machines[].timeline[].artifact machines[].timeline[].place
    machines[].timeline[].provider machines[].timeline[].event_id
    machines[].timeline[].sigma machines[].timeline[].sigma.title machines[].timeline[].sigma.id
    machines[].timeline[].sigma.level machines[].timeline[].sigma.tags machines[].timeline[].sigma.file
    machines[].coverage
    groups groups[].signature groups[].incidents groups[].first groups[].last groups[].hosts groups[].cause
    groups[].causes groups[].causes[].cause groups[].causes[].incidents
    groups[].over_represented groups[].over_represented[].kind groups[].over_represented[].value
    groups[].over_represented[].unit groups[].over_represented[].in_group groups[].over_represented[].of_group
    groups[].over_represented[].elsewhere groups[].over_represented[].of_elsewhere
    groups[].over_represented[].difference groups[].over_represented[].p groups[].over_represented[].q
    groups[].over_represented[].together_with groups[].over_represented[].may_be_the_program
    groups[].over_represented[].says
    coverage coverage.gaps coverage.gaps[].kind coverage.gaps[].host coverage.gaps[].log coverage.gaps[].count
    coverage.gaps[].of coverage.gaps[].undetermined coverage.gaps[].first coverage.gaps[].last coverage.gaps[].says
    coverage.collect_next coverage.collect_next[].id coverage.collect_next[].incidents
    coverage.collect_next[].undetermined coverage.collect_next[].says
    summary summary.artifacts summary.failed summary.partial summary.archives summary.incidents summary.by_cause
    summary.by_cause.missing-dependency summary.undetermined summary.suppressed
";

#[test]
fn a_report_with_everything_has_every_key_of_the_contract_and_no_other() {
    let mut found = BTreeSet::new();
    keys(&parsed(&everything()), "", &mut found);
    let contract: BTreeSet<_> = CONTRACT.split_whitespace().map(str::to_owned).collect();
    assert_eq!(contract.difference(&found).collect::<Vec<_>>(), [""; 0], "missing");
    assert_eq!(found.difference(&contract).collect::<Vec<_>>(), [""; 0], "not in the contract");
}

#[test]
fn every_key_has_its_place_on_the_page_that_describes_them() {
    let page = include_str!("../../../../../docs/report.md");
    let missing: Vec<_> = CONTRACT
        .split_whitespace()
        .filter(|path| !path.contains("environment.") && !path.contains("by_cause."))
        .filter_map(|path| path.rsplit('.').next())
        .filter(|key| !page.contains(&format!("| `{key}` |")))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_key_of_a_join_has_its_row_on_that_page() {
    let page = include_str!("../../../../../docs/report.md");
    for key in <incident::JoinKey as strum::VariantArray>::VARIANTS {
        let row = format!("| `{}` | {} |", key.word(), key.strength().word());
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn absent_facts_are_absent_keys() {
    let mut judged = undetermined("u1", 0);
    judged.incident.time = None;
    judged.incident.host = None;
    judged.incident.process = None;
    judged.incident.evidence.clear();
    let report = report(vec![artifact("a.dmp", ArtifactStatus::Ok, None)], vec![judged]);
    let mut found = BTreeSet::new();
    keys(&parsed(&report), "", &mut found);
    let incident: Vec<_> = found.iter().filter_map(|path| path.strip_prefix("incidents[].")).collect();
    assert_eq!(
        incident,
        [
            "environment",
            "evidence",
            "findings",
            "id",
            "kind",
            "remarks",
            "signature",
            "signature.algorithm",
            "signature.coarse",
            "signature.fine",
            "verdict",
            "verdict.cause",
            "verdict.collect_next",
            "verdict.confidence",
            "verdict.how_sure",
            "verdict.mechanism",
            "verdict.sentence",
        ]
    );
    for absent in [
        "artifacts[].detail",
        "artifacts[].records",
        "groups[].first",
        "groups[].last",
        "groups[].cause",
        "groups[].over_represented",
    ] {
        assert!(!found.contains(absent), "{absent}");
    }
}

#[test]
fn one_incident_with_everything() {
    let expected = include_str!("everything.json").replace("VERSION", env!("CARGO_PKG_VERSION"));
    let actual = json(&everything());
    for (number, (actual_line, expected_line)) in (1..).zip(actual.lines().zip(expected.lines())) {
        assert_eq!(actual_line, expected_line, "line {number} of:\n{actual}");
    }
    assert_eq!(actual, expected);
}

#[test]
fn confidences_have_at_most_two_decimals() {
    let mut judged = crash("c1");
    judged.findings[0].confidence = 0.1 + 0.2;
    judged.verdict.confidence = 0.926;
    let report = report(vec![artifact("a.dmp", ArtifactStatus::Ok, None)], vec![judged]);
    let shown = json(&report);
    assert!(shown.contains("\"confidence\": 0.3,\n") && shown.contains("\"confidence\": 0.93,\n"), "{shown}");
}

#[test]
fn hostile_names_reach_no_terminal_and_keep_their_value() {
    let mut report = everything();
    let name = "\u{1b}[2J\u{9b}\u{7f}gpj\u{202e}\u{e0041}\n\"\\.dmp";
    report.artifacts[0].path = name.into();
    let shown = json(&report);
    assert!(shown.contains(r#""path": "\u001b[2J\u009b\u007fgpj\u202e\udb40\udc41\n\"\\.dmp""#), "{shown}");
    assert_eq!(parsed(&report)["artifacts"][0]["path"], name);
}

#[test]
fn evidence_of_an_unknown_artifact_has_no_artifact() {
    let mut report = everything();
    report.incidents[0].incident.evidence[0].artifact = 99;
    let evidence = &parsed(&report)["incidents"][0]["evidence"];
    assert_eq!(evidence[0].get("artifact"), None);
    assert_eq!(evidence[1]["artifact"], "dumps/a.dmp");
}

#[test]
fn a_closed_pipe_is_an_error_of_that_kind() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let incidents = (0..100).map(|number| undetermined(&number.to_string(), 0)).collect();
    let error = write(&report(Vec::new(), incidents), &mut Closed).expect_err("nobody reads");
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}

#[test]
fn long_lists_are_written_whole_and_alike_by_any_number_of_threads() {
    let mut long = everything();
    let machine = long.machines[0].clone();
    let with = |entries: i64| {
        let timeline = (0..entries).map(|number| {
            let mut entry = timeline_entry(number, "storage", &format!("the {number}th \u{202e}\"\\ one"));
            if number % 3 == 0 {
                entry.place = Place::RecoveredRecord(number.unsigned_abs());
                entry.provider = "".into();
            }
            entry
        });
        Machine { timeline: timeline.collect(), ..machine.clone() }
    };
    long.machines = [0, 1, 256, 257, 3000].map(with).into();
    long.incidents = (0..100).map(|number| undetermined(&number.to_string(), number)).collect();
    let by = |threads: usize, write: fn(&Report) -> String| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| write(&long))
    };
    let lines = |report: &Report| {
        let mut out = Vec::new();
        jsonl::write(report, &mut out).expect("memory can be written to");
        String::from_utf8(out).expect("text")
    };
    for write in [json, lines] {
        let alone = by(1, write);
        assert!([2, 3, 8].into_iter().all(|threads| by(threads, write) == alone));
    }

    let document: Value = serde_json::from_str(&by(2, json)).expect("JSON");
    let ids: Vec<String> =
        document["incidents"].as_array().expect("a list").iter().map(|one| one["id"].to_string()).collect();
    assert_eq!(ids, (0..100).map(|number| format!("\"{number}\"")).collect::<Vec<_>>());
    for (machine, entries) in [0, 1, 256, 257, 3000].into_iter().enumerate() {
        let timeline = document["machines"][machine]["timeline"].as_array().expect("a list");
        assert_eq!(timeline.len(), entries);
        for (number, entry) in timeline.iter().enumerate() {
            assert_eq!(entry["says"], format!("the {number}th \u{202e}\"\\ one"));
            let recovered = if number % 3 == 0 { " (recovered)" } else { "" };
            assert_eq!(entry["place"], format!("record {number}{recovered}"));
            assert_eq!(entry.get("provider").is_some(), recovered.is_empty());
        }
    }
    let shown = by(2, json);
    assert!(shown.contains("\n      \"timeline\": [],\n"), "an empty list has no lines");
    assert!(shown.contains("\n          \"place\": \"record 1\"\n        },\n        {\n"), "entries have theirs");
}
