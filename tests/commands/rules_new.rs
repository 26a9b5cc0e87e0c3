//! `crashsift rules new`: drafts a rule for a failure that no rule knows, from its evidence.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{list, run, text};
use facts::FactSet;
use pipeline::{Options, inspect_and_analyze};
use report::inspected::Inspected;
use rules::RuleSet;
use rules_workbench::draft::{Decided, Draft, Material, Subject, draft};

const FLEET: &str = "samples/fleet";
const LEDGER: &str = "crash | ledger.exe | 0xC0000005 | ledger.exe";

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut samples: Vec<PathBuf> =
        fs::read_dir(folder).expect("samples").map(|entry| entry.expect("an entry").path()).collect();
    samples.retain(|path| path.is_dir());
    samples.sort();
    samples
}

/// Drafts a rule for each incident of a folder, beside all the others.
fn drafts(folder: &Path, rules: &RuleSet) -> Vec<(Draft, FactSet)> {
    let (Inspected { incidents, artifacts, .. }, report) =
        inspect_and_analyze(&[folder.to_path_buf()], rules, &Options::default());
    let facts: BTreeMap<&str, &FactSet> =
        incidents.iter().map(|(incident, facts)| (incident.id.as_str(), facts)).collect();
    let mut drafts = Vec::new();
    for judged in &report.incidents {
        let subjects = report.incidents.iter().map(|judged| Subject {
            incident: &judged.incident,
            facts: facts[judged.incident.id.as_str()],
            findings: &judged.findings,
        });
        let (of, others): (Vec<_>, Vec<_>) = subjects.partition(|subject| subject.incident.id == judged.incident.id);
        let material =
            Material { of: &of, others: &others, over_represented: &[], changes: &[], artifacts: &artifacts };
        let name = format!("{}-{}", folder.file_name().expect("a name").to_string_lossy(), judged.incident.id);
        let decided = Decided { area: "drafts".to_owned(), name: Some(name), cause: None };
        let drafted = draft(&material, &decided, rules).unwrap_or_else(|| panic!("{}", judged.incident.id));
        drafts.push((drafted, facts[judged.incident.id.as_str()].clone()));
    }
    drafts
}

#[test]
fn the_draft_for_every_incident_of_the_samples_passes_and_matches_it() {
    let builtin = RuleSet::load(true, &[]).expect("the built-in rules");
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = Vec::new();
    for sample in samples() {
        for (drafted, facts) in drafts(&sample, &builtin) {
            let path = folder.path().join(format!("{}.yaml", drafted.id.replace('/', "-")));
            fs::write(&path, &drafted.yaml).expect("a file");
            all.push((path, drafted, facts));
        }
    }
    assert!(all.len() > 80, "{}", all.len());
    let paths: Vec<PathBuf> = all.iter().map(|(path, ..)| path.clone()).collect();
    let rules = RuleSet::load(true, &paths).unwrap_or_else(|mistakes| panic!("{}", mistakes[0].render(false)));
    assert_eq!(rules.warnings(), []);
    assert_eq!(rules.run_tests_of(|rule| !rule.is_embedded()).failed, []);
    for (_, drafted, facts) in &all {
        let findings = rules.judge(facts).findings;
        assert!(findings.iter().any(|finding| finding.rule == drafted.id), "{}\n{}", drafted.id, drafted.yaml);
    }
    // Every part of a draft is needed by one of its tests.
    for rule in rules.mutants_of(|rule| !rule.is_embedded()) {
        let left: Vec<_> = rule.mutants.iter().filter(|mutant| !mutant.noticed).collect();
        assert!(left.is_empty(), "{}: {left:?}", rule.rule);
    }
}

#[test]
fn a_draft_lists_what_is_left_to_decide_and_overwrites_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ledger/aborts.yaml");
    let sample = "samples/undecidable-abort";
    let new = |file: &Path| {
        run([OsStr::new("rules"), "new".as_ref(), "--from".as_ref(), sample.as_ref(), "-o".as_ref(), file.as_os_str()])
    };
    let first = new(&file).ends_with(0);
    assert!(first.stdout.is_empty(), "{first:#?}");
    assert!(first.stderr.contains("rule ledger/0xc0000409-ledger with 2 selections and 5 tests"), "{first:#?}");
    assert!(first.stderr.contains("yours to decide: title, cause, confidence"), "{first:#?}");

    let written = fs::read_to_string(&file).expect("the rule");
    assert_eq!(
        written,
        run(["rules", "new", "--from", sample, "--id", "ledger/0xc0000409-ledger"]).ends_with(0).stdout
    );
    let again = new(&file).ends_with(2);
    assert!(again.stderr.contains("there is a file already"), "{again:#?}");
    assert_eq!(written, fs::read_to_string(&file).expect("the rule"));

    let rules = folder.path().as_os_str();
    let checked = run(["rules".as_ref(), "check".as_ref(), rules]).ends_with(0);
    // Open decisions are listed: the cause, why, two steps, and the references.
    assert!(checked.stdout.ends_with("1 rule: 0 errors, 5 warnings\n"), "{checked:#?}");
    assert_eq!(checked.stdout.matches("warning[R095]").count(), 5, "{checked:#?}");
    let tested = run(["rules".as_ref(), "test".as_ref(), "--mutants".as_ref(), rules]).ends_with(0);
    assert!(tested.stdout.ends_with("1 rule: 5 tests passed, 0 failed\n"), "{tested:#?}");

    // Where the schema is in a folder above, editors find it by the first line.
    fs::write(folder.path().join("rules.schema.json"), "{}").expect("a file");
    let file = folder.path().join("ledger/more/aborts.yaml");
    new(&file).ends_with(0);
    let with_schema = fs::read_to_string(&file).expect("the rule");
    let first = "# yaml-language-server: $schema=../../rules.schema.json\n# A draft by";
    assert!(with_schema.starts_with(first), "{with_schema}");
}

#[test]
fn selections_show_where_they_are_from_and_how_common_they_are() {
    let draft = run(["rules", "new", "--from", FLEET, "--group", LEDGER]).ends_with(0).stdout;
    let of_selection = |name: &str| {
        let (before, _) = draft.split_once(&format!("\n      {name}:\n")).expect("a selection");
        let comment: Vec<&str> =
            before.lines().rev().take_while(|line| line.starts_with("      #")).map(|line| &line[8..]).collect();
        comment.into_iter().rev().collect::<Vec<_>>().join(" ")
    };
    let code = of_selection("code");
    assert!(code.contains("from a minidump; in all 6 incidents; in 11 of 12 other incidents here; "), "{code}");
    assert!(code.contains("; fits what ") && code.ends_with(" rules ask for"), "{code}");
    assert!(
        of_selection("fault_site").contains("in none of 14 other incidents here"),
        "{}",
        of_selection("fault_site")
    );
    assert!(draft.contains("      # program: {process.name: ledger.exe}\n"), "{draft}");
    assert_eq!(draft, run(["rules", "new", "--from", FLEET, "--group", &LEDGER[..20]]).ends_with(0).stdout);
}

#[test]
fn a_rule_for_a_group_matches_all_of_it_and_no_other_incident() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("drafts/ledger.yaml");
    let file = file.to_string_lossy();
    run(["rules", "new", "--from", FLEET, "--group", LEDGER, "--id", "drafts/ledger", "-o", &file]).ends_with(0);
    let report = run(["analyze", "-q", "-f", "json", "-r", &file, FLEET]).ends_with(0).json();
    for incident in list(&report, "incidents") {
        let found = list(incident, "findings").iter().any(|finding| text(finding, "rule") == "drafts/ledger");
        assert_eq!(found, incident["signature"]["coarse"] == LEDGER, "{incident:#}");
    }
}

#[test]
fn what_was_recorded_before_a_group_is_offered() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("drafts/viewer.yaml");
    let file = file.to_string_lossy();
    let group = "crash | viewer.exe | 0xC0000005 | nvwgf2umx.dll";
    let from = ["rules", "new", "--from", "samples/driver-before-the-first", "--group", group];
    let draft = run(from).ends_with(0).stdout;
    let asked = "timeline|any: {kind: driver-install, seconds_before_first|within: 12 h}";
    assert!(draft.contains(&format!("      driver-install:\n        {asked}\n")), "{draft}");
    assert!(draft.contains("nv_dispi.inf") && !draft.contains("1A2B3C4D"), "{draft}");
    run(from.iter().chain(&["--id", "drafts/viewer", "-o", &file])).ends_with(0);
    run(["rules", "check", &file]).ends_with(0);
    run(["rules", "test", "--mutants", &file]).ends_with(0);
    let fleet = run(["rules", "new", "--from", FLEET, "--group", LEDGER]).ends_with(0).stdout;
    assert!(fleet.contains("      # offset: {fault_site.offset: 0x12c40}\n"), "{fleet}");
}

#[test]
fn a_mergeable_report_is_as_good_as_its_artifacts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, bare) = (folder.path().join("whole.json"), folder.path().join("bare.json"));
    let (whole, bare) = (whole.to_string_lossy(), bare.to_string_lossy());
    run(["analyze", "-q", "-f", "json", "--mergeable", "-o", &whole, FLEET]).ends_with(0);
    run(["analyze", "-q", "-f", "json", "-o", &bare, FLEET]).ends_with(0);
    let of = |from: &str| run(["rules", "new", "--from", from, "--group", LEDGER]);
    assert_eq!(of(&whole).ends_with(0).stdout, of(FLEET).ends_with(0).stdout);
    let refused = of(&bare).ends_with(2);
    assert!(refused.stderr.contains("`analyze --mergeable -f json`"), "{refused:#?}");
}

#[test]
fn names_paths_and_ids_stay_where_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let ticket = "Hello, this is Jane Doe, my number is 0171 2345678.\n\
                  (env) C:\\Users\\jane.doe\\acme secret>python train.py\n\
                  Windows fatal exception: access violation\n\
                  RuntimeError: acmelib failed to open the model of jane.doe at once\n\
                  RuntimeError: acmelib failed to open the model file for reading\n\
                  Current thread 0x00002c54 (most recent call first):\n  \
                  File \"C:\\Users\\jane.doe\\acme secret\\train.py\", line 88 in <module>\n\
                  Faulting application name: train.exe, version: 1.0.0.0, time stamp: 0x5f000000\n\
                  Faulting module name: acmelib.dll, version: 2.0.0.0, time stamp: 0x5f000000\n\
                  Exception code: 0xc0000005\nFault offset: 0x0000000000001234\n\
                  Faulting application path: C:\\Users\\jane.doe\\acme secret\\train.exe\n\
                  Report Id: 7d1f0a34-5b26-4c0e-9a3d-20c4d5e6f708\n";
    let path = folder.path().join("ticket.txt");
    fs::write(&path, ticket).expect("a ticket");
    let draft = run(["rules", "new", "--from", &path.to_string_lossy()]).ends_with(0).stdout;
    for private in ["jane", "Jane", "doe", "secret", "0171", "7d1f0a34", "ticket.txt"] {
        assert!(!draft.contains(private), "{private}\n{draft}");
    }
    assert!(draft.contains("acmelib failed to open the model file for reading"), "{draft}");
    assert!(draft.contains(r"process.path: 'C:\Users\user\train.exe'"), "{draft}");
}

#[test]
fn what_is_not_clear_is_asked_back() {
    let begins = run(["rules", "new", "--from", FLEET, "--group", "crash | "]).ends_with(2).stderr;
    let named = || begins.lines().filter(|line| line.contains("--group "));
    assert!(named().count() > 1 && named().all(|line| line.contains("--group \"crash | ")), "{begins}");
    for (arguments, code, said) in [
        (
            &["--from", FLEET][..],
            2,
            "--group \"crash | ledger.exe | 0xC0000005 | ledger.exe\" (6, undetermined; --incident",
        ),
        (&["--from", FLEET, "--incident", "ffffffff"], 2, "there is no incident ffffffff"),
        (&["--from", FLEET, "--group", "crash | "], 2, "several groups have signatures that begin with"),
        (&["--from", FLEET, "--group", "nothing"], 2, "there is no group `nothing`"),
        (
            &["--from", "samples/undecidable-abort", "--cause", "aplication-defect"],
            2,
            "did you mean application-defect?",
        ),
        (&["--from", "samples/undecidable-abort", "--cause", "gremlins"], 2, "`crashsift rules causes` prints all"),
        (&["--from", "samples/undecidable-abort", "--id", "Name"], 2, "is not a rule id"),
        (&["--from", "samples/undecidable-abort", "--id", "memory/stack-overflow"], 2, "there is a rule"),
        (&["--from", "samples/empty-dump"], 4, "no incident was found there"),
    ] {
        let run = run(["rules", "new"].iter().chain(arguments)).ends_with(code);
        assert!(run.stderr.contains(said) && run.stdout.is_empty(), "{run:#?}");
    }
}

/// `--group` without a signature lists the groups.
#[test]
fn groups_are_listed_when_they_are_asked_for() {
    let listed = run(["rules", "new", "--from", FLEET, "--group"]).ends_with(0);
    let groups =
        run(["analyze", "-q", "-f", "json", FLEET]).ends_with(0).json()["groups"].as_array().map_or(0, Vec::len);
    assert!(groups > 1 && listed.stderr.is_empty(), "{listed:#?}");
    assert_eq!(listed.stdout.lines().count(), groups);
    let first = "--group \"crash | ledger.exe | 0xC0000005 | ledger.exe\" (6, undetermined; --incident ";
    assert!(listed.stdout.contains(first), "{}", listed.stdout);
    let run = run(["rules", "new", "--from", FLEET, "-o", "no-such.yaml", "--group"]).ends_with(2);
    assert!(run.stderr.contains("--group without SIGNATURE lists the groups"), "{run:#?}");
}

/// A bound on a version is no match where the module is another one.
#[test]
fn a_version_of_another_module_does_not_fit_a_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let ticket = folder.path().join("ticket.txt");
    let text = |module: &str| {
        format!(
            "Faulting application name: game.exe, version: 1.0.0.0, time stamp: 0x5f000000\nFaulting module name: {module}, \
             version: 14.29.30139.0, time stamp: 0x5f000000\nException code: 0xc0000005\nFault offset: 0x1234\n"
        )
    };
    let drafted = |module: &str| {
        std::fs::write(&ticket, text(module)).expect("written");
        run(["rules", "new", "--from", ticket.to_str().expect("text")]).ends_with(0).stdout
    };
    let asked = |draft: &str| draft.lines().any(|line| line.contains("version") && line.contains("fits what"));
    let draft = drafted("msvcp140.dll");
    assert!(asked(&draft), "{draft}");
    let draft = drafted("examplecanvas64.dll");
    assert!(draft.contains("14.29.30139.0") && !asked(&draft), "{draft}");
}

#[test]
fn artifacts_can_be_given_as_to_other_commands() {
    let sample = "samples/stack-overflow";
    let (named, placed) = (run(["rules", "new", "--from", sample]), run(["rules", "new", sample]));
    assert_eq!(named.ends_with(0).stdout, placed.ends_with(0).stdout);
    let neither = run(["rules", "new"]).ends_with(2).stderr;
    assert!(neither.contains("not provided:\n  <PATH|--from <PATH>>\n"), "{neither}");
}

#[test]
fn a_path_that_leads_nowhere_is_reported() {
    let said = |arguments: &[&str], code| run(["rules", "new"].iter().chain(arguments)).ends_with(code).stderr;
    let lost = "crashsift: samples/no-such.txt: no such file or folder\n";
    assert_eq!(said(&["samples/no-such.txt"], 4), format!("{lost}crashsift: no incident was found there\n"));
    assert_eq!(said(&["--from", "samples/no-such.txt", "samples/stack-overflow"], 0), lost);
}

/// The terms that a draft offers in comments are correct when they are uncommented.
#[test]
fn what_to_collect_is_one_thing_when_it_is_no_comment_any_longer() {
    let draft = run(["rules", "new", "samples/stack-overflow"]).ends_with(0).stdout;
    let (before, rest) = draft.split_once("    # collect:\n").expect("the key");
    let (one, rest) = rest.split_once('\n').expect("lines");
    let taken = format!("{before}    collect:\n{}\n{rest}", one.replacen("# ", "  ", 1));
    let file = tempfile::NamedTempFile::with_suffix(".yaml").expect("a file");
    fs::write(file.path(), taken).expect("written");
    let rules = RuleSet::load(false, &[file.path().to_owned()]).expect("a rule");
    let collect: Vec<String> = rules.rules().iter().flat_map(|rule| rule.collect()).collect();
    assert_eq!(collect, ["What somebody saw, or the output of a command."]);
}

/// `rules check` of the whole set would refuse it later.
#[test]
fn a_file_in_the_folder_of_another_area_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |id: &[&str], path: &str| {
        let path = folder.path().join(path);
        let path = path.to_str().expect("text");
        let arguments = ["rules", "new", "samples/stack-overflow", "-o", path].into_iter().chain(id.iter().copied());
        run(arguments).ends_with(0).stderr
    };
    let note = "in a rule set, it belongs into a folder that is called area, as its area is\n";
    assert!(written(&["--id", "area/one"], "other/one.yaml").contains(note));
    assert!(!written(&["--id", "area/two"], "area/two.yaml").contains("belongs"));
    assert!(!written(&[], "parsers/three.yaml").contains("belongs"));
    assert!(written(&[], "My Rules/four.yaml").contains("a folder that is called own"));
}

/// WER reports of .NET programs contain nothing but the type of the exception.
#[test]
fn the_title_names_the_exception_by_its_type_where_it_has_no_code() {
    let draft = run(["rules", "new", "samples", "--group", "crash | tool.exe | system.io.filenotfound"]);
    let title = "    title: 'tool.exe crashed (System.IO.FileNotFoundException)'\n";
    assert!(draft.ends_with(0).stdout.contains(title));
}

/// In a folded YAML text, a line break within an id would become a space.
#[test]
fn ids_of_rules_stay_in_one_piece() {
    let draft = run(["rules", "new", "samples", "--group", "bugcheck | 0x00000116 | nvlddmkm.sys"]).ends_with(0).stdout;
    assert!(draft.contains("gpu/driver-named-without-code") && !draft.contains("/\n"), "{draft}");
}
