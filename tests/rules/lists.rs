//! The data lists that decide which module of a stack is the suspect, and the examples of lists of lines.

use std::fs;
use std::path::Path;

use rules::RuleSet;

/// The lists of which a module may be in only one.
const ROLES: [&str; 7] = ["carriers", "injected", "overlays", "prefixes", "security", "sentinels", "windows-drivers"];
/// A sentinel is also a carrier: on an unwound stack the search goes on beyond it.
const BOTH: [&str; 2] = ["carriers", "sentinels"];

/// The names and patterns of a list, as its file writes them.
fn entries(list: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/data").join(format!("{list}.yaml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let entry = |line: &str| {
        let line = line.trim().strip_prefix("- {")?;
        let value = line.strip_prefix("name: ").or_else(|| line.strip_prefix("like: "))?;
        Some(value.split(", why:").next()?.trim_matches('\'').to_owned())
    };
    let entries: Vec<String> = text.lines().filter_map(entry).collect();
    assert!(!entries.is_empty(), "{list} has entries");
    entries
}

#[test]
fn a_list_names_nothing_twice() {
    for list in ROLES {
        let mut entries = entries(list);
        entries.sort_unstable();
        let count = entries.len();
        entries.dedup();
        assert_eq!(entries.len(), count, "{list}");
    }
}

#[test]
fn a_module_has_one_role() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules are right");
    for list in ROLES {
        for entry in entries(list) {
            // A name that the pattern fits.
            let name = entry.replace('*', "x").replace('?', "6");
            for (_, other) in rules.lists().filter(|(_, other)| ROLES.contains(&other.name())) {
                let allowed = other.name() == list || BOTH.contains(&list) && BOTH.contains(&other.name());
                assert!(allowed || !other.has(&name), "{entry} of {list} is in {}, too", other.name());
            }
        }
    }
}

#[test]
fn every_entry_is_found_by_its_name() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules are right");
    for list in ROLES {
        let (_, loaded) = rules.lists().find(|(_, loaded)| loaded.name() == list).expect("the list is loaded");
        for entry in entries(list) {
            assert!(loaded.has(&entry.replace('*', "x").replace('?', "6").to_uppercase()), "{entry} of {list}");
        }
    }
}

#[test]
fn every_list_of_lines_is_found_in_its_examples() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules are right");
    let outcome = rules.run_examples(true);
    assert!(outcome.failed.is_empty(), "{:#?}", outcome.failed);
    assert!(outcome.lists > 900, "{} lists", outcome.lists);
}
