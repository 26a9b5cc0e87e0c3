//! What was explained, as one JSON document.

use std::io::{self, Write};

use serde::Serialize;

use super::causes::{Alone, KnownRule};
use super::{Explained, Reading};
use report::json::write_indented;
use windows_codes::{Kind, NoCode, Spellings, Structure, SubCode};

/// Version of the document's shape: the first number changes when something is renamed or removed.
const SCHEMA_VERSION: &str = "1.0";

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    tool: Tool,
    codes: Vec<Code<'a>>,
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

#[derive(Serialize)]
struct Code<'a> {
    text: &'a str,
    spellings: &'a Spellings,
    readings: Vec<CodeReading<'a>>,
}

#[derive(Serialize)]
struct CodeReading<'a> {
    kind: Kind,
    code: &'a str,
    spellings: &'a Spellings,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    means: Option<&'a str>,
    why: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    structure: Option<&'a Structure>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    proves: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    look: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sub_codes: Vec<KnownSubCode<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    alone: &'a [Alone],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    rules: &'a [KnownRule],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    collect: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sources: &'a [String],
}

#[derive(Serialize)]
struct KnownSubCode<'a> {
    #[serde(flatten)]
    code: &'a SubCode,
    has_rules: bool,
}

impl<'a> Code<'a> {
    fn of(explained: &'a Explained) -> Self {
        let readings = explained.readings.iter().map(CodeReading::of).collect();
        Self { text: &explained.text, spellings: &explained.spellings, readings }
    }
}

impl<'a> CodeReading<'a> {
    fn of(reading: &'a Reading) -> Self {
        let code = &reading.code;
        let known = |code| KnownSubCode { code, has_rules: reading.has_rules(code) };
        Self {
            kind: code.kind,
            code: &code.code,
            spellings: &code.spellings,
            name: code.name.as_deref(),
            means: code.means.as_deref(),
            why: &code.why,
            structure: code.structure.as_ref(),
            proves: &code.proves,
            not: &code.not,
            look: &code.look,
            sub_codes: code.sub_codes.iter().map(known).collect(),
            alone: &reading.alone,
            rules: &reading.rules,
            collect: &code.collect,
            sources: &code.sources,
        }
    }
}

/// Writes the codes, and the texts that are none.
///
/// # Errors
/// When `out` can't be written to.
pub(super) fn write(codes: &[Explained], no_codes: &[NoCode], out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "crashsift", version: env!("CARGO_PKG_VERSION") },
        codes: codes.iter().map(Code::of).collect(),
        no_codes: no_codes.iter().map(|none| NotExplained { text: &none.text, reason: &none.reason }).collect(),
    };
    write_indented(&document, out)
}
