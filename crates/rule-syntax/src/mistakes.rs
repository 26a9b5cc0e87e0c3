//! Collects the mistakes of a file, so that its reading goes on behind each of them.

use std::sync::Arc;

use super::hints::MISSING_KEYS;
pub use spanned_yaml::closest;
use spanned_yaml::{Code, Diagnostic, Entry, Level, Node, Span, YamlText};

/// The most errors of one file that are listed, and the most warnings: of more, an author corrects the first and checks the file again.
pub const MOST: usize = 100;

/// The version of the language of rules that this program reads.
const SCHEMA: &str = "1";

/// The mistakes found in one file so far.
#[derive(Debug)]
pub struct Mistakes {
    /// The file.
    pub file: Arc<YamlText>,
    /// The mistakes, in the order in which they were found: at most [`MOST`] errors and as many warnings.
    pub found: Vec<Diagnostic>,
    /// How many errors were found, those beyond [`MOST`] among them.
    errors: usize,
    /// How many warnings were found.
    warnings: usize,
}

impl Mistakes {
    /// No mistakes yet.
    pub fn new(file: &Arc<YamlText>) -> Self {
        Self { file: Arc::clone(file), found: Vec::new(), errors: 0, warnings: 0 }
    }

    /// The number of errors; a rule with only warnings can be used.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether as many errors were found as are listed: the rest of the file need not be read.
    pub fn is_full(&self) -> bool {
        self.errors >= MOST
    }

    /// Adds a mistake.
    pub fn add(&mut self, mistake: Diagnostic) {
        let count = if mistake.is_error() { &mut self.errors } else { &mut self.warnings };
        *count = count.saturating_add(1);
        if *count <= MOST {
            self.found.push(mistake);
        }
    }

    /// Takes all mistakes out. Where not all are listed, or the rest of the file was not read, the last one says so.
    pub fn take(&mut self) -> Vec<Diagnostic> {
        let mut found = std::mem::take(&mut self.found);
        let last = found.iter().map(|found| found.span).max_by_key(|span| span.start);
        if let Some(last) = last.filter(|_| self.is_full() || self.warnings > MOST) {
            let level = if self.is_full() { Level::Error } else { Level::Warning };
            found.push(Diagnostic { level, ..too_many(&self.file, last) });
        }
        (self.errors, self.warnings) = (0, 0);
        found
    }

    /// Adds an error.
    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.add(Diagnostic::error(code, &self.file, span, message));
    }

    /// Adds an error with help.
    pub fn error_with_help(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.add(Diagnostic::error(code, &self.file, span, message).with_help(help));
    }

    /// Adds a warning with help.
    pub fn warning(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.add(Diagnostic::warning(code, &self.file, span, message).with_help(help));
    }

    /// The entries of a mapping; anything else is a mistake. `what` is the mapping's name in the message.
    pub fn mapping<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        let entries = node.entries();
        if entries.is_none() {
            self.error_with_help(
                Code::R012,
                node.span,
                format!("{what} must be a mapping, not {}", node.kind_name()),
                "a mapping is written as lines of `key: value`",
            );
        }
        entries
    }

    /// The items of a list with at least one item; anything else is a mistake.
    pub fn items<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match node.items() {
            Some([]) => {
                self.error(Code::R012, node.span, format!("{what} must not be empty"));
                None
            }
            Some(items) => Some(items),
            None => {
                let message = format!("{what} must be a list, not {}", node.kind_name());
                self.error_with_help(Code::R012, node.span, message, "each item of a list stands on a line after `- `");
                None
            }
        }
    }

    /// The items of a list with at least one item; anything else by itself.
    pub fn one_or_more<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        if node.items().is_some() { self.items(node, what) } else { Some(node.one_or_more()) }
    }

    /// The items of a list of texts, as [`items`](Self::items) gives them, with help for a single text without brackets.
    pub fn texts<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        let Some(text) = node.text().filter(|text| is_plain(text)) else { return self.items(node, what) };
        let message = format!("{what} must be a list, not {}", node.kind_name());
        let help = format!("write `[{text}]`, or each item on a line after `- `");
        self.error_with_help(Code::R012, node.span, message, help);
        None
    }

    /// The text of a scalar that is not empty; anything else is a mistake.
    pub fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        match node.text() {
            Some(text) if !node.is_nothing() && !text.trim().is_empty() => Some(text),
            _ => {
                let is = if node.text().is_some() { "nothing" } else { node.kind_name() };
                let key = what.trim_matches('`');
                let help = match MISSING_KEYS.get(key) {
                    Some(help) if is == "nothing" => help.to_owned(),
                    _ if is == "nothing" => "write it behind the `:`, or leave the line out".to_owned(),
                    _ => "write one text, without `{`, `[` or `- ` before it".to_owned(),
                };
                self.error_with_help(Code::R012, node.span, format!("{what} must be a text, not {is}"), help);
                None
            }
        }
    }

    /// A confidence; anything else is a mistake.
    pub fn confidence(&mut self, node: &Node, what: &str) -> Option<f64> {
        let text = self.text(node, what)?;
        let value = text.parse::<f64>().ok().filter(|value| (0.01..=0.99).contains(value));
        if value.is_none() {
            let message = format!("a confidence is a number from 0.01 to 0.99, not `{text}`");
            let help = "of ten incidents that the rule matches, in how many is its cause right? Nine: 0.9";
            self.error_with_help(Code::R016, node.span, message, help);
        }
        value
    }

    /// Reports keys that are not in `known`, and those of `required` that are missing. `whole` is where a missing
    /// key is reported.
    pub fn keys(&mut self, entries: &[Entry], whole: Span, what: &str, known: &[&str], required: &[&str]) {
        self.keys_or(entries, whole, what, known, required, |_| None);
    }

    /// As [`keys`](Self::keys); `instead` gives the help for a key that people know from other languages.
    pub fn keys_or(
        &mut self,
        entries: &[Entry],
        whole: Span,
        what: &str,
        known: &[&str],
        required: &[&str],
        instead: impl Fn(&str) -> Option<String>,
    ) {
        let mut written: Vec<&str> = entries.iter().map(Entry::name).collect();
        for entry in entries.iter().filter(|entry| !known.contains(&entry.name())) {
            if self.is_full() {
                return;
            }
            let message = format!("{what} has no key `{}`", entry.name());
            let meant = closest(entry.name(), known.iter().copied());
            let help = instead(entry.name()).or_else(|| meant.map(did_you_mean));
            let help = help.unwrap_or_else(|| format!("its keys are {}{NEWER}", listing(known.iter().copied())));
            self.error_with_help(Code::R010, entry.key.span, message, help);
            // A key that is only misspelt is not missing too.
            written.extend(meant);
        }
        for key in required.iter().filter(|key| !written.contains(key)) {
            let message = format!("{what} needs the key `{key}`");
            match MISSING_KEYS.get(key) {
                Some(help) => self.error_with_help(Code::R011, whole, message, help),
                None => self.error(Code::R011, whole, message),
            }
        }
    }

    /// Checks the key `schema`. Whether the rest of the file can be read: not where it is in a newer schema, whose meaning is
    /// not known.
    pub fn schema(&mut self, root: &Node) -> bool {
        let Some(node) = root.get("schema").filter(|node| node.text() != Some(SCHEMA)) else { return true };
        let found = node.text().unwrap_or_default();
        let newer = found.parse::<u32>().is_ok_and(|found| found > 1);
        let message = if newer {
            format!("this file is written in schema {found}, and this program reads schema {SCHEMA}")
        } else {
            format!("`{found}` is no schema; this program reads schema {SCHEMA}")
        };
        let help = if newer {
            "use a newer crashsift; of this file nothing else was checked".to_owned()
        } else {
            format!("write `schema: {SCHEMA}`")
        };
        self.error_with_help(Code::R013, node.span, message, help);
        !newer
    }
}

/// `R004`: more mistakes than are listed, the last of which is at `span`.
pub fn too_many(file: &Arc<YamlText>, span: Span) -> Diagnostic {
    let message = format!("{MOST} mistakes or more in this file; the others are not listed");
    Diagnostic::error(Code::R004, file, span, message).with_help("correct these, and check the file again")
}

/// What is read of each item; `None` where one of them has a mistake. All are read, so that each mistake is reported.
pub fn each<'i, I, T>(items: &'i [I], read: impl FnMut(&'i I) -> Option<T>) -> Option<Vec<T>> {
    let read: Vec<T> = items.iter().filter_map(read).collect();
    (read.len() == items.len()).then_some(read)
}

/// The end of a message about an unknown word: a newer version may have it.
pub const NEWER: &str = concat!("; a newer crashsift may know it, this is ", env!("CARGO_PKG_VERSION"));

/// Whether a text can be an item between brackets without quotes.
fn is_plain(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '*' | '?'))
}

/// "did you mean" for a word that is close to one of `known`.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    closest(word, known).map(did_you_mean)
}

/// The help that asks whether this word was meant.
pub fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// Words for a sentence: "`a`, `b` and `c`".
pub fn listing<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
