//! `crashsift rules pages`: a page for every rule, generated from the rule.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::program::{Run, run};
use rules::RuleSet;

fn pages(folder: &Path, options: &[&str]) -> Run {
    let folder = folder.to_string_lossy();
    run(["rules", "pages", &folder].iter().chain(options))
}

/// Every file below a folder, by its path with `/`.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.expect("an entry")) {
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).expect("below the folder");
            let path = path.to_string_lossy().replace('\\', "/");
            files.insert(path, fs::read_to_string(entry.path()).expect("a text"));
        }
    }
    files
}

/// The targets of a page's links to other pages.
fn links(page: &str, text: &str) -> Vec<String> {
    let folder = Path::new(page).parent().expect("a folder");
    let mut fenced = false;
    let prose = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    let targets = prose.flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split_once(')'));
    let targets = targets.map(|(target, _)| target).filter(|target| target.ends_with(".md"));
    targets
        .map(|target| {
            let mut path: Vec<&str> =
                folder.to_str().expect("UTF-8").split('/').filter(|part| !part.is_empty()).collect();
            for part in target.split('/') {
                if part == ".." {
                    path.pop().expect("a folder above");
                } else {
                    path.push(part);
                }
            }
            path.join("/")
        })
        .collect()
}

#[test]
fn every_built_in_rule_has_a_page_and_every_link_leads_to_one() {
    let folder = tempfile::tempdir().expect("a folder");
    pages(folder.path(), &[]).ends_with(0);
    let files = files(folder.path());
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut led_to: Vec<String> = Vec::new();
    for (page, text) in &files {
        let links = links(page, text);
        for link in &links {
            assert!(files.contains_key(link), "{page} leads to {link}");
        }
        led_to.extend(links);
    }
    for rule in rules.rules() {
        let page = format!("{}.md", rule.id());
        let text = files.get(&page).expect("a page");
        assert!(led_to.contains(&page), "{page}");
        for part in
            ["## Why\n", "## What to do\n", "## What it matches\n", "## What it is not\n", "## Where this is from\n"]
        {
            assert!(text.contains(part), "{page}: {part}");
        }
        assert!(
            text.contains(&format!("| `{}` | [{}](../causes/{}.md)", rule.id(), rule.cause(), rule.cause())),
            "{page}"
        );
        for reference in rule.references() {
            assert!(text.contains(reference.as_str()), "{page}: {reference}");
        }
        for example in rule.examples() {
            assert!(text.contains("```yaml\n") && !example.name.is_empty(), "{page}");
        }
    }
    assert_eq!(files.keys().filter(|page| page.starts_with("causes/")).count(), {
        let mut causes: Vec<&str> = rules.rules().iter().map(|rule| rule.cause()).collect();
        causes.sort_unstable();
        causes.dedup();
        causes.len()
    });
}

#[test]
fn a_page_has_the_texts_of_the_rule_with_the_facts_of_its_example() {
    let folder = tempfile::tempdir().expect("a folder");
    pages(folder.path(), &["--no-builtin-rules", "-r", "tests/rule_sets/demo"]).ends_with(0);
    let files = files(folder.path());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["README.md", "causes/gpu-timeout.md", "causes/injected-module.md", "demo/hooked.md", "demo/many-resets.md"]
    );
    let hooked = &files["demo/hooked.md"];
    assert!(hooked.contains("# A hook is loaded in a process that crashed\n"), "{hooked}");
    assert!(!hooked.contains("{{ process"), "{hooked}");
    assert!(hooked.contains("| `modules` |") && hooked.contains("a minidump or Report.wer"), "{hooked}");
    assert!(hooked.contains("## What is not enough to tell\n\nModules are not known\n"), "{hooked}");
}

#[test]
fn pages_are_written_anew_and_nothing_else_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let demo = ["--no-builtin-rules", "-r", "tests/rule_sets/demo"];
    pages(folder.path(), &[]).ends_with(0);
    fs::write(folder.path().join("memory/notes.md"), "# Mine\n").expect("a file");
    let before = files(folder.path());
    pages(folder.path(), &[]).ends_with(0);
    assert_eq!(files(folder.path()), before);

    // Pages of removed rules are removed.
    pages(folder.path(), &demo).ends_with(0);
    let left: Vec<String> = files(folder.path()).into_keys().collect();
    assert!(left.contains(&"memory/notes.md".to_owned()) && left.len() == 6, "{left:?}");

    fs::write(folder.path().join("README.md"), "# Ours\n").expect("a file");
    let before = files(folder.path());
    let refused = pages(folder.path(), &[]).ends_with(2);
    assert!(refused.stderr.contains("README.md: no page of crashsift"), "{refused:#?}");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn changes_by_other_sets_are_on_a_rules_page_and_do_not_change_its_texts() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site.yaml");
    fs::write(
        &site,
        "schema: 1\ndisable:\n  - {rule: demo/hooked, reason: Known.}\nsuppress:\n  - {rule: demo/many-resets, reason: Known.}\n",
    )
    .expect("written");
    let to = folder.path().join("pages");
    let demo = ["--no-builtin-rules", "-r", "tests/rule_sets/demo", "-r", &site.to_string_lossy()];
    pages(&to, &demo).ends_with(0);
    let files = files(&to);
    let hooked = &files["demo/hooked.md"];
    assert!(hooked.contains("Disabled by site: Known.") && hooked.contains("As it says of the example"), "{hooked}");
    let said = hooked.split("## What it matches").next().expect("a part");
    assert!(!said.contains('{'), "{hooked}");
    let resets = &files["demo/many-resets.md"];
    assert!(resets.contains("Suppressed by site: Known.") && resets.contains("As it says of the example"), "{resets}");
    let first = &files["README.md"];
    assert!(
        first.contains("- demo 1.2 (2 rules, 1 list)\n- site 0 (0 rules, 1 suppression, 1 rule disabled)\n"),
        "{first}"
    );
}
