//! The JSON output of commands about rules, and its description in `docs/rules.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::program::{self, run};
use serde_json::Value;

/// The paths of all keys, without the numbers of places in lists.
fn add_keys(value: &Value, above: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let path = format!("{above}.{key}");
                // Entries have the fields that `rules facts` lists.
                if !path.ends_with("fit") && !path.ends_with("fits") {
                    add_keys(value, &path, keys);
                }
                keys.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_keys(item, &format!("{above}[]"), keys)),
        _ => {}
    }
}

#[test]
fn every_key_that_is_printed_is_described() {
    let described = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md")).expect("a text");
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site.yaml");
    let overlay = "schema: 1\n\
        override: [{rule: memory/stack-overflow, reason: Known., confidence: 0.5}]\n\
        disable: [{rule: interference/overlay-on-stack, reason: Known.}]\n\
        suppress:\n\
        - {rule: cudnn/zlibwapi-delay-load, reason: Known., until: 2024-01-01}\n\
        - {rule: memory/heap-corruption, reason: Known.}\n";
    fs::write(&site, overlay).expect("written");
    let site = site.to_str().expect("text");
    let sigma = folder.path().join("sigma.yml");
    fs::write(&sigma, "title: Broken\nid: b\nlevel: high\n").expect("written");
    let sigma = format!("sigma:{}", sigma.to_str().expect("text"));
    let mut wrong = Vec::new();
    for command in [
        "rules list -r SITE -r SIGMA",
        "rules show memory/stack-overflow interference/overlay-on-stack cudnn/zlibwapi-delay-load -r SITE",
        "rules facts",
        "rules causes",
        "rules diff builtin SITE samples/stack-overflow samples/delay-load-zlibwapi samples/heap-corruption",
        "why cudnn/zlibwapi-delay-load samples/delay-load-zlibwapi --rules SITE",
        "why memory/heap-corruption samples/heap-corruption --rules SITE",
        "why memory/stack-overflow samples/cut-dump",
    ] {
        let given = |word| match word {
            "SITE" => site,
            "SIGMA" => &*sigma,
            word => word,
        };
        let arguments = command.split(' ').map(given).chain(["-f", "json"]);
        let mut keys = BTreeSet::new();
        add_keys(&run(arguments).ends_with(0).json(), "", &mut keys);
        assert!(keys.len() > 8, "{command}: {keys:?}");
        let is_described = |path: &&String| {
            let key = path.rsplit('.').next().unwrap_or_default();
            described.contains(&format!("`{key}`")) || described.contains(&format!(".{key}`"))
        };
        wrong.extend(keys.iter().filter(|path| !is_described(path)).map(|path| format!("{command}: {path}")));
    }
    assert_eq!(wrong, [""; 0]);
}

/// For a missing fact, `from` must name every kind of artifact that provides it.
#[test]
fn what_brings_a_fact_is_every_kind_of_artifact_that_does() {
    let document = run(["rules", "facts", "-f", "json"]).ends_with(0).json();
    let path_and_from = |fact: &Value| {
        let path = fact.get("path").or(fact.get("name")).and_then(Value::as_str).expect("a path").to_owned();
        (path, fact["from"].as_str().expect("a text").to_owned())
    };
    let facts = program::list(&document, "facts").iter().chain(program::list(&document, "lists"));
    let from: BTreeMap<String, String> = facts.map(path_and_from).collect();
    let names = |kind: &str| -> &[&str] {
        match kind {
            "minidump" => &["a minidump", "a dump"],
            "kernel-dump" => &["a kernel dump", "a dump"],
            "event-log" => &["event log", "event 10", "exit monitoring"],
            "wer-report" => &["Report.wer", "WERInternalMetadata.xml"],
            _ => &["text", "the output of"],
        }
    };
    let (mut wrong, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for sample in fs::read_dir("samples").expect("the samples").filter_map(Result::ok) {
        let inspected = run([Path::new("inspect"), Path::new("-f"), Path::new("json"), &sample.path()]);
        // Some have no incident.
        let Ok(document) = serde_json::from_str::<Value>(&inspected.stdout) else { continue };
        let kind = |path: &Value| {
            let artifact = program::list(&document, "artifacts").iter().find(|artifact| artifact["path"] == *path);
            artifact.expect("an artifact")["kind"].as_str().expect("a word").to_owned()
        };
        for incident in program::list(&document, "incidents") {
            let kinds: BTreeSet<String> =
                program::list(incident, "evidence").iter().map(|item| kind(&item["artifact"])).collect();
            let [kind] = &*kinds.into_iter().collect::<Vec<_>>() else { continue };
            for (fact, value) in incident["facts"].as_object().expect("facts") {
                let from = &from[fact];
                // These come from the other incidents; and the text of a dump is its comment.
                let others = from.contains("any artifact") || from.starts_with("evidence that") || fact == "timeline";
                if others || *value == Value::Array(Vec::new()) || (fact == "text" && kind != "ticket") {
                    continue;
                }
                seen.insert(kind.clone());
                if !names(kind).iter().any(|name| from.contains(name)) {
                    wrong.insert(format!("{fact}: {from}, and {kind}"));
                }
            }
        }
    }
    let readable = ["event-log", "kernel-dump", "minidump", "ticket", "wer-report"];
    assert!(seen.iter().eq(readable), "kinds of artifacts in samples: {seen:?}");
    assert_eq!(wrong, BTreeSet::new());
}

#[test]
fn the_example_of_a_ruleset_yaml_is_one() {
    let readme = fs::read_to_string("rules/README.md").expect("a text");
    let example = readme.split("```yaml\n").find(|part| part.starts_with("name: ")).expect("an example");
    let example = example.split("```").next().expect("an end");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ruleset.yaml"), example).expect("written");
    fs::create_dir(folder.path().join("memory")).expect("a folder");
    fs::copy("tests/rule_sets/own/stack-overflow.yaml", folder.path().join("memory/own.yaml")).expect("copied");
    let listed = run(["rules", "list", "--set", "helpdesk", "-r", folder.path().to_str().expect("text")]).ends_with(0);
    assert!(listed.stdout.contains("memory/own-stack-overflow") && listed.stderr.is_empty(), "{listed:#?}");
    let analyzed =
        ["analyze", "-q", "-f", "json", "-r", folder.path().to_str().expect("text"), "samples/stack-overflow"];
    let sets = &run(analyzed).ends_with(0).json()["rulesets"];
    assert!(
        program::list(&serde_json::json!({"sets": sets}), "sets").iter().any(|set| set["version"] == "2026.3"),
        "{sets}"
    );
}
