//! Reading the patterns of `rules/data/ticket-*.yaml`, by which facts are found in texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spanned_yaml::{Diagnostic, Node, YamlText, parse};

use super::table::{Row, mistake};

/// How the names of these files begin.
pub const STEM: &str = "ticket-";

/// Declares the facts: a line each with the name that a pattern uses.
macro_rules! facts {
    ($($(#[$about:meta])* $fact:ident $(($index:ty))?: $($name:literal $(= $value:expr)?),+;)+) => {
        /// What a pattern announces.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Fact {
            $($(#[$about])* $fact $(($index))?,)+
        }

        impl Fact {
            /// All facts by the names that patterns use.
            pub const NAMED: &[(&str, Self)] = &[$($(($name, Self::$fact $(($value))?),)+)+];
        }
    };
}

facts! {
    /// The crashed program's file name; a version may follow.
    App: "app";
    /// Its version.
    AppVersion: "app_version";
    /// Its path.
    AppPath: "app_path";
    /// The crashed program, but only if what follows looks like an image's name.
    AppImage: "app_image";
    /// A program that did not answer, with its version; one that crashed counts more.
    AppHung: "app_hung";
    /// The crashed program, named in a sentence; a field of a report counts more.
    AppInSentence: "app_told";
    /// A program that is said to crash or end, without a code; all other ways to name it count more.
    AppInPassing: "app_named";
    /// The faulting module's file name; a version may follow.
    Module: "module";
    /// The faulting module, named in a sentence; a field of a report counts more.
    ModuleInSentence: "module_told";
    /// Its version.
    ModuleVersion: "module_version";
    /// The faulting module, but only if what follows looks like an image's name.
    ModuleImage: "module_image";
    /// A debugger's module name, without ending and possibly after an address.
    ModuleStem: "module_stem";
    /// The faulting module's path.
    ModulePath: "module_path";
    /// The module of the exception's address as a debugger names it.
    FaultStem: "fault_stem";
    /// An exception code.
    ExceptionCode: "exception_code";
    /// The code of an exception that was raised, and perhaps handled.
    RaisedCode: "raised_code";
    /// An exception code that the words may mean, when nothing else gives one.
    SuggestedCode: "suggested_code";
    /// The code with which a process ended; small ones are the program's own.
    ExitCode: "exit_code";
    /// The name of the status with which a process ended, or of the exception.
    StatusName: "status_name";
    /// Why a page could not be read, a status; the exception is the one of such pages.
    InPageStatus: "in_page_status";
    /// What did not respond, if it can be a program.
    Hung: "hung";
    /// An exit code of which only the lowest 8 bits were left.
    TruncatedCode: "truncated_code";
    /// The offset in the faulting module.
    Offset: "offset";
    /// The type of a C++ exception that nobody caught.
    CppType: "cpp_type";
    /// The words of such an exception.
    CppWhat: "cpp_what";
    /// A fast-fail code.
    FastFail: "fast_fail";
    /// A fast-fail code in some contexts only.
    Subcode: "subcode";
    /// The address that an access violation wanted.
    AccessAddress: "access_address";
    /// A parameter of the exception, counted from 0.
    ExceptionParameter(usize): "exception_parameter_1" = 0, "exception_parameter_2" = 1;
    /// A bugcheck code with `0x`; parameters in parentheses may follow. Or its name.
    Bugcheck: "bugcheck";
    /// A bugcheck code in hexadecimal, with or without `0x`.
    BugcheckHex: "bugcheck_hex";
    /// A bugcheck code in decimal, unless it begins with `0x`.
    BugcheckDecimal: "bugcheck_decimal";
    /// A parameter of the bugcheck, counted from 0, in hexadecimal.
    BugcheckParameter(usize): "bugcheck_parameter_1" = 0, "bugcheck_parameter_2" = 1, "bugcheck_parameter_3" = 2, "bugcheck_parameter_4" = 3;
    /// The name of a bugcheck.
    StopName: "stop_name";
    /// A line that may name a blue screen in words.
    StopWords: "stop_words";
    /// A line that may mention a blue screen in passing.
    StopMention: "stop_mention";
    /// Codes of stops in a row, each in hexadecimal with `0x`.
    StopList: "stop_list";
    /// The driver that a stop's screen names.
    StopDriver: "stop_driver";
    /// A Win32 error, or an NTSTATUS in its place.
    WinError: "win_error";
    /// A number that is a Win32 error only if it is one of the loader's.
    LoaderError: "loader_error";
    /// An HRESULT.
    HResult: "hresult";
    /// WER's name for the kind of problem.
    EventName: "event_name";
    /// The provider of an event.
    EventSource: "event_source";
    /// The id of an event.
    EventId: "event_id";
    /// The computer's name.
    Computer: "computer";
    /// Process id of the crashed program, hexadecimal.
    ProcessId: "process_id";
    /// Process id of the crashed program, decimal.
    ProcessIdDecimal: "process_id_decimal";
    /// WER's id of the report.
    ReportId: "report_id";
    /// A value of the machine.
    Machine(MachineFact):
        "gpu" = MachineFact::Gpu,
        "nvidia_driver" = MachineFact::NvidiaDriver,
        "display_driver" = MachineFact::DisplayDriver,
        "cuda_driver" = MachineFact::CudaDriver,
        "os_build" = MachineFact::OsBuild,
        "os_build_told" = MachineFact::OsBuildOfRelease,
        "os_version" = MachineFact::OsVersion,
        "os_release" = MachineFact::OsRelease,
        "memory_mib" = MachineFact::MemoryMib,
        "bios" = MachineFact::Bios,
        "model" = MachineFact::Model,
        "python" = MachineFact::Python;
    /// Name of an installed package; its version follows as a fact of its own.
    Package: "package";
    /// Version of that package.
    PackageVersion: "package_version";
    /// The line divides the text.
    Border(Border):
        "crash_begins" = Border::Begins,
        "crash_ends" = Border::Ends,
        "run_begins" = Border::Starts,
        "problem_begins" = Border::Problem,
        "party_begins" = Border::Party;
    /// The line explains something in general and does not report a crash.
    Explanation: "explanation";
    /// The line shows that a debugger blames no module.
    NoModule: "no_module";
    /// A debugger's analysis suspects something other than a module, such as hardware.
    DebuggerSuspects: "debugger_suspects";
}

/// A value of the machine, or of what is installed on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineFact {
    /// The name of a GPU.
    Gpu,
    /// Release of the NVIDIA driver.
    NvidiaDriver,
    /// File version of a display driver.
    DisplayDriver,
    /// The highest CUDA version that the driver supports.
    CudaDriver,
    /// Windows build number.
    OsBuild,
    /// Windows build number, where it may be another number: taken only if a release has it.
    OsBuildOfRelease,
    /// Windows version, where it may be a file's version: taken only if no other release shares its kernel.
    OsVersion,
    /// A release of Windows by its name: `11 Pro 23H2`.
    OsRelease,
    /// Physical memory, MiB.
    MemoryMib,
    /// Version and date of the firmware.
    Bios,
    /// Model of the computer.
    Model,
    /// Version of Python.
    Python,
}

/// How a line begins or ends the part of a text that is about one crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Border {
    /// The part begins with it.
    Begins,
    /// The part ends with it.
    Ends,
    /// A program is started with it, so the part is about a run of its own.
    Starts,
    /// The part begins with it, and is about another problem than the part before.
    Problem,
    /// The part begins with it, and is about somebody or something that it names.
    Party,
}

impl Fact {
    /// The fact of a name that a pattern uses.
    fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, fact)| *fact)
    }
}

/// Words or an expression, and the facts that they announce.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern<T = &'static str> {
    /// Words that announce the fact; with `value`, words that mean it.
    pub words: Vec<T>,
    /// A regular expression, whose named groups are facts.
    pub regex: Option<T>,
    /// The groups of that expression that are facts.
    pub groups: Vec<(T, Fact)>,
    /// The fact that the words announce.
    pub fact: Option<Fact>,
    /// The value that the words mean, where none follows them.
    pub value: Option<T>,
    /// A regular expression that some line of the text must fit for the pattern to count.
    pub needs: Option<T>,
}

/// A text with all facts that it states, beside a pattern.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example<T = &'static str> {
    /// File and line of the pattern.
    pub place: T,
    /// The text.
    pub text: T,
    /// The facts with their values.
    pub gives: Vec<(T, T)>,
}

/// What the files of patterns hold.
#[derive(Debug, Default)]
pub struct Patterns {
    /// The patterns, in the order of the files.
    pub patterns: Vec<Pattern<String>>,
    /// The examples of all patterns.
    pub examples: Vec<Example<String>>,
}

/// Extensions of file names, which a word in braces means in an expression.
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

/// The patterns and examples of all `files`.
pub fn patterns<'f>(
    files: impl Iterator<Item = &'f Arc<YamlText>>,
    endings: &Endings,
    mistakes: &mut Vec<Diagnostic>,
) -> Patterns {
    let mut found = Patterns::default();
    let mut seen = BTreeMap::new();
    for file in files {
        let root = match parse(file) {
            Ok(root) => root,
            Err(wrong) => {
                mistakes.extend(wrong);
                continue;
            }
        };
        let Some(nodes) = root.get("patterns").and_then(Node::items) else {
            mistakes.push(mistake(file, &root, "the list `patterns` is missing".to_owned()));
            continue;
        };
        for node in nodes {
            let reader = RowReader { row: Row { file, node }, endings };
            match reader.read() {
                Ok((pattern, examples)) => {
                    for words in &pattern.words {
                        if let Some(first) = seen.insert(words.to_lowercase(), reader.place()) {
                            let message = format!("the words \"{words}\" stand in {first} already");
                            mistakes.push(mistake(file, node, message));
                        }
                    }
                    found.patterns.push(pattern);
                    found.examples.extend(examples);
                }
                Err(wrong) => mistakes.extend(wrong),
            }
        }
    }
    found
}

/// Reads the row of a pattern.
struct RowReader<'a> {
    row: Row<'a>,
    endings: &'a Endings,
}

/// A row's pattern, and texts with what the pattern gives of them.
type PatternWithExamples = (Pattern<String>, Vec<Example<String>>);

impl RowReader<'_> {
    /// File and line of the row.
    fn place(&self) -> String {
        format!("rules/{}:{}", self.row.file.name, self.row.node.span.line)
    }

    fn read(&self) -> Result<PatternWithExamples, Vec<Diagnostic>> {
        const KEYS: [&str; 6] = ["words", "regex", "fact", "value", "needs", "examples"];
        let mut found = self.row.unknown_keys(&KEYS);
        let mut row = Pattern {
            words: self.words(&mut found),
            regex: self.expression("regex").as_deref().map(with_ascii_classes),
            value: self.text("value"),
            needs: self.expression("needs").as_deref().map(with_ascii_classes),
            ..Pattern::default()
        };
        let examples = self.examples(&mut found);
        if row.words.is_empty() == row.regex.is_none() {
            found.push(self.row.wrong("words", "a pattern has either `words` or a `regex`"));
        }
        for key in ["regex", "needs"] {
            if let Some(regex) = self.expression(key) {
                found.extend(self.groups(key, &regex, &mut row));
            }
        }
        match self.text("fact") {
            Some(name) => {
                row.fact = Fact::named(&name);
                if row.fact.is_none() {
                    found.push(self.unknown_fact("fact", &name));
                }
            }
            None if row.regex.is_none() => found.push(self.row.wrong("fact", "`fact` is missing")),
            None => {}
        }
        if row.regex.is_some() && row.fact.is_some() != row.value.is_some() {
            let message = "with a `regex`, `fact` and `value` stand together: groups are facts by name";
            found.push(self.row.wrong("fact", message));
        }
        if found.is_empty() && row.regex.is_some() && row.fact.is_none() && row.groups.is_empty() {
            found.push(self.row.wrong("regex", "no group of the expression is named after a fact: (?<app>...)"));
        }
        if found.is_empty() { Ok((row, examples)) } else { Err(found) }
    }

    fn words(&self, found: &mut Vec<Diagnostic>) -> Vec<String> {
        let Some(node) = self.row.node.get("words") else { return Vec::new() };
        let nodes = node.one_or_more();
        let words: Vec<String> = nodes.iter().filter_map(Node::text).map(str::to_owned).collect();
        if words.len() != nodes.len() || words.iter().any(|words| words.trim().is_empty() || words.trim() != words) {
            found.push(self.row.wrong("words", "`words` is a text or a list of texts, without blanks around them"));
        }
        words
    }

    /// Checks an expression, and takes the named groups of `regex`.
    fn groups(&self, key: &str, regex: &str, row: &mut Pattern<String>) -> Vec<Diagnostic> {
        let tree = match regex_syntax::parse(regex) {
            Ok(tree) => tree,
            Err(error) => return vec![self.row.wrong(key, &format!("not a regular expression: {error}"))],
        };
        if key == "needs" {
            return Vec::new();
        }
        let mut found = Vec::new();
        for name in names_of_groups(&tree) {
            match Fact::named(&name) {
                Some(fact) => row.groups.push((name, fact)),
                None => found.push(self.unknown_fact(key, &name)),
            }
        }
        found
    }

    fn examples(&self, found: &mut Vec<Diagnostic>) -> Vec<Example<String>> {
        let nodes = self.row.node.get("examples").and_then(Node::items).unwrap_or_default();
        let mut examples = Vec::new();
        for node in nodes {
            let text = node.get("text").and_then(Node::text);
            let gives = node.get("gives").and_then(Node::entries);
            let (Some(text), Some(gives)) = (text, gives) else {
                let message = "an example has a `text`, and `gives` all facts that it says".to_owned();
                found.push(mistake(self.row.file, node, message));
                continue;
            };
            let gives =
                gives.iter().map(|entry| (entry.name().to_owned(), entry.value.text().unwrap_or_default().to_owned()));
            examples.push(Example { place: self.place(), text: text.to_owned(), gives: gives.collect() });
        }
        if nodes.is_empty() {
            found.push(self.row.wrong("examples", "`examples` are missing: at least one text with what it `gives`"));
        }
        examples
    }

    fn text(&self, key: &str) -> Option<String> {
        self.row.optional(key).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn expression(&self, key: &str) -> Option<String> {
        self.text(key).map(|regex| self.endings.filled_in(&regex))
    }

    fn unknown_fact(&self, key: &str, name: &str) -> Diagnostic {
        let mut known: Vec<&str> = Fact::NAMED.iter().map(|(name, _)| *name).collect();
        known.sort_unstable();
        self.row
            .wrong(key, &format!("`{name}` is no fact of a ticket"))
            .with_help(format!("one of: {}", known.join(", ")))
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
pub fn names_of_groups(tree: &regex_syntax::hir::Hir) -> Vec<String> {
    let mut names = Vec::new();
    group_names(tree, &mut names);
    names
}

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

    fn read(text: &'static str) -> (Patterns, Vec<String>) {
        let mut mistakes = Vec::new();
        let endings = Endings { libraries: vec!["lib".to_owned()], programs: vec!["prog".to_owned()] };
        let read = patterns(std::iter::once(&YamlText::new("data/ticket-test.yaml", text)), &endings, &mut mistakes);
        (read, mistakes.iter().map(|mistake| format!("{}:{}", mistake.span.line, mistake.message)).collect())
    }

    #[test]
    fn endings_are_filled_in() {
        let (read, mistakes) = read(
            "patterns:\n  - regex: 'in (?<module>\\w+\\.{library}) of \\w{1,9}\\.{image}'\n    examples: [{text: in a.lib of b.prog, gives: {module: a.lib}}]\n",
        );
        assert_eq!(mistakes, Vec::<String>::new());
        let regex = read.patterns[0].regex.as_deref().expect("an expression");
        assert!(regex.contains(r"\.(?i:lib))") && regex.ends_with(r"{1,9}\.(?i:lib|prog)"), "{regex}");
    }

    #[test]
    fn words_may_be_one_or_many_and_groups_are_facts() {
        let (read, mistakes) = read(
            "patterns:\n  - words: [a name, ein Name]\n    fact: app\n    examples: [{text: 'a name: x', gives: {app: x}}]\n  \
             - regex: 'of (?<app>\\w+) in (?<module>\\w+)'\n    examples: [{text: of a in b, gives: {app: a, module: b}}]\n",
        );
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let (first, second) = (&read.patterns[0], &read.patterns[1]);
        assert_eq!(
            (first.words.len(), first.fact, read.examples[0].place.as_str()),
            (2, Some(Fact::App), "rules/data/ticket-test.yaml:2")
        );
        assert_eq!(second.groups, [("app".to_owned(), Fact::App), ("module".to_owned(), Fact::Module)]);
        assert_eq!(read.examples[1].gives.len(), 2);
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
