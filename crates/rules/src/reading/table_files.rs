//! R090: mistakes in the program's own tables, found in a rule set without building the program.

use std::sync::Arc;

use knowledge_tables::compatibility as compatibility_table;
use knowledge_tables::cues as cue_table;
use knowledge_tables::patterns as pattern_table;
use knowledge_tables::patterns::Endings;
use knowledge_tables::{codes, leads, measured, private, table};
use spanned_yaml::{Diagnostic, YamlText, parse};
use windows_codes::Knowledge;

/// Finds the mistakes of a table of the program: `stem` is its file's name without ending. Files that are no such table
/// are passed over.
pub(crate) fn check_table(stem: &str, file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) {
    // Each table is read for itself, and what is no YAML is told there.
    if let Ok(root) = parse(file) {
        table::check_top(stem, file, &root, mistakes);
    }
    match stem {
        "bugchecks" | "exception-codes" | "fast-fail" => drop(codes::codes(file, "", mistakes)),
        "windows-builds" => drop(table::releases(file, mistakes)),
        "collect" => drop(table::requests(file, mistakes)),
        "cuda-names" => drop(compatibility_table::cuda_names(file, mistakes)),
        "cuda-drivers" => drop(compatibility_table::cuda_drivers(file, mistakes)),
        "tensorflow-builds" => drop(compatibility_table::tensorflow(file, mistakes)),
        "collected-folders" => drop(table::folders(file, mistakes)),
        "services" => drop(table::services(file, mistakes)),
        "known-cases" => drop(leads::known_cases(file, mistakes)),
        "leads" => drop(leads::tests(file, mistakes)),
        "measured" => drop(measured::records(file, mistakes)),
        private::FILE => drop(private::private(file, mistakes)),
        "events" => drop(codes::events(file, mistakes)),
        "mentions" => drop(cue_table::cues(file, mistakes)),
        "msvcp140-minimums" => drop(compatibility_table::msvcp140(file, mistakes)),
        "text-words" => drop(cue_table::text_words(file, mistakes)),
        "stated-versions" => drop(compatibility_table::stated(file, mistakes)),
        _ if stem.starts_with(pattern_table::STEM) => {
            drop(pattern_table::patterns(std::iter::once(file), &endings(), mistakes));
        }
        _ => {}
    }
}

/// The endings of names that the program has: a table is checked without the others beside it.
fn endings() -> Endings {
    let words = |of| Knowledge::builtin().text_words(of).iter().map(|word| (*word).to_owned()).collect();
    Endings { libraries: words("library"), programs: words("program") }
}
