//! Puts the patterns by which facts are found in texts into the crate, and their examples.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use knowledge_tables::{cues, patterns};
use spanned_yaml::{Diagnostic, YamlText};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    for name in ["mentions", "text-words"] {
        fs::write(out.join(format!("{name}.yaml")), data(name)?.text.as_bytes())?;
    }
    let (patterns, examples) = ticket_patterns()?;
    fs::write(out.join("ticket_patterns.rs"), patterns)?;
    fs::write(out.join("ticket_examples.rs"), examples)?;
    Ok(())
}

/// The file `data/NAME.yaml` of the rule set.
fn data(name: &str) -> Outcome<Arc<YamlText>> {
    let path = Path::new(builtin_rules::FOLDER).join("data").join(format!("{name}.yaml"));
    println!("cargo::rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(YamlText::new(format!("data/{name}.yaml"), text))
}

/// The names of the files that hold patterns of tickets, sorted.
fn pattern_files() -> Outcome<Vec<String>> {
    let folder = Path::new(builtin_rules::FOLDER).join("data");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".yaml").filter(|name| name.starts_with(patterns::STEM)).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Mistakes as the build shows them.
fn shown(mistakes: &[Diagnostic]) -> Box<dyn Error> {
    mistakes.iter().map(|mistake| mistake.render(false)).collect::<Vec<_>>().join("\n\n").into()
}

/// The patterns by which facts are found in tickets, and their examples, as Rust.
fn ticket_patterns() -> Outcome<(String, String)> {
    let mut mistakes = Vec::new();
    let words = cues::text_words(&data("text-words")?, &mut mistakes);
    let files = pattern_files()?.iter().map(|name| data(name)).collect::<Outcome<Vec<_>>>()?;
    let endings = |of: &str| words.get(of).cloned().unwrap_or_default();
    let endings = patterns::Endings { libraries: endings("library"), programs: endings("program") };
    let rows = patterns::patterns(files.iter(), &endings, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(shown(&mistakes));
    }
    let (mut patterns, mut examples) = (String::from("&[\n"), String::from("&[\n"));
    for row in rows {
        let fact = row.fact.map_or_else(|| "None".to_owned(), |fact| format!("Some({fact})"));
        write!(patterns, "    Pattern {{ words: &{:?}, regex: {:?}, groups: &[", row.words, row.regex)?;
        for (name, fact) in &row.groups {
            write!(patterns, "({name:?}, {fact}), ")?;
        }
        writeln!(patterns, "], fact: {fact}, value: {:?}, needs: {:?} }},", row.value, row.needs)?;
        for (text, gives) in &row.examples {
            writeln!(examples, "    ({:?}, {text:?}, &{gives:?}),", row.place)?;
        }
    }
    patterns.push_str("]\n");
    examples.push_str("]\n");
    Ok((patterns, examples))
}
