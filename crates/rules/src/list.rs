//! Lists that rules refer to by name (`listed`): of modules, and of expressions for lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::line_list::{self, LineList, Unresolved};
use super::value::{fold, fold_part};
use crate::lint::check_table;
use facts::FactType;
use rule_syntax::mistakes::Mistakes;
use sigma::check_logsources;
use spanned_yaml::{Code, Diagnostic, Entry, Node, Span, YamlText, parse_leniently};
use untrusted::glob::Glob;

/// A list of module names and name patterns.
pub struct ModuleList {
    name: String,
    about: String,
    names: BTreeSet<String>,
    patterns: Vec<Glob>,
    /// Its file, and the entries in its order.
    file: Arc<YamlText>,
    entries: Vec<ListEntry>,
}

/// An entry of a list as it is written.
#[derive(Debug)]
pub struct ListEntry {
    /// Its name or pattern, folded.
    pub text: String,
    /// What it is as a pattern.
    pub pattern: Option<Glob>,
    /// Its place in the file.
    pub span: Span,
}

// Without the file: a list is the same however its file was read.
impl fmt::Debug for ModuleList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, about, entries, .. } = self;
        f.debug_struct("ModuleList").field("name", name).field("about", about).field("entries", entries).finish()
    }
}

impl ModuleList {
    /// Its name, which is its file's name without ending.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its modules have in common.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// How many names and patterns it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len().saturating_add(self.patterns.len())
    }

    /// Whether it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a module is in the list, whatever its case and path.
    #[must_use]
    pub fn has(&self, module: &str) -> bool {
        self.contains(&fold(FactType::Module, module))
    }

    /// A folded name for each entry.
    pub(super) fn samples(&self) -> impl Iterator<Item = String> {
        self.names.iter().cloned().chain(self.patterns.iter().map(Glob::shortest))
    }

    /// Its file.
    pub(super) fn file(&self) -> &Arc<YamlText> {
        &self.file
    }

    /// Its entries, in the order of its file.
    pub(super) fn entries(&self) -> &[ListEntry] {
        &self.entries
    }

    /// Whether a folded name is in the list.
    pub(super) fn contains(&self, folded: &str) -> bool {
        self.names.contains(folded) || self.patterns.iter().any(|pattern| pattern.fits(folded))
    }
}

/// The lists that a rule set's rules can name: its own first, then the built-in ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    by_name: BTreeMap<String, Arc<ModuleList>>,
    lines: BTreeMap<String, Arc<LineList>>,
}

/// The lists of a rule set's files.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub modules: Vec<ModuleList>,
    pub lines: Vec<Unresolved>,
}

impl Lists {
    /// The same lists with those of another set put before them. What is wrong in them goes to `found`.
    pub fn with(&self, own: Own, found: &mut Vec<Diagnostic>) -> Self {
        let mut all = self.clone();
        all.by_name.extend(own.modules.into_iter().map(|list| (list.name.clone(), Arc::new(list))));
        let lines = line_list::resolve(own.lines, self, found);
        all.lines.extend(lines.into_iter().map(|list| (list.name().to_owned(), Arc::new(list))));
        all
    }

    /// The list of modules of that name.
    pub fn find(&self, name: &str) -> Option<Arc<ModuleList>> {
        self.by_name.get(name).cloned()
    }

    /// The list of lines of that name.
    pub fn find_lines(&self, name: &str) -> Option<Arc<LineList>> {
        self.lines.get(name).cloned()
    }

    /// All names of lists of modules, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// All names of lists of lines, sorted.
    pub fn line_names(&self) -> impl Iterator<Item = &str> {
        self.lines.keys().map(String::as_str)
    }

    /// All lists of lines, by name.
    pub fn all_lines(&self) -> impl Iterator<Item = &Arc<LineList>> {
        self.lines.values()
    }

    /// All lists of modules, by name.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ModuleList>> {
        self.by_name.values()
    }
}

impl Own {
    /// Reads `data/NAME.yaml`. Files of `data/` that hold something else than lists (code names, driver numbers) are for
    /// the program, which has its own from the build; here they are only checked. Expressions that are `proven` are known
    /// to compile.
    pub fn read(&mut self, file_stem: &str, file: &Arc<YamlText>, proven: bool, found: &mut Vec<Diagnostic>) {
        let (root, wrong) = parse_leniently(file);
        let is_sound = wrong.is_empty();
        found.extend(wrong);
        let Some(root) = root else { return };
        let mut mistakes = Mistakes::new(file);
        if root.get("modules").is_some() {
            check_head(file_stem, &root, &mut mistakes);
            // What is wrong in it is told there, and not again in each rule that names it.
            self.modules.extend(read_list(file_stem, &root, &mut mistakes));
        } else if root.get("lines").is_some() && root.get("list").is_some() {
            check_head(file_stem, &root, &mut mistakes);
            self.lines.extend(Unresolved::read(file_stem, &root, proven, &mut mistakes));
        } else if is_sound {
            match file_stem {
                "sigma-logsources" => check_logsources(file, found),
                _ => check_table(file_stem, file, found),
            }
        }
        found.append(&mut mistakes.found);
    }
}

/// What all lists begin with.
fn check_head(file_stem: &str, root: &Node, mistakes: &mut Mistakes) {
    mistakes.schema(root);
    if let Some(name) = root.get("list")
        && name.text() != Some(file_stem)
    {
        let message = "a list is named after its file".to_owned();
        mistakes.error_with_help(Code::R062, name.span, message, format!("write `list: {file_stem}`"));
    }
}

fn read_list(file_stem: &str, root: &Node, mistakes: &mut Mistakes) -> Option<ModuleList> {
    let entries = mistakes.mapping(root, "a list file")?;
    let known = ["schema", "list", "about", "modules"];
    mistakes.keys(entries, root.span, "a list file", &known, &known);
    let about = root.get("about").and_then(|node| mistakes.text(node, "`about`")).unwrap_or_default().trim().to_owned();
    let mut list = ModuleList {
        name: file_stem.to_owned(),
        about,
        names: BTreeSet::new(),
        patterns: Vec::new(),
        file: Arc::clone(&mistakes.file),
        entries: Vec::new(),
    };
    let modules = root.get("modules")?;
    for item in mistakes.items(modules, "`modules`")? {
        read_entry(item, &mut list, mistakes);
    }
    Some(list)
}

fn read_entry(item: &Node, list: &mut ModuleList, mistakes: &mut Mistakes) {
    let Some(entries) = mistakes.mapping(item, "an entry of a list") else { return };
    let named: Vec<&Entry> = entries.iter().filter(|entry| matches!(entry.name(), "name" | "like")).collect();
    let [entry] = named.as_slice() else {
        let message = "an entry of a list needs exactly one of `name` and `like`";
        let help = "write {name: ntdll.dll, why: ...} or {like: 'vcruntime140*.dll', why: ...}";
        mistakes.error_with_help(Code::R061, item.span, message, help);
        return;
    };
    let Some(text) = mistakes.text(&entry.value, &format!("`{}`", entry.name())) else { return };
    let span = entry.value.span;
    if text.contains(['\\', '/']) {
        mistakes.error(Code::R061, span, "an entry of a list is a file name without path");
    } else if entry.name() == "like" {
        let text = fold_part(FactType::Module, text);
        let pattern = Glob::from_wildcards(&text);
        list.entries.push(ListEntry { text: text.into_owned(), pattern: Some(pattern.clone()), span });
        list.patterns.push(pattern);
    } else if !Glob::is_plain(text) {
        mistakes.error_with_help(Code::R061, span, "`*` and `?` mean nothing special in a name", "write `like`");
    } else {
        let name = fold(FactType::Module, text).into_owned();
        list.entries.push(ListEntry { text: name.clone(), pattern: None, span });
        if !list.names.insert(name) {
            mistakes.error(Code::R061, span, format!("`{text}` is in this list already"));
        }
    }
}
