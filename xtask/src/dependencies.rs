//! The page about the packages that the workspace depends on directly: why each is there, who keeps it, when it last moved.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// The page below the project's folder.
const PAGE: &str = "docs/dependencies.md";
/// The line before the table of packages, and the line behind the page's generated part.
const BEGIN: &str = "<!-- `cargo xtask dependencies` writes all columns of this table but the last. -->";
const END: &str = "<!-- End of what is written. -->";

/// What `cargo metadata` says of the workspace.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    /// The packages: those of the workspace, and unless they were left out all others.
    pub packages: Vec<Package>,
    /// Which package depends on which; absent where other packages were left out.
    pub resolve: Option<Resolve>,
}

/// A package.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// Its id in the metadata.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence as an SPDX expression.
    pub license: Option<String>,
    /// A sentence about it.
    pub description: Option<String>,
    /// Where its source is kept.
    pub repository: Option<String>,
    /// Where it is from; `None` for packages of the workspace.
    pub source: Option<String>,
    /// The packages that it asks for.
    pub dependencies: Vec<Asked>,
}

/// A package that another one asks for.
#[derive(Debug, Deserialize)]
pub struct Asked {
    /// Its name in the registry.
    pub name: String,
    /// `None` for what is linked, `dev` for tests, `build` for build scripts.
    pub kind: Option<String>,
    /// Its folder; `None` for packages of a registry.
    pub path: Option<String>,
}

/// The graph of packages.
#[derive(Debug, Deserialize)]
pub struct Resolve {
    /// A node for each package.
    pub nodes: Vec<Node>,
}

/// A package with those that it uses.
#[derive(Debug, Deserialize)]
pub struct Node {
    /// The package's id.
    pub id: String,
    /// The packages that it uses.
    pub deps: Vec<Used>,
}

/// A package that is used.
#[derive(Debug, Deserialize)]
pub struct Used {
    /// Its id.
    pub pkg: String,
    /// What for.
    pub dep_kinds: Vec<UsedFor>,
}

/// What a package is used for.
#[derive(Debug, Deserialize)]
pub struct UsedFor {
    /// As in [`Asked`].
    pub kind: Option<String>,
}

/// Asks cargo about the workspace.
pub fn metadata(folder: &Path, options: &[&str]) -> Result<Metadata, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let asked =
        Command::new(cargo).args(["metadata", "--format-version", "1"]).args(options).current_dir(folder).output();
    let output = asked.map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// The packages of registries that packages of the workspace ask for, with whether the program is made of them: what only tests
/// and tools use is not.
fn direct(metadata: &Metadata) -> BTreeMap<&str, bool> {
    let mut all = BTreeMap::new();
    for package in &metadata.packages {
        let is_tool = ["casekit", "fuzz", "samplekit", "xtask"].contains(&package.name.as_str());
        for asked in package.dependencies.iter().filter(|asked| asked.path.is_none()) {
            let in_program = !is_tool && asked.kind.is_none();
            *all.entry(asked.name.as_str()).or_insert(false) |= in_program;
        }
    }
    all
}

/// A package in `Cargo.lock`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Locked {
    /// Its version.
    pub version: String,
    /// The SHA-256 of its archive in the registry.
    pub checksum: Option<String>,
}

/// The packages in `Cargo.lock`, by name, each version.
pub fn locked(folder: &Path) -> Result<BTreeMap<String, Vec<Locked>>, String> {
    let path = folder.join("Cargo.lock");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut all: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
    for package in text.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|line| line.strip_suffix('"')).map(str::to_owned)
        };
        let (Some(name), Some(version)) = (value("name"), value("version")) else { continue };
        all.entry(name).or_default().push(Locked { version, checksum: value("checksum") });
    }
    Ok(all)
}

/// The day on which a version was published, by the copy of the registry's index that cargo keeps; `None` where the copy does
/// not say it.
fn published(name: &str, version: &str) -> Option<String> {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let folder = match name.len() {
        1 | 2 => name.len().to_string(),
        3 => format!("3/{}", name.get(..1)?),
        _ => format!("{}/{}", name.get(..2)?, name.get(2..4)?),
    };
    let indices = fs::read_dir(home.join("registry/index")).ok()?.filter_map(Result::ok);
    let mut entries = indices.map(|index| index.path().join(".cache").join(&folder).join(name));
    let bytes = entries.find_map(|entry| fs::read(entry).ok())?;
    // Records of the cache are separated by NUL: a version, and its line of the index.
    let mut records = bytes.split(|byte| *byte == 0).filter_map(|record| std::str::from_utf8(record).ok());
    records.find(|record| *record == version)?;
    #[derive(Deserialize)]
    struct Line {
        pubtime: Option<String>,
    }
    let line: Line = serde_json::from_str(records.next()?).ok()?;
    line.pubtime?.get(..10).map(str::to_owned)
}

/// The last cell of each row of the page's table, by the name in the first.
fn reasons(page: &str) -> BTreeMap<String, String> {
    let table = page.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map_or("", |(table, _)| table);
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        Some((cells.first()?.trim_matches('`').to_owned(), cells.last()?.trim_matches('|').trim().to_owned()))
    })
    .collect()
}

/// The owner of a repository, as its address has it.
fn keeper(repository: Option<&str>) -> String {
    let Some(address) = repository else { return "not stated".to_owned() };
    let shown = address.trim_start_matches("https://").trim_end_matches('/').trim_end_matches(".git");
    let mut parts = shown.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(host), Some(owner), Some(name)) => format!("[{owner}/{name}](https://{host}/{owner}/{name})"),
        _ => shown.to_owned(),
    }
}

/// Writes the page's table; reasons that are there are kept, and missing ones are reported.
pub fn write(folder: &Path) -> Result<String, String> {
    let path = folder.join(PAGE);
    let page = fs::read_to_string(&path).map_err(|error| format!("{PAGE}: {error}"))?;
    let metadata = metadata(folder, &["--locked", "--all-features"])?;
    let workspace = Metadata {
        packages: metadata
            .packages
            .iter()
            .filter(|package| package.source.is_none())
            .map(Package::without_metadata)
            .collect(),
        resolve: None,
    };
    let (reasons, locked) = (reasons(&page), locked(folder)?);
    let mut table = String::from(
        "\n\n| package | version | released | kept in | in the program | why it is there |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    let mut missing = Vec::new();
    for (name, in_program) in direct(&workspace) {
        let versions = locked.get(name).map(Vec::as_slice).unwrap_or_default();
        let newest = versions.last().cloned().unwrap_or_default();
        let package =
            metadata.packages.iter().find(|package| package.name == name && package.version == newest.version);
        let keeper = keeper(package.and_then(|package| package.repository.as_deref()));
        let released = published(name, &newest.version).unwrap_or_else(|| "not known".to_owned());
        let reason = reasons.get(name).cloned().unwrap_or_default();
        if reason.is_empty() {
            missing.push(name);
        }
        let program = if in_program { "yes" } else { "no" };
        let _ = writeln!(table, "| `{name}` | {} | {released} | {keeper} | {program} | {reason} |", newest.version);
    }
    let (before, rest) = page.split_once(BEGIN).ok_or("the page lacks the line before its table")?;
    let (_, after) = rest.split_once(END).ok_or("the page lacks the line behind its table")?;
    fs::write(&path, format!("{before}{BEGIN}{table}\n{END}{after}")).map_err(|error| format!("{PAGE}: {error}"))?;
    if missing.is_empty() { Ok(format!("{PAGE} is written")) } else { Err(format!("say why: {}", missing.join(", "))) }
}

/// Checks that the page lists exactly the direct dependencies, with their versions, and says why each is there.
pub fn check(folder: &Path) -> Result<String, String> {
    let page = fs::read_to_string(folder.join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let metadata = metadata(folder, &["--no-deps", "--offline"])?;
    let (direct, reasons, locked) = (direct(&metadata), reasons(&page), locked(folder)?);
    let (wanted, listed): (BTreeSet<&str>, BTreeSet<&str>) =
        (direct.keys().copied().collect(), reasons.keys().map(String::as_str).collect());
    let mut wrong: Vec<String> = wanted.difference(&listed).map(|name| format!("{name} is not listed")).collect();
    wrong.extend(listed.difference(&wanted).map(|name| format!("{name} is no direct dependency")));
    wrong.extend(reasons.iter().filter(|(_, why)| why.is_empty()).map(|(name, _)| format!("{name}: why is it there?")));
    for (name, in_program) in &direct {
        let newest = locked.get(*name).and_then(|versions| versions.last()).map_or("", |locked| &locked.version);
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` | {newest} |")));
        let program = if *in_program { " | yes | " } else { " | no | " };
        if !row.is_some_and(|row| row.contains(program)) {
            wrong.push(format!("{name} {newest}: its row is old"));
        }
    }
    if wrong.is_empty() {
        return Ok(format!("{} direct dependencies", direct.len()));
    }
    wrong.push("run `cargo xtask dependencies`".to_owned());
    Err(wrong.join("\n"))
}

impl Package {
    /// The package's name and what it asks for.
    fn without_metadata(&self) -> Self {
        let asked =
            |asked: &Asked| Asked { name: asked.name.clone(), kind: asked.kind.clone(), path: asked.path.clone() };
        Self {
            id: self.id.clone(),
            name: self.name.clone(),
            version: self.version.clone(),
            license: None,
            description: None,
            repository: None,
            source: None,
            dependencies: self.dependencies.iter().map(asked).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_exactly_the_direct_dependencies() {
        let outcome = check(&crate::project_folder());
        assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }

    #[test]
    fn owners_are_those_of_addresses() {
        assert_eq!(keeper(Some("https://github.com/a/b.git")), "[a/b](https://github.com/a/b)");
        assert_eq!(keeper(Some("https://github.com/a/b/tree/main/c")), "[a/b](https://github.com/a/b)");
        assert_eq!(keeper(None), "not stated");
    }
}
