//! Puts the built-in rule set into the crate: every YAML file below `rules/`, under its path in that folder, and what the
//! files say in a form that needs no reading of YAML.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::{env, fs};

use knowledge_tables::table;
use rule_syntax::condition::{self, Condition};
use rule_syntax::needed::{self, Need};
use rule_syntax::prepared::{ListKind, Part, Prepared, PreparedFile, PreparedRule};
use serde::Serialize;
use spanned_yaml::{self as yaml, Diagnostic, Entry, Kind, Node, YamlText};
use walkdir::WalkDir;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let root = PathBuf::from(builtin_rules::FOLDER);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut paths = Vec::new();
    for entry in WalkDir::new(&root) {
        let entry = entry?;
        let is_yaml = entry.path().extension().is_some_and(|extension| extension == "yaml");
        // Cargo is told of the folders too, so that a new file is noticed.
        if entry.file_type().is_dir() || is_yaml {
            println!("cargo::rerun-if-changed={}", entry.path().display());
        }
        paths.extend((!entry.file_type().is_dir() && is_yaml).then(|| entry.into_path()));
    }
    paths.sort();
    let mut files = Vec::new();
    let mut code = String::from("&[\n");
    for path in &paths {
        let relative = path.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        let absolute = path.to_string_lossy();
        let text = fs::read_to_string(path)?;
        // Long tables of names are no part of what rules are checked with, and stand in the program once already.
        if !text.contains("\nnames: |\n") {
            writeln!(code, "    ({relative:?}, include_str!({absolute:?})),")?;
        }
        if text.starts_with('\u{FEFF}') {
            return Err(format!("rules/{relative}: places would not count from the first visible character").into());
        }
        files.push(YamlText::new(relative, text));
    }
    code.push_str("]\n");
    fs::write(out.join("builtin_rules.rs"), code)?;
    let (index, parts) = prepare(&files)?;
    fs::write(out.join("builtin_rules.index"), index)?;
    fs::write(out.join("builtin_rules.parts"), parts)?;
    Ok(())
}

/// Whether a file stands in a folder of rules.
fn has_rules(path: &str) -> bool {
    path.contains('/') && !path.starts_with("data/")
}

/// The path of the file with the rules that are tested in a file, if that holds tests.
fn tested(path: &str) -> Option<String> {
    Some(format!("{}.yaml", path.strip_suffix(".tests.yaml").filter(|_| has_rules(path))?))
}

/// Mistakes as the build shows them.
fn shown(mistakes: &[Diagnostic]) -> Box<dyn Error> {
    mistakes.iter().map(|mistake| mistake.render(false)).collect::<Vec<_>>().join("\n\n").into()
}

/// Rules and data in the form in which the program takes them: the index, and the encoded trees.
fn prepare(files: &[Arc<YamlText>]) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let (mut rules, mut trees, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
    let mut tests_beside = BTreeMap::new();
    for file in files {
        let root = yaml::parse(file).map_err(|mistakes| shown(&mistakes))?;
        let path = file.name.as_str();
        if let Some(stem) = path.strip_prefix("data/").and_then(|name| name.strip_suffix(".yaml")) {
            table::check_top(stem, file, &root, &mut mistakes);
        }
        if let Some(tested) = tested(path) {
            for entry in root.get("tests").and_then(Node::entries).unwrap_or_default() {
                let tests = (path, entry.value.clone());
                tests_beside.insert((tested.clone(), entry.name().to_owned()), tests);
            }
        } else if has_rules(path) {
            let written = root.get("rules").and_then(Node::items).unwrap_or_default();
            rules.extend(written.iter().map(|rule| (path, rule.clone())));
        } else if !path.starts_with("data/") || root.get("list").is_some() {
            trees.push((path, root));
        }
    }
    if !mistakes.is_empty() {
        return Err(shown(&mistakes));
    }
    rules.sort_by(|(_, a), (_, b)| id(a).cmp(id(b)));
    // Parts that are asked for by the same runs stand together.
    let mut parts = Parts::default();
    let files =
        trees.iter().map(|(path, root)| Ok(PreparedFile { path, tree: parts.add(root)?, list: list_kind(root) }));
    let files = files.collect::<Outcome<_>>()?;
    let is_logic = |entry: &Entry| matches!(entry.name(), "selections" | "condition" | "requires");
    let logic = parts.add_of_each(&rules, |_, rule| Some(filtered(rule, is_logic)))?;
    let texts = parts.add_of_each(&rules, |_, rule| {
        Some(filtered(rule, |entry| !is_logic(entry) && !matches!(entry.name(), "tests")))
    })?;
    let tests = parts.add_of_each(&rules, |file, rule| {
        let inside = rule.get("tests").map(|tests| (file, tests.clone()));
        inside.or_else(|| tests_beside.get(&(file.to_owned(), id(rule).to_owned())).cloned())
    })?;
    let places = logic.into_iter().zip(texts).zip(tests);
    let prepared = rules.iter().zip(places).map(|((file, rule), ((logic, texts), tests))| {
        let id_span = rule.get("id").map(|node| node.span).unwrap_or_default();
        PreparedRule { id: id(rule), file, span: rule.span, id_span, needs: needs(rule), logic, texts, tests }
    });
    let index = encoded(&Prepared { rules: prepared.collect(), files })?;
    Ok((index, parts.bytes))
}

/// What the list of a file holds, if it is one.
fn list_kind(root: &Node) -> Option<ListKind> {
    root.get("list")?;
    Some(if root.get("modules").is_some() { ListKind::Modules } else { ListKind::Lines })
}

fn id(rule: &Node) -> &str {
    rule.get("id").and_then(Node::text).unwrap_or_default()
}

/// A mapping with some of its entries.
fn filtered(mapping: &Node, keep: impl Fn(&Entry) -> bool) -> Node {
    let entries = mapping.entries().unwrap_or_default().iter().filter(|entry| keep(entry)).cloned();
    Node { span: mapping.span, kind: Kind::Mapping(entries.collect()) }
}

fn needs(rule: &Node) -> Vec<Need<'_>> {
    let selections = rule.get("selections").and_then(Node::entries).unwrap_or_default();
    let condition = match rule.get("condition") {
        Some(node) => {
            let names: Vec<&str> = selections.iter().map(Entry::name).collect();
            condition::parse(node.text().unwrap_or_default(), &names, |_| None).ok()
        }
        None => Some(Condition::all_of(selections.len())),
    };
    condition.map(|condition| needed::needed(&condition, rule)).unwrap_or_default()
}

/// Encoded trees after each other.
#[derive(Default)]
struct Parts {
    bytes: Vec<u8>,
}

impl Parts {
    fn add(&mut self, tree: &impl Serialize) -> Outcome<Part> {
        let start = self.bytes.len();
        self.bytes.extend(encoded(tree)?);
        Ok(Part { start, end: self.bytes.len() })
    }

    /// Adds a part of each rule, of which `part` is given the path of its file, too.
    fn add_of_each<'f, T: Serialize>(
        &mut self,
        rules: &[(&'f str, Node)],
        part: impl Fn(&'f str, &Node) -> Option<T>,
    ) -> Outcome<Vec<Part>> {
        let trees = rules.iter().map(|(file, rule)| {
            let tree = part(file, rule).ok_or_else(|| format!("{file}:{}: not a whole rule", rule.span.line))?;
            self.add(&tree)
        });
        trees.collect()
    }
}

fn encoded(value: &impl Serialize) -> Outcome<Vec<u8>> {
    Ok(postcard::to_allocvec(value)?)
}
