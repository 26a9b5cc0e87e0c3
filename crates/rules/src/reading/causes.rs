//! The causes that rules may name (`causes.yaml`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::language::unknown;
use rule_syntax::mistakes::{Mistakes, listing, suggestion};
use spanned_yaml::{Code, Diagnostic, Node, YamlText, parse};

/// The cause of a verdict that names none.
pub const UNDETERMINED: &str = "undetermined";

/// What has to be changed so that an incident does not happen again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Its id.
    pub id: String,
    /// Its family: causes that the same person can fix.
    pub family: String,
    /// When it is the right one, in a sentence.
    pub means: String,
    /// Whether it only names what happened: then the cause is not known, however sure it is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub symptom: bool,
}

/// Causes whose fix lies with the same person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Family {
    /// Its id.
    pub id: String,
    /// Its name in a word or two.
    pub short: String,
    /// What it is about.
    pub means: String,
}

/// All causes.
#[derive(Debug, Clone, Default)]
pub struct Causes {
    families: BTreeMap<String, Family>,
    causes: Vec<Cause>,
}

impl Causes {
    /// The cause of that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Cause> {
        self.causes.iter().find(|cause| cause.id == id)
    }

    /// All causes, in the order of the file: by family.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.causes.iter()
    }

    /// All families, by id.
    pub fn families(&self) -> impl Iterator<Item = &Family> {
        self.families.values()
    }

    /// Adds what another set adds.
    pub(crate) fn add(&mut self, more: Self) {
        self.families.extend(more.families);
        self.causes.extend(more.causes);
    }

    /// Whether a cause only names what happened.
    #[must_use]
    pub fn is_symptom(&self, id: &str) -> bool {
        self.get(id).is_some_and(|cause| cause.symptom)
    }

    /// What an author most probably meant by an id that does not exist.
    pub(crate) fn help(&self, id: &str) -> String {
        let ids = self.causes.iter().map(|cause| cause.id.as_str());
        suggestion(id, ids).unwrap_or_else(|| match self.alike(id).as_slice() {
            [] => "`crashsift rules causes` prints all causes".to_owned(),
            alike => {
                format!(
                    "causes with these words are {}; `crashsift rules causes` prints all",
                    listing(alike.iter().copied())
                )
            }
        })
    }

    /// The causes that share most words with an id; none where too many share as many.
    fn alike(&self, id: &str) -> Vec<&str> {
        const TOLD: usize = 6;
        let shared =
            |cause: &Cause| cause.id.split('-').filter(|word| id.split('-').any(|other| other == *word)).count();
        let most = self.causes.iter().map(shared).max().unwrap_or_default();
        let alike: Vec<&str> =
            self.causes.iter().filter(|cause| shared(cause) == most).map(|cause| cause.id.as_str()).collect();
        if most == 0 || alike.len() > TOLD { Vec::new() } else { alike }
    }
}

/// Reads the `causes.yaml` of a set. Causes and families of the sets before it are `known`: it can name their families, and
/// adds to both.
pub(crate) fn read(file: &Arc<YamlText>, known: &Causes, found: &mut Vec<Diagnostic>) -> Causes {
    let mut mistakes = Mistakes::new(file);
    let causes = match parse(file) {
        Ok(root) => read_root(&root, known, &mut mistakes).unwrap_or_default(),
        Err(wrong) => {
            found.extend(wrong);
            Causes::default()
        }
    };
    found.extend(mistakes.take());
    causes
}

fn read_root(root: &Node, known: &Causes, mistakes: &mut Mistakes) -> Option<Causes> {
    let keys = ["schema", "causes", "families"];
    let entries = mistakes.mapping(root, "causes.yaml")?;
    // A set can do with the families that there are.
    let required = if known.families.is_empty() { &keys } else { keys.split_at(2).0 };
    mistakes.keys(entries, root.span, "causes.yaml", &keys, required);
    mistakes.schema(root);
    let mut causes = Causes::default();
    let families = root.get("families").and_then(|node| mistakes.mapping(node, "`families`"));
    for entry in families.unwrap_or_default() {
        if known.families.contains_key(entry.name()) {
            is_there_already(&entry.key, "family", mistakes);
        }
        let Some(keys) = mistakes.mapping(&entry.value, "a family") else { continue };
        mistakes.keys(keys, entry.key.span, "a family", &["short", "means"], &["short", "means"]);
        let mut text = |key| entry.value.get(key).and_then(|node| mistakes.text(node, key)).map(str::to_owned);
        let (Some(short), Some(means)) = (text("short"), text("means")) else { continue };
        let id = entry.name().to_owned();
        causes.families.insert(id.clone(), Family { id, short, means });
    }
    for entry in mistakes.mapping(root.get("causes")?, "`causes`")? {
        if known.get(entry.name()).is_some() {
            is_there_already(&entry.key, "cause", mistakes);
        }
        let Some(keys) = mistakes.mapping(&entry.value, "a cause") else { continue };
        mistakes.keys(keys, entry.key.span, "a cause", &["family", "symptom", "means"], &["family", "means"]);
        let mut text = |key| entry.value.get(key).and_then(|node| mistakes.text(node, key)).map(str::to_owned);
        let (Some(family), Some(means)) = (text("family"), text("means")) else { continue };
        let flag = entry.value.get("symptom");
        let symptom = flag.is_some_and(|node| node.text() == Some("true"));
        if let Some(node) = flag.filter(|_| !symptom) {
            let help = "leave `symptom` out where it is a cause";
            mistakes.error_with_help(
                Code::R012,
                node.span,
                "`symptom` is `true` or absent".to_owned(),
                help.to_owned(),
            );
        }
        if !causes.families.contains_key(&family) && !known.families.contains_key(&family) {
            let there_are = known.families.keys().chain(causes.families.keys()).map(String::as_str);
            let help = unknown::help(&family, there_are, "the families are");
            let span = entry.value.get("family").map_or(entry.key.span, |node| node.span);
            mistakes.error_with_help(Code::R063, span, format!("there is no family `{family}`"), help);
        }
        causes.causes.push(Cause { id: entry.name().to_owned(), family, means, symptom });
    }
    Some(causes)
}

/// `R065`: a cause or family that has the id of another one.
fn is_there_already(id: &Node, what: &str, mistakes: &mut Mistakes) {
    let message = format!("there is a {what} `{}` already", id.text().unwrap_or_default());
    let help =
        format!("use that {what}, or give this one another id, such as one that begins with the name of your set");
    mistakes.error_with_help(Code::R065, id.span, message, help);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_with_the_same_words_are_told() {
        let cause = |id: &str| Cause { id: id.to_owned(), family: String::new(), means: String::new(), symptom: false };
        let ids = ["gpu-driver-defect", "kernel-driver-defect", "gpu-timeout", "heap-corruption"];
        let causes = Causes { causes: ids.map(cause).into(), ..Causes::default() };
        let help = causes.help("gpu-driver-fault");
        assert_eq!(help, "causes with these words are `gpu-driver-defect`; `crashsift rules causes` prints all");
        assert_eq!(causes.help("gpu-timeuot"), "did you mean `gpu-timeout`?");
        assert_eq!(causes.help("something-else"), "`crashsift rules causes` prints all causes");
    }
}
