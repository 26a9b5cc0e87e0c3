//! Rules, and the languages in them.

use std::borrow::Cow;
use std::sync::LazyLock;

use evidence::Names;
use expressions::{Pattern, check, has_second_forms, needed};
use jiff::Timestamp;
use rule_syntax::condition;
use rules::RuleSet;
use sigma::{Record, SigmaRules};
use spanned_yaml::{Diagnostic, YamlText, parse_documents, parse_leniently};

use crate::{Group, Shape, Target, scratch, seeds};

pub(super) const TARGETS: &[Target] = &[
    Target::new("yaml", Group::Rules, "Any YAML", yaml, rule_files).with_words(YAML_WORDS).at_most(16 << 10),
    Target::new("rule", Group::Rules, "A file with rules, whose tests are run where it has no mistake", rule, rule_files)
        .with_words(RULE_WORDS)
        .at_most(8 << 10),
    Target::new("template", Group::Rules, "The explanation of a rule, into which facts are filled", template, || {
        [
            "{{ process.name or \"A program\" }} crashed in {{ fault_site.module or 'a module' }}.",
            "{% if exception.code %}It ended with {{ exception.code }}.{% elif suspect.module %}x{% else %}y{% endif %}",
            "{{ exception.code }} {{ modules }} {{ 1 + 2 }} {{ 'a' ~ process.name }} {{ process.name|upper }}",
        ]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
    })
    .with_words(TEMPLATE_WORDS)
    .at_most(2048),
    Target::new("expression", Group::Rules, "A regular expression, a line end, and a text in which it is searched", expression, || {
        [
            "cudnn.*(64_8|not found)\ncould not load cudnn64_8.dll",
            "(?<name>[a-z]+)\\.dll$\nplugin.dll",
            "(?i)st\u{17F}raße|[^\\d]{2,5}\nstrasse 12",
            "(?:a|b)*c{3}(?-u:\\xff)?\naaabccc",
        ]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
    })
    .with_words(&["(?<n>", "(?i)", "(?-u)", "\\b", "\\d", "\\p{L}", "[^", "]", "{2,5}", "*?", "|", ")", "$", "\u{17F}", "\u{130}", "\n"])
    .at_most(512),
    Target::new("condition", Group::Rules, "The condition of a rule", condition_text, || {
        ["a and not b", "(a or b) and (c or not (a and d))", "all of them", "1 of a*"].map(|text| text.as_bytes().to_vec()).to_vec()
    })
    .with_words(&["and ", "or ", "not ", "(", ")", "of ", "them", "all ", "any ", "a ", "b ", "unknown "])
    .at_most(2048),
    Target::new("sigma", Group::Rules, "A file with a Sigma rule, which is matched with records", sigma_rule, sigma_files)
        .with_words(SIGMA_WORDS)
        .at_most(8 << 10),
];

const YAML_WORDS: &[&str] = &[
    "- ",
    ": ",
    "\n",
    "  ",
    "---\n",
    "...\n",
    "&a ",
    "*a",
    "!!str ",
    "|\n",
    ">-\n",
    "\"",
    "'",
    "#",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "? ",
    "\t",
    "\u{feff}",
    "%YAML 1.2\n",
];
const RULE_WORDS: &[&str] = &[
    "- ",
    ": ",
    "\n",
    "  ",
    "schema: 1\n",
    "rules:\n",
    "selections:\n",
    "condition: ",
    "exception.code: ",
    "|like",
    "|any",
    "|all",
    "|re",
    "|at_least",
    "|below",
    "not ",
    "requires: ",
    "supersedes: ",
    "adjust:\n",
    "within: ",
    "sequence: ",
    "timeline",
    "modules",
    "expect: match",
    "expect: no-match",
    "facts: {",
    "{{ process.name }}",
    "cause: ",
    "confidence: 0.9",
    "title: ",
    "override",
    "suppress",
];
const TEMPLATE_WORDS: &[&str] = &[
    "{{ ",
    " }}",
    "{% if ",
    " %}",
    "{% else %}",
    "{% elif ",
    "{% endif %}",
    "{% for x in modules %}",
    "{% endfor %}",
    "process.name",
    "exception.code",
    " or ",
    " and ",
    "not ",
    "|upper",
    "|default('x')",
    "'",
    "\"",
    "{#",
    "#}",
    "(",
    ")",
    "[",
    "]",
    "~",
    "is defined",
    "found.",
    "1000000000000",
    " * ",
    " ** ",
    "range(",
];
const SIGMA_WORDS: &[&str] = &[
    "- ",
    ": ",
    "\n",
    "  ",
    "title: ",
    "logsource:\n",
    "detection:\n",
    "condition: ",
    "selection",
    "|contains",
    "|all",
    "|re",
    "|cidr",
    "|base64offset",
    "|windash",
    "|startswith",
    "|endswith",
    "|expand",
    "|exists",
    "1 of ",
    "all of them",
    "not ",
    "'*\\cmd.exe'",
    "?",
    "\\*",
    "product: windows",
    "service: security",
    "category: process_creation",
    "EventID: 4688",
];

fn text(input: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(input)
}

fn diagnostics(shape: &mut Shape, found: &[Diagnostic]) {
    for diagnostic in found {
        // Where a mistake is shown in the file, its place must be in it.
        shape.message(&diagnostic.to_string().lines().next().unwrap_or_default());
    }
}

fn yaml(input: &[u8]) -> Shape {
    let mut shape = Shape::default();
    let file = YamlText::new("fuzzed.yaml", text(input).into_owned());
    match parse_documents(&file) {
        Ok(documents) => shape.size(documents.len()),
        Err(found) => diagnostics(&mut shape, &found),
    }
    let (node, found) = parse_leniently(&file);
    shape.value(node.is_some());
    diagnostics(&mut shape, &found);
    shape
}

/// Small files with rules, and with mistakes.
fn rule_files() -> Vec<Vec<u8>> {
    let mut files = seeds::project_files("tests/broken_rules", &[".yaml"]);
    files.extend(seeds::project_files("tests/rule_sets", &[".yaml"]));
    files.retain(|file| file.len() < 6000);
    files
}

/// Loads rules without the built-in ones, and runs their tests.
fn load(content: &[u8]) -> Shape {
    let path = scratch::named_file("fuzzed.yaml", content);
    let mut shape = Shape::default();
    match RuleSet::load(false, &[path]) {
        Ok(rules) => {
            diagnostics(&mut shape, rules.warnings());
            let tests = rules.run_tests();
            shape.size(rules.rules().len());
            shape.size(tests.failed.len());
        }
        Err(found) => diagnostics(&mut shape, &found),
    }
    shape
}

fn rule(input: &[u8]) -> Shape {
    load(input)
}

fn template(input: &[u8]) -> Shape {
    let explanation = serde_json::to_string(&text(input)).expect("a text");
    load(
        format!(
            "schema: 1\nrules:\n  - id: demo/fuzzed\n    title: A crash\n    cause: application-defect\n    confidence: 0.5\n    \
             severity: low\n    selections:\n      crashed: {{exception.code: 0xC0000005, process.name|exists: true}}\n    \
             explanation: {explanation}\n    remediation:\n      - {{audience: helpdesk, text: Nothing.}}\n      - {{audience: \
             developer, text: Nothing.}}\n    collect: [full-dump]\n    references: [https://example.org]\n    tests:\n      - {{name: a, \
             facts: {{exception.code: 0xC0000005, process.name: a.exe}}, expect: match}}\n      - {{name: b, facts: {{exception.code: \
             0xC0000409}}, expect: no-match}}\n"
        )
        .as_bytes(),
    )
}

fn expression(input: &[u8]) -> Shape {
    let input = text(input);
    let (expression, searched) = input.split_once('\n').unwrap_or((&input, ""));
    let folded = searched.to_lowercase();
    let mut shape = Shape::default();
    let checked = check(expression);
    if let Err(error) = &checked {
        shape.message(&error.to_string().lines().last().unwrap_or_default());
        return shape;
    }
    let pattern = Pattern::new(expression);
    let is_match = pattern.is_match(&folded);
    shape.value((is_match, pattern.found(searched).len()));
    if let Some(literals) = needed(expression) {
        let is_there = literals.iter().any(|literal| folded.contains(literal.as_str()));
        assert!(
            !is_match || is_there || has_second_forms(&folded),
            "{expression:?} is found in {folded:?} without {literals:?}"
        );
        shape.size(literals.len());
    }
    shape
}

fn condition_text(input: &[u8]) -> Shape {
    const NAMES: [&str; 4] = ["a", "b", "c", "d"];
    let input = text(input);
    let mut shape = Shape::default();
    match condition::parse(&input, &NAMES, |_| None) {
        Ok(parsed) => shape.value([0, 1, 2, 3].map(|index| parsed.uses(index))),
        Err(wrongs) => {
            for wrong in wrongs {
                assert!(input.get(wrong.at.clone()).is_some(), "{:?} is no part of {input:?}", wrong.at);
                shape.message(&wrong.message);
            }
        }
    }
    shape
}

/// A record with fields as those of new processes.
struct Process;

impl Record for Process {
    fn provider(&self) -> &str {
        "Microsoft-Windows-Security-Auditing"
    }

    fn event_id(&self) -> u32 {
        4688
    }

    fn channel(&self) -> Option<&str> {
        Some("Security")
    }

    fn computer(&self) -> Option<&str> {
        Some("PC-1")
    }

    fn time(&self) -> Option<Timestamp> {
        None
    }

    fn fields(&self) -> Box<dyn Iterator<Item = (Option<&str>, &str)> + '_> {
        let fields = [
            (Some("NewProcessName"), r"C:\Windows\System32\cmd.exe"),
            (Some("CommandLine"), "cmd /c whoami –enc SQBFAFgA 10.0.0.1"),
            (None, "positional"),
        ];
        Box::new(fields.into_iter())
    }

    fn head(&self, part: &str) -> Option<Option<Cow<'_, str>>> {
        (part == "Level").then_some(Some(Cow::Borrowed("4")))
    }
}

fn sigma_rule(input: &[u8]) -> Shape {
    let rules = SigmaRules::of_text("fuzzed.yml", &text(input));
    let mut shape = Shape::default();
    shape.value((rules.len(), rules.matches(&Process, &Names::default()).len()));
    for entry in rules.entries() {
        shape.message(&entry.reason.as_deref().unwrap_or_default());
    }
    shape
}

fn sigma_files() -> Vec<Vec<u8>> {
    static RULE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        b"title: A shell\nid: 3f1d0e7c-0000-4000-8000-000000000001\nlogsource: {product: windows, service: security}\ndetection:\n  \
          selection:\n    EventID: 4688\n    NewProcessName|endswith: '\\cmd.exe'\n    CommandLine|contains|all: ['/c', whoami]\n  \
          filter:\n    CommandLine|re: '(?i)ping +\\d+'\n  net:\n    CommandLine|cidr: 10.0.0.0/8\n  condition: selection and not 1 of \
          filter* or net\nlevel: high\n"
            .to_vec()
    });
    let mut files = seeds::project_files("scripts/golden/files", &[".yml"]);
    files.push(RULE.clone());
    files
}
