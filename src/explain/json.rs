//! What was explained, as one JSON document.

use std::io::{self, Write};

use serde::Serialize;

use super::{Explained, NoCode};
use report::json::write_indented;

/// Version of the document's shape: the first number changes when something is renamed or removed.
const SCHEMA_VERSION: &str = "1.0";

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    tool: Tool,
    codes: &'a [Explained],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_codes: Vec<NotExplained<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct NotExplained<'a> {
    text: &'a str,
    reason: &'a str,
}

/// Writes the codes, and the texts that are none.
///
/// # Errors
/// When `out` can't be written to.
pub fn write(codes: &[Explained], no_codes: &[NoCode], out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "crashsift", version: env!("CARGO_PKG_VERSION") },
        codes,
        no_codes: no_codes.iter().map(|none| NotExplained { text: &none.text, reason: &none.reason }).collect(),
    };
    write_indented(&document, out)
}
