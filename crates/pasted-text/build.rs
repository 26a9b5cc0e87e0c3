//! Encodes the patterns by which facts are found in texts, with their examples for tests, and the words by which texts
//! doubt, deny and tell.

use std::error::Error;

use knowledge_tables::patterns::{Endings, STEM, patterns};
use knowledge_tables::{Embedding, cues};

fn main() -> Result<(), Box<dyn Error>> {
    let mut tables = Embedding::new(builtin_rules::FOLDER)?;
    let words = tables.read("text-words", cues::text_words)?;
    let words = |of: &str| words.get(of).cloned().unwrap_or_default();
    let endings = Endings { libraries: words("library"), programs: words("program") };
    let found = tables.read_all(STEM, |files, mistakes| patterns(files.iter(), &endings, mistakes))?;
    tables.write("ticket-patterns", &found.patterns)?;
    tables.write("ticket-examples", &found.examples)?;
    tables.embed("mentions", cues::cues)?;
    tables.finish()
}
