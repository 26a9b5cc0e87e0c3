//! Every mistake in `tests/broken_rules/` must be reported, at its position and with its code, and nothing else.
//!
//! A file's first line lists its mistakes: `# R0xx LINE:COLUMN`, several separated by commas. Files in
//! `sets/NAME/` are loaded as one rule set; files there without such a line are fine.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, date};
use rules::RuleSet;
use spanned_yaml::{Code, Diagnostic};
use untrusted::display_path;

/// The day on which the rules are checked.
const TODAY: Date = date(2027, 1, 31);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken_rules")
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn files_below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        vec![path.to_owned()]
    } else {
        children(path).iter().flat_map(|path| files_below(path)).collect()
    }
}

/// `FILE CODE LINE:COLUMN` for every mistake that the first lines of a file, or of a set's files, list.
fn announced(path: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for file in files_below(path) {
        let text = fs::read_to_string(&file).expect("a text");
        let first = text.lines().next().unwrap_or_default();
        let Some(mistakes) = first.strip_prefix("# ") else { continue };
        all.extend(mistakes.split(", ").map(|mistake| format!("{} {mistake}", display_path(&file))));
    }
    all.sort();
    all
}

fn reported(diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut all: Vec<String> =
        diagnostics.iter().map(|d| format!("{} {} {}:{}", d.file.name, d.code, d.span.line, d.span.column)).collect();
    all.sort();
    all
}

/// The output of `rules check` for rules without errors.
fn warnings(path: &Path) -> Vec<Diagnostic> {
    let checked = RuleSet::check(&[path.to_owned()], Some(TODAY)).expect("rules without errors");
    let own = checked.warnings().iter().filter(|warning| !warning.file.name.starts_with("builtin/"));
    own.cloned().collect()
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    let sets = folder().join("sets");
    let files = children(&folder()).into_iter().filter(|path| *path != sets);
    let mut wrong = String::new();
    let mut count = 0;
    for path in files.chain(children(&sets)) {
        count += 1;
        let found = match RuleSet::load(false, std::slice::from_ref(&path)) {
            Ok(_) => warnings(&path),
            Err(found) => found,
        };
        let (expected, got) = (announced(&path), reported(&found));
        if expected != got {
            let shown: Vec<String> = found.iter().map(|mistake| mistake.render(false)).collect();
            wrong.push_str(&format!("\nexpected {expected:#?}\ngot {got:#?}\n{}\n", shown.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 25, "only {count} broken rules");
}

/// `cargo xtask codes` writes the table.
#[test]
fn every_code_is_described_for_rule_authors() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/README.md")).expect("a text");
    let made = Code::on_page(&readme).expect("a table of codes");
    let wrong: Vec<&str> = made.lines().filter(|line| !readme.lines().any(|written| written == *line)).collect();
    assert!(made == readme, "run `cargo xtask codes`: {wrong:#?}");
}

/// Codes that no file in `tests/broken_rules/` can have, with the test that covers them.
const ELSEWHERE: [(Code, &str); 7] = [
    (Code::R001, "engine::sets::a_missing_path_and_a_folder_without_rules_are_mistakes"),
    (Code::R066, "crates/rules, tool::tests"),
    (Code::R076, "commands::rules_test_folders"),
    (Code::R077, "commands::rules_test_folders"),
    (Code::R081, "overlays"),
    (Code::S001, "sigma::loading"),
    (Code::S002, "sigma::loading"),
];

#[test]
fn every_code_has_a_file_with_its_mistake() {
    let announced = announced(&folder());
    let has_file = |code: Code| announced.iter().any(|mistake| mistake.split(' ').nth(1) == Some(code.id));
    let untested: Vec<Code> =
        Code::all().filter(|code| !has_file(*code) && !ELSEWHERE.iter().any(|(known, _)| known == code)).collect();
    assert_eq!(untested, []);
    let needless: Vec<Code> = ELSEWHERE.into_iter().map(|(code, _)| code).filter(|code| has_file(*code)).collect();
    assert_eq!(needless, []);
}

#[test]
fn every_mistake_has_the_level_of_the_registry() {
    let sets = folder().join("sets");
    for path in children(&folder()).into_iter().filter(|path| *path != sets).chain(children(&sets)) {
        let found = match RuleSet::load(false, std::slice::from_ref(&path)) {
            Ok(_) => warnings(&path),
            Err(found) => found,
        };
        assert!(found.iter().all(|mistake| mistake.level == mistake.code.level), "{found:#?}");
    }
}

#[test]
fn every_mistake_can_be_shown_in_color() {
    let sets = folder().join("sets");
    for path in children(&folder()).into_iter().filter(|path| *path != sets) {
        for mistake in RuleSet::load(false, std::slice::from_ref(&path)).err().into_iter().flatten() {
            assert!(!mistake.message.ends_with('.'), "{mistake}");
            assert!(mistake.render(true).contains(mistake.code.id), "{mistake}");
        }
    }
}
