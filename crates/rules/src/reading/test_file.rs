//! Files that hold the tests of the rules in the file beside them: `NAME.tests.yaml` those of `NAME.yaml`.
//!
//! A rule can then be read without scrolling past its tests. Tests inside a rule are read, too, because a rule with its
//! tests in one file is the simplest to begin with and to pass on. The tests of one rule are in one of the two places.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::language::keys::OVERLAY_KEYS;
use crate::reading::{SelfTest, Tests, self_test};
use rule_syntax::hints::MISSING_KEYS;
use rule_syntax::mistakes::{MOST, Mistakes, closest, did_you_mean};
use spanned_yaml::{Code, Diagnostic, Entry, Node, Span, YamlText, parse_leniently};

/// What the name of such a file has before its ending.
const MARK: &str = "tests";
/// Its key that holds the tests, by the ids of their rules.
const TESTS: &str = "tests";

/// The file of the rules whose tests are in the file at this path; `None` if its name does not end in `.tests.yaml`.
pub(crate) fn rules_of(path: &Path) -> Option<PathBuf> {
    let (stem, ending) = yaml_name(path)?;
    let stem = Path::new(stem);
    let name = stem.file_stem().filter(|_| stem.extension().is_some_and(|mark| mark == MARK))?;
    Some(path.with_file_name([name, ending].join(OsStr::new("."))))
}

/// The file that holds the tests of the rules in the file at this path, if there is one. `None` for such a file itself
/// and for a path that does not end in `.yaml` or `.yml`.
pub(crate) fn tests_of(path: &Path) -> Option<PathBuf> {
    let (stem, ending) = yaml_name(path).filter(|_| rules_of(path).is_none())?;
    Some(path.with_file_name([stem, OsStr::new(MARK), ending].join(OsStr::new("."))))
}

/// The file that is read with the one at this path: `NAME.tests.yaml` with `NAME.yaml`, and the other way round.
#[must_use]
pub fn read_with(path: &Path) -> Option<PathBuf> {
    tests_of(path).or_else(|| rules_of(path))
}

/// The name of a YAML file without its ending, and the ending.
fn yaml_name(path: &Path) -> Option<(&OsStr, &OsStr)> {
    let ending = path.extension().filter(|ending| *ending == "yaml" || *ending == "yml")?;
    Some((path.file_stem()?, ending))
}

/// The name of the file with the rules that are tested in this one.
fn tested_by(tests: &YamlText) -> String {
    name_of(&rules_of(Path::new(&tests.name)).unwrap_or_default())
}

/// The last part of a path.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// `R054`: tests beside which the file of their rules is missing.
pub(crate) fn without_rules(rules: &Path, tests: &Arc<YamlText>) -> Diagnostic {
    let message = format!("this file has tests of the rules in {}, which is not in this folder", name_of(rules));
    let help = "the tests of the rules in NAME.yaml are in NAME.tests.yaml in the same folder";
    Diagnostic::error(Code::R054, tests, Span::file_start(), message).with_help(help)
}

/// What the file with tests beside a file with rules says, as far as it could be understood.
#[derive(Debug)]
pub(crate) enum TestFile {
    /// There is no such file.
    Nothing,
    /// The file could not be read, so which rules it tests is not known.
    Unread,
    /// The tests of some rules.
    Read { file: Arc<YamlText>, entries: Vec<Tested> },
}

/// The tests of one rule.
#[derive(Debug)]
pub(crate) struct Tested {
    id: String,
    /// The place of the id.
    span: Span,
    /// `None` where there are mistakes in them.
    tests: Option<Vec<SelfTest>>,
}

impl TestFile {
    /// Reads the file with tests. Everything that is wrong goes to `found`.
    pub fn read(file: &Arc<YamlText>, found: &mut Vec<Diagnostic>) -> Self {
        let (root, wrong) = parse_leniently(file);
        found.extend(wrong);
        let mut mistakes = Mistakes::new(file);
        let entries = root.and_then(|root| entries(&root, &mut mistakes));
        found.extend(mistakes.take());
        entries.map_or(Self::Unread, |entries| Self::Read { file: Arc::clone(file), entries })
    }

    /// Whether there is such a file, so that a rule needs no tests inside of it.
    pub fn is_there(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// `R052`: tests of a rule that is not among the `rules` of the file with rules.
    pub fn report_unknown(&self, rules: &[Node], found: &mut Vec<Diagnostic>) {
        let Self::Read { file, entries } = self else { return };
        // A rule without an id could be any of them.
        if rules.iter().any(|rule| id_of(rule).is_none()) {
            return;
        }
        for entry in entries.iter().filter(|entry| !is_one_of(rules, &entry.id)).take(MOST) {
            let message = format!("there is no rule `{}` in {}", entry.id, tested_by(file));
            let help = entry.meant(rules).map_or_else(
                || "tests are beside their rule: those of the rules in NAME.yaml in NAME.tests.yaml".to_owned(),
                did_you_mean,
            );
            found.push(Diagnostic::error(Code::R052, file, entry.span, message).with_help(help));
        }
    }

    /// The tests of a rule that has none inside of it; `rules` are all rules of its file. `None` if they are missing
    /// (`R011`, in `mistakes` of the file with rules) or wrong, which is reported in the file with tests.
    pub fn tests_of(&self, rule: &Node, rules: &[Node], mistakes: &mut Mistakes) -> Option<Tests> {
        let Self::Read { file, entries } = self else { return None };
        let id = rule.get("id").filter(|id| id.text().is_some())?;
        let name = id.text().unwrap_or_default();
        if let Some(tested) = entries.iter().find(|tested| tested.id == name) {
            return Some(Tests { file: Arc::clone(file), all: tested.tests.clone()? });
        }
        // Neither a slip in the id nor one in the key of the rule itself is a second mistake.
        let slip = |entry: &Entry| closest(entry.name(), [TESTS]).is_some();
        let is_misspelt = entries.iter().any(|tested| tested.meant(rules) == Some(name))
            || rule.entries().unwrap_or_default().iter().any(slip);
        if !is_misspelt {
            let message = format!("a rule needs tests, and {} has none of `{name}`", name_of(Path::new(&file.name)));
            let help = format!("below `{name}:` there, {}", MISSING_KEYS.get(TESTS).unwrap_or_default());
            mistakes.error_with_help(Code::R011, id.span, message, help);
        }
        None
    }

    /// `R053`: the file has tests for a rule that contains tests itself, at `inside`.
    pub fn report_twice(&self, rule: &Node, inside: Span, mistakes: &mut Mistakes) {
        let Self::Read { file, entries } = self else { return };
        let Some(tested) = entries.iter().find(|tested| Some(tested.id.as_str()) == id_of(rule)) else { return };
        let message = format!("the rule `{}` has tests here and inside of it", tested.id);
        let help = "move the tests of the rule into one of the two places";
        let twice = Diagnostic::error(Code::R053, file, tested.span, message);
        mistakes.add(twice.with_other(&mistakes.file, inside, "and here").with_help(help));
    }
}

impl Tested {
    /// The rule's id that the author probably meant, if no rule has this id.
    fn meant<'r>(&self, rules: &'r [Node]) -> Option<&'r str> {
        if is_one_of(rules, &self.id) { None } else { closest(&self.id, rules.iter().filter_map(id_of)) }
    }
}

/// The tests by rules; `None` where the file does not say in a readable way which rules it has tests of.
fn entries(root: &Node, mistakes: &mut Mistakes) -> Option<Vec<Tested>> {
    let entries = mistakes.mapping(root, "a file with tests")?;
    if !mistakes.schema(root) {
        return None;
    }
    let (keys, file) = (["schema", TESTS], Arc::clone(&mistakes.file));
    let rules_elsewhere = |key: &str| {
        let known = key == "rules" || OVERLAY_KEYS.contains(&key);
        known.then(|| format!("`{key}` belongs into {}", tested_by(&file)))
    };
    mistakes.keys_or(entries, root.span, "a file with tests", &keys, &keys, rules_elsewhere);
    let tests = root.get(TESTS)?;
    match tests.entries() {
        Some([]) => mistakes.error(Code::R012, tests.span, "`tests` must not be empty"),
        Some(entries) => return Some(entries.iter().map(|entry| tested(entry, mistakes)).collect()),
        None => {
            let message = format!("`tests` of a file must be a mapping, not {}", tests.kind_name());
            let help = "write the id of each rule and a `:`, and below it the list of its tests";
            mistakes.error_with_help(Code::R012, tests.span, message, help);
        }
    }
    None
}

fn tested(entry: &Entry, mistakes: &mut Mistakes) -> Tested {
    let before = mistakes.errors();
    let tests = self_test::read(&entry.value, entry.key.span, mistakes);
    let tests = (mistakes.errors() == before).then_some(tests);
    Tested { id: entry.name().to_owned(), span: entry.key.span, tests }
}

fn id_of(rule: &Node) -> Option<&str> {
    rule.get("id").and_then(Node::text)
}

fn is_one_of(rules: &[Node], id: &str) -> bool {
    rules.iter().any(|rule| id_of(rule) == Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_tests_is_named_after_the_file_with_the_rules() {
        for (rules, tests) in [("a/x.yaml", "a/x.tests.yaml"), ("b.c.yml", "b.c.tests.yml")] {
            assert_eq!(tests_of(Path::new(rules)).as_deref(), Some(Path::new(tests)));
            assert_eq!(rules_of(Path::new(tests)).as_deref(), Some(Path::new(rules)));
            assert_eq!((rules_of(Path::new(rules)), tests_of(Path::new(tests))), (None, None));
        }
        for other in ["x", "tests.yaml", "a/.tests.yaml", "x.tests.json", "x.tests"] {
            assert_eq!(rules_of(Path::new(other)), None, "{other}");
        }
    }
}
