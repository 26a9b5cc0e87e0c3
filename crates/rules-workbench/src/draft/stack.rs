//! Modules on the stack of the crashed thread, and annotations that the program wrote into its dump: neither sets an
//! incident apart by itself, and so they are hints.

use super::candidates::Candidate;
use super::fact_table::Strength;
use super::private::Private;
use super::term::DraftTerm;
use facts::{FactSet, Value};

/// How many frames are searched; frames further out are in every thread of the program.
const SEARCHED_FRAMES: usize = 24;
/// A longer value is a path, a list or a text.
const LONGEST_VALUE: usize = 40;

const FRAMES: [&str; 3] = ["on_the_stack", "its_caller", "further_out"];
const ANNOTATIONS: [&str; 3] = ["annotation", "another_annotation", "third_annotation"];

/// The innermost modules of the stack that are neither carriers nor named elsewhere.
pub(super) fn frames(facts: &FactSet, is_carrier: impl Fn(&str) -> bool) -> Vec<Candidate> {
    let named = ["fault_site.module", "suspect.module", "process.name"];
    let mut known: Vec<String> =
        named.into_iter().filter_map(|path| facts.get(path)?.value.text()).map(str::to_lowercase).collect();
    let mut found = Vec::new();
    for frame in facts.list("frames").unwrap_or_default().iter().take(SEARCHED_FRAMES) {
        let Some(module) = frame.get("module").and_then(Value::text) else { continue };
        let lower = module.to_lowercase();
        if known.contains(&lower) || is_carrier(module) {
            continue;
        }
        known.push(lower);
        let fields = ["module", "function"].into_iter().filter_map(|field| Some((field, frame.get(field)?.clone())));
        let what = match frame.get("trust").and_then(Value::text) {
            Some("scanned") => "a module on the stack, by an address that may be stale",
            _ => "a module on the stack",
        };
        found.extend(DraftTerm::entry("frames", &fields.collect::<Vec<_>>()).map(|term| (term, what)));
    }
    hints(FRAMES, found)
}

/// Annotations of the program with a few words.
pub(super) fn annotations(facts: &FactSet, private: &Private) -> Vec<Candidate> {
    let entries = facts.list("annotations").unwrap_or_default().iter();
    let found = entries.filter_map(|entry| {
        let (key, value) = (entry.get("key")?, entry.get("value")?);
        let words = value.text().filter(|words| words.len() <= LONGEST_VALUE && private.allows_words(words))?;
        // A number alone is a counter, a time or a size.
        let says = words.contains(char::is_alphabetic);
        let term =
            says.then(|| DraftTerm::entry("annotations", &[("key", key.clone()), ("value", value.clone())]))??;
        Some((term, "what the program wrote into its dump"))
    });
    hints(ANNOTATIONS, found.collect())
}

fn hints(names: [&'static str; 3], found: Vec<(DraftTerm, &'static str)>) -> Vec<Candidate> {
    let named = names.into_iter().zip(found);
    named.map(|(name, (term, what))| Candidate { name, term, strength: Strength::Hint, what: what.into() }).collect()
}
