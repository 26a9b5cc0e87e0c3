//! What commands about rules print for programs, and what `docs/rules.md` says of it.

#![expect(clippy::expect_used, reason = "a test that can't go on fails, and its inputs are known")]

mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use program::run;
use serde_json::Value;

/// The paths of all keys, without the numbers of places in lists.
fn add_keys(value: &Value, above: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let path = format!("{above}.{key}");
                add_keys(value, &path, keys);
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
    let mut wrong = Vec::new();
    for command in [
        "rules list -r SITE",
        "rules show memory/stack-overflow interference/overlay-on-stack cudnn/zlibwapi-delay-load -r SITE",
        "rules facts",
        "rules causes",
        "rules diff builtin SITE samples/stack-overflow samples/delay-load-zlibwapi samples/heap-corruption",
        "why cudnn/zlibwapi-delay-load samples/delay-load-zlibwapi --rules SITE",
        "why memory/heap-corruption samples/heap-corruption --rules SITE",
        "why memory/stack-overflow samples/cut-dump",
    ] {
        let arguments = command.split(' ').map(|word| if word == "SITE" { site } else { word }).chain(["-f", "json"]);
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
