//! Rule sets of strangers: none costs more than seconds and a few hundred megabytes, and each that is refused is named.
//!
//! Memory is measured as in [`memory`](super::memory): each test is a process of its own.

use std::fs;
use std::path::Path;

use nix::sys::resource::{UsageWho, getrusage};

use crate::own_process::in_own_process;
use crate::program::{Run, run};

/// The memory limit of every run, KiB.
const LIMIT: i64 = 256 << 10;

/// The most lines on standard error: a screen can show them.
const MOST_LINES: usize = 5_000;

/// A rule of the file `stranger.yaml` with these lines for its explanation and references.
fn rule(explanation: &str, reference: &str) -> String {
    format!(
        "schema: 1
rules:
  - id: test/stranger
    title: A stranger's rule
    cause: application-defect
    confidence: 0.5
    severity: medium
    selections:
      crash: {{exception.code: 0xC0000005}}
    explanation: {explanation}
    remediation: [{{audience: helpdesk, text: Restart it.}}]
    references: [{reference}]
    tests:
      - {{name: yes, facts: {{exception.code: 0xC0000005}}, expect: match}}
      - {{name: no, facts: {{exception.code: 0x80000003}}, expect: no-match}}
"
    )
}

/// `analyze` with the rules at `path`, which must be refused within the limits.
#[track_caller]
fn refused(path: &Path) -> Run {
    let path = path.to_str().expect("the path of a temporary folder is text");
    let refused = run(["analyze", "--rules", path, "samples/power-lost"]).ends_with(2);
    let most = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts").max_rss();
    assert!(most < LIMIT, "{most} KiB");
    assert!(refused.stderr.lines().count() < MOST_LINES, "{} lines", refused.stderr.lines().count());
    refused
}

/// As [`refused`], of the text of a file.
#[track_caller]
fn refused_text(text: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stranger.yaml");
    fs::write(&path, text).expect("a file");
    let refused = refused(&path);
    assert!(refused.stderr.contains("stranger.yaml:"), "{}", refused.stderr);
    refused
}

#[test]
fn texts_that_would_take_gigabytes_are_refused_with_their_place() {
    in_own_process(|| {
        let replaced = "{{ 'aaaaaaaaaa'".to_owned() + &" | replace('a', 'aaaaaaaaaaaaaaaaaaaa')".repeat(7) + " }}";
        for text in [
            "{{ [1] | slice(2000000000) }}",
            "{{ '%2000000000s' | format }}",
            "{{ [1] | batch(2000000000, 'x') }}",
            "{{ 'a' | indent(2000000000) }}",
            "{{ 'a' * 100000000 }}",
            "{{ 'x' if '\\\\'' * 100000000 else 'y' }}",
            "{{ [1] * 100000000 }}",
            "{{ range(100000000) | list }}",
            &replaced,
        ] {
            let refused = refused_text(&rule(&format!("\"{text}\""), "https://example.org"));
            assert!(refused.stderr.contains("stranger.yaml:10:"), "{text}: {}", refused.stderr);
        }
    });
}

#[test]
fn joined_texts_are_limited() {
    in_own_process(|| {
        let long = "a".repeat(1_000);
        let text = format!("\"{{{{ '{long}' | split('') | join('{long}') | split('') | join('{long}') }}}}\"");
        let refused = refused_text(&rule(&text, "https://example.org"));
        assert!(refused.stderr.contains("it gets longer than 65536 bytes"), "{}", refused.stderr);
    });
}

#[test]
fn thousands_of_facts_in_a_text_are_refused() {
    in_own_process(|| {
        let added = "{{ exception.code".to_owned() + &" ~ exception.code".repeat(900) + " }}";
        let refused = refused_text(&rule(&format!("'{added}'"), "https://example.org"));
        assert!(refused.stderr.contains("stranger.yaml:10:"), "{}", refused.stderr);
        let many = "{{ exception.code }}".repeat(900);
        let refused = refused_text(&rule(&format!("'{many}'"), "https://example.org"));
        assert!(refused.stderr.contains("200 places"), "{}", refused.stderr);
    });
}

#[test]
fn two_hundred_thousand_mistakes_on_a_line_are_listed_in_part() {
    in_own_process(|| {
        let keys: String = (0..60_000).map(|number| format!("key{number}: 1, ")).collect();
        let text = rule("It crashed.", "https://example.org");
        let selections = text.replace("{exception.code: 0xC0000005}\n", &format!("{{{keys}exception.code: 1}}\n"));
        assert_ne!(text, selections);
        let refused = refused_text(&selections);
        assert!(refused.stderr.contains("100 mistakes or more"), "{}", refused.stderr.len());
        let list = format!("schema: 1\nrules: [{}]\n", "1, ".repeat(60_000));
        assert!(refused_text(&list).stderr.contains("100 mistakes or more"));
        let anchors = format!("schema: 1\nrules: [{}]\n", "&a 1, ".repeat(60_000));
        assert!(refused_text(&anchors).stderr.contains("100 mistakes in one file"));
    });
}

#[test]
fn three_thousand_rules_with_mistakes_are_listed_in_part() {
    in_own_process(|| {
        let one = rule("It crashed.", "https://example.org");
        let one =
            one.strip_prefix("schema: 1\nrules:\n").expect("rules").replace("application-defect", "no-such-cause");
        let mut text = "schema: 1\nrules:\n".to_owned();
        for number in 0..3_000 {
            text.push_str(&one.replace("test/stranger", &format!("test/stranger-{number}")));
        }
        let refused = refused_text(&text);
        assert!(refused.stderr.contains("100 mistakes or more in this file"), "{}", refused.stderr.len());
    });
}

#[test]
fn expressions_that_would_take_hundreds_of_megabytes_are_refused() {
    in_own_process(|| {
        let letters = r"\w".repeat(500_000);
        let text = rule("It crashed.", "https://example.org");
        for expression in [letters.as_str(), r"(((\w{100}){100}){100}){100}", r"(?:\PN{1000}){1000}"] {
            let wrong = text.replace("exception.code: 0xC0000005}\n", &format!("process.name|re: '{expression}'}}\n"));
            let refused = refused_text(&wrong);
            assert!(refused.stderr.contains("stranger.yaml:9:"), "{}", refused.stderr.len());
        }
        let many: Vec<String> = (0..2_000).map(|number| format!("'[ab]{{2500}}{number}'")).collect();
        let refused = refused_text(
            &text.replace("exception.code: 0xC0000005}\n", &format!("process.name|re: [{}]}}\n", many.join(", "))),
        );
        assert!(refused.stderr.contains("the expressions of this rule set are too large together"));
    });
}

/// Each list of lines names the next one several times, so that the first stands for a thousand million lines.
#[test]
fn lists_of_lines_that_name_each_other_are_not_written_out_without_limit() {
    in_own_process(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        fs::create_dir(&data).expect("a folder");
        let name = |depth: usize| format!("l{}", "x".repeat(depth));
        for depth in 1..30 {
            let (own, next) = (name(depth), name(depth + 1));
            let line = if depth == 29 { "some words".to_owned() } else { format!("{{{next}}}{{{next}}}{{{next}}}") };
            let list = format!("schema: 1\nlist: {own}\nabout: A list.\nlines: ['{line}']\n");
            fs::write(data.join(format!("{own}.yaml")), list).expect("a file");
        }
        let refused = refused(folder.path());
        assert!(refused.stderr.contains("written out, this line is longer than"), "{}", refused.stderr);
    });
}

#[test]
fn long_ids_and_scripts_as_references_are_mistakes_of_the_rule() {
    in_own_process(|| {
        let text = rule("It crashed.", "'javascript:alert(1)'");
        assert!(refused_text(&text).stderr.contains("R045"));
        let long =
            rule("It crashed.", "https://example.org").replace("test/stranger", &format!("test/{}", "a".repeat(300)));
        assert!(refused_text(&long).stderr.contains("R017"));
    });
}
