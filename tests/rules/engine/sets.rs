//! Rule sets: their sources, and files with mistakes.

use std::fs;
use std::path::{Path, PathBuf};

use rules::RuleSet;
use spanned_yaml::Code;

use super::{demo, hooked, rule_with, tests_of};

#[test]
fn rule_sets_show_their_sources() {
    let rules = demo();
    let infos: Vec<_> = rules.infos().into_iter().map(|info| (info.name, info.version, info.rules)).collect();
    assert_eq!(infos, [("demo".to_owned(), "1.2".to_owned(), 2)]);
    let rule = rules.rule("demo/hooked").expect("a rule");
    assert_eq!((rule.area(), rule.line(), rule.is_embedded()), ("demo", 3, false));
    assert!(rules.lists().any(|(set, list)| set == "demo" && list.has(r"C:\INJECT01.dll") && !list.has("inject.dll")));
}

#[test]
fn a_folder_named_builtin_takes_the_place_of_the_built_in_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("ruleset.yaml", "name: builtin\nversion: '9'\nlicence: MIT\n");
    write(
        "causes.yaml",
        "schema: 1\nfamilies: {f: {short: f, means: x}}\ncauses: {application-defect: {family: f, means: z}}\n",
    );
    let tests = "      - {name: y, facts: {os.build: 1}, expect: match}\n      - {name: n, facts: {os.build: 2}, \
                 expect: no-match}";
    write("rule.yaml", &rule_with("      it: {os.build: 1}", "it", tests));
    let rules = RuleSet::load(true, &[folder.path().to_owned()]).expect("rules");
    assert_eq!(rules.rules().len(), 1);
    assert_eq!(rules.causes().iter().count(), 1);
}

#[test]
fn a_missing_path_and_a_folder_without_rules_are_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = |path: PathBuf| RuleSet::load(true, &[path]).expect_err("a mistake")[0].code;
    assert_eq!(code(folder.path().join("nothing.yaml")), Code::R001);
    assert_eq!(code(folder.path().to_owned()), Code::R064);
}

/// A list of lines is used by name. A list of the folder replaces a built-in list of that name for the folder's own
/// rules.
#[test]
fn texts_are_compared_with_lists_of_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    let selection = "      told:\n        - text|any: {line|contains: needle, line|not_listed: no-cure}\n        - \
                     text|any: {line|listed: no-cure, line|contains: haystack}";
    let tests = tests_of(&[
        ("text: [{line: the needle}]", "match"),
        ("text: [{line: 'the Needle, ages ago'}]", "no-match"),
        ("text: [{line: 'the needle did not help'}]", "match"),
        ("text: [{line: the haystack}]", "no-match"),
        ("text: [{line: 'the haystack, ages ago'}]", "match"),
        ("os.build: 1", "skipped"),
    ]);
    write("rule.yaml", &rule_with(selection, "told", &tests));
    fs::create_dir(folder.path().join("data")).expect("a folder");
    let list =
        "schema: 1\nlist: no-cure\nabout: What is long over.\nlines:\n  - {re: '\\bages ago\\b', why: long over}\n";
    write("data/no-cure.yaml", list);
    let rules = RuleSet::load(true, &[folder.path().to_owned()]).expect("rules");
    assert_eq!(rules.run_tests_of(|rule| rule.id() == "t/rule").failed, []);
    // The built-in rules keep theirs.
    assert_eq!(rules.run_tests_of(|rule| rule.is_embedded()).failed, []);
}

#[test]
fn rules_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&demo());
}

/// Damaged rule files must give diagnostics, never a panic.
#[test]
fn no_mutation_of_a_rule_file_panics() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let seed = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_sets/demo/demo/rules.yaml"));
    let seed = String::from_utf8(seed.expect("a file")).expect("a text").replace("listed: hooks", "like: '*'");
    let lines: Vec<&str> = seed.lines().collect();
    let mut state = 11_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("small") % below
    };
    let marks = ["", "|", ":", "{{", "}}", "{%", "'", "*", "(", "not ", "\u{FEFF}", "ß", "- ", "0x", "all of ", "|all"];
    for _ in 0..400 {
        let mut mutated: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        for _ in 0..=random(3) {
            let line = random(mutated.len());
            match random(4) {
                0 => drop(mutated.remove(line)),
                1 => {
                    let other = mutated[random(mutated.len())].clone();
                    mutated.insert(line, other);
                }
                _ => {
                    let characters: Vec<char> = mutated[line].chars().collect();
                    let at = random(characters.len() + 1);
                    let (before, after) = characters.split_at(at);
                    let cut = random(4).min(after.len());
                    let mark = marks[random(marks.len())];
                    mutated[line] = before.iter().collect::<String>() + mark + &after[cut..].iter().collect::<String>();
                }
            }
        }
        fs::write(&path, mutated.join("\n")).expect("written");
        match RuleSet::load(false, std::slice::from_ref(&path)) {
            Ok(rules) => {
                let _ = rules.judge(&hooked());
                let _ = rules.run_tests();
            }
            Err(mistakes) => assert!(mistakes.iter().all(|mistake| !mistake.render(true).is_empty())),
        }
    }
}
