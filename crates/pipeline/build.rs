//! Encodes the tables of labelled cases: the known cases and the test for each cause, of which leads are made, and how often
//! rules were right.

use std::error::Error;

use knowledge_tables::{Embedding, leads, measured};

fn main() -> Result<(), Box<dyn Error>> {
    let mut tables = Embedding::new(builtin_rules::FOLDER)?;
    tables.embed("known-cases", leads::known_cases)?;
    tables.embed("leads", leads::tests)?;
    tables.embed("measured", measured::records)?;
    tables.finish()
}
