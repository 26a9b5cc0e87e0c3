//! Encodes what reports must not pass on, with its examples for tests.

use std::error::Error;

use knowledge_tables::Embedding;
use knowledge_tables::private::{FILE, private};

fn main() -> Result<(), Box<dyn Error>> {
    let mut tables = Embedding::new(builtin_rules::FOLDER)?;
    let (table, examples) = tables.read(FILE, private)?;
    tables.write(FILE, &table)?;
    tables.write("private-examples", &examples)?;
    tables.finish()
}
