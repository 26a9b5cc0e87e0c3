//! Expectations for a folder of artifacts: `expected.yaml`, read and checked. `rules-workbench` compares them with an
//! analysis of the folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::evaluating::View;
use crate::language::{Selection, Truth};
use crate::loading::{Rule, RuleSet};
use crate::reading::source::EXPECTED;
use crate::reading::{Effort, LoadContext, selections};
use facts::FactSet;
use rule_syntax::mistakes::{Mistakes, suggestion};
use spanned_yaml::{Code, Diagnostic, Node, Span, YamlText, parse, read_file};
use untrusted::display_path;

/// The folder of a rule set that contains its folders of artifacts with expected results.
const TESTS: &str = "tests";
/// The word in `expected.yaml` for an incident without suspected module.
const NONE: &str = "none";

/// What the analysis of a folder must give.
#[derive(Debug)]
pub struct ExpectedFolder {
    /// The `expected.yaml`, as diagnostics name it.
    pub file: String,
    /// The path of the `expected.yaml` on this machine, as it is opened.
    pub path: PathBuf,
    /// The files and folders that are analyzed; none means the folder of the file.
    pub artifacts: Vec<PathBuf>,
    /// The number of incidents, with the line in the file.
    pub count: Option<(usize, u32)>,
    /// What incidents must be.
    pub incidents: Vec<ExpectedIncident>,
}

/// What one incident must be, or every incident that a selection chooses. What is not given is not checked.
#[derive(Debug)]
pub struct ExpectedIncident {
    /// What messages call it.
    pub name: String,
    /// The line in the file.
    pub line: u32,
    chosen: Option<Selection>,
    /// The allowed causes of the verdict.
    pub causes: Vec<String>,
    /// The causes that the verdict must not have.
    pub not_causes: Vec<String>,
    /// The least confidence of the verdict.
    pub at_least: Option<f64>,
    /// The highest confidence of the verdict.
    pub at_most: Option<f64>,
    /// Rules that have findings.
    pub rules: Vec<String>,
    /// Rules that have no findings.
    pub not_rules: Vec<String>,
    /// The suspected module's file name; `Some(None)` where no module must be suspected.
    pub suspect: Option<Option<String>>,
}

impl ExpectedIncident {
    /// Whether it concerns only incidents that a selection chooses by their facts.
    #[must_use]
    pub fn chooses(&self) -> bool {
        self.chosen.is_some()
    }

    /// Whether the expectation is about an incident with these facts.
    #[must_use]
    pub fn is_about(&self, facts: &FactSet) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.truth(&View::new(facts, None)) == Truth::True)
    }
}

impl RuleSet {
    /// Reads the `expected.yaml` at `path`, which may name causes, rules and lists of this rule set.
    ///
    /// # Errors
    /// All of its mistakes.
    pub fn read_expected(&self, path: &Path) -> Result<ExpectedFolder, Vec<Diagnostic>> {
        let name = display_path(path);
        let text = read_file(path, &name).map_err(|wrong| vec![wrong])?;
        let root = parse(&text)?;
        let mut reader = ExpectedReader { rules: self, path, mistakes: Mistakes::new(&text) };
        let folder = reader.folder(&root, &text);
        if reader.mistakes.found.iter().any(Diagnostic::is_error) {
            return Err(reader.mistakes.take());
        }
        folder.ok_or_else(Vec::new)
    }
}

struct ExpectedReader<'r> {
    rules: &'r RuleSet,
    path: &'r Path,
    mistakes: Mistakes,
}

impl ExpectedReader<'_> {
    fn folder(&mut self, root: &Node, text: &Arc<YamlText>) -> Option<ExpectedFolder> {
        let entries = self.mistakes.mapping(root, EXPECTED)?;
        let keys = ["schema", "artifacts", "count", "incidents"];
        self.mistakes.keys(entries, root.span, EXPECTED, &keys, &["schema"]);
        self.mistakes.schema(root);
        let from = self.path.parent().unwrap_or(Path::new("."));
        let artifacts = self.texts(root, "artifacts").into_iter().map(|artifact| from.join(artifact)).collect();
        let count = root.get("count").and_then(|node| {
            let count = node.text().and_then(|text| text.trim().parse::<usize>().ok());
            if count.is_none() {
                self.mistakes.error(Code::R027, node.span, "`count` is how many incidents there are, like 2");
            }
            Some((count?, node.span.line))
        });
        let mut incidents = Vec::new();
        if let Some(node) = root.get("incidents") {
            if let (Some((0, _)), Some(said)) = (count, root.get("count")) {
                self.contradiction(node.span, "no incident is expected, and something of incidents", said.span);
            }
            let items = self.mistakes.items(node, "`incidents`").unwrap_or_default();
            incidents.extend(items.iter().filter_map(|item| self.incident(item)));
        } else if root.get("count").is_none() {
            let help = "say of `incidents` what they must be, or how many there are with `count`";
            self.mistakes.error_with_help(Code::R076, root.span, "nothing is expected", help);
        }
        Some(ExpectedFolder { file: text.name.clone(), path: self.path.to_owned(), artifacts, count, incidents })
    }

    fn incident(&mut self, item: &Node) -> Option<ExpectedIncident> {
        let what = "an expected incident";
        let entries = self.mistakes.mapping(item, what)?;
        let asked = ["cause", "not_cause", "at_least", "at_most", "rules", "not_rules", "suspect"];
        let keys: Vec<&str> = ["name", "where"].into_iter().chain(asked).collect();
        self.mistakes.keys(entries, item.span, what, &keys, &[]);
        if !entries.iter().any(|entry| entry.name() == "where" || asked.contains(&entry.name())) {
            let help = "say what it must be: `cause`, `at_least`, `rules`, `suspect`...";
            self.mistakes.error_with_help(Code::R076, item.span, "nothing is expected of this incident", help);
        }
        let chosen = item.entry("where").and_then(|entry| {
            let (causes, lists) = (self.rules.causes(), &self.rules.known_lists);
            let known = LoadContext { causes, lists, proven: false, effort: &Effort::default() };
            selections::read(entry, &known, &mut self.mistakes)
        });
        self.contradictions(item);
        let name = item.get("name").and_then(|node| self.mistakes.text(node, "`name`"));
        let suspect = item.get("suspect").and_then(|node| self.mistakes.text(node, "`suspect`"));
        let suspect = suspect.map(|name| (name != NONE).then(|| name.trim().to_owned()));
        Some(ExpectedIncident {
            name: name.unwrap_or("an incident").trim().to_owned(),
            line: item.span.line,
            chosen,
            causes: self.causes(item, "cause"),
            not_causes: self.causes(item, "not_cause"),
            at_least: self.confidence(item, "at_least"),
            at_most: self.confidence(item, "at_most"),
            rules: self.rules(item, "rules"),
            not_rules: self.rules(item, "not_rules"),
            suspect,
        })
    }

    /// Reports expectations that exclude each other.
    fn contradictions(&mut self, item: &Node) {
        let sure = |key| Some((item.get(key)?.span, item.get(key)?.text()?.trim().parse::<f64>().ok()?));
        if let (Some((first, least)), Some((span, most))) = (sure("at_least"), sure("at_most"))
            && least > most
        {
            self.contradiction(span, "a confidence can't be at least the one and at most the other", first);
        }
        for (wanted, unwanted, what) in [("cause", "not_cause", "cause"), ("rules", "not_rules", "rule")] {
            for not in scalars(item, unwanted) {
                let same = scalars(item, wanted).find(|one| one.text().map(str::trim) == not.text().map(str::trim));
                if let Some(same) = same {
                    let name = not.text().unwrap_or_default().trim();
                    let message = format!("the {what} `{name}` stands under `{wanted}` and under `{unwanted}`");
                    self.contradiction(not.span, &message, same.span);
                }
            }
        }
    }

    fn contradiction(&mut self, span: Span, message: &str, other: Span) {
        let file = Arc::clone(&self.mistakes.file);
        let wrong = Diagnostic::error(Code::R077, &file, span, message).with_other(&file, other, "and this");
        self.mistakes.add(wrong.with_help("no incident can be both; leave out one of the two"));
    }

    /// The texts under a key: one, or a list of them.
    fn texts<'n>(&mut self, node: &'n Node, key: &str) -> Vec<&'n str> {
        self.nodes(node, key).into_iter().filter_map(Node::text).map(str::trim).collect()
    }

    /// The nodes of the texts under a key: one, or a list of them.
    fn nodes<'n>(&mut self, node: &'n Node, key: &str) -> Vec<&'n Node> {
        let Some(value) = node.get(key) else { return Vec::new() };
        let what = format!("`{key}`");
        let nodes = self.mistakes.one_or_more(value, &what).unwrap_or_default();
        nodes.iter().filter(|node| self.mistakes.text(node, &what).is_some()).collect()
    }

    fn causes(&mut self, item: &Node, key: &str) -> Vec<String> {
        let mut causes = Vec::new();
        for node in self.nodes(item, key) {
            let id = node.text().unwrap_or_default().trim();
            if self.rules.causes().get(id).is_none() {
                let help = self.rules.causes().help(id);
                self.mistakes.error_with_help(Code::R015, node.span, format!("there is no cause `{id}`"), help);
            }
            causes.push(id.to_owned());
        }
        causes
    }

    fn rules(&mut self, item: &Node, key: &str) -> Vec<String> {
        let mut ids = Vec::new();
        for node in self.nodes(item, key) {
            let id = node.text().unwrap_or_default().trim();
            if self.rules.rule(id).is_none() {
                let help = suggestion(id, self.rules.rules().iter().map(Rule::id))
                    .or_else(|| self.own_set().map(|set| {
                        format!("if it is a rule of the set that this folder stands in, give that set: `rules test {set}`")
                    }))
                    .unwrap_or_else(|| "`crashsift rules list` shows all rules".to_owned());
                self.mistakes.error_with_help(Code::R070, node.span, format!("there is no rule `{id}`"), help);
            }
            ids.push(id.to_owned());
        }
        ids
    }

    /// The rule set whose `tests` hold the folder, where that set is not loaded.
    fn own_set(&self) -> Option<String> {
        let whole = self.path.canonicalize().ok()?;
        let set = above_tests(&whole)?;
        let given = |rule: &Rule| Path::new(rule.file()).canonicalize().is_ok_and(|file| file.starts_with(set));
        // As the user wrote it, where that is enough to say it.
        let shown = above_tests(self.path).filter(|written| !written.as_os_str().is_empty()).unwrap_or(set);
        (!self.rules.rules().iter().any(given)).then(|| display_path(shown))
    }

    fn confidence(&mut self, item: &Node, key: &str) -> Option<f64> {
        let node = item.get(key)?;
        let text = self.mistakes.text(node, &format!("`{key}`"))?;
        let value = text.trim().parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
        if value.is_none() {
            self.mistakes.error(Code::R016, node.span, format!("`{key}` is a confidence from 0 to 1, not `{text}`"));
        }
        value
    }
}

/// The folder that holds the nearest folder `tests` above a path.
fn above_tests(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| above.file_name().is_some_and(|name| name == TESTS))?.parent()
}

/// The values under a key: one, or those of a list.
fn scalars<'n>(item: &'n Node, key: &str) -> impl Iterator<Item = &'n Node> + use<'n> {
    item.get(key).into_iter().flat_map(Node::one_or_more)
}
