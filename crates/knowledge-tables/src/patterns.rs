//! Reading the patterns of `rules/data/ticket-*.yaml`: a step of the build, which leaves them in the program.

use std::collections::BTreeMap;
use std::sync::Arc;

use spanned_yaml::{Diagnostic, Node, YamlText, parse};

/// How the names of these files begin.
pub const STEM: &str = "ticket-";

/// What a pattern may announce: the name that a file uses, and the variant of `Fact`.
pub const FACTS: &[(&str, &str)] = &[
    ("access_address", "Fact::AccessAddress"),
    ("app", "Fact::App"),
    ("app_hung", "Fact::AppHung"),
    ("app_image", "Fact::AppImage"),
    ("app_named", "Fact::AppNamed"),
    ("app_path", "Fact::AppPath"),
    ("app_told", "Fact::AppTold"),
    ("app_version", "Fact::AppVersion"),
    ("bios", "Fact::Bios"),
    ("bugcheck", "Fact::Bugcheck"),
    ("bugcheck_decimal", "Fact::BugcheckDecimal"),
    ("bugcheck_hex", "Fact::BugcheckHex"),
    ("bugcheck_parameter_1", "Fact::BugcheckParameter(0)"),
    ("bugcheck_parameter_2", "Fact::BugcheckParameter(1)"),
    ("bugcheck_parameter_3", "Fact::BugcheckParameter(2)"),
    ("bugcheck_parameter_4", "Fact::BugcheckParameter(3)"),
    ("computer", "Fact::Computer"),
    ("cpp_type", "Fact::CppType"),
    ("cpp_what", "Fact::CppWhat"),
    ("crash_begins", "Fact::CrashBegins"),
    ("crash_ends", "Fact::CrashEnds"),
    ("cuda_driver", "Fact::CudaDriver"),
    ("debugger_suspects", "Fact::DebuggerSuspects"),
    ("display_driver", "Fact::DisplayDriver"),
    ("event_id", "Fact::EventId"),
    ("event_name", "Fact::EventName"),
    ("event_source", "Fact::EventSource"),
    ("exception_code", "Fact::ExceptionCode"),
    ("exception_parameter_1", "Fact::ExceptionParameter(0)"),
    ("exception_parameter_2", "Fact::ExceptionParameter(1)"),
    ("exit_code", "Fact::ExitCode"),
    ("explanation", "Fact::Explanation"),
    ("fast_fail", "Fact::FastFail"),
    ("fault_stem", "Fact::FaultStem"),
    ("gpu", "Fact::Gpu"),
    ("hresult", "Fact::HResult"),
    ("hung", "Fact::Hung"),
    ("in_page_status", "Fact::InPageStatus"),
    ("loader_error", "Fact::LoaderError"),
    ("memory_mib", "Fact::MemoryMib"),
    ("model", "Fact::Model"),
    ("module", "Fact::Module"),
    ("module_image", "Fact::ModuleImage"),
    ("module_path", "Fact::ModulePath"),
    ("module_stem", "Fact::ModuleStem"),
    ("module_told", "Fact::ModuleTold"),
    ("module_version", "Fact::ModuleVersion"),
    ("no_module", "Fact::NoModule"),
    ("nvidia_driver", "Fact::NvidiaDriver"),
    ("offset", "Fact::Offset"),
    ("os_build", "Fact::OsBuild"),
    ("os_build_told", "Fact::OsBuildTold"),
    ("os_release", "Fact::OsRelease"),
    ("os_version", "Fact::OsVersion"),
    ("package", "Fact::Package"),
    ("package_version", "Fact::PackageVersion"),
    ("party_begins", "Fact::PartyBegins"),
    ("problem_begins", "Fact::ProblemBegins"),
    ("process_id", "Fact::ProcessId"),
    ("process_id_decimal", "Fact::ProcessIdDecimal"),
    ("python", "Fact::Python"),
    ("raised_code", "Fact::RaisedCode"),
    ("report_id", "Fact::ReportId"),
    ("run_begins", "Fact::RunBegins"),
    ("status_name", "Fact::StatusName"),
    ("stop_driver", "Fact::StopDriver"),
    ("stop_list", "Fact::StopList"),
    ("stop_mention", "Fact::StopMention"),
    ("stop_name", "Fact::StopName"),
    ("stop_words", "Fact::StopWords"),
    ("subcode", "Fact::Subcode"),
    ("suggested_code", "Fact::SuggestedCode"),
    ("truncated_code", "Fact::TruncatedCode"),
    ("win_error", "Fact::WinError"),
];

/// One row of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PatternRow {
    /// Where it stands: file and line.
    pub place: String,
    /// Words that announce the fact, or, with a value, stand for it.
    pub words: Vec<String>,
    /// A regular expression, whose named groups are facts.
    pub regex: Option<String>,
    /// The groups of that expression, with the variants of `Fact`.
    pub groups: Vec<(String, &'static str)>,
    /// The variant of `Fact` that the words announce.
    pub fact: Option<&'static str>,
    /// The value that is meant, where it does not follow.
    pub value: Option<String>,
    /// A regular expression that some line of the text must fit for the row to count.
    pub needs: Option<String>,
    /// Texts, each with all that they say.
    pub examples: Vec<(String, Vec<(String, String)>)>,
}

/// Endings of files' names, for which a word in braces stands in an expression.
#[derive(Debug, Default)]
pub struct Endings {
    /// `{library}`, and with `programs` `{image}`.
    pub libraries: Vec<String>,
    /// The other endings of `{image}`.
    pub programs: Vec<String>,
}

impl Endings {
    /// The expression with the endings, in upper or lower case, in the place of their words.
    fn filled_in(&self, regex: &str) -> String {
        let libraries = self.libraries.join("|");
        let images = [&self.libraries[..], &self.programs].concat().join("|");
        regex.replace("{library}", &format!("(?i:{libraries})")).replace("{image}", &format!("(?i:{images})"))
    }
}

/// The rows of all `files`, in their order.
pub fn patterns<'f>(
    files: impl Iterator<Item = &'f Arc<YamlText>>,
    endings: &Endings,
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<PatternRow> {
    let mut rows = Vec::new();
    let mut seen = BTreeMap::new();
    for file in files {
        let root = match parse(file) {
            Ok(root) => root,
            Err(found) => {
                mistakes.extend(found);
                continue;
            }
        };
        let Some(nodes) = root.get("patterns").and_then(Node::items) else {
            mistakes.push(mistake(file, &root, "the list `patterns` is missing"));
            continue;
        };
        for node in nodes {
            let reader = RowReader { file, node, endings };
            match reader.read() {
                Ok(row) => {
                    for words in &row.words {
                        if let Some(first) = seen.insert(words.to_lowercase(), row.place.clone()) {
                            let message = format!("the words \"{words}\" stand in {first} already");
                            mistakes.push(mistake(file, node, &message));
                        }
                    }
                    rows.push(row);
                }
                Err(wrong) => mistakes.extend(wrong),
            }
        }
    }
    rows
}

/// `R090`: a pattern is not as the program needs it.
fn mistake(file: &Arc<YamlText>, node: &Node, message: &str) -> Diagnostic {
    Diagnostic::error("R090", file, node.span, message)
}

fn variant(name: &str) -> Option<&'static str> {
    FACTS.iter().find(|(known, _)| *known == name).map(|(_, variant)| *variant)
}

struct RowReader<'a> {
    file: &'a Arc<YamlText>,
    node: &'a Node,
    endings: &'a Endings,
}

impl RowReader<'_> {
    fn read(&self) -> Result<PatternRow, Vec<Diagnostic>> {
        const KEYS: [&str; 6] = ["words", "regex", "fact", "value", "needs", "examples"];
        let mut found = Vec::new();
        for entry in self.node.entries().unwrap_or_default() {
            if !KEYS.contains(&entry.name()) {
                found.push(mistake(self.file, &entry.key, &format!("`{}` means nothing here", entry.name())));
            }
        }
        let mut row = PatternRow {
            place: format!("rules/{}:{}", self.file.name, self.node.span.line),
            words: self.words(&mut found),
            regex: self.expression("regex").as_deref().map(with_ascii_classes),
            value: self.text("value"),
            needs: self.expression("needs").as_deref().map(with_ascii_classes),
            examples: self.examples(&mut found),
            ..PatternRow::default()
        };
        if row.words.is_empty() == row.regex.is_none() {
            found.push(self.wrong("words", "a pattern has either `words` or a `regex`"));
        }
        for key in ["regex", "needs"] {
            if let Some(regex) = self.expression(key) {
                found.extend(self.groups(key, &regex, &mut row));
            }
        }
        match self.text("fact") {
            Some(name) => {
                row.fact = variant(&name);
                if row.fact.is_none() {
                    found.push(self.unknown_fact("fact", &name));
                }
            }
            None if row.regex.is_none() => found.push(self.wrong("fact", "`fact` is missing")),
            None => {}
        }
        if row.regex.is_some() && row.fact.is_some() != row.value.is_some() {
            found.push(
                self.wrong("fact", "with a `regex`, `fact` and `value` stand together: groups are facts by name"),
            );
        }
        if found.is_empty() && row.regex.is_some() && row.fact.is_none() && row.groups.is_empty() {
            found.push(self.wrong("regex", "no group of the expression is named after a fact: (?<app>...)"));
        }
        if found.is_empty() { Ok(row) } else { Err(found) }
    }

    fn words(&self, found: &mut Vec<Diagnostic>) -> Vec<String> {
        let Some(node) = self.node.get("words") else { return Vec::new() };
        let nodes = node.items().unwrap_or(std::slice::from_ref(node));
        let words: Vec<String> = nodes.iter().filter_map(Node::text).map(str::to_owned).collect();
        if words.len() != nodes.len() || words.iter().any(|words| words.trim().is_empty() || words.trim() != words) {
            found.push(self.wrong("words", "`words` is a text or a list of texts, without blanks around them"));
        }
        words
    }

    /// Checks an expression, and takes the named groups of `regex`.
    fn groups(&self, key: &str, regex: &str, row: &mut PatternRow) -> Vec<Diagnostic> {
        let tree = match regex_syntax::parse(regex) {
            Ok(tree) => tree,
            Err(error) => return vec![self.wrong(key, &format!("not a regular expression: {error}"))],
        };
        if key == "needs" {
            return Vec::new();
        }
        let mut names = Vec::new();
        group_names(&tree, &mut names);
        let mut found = Vec::new();
        for name in names {
            match variant(&name) {
                Some(variant) => row.groups.push((name, variant)),
                None => found.push(self.unknown_fact(key, &name)),
            }
        }
        found
    }

    fn examples(&self, found: &mut Vec<Diagnostic>) -> Vec<(String, Vec<(String, String)>)> {
        let nodes = self.node.get("examples").and_then(Node::items).unwrap_or_default();
        let mut examples = Vec::new();
        for node in nodes {
            let text = node.get("text").and_then(Node::text);
            let gives = node.get("gives").and_then(Node::entries);
            let (Some(text), Some(gives)) = (text, gives) else {
                found.push(mistake(self.file, node, "an example has a `text`, and `gives` all facts that it says"));
                continue;
            };
            let gives =
                gives.iter().map(|entry| (entry.name().to_owned(), entry.value.text().unwrap_or_default().to_owned()));
            examples.push((text.to_owned(), gives.collect()));
        }
        if nodes.is_empty() {
            found.push(self.wrong("examples", "`examples` are missing: at least one text with what it `gives`"));
        }
        examples
    }

    fn text(&self, key: &str) -> Option<String> {
        self.node.get(key)?.text().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn expression(&self, key: &str) -> Option<String> {
        self.text(key).map(|regex| self.endings.filled_in(&regex))
    }

    fn wrong(&self, key: &str, message: &str) -> Diagnostic {
        mistake(self.file, self.node.get(key).unwrap_or(self.node), message)
    }

    fn unknown_fact(&self, key: &str, name: &str) -> Diagnostic {
        let known: Vec<&str> = FACTS.iter().map(|(name, _)| *name).collect();
        self.wrong(key, &format!("`{name}` is no fact of a ticket")).with_help(format!("one of: {}", known.join(", ")))
    }
}

/// The expression with the letters, digits, blanks and word ends of ASCII in the place of all of Unicode's, whose tables
/// would make all expressions together too large.
pub fn with_ascii_classes(regex: &str) -> String {
    let mut ascii = String::with_capacity(regex.len());
    let mut in_class = false;
    let mut characters = regex.chars();
    while let Some(character) = characters.next() {
        match character {
            '[' => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let class = characters.next().unwrap_or('\\');
                match (class, in_class) {
                    ('d', true) => ascii.push_str("0-9"),
                    ('d', false) => ascii.push_str("[0-9]"),
                    ('w', true) => ascii.push_str("0-9A-Za-z_"),
                    ('w', false) => ascii.push_str("[0-9A-Za-z_]"),
                    ('W', false) => ascii.push_str("[^0-9A-Za-z_]"),
                    ('s', true) => ascii.push_str(" \\t\u{A0}"),
                    ('s', false) => ascii.push_str("[ \\t\u{A0}]"),
                    ('S', false) => ascii.push_str("[^ \\t\u{A0}]"),
                    ('b', false) => ascii.push_str(r"(?-u:\b)"),
                    _ => ascii.extend(['\\', class]),
                }
                continue;
            }
            _ => {}
        }
        ascii.push(character);
    }
    ascii
}

/// The names of an expression's groups, in its order.
fn group_names(tree: &regex_syntax::hir::Hir, names: &mut Vec<String>) {
    use regex_syntax::hir::HirKind;
    match tree.kind() {
        HirKind::Capture(capture) => {
            names.extend(capture.name.as_deref().map(str::to_owned));
            group_names(&capture.sub, names);
        }
        HirKind::Repetition(repetition) => group_names(&repetition.sub, names),
        HirKind::Concat(trees) | HirKind::Alternation(trees) => {
            trees.iter().for_each(|tree| group_names(tree, names));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> (Vec<PatternRow>, Vec<String>) {
        let mut mistakes = Vec::new();
        let endings = Endings { libraries: vec!["lib".to_owned()], programs: vec!["prog".to_owned()] };
        let rows = patterns(std::iter::once(&YamlText::new("data/ticket-test.yaml", text)), &endings, &mut mistakes);
        (rows, mistakes.iter().map(|mistake| format!("{}:{}", mistake.span.line, mistake.message)).collect())
    }

    #[test]
    fn endings_are_filled_in() {
        let (rows, mistakes) = read(
            "patterns:\n  - regex: 'in (?<module>\\w+\\.{library}) of \\w{1,9}\\.{image}'\n    examples: [{text: in a.lib of b.prog, gives: {module: a.lib}}]\n",
        );
        assert_eq!(mistakes, Vec::<String>::new());
        let regex = rows[0].regex.as_deref().expect("an expression");
        assert!(regex.contains(r"\.(?i:lib))") && regex.ends_with(r"{1,9}\.(?i:lib|prog)"), "{regex}");
    }

    #[test]
    fn words_may_be_one_or_many_and_groups_are_facts() {
        let (rows, mistakes) = read(
            "patterns:\n  - words: [a name, ein Name]\n    fact: app\n    examples: [{text: 'a name: x', gives: {app: x}}]\n  \
             - regex: 'of (?<app>\\w+) in (?<module>\\w+)'\n    examples: [{text: of a in b, gives: {app: a, module: b}}]\n",
        );
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let (first, second) = (&rows[0], &rows[1]);
        assert_eq!(
            (first.words.len(), first.fact, first.place.as_str()),
            (2, Some("Fact::App"), "rules/data/ticket-test.yaml:2")
        );
        assert_eq!(second.groups, [("app".to_owned(), "Fact::App"), ("module".to_owned(), "Fact::Module")]);
        assert_eq!(second.examples[0].1.len(), 2);
    }

    #[test]
    fn each_mistake_is_told_where_it_is() {
        let mistake = |row: &str| {
            let text = format!("patterns:\n  - {{{row}, examples: [{{text: x, gives: {{}}}}]}}\n");
            read(Box::leak(text.into_boxed_str())).1.join("; ")
        };
        assert_eq!(mistake("words: x, fact: colour"), "2:`colour` is no fact of a ticket");
        assert_eq!(mistake("words: x"), "2:`fact` is missing");
        assert_eq!(mistake("fact: app"), "2:a pattern has either `words` or a `regex`");
        assert_eq!(
            mistake("words: ' x', fact: app"),
            "2:`words` is a text or a list of texts, without blanks around them"
        );
        assert_eq!(mistake("words: x, fact: app, about: y"), "2:`about` means nothing here");
        assert_eq!(mistake("regex: '(?<shade>x)'"), "2:`shade` is no fact of a ticket");
        assert_eq!(mistake("regex: 'x'"), "2:no group of the expression is named after a fact: (?<app>...)");
        assert!(mistake("regex: '(?<app>x'").contains("not a regular expression"));
        assert!(mistake("words: x, fact: app, needs: '('").contains("not a regular expression"));
        assert_eq!(
            mistake("regex: '(?<app>x)', fact: app"),
            "2:with a `regex`, `fact` and `value` stand together: groups are facts by name"
        );
        assert_eq!(
            read("patterns:\n  - {words: x, fact: app}\n").1,
            ["2:`examples` are missing: at least one text with what it `gives`"]
        );
        assert_eq!(read("pattern: []\n").1, ["1:the list `patterns` is missing"]);
    }

    #[test]
    fn classes_are_those_of_ascii() {
        assert_eq!(with_ascii_classes(r"\b\d+[\w.\]-]\S"), "(?-u:\\b)[0-9]+[0-9A-Za-z_.\\]-][^ \\t\u{A0}]");
    }

    #[test]
    fn words_that_stand_twice_are_told() {
        let row = "  - {words: x, fact: app, examples: [{text: x, gives: {}}]}\n";
        let text = format!("patterns:\n{row}{row}");
        let (_, mistakes) = read(Box::leak(text.into_boxed_str()));
        assert_eq!(mistakes, ["3:the words \"x\" stand in rules/data/ticket-test.yaml:2 already"]);
    }
}
