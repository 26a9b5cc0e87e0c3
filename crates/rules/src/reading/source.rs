//! Where rule sets come from: the one inside the program, folders, and single files.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use crate::reading::Lists;
use crate::reading::test_file::TestFile;
use crate::reading::{needed_version, test_file};
use rule_syntax::mistakes::Mistakes;
use rule_syntax::prepared::{Part, Prepared, PreparedFile, PreparedRule};
use spanned_yaml::{Code, Diagnostic, Node, Span, YamlText, parse, read_file};
use untrusted::display_path;

/// Path below `rules/` and text of every file of the built-in set.
static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/builtin_rules.rs"));

/// The same rule set read and taken apart, encoded: the index, and the trees that it names.
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/builtin_rules.index"));
static PARTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/builtin_rules.parts"));

/// The name of the built-in set. A folder whose `ruleset.yaml` has this name replaces it.
pub const BUILTIN: &str = "builtin";

/// The name of the file with the expected results for a folder of artifacts.
pub(crate) const EXPECTED: &str = "expected.yaml";

/// How deep folders are searched.
const MAX_DEPTH: usize = 8;
/// How many files a rule set may have.
const MAX_FILES: usize = 10_000;
/// How many bytes the files of a rule set may have together: the built-in set has 4 MiB.
const MAX_BYTES: usize = 32 << 20;

/// The files of one rule set.
#[derive(Debug, Default)]
pub(crate) struct SetSource {
    /// The path that was given; empty for the built-in set.
    pub path: PathBuf,
    /// The files that were found there.
    pub files: Vec<PathBuf>,
    pub name: String,
    pub version: String,
    pub rules: Vec<RuleFile>,
    /// Files with tests until [`place_tests`](Self::place_tests) gives them to the files with their rules, by the names of
    /// these; nothing of a file that can't be read.
    tests: BTreeMap<PathBuf, Option<Arc<YamlText>>>,
    /// Lists, each under its file's name without ending.
    pub data: Vec<(String, Arc<YamlText>)>,
    /// The lists, where the build has read them; `data` is empty then.
    pub lists: Option<Lists>,
    pub causes: Option<Arc<YamlText>>,
    /// The files with the expected results for folders of artifacts; nothing else in these folders belongs to the set.
    pub expected: Vec<PathBuf>,
    /// Whether it is the one inside the program.
    pub embedded: bool,
    /// Whether its lists were tried when the program was built, and need not be tried again.
    pub proven: bool,
    /// Whether its `ruleset.yaml` has the name of the built-in set, which it then replaces.
    pub is_builtin: bool,
    /// Ids of rules that were left out: others may name them all the same.
    pub left_out: Vec<String>,
    /// Whether its `ruleset.yaml` requires a newer program.
    needs_newer: bool,
    /// Rules that the build has read, by id; `rules` is empty then.
    pub prepared: Vec<(PreparedRule<'static>, Arc<YamlText>)>,
}

/// A file with rules.
#[derive(Debug)]
pub(crate) struct RuleFile {
    pub text: Arc<YamlText>,
    /// The folder of the rule set that it is in, which is the area of its rules.
    pub area: Option<String>,
    /// The tests of its rules in the file beside it.
    pub tests: TestFile,
}

impl SetSource {
    /// The set inside the program as the build has read it.
    pub fn prepared(found: &mut Vec<Diagnostic>) -> Self {
        // Only a program that was put together wrongly can't decode it; its rules are read from their text then.
        let Ok(Prepared { rules, files }) = postcard::from_bytes::<Prepared<'static>>(INDEX) else {
            return Self::embedded(found);
        };
        let mut set = Self::builtin();
        set.proven = true;
        let mut lists = Vec::new();
        for PreparedFile { path, tree, list } in files {
            let parts: Vec<&str> = path.split('/').collect();
            let text = inside(path, Some(tree));
            match (list, parts.last()) {
                (Some(kind), Some(file)) => lists.push((stem(file), kind, text)),
                _ => set.add(&parts, &text, found),
            }
        }
        set.lists = Some(Lists::inside(lists));
        let mut texts: HashMap<&str, Arc<YamlText>> = HashMap::new();
        for rule in rules {
            let text = texts.entry(rule.file).or_insert_with(|| inside(rule.file, None));
            set.prepared.push((rule, Arc::clone(text)));
        }
        set
    }

    /// The set inside the program, empty.
    fn builtin() -> Self {
        Self { name: BUILTIN.to_owned(), version: "0".to_owned(), embedded: true, ..Self::default() }
    }

    /// Leaves out all rules that the build has read, and what is to be read from its text.
    pub fn leave_out_rules(&mut self) {
        self.left_out = self.prepared.drain(..).map(|(rule, _)| rule.id.to_owned()).collect();
        self.rules.clear();
    }

    /// The set inside the program, to be read from its text.
    pub fn embedded(found: &mut Vec<Diagnostic>) -> Self {
        let mut set = Self::builtin();
        for (path, text) in EMBEDDED {
            let parts: Vec<&str> = path.split('/').collect();
            set.add(&parts, &YamlText::new(format!("{BUILTIN}/{path}"), *text), found);
        }
        set.place_tests(found);
        set
    }

    /// The set at a path: a folder, or a single file with rules, of which the file with their tests may be named, too.
    /// Everything that is wrong goes to `found`.
    pub fn at(path: &Path, found: &mut Vec<Diagnostic>) -> Self {
        let rules = test_file::rules_of(path).filter(|rules| rules.is_file());
        let path = rules.as_deref().unwrap_or(path);
        // The folder's own name also where the path is `.` or ends with `..`.
        let named = path.file_name().map(ToOwned::to_owned);
        let named = named.or_else(|| path.canonicalize().ok()?.file_name().map(ToOwned::to_owned));
        let named = named.map_or_else(|| "rules".to_owned(), |name| name.to_string_lossy().into_owned());
        let mut set = Self::named(path, named, found);
        path.clone_into(&mut set.path);
        if set.name == BUILTIN && !set.is_builtin {
            // Only called so: it could not be told from the set inside the program.
            set.name = display_path(path);
        }
        set
    }

    fn named(path: &Path, named: String, found: &mut Vec<Diagnostic>) -> Self {
        if path.is_dir() {
            return Self::folder(path, named, found);
        }
        let mut set = Self { name: stem(&named).to_owned(), version: "0".to_owned(), ..Self::default() };
        set.files.push(path.to_owned());
        if named == EXPECTED {
            set.expected.push(path.to_owned());
            return set;
        }
        let tests = test_file::tests_of(path).filter(|tests| tests.is_file());
        set.files.extend(tests.clone());
        for path in std::iter::once(path).chain(tests.as_deref()) {
            match read_file(path, &display_path(path)) {
                Ok(text) => set.add_rules(&text, None),
                Err(wrong) => set.report_unread(wrong, found),
            }
        }
        set.place_tests(found);
        set
    }

    fn folder(folder: &Path, name: String, found: &mut Vec<Diagnostic>) -> Self {
        let mut set = Self { name, version: "0".to_owned(), ..Self::default() };
        let nowhere = YamlText::new(display_path(folder), String::new());
        let (mut files, mut bytes) = (0_usize, 0_usize);
        let walk = WalkDir::new(folder).max_depth(MAX_DEPTH).sort_by_file_name().into_iter();
        let visible = |name: &std::ffi::OsStr| !name.to_string_lossy().starts_with('.');
        let mut walk = walk.filter_entry(|entry| entry.depth() == 0 || visible(entry.file_name()));
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let message = format!("cannot be read: {error}");
                    found.push(Diagnostic::error(Code::R001, &nowhere, Span::file_start(), message));
                    continue;
                }
            };
            let path = entry.path();
            let expected = path.join(EXPECTED);
            if entry.file_type().is_dir() && expected.is_file() {
                set.files.push(expected.clone());
                set.expected.push(expected);
                walk.skip_current_dir();
                continue;
            }
            let yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
            if entry.file_type().is_dir() || !yaml {
                continue;
            }
            files = files.saturating_add(1);
            if files > MAX_FILES {
                let message = format!("more than {MAX_FILES} files in one rule set");
                found.push(Diagnostic::error(Code::R004, &nowhere, Span::file_start(), message));
                break;
            }
            set.files.push(path.to_owned());
            let text = match read_file(path, &display_path(path)) {
                Ok(text) => text,
                Err(wrong) => {
                    set.report_unread(wrong, found);
                    continue;
                }
            };
            bytes = bytes.saturating_add(text.text.len());
            if bytes > MAX_BYTES {
                let message = format!("more than {MAX_BYTES} bytes in the files of one rule set");
                found.push(Diagnostic::error(Code::R004, &nowhere, Span::file_start(), message));
                break;
            }
            let relative = path.strip_prefix(folder).unwrap_or(path);
            let parts: Vec<String> =
                relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            set.add(&parts, &text, found);
        }
        if set.needs_newer {
            (set.rules, set.data, set.causes) = (Vec::new(), Vec::new(), None);
            set.tests.clear();
        } else if set.rules.is_empty() && set.tests.is_empty() && set.expected.is_empty() && set.data.is_empty() {
            let message = "neither rules nor lists in this folder";
            let help = "rules stand in AREA/*.yaml below the folder, lists in data/*.yaml";
            found.push(Diagnostic::error(Code::R064, &nowhere, Span::file_start(), message).with_help(help));
        }
        set.place_tests(found);
        set
    }

    /// Reports a set that contains only folders of artifacts with expected results, where rules are needed.
    pub fn require_rules(&self, found: &mut Vec<Diagnostic>) {
        if let (Some(first), true) = (self.expected.first(), self.rules.is_empty() && self.data.is_empty()) {
            let nowhere = YamlText::new(display_path(first), String::new());
            let message = "a folder of artifacts that says what they must yield, and no rules";
            let help = "`crashsift rules test` runs it";
            found.push(Diagnostic::error(Code::R064, &nowhere, Span::file_start(), message).with_help(help));
        }
    }

    /// Adds a file's text to the part of the set that its path belongs to.
    fn add(&mut self, path: &[&str], text: &Arc<YamlText>, found: &mut Vec<Diagnostic>) {
        match path {
            ["ruleset.yaml" | "ruleset.yml"] => self.describe(text, found),
            ["causes.yaml" | "causes.yml"] => self.causes = Some(Arc::clone(text)),
            ["data", .., file] => self.data.push((stem(file).to_owned(), Arc::clone(text))),
            [area, .., _] => self.add_rules(text, Some((*area).to_owned())),
            _ => self.add_rules(text, None),
        }
    }

    /// Files a text with rules, or with tests of rules.
    fn add_rules(&mut self, text: &Arc<YamlText>, area: Option<String>) {
        match test_file::rules_of(Path::new(&text.name)) {
            Some(rules) => {
                self.tests.insert(rules, Some(Arc::clone(text)));
            }
            None => self.rules.push(RuleFile { text: Arc::clone(text), area, tests: TestFile::Nothing }),
        }
    }

    /// Adds `wrong`, the mistake about a file that can't be read, to `found`. If the file has tests of rules, it is noted as
    /// unread, so that its rules are not reported as rules without tests.
    fn report_unread(&mut self, wrong: Diagnostic, found: &mut Vec<Diagnostic>) {
        if let Some(rules) = test_file::rules_of(Path::new(&wrong.file.name)) {
            self.tests.insert(rules, None);
        }
        found.push(wrong);
    }

    /// Gives each file with rules the tests in the file beside it, and reports tests without rules.
    fn place_tests(&mut self, found: &mut Vec<Diagnostic>) {
        for file in &mut self.rules {
            file.tests = match self.tests.remove(Path::new(&file.text.name)) {
                Some(Some(tests)) => TestFile::read(&tests, found),
                Some(None) => TestFile::Unread,
                None => TestFile::Nothing,
            };
        }
        // A file with rules that is there and can't be read has been reported.
        let is_there = |rules: &PathBuf| self.files.iter().any(|file| Path::new(&display_path(file)) == rules);
        for (rules, tests) in &self.tests {
            if let Some(tests) = tests.as_ref().filter(|_| !is_there(rules)) {
                found.push(test_file::without_rules(rules, tests));
            }
        }
    }

    /// Reads `ruleset.yaml`.
    fn describe(&mut self, text: &Arc<YamlText>, found: &mut Vec<Diagnostic>) {
        let root = match parse(text) {
            Ok(root) => root,
            Err(wrong) => {
                found.extend(wrong);
                return;
            }
        };
        let mut mistakes = Mistakes::new(text);
        if let Some(entries) = mistakes.mapping(&root, "ruleset.yaml") {
            if let Some((wrong, is_newer)) = root.get("tool").and_then(|node| needed_version::look(node, text)) {
                // What a newer program reads is no mistake, and nothing else needs to be said of it.
                self.needs_newer |= is_newer;
                found.push(wrong);
                return;
            }
            let known = ["schema", "name", "version", "licence", "tool"];
            let required = ["name", "version", "licence"];
            mistakes.keys(entries, root.span, "ruleset.yaml", &known, &required);
            mistakes.schema(&root);
        }
        let mut read = |key: &str| {
            let node: &Node = root.get(key)?;
            mistakes.text(node, &format!("`{key}`")).map(|text| text.trim().to_owned())
        };
        if let Some(name) = read("name") {
            self.is_builtin = name == BUILTIN;
            self.name = name;
        }
        if let Some(version) = read("version") {
            self.version = version;
        }
        read("licence");
        found.extend(mistakes.take());
    }
}

/// The encoded tree of a part of the built-in set.
pub(crate) fn encoded(part: Part) -> &'static [u8] {
    PARTS.get(part.start..part.end).unwrap_or_default()
}

/// The tests of a built-in rule, with their file. `None` only when the program was put together wrongly.
pub(crate) fn prepared_tests(tests: Part) -> Option<(Arc<YamlText>, Node)> {
    let (path, tests): (&'static str, Node) = postcard::from_bytes(encoded(tests)).ok()?;
    Some((inside(path, None), tests))
}

/// A file of the built-in set, with its tree if the build has encoded that.
fn inside(path: &str, tree: Option<Part>) -> Arc<YamlText> {
    YamlText::builtin(format!("{BUILTIN}/{path}"), embedded_text(path), tree.map(encoded))
}

/// The text of a file of the built-in set.
fn embedded_text(path: &str) -> &'static str {
    EMBEDDED
        .binary_search_by(|(other, _)| (*other).cmp(path))
        .ok()
        .and_then(|index| EMBEDDED.get(index))
        .map_or("", |(_, text)| *text)
}

/// A file's name without its ending.
fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}
