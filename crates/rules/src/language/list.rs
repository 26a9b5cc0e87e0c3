//! Lists that rules refer to by name (`listed`): of modules, and of expressions for lines.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::language::value::fold;
use facts::FactType;
use incident::KnownPart;
use spanned_yaml::{Span, YamlText};
use untrusted::glob::Glob;

/// A list of module names and name patterns.
#[derive(Debug)]
pub struct ModuleList {
    pub(crate) name: String,
    pub(crate) about: String,
    /// Of a list of products: how their modules come into a process.
    pub(crate) part: Option<KnownPart>,
    pub(crate) names: BTreeSet<String>,
    pub(crate) patterns: Vec<Glob>,
    /// Its file, and the entries in its order.
    pub(crate) file: Arc<YamlText>,
    pub(crate) entries: Vec<ModuleEntry>,
}

/// An entry of a list as it is written.
#[derive(Debug)]
pub(crate) struct ModuleEntry {
    /// Its name or pattern, folded.
    pub text: String,
    /// The entry as a pattern, if it is one.
    pub pattern: Option<Glob>,
    /// Its place in the file.
    pub span: Span,
    /// Why it is in the list: of products, which one it belongs to.
    pub why: Box<str>,
}

/// The entries of several lists, by the names of modules.
#[derive(Debug, Default)]
pub struct ModuleIndex<'l> {
    names: HashMap<&'l str, ListedModule<'l>>,
    /// Patterns by the two bytes that they begin with.
    patterns: HashMap<[u8; 2], Vec<(&'l Glob, ListedModule<'l>)>>,
    /// Patterns that begin with a wildcard or a single byte.
    open_patterns: Vec<(&'l Glob, ListedModule<'l>)>,
}

/// What a list states of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedModule<'l> {
    /// The list's name.
    pub list: &'l str,
    /// How such modules come into a process, if it is a list of products.
    pub part: Option<KnownPart>,
    /// Why the module is in the list.
    pub why: &'l str,
}

impl<'l> ModuleIndex<'l> {
    /// The entries of these lists; of a name that several have, that of the first.
    pub fn new(lists: impl IntoIterator<Item = &'l ModuleList>) -> Self {
        let mut index = Self::default();
        for list in lists {
            for entry in &list.entries {
                let listed = ListedModule { list: &list.name, part: list.part, why: &entry.why };
                let Some(pattern) = &entry.pattern else {
                    index.names.entry(&entry.text).or_insert(listed);
                    continue;
                };
                let patterns =
                    match first_two(&entry.text).filter(|first| !first.contains(&b'*') && !first.contains(&b'?')) {
                        Some(first) => index.patterns.entry(first).or_default(),
                        None => &mut index.open_patterns,
                    };
                patterns.push((pattern, listed));
            }
        }
        index
    }

    /// What the lists state of a module, whatever its case and path: an entry with its name before one with a pattern.
    #[must_use]
    pub fn find(&self, module: &str) -> Option<ListedModule<'l>> {
        let folded = fold(FactType::Module, module);
        let by_name = self.names.get(&*folded).copied();
        by_name.or_else(|| {
            let begun_alike = first_two(&folded).and_then(|first| self.patterns.get(&first));
            let mut patterns = begun_alike.into_iter().flatten().chain(&self.open_patterns);
            patterns.find(|(pattern, _)| pattern.fits(&folded)).map(|(_, listed)| *listed)
        })
    }
}

fn first_two(text: &str) -> Option<[u8; 2]> {
    text.as_bytes().first_chunk().copied()
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

    /// Of a list of products: how their modules come into a process. `None` for a list of modules with a role of their own.
    #[must_use]
    pub fn part(&self) -> Option<KnownPart> {
        self.part
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
    pub(crate) fn samples(&self) -> impl Iterator<Item = String> {
        self.names.iter().cloned().chain(self.patterns.iter().map(Glob::shortest))
    }

    /// Whether a folded name is in the list.
    pub(crate) fn contains(&self, folded: &str) -> bool {
        self.names.contains(folded) || self.patterns.iter().any(|pattern| pattern.fits(folded))
    }
}
