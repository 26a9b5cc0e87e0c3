//! Reading the lists of a rule set: of modules, and of expressions for lines.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::language::value::{fold, fold_part};
use crate::language::{LineList, ModuleEntry, ModuleList};
use crate::reading::Effort;
use crate::reading::table_files::check_table;
use crate::reading::{Known, Lists, line_lists};
use evidence::has_folder;
use facts::FactType;
use incident::KnownPart;
use rule_syntax::mistakes::{Mistakes, listing};
use sigma::check_logsources;
use spanned_yaml::{Code, Diagnostic, Entry, Node, YamlText, parse_leniently};
use untrusted::glob::Glob;

/// The lists of a rule set's files. Lines of lists may name other lists that are not read yet.
#[derive(Debug)]
pub(crate) struct Own {
    pub modules: Vec<ModuleList>,
    pub lines: Vec<LineList>,
}

impl Own {
    /// Reads the files `data/NAME.yaml` of a set. Files of `data/` that hold something else than lists (code names, driver
    /// numbers) are for the program, which has its own from the build; here they are only checked.
    pub fn read(files: &[(String, Arc<YamlText>)], found: &mut Vec<Diagnostic>) -> Self {
        let mut own = Self { modules: Vec::new(), lines: Vec::new() };
        files.iter().for_each(|(file_stem, file)| own.read_file(file_stem, file, found));
        own
    }

    fn read_file(&mut self, file_stem: &str, file: &Arc<YamlText>, found: &mut Vec<Diagnostic>) {
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
            self.lines.extend(line_lists::read(file_stem, &root, &mut mistakes));
        } else if is_sound {
            match file_stem {
                "sigma-logsources" => check_logsources(file, found),
                _ => check_table(file_stem, file, found),
            }
        }
        found.extend(mistakes.take());
    }

    /// The lists, with the names of others replaced by what these hold: lists of the set itself, and those that are
    /// `known`.
    pub fn resolved(self, known: &Lists, effort: &Effort, found: &mut Vec<Diagnostic>) -> Lists {
        let count = |states: usize| effort.compile(states);
        let lines = line_lists::resolve(self.lines, known, &count, found);
        Lists {
            modules: Known::new(self.modules.into_iter().map(|list| (list.name.clone(), list))),
            lines: Known::new(lines.into_iter().map(|list| (list.name.clone(), list))),
        }
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

/// Reads the list of modules of a file.
pub(crate) fn read_list(file_stem: &str, root: &Node, mistakes: &mut Mistakes) -> Option<ModuleList> {
    let entries = mistakes.mapping(root, "a list file")?;
    let known = ["schema", "list", "part", "about", "modules"];
    let of_every_list = ["schema", "list", "about", "modules"];
    // What the folder's lists are there for is to name products.
    let of_products = mistakes.file.name.replace('\\', "/").contains("/known-modules/");
    let required = if of_products { &known[..] } else { &of_every_list };
    mistakes.keys(entries, root.span, "a list file", &known, required);
    let about = root.get("about").and_then(|node| mistakes.text(node, "`about`")).unwrap_or_default().trim().to_owned();
    let part = root.get("part").and_then(|node| read_part(node, mistakes));
    let mut list = ModuleList {
        name: file_stem.to_owned(),
        about,
        part,
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

fn read_part(node: &Node, mistakes: &mut Mistakes) -> Option<KnownPart> {
    let word = mistakes.text(node, "`part`")?;
    let parts = [KnownPart::Foreign, KnownPart::Library, KnownPart::Component];
    let part = parts.into_iter().find(|part| part.word() == word);
    if part.is_none() {
        let words = listing(KnownPart::WORDS.iter().copied());
        mistakes.error_with_help(Code::R061, node.span, format!("no part is named `{word}`"), format!("write {words}"));
    }
    part
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
    let why: Box<str> = item.get("why").and_then(Node::text).unwrap_or_default().into();
    if has_folder(text) {
        mistakes.error(Code::R061, span, "an entry of a list is a file name without path");
    } else if entry.name() == "like" {
        let text = fold_part(FactType::Module, text);
        let pattern = Glob::from_wildcards(&text);
        list.entries.push(ModuleEntry { text: text.into_owned(), pattern: Some(pattern.clone()), span, why });
        list.patterns.push(pattern);
    } else if !Glob::is_plain(text) {
        mistakes.error_with_help(Code::R061, span, "`*` and `?` mean nothing special in a name", "write `like`");
    } else {
        let name = fold(FactType::Module, text).into_owned();
        list.entries.push(ModuleEntry { text: name.clone(), pattern: None, span, why });
        if !list.names.insert(name) {
            mistakes.error(Code::R061, span, format!("`{text}` is in this list already"));
        }
    }
}
