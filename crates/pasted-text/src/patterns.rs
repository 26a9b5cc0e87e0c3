//! The patterns by which texts announce facts. They are data: the build reads them from `rules/data/ticket-*.yaml`.
//!
//! A line is looked through once for all words and once for all regular expressions; both take time that grows with
//! the line alone.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexSet, RegexSetBuilder};

/// What a pattern announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    /// The crashed program's file name; a version may follow.
    App,
    /// Its version.
    AppVersion,
    /// Its path.
    AppPath,
    /// The crashed program, but only if what follows looks like an image's name.
    AppImage,
    /// A program that did not answer, with its version; one that crashed counts more.
    AppHung,
    /// The crashed program, said in a sentence; a field of a report counts more.
    AppTold,
    /// A program that is said to crash or end, without a code; all other ways to name it count more.
    AppNamed,
    /// The faulting module's file name; a version may follow.
    Module,
    /// The same, said in a sentence; a field of a report counts more.
    ModuleTold,
    /// Its version.
    ModuleVersion,
    /// The faulting module, but only if what follows looks like an image's name.
    ModuleImage,
    /// A debugger's module name, without ending and possibly after an address.
    ModuleStem,
    /// The faulting module's path.
    ModulePath,
    /// The module of the exception's address as a debugger names it.
    FaultStem,
    /// An exception code.
    ExceptionCode,
    /// The code of an exception that was raised, and perhaps handled.
    RaisedCode,
    /// An exception code that the words may mean, when nothing else gives one.
    SuggestedCode,
    /// The code with which a process ended; small ones are the program's own.
    ExitCode,
    /// The name of the status with which a process ended, or of the exception.
    StatusName,
    /// Why a page could not be read, a status; the exception is the one of such pages.
    InPageStatus,
    /// What did not respond, if it can be a program.
    Hung,
    /// An exit code of which only the lowest 8 bits were left.
    TruncatedCode,
    /// The offset in the faulting module.
    Offset,
    /// The type of a C++ exception that nobody caught.
    CppType,
    /// The words of such an exception.
    CppWhat,
    /// A fast-fail code.
    FastFail,
    /// A fast-fail code in some contexts only.
    Subcode,
    /// The address that an access violation wanted.
    AccessAddress,
    /// A parameter of the exception, counted from 0.
    ExceptionParameter(usize),
    /// A bugcheck code with `0x`; parameters in parentheses may follow. Or its name.
    Bugcheck,
    /// A bugcheck code in hexadecimal, with or without `0x`.
    BugcheckHex,
    /// A bugcheck code in decimal, unless it begins with `0x`.
    BugcheckDecimal,
    /// A parameter of the bugcheck, counted from 0, in hexadecimal.
    BugcheckParameter(usize),
    /// The name of a bugcheck.
    StopName,
    /// A line in which a stop may be told by its name in words.
    StopWords,
    /// The same, said in passing.
    StopMention,
    /// Codes of stops in a row, each in hexadecimal with `0x`.
    StopList,
    /// The driver that a stop's screen names.
    StopDriver,
    /// A Win32 error, or an NTSTATUS in its place.
    WinError,
    /// A number that is a Win32 error only if it is one of the loader's.
    LoaderError,
    /// An HRESULT.
    HResult,
    /// WER's name for the kind of problem.
    EventName,
    /// The provider of an event.
    EventSource,
    /// The id of an event.
    EventId,
    /// The computer's name.
    Computer,
    /// Process id of the crashed program, hexadecimal.
    ProcessId,
    /// The same in decimal.
    ProcessIdDecimal,
    /// WER's id of the report.
    ReportId,
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
    /// The same where it may be another number: taken only if a release has it.
    OsBuildTold,
    /// The same where it may be a file's version: taken only if no other release shares its kernel.
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
    /// Name of an installed package; its version follows as a fact of its own.
    Package,
    /// Version of that package.
    PackageVersion,
    /// The part of a text that is about one crash begins with this line.
    CrashBegins,
    /// It ends with this line.
    CrashEnds,
    /// Somebody starts a program with this line: what comes is about another run.
    RunBegins,
    /// Another problem is told from this line on.
    ProblemBegins,
    /// Whom or what the text tells of from this line on, one of several.
    PartyBegins,
    /// The line explains something in general and says nothing of the crash.
    Explanation,
    /// The line shows that a debugger blames no module.
    NoModule,
    /// What a debugger suspects in the place of a module.
    DebuggerSuspects,
}

/// Whether a line begins or ends the part of a text that is about one crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// The part begins with it.
    Begins,
    /// The part ends with it.
    Ends,
    /// A program is started with it, so the part is about a run of its own.
    Starts,
    /// The part begins with it, and is about another problem than what stands before.
    Problem,
    /// The part begins with it, and is about somebody or something that it names.
    Party,
}

/// Words or an expression, and what they announce.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Words that stand for themselves at the beginning and end of words; upper and lower case are the same.
    words: &'static [&'static str],
    /// An expression in their place.
    regex: Option<&'static str>,
    /// Its groups that are facts.
    groups: &'static [(&'static str, Fact)],
    /// What follows the words.
    fact: Option<Fact>,
    /// What the words mean, where nothing follows.
    value: Option<&'static str>,
    /// An expression that some line of the text must fit for the pattern to count.
    pub needs: Option<&'static str>,
}

/// The patterns.
pub(super) static PATTERNS: &[Pattern] = include!(concat!(env!("OUT_DIR"), "/ticket_patterns.rs"));

/// As many matches of one expression as are looked at in a line.
const MOST_MATCHES: usize = 32;
/// As many statements as are taken from one line.
const MOST_STATEMENTS: usize = 1024;

/// More characters than a line has by which it is known as a heading.
const LONGEST_HEADING: usize = 300;

/// What a pattern found in a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'l> {
    /// What it is about.
    pub fact: Fact,
    /// The text that begins with the value.
    pub text: &'l str,
    /// Where it stands in the line; the line's beginning for a value that the pattern has.
    pub at: usize,
    /// An expression that some line of the text must fit for the statement to count.
    pub needs: Option<&'static str>,
}

/// What the automaton of so many expressions may take, bytes. The usual 2 MiB are too little for its states: without it,
/// text is searched ten times as slowly.
const AUTOMATON: usize = 16 << 20;

/// What all expressions together may take before they are searched for, bytes: bounded repetitions of other letters than
/// ASCII's take most. The usual 10 MiB are too little for all languages.
const EXPRESSIONS: usize = 24 << 20;

/// Expressions that are searched for together.
fn all_of<'r>(expressions: impl Iterator<Item = &'r str>) -> Option<RegexSet> {
    RegexSetBuilder::new(expressions).size_limit(EXPRESSIONS).dfa_size_limit(AUTOMATON).build().ok()
}

/// All patterns, compiled.
struct Finder {
    words: Option<AhoCorasick>,
    /// The pattern of each of the words.
    of_words: Vec<usize>,
    expressions: Option<RegexSet>,
    /// The pattern of each of the expressions, with the expression alone once it was needed.
    of_expressions: Vec<(usize, OnceLock<Option<Regex>>)>,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let numbered = || PATTERNS.iter().enumerate();
    let words = || numbered().flat_map(|(number, pattern)| pattern.words.iter().map(move |words| (number, *words)));
    let expressions = || {
        numbered()
            .filter(|(_, pattern)| pattern.border().is_none())
            .filter_map(|(number, row)| Some((number, row.regex?)))
    };
    Finder {
        words: AhoCorasick::builder().ascii_case_insensitive(true).build(words().map(|(_, words)| words)).ok(),
        of_words: words().map(|(number, _)| number).collect(),
        expressions: all_of(expressions().map(|(_, regex)| regex)),
        of_expressions: expressions().map(|(number, _)| (number, OnceLock::new())).collect(),
    }
});

/// The patterns that only divide texts, compiled.
struct Borders {
    expressions: Option<RegexSet>,
    /// The number of the pattern of each of the expressions, and what it finds.
    rows: Vec<(usize, Border)>,
}

static BORDERS: LazyLock<Borders> = LazyLock::new(|| {
    let rows = || PATTERNS.iter().enumerate().filter_map(|(number, row)| Some((number, row.border()?, row.regex?)));
    Borders {
        expressions: all_of(rows().map(|(_, _, regex)| regex)),
        rows: rows().map(|(number, border, _)| (number, border)).collect(),
    }
});

/// The numbers of the patterns by which `line` begins or ends a part of a text.
pub(super) fn borders(line: &str) -> impl Iterator<Item = (usize, Border)> {
    // Headings are short, and stand at the beginning.
    let line = super::values::beginning(line, LONGEST_HEADING);
    let fitting = BORDERS.expressions.as_ref().map(|expressions| expressions.matches(line)).into_iter().flatten();
    fitting.filter_map(|index| BORDERS.rows.get(index).copied())
}

/// Whom or what `line` names as the one that the text tells of from there on: `Customer A: ...`. In lower case.
pub(super) fn party(line: &str) -> Option<String> {
    static NAMED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let rows = PATTERNS.iter().filter(|row| row.border() == Some(Border::Party));
        rows.filter_map(|row| Regex::new(row.regex?).ok()).collect()
    });
    let line = super::values::beginning(line, LONGEST_HEADING);
    let named = NAMED.iter().find_map(|regex| regex.captures(line)?.name("party_begins"))?;
    let words = named.as_str().split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    Some(words.collect::<Vec<_>>().join(" ").to_lowercase())
}

impl Pattern {
    fn border(&self) -> Option<Border> {
        self.groups.iter().find_map(|(_, fact)| match fact {
            Fact::CrashBegins => Some(Border::Begins),
            Fact::CrashEnds => Some(Border::Ends),
            Fact::RunBegins => Some(Border::Starts),
            Fact::ProblemBegins => Some(Border::Problem),
            Fact::PartyBegins => Some(Border::Party),
            _ => None,
        })
    }
}

/// What the patterns find in `line`, in the order of the patterns and, for each, of the line.
pub(super) fn statements(line: &str) -> Vec<Statement<'_>> {
    let mut found = Vec::new();
    FINDER.add_words(line, &mut found);
    FINDER.add_expressions(line, &mut found);
    found.sort_by_key(|(number, at, _)| (*number, *at));
    found.into_iter().map(|(_, _, statement)| statement).collect()
}

impl Finder {
    fn add_words<'l>(&self, line: &'l str, found: &mut Vec<(usize, usize, Statement<'l>)>) {
        let Some(words) = &self.words else { return };
        for one in words.find_overlapping_iter(line) {
            let pattern =
                self.of_words.get(one.pattern().as_usize()).and_then(|number| Some((*number, PATTERNS.get(*number)?)));
            let Some((number, pattern)) = pattern.filter(|_| stands_alone(line, one.start(), one.end())) else {
                continue;
            };
            if found.len() == MOST_STATEMENTS {
                return;
            }
            if let Some(fact) = pattern.fact {
                let text = pattern.value.unwrap_or_else(|| line.get(one.end()..).unwrap_or_default());
                let at = if pattern.value.is_some() { 0 } else { one.end() };
                found.push((number, one.start(), Statement { fact, text, at, needs: pattern.needs }));
            }
        }
    }

    fn add_expressions<'l>(&self, line: &'l str, found: &mut Vec<(usize, usize, Statement<'l>)>) {
        let Some(expressions) = &self.expressions else { return };
        for index in expressions.matches(line) {
            let Some((number, compiled)) = self.of_expressions.get(index) else { continue };
            let Some(pattern) = PATTERNS.get(*number) else { continue };
            let needs = pattern.needs;
            if let (Some(fact), Some(text)) = (pattern.fact, pattern.value) {
                found.push((*number, 0, Statement { fact, text, at: 0, needs }));
                continue;
            }
            let compiled = compiled.get_or_init(|| Regex::new(pattern.regex?).ok());
            for captures in compiled.iter().flat_map(|regex| regex.captures_iter(line)).take(MOST_MATCHES) {
                for (name, fact) in pattern.groups {
                    if let Some(group) = captures.name(name) {
                        let (at, text) = (group.start(), group.as_str());
                        found.push((*number, at, Statement { fact: *fact, text, at, needs }));
                    }
                }
            }
        }
    }
}

/// Whether the part of a line from `start` to `end` is not glued to a letter, digit or `_` before or behind it.
pub(super) fn stands_alone(line: &str, start: usize, end: usize) -> bool {
    let in_word = |character: char| character.is_alphanumeric() || character == '_';
    let before = line.get(..start).is_some_and(|before| before.ends_with(in_word));
    let behind = line.get(end..).is_some_and(|behind| behind.starts_with(in_word));
    !before && !behind
}

#[cfg(test)]
mod tests {
    use super::*;
    use knowledge_tables::patterns::FACTS;

    #[test]
    fn all_patterns_can_be_searched_for() {
        assert!(FINDER.words.is_some() && FINDER.expressions.is_some() && BORDERS.expressions.is_some());
        for pattern in PATTERNS {
            if let Some(regex) = pattern.regex {
                let compiled = Regex::new(regex).expect("an expression");
                let names: Vec<&str> = compiled.capture_names().flatten().collect();
                assert_eq!(names, pattern.groups.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{regex}");
            }
            assert!(pattern.needs.is_none_or(|needs| Regex::new(needs).is_ok()));
        }
    }

    #[test]
    fn the_names_of_facts_are_sorted_and_each_is_used() {
        assert!(FACTS.is_sorted());
        let used = |variant: &str| {
            PATTERNS.iter().any(|pattern| {
                let facts = pattern.fact.iter().chain(pattern.groups.iter().map(|(_, fact)| fact));
                facts.into_iter().any(|fact| format!("Fact::{fact:?}") == variant)
            })
        };
        for (name, variant) in FACTS {
            assert!(used(variant), "no pattern gives {name}");
        }
    }

    #[test]
    fn words_stand_alone_and_in_any_case() {
        let found = |line: &str| statements(line).iter().any(|statement| statement.fact == Fact::ExitCode);
        assert!(found("EXIT CODE 5") && found("(exit code: 5)"));
        assert!(!found("exit codes 5") && !found("my_exit code 5"));
    }
}
