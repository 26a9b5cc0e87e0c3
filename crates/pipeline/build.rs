//! Encodes the tables of leads: the known cases, and the test for each cause.

use std::error::Error;

use knowledge_tables::{Embedding, leads};

fn main() -> Result<(), Box<dyn Error>> {
    let mut tables = Embedding::new(builtin_rules::FOLDER)?;
    tables.embed("known-cases", leads::known_cases)?;
    tables.embed("leads", leads::tests)?;
    tables.finish()
}
