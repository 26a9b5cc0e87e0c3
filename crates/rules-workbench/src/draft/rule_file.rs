//! The file of a drafted rule, with comments for its author.

use std::collections::BTreeSet;

use minijinja::{Environment, context};
use textwrap::{Options, WordSeparator, WordSplitter};

use super::material::{Chosen, Draft, Subject};
use facts::{FactSet, quoted, write_facts};
use incident::IncidentKind;
use rules::UNDETERMINED;
use rules::{Outcome, unfinished};
use untrusted::sanitise;

/// Columns of a comment and of a folded text.
const WIDTH: usize = 116;

/// The parts of the file.
pub(super) struct Parts<'p> {
    pub id: &'p str,
    pub cause: Option<&'p str>,
    pub first: &'p Subject<'p>,
    /// The number of incidents that the draft is made of.
    pub count: usize,
    pub chosen: &'p [Chosen],
    /// Terms that hold for the incidents and became no selection.
    pub left: &'p [Chosen],
    /// Rules that match already, the surest first.
    pub known: &'p [Known<'p>],
    /// Facts of the first incident that can be shown.
    pub facts: FactSet,
}

/// A rule that matches already.
pub(super) struct Known<'k> {
    pub rule: &'k str,
    /// The greatest confidence of its findings.
    pub confidence: f64,
    /// How many of the incidents it matches.
    pub incidents: usize,
}

/// A test of the draft.
struct Test {
    name: String,
    facts: FactSet,
    expect: Outcome,
}

/// Writes the draft.
pub(super) fn drafted(parts: &Parts<'_>) -> Draft {
    let Parts { id, cause, first, chosen, left, known, .. } = *parts;
    let tests = tests(parts);
    let mut to_decide =
        vec!["title", "confidence", "severity", "selections", "explanation", "remediation", "references"];
    if cause.is_none() {
        to_decide.insert(1, "cause");
    }
    let of = match parts.count {
        1 => "one incident".to_owned(),
        count => format!("{count} incidents of one signature"),
    };
    let selection = |selection: &Chosen, yaml: String| {
        context! { name => selection.name, comment => selection.comment.as_str(), yaml }
    };
    let of_test = |test: &Test| {
        context! { name => quoted(&test.name), facts => facts_of_test(&test.facts), expect => test.expect.word() }
    };
    let rendered = environment().render_str(
        include_str!("draft.yaml.jinja"),
        context! {
            id, cause, of, known => described(known, parts.count),
            superseded => known.iter().map(|known| known.rule.to_owned()).collect::<Vec<_>>(),
            to_decide => to_decide.join(", "), undetermined => UNDETERMINED,
            title => quoted(&title(first)), sentence => sentence(first), why => unfinished::WHY,
            step => unfinished::STEP, reference => unfinished::REFERENCE,
            chosen => chosen.iter().map(|one| selection(one, one.term.yaml())).collect::<Vec<_>>(),
            left => left.iter().map(|one| selection(one, sanitise(&one.term.on_one_line()).into())).collect::<Vec<_>>(),
            tests => tests.iter().map(of_test).collect::<Vec<_>>(),
        },
    );
    let yaml = rendered.unwrap_or_default() + "\n";
    Draft { id: id.to_owned(), yaml, selections: chosen.len(), tests: tests.len(), to_decide }
}

/// `gpu/timeout (0.87 in 2 of 3)`, separated by commas.
fn described(known: &[Known<'_>], count: usize) -> String {
    let described = known.iter().map(|Known { rule, confidence, incidents }| {
        let of_all = if count > 1 { format!(" in {incidents} of {count}") } else { String::new() };
        format!("{rule} ({confidence:.2}{of_all})")
    });
    described.collect::<Vec<_>>().join(", ")
}

/// The tests: one that matches, and for each selection a near miss and a test in which its fact is not known.
fn tests(parts: &Parts<'_>) -> Vec<Test> {
    let mut facts = parts.facts.clone();
    parts.chosen.iter().for_each(|selection| selection.term.put(&mut facts));
    let mut tests = vec![Test { name: "as it was seen".to_owned(), facts, expect: Outcome::Match }];
    for (changed, selection) in parts.chosen.iter().enumerate() {
        let mut facts = FactSet::default();
        for (place, other) in parts.chosen.iter().enumerate() {
            if place == changed { other.term.put_near_miss(&mut facts) } else { other.term.put(&mut facts) }
        }
        let name = format!("something else for {}", selection.name);
        tests.push(Test { name, facts, expect: Outcome::NoMatch });
    }
    // Several selections can ask for one list.
    let paths: BTreeSet<&str> = parts.chosen.iter().map(|selection| selection.term.path()).collect();
    for path in paths {
        let mut facts = FactSet::default();
        let known = parts.chosen.iter().filter(|selection| selection.term.path() != path);
        known.for_each(|selection| selection.term.put(&mut facts));
        tests.push(Test { name: format!("{path} is not known"), facts, expect: Outcome::Skipped });
    }
    tests
}

/// A title: what happened.
fn title(subject: &Subject<'_>) -> String {
    let incident = subject.incident;
    let program = incident.process.as_ref().and_then(|process| process.name.as_deref());
    let program = program.unwrap_or("A program");
    let module = incident
        .fault_site
        .as_ref()
        .filter(|site| !site.carrier)
        .map(|site| &site.module)
        .or(incident.suspect.as_ref().map(|suspect| &suspect.module));
    let place = module.map_or_else(String::new, |module| format!(" in {module}"));
    let code = match &incident.exception {
        Some(exception) => {
            let name = exception.name.as_deref().map_or_else(String::new, |name| format!(" {name}"));
            format!(" ({}{name})", exception.code)
        }
        None => {
            let managed = subject.facts.get("exception.managed_type").and_then(|known| known.value.text());
            managed.map_or_else(String::new, |managed| format!(" ({managed})"))
        }
    };
    match incident.kind {
        IncidentKind::Crash => format!("{program} crashed{place}{code}"),
        IncidentKind::Hang => format!("{program} stopped answering"),
        IncidentKind::Exit => format!("{program} ended{code}"),
        IncidentKind::StartFailure => format!("{program} did not start"),
        IncidentKind::GpuReset => "The GPU was reset".to_owned(),
        IncidentKind::PowerLoss => "The computer went off without shutting down".to_owned(),
        IncidentKind::Bugcheck => {
            let stop = incident.bugcheck.as_ref().map_or_else(String::new, |stop| {
                let name = stop.name.as_deref().map_or_else(String::new, |name| format!(" {name}"));
                format!(" with {}{name}", stop.code)
            });
            format!("Windows stopped{stop}{place}")
        }
    }
}

/// The title as a sentence of an explanation, with a placeholder for the program's name.
fn sentence(subject: &Subject<'_>) -> String {
    let title = title(subject);
    let incident = subject.incident;
    let program = incident.process.as_ref().and_then(|process| process.name.as_deref()).unwrap_or("A program");
    match title.strip_prefix(program) {
        Some(rest) => format!("{{{{ process.name or \"The program\" }}}}{rest}."),
        None => format!("{title}."),
    }
}

/// Renders the file, with filters for texts that are wrapped: comments with their indentation, decisions of the author
/// and the lines of a folded text.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.add_filter("comment", |text: &str, indent: usize| wrapped(&format!("{}# ", " ".repeat(indent)), text));
    environment.add_filter("decide", |text: &str| wrapped("    # ", &format!("Decide: {text}")));
    environment.add_filter("folded", |text: &str, indent: usize| wrapped(&" ".repeat(indent), text));
    environment
}

/// A text in lines, each behind the same lead.
fn wrapped(lead: &str, text: &str) -> String {
    let options = Options::new(WIDTH)
        .initial_indent(lead)
        .subsequent_indent(lead)
        .break_words(false)
        // At blanks alone: a line that ends behind the `/` of an id would be read with a blank there.
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(&sanitise(text), options).join("\n")
}

/// The facts of a test, indented below its name.
fn facts_of_test(facts: &FactSet) -> String {
    if facts.scalars().next().is_none() && facts.lists().next().is_none() {
        return "        facts: {}".to_owned();
    }
    let mut lines = b"        facts:\n".to_vec();
    // Writing to memory does not fail.
    let _ = write_facts(facts, 10, &mut lines);
    String::from_utf8_lossy(&lines).trim_end_matches('\n').to_owned()
}
