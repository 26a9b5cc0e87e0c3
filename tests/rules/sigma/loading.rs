//! Which Sigma rules are loaded, and the reasons why others are not.

use std::path::PathBuf;

use super::reports::crash_log;
use super::*;

/// The reason why this rule is not loaded, with line and column.
fn rejected(text: &str) -> (String, u32, u32) {
    let rules = load(written(&[("rule.yml", text)]).path());
    let fault = rules.rejected.first().and_then(|rejected| rejected.faults.first());
    let fault = fault.unwrap_or_else(|| panic!("loaded: {text}"));
    assert!(rules.is_empty() && fault.diagnostic.file.name.ends_with("rule.yml"));
    (fault.reason.clone(), fault.diagnostic.span.line, fault.diagnostic.span.column)
}

#[test]
fn a_rule_that_is_cut_anywhere_is_loaded_or_rejected() {
    let whole = format!("{INJECTION}---\n{}", about_starts("'|all': [a, b]"));
    let cut: Vec<(String, &str)> = (0..whole.len()).map(|end| (format!("{end}.yml"), &whole[..end])).collect();
    let files: Vec<(&str, &str)> = cut.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let rules = load(written(&files).path());
    assert!(rules.len() > 1 && rules.rejected.len() > 100, "{}", rules.summary());
}

#[test]
fn what_is_not_supported_is_rejected_with_its_reason_and_place() {
    let starts = |selection: &str| rejected(&about_starts(selection));
    assert_eq!(starts("CommandLine|expand: '%x%'"), ("with the modifier `expand`".to_owned(), 6, 17));
    assert_eq!(starts("Time|hour: 3"), ("with the modifier `hour`".to_owned(), 6, 10));
    assert_eq!(starts("Message|contains: x").0, "with the message that Event Viewer shows");
    assert_eq!(starts("Image|wide: x").0, "with UTF-16 that is not encoded");
    assert_eq!(starts("Image|re: '(?=a)b'"), ("with a regular expression that can't run".to_owned(), 6, 15));
    let source = |source: &str| rejected(&rule(source, "  a: {b: c}\n  condition: a")).0;
    assert_eq!(source("{product: linux, service: sshd}"), "for `linux`");
    assert_eq!(source("{category: antivirus}"), "for the log source `antivirus`");
    assert_eq!(source("{product: windows, category: file_access}"), "for the log source `file_access`");
    let condition =
        |condition: &str| rejected(&rule("{product: windows}", &format!("  a: {{b: c}}\n  condition: {condition}")));
    assert_eq!(condition("a | count() by b > 5"), ("with `count`".to_owned(), 6, 16));
    assert_eq!(condition("a | near a").0, "with `near`");
    let timeframe = rule("{product: windows}", "  a: {b: c}\n  timeframe: 5m\n  condition: a");
    assert_eq!(rejected(&timeframe), ("with a timeframe".to_owned(), 6, 3));
    let status = format!("status: unsupported\n{}", about_starts("a: b"));
    assert_eq!(rejected(&status).0, "marked as not usable");
    assert_eq!(rejected("action: global\ntitle: x").0, "of an earlier version");
    assert_eq!(rejected("title: x\nfilter: {rules: any}").0, "with a filter for other rules");
}

#[test]
fn what_is_wrong_is_rejected_as_a_mistake() {
    const MISTAKE: &str = "not written as the specification asks";
    let mistake = |text: &str| {
        let (reason, line, column) = rejected(text);
        assert_eq!(reason, MISTAKE, "{text}");
        (line, column)
    };
    assert_eq!(mistake(&about_starts("Image|contians: x")), (6, 11));
    assert_eq!(mistake(&about_starts("Image|contains|startswith: x")), (6, 20));
    assert_eq!(mistake(&about_starts("Image|exists: maybe")), (6, 19));
    assert_eq!(mistake(&about_starts("Image|cidr: 10.0.0.0/99")), (6, 17));
    assert_eq!(mistake(&about_starts("Image|lt: many")), (6, 15));
    assert_eq!(mistake(&about_starts("Image|base64: 'a*'")), (6, 19));
    assert_eq!(mistake(&about_starts("Image: {deep: er}")), (6, 12));
    let condition =
        |condition: &str| mistake(&rule("{product: windows}", &format!("  a: {{b: c}}\n  condition: {condition}")));
    assert_eq!(condition("a and nothing"), (6, 20));
    assert_eq!(condition("2 of them"), (6, 14));
    mistake("title: x\nlogsource: {product: windows}");
    mistake("title: x\ndetection: {a: {b: c}, condition: a}");
    mistake(&about_starts("a: b").replace("title: A rule", "author: x"));
    mistake(&format!("level: terrible\n{}", about_starts("a: b")));
    mistake("- a list");
    assert_eq!(rejected("title: [").0, "not readable");
    let bomb = format!("title: {}", "[".repeat(100_000));
    assert_eq!(rejected(&bomb).0, "not readable");
}

#[test]
fn the_rules_of_a_correlation_do_not_match_by_themselves() {
    let base = about_starts("ProcessId: 4312").replace("title: A rule", "title: A rule\nname: base");
    let correlation = "title: Many\ncorrelation: {type: event_count, rules: [base], timespan: 1h, condition: {gte: 5}}";
    let rules = load(written(&[("rule.yml", &format!("{base}---\n{correlation}\n"))]).path());
    let reasons = "2 Sigma rules: 0 loaded, 2 not: 1 meant only as a part of a correlation, 1 with a correlation";
    assert_eq!(rules.summary(), reasons);
}

#[test]
fn a_folder_is_read_whole_and_what_is_not_loaded_is_counted() {
    let other = |id: &str, selection: &str| about_starts(selection).replace("1111-0000", id);
    let folder = written(&[
        ("a/first.yml", &other("1111-0001", "ProcessId: 4312")),
        ("a/same.yml", &other("1111-0001", "ProcessId: 4312")),
        (
            "b/second.yaml",
            &format!("{}---\n{}", other("1111-0002", "ProcessId: 4312"), other("1111-0003", "a|expand: b")),
        ),
        ("b/notes.txt", "no rule"),
        (".git/third.yml", "no rule"),
    ]);
    let rules = load(folder.path());
    assert_eq!(
        rules.summary(),
        "4 Sigma rules: 2 loaded, 2 not: 1 with the id of another rule, 1 with the modifier `expand`"
    );
    assert_eq!(matched(rules, SYSMON, [start()]).len(), 2);
    let empty = written(&[("notes.txt", "")]);
    for path in [empty.path().to_path_buf(), PathBuf::from("/nonexistent")] {
        assert!(SigmaRules::load(&[path]).is_err());
    }
}

#[test]
fn the_program_says_how_many_rules_are_loaded_and_check_names_the_others() {
    let unsupported = about_starts("CommandLine|expand: '%x%'").replace("11111111", "33333333");
    let folder = written(&[("good.yml", INJECTION), ("other.yml", &unsupported)]);
    let path = folder.path().to_str().expect("text");
    let given = format!("sigma:{path}");
    let summary = "2 Sigma rules: 1 loaded, 1 not: 1 with the modifier `expand`";

    let ran = program::run(["rules", "check", &given]).ends_with(0);
    assert!(
        ran.stdout.contains("warning[S002]: `expand`: what a placeholder stands for is not known"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("other.yml:6:17") && ran.stdout.ends_with(&format!("{summary}\n")), "{}", ran.stdout);

    let (_log, log) = crash_log();
    let log = log.to_str().expect("text");
    let ran = program::run(["analyze", "-r", &given, log]).ends_with(0);
    assert!(ran.stderr.starts_with(&format!("crashsift: {summary};")), "{}", ran.stderr);
    assert!(ran.stdout.contains("Sigma rule \"A Tool That Injects\" (high, good.yml) matches"), "{}", ran.stdout);
    let ran = program::run(["analyze", "-q", "-r", &given, log]).ends_with(0);
    assert_eq!(ran.stderr, "");

    std::fs::write(folder.path().join("bad.yml"), "title: x\n").expect("a file");
    program::run(["rules", "check", &given]).ends_with(2);
    program::run(["analyze", "-q", "-r", &given, log]).ends_with(0);
    let ran = program::run(["analyze", "-r", "sigma:/nonexistent", log]).ends_with(2);
    assert_eq!(ran.stderr, "crashsift: --rules sigma:/nonexistent: no such file or folder\n");
}

/// Counts the loaded rules of the folder `CRASHSIFT_SIGMA`. None is rejected as a mistake, except those in its
/// subfolder `broken`, if there is one.
#[test]
fn public_rules_are_loaded_or_rejected_for_what_is_not_supported() {
    let Some(folder) = std::env::var_os("CRASHSIFT_SIGMA") else { return };
    let begun = std::time::Instant::now();
    let rules = load(Path::new(&folder));
    println!("{} ({:?})", rules.summary(), begun.elapsed());
    let faults = rules.rejected.iter().flat_map(|rejected| &rejected.faults);
    let broken: Vec<String> = faults
        .filter(|fault| fault.broken)
        .map(|fault| format!("{}: {}", fault.diagnostic.file.name, fault.diagnostic.message))
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(!rules.is_empty());
}

#[test]
fn a_title_that_is_no_text_is_not_reported_as_missing() {
    for (title, expected) in [("title: [x]", "`title` is no text"), ("author: A", "`title` is missing")] {
        let text = about_starts("Image: x").replacen("title: A rule", title, 1);
        let rules = load(written(&[("rule.yml", &text)]).path());
        let faults: Vec<&str> = rules.rejected.iter().flat_map(|rejected| &rejected.faults).map(message).collect();
        assert!(faults.contains(&expected), "{faults:?}");
    }
}

#[test]
fn commands_that_take_no_sigma_rules_say_so() {
    let commands: [&[&str]; 4] = [
        &["rules", "schema", "-r", "sigma:samples"],
        &["rules", "test", "sigma:samples"],
        &["rules", "pages", "-r", "sigma:samples", "/nonexistent/pages"],
        &["explain", "-r", "sigma:samples", "0xC0000005"],
    ];
    for command in commands {
        let ran = program::run(command);
        let expected = "only `analyze`, `inspect`, `why`, and of `rules` `list`, `show`, `check`, `new` and `diff` take Sigma rules";
        assert!(ran.code == 2 && ran.stderr.contains(expected), "{ran:#?}");
    }
    let ran = program::run(["rules", "diff", "builtin", "sigma:x", "samples"]).ends_with(2);
    assert_eq!(
        ran.stderr,
        "crashsift: Sigma rules find no causes that could change; give them to both sides by --rules sigma:PATH\n"
    );
}

#[test]
fn sigma_rules_are_listed_and_shown() {
    let unsupported = rule("{product: linux, service: sshd}", "  a: {b: c}\n  condition: a");
    let unsupported = unsupported.replace("11111111-0000-4000-8000-000000000000", "0-1\nlevel: low");
    let folder = written(&[("good.yml", INJECTION), ("other.yml", &unsupported)]);
    let path = format!("sigma:{}", folder.path().to_str().expect("text"));
    let own = |arguments: &[&str]| program::run([&["rules"], arguments, &["-r", &path, "--no-builtin-rules"]].concat());
    let listed = own(&["list", "-f", "json"]).ends_with(0).json();
    assert_eq!(listed["rules"], serde_json::json!([]));
    let all = program::list(&listed, "sigma");
    assert_eq!(all.len(), 2, "{listed:#}");
    let other = &all[1];
    assert_eq!((&all[0]["loaded"], &other["loaded"]), (&true.into(), &false.into()));
    assert_eq!((&other["id"], &other["level"]), (&"0-1".into(), &"low".into()));
    assert!(program::text(other, "file").ends_with("other.yml") && other["line"] != 0, "{listed:#}");
    assert_eq!(other["reason"], "only rules with `product: windows` are about event logs");
    let shown = own(&["list"]).ends_with(0);
    assert!(shown.stderr.is_empty() && shown.stdout.starts_with("SIGMA RULE"), "{shown:#?}");
    assert!(shown.stdout.contains("  no: only rules with `product: windows`"), "{shown:#?}");
    // Words filter Sigma rules; they have no cause.
    let title = program::text(&all[0], "title");
    let narrowed = own(&["list", title]).ends_with(0).stdout;
    assert_eq!(narrowed.lines().count(), 2, "{narrowed}");
    assert_eq!(own(&["list", "--cause", "stack-overflow"]).ends_with(0).stdout, "");
    let one = own(&["show", "0-1"]).ends_with(0).stdout;
    assert!(one.starts_with("0-1\n") && one.contains("\nLoaded      no: only rules with"), "{one}");
    own(&["show", "0-2"]).ends_with(2);
    // With built-in rules, both are printed.
    let both = program::run(["rules", "list", "-r", &path, "stack-overflow"]).ends_with(0).stdout;
    assert!(both.contains("memory/stack-overflow") && !both.contains("SIGMA RULE"), "{both}");
    let both = program::run(["rules", "show", "-r", &path, "memory/stack-overflow", "0-1"]).ends_with(0).stdout;
    assert!(both.starts_with("memory/stack-overflow\n") && both.contains("\n----\n\n0-1\n"), "{both}");
}
