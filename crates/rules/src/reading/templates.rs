//! Texts with facts in them.
//!
//! The language is Jinja's, cut down to `{{ ... }}` and `{% if %}`: with loops or definitions it could not be known
//! when a rule is loaded that its text can always be written. A fact is the text that reports print for it, so that
//! `or` and `if` ask one thing only, whether it is known: with numbers and flags, 0 and false would count as absent.
//!
//! Rules may be a stranger's. So that no text takes much time or memory, its length and the facts in it are limited, and so
//! are the steps and the bytes of writing it; of Jinja's filters there are those that make no text much longer.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use minijinja::value::{Object, Value as Printed};
use minijinja::{Environment, Error, ErrorKind, Template, UndefinedBehavior, filters};
use regex::Regex;

use crate::language::FOUND;
use crate::reading::Effort;
use crate::reading::guarantee::World;
use facts::schema::{LISTS, SCALARS, scalar};
use facts::{FactSet, FactType, Value};
use rule_syntax::mistakes::{Mistakes, listing, suggestion};
use spanned_yaml::{Code, Node};

/// Blocks that a text may use.
const BLOCKS: &[&str] = &["if", "elif", "else", "endif"];

/// The longest text with facts in it, bytes. The longest of the built-in rules has a tenth of it.
const LONGEST: usize = 16 << 10;

/// The most places of a text in which facts or conditions are.
const MOST_PLACES: usize = 200;

/// The most different facts in a text: whether it can be written is tried without each of them.
const MOST_FACTS: usize = 40;

/// The most steps of writing a text; a fact with a fallback takes ten.
const MOST_STEPS: u64 = 2_000;

/// The most bytes that a text has with its facts filled in, and what a filter makes: a fact has some thousand at most.
const MOST_WRITTEN: usize = 64 << 10;

/// The most texts of which some are selected: each is looked for in a text.
const MOST_SELECTED: usize = 500;

/// The bytes of a fact that are printed.
const MOST_OF_FACT: usize = 8 << 10;

/// Printed in the place of a fact that is absent although its rule matched. The checks at loading make this rare.
const ABSENT: &str = "(unknown)";

/// Checks texts of rules, and fills facts into them.
#[derive(Debug)]
pub(crate) struct Templates {
    /// Prints what is absent as [`ABSENT`]. A text is its own name here; it is compiled when it is first filled in, and
    /// kept.
    lenient: LazyLock<Environment<'static>>,
    trial: LazyLock<Trial>,
}

impl Default for Templates {
    fn default() -> Self {
        let lenient = || {
            let mut lenient = environment(UndefinedBehavior::Chainable, Some(ABSENT));
            lenient.set_loader(|text| Ok(Some(text.to_owned())));
            lenient
        };
        let trial = || Trial {
            strict: environment(UndefinedBehavior::SemiStrict, None),
            comparing: environment(UndefinedBehavior::Chainable, None),
        };
        Self { lenient: LazyLock::new(lenient), trial: LazyLock::new(trial) }
    }
}

/// An environment with the filters of [`FILTERS`] and without functions and tests. Printing what is absent gives `absent`,
/// or an error.
fn environment(undefined: UndefinedBehavior, absent: Option<&'static str>) -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.add_filter("lower", filters::lower);
    environment.add_filter("upper", filters::upper);
    environment.add_filter("title", filters::title);
    environment.add_filter("capitalize", filters::capitalize);
    environment.add_filter("trim", filters::trim);
    environment.add_filter("first", filters::first);
    environment.add_filter("last", filters::last);
    environment.add_filter("default", filters::default);
    environment.add_filter("split", split);
    environment.add_filter("join", join);
    environment.add_filter("list", filters::list);
    environment.add_filter("select", select);
    environment.set_fuel(Some(MOST_STEPS));
    environment.set_debug(absent.is_none());
    environment.set_undefined_behavior(undefined);
    environment.set_formatter(move |out, state, value| match absent {
        _ if !value.is_undefined() => minijinja::escape_formatter(out, state, value),
        Some(absent) => out.write_str(absent).map_err(Error::from),
        None => Err(ErrorKind::UndefinedError.into()),
    });
    environment
}

/// The filters that texts can use.
const FILTERS: [&str; 12] =
    ["capitalize", "default", "first", "join", "last", "list", "lower", "select", "split", "title", "trim", "upper"];

/// The parts of a text between `separator`, or between blanks.
fn split(text: &Printed, separator: Option<Arc<str>>) -> Result<Printed, Error> {
    within_limit(text.as_str().map_or(0, str::len))?;
    filters::split(text, separator, None)
}

/// One text of several, with `separator` between them.
fn join(parts: &Printed, separator: Option<Cow<'_, str>>) -> Result<String, Error> {
    let separator = separator.unwrap_or_default();
    let mut joined = String::new();
    for (index, part) in parts.try_iter()?.enumerate() {
        if index > 0 {
            joined.push_str(&separator);
        }
        match part.as_str() {
            Some(part) => joined.push_str(part),
            None => joined.push_str(&part.to_string()),
        }
        within_limit(joined.len())?;
    }
    Ok(joined)
}

/// Those of several texts that are in `text`: the test is `in`, the only one that rules need.
fn select(parts: &Printed, test: &str, text: &Printed) -> Result<Vec<Printed>, Error> {
    let wrong = |message: &'static str| Error::new(ErrorKind::InvalidOperation, message);
    if test != "in" {
        return Err(wrong("the test of `select` is \"in\""));
    }
    let text = text.as_str().ok_or_else(|| Error::from(ErrorKind::UndefinedError))?;
    let parts: Vec<Printed> = parts.try_iter()?.take(MOST_SELECTED.saturating_add(1)).collect();
    if parts.len() > MOST_SELECTED {
        return Err(wrong("`select` has too many texts"));
    }
    Ok(parts.into_iter().filter(|part| part.as_str().is_some_and(|part| text.contains(part))).collect())
}

/// Fails where a text of so many bytes is too long.
fn within_limit(bytes: usize) -> Result<(), Error> {
    let is_within = bytes <= MOST_WRITTEN;
    is_within.then_some(()).ok_or_else(|| Error::new(ErrorKind::InvalidOperation, too_long_message()))
}

fn too_long_message() -> String {
    format!("it gets longer than {MOST_WRITTEN} bytes")
}

/// Takes what is written, up to [`MOST_WRITTEN`] bytes.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > MOST_WRITTEN {
            return Err(io::Error::other(too_long_message()));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The template's text with facts filled in.
fn render(template: &Template, facts: &FactValues) -> Result<String, Error> {
    let mut out = Limited(Vec::new());
    template.render_captured_to(facts.printed(), &mut out)?;
    // What is written are texts.
    Ok(String::from_utf8(out.0).unwrap_or_default())
}

impl Templates {
    /// Checks a text: whether it can be written in each of the worlds.
    pub fn check(&self, node: &Node, worlds: &[World], effort: &Effort, mistakes: &mut Mistakes) -> bool {
        let text = node.text().unwrap_or_default();
        let wrongs = if is_template(text) { check(&self.trial, text, worlds, effort) } else { Vec::new() };
        let is_fine = wrongs.is_empty();
        for wrong in wrongs {
            let span = wrong.at.map_or(node.span, |at| node.span_within(&mistakes.file, at));
            mistakes.error_with_help(wrong.code, span, wrong.message, wrong.help);
        }
        is_fine
    }

    /// The text with facts filled in, or why it can't be written.
    pub fn try_fill<'t>(&self, text: &'t str, facts: &FactValues) -> Result<Cow<'t, str>, String> {
        if !is_template(text) {
            return Ok(Cow::Borrowed(text));
        }
        let filled = self.lenient.get_template(text).and_then(|template| render(&template, facts));
        filled.map(|filled| Cow::Owned(without_gaps(&filled))).map_err(|error| failure(&error).message)
    }

    /// The text with facts filled in. Never fails: what can't be written is shown as the rule has it.
    pub fn fill<'t>(&self, text: &'t str, facts: &FactValues) -> Cow<'t, str> {
        self.try_fill(text, facts).unwrap_or(Cow::Borrowed(text))
    }
}

/// The text with what stands in the place of facts that are not known.
pub(crate) fn without_facts(text: &str) -> Cow<'_, str> {
    static TEMPLATES: LazyLock<Templates> = LazyLock::new(Templates::default);
    if !is_template(text) {
        return Cow::Borrowed(text);
    }
    TEMPLATES.fill(text, &FactValues::new(Vec::new()))
}

/// The text with a word in the place of each fact, and without conditions.
pub(crate) fn without_templates(text: &str) -> Cow<'_, str> {
    if !is_template(text) {
        return Cow::Borrowed(text);
    }
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        all.push_str(before);
        let (end, word) = match from.get(..2) {
            Some("{{") => ("}}", "NAME"),
            Some("{%") => ("%}", ""),
            Some("{#") => ("#}", ""),
            _ => ("{", "{"),
        };
        all.push_str(word);
        rest = from.split_once(end).map_or("", |(_, behind)| behind);
    }
    Cow::Owned(all + rest)
}

/// The type of the first fact that an expression names.
pub(crate) fn kind_of_fact_in(expression: &str) -> Option<FactType> {
    let words = expression.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.'));
    words.filter_map(printable).map(|(_, kind)| kind).next()
}

/// Whether a text has facts in it, where those are filled in.
pub(crate) fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}

/// Joins the two spaces that an `if` without output leaves behind.
fn without_gaps(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for character in text.trim().chars() {
        if character != ' ' || !tidy.ends_with(' ') {
            tidy.push(character);
        }
    }
    tidy
}

/// The environments in which texts are rendered on trial when they are loaded.
#[derive(Debug)]
struct Trial {
    /// Fails on every use of an absent fact.
    strict: Environment<'static>,
    /// Fails on printing an absent fact, but allows comparing it: it equals nothing.
    comparing: Environment<'static>,
}

impl Trial {
    /// The template is `text`, of the strict environment.
    fn render(&self, template: &Template, text: &str, facts: &FactValues) -> Result<(), Error> {
        let error = match render(template, facts) {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        let compares = |part: &str| part.contains("==") || part.contains("!=");
        let failed = error.range().and_then(|at| text.get(at)).is_some_and(|part| compares(&without_literals(part)));
        if !failed {
            return Err(error);
        }
        render(&self.comparing.template_from_str(text)?, facts).map(drop)
    }
}

/// The facts of an incident as texts use them: a group such as `process` is made when a text names it, and a fact
/// becomes text when it is printed. A text names a few of the hundred that there are.
pub(crate) struct FactValues(Facts);

impl FactValues {
    /// All known facts with one value.
    pub fn known_in(facts: &FactSet) -> Self {
        Self::new(facts.scalars().map(|(path, known)| (path, known.value.clone())).collect())
    }

    /// The same with what named groups of expressions found, by paths of [`FOUND`].
    pub fn with(&self, found: Vec<(&'static str, Value)>) -> Self {
        Self::new(self.0.iter().cloned().chain(found).collect())
    }

    fn new(facts: Vec<(&'static str, Value)>) -> Self {
        Self(facts.into())
    }

    fn printed(&self) -> Printed {
        Printed::from_object(Groups(Arc::clone(&self.0)))
    }
}

/// The type of what a text can print by this path: of a fact, or of what a named group finds.
fn printable(path: &str) -> Option<(&'static str, FactType)> {
    let found = || FOUND.iter().find(|found| **found == path).map(|found| (*found, FactType::Text));
    scalar(path).map(|fact| (fact.path, fact.kind)).or_else(found)
}

/// The paths of all that a text can print.
fn printable_paths() -> impl Iterator<Item = &'static str> + Clone {
    SCALARS.iter().map(|fact| fact.path).chain(FOUND)
}

/// Facts with their paths.
type Facts = Arc<[(&'static str, Value)]>;

/// All known facts, by the part of their path before the first dot.
#[derive(Debug)]
struct Groups(Facts);

/// The facts of one group.
#[derive(Debug)]
struct Group {
    name: &'static str,
    facts: Facts,
}

impl Object for Groups {
    fn get_value(self: &Arc<Self>, key: &Printed) -> Option<Printed> {
        static NAMES: LazyLock<BTreeSet<&'static str>> =
            LazyLock::new(|| printable_paths().filter_map(|path| path.split_once('.')).map(|(name, _)| name).collect());
        // A group without known facts is there all the same, so that asking for its facts is no error.
        let name = NAMES.get(key.as_str()?)?;
        Some(Printed::from_object(Group { name, facts: Arc::clone(&self.0) }))
    }
}

impl Object for Group {
    fn get_value(self: &Arc<Self>, key: &Printed) -> Option<Printed> {
        let wanted = key.as_str()?;
        let is_it = |path: &str| {
            let name = path.strip_prefix(self.name).and_then(|rest| rest.strip_prefix('.'));
            name == Some(wanted)
        };
        let (path, value) = self.facts.iter().find(|(path, _)| is_it(path))?;
        let mut shown = value.display(printable(path)?.1);
        if shown.len() > MOST_OF_FACT {
            shown.truncate((0..=MOST_OF_FACT).rev().find(|end| shown.is_char_boundary(*end)).unwrap_or_default());
        }
        Some(Printed::from(shown))
    }
}

/// What is wrong with a text, and where in it.
struct TextMistake {
    code: Code,
    at: Option<Range<usize>>,
    message: String,
    help: String,
}

fn check(trial: &Trial, text: &str, worlds: &[World], effort: &Effort) -> Vec<TextMistake> {
    let places = || text.match_indices("{{").chain(text.match_indices("{%")).count();
    if text.len() > LONGEST || places() > MOST_PLACES {
        let message = format!("a text with facts has at most {LONGEST} bytes, and {MOST_PLACES} places with facts");
        let help = "shorten it, or leave facts out".to_owned();
        return vec![TextMistake { code: Code::R040, at: None, message, help }];
    }
    let mut told = forbidden_blocks(text);
    told.extend(multiplications(text));
    let is_readable = told.is_empty();
    told.extend(no_text_comparisons(text));
    if !is_readable {
        return told;
    }
    told.extend(check_facts(trial, text, worlds, effort));
    told
}

/// What is wrong with the facts that a text prints.
fn check_facts(trial: &Trial, text: &str, worlds: &[World], effort: &Effort) -> Vec<TextMistake> {
    let template = match trial.strict.template_from_str(text) {
        Ok(template) => template,
        Err(error) => return vec![failure(&error)],
    };
    let paths: BTreeSet<String> = template.undeclared_variables(true).into_iter().collect();
    if paths.len() > MOST_FACTS {
        let message = format!("{} different facts in one text, more than {MOST_FACTS}", paths.len());
        let help = "leave facts out".to_owned();
        return vec![TextMistake { code: Code::R040, at: None, message, help }];
    }
    let mut unknown: Vec<TextMistake> = paths.iter().filter_map(|path| unknown_fact(text, path)).collect();
    if !unknown.is_empty() {
        // The others can be looked at as if a text stood in the place of these.
        let others = paths
            .iter()
            .filter(|path| printable(path).is_none())
            .fold(text.to_owned(), |text, path| with_text_for(&text, path));
        if others != text && trial.strict.template_from_str(&others).is_ok_and(|template| names_only_facts(&template)) {
            unknown.extend(check_facts(trial, &others, worlds, effort));
        }
        return unknown;
    }
    // What a text does not name has no say in whether it can be written.
    let named: Vec<_> = paths.iter().filter_map(|path| printable(path)).collect();
    let render = |absent: &dyn Fn(&str) -> bool| {
        let known = named.iter().filter(|(path, _)| !absent(path));
        let facts = FactValues::new(known.map(|(path, kind)| (*path, example(*kind))).collect());
        trial.render(&template, text, &facts)
    };
    // Each world is tried without each fact, and without all.
    let times = paths.len().saturating_add(1).saturating_mul(worlds.len()).saturating_add(1);
    if !effort.write(text.len().saturating_mul(times)) {
        let message = "the texts of this rule set take too long to check: too many ways to match, each with many facts";
        let help = "leave facts out of texts, or split the rule".to_owned();
        return vec![TextMistake { code: Code::R004, at: None, message: message.to_owned(), help }];
    }
    if let Err(error) = render(&|_| false) {
        return vec![failure(&error)];
    }
    let mut wrongs: BTreeMap<String, TextMistake> = BTreeMap::new();
    for world in worlds {
        let uncertain: Vec<&str> = paths.iter().map(String::as_str).filter(|path| !world.contains(path)).collect();
        let alone = uncertain.iter().filter_map(|path| {
            let error = render(&|absent| absent == *path).err()?;
            Some(may_be_absent(text, &[*path], &error))
        });
        let mut alone = alone.peekable();
        // Each alone may be fine; `{{ a or b }}` still has nothing to print when both are absent.
        let all = match alone.peek() {
            Some(_) => None,
            None => {
                render(&|path| uncertain.contains(&path)).err().map(|error| may_be_absent(text, &uncertain, &error))
            }
        };
        wrongs.extend(alone.chain(all).map(|wrong| (wrong.message.clone(), wrong)));
    }
    wrongs.into_values().collect()
}

/// Whether all names in a template are facts of the schema.
fn names_only_facts(template: &Template) -> bool {
    template.undeclared_variables(true).iter().all(|path| printable(path).is_some())
}

/// The text with each use of a path replaced by a quoted text of the same length, so that places stay.
fn with_text_for(text: &str, path: &str) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let mut other = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(path) {
        other.push_str(before);
        let stands_alone = !before.ends_with(is_of_name) && !after.starts_with(is_of_name);
        if stands_alone && path.len() > 2 {
            other.push('"');
            other.extend(std::iter::repeat_n('_', path.len().saturating_sub(2)));
            other.push('"');
        } else {
            other.push_str(path);
        }
        rest = after;
    }
    other + rest
}

fn forbidden_blocks(text: &str) -> Vec<TextMistake> {
    let (mut all, mut forbidden) = (Vec::new(), BTreeSet::new());
    for (start, _) in text.match_indices("{%") {
        let inside =
            text.get(start.saturating_add(2)..).unwrap_or_default().trim_start_matches(['-', '+']).trim_start();
        let word: String = inside.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // The end of a block that was told is no mistake of its own.
        let is_end = word.strip_prefix("end").is_some_and(|begun| forbidden.contains(begun));
        if !BLOCKS.contains(&word.as_str()) && !is_end {
            let message = format!("`{{% {word} %}}` is not used in rules");
            let help = format!("the blocks are {}", listing(BLOCKS.iter().copied()));
            all.push(TextMistake { code: Code::R040, at: Some(start..start.saturating_add(2)), message, help });
            forbidden.insert(word);
        }
    }
    all
}

/// Finds multiplications, which make long texts of short ones, and powers.
fn multiplications(text: &str) -> Vec<TextMistake> {
    let mut all = Vec::new();
    for (start, _) in text.match_indices("{{").chain(text.match_indices("{%")) {
        let inside = without_literals(text.get(start..).unwrap_or_default());
        let end = inside.find(if text.get(start..).is_some_and(|rest| rest.starts_with("{{")) { "}}" } else { "%}" });
        let Some(at) = inside.get(..end.unwrap_or(inside.len())).and_then(|inside| inside.find('*')) else { continue };
        let message = "`*` is not used in texts".to_owned();
        let help = "facts are texts here, and can't be multiplied".to_owned();
        let at = start.saturating_add(at);
        all.push(TextMistake { code: Code::R040, at: Some(at..at.saturating_add(1)), message, help });
    }
    all
}

/// Finds comparisons with something that is no text, which could never be equal to a fact.
fn no_text_comparisons(text: &str) -> Vec<TextMistake> {
    static NUMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"[!=]=\s*(?:[-+]?\d|true\b|false\b)|(?:\b\d+|true|false)\s*[!=]=|[<>]").ok());
    let mut all = Vec::new();
    for (open, close) in [("{{", "}}"), ("{%", "%}")] {
        for (start, _) in text.match_indices(open) {
            let inside = text.get(start..).unwrap_or_default();
            let inside = inside.split_once(close).map_or(inside, |(inside, _)| inside);
            let found =
                NUMBER.as_ref().and_then(|number| number.find(&without_literals(inside)).map(|found| found.range()));
            let Some(found) = found else { continue };
            let message = "facts are texts here, and can only be compared with texts".to_owned();
            let help = "write the text that reports print: `{% if exception.fast_fail == \"7\" %}`".to_owned();
            let at = start.saturating_add(found.start)..start.saturating_add(found.end);
            all.push(TextMistake { code: Code::R044, at: Some(at), message, help });
        }
    }
    all
}

/// The text with `_` in the place of every byte in quotes.
fn without_literals(text: &str) -> String {
    let mut quote = None;
    let mut is_escaped = false;
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        let was_escaped = is_escaped;
        is_escaped = quote.is_some() && character == '\\' && !was_escaped;
        if quote == Some(character) && !was_escaped {
            quote = None;
            plain.push(character);
        } else if quote.is_some() {
            plain.extend(std::iter::repeat_n('_', character.len_utf8()));
        } else {
            if matches!(character, '"' | '\'') {
                quote = Some(character);
            }
            plain.push(character);
        }
    }
    plain
}

fn unknown_fact(text: &str, path: &str) -> Option<TextMistake> {
    let known = printable_paths;
    if printable(path).is_some() {
        return None;
    }
    let list = LISTS.iter().find(|list| path == list.name || path.starts_with(&format!("{}.", list.name)));
    let help = match list {
        Some(list) => format!("`{}` is a list; a text can only print facts with one value", list.name),
        None => suggestion(path, known())
            .unwrap_or_else(|| "`crashsift rules facts` prints all facts with their types".to_owned()),
    };
    let at = text.find(path).map(|start| start..start.saturating_add(path.len()));
    Some(TextMistake { code: Code::R041, at, message: format!("there is no fact `{path}`"), help })
}

/// The mistake that a fact may be absent where it is printed, or all of several.
fn may_be_absent(text: &str, paths: &[&str], error: &Error) -> TextMistake {
    if error.kind() != ErrorKind::UndefinedError {
        return failure(error);
    }
    let at = error.range().filter(|at| !at.is_empty());
    if let [path] = paths {
        let at = at.or_else(|| text.find(path).map(|start| start..start.saturating_add(path.len())));
        let message = format!("`{path}` may be absent when this text is written");
        let help = format!(
            r#"write `{{{{ {path} or "..." }}}}`; only what the condition of the rule asks for is always there"#
        );
        return TextMistake { code: Code::R042, at, message, help };
    }
    let printed = at.clone().and_then(|at| text.get(at)).unwrap_or(text);
    let named = paths.iter().copied().filter(|path| printed.contains(path));
    let message = format!("{} may all be absent when this text is written", listing(named));
    let help = "put a text that is always there last: `{{ ... or \"...\" }}`".to_owned();
    TextMistake { code: Code::R042, at, message, help }
}

fn failure(error: &Error) -> TextMistake {
    let message = match error.detail() {
        Some(detail) if error.kind() == ErrorKind::UnknownFilter => {
            format!("the text can't be written: {detail}; the filters are {}", listing(FILTERS))
        }
        Some(detail) => format!("the text can't be written: {detail}"),
        None if error.kind() == ErrorKind::OutOfFuel => {
            format!("the text can't be written: it takes more than {MOST_STEPS} steps")
        }
        None => format!("the text can't be written: {}", error.kind()),
    };
    let help = r#"facts are written as {{ fact.path }} or {{ fact.path or "a fallback" }}"#.to_owned();
    TextMistake { code: Code::R040, at: error.range().filter(|at| !at.is_empty()), message, help }
}

/// A value to try a text with.
fn example(kind: FactType) -> Value {
    Value::Text(Arc::from(match kind {
        FactType::Flag => "true",
        FactType::Number | FactType::Duration => "7",
        FactType::Code => "0xC0000005",
        FactType::Address => "0x1000",
        FactType::Version => "1.2.3.4",
        FactType::Word(words) => words.first().copied().unwrap_or("word"),
        FactType::Module => "example.dll",
        FactType::Path => r"C:\example.dll",
        FactType::Text => "example",
    }))
}
