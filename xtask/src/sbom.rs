//! The bill of materials of the program (CycloneDX 1.6, JSON): every package that is linked into it or that a build script of
//! it uses, with its checksum, licence and what it depends on. Equal lock files give equal bytes: there is no time in it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use serde_json::{Value, json};

use crate::dependencies::{Locked, Metadata, Package, locked, metadata};

/// The package whose materials are listed.
const PROGRAM: &str = "crashsift";

/// The document.
pub fn document(folder: &Path) -> Result<String, String> {
    let metadata = metadata(folder, &["--locked"])?;
    let document = of(&metadata, &locked(folder)?)?;
    serde_json::to_string_pretty(&document).map_err(|error| error.to_string())
}

fn of(metadata: &Metadata, locked: &BTreeMap<String, Vec<Locked>>) -> Result<Value, String> {
    let packages: BTreeMap<&str, &Package> =
        metadata.packages.iter().map(|package| (package.id.as_str(), package)).collect();
    let uses = uses(metadata)?;
    let program = metadata.packages.iter().find(|package| package.name == PROGRAM && package.source.is_none());
    let program = program.ok_or("the program's package is missing")?;
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut next = VecDeque::from([program.id.as_str()]);
    while let Some(id) = next.pop_front() {
        if reached.insert(id) {
            next.extend(uses.get(id).into_iter().flatten());
        }
    }
    let mut of_program: Vec<&Package> = reached.iter().filter_map(|id| packages.get(id).copied()).collect();
    of_program.sort_by_key(|package| (&package.name, &package.version));
    let reference = |id: &str| packages.get(id).map(|package| address(package));
    let components = of_program.iter().filter(|package| package.id != program.id);
    let components: Vec<Value> = components.map(|package| component(package, "library", locked)).collect();
    let dependencies: Vec<Value> = of_program
        .iter()
        .map(|package| {
            let used: BTreeSet<String> =
                uses.get(package.id.as_str()).into_iter().flatten().filter_map(|id| reference(id)).collect();
            json!({"ref": address(package), "dependsOn": used})
        })
        .collect();
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component(program, "application", locked)},
        "components": components,
        "dependencies": dependencies,
    }))
}

/// The packages that each package is built of: without those that only tests use.
fn uses(metadata: &Metadata) -> Result<BTreeMap<&str, BTreeSet<&str>>, String> {
    let resolve = metadata.resolve.as_ref().ok_or("cargo metadata has no graph")?;
    let of = |node: &'_ crate::dependencies::Node| -> Vec<String> {
        let built =
            node.deps.iter().filter(|used| used.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev")));
        built.map(|used| used.pkg.clone()).collect()
    };
    let known: BTreeMap<&str, &str> =
        metadata.packages.iter().map(|package| (package.id.as_str(), package.id.as_str())).collect();
    let all = resolve.nodes.iter().map(|node| {
        let used = of(node).iter().filter_map(|id| known.get(id.as_str()).copied()).collect();
        (node.id.as_str(), used)
    });
    Ok(all.collect())
}

/// A package's address (purl), by which the document refers to it.
fn address(package: &Package) -> String {
    // The version of a pre-release or build can contain `+`, which an address must not.
    format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B"))
}

fn component(package: &Package, kind: &str, locked: &BTreeMap<String, Vec<Locked>>) -> Value {
    let versions = locked.get(&package.name).map(Vec::as_slice).unwrap_or_default();
    let own = versions.iter().find(|locked| locked.version == package.version);
    let mut component = json!({
        "type": kind,
        "bom-ref": address(package),
        "name": package.name,
        "version": package.version,
        "purl": address(package),
    });
    if let Some(description) = &package.description {
        component["description"] = description.trim().into();
    }
    if let Some(license) = &package.license {
        // Cargo also takes `/` for `OR`, which SPDX does not.
        component["licenses"] = json!([{"expression": license.replace('/', " OR ")}]);
    }
    if let Some(checksum) = own.and_then(|locked| locked.checksum.as_ref()) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dependencies::{Node, Resolve, Used, UsedFor};

    #[test]
    fn what_only_tests_use_is_no_material() {
        let package = |name: &str, source: Option<&str>| Package {
            id: name.to_owned(),
            name: name.to_owned(),
            version: "1.0.0+x".to_owned(),
            license: Some("MIT/Apache-2.0".to_owned()),
            description: None,
            repository: None,
            source: source.map(str::to_owned),
            dependencies: Vec::new(),
        };
        let used = |name: &str, kind: Option<&str>| Used {
            pkg: name.to_owned(),
            dep_kinds: vec![UsedFor { kind: kind.map(str::to_owned) }],
        };
        let metadata = Metadata {
            packages: vec![package(PROGRAM, None), package("linked", Some("r")), package("tested", Some("r"))],
            resolve: Some(Resolve {
                nodes: vec![
                    Node { id: PROGRAM.to_owned(), deps: vec![used("linked", None), used("tested", Some("dev"))] },
                    Node { id: "linked".to_owned(), deps: Vec::new() },
                ],
            }),
        };
        let locked = BTreeMap::from([(
            "linked".to_owned(),
            vec![Locked { version: "1.0.0+x".to_owned(), checksum: Some("ab".to_owned()) }],
        )]);
        let document = of(&metadata, &locked).expect("a document");
        let components = document["components"].as_array().expect("a list");
        assert_eq!(components.len(), 1);
        assert_eq!(components[0]["purl"], "pkg:cargo/linked@1.0.0%2Bx");
        assert_eq!(components[0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(components[0]["hashes"][0]["content"], "ab");
        assert_eq!(document["dependencies"][0]["dependsOn"][0], "pkg:cargo/linked@1.0.0%2Bx");
    }
}
