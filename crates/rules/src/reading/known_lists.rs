//! The lists that rules can name.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::language::{LineList, ModuleList, NamedList, ReadLater};
use crate::reading::{line_lists, lists};
use rule_syntax::mistakes::Mistakes;
use rule_syntax::prepared::ListKind;
use spanned_yaml::{YamlText, parse_leniently};

/// The lists that a rule set's rules can name: its own first, then the built-in ones.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub modules: Known<ModuleList>,
    pub lines: Known<LineList>,
}

/// Lists of one kind.
#[derive(Debug)]
pub(crate) struct Known<L: 'static> {
    read: BTreeMap<String, Arc<L>>,
    /// Those inside the program.
    inside: Option<&'static Inside<L>>,
}

/// Lists inside the program by their names, each read when it is first asked for: most runs need few of them.
pub(crate) type Inside<L> = BTreeMap<&'static str, InsideList<L>>;

/// A list inside the program.
#[derive(Debug)]
pub(crate) struct InsideList<L> {
    name: &'static str,
    file: Arc<YamlText>,
    /// `None` only when the program was put together wrongly.
    list: OnceLock<Option<Arc<L>>>,
}

static MODULES: OnceLock<Inside<ModuleList>> = OnceLock::new();
static LINES: OnceLock<Inside<LineList>> = OnceLock::new();

/// A kind of lists.
pub(crate) trait List: Sized + Send + Sync {
    /// Reads one that is inside the program, where it has been tried.
    fn read_inside(name: &str, file: &Arc<YamlText>) -> Option<Self>;
}

impl List for ModuleList {
    fn read_inside(name: &str, file: &Arc<YamlText>) -> Option<Self> {
        lists::read_list(name, &parse_leniently(file).0?, &mut Mistakes::new(file))
    }
}

impl List for LineList {
    /// None names itself, not by way of others either: a test loads the same lists from their text.
    fn read_inside(name: &str, file: &Arc<YamlText>) -> Option<Self> {
        let list = line_lists::read(name, &parse_leniently(file).0?, &mut Mistakes::new(file))?;
        line_lists::with_patterns(list, |name| LINES.get()?.get(name)?.get())
    }
}

impl<L: List> InsideList<L> {
    fn get(&self) -> Option<&Arc<L>> {
        self.list.get_or_init(|| L::read_inside(self.name, &self.file).map(Arc::new)).as_ref()
    }
}

impl<L: List> ReadLater<L> for InsideList<L> {
    fn list(&self) -> Option<&L> {
        self.get().map(|list| &**list)
    }
}

impl<L> Default for Known<L> {
    fn default() -> Self {
        Self { read: BTreeMap::new(), inside: None }
    }
}

impl<L: List> Known<L> {
    /// Lists that have been read.
    pub fn new(lists: impl IntoIterator<Item = (String, L)>) -> Self {
        Self { read: lists.into_iter().map(|(name, list)| (name, Arc::new(list))).collect(), inside: None }
    }

    /// The list of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<L>> {
        self.read.get(name).or_else(|| self.inside?.get(name)?.get())
    }

    /// The list of that name, for a rule that names it.
    pub fn named(&self, name: &str) -> Option<NamedList<L>> {
        let read = self.read.get(name).map(|list| NamedList::Read(Arc::clone(list)));
        read.or_else(|| Some(NamedList::Inside(self.inside?.get(name)?)))
    }

    /// Whether there is a list of that name.
    pub fn has(&self, name: &str) -> bool {
        self.read.contains_key(name) || self.inside.is_some_and(|inside| inside.contains_key(name))
    }

    /// The names of all lists, sorted; those inside the program come first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let replaced = |name: &&str| !self.read.contains_key(*name);
        let inside = self.inside.into_iter().flat_map(BTreeMap::keys).copied().filter(replaced);
        inside.chain(self.read.keys().map(String::as_str))
    }

    /// All lists, in the order of their names.
    pub fn values(&self) -> impl Iterator<Item = &Arc<L>> {
        self.names().filter_map(|name| self.get(name))
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.names().count()
    }

    fn with(&self, own: &Self) -> Self {
        let read = self.read.iter().chain(&own.read).map(|(name, list)| (name.clone(), Arc::clone(list)));
        Self { read: read.collect(), inside: own.inside.or(self.inside) }
    }
}

impl Lists {
    /// The lists in these files of the program, by their names.
    pub fn inside(files: impl IntoIterator<Item = (&'static str, ListKind, Arc<YamlText>)>) -> Self {
        let (mut modules, mut lines) = (Inside::new(), Inside::new());
        for (name, kind, file) in files {
            match kind {
                ListKind::Modules => drop(modules.insert(name, InsideList { name, file, list: OnceLock::new() })),
                ListKind::Lines => drop(lines.insert(name, InsideList { name, file, list: OnceLock::new() })),
            }
        }
        Self {
            modules: Known { inside: Some(MODULES.get_or_init(|| modules)), ..Known::default() },
            lines: Known { inside: Some(LINES.get_or_init(|| lines)), ..Known::default() },
        }
    }

    /// These lists and those of the set `own`; where both have a list of one name, `own`'s counts.
    pub fn with(&self, own: &Self) -> Self {
        Self { modules: self.modules.with(&own.modules), lines: self.lines.with(&own.lines) }
    }
}
