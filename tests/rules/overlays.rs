//! Overlays: changes of a rule set to rules of others, and how commands and reports show them.

use std::fs;

use crate::program::{Run, list, run, text};
use serde_json::{Value, json};
use tempfile::TempDir;

/// One stack overflow of 2024-05-22, for which `memory/stack-overflow` has a finding.
const ONE: &str = "samples/stack-overflow";
/// The same crash on PC-17, PC-18 and PC-19, on 3, 4 and 5 February 2025.
const THREE: &str = "samples/same-place-on-three-machines";
const OF_THREE: &str = "application/same-place-on-several-machines";
/// A user's own rule for stack overflows, `memory/own-stack-overflow`.
const OWN_RULE: &str = "tests/rule_sets/own/stack-overflow.yaml";

/// Overlay files by name, which is also the name of their rule set.
struct Overlays(TempDir);

impl Overlays {
    fn new<const N: usize>(files: [(&str, &str); N]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in files {
            fs::write(folder.path().join(format!("{name}.yaml")), format!("schema: 1\n{content}")).expect("written");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(format!("{name}.yaml")).to_str().expect("text").to_owned()
    }

    /// Runs a command with these overlays, in this order.
    fn run(&self, names: &[&str], arguments: &[&str]) -> Run {
        let paths: Vec<String> = names.iter().map(|name| self.path(name)).collect();
        let rules = paths.iter().flat_map(|path| ["--rules", path.as_str()]);
        run(arguments.iter().copied().chain(rules))
    }

    fn report(&self, names: &[&str], sample: &str) -> Value {
        self.run(names, &["analyze", "-q", "-f", "json", sample]).ends_with(0).json()
    }
}

fn first<'v>(report: &'v Value, key: &str) -> &'v [Value] {
    list(&report["incidents"][0], key)
}

const SITE: &str = "\
override:
  - rule: memory/stack-overflow
    reason: Our parser recurses.
    confidence: 0.5
    title: The parser ran out of stack
    remediation:
      - {audience: helpdesk, text: 'Split the file that {{ process.name or \"it\" }} reads.'}
";

#[test]
fn a_rule_is_overridden_in_part_and_names_the_rule_set() {
    let overlays = Overlays::new([("site", SITE)]);
    let (before, report) = (Overlays::new([]).report(&[], ONE), overlays.report(&["site"], ONE));
    let (old, new) = (&first(&before, "findings")[0], &first(&report, "findings")[0]);
    assert_eq!((text(old, "ruleset"), text(new, "ruleset")), ("builtin", "builtin"));
    assert_eq!((old.get("overridden_by"), &new["overridden_by"]), (None, &json!(["site"])));
    assert_eq!(text(new, "title"), "The parser ran out of stack");
    let steps = json!([{"audience": "helpdesk", "text": "Split the file that python.exe reads."}]);
    assert_eq!(new["remediation"], steps);
    // Keys that it does not contain stay, and adjustments are applied to the new confidence.
    assert_eq!((&new["explanation"], &new["severity"]), (&old["explanation"], &old["severity"]));
    let confidence = |finding: &Value| finding["confidence"].as_f64().expect("a number");
    assert!(confidence(new) < confidence(old) && confidence(new) >= 0.5, "{new:#}");
    let set = list(&report, "rulesets").iter().find(|set| text(set, "name") == "site").expect("it is listed");
    assert_eq!((&set["rules"], &set["overrides"], set.get("disables")), (&json!(0), &json!(1), None));

    let shown = overlays.run(&["site"], &["analyze", "-q", "-v", ONE]).ends_with(0).stdout;
    assert!(shown.contains("memory/stack-overflow (rule set builtin, overridden by site)"), "{shown}");
    assert!(shown.contains("site 0 (0 rules, 1 override)"), "{shown}");
    let shown = overlays.run(&["site"], &["rules", "show", "memory/stack-overflow"]).ends_with(0).stdout;
    assert!(shown.contains("Overridden  by site: Our parser recurses. (confidence, title, remediation), "), "{shown}");
    assert!(shown.contains("site.yaml:3\n") && shown.contains("Confidence  0.50\n"), "{shown}");
    let listed = overlays.run(&["site"], &["rules", "list", "--set", "site"]).ends_with(0).stdout;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(listed.contains("builtin, overridden by site  The parser ran out of stack"), "{listed}");
    let why = overlays.run(&["site"], &["why", "memory/stack-overflow", ONE]).ends_with(0).stdout;
    assert!(why.contains("overridden by site: Our parser recurses."), "{why}");
}

#[test]
fn a_later_overlay_is_over_an_earlier_one() {
    let user = "override:\n  - {rule: memory/stack-overflow, title: Mine}\n";
    let overlays = Overlays::new([("site", SITE), ("user", user)]);
    for (order, title) in [(["site", "user"], "Mine"), (["user", "site"], "The parser ran out of stack")] {
        let report = overlays.report(&order, ONE);
        let finding = &first(&report, "findings")[0];
        assert_eq!((text(finding, "title"), &finding["overridden_by"]), (title, &json!(order)));
    }
}

#[test]
fn a_disabled_rule_judges_nothing_and_is_listed_with_its_reason() {
    let overlays = Overlays::new([("site", "disable:\n  - {rule: memory/stack-overflow, reason: Known.}\n")]);
    let report = overlays.report(&["site"], ONE);
    assert_eq!(first(&report, "findings"), [json!(null); 0]);
    assert_eq!(report["incidents"][0]["verdict"]["cause"], json!("undetermined"));
    let why = overlays.run(&["site"], &["why", "memory/stack-overflow", ONE]).ends_with(0).stdout;
    assert!(why.contains("it judges nothing: disabled by site: Known."), "{why}");
    let why = overlays.run(&["site"], &["why", "-f", "json", "memory/stack-overflow", ONE]).ends_with(0).json();
    let rule = &why["incidents"][0]["rules"][0];
    assert_eq!([text(rule, "outcome"), text(rule, "by"), text(rule, "reason")], ["disabled", "site", "Known."]);
    let shown = overlays.run(&["site"], &["rules", "show", "-f", "json", "memory/stack-overflow"]).ends_with(0).json();
    let disabled = &shown["rules"][0]["disabled"];
    assert_eq!((text(disabled, "by"), text(disabled, "reason"), &disabled["line"]), ("site", "Known.", &json!(3)));
    let checked = run(["rules", "check", &overlays.path("site")]).ends_with(0).stdout;
    assert_eq!(checked, "0 rules, 1 rule disabled: 0 errors, 0 warnings\n");
}

#[test]
fn a_suppressed_finding_is_counted_and_does_not_judge() {
    let overlays =
        Overlays::new([("site", "suppress:\n  - {rule: memory/stack-overflow, reason: The fix is ordered.}\n")]);
    let report = overlays.report(&["site"], ONE);
    let incident = &report["incidents"][0];
    assert_eq!((list(incident, "findings").len(), &incident["verdict"]["cause"]), (0, &json!("undetermined")));
    let suppressed = &list(incident, "suppressed")[0];
    assert_eq!(text(suppressed, "rule"), "memory/stack-overflow");
    assert_eq!((text(suppressed, "by"), text(suppressed, "reason")), ("site", "The fix is ordered."));
    assert_eq!((&report["summary"]["suppressed"], suppressed.get("until")), (&json!(1), None));
    let shown = overlays.run(&["site"], &["analyze", "-q", ONE]).ends_with(0).stdout;
    assert!(shown.contains("  suppressed   memory/stack-overflow (stack-overflow, 96 %), by site: The fix is"));
    assert!(shown.contains("  suppressed   1 finding\n"), "{shown}");
    let why = overlays.run(&["site"], &["why", "-f", "json", "memory/stack-overflow", ONE]).ends_with(0).json();
    assert_eq!(text(&why["incidents"][0]["rules"][0], "outcome"), "suppressed");
    overlays.run(&["site"], &["analyze", "-q", "--fail-on", "stack-overflow", ONE]).ends_with(0);
    overlays.run(&[], &["analyze", "-q", "--fail-on", "stack-overflow", ONE]).ends_with(1);
}

#[test]
fn a_suppression_is_reviewed_like_every_change_of_rules() {
    let overlays = Overlays::new([("site", "suppress:\n  - {rule: memory/stack-overflow, reason: Known.}\n")]);
    let shown = run(["rules", "diff", "builtin", &overlays.path("site"), ONE]).ends_with(0).stdout;
    assert!(shown.contains("memory/stack-overflow is suppressed by site now: 0.96\n"), "{shown}");
}

/// The computers, of the three, on which the crash is suppressed.
fn suppressed_on(suppression: &str) -> (Vec<String>, Run) {
    let overlays =
        Overlays::new([("site", &*format!("suppress:\n  - rule: {OF_THREE}\n    reason: Known.\n{suppression}"))]);
    let ran = overlays.run(&["site"], &["analyze", "-f", "json", THREE]).ends_with(0);
    let report = ran.json();
    let hosts = list(&report, "incidents").iter().filter(|incident| !list(incident, "suppressed").is_empty());
    (hosts.map(|incident| text(incident, "host").to_owned()).collect(), ran)
}

/// The first sentence of the explanation for the three crashes, with this overlay.
fn made_of_three(overlay: &str) -> String {
    let shown = Overlays::new([("site", overlay)]).run(&["site"], &["why", OF_THREE, THREE]).ends_with(0).stdout;
    let words: Vec<&str> = shown.split_whitespace().collect();
    words.join(" ").split_once(" Incident ").expect("incidents").0.to_owned()
}

#[test]
fn what_is_set_aside_is_not_counted_as_a_match_by_why() {
    let begin = format!("Of 3 incidents, {OF_THREE}");
    let out = "lacks facts for 0 and is ruled out for 0.";
    let other = "disable:\n  - {rule: memory/stack-overflow, reason: Known.}\n";
    assert_eq!(made_of_three(other), format!("{begin} matches 3, {out}"));
    let disable = format!("disable:\n  - {{rule: {OF_THREE}, reason: Known.}}\n");
    let disabled = "would match 3, is disabled by site, would lack facts for 0 and be ruled out for 0.";
    assert_eq!(made_of_three(&disable), format!("{begin} {disabled}"));
    let suppress = |more: &str| format!("suppress:\n  - {{rule: {OF_THREE}, reason: Known.{more}}}\n");
    let suppressed =
        |matches, more| format!("{begin} matches {matches}, would match {more} more and is suppressed there");
    assert_eq!(made_of_three(&suppress("")), format!("{} by site, {out}", suppressed(0, 3)));
    assert_eq!(made_of_three(&suppress(", hosts: [PC-18]")), format!("{} by site, {out}", suppressed(2, 1)));
}

#[test]
fn a_suppression_can_be_about_some_computers_or_some_facts() {
    assert_eq!(suppressed_on("").0, ["PC-17", "PC-18", "PC-19"]);
    assert_eq!(suppressed_on("    hosts: [PC-1, '*']\n").0, ["PC-17", "PC-18", "PC-19"]);
    assert_eq!(suppressed_on("    hosts: [pc-17, 'PC-?9']\n").0, ["PC-17", "PC-19"]);
    assert_eq!(suppressed_on("    when: {process.name: LEDGER.EXE}\n").0.len(), 3);
    assert_eq!(suppressed_on("    when: {process.name: other.exe}\n").0.len(), 0);
    // An undecided condition does not suppress.
    assert_eq!(suppressed_on("    when: {delay_load.module: a.dll}\n").0.len(), 0);
    assert_eq!(suppressed_on("    hosts: [PC-18]\n    when: {incident.kind: crash}\n").0, ["PC-18"]);
}

#[test]
fn a_suppression_ends_with_its_last_day_by_the_time_of_the_incident() {
    let (hosts, ran) = suppressed_on("    until: 2025-02-04\n");
    assert_eq!(hosts, ["PC-17", "PC-18"]);
    let note = format!("warning: site suppresses {OF_THREE} until 2025-02-04; 1 later finding is shown again");
    assert!(ran.stderr.contains(&note), "{}", ran.stderr);
    let report = ran.json();
    let ended = &list(&list(&report, "incidents")[2], "findings")[0]["suppression_ended"];
    assert_eq!(*ended, json!({"by": "site", "reason": "Known.", "until": "2025-02-04"}));
    let (hosts, ran) = suppressed_on("    until: 2025-12-31\n");
    assert_eq!(hosts.len(), 3);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

/// By the times of the incidents, whatever the day of the run.
#[test]
fn a_suppression_that_ended_and_has_no_effect_is_noted_once() {
    let entry = |rule: &str, until: &str| format!("  - {{rule: {rule}, reason: Known., until: {until}}}\n");
    let noted = |entries: &[String], sample: &str| -> Vec<String> {
        let overlays = Overlays::new([("site", &*format!("suppress:\n{}", entries.concat()))]);
        let ran = overlays.run(&["site"], &["analyze", sample]).ends_with(0);
        assert_eq!(overlays.run(&["site"], &["analyze", "-q", sample]).ends_with(0).stderr, "");
        ran.stderr.lines().filter(|line| line.contains("suppress")).map(str::to_owned).collect()
    };
    let other = "memory/stack-overflow";
    let told = "crashsift: warning: a suppression ended before the last incident (2025-02-05) and suppresses nothing here: \
                memory/stack-overflow until 2025-02-04 (site); `crashsift rules check PATH` shows where";
    assert_eq!(noted(&[entry(other, "2025-02-04")], THREE), [told]);
    // No note for a suppression that still holds on the day of the last incident, or that has an effect; a note that
    // findings are shown again.
    assert!(noted(&[entry(other, "2025-02-05")], THREE).is_empty());
    assert!(noted(&[entry(other, "2024-05-23")], ONE).is_empty());
    let shown_again = noted(&[entry(OF_THREE, "2025-02-04")], THREE);
    assert!(matches!(&*shown_again, [one] if one.contains("1 later finding is shown again")), "{shown_again:?}");
    let rules = ["cudnn/zlibwapi-delay-load", "gpu/nvlddmkm-timeout", "memory/heap-corruption", other];
    let many = noted(&rules.map(|rule| entry(rule, "2024-01-01")), THREE);
    let said = "crashsift: warning: suppressions ended before the last incident (2025-02-05) and suppress nothing here: \
                cudnn/zlibwapi-delay-load until 2024-01-01 (site), ";
    assert!(matches!(&*many, [one] if one.contains(said) && one.contains("(site) and 1 more; ")), "{many:?}");
    let disabled = format!("{}disable:\n  - {{rule: {other}, reason: Known.}}\n", entry(other, "2024-01-01"));
    assert!(noted(&[disabled], THREE).is_empty());
}

/// `rules check` uses the current day, or that of `--today`.
#[test]
fn a_suppression_that_ended_is_reported_by_the_check() {
    let entry = "suppress:\n  - rule: memory/stack-overflow\n    reason: Known.\n    until: ";
    let checked = |until: &str, arguments: &[&str]| -> String {
        let overlays = Overlays::new([("site", &*format!("{entry}{until}\n"))]);
        let path = overlays.path("site");
        let shown =
            run(["rules", "check"].into_iter().chain(arguments.iter().copied()).chain([&*path])).ends_with(0).stdout;
        shown.replace(&path, "site.yaml")
    };
    let told = "\
warning[R106]: this suppression of `memory/stack-overflow` ended with 2027-01-30, 2 days ago: later findings are shown
 --> site.yaml:5:12
  |
5 |     until: 2027-01-30
  |            ^^^^^^^^^^
  |
  = help: give a later day if its reason still holds; else remove it, \
          unless older incidents are to stay suppressed

0 rules, 1 suppression: 0 errors, 1 warning
";
    assert_eq!(checked("2027-01-30", &["--today", "2027-02-01"]), told);
    assert!(checked("2027-01-30", &["--today", "2027-01-31"]).contains("ended with 2027-01-30, yesterday: "));
    let fine = "0 rules, 1 suppression: 0 errors, 0 warnings\n";
    assert_eq!(checked("2027-01-30", &["--today", "2027-01-30"]), fine);
    // By the computer's clock.
    assert!(checked("2001-01-01", &[]).contains("warning[R106]"));
    assert_eq!(checked("9999-12-31", &[]), fine);
    for wrong in ["tomorrow", "2027-02-30", "2027-01-30T00:00", "27-01-30"] {
        let told = run(["rules", "check", "--today", wrong]).ends_with(2).stderr;
        assert!(told.contains("write a date, such as 2027-01-31"), "{told}");
    }
}

#[test]
fn every_computer_includes_an_unknown_one() {
    let of = |hosts: &str| {
        let entry = format!("suppress:\n  - {{rule: memory/stack-overflow, reason: Known., hosts: [{hosts}]}}\n");
        let report = Overlays::new([("site", &*entry)]).report(&["site"], ONE);
        assert_eq!(report["incidents"][0].get("host"), None);
        first(&report, "suppressed").len()
    };
    assert_eq!((of("'*'"), of("'PC-*'")), (1, 0));
}

#[test]
fn a_suppression_that_ended_is_reported_by_why() {
    let entry = format!("suppress:\n  - {{rule: {OF_THREE}, reason: Known., until: 2025-02-04}}\n");
    let overlays = Overlays::new([("site", &*entry)]);
    let told = overlays.run(&["site"], &["why", OF_THREE, THREE]).ends_with(0).stdout;
    let says = "its finding is shown again: it was suppressed by site until 2025-02-04: Known.";
    assert_eq!(
        (told.matches(says).count(), told.matches("its finding is suppressed by site").count()),
        (1, 2),
        "{told}"
    );
    let told = overlays.run(&["site"], &["why", "-f", "json", OF_THREE, THREE]).ends_with(0).json();
    let ended: Vec<&Value> =
        list(&told, "incidents").iter().map(|one| &list(one, "rules")[0]["suppression_ended"]).collect();
    assert_eq!(ended, [&json!(null), &json!(null), &json!({"by": "site", "reason": "Known.", "until": "2025-02-04"})]);
}

/// References are checked in the file that contains the ones in use: the rule, or an override that replaces them.
#[test]
fn references_are_checked_in_the_file_that_contains_them() {
    let rule = fs::read_to_string("tests/broken_rules/lint-reference-no-address.yaml").expect("a rule");
    let overlays = Overlays::new([
        ("own", rule.split_once("schema: 1\n").expect("a rule").1),
        ("surer", "override:\n  - {rule: test/broken, confidence: 0.4}\n"),
        ("other", "override:\n  - {rule: test/broken, references: ['https://example.org', 'https://wiki/ page']}\n"),
    ]);
    let warned = |sets: &[&str]| -> (usize, String) {
        let paths = sets.iter().map(|name| overlays.path(name));
        let checked = run(["rules", "check"].into_iter().map(str::to_owned).chain(paths)).ends_with(0).stdout;
        (checked.matches("warning[R102]").count(), checked)
    };
    assert_eq!(warned(&["own"]).0, 2);
    assert_eq!(warned(&["own", "surer"]).0, 2);
    let (count, told) = warned(&["own", "other"]);
    assert!(
        count == 1 && told.contains("`https://wiki/ page` is no address") && told.contains("other.yaml:3:"),
        "{told}"
    );
}

#[test]
fn a_mistake_in_an_overlay_is_reported_with_what_would_be_right() {
    for (wrong, right) in [
        ("disable: [memory/stack-overflow]", "write `{rule: memory/stack-overflow, reason: ...}`"),
        ("disable:\n  - {rule: 'cudnn/*', reason: Known.}", "write an entry for each rule, with its whole id"),
        ("disable:\n  - {rule: [a/b, c/d], reason: Known.}", "write an entry for each rule"),
        ("suppress:\n  - {id: memory/stack-overflow, reason: Known.}", "write `rule` with one rule's id"),
        ("suppress:\n  - {rule: memory/stack-overflow, reason: Known., when: app.exe}", "write what facts must be: `{"),
    ] {
        let overlays = Overlays::new([("site", wrong)]);
        let told = run(["rules", "check", &overlays.path("site")]).ends_with(2).stdout;
        assert!(told.contains(&format!("= help: {right}")), "{told}");
    }
}

#[test]
fn what_is_legal_and_not_meant_is_reported_by_the_check_alone() {
    let rule = fs::read_to_string("tests/broken_rules/pattern-without-wildcard.yaml").expect("a rule");
    let overlays = Overlays::new([
        ("own", rule.split_once("schema: 1\n").expect("a rule").1),
        ("site", "disable:\n  - {rule: memory/stack-overflow, reason: Known.}\n"),
        ("again", "override:\n  - {rule: memory/stack-overflow, severity: low}\n"),
    ]);
    let sets = ["own", "site", "again"];
    let checked = run(["rules".to_owned(), "check".to_owned()].into_iter().chain(sets.map(|name| overlays.path(name))));
    assert!(checked.stdout.contains("warning[R080]") && checked.stdout.contains("warning[R081]"), "{checked:#?}");
    for arguments in [
        &["analyze", ONE][..],
        &["why", "memory/stack-overflow", ONE],
        &["rules", "list"],
        &["rules", "new", "--from", ONE],
    ] {
        let ran = overlays.run(&sets, arguments).ends_with(0);
        assert!(!ran.stderr.contains("R08"), "{ran:#?}");
    }
}

#[test]
fn sets_of_one_name_are_distinguished_by_their_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |team: &str| folder.path().join(team).join("site.yaml");
    for team in ["east", "west"] {
        fs::create_dir(folder.path().join(team)).expect("a folder");
        fs::write(path(team), format!("schema: 1\noverride:\n  - {{rule: memory/stack-overflow, title: '{team}'}}\n"))
            .expect("written");
    }
    let (east, west) = (path("east"), path("west"));
    let (east, west) = (east.to_str().expect("text"), west.to_str().expect("text"));
    let report = run(["analyze", "-q", "-f", "json", "-r", east, "-r", west, ONE]).ends_with(0).json();
    let slashed = |path: &str| path.replace('\\', "/");
    assert_eq!(first(&report, "findings")[0]["overridden_by"], json!([slashed(east), slashed(west)]));
    assert_eq!(first(&report, "findings")[0]["title"], json!("west"));
}

#[test]
fn a_file_that_is_given_twice_is_used_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = folder.path().join("set");
    fs::create_dir_all(set.join("memory")).expect("a folder");
    let file = set.join("memory/own.yaml");
    fs::copy(OWN_RULE, &file).expect("copied");
    fs::write(set.join("site.yaml"), "schema: 1\ndisable:\n  - {rule: memory/stack-overflow, reason: Known.}\n")
        .expect("written");
    let (set, file) = (set.to_str().expect("text"), file.to_str().expect("text"));
    for (given, said) in [([set, set], "given twice, and used once"), ([file, set], "holds it, too; it is used once")] {
        let ran = run(["rules", "list", "own-stack-overflow", "-r", given[0], "-r", given[1]]).ends_with(0);
        assert_eq!((ran.stdout.lines().count(), ran.stderr.matches(said).count()), (2, 1), "{ran:#?}");
        let checked = run(["rules", "check", given[0], given[1]]).ends_with(0);
        assert!(checked.stdout.ends_with("1 rule, 1 rule disabled: 0 errors, 0 warnings\n"), "{checked:#?}");
    }
}

#[test]
fn rules_of_sets_that_come_later_can_not_be_changed() {
    let own = fs::read_to_string(OWN_RULE).expect("a rule").replace("schema: 1\n", "");
    let overlays = Overlays::new([
        ("site", &own),
        ("user", "disable:\n  - {rule: memory/own-stack-overflow, reason: Known.}\n"),
        ("again", "override:\n  - {rule: memory/own-stack-overflow, severity: low}\n"),
    ]);
    let paths = |names: &[&str]| {
        let paths: Vec<String> = names.iter().map(|name| overlays.path(name)).collect();
        run(["rules", "check"].into_iter().map(str::to_owned).chain(paths))
    };
    assert_eq!(paths(&["site", "user"]).ends_with(0).stdout, "1 rule, 1 rule disabled: 0 errors, 0 warnings\n");
    let wrong = paths(&["user", "site"]).ends_with(2).stdout;
    assert!(
        wrong.contains("error[R071]: the rule `memory/own-stack-overflow` belongs to a rule set that is loaded later")
    );
    let warned = paths(&["site", "user", "again"]).ends_with(0).stdout;
    assert!(
        warned.contains("warning[R081]: the rule `memory/own-stack-overflow` is disabled by user: Known."),
        "{warned}"
    );
}

#[test]
fn a_new_text_may_print_what_the_rule_guarantees_and_nothing_else() {
    let text = "override:\n  - rule: loader/delay-load-module\n    explanation: 'It is {{ exception.code }} of {{ gpu.driver }}.'\n";
    let overlays = Overlays::new([("site", text)]);
    let wrong = run(["rules", "check", &overlays.path("site")]).ends_with(2).stdout;
    assert!(wrong.contains("error[R04"), "{wrong}");
    assert!(!wrong.contains("exception.code`"), "{wrong}");
}

#[test]
fn overlays_of_built_in_rules_are_no_mistake_without_those() {
    let overlays = Overlays::new([("site", SITE)]);
    let report =
        overlays.run(&["site"], &["analyze", "-q", "--no-builtin-rules", "-f", "json", ONE]).ends_with(0).json();
    assert_eq!(first(&report, "findings").len(), 0);
}

#[test]
fn the_example_of_the_readme_is_an_overlay() {
    let readme = fs::read_to_string("rules/README.md").expect("a text");
    let example = readme.split("```yaml\n").find(|part| part.contains("\noverride:")).expect("an example");
    let example = example.split("```").next().and_then(|text| text.strip_prefix("schema: 1\n")).expect("a rule file");
    let overlays = Overlays::new([("site", example)]);
    let checked = run(["rules", "check", &overlays.path("site")]).ends_with(0).stdout;
    assert_eq!(checked, "0 rules, 1 override, 1 rule disabled, 1 suppression: 0 errors, 0 warnings\n");
}

#[test]
fn a_suppressed_finding_leaves_nothing_in_its_place() {
    let overlays = Overlays::new([(
        "known",
        "suppress:\n  - {rule: cudnn/zlibwapi-delay-load, reason: Ordered.}\n  - {rule: memory/stack-overflow, reason: Known.}\n",
    )]);
    // Its rule supersedes a less specific one.
    let report = overlays.report(&["known"], "samples/delay-load-zlibwapi");
    let (finding, verdict) = (&first(&report, "findings")[0], &report["incidents"][0]["verdict"]);
    assert_eq!(text(finding, "superseded_by"), "cudnn/zlibwapi-delay-load");
    assert_eq!(text(verdict, "cause"), "undetermined");
    let says = "What is known of it is suppressed by known: Ordered. (cudnn/zlibwapi-delay-load, 0.97).";
    assert_eq!(text(verdict, "sentence"), says);
    assert_eq!(list(verdict, "collect_next").len(), 0, "nothing needs to be found out");
    let failing = ["analyze", "-q", "samples/delay-load-zlibwapi", ONE, "--fail-on", "missing-dependency"];
    overlays.run(&["known"], &failing).ends_with(0);
    overlays.run(&["known"], &["analyze", "-q", ONE, "--fail-on", "undetermined"]).ends_with(0);
}

#[test]
fn a_finding_that_is_hardly_possible_takes_nobodys_place() {
    let overlays = Overlays::new([(
        "doubt",
        "override:\n  - {rule: cudnn/zlibwapi-delay-load, reason: It was wrong here., confidence: 0.05}\n",
    )]);
    let report = overlays.report(&["doubt"], "samples/delay-load-zlibwapi");
    let findings = first(&report, "findings");
    assert_eq!(text(&findings[0], "rule"), "loader/delay-load-module");
    assert!(findings.iter().all(|finding| finding.get("superseded_by").is_none()), "{findings:#?}");
}

#[test]
fn an_override_can_name_the_selections_of_its_rule() {
    let overlays = Overlays::new([(
        "site",
        "override:\n  - rule: loader/delay-load-module\n    reason: We have it.\n    collect:\n      - {text: The list., unless: named}\n",
    )]);
    overlays.run(&["site"], &["analyze", "-q", ONE]).ends_with(0);
}

#[test]
fn a_set_that_is_only_called_builtin_takes_nobodys_place() {
    let overlays = Overlays::new([("builtin", "suppress:\n  - {rule: memory/stack-overflow, reason: Known.}\n")]);
    let report = overlays.report(&["builtin"], ONE);
    assert_eq!(first(&report, "suppressed").len(), 1);
    let sets: Vec<&str> = list(&report, "rulesets").iter().map(|set| text(set, "name")).collect();
    assert_eq!(sets.len(), 2);
    assert!(sets[0] == "builtin" && sets[1].ends_with("builtin.yaml"), "{sets:?}");
}
