//! Texts with facts in them.
//!
//! The language is Jinja's, cut down to `{{ ... }}` and `{% if %}`: with loops or definitions it could not be known
//! when a rule is loaded that its text can always be written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use minijinja::value::{Object, Value as Printed};
use minijinja::{Environment, ErrorKind, UndefinedBehavior};

use super::guarantee::World;
use super::mistakes::{Mistakes, listing, suggestion};
use crate::facts::schema::{FactDefinition, LISTS, SCALARS};
use crate::facts::{FactSet, FactType, Value};
use crate::yaml::Node;

/// Blocks that a text may use.
const BLOCKS: &[&str] = &["if", "elif", "else", "endif"];

/// What stands for a fact that is absent although its rule matched. The checks at loading make this rare.
const ABSENT: &str = "(unknown)";

/// A text of a rule.
#[derive(Debug, Clone)]
pub(super) enum Text {
    /// Without facts in it.
    Plain(String),
    /// A template, as written and by its name among the [`Templates`].
    Template { written: String, name: String },
}

impl Text {
    /// The text as the rule has it.
    pub fn written(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Template { written: text, .. } => text,
        }
    }
}

/// Whether a text would be a template where templates are used.
pub(super) fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}

/// All compiled texts of all rules.
#[derive(Debug)]
pub(super) struct Templates {
    /// Prints what is absent as [`ABSENT`].
    lenient: Environment<'static>,
    count: usize,
}

impl Default for Templates {
    fn default() -> Self {
        let mut lenient = bare_environment();
        lenient.set_undefined_behavior(UndefinedBehavior::Chainable);
        lenient.set_formatter(|out, state, value| {
            if value.is_undefined() {
                return out.write_str(ABSENT).map_err(minijinja::Error::from);
            }
            minijinja::escape_formatter(out, state, value)
        });
        Self { lenient, count: 0 }
    }
}

impl Templates {
    /// Compiles and checks a text. It must be possible to write it in each of the worlds.
    pub fn add(&mut self, node: &Node, worlds: &[World], mistakes: &mut Mistakes) -> Option<Text> {
        let written = node.text()?.trim().to_owned();
        if !is_template(&written) {
            return Some(Text::Plain(written));
        }
        let wrongs = check(node.text()?, worlds);
        let fine = wrongs.is_empty();
        for wrong in wrongs {
            let span = wrong.at.map_or(node.span, |at| node.span_within(&mistakes.file, at));
            mistakes.error_with_help(wrong.code, span, wrong.message, wrong.help);
        }
        let name = self.count.to_string();
        self.count = self.count.saturating_add(1);
        let added = self.lenient.add_template_owned(name.clone(), written.clone()).is_ok();
        (fine && added).then_some(Text::Template { written, name })
    }

    /// The text with facts filled in. Never fails: what can't be written is shown as the rule has it.
    pub fn fill<'t>(&self, text: &'t Text, facts: &FactValues) -> Cow<'t, str> {
        match text {
            Text::Plain(text) => Cow::Borrowed(text),
            Text::Template { written, name } => {
                let filled = self.lenient.get_template(name).and_then(|template| template.render(facts.0.clone()));
                filled.map_or(Cow::Borrowed(written), |filled| Cow::Owned(without_gaps(&filled)))
            }
        }
    }
}

/// An `if` that writes nothing leaves two spaces behind.
fn without_gaps(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for character in text.trim().chars() {
        if character != ' ' || !tidy.ends_with(' ') {
            tidy.push(character);
        }
    }
    tidy
}

/// Filters as in Jinja, functions not: none of them says anything about facts.
fn bare_environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let names: Vec<String> = environment.globals().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        environment.remove_global(&name);
    }
    environment
}

/// The facts of an incident as texts use them.
pub(super) struct FactValues(Printed);

impl FactValues {
    /// All known facts with one value.
    pub fn of(facts: &FactSet) -> Self {
        Self::build(|fact| facts.get(fact.path).map(|known| printed(&known.value, fact.kind)))
    }

    fn build(value: impl Fn(&FactDefinition) -> Option<Printed>) -> Self {
        let mut groups: BTreeMap<&'static str, BTreeMap<&'static str, Printed>> = BTreeMap::new();
        for fact in SCALARS {
            let Some((group, name)) = fact.path.split_once('.') else { continue };
            // A group without known facts is there all the same, so that asking for its facts is no error.
            let group = groups.entry(group).or_default();
            if let Some(value) = value(fact) {
                group.insert(name, value);
            }
        }
        let groups = groups.into_iter().map(|(name, group)| (name, Printed::from_object(Group(group))));
        Self(Printed::from_object(Group(groups.collect())))
    }
}

/// Numbers and flags keep their type, so that an `if` can compare them; everything else is what reports print.
fn printed(value: &Value, kind: FactType) -> Printed {
    match (value, kind) {
        (Value::Flag(flag), _) => Printed::from(*flag),
        (Value::Number(number), FactType::Number) => Printed::from(*number),
        _ => Printed::from(value.display(kind)),
    }
}

#[derive(Debug)]
struct Group(BTreeMap<&'static str, Printed>);

impl Object for Group {
    fn get_value(self: &Arc<Self>, key: &Printed) -> Option<Printed> {
        self.0.get(key.as_str()?).cloned()
    }
}

/// What is wrong with a text.
struct Wrong {
    code: &'static str,
    at: Option<Range<usize>>,
    message: String,
    help: String,
}

fn check(text: &str, worlds: &[World]) -> Vec<Wrong> {
    if let Some(wrong) = forbidden_block(text) {
        return vec![wrong];
    }
    let mut strict = bare_environment();
    strict.set_debug(true);
    strict.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    if let Err(error) = strict.add_template_owned("text", text.to_owned()) {
        return vec![failure(&error)];
    }
    let Ok(template) = strict.get_template("text") else { return Vec::new() };
    let paths: BTreeSet<String> = template.undeclared_variables(true).into_iter().collect();
    let unknown: Vec<Wrong> = paths.iter().filter_map(|path| unknown_fact(text, path)).collect();
    if !unknown.is_empty() {
        return unknown;
    }
    let render = |absent: &dyn Fn(&str) -> bool| {
        template.render(FactValues::build(|fact| (!absent(fact.path)).then(|| example(fact.kind))).0)
    };
    if let Err(error) = render(&|_| false) {
        return vec![failure(&error)];
    }
    let mut wrongs: BTreeMap<String, Wrong> = BTreeMap::new();
    for world in worlds {
        let uncertain: Vec<&str> = paths.iter().map(String::as_str).filter(|path| !world.contains(path)).collect();
        let alone = uncertain.iter().filter_map(|path| {
            let error = render(&|absent| absent == *path).err()?;
            Some(no_fallback(text, path, &error))
        });
        let mut alone = alone.peekable();
        // Each alone may be fine; `{{ a or b }}` still has nothing to print when both are absent.
        let all = match alone.peek() {
            Some(_) => None,
            None => render(&|path| uncertain.contains(&path)).err().map(|error| none_known(text, &uncertain, &error)),
        };
        wrongs.extend(alone.chain(all).map(|wrong| (wrong.message.clone(), wrong)));
    }
    wrongs.into_values().collect()
}

fn forbidden_block(text: &str) -> Option<Wrong> {
    for (start, _) in text.match_indices("{%") {
        let inside = text.get(start.saturating_add(2)..)?.trim_start_matches(['-', '+']).trim_start();
        let word: String = inside.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !BLOCKS.contains(&word.as_str()) {
            let message = format!("`{{% {word} %}}` is not used in rules");
            let help = format!("the blocks are {}", listing(BLOCKS.iter().copied()));
            return Some(Wrong { code: "R040", at: Some(start..start.saturating_add(2)), message, help });
        }
    }
    None
}

fn unknown_fact(text: &str, path: &str) -> Option<Wrong> {
    let known = || SCALARS.iter().map(|fact| fact.path);
    if known().any(|fact| fact == path) {
        return None;
    }
    let list = LISTS.iter().find(|list| path == list.name || path.starts_with(&format!("{}.", list.name)));
    let help = match list {
        Some(list) => format!("`{}` is a list; a text can only print facts with one value", list.name),
        None => suggestion(path, known())
            .unwrap_or_else(|| "`crashsift rules facts` prints all facts with their types".to_owned()),
    };
    let at = text.find(path).map(|start| start..start.saturating_add(path.len()));
    Some(Wrong { code: "R041", at, message: format!("there is no fact `{path}`"), help })
}

fn no_fallback(text: &str, path: &str, error: &minijinja::Error) -> Wrong {
    if error.kind() != ErrorKind::UndefinedError {
        return failure(error);
    }
    let at = text.find(path).map(|start| start..start.saturating_add(path.len()));
    let message = format!("`{path}` may be absent when this text is written");
    let help = format!(r#"write `{{{{ {path} or "..." }}}}`, or ask for the fact in the condition"#);
    Wrong { code: "R042", at: error.range().filter(|at| !at.is_empty()).or(at), message, help }
}

fn none_known(text: &str, paths: &[&str], error: &minijinja::Error) -> Wrong {
    if error.kind() != ErrorKind::UndefinedError {
        return failure(error);
    }
    let at = error.range().filter(|at| !at.is_empty());
    let printed = at.clone().and_then(|at| text.get(at)).unwrap_or(text);
    let named = paths.iter().copied().filter(|path| printed.contains(path));
    let message = format!("{} may all be absent when this text is written", listing(named));
    let help = "put a text that is always there last: `{{ ... or \"...\" }}`".to_owned();
    Wrong { code: "R042", at, message, help }
}

fn failure(error: &minijinja::Error) -> Wrong {
    let message = match error.detail() {
        Some(detail) => format!("the text can't be written: {detail}"),
        None => format!("the text can't be written: {}", error.kind()),
    };
    let help = r#"facts are written as {{ fact.path }} or {{ fact.path or "a fallback" }}"#.to_owned();
    Wrong { code: "R040", at: error.range().filter(|at| !at.is_empty()), message, help }
}

/// A value to try a text with.
fn example(kind: FactType) -> Printed {
    match kind {
        FactType::Flag => Printed::from(true),
        FactType::Number => Printed::from(7),
        FactType::Code => Printed::from("0xC0000005"),
        FactType::Address => Printed::from("0x1000"),
        FactType::Version => Printed::from("1.2.3.4"),
        FactType::Word(words) => Printed::from(words.first().copied().unwrap_or("word")),
        FactType::Module => Printed::from("example.dll"),
        FactType::Path => Printed::from(r"C:\example.dll"),
        FactType::Text => Printed::from("example"),
    }
}
