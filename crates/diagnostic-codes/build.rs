//! Makes a constant of every entry of `codes.md`.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const PAGE: &str = "codes.md";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PAGE}");
    let page = fs::read_to_string(PAGE)?;
    let (mut constants, mut all) = (String::new(), Vec::new());
    for entry in page.split("\n## ").skip(1) {
        let head = entry.lines().next().unwrap_or_default();
        let refused = || format!("{PAGE}: the entry `{head}` is not `## CODE LEVEL: TITLE`, text, `Wrong:`, `Right:`");
        let (id, constant) = constant(entry).ok_or_else(refused)?;
        constants.push_str(&constant);
        all.push(format!("Code::{id}"));
    }
    let code = format!(
        "impl Code {{{constants}}}\n\n/// All codes, as sorted on the page.\nconst ALL: &[Code] = &[{}];\n",
        all.join(", ")
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("codes.rs"), code)?;
    Ok(())
}

/// The code of an entry, and the declaration of its constant.
fn constant(entry: &str) -> Option<(&str, String)> {
    let (head, body) = entry.split_once("\n\n")?;
    let (code, title) = head.split_once(": ")?;
    let (id, level) = code.split_once(' ')?;
    let level = match level {
        "error" => "Error",
        "warning" => "Warning",
        _ => return None,
    };
    let (explanation, examples) = body.split_once("\n\nWrong:\n\n```text\n")?;
    let (wrong, right) = examples.split_once("\n```\n\nRight:\n\n```text\n")?;
    let right = right.trim_end().strip_suffix("\n```")?;
    let lines = |text: &'_ str| text.lines().map(str::to_owned).collect::<Vec<String>>();
    let mut out = String::new();
    let explanation = explanation.replace('\n', " ");
    writeln!(
        out,
        "#[doc = {title:?}] pub const {id}: Self = Self(&Entry {{ id: {id:?}, level: Level::{level}, title: {title:?}, \
         explanation: {explanation:?}, wrong: &{:?}, right: &{:?} }});",
        lines(wrong),
        lines(right),
    )
    .ok()?;
    Some((id, out))
}
