//! The file of a drafted rule, with comments for its author.

use std::collections::BTreeSet;

use textwrap::{Options, WordSeparator, WordSplitter};

use super::material::{Chosen, Draft, Subject};
use facts::{FactSet, quoted, write_facts};
use incident::IncidentKind;
use rules::UNDETERMINED;
use rules::{Outcome, unfinished};
use untrusted::sanitise;

/// Columns of a comment and of a folded text.
const WIDTH: usize = 116;
/// The indentation of the keys of a rule.
const KEYS: usize = 4;

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
    /// Rules that match already.
    pub known: &'p [String],
    /// Facts of the first incident that can be shown.
    pub facts: FactSet,
}

/// A test of the draft.
struct Test {
    name: String,
    facts: FactSet,
    expect: Outcome,
}

/// Writes the draft.
pub(super) fn drafted(parts: &Parts<'_>) -> Draft {
    let Parts { id, cause, first, chosen, left, known, .. } = parts;
    let tests = tests(parts);
    let mut to_decide =
        vec!["title", "confidence", "severity", "selections", "explanation", "remediation", "references"];
    if cause.is_none() {
        to_decide.insert(1, "cause");
    }
    let title = title(first);
    let of = match parts.count {
        1 => "one incident".to_owned(),
        count => format!("{count} incidents of one signature"),
    };
    let mut file = File::default();
    file.comment(
        0,
        &format!(
            "A draft by `crashsift rules new`, made of {of}. It has no errors and passes its tests as it is. What nobody but \
             its author can decide stands below \"Decide\": {}; `rules check` warns of texts that are not written yet.",
            to_decide.join(", ")
        ),
    );
    if !known.is_empty() {
        let them = known.join(", ");
        file.comment(0, &format!("Rules that match already: {them}. A new rule is for what they don't say."));
    }
    file.line(0, "schema: 1");
    file.line(0, "rules:");
    file.line(2, &format!("- id: {id}"));
    file.decide("what it finds, in one line.");
    file.line(KEYS, &format!("title: {}", quoted(&title)));
    match cause {
        Some(cause) => file.line(KEYS, &format!("cause: {cause}")),
        None => {
            file.decide(
                "what has to be changed so that it stops, one of those that `crashsift rules causes` prints. \
                 undetermined claims nothing, and no verdict is made of it.",
            );
            file.line(KEYS, &format!("cause: {UNDETERMINED}"));
        }
    }
    file.decide(
        "of ten incidents that it matches, in how many is the cause right? Nine: 0.9. From 0.8 on people act on it.",
    );
    file.line(KEYS, "confidence: 0.3");
    file.decide("what it means for the user: low, medium, high or critical.");
    file.line(KEYS, "severity: medium");
    file.decide(
        "all of these have to hold. Remove what another case of the same cause may lack, and its tests with it: a rule is \
         for all of them.",
    );
    file.line(KEYS, "selections:");
    for selection in *chosen {
        file.comment(6, &selection.comment);
        file.line(6, &format!("{}:", selection.name));
        file.line(8, &selection.term.yaml());
    }
    if !left.is_empty() {
        file.comment(6, "What else the evidence has, to be taken in where the cause needs it:");
        for selection in *left {
            file.line(6, &format!("# {}: {}", selection.name, sanitise(&selection.term.on_one_line())));
            file.comment(6, &format!("    {}", selection.comment));
        }
    }
    file.decide("why it happens, and what shows it. Facts in braces are filled in.");
    file.line(KEYS, "explanation: >-");
    file.text(6, &format!("{} {}", sentence(first), unfinished::WHY));
    file.decide("what to do: for whoever is at the machine, and for whoever makes the program.");
    file.line(KEYS, "remediation:");
    file.line(6, "- audience: helpdesk");
    file.line(8, &format!("text: {}", unfinished::STEP));
    file.line(6, "- audience: developer");
    file.line(8, &format!("text: {}", unfinished::STEP));
    file.comment(
        KEYS,
        "Optional: what would decide whether it is right. Dumps, logs and Report.wer are asked for where they are missing, and \
         need not be named.",
    );
    file.line(KEYS, "# collect:");
    file.line(KEYS, "#   - What somebody saw, or the output of a command.");
    file.decide("where it can be read: public reports of the same, and the maker's words.");
    file.line(KEYS, "references:");
    file.line(6, &format!("- Seen in {of}; {}", unfinished::REFERENCE));
    file.comment(
        KEYS,
        "The first test has the incident's facts without names of users and computers, paths of one machine, ids, addresses \
         and free text. Look through them before you pass them on.",
    );
    file.line(KEYS, "tests:");
    for test in &tests {
        file.line(6, &format!("- name: {}", quoted(&test.name)));
        file.facts(8, &test.facts);
        file.line(8, &format!("expect: {}", test.expect));
    }
    Draft { id: (*id).to_owned(), yaml: file.text, selections: chosen.len(), tests: tests.len(), to_decide }
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

/// The text of the file.
#[derive(Default)]
struct File {
    text: String,
}

impl File {
    fn line(&mut self, indent: usize, text: &str) {
        self.text.push_str(&" ".repeat(indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn decide(&mut self, what: &str) {
        self.comment(KEYS, &format!("Decide: {what}"));
    }

    fn comment(&mut self, indent: usize, text: &str) {
        self.wrapped(&format!("{}# ", " ".repeat(indent)), text);
    }

    /// The lines of a folded text.
    fn text(&mut self, indent: usize, text: &str) {
        self.wrapped(&" ".repeat(indent), text);
    }

    fn wrapped(&mut self, lead: &str, text: &str) {
        let text = sanitise(text);
        let options = Options::new(WIDTH)
            .initial_indent(lead)
            .subsequent_indent(lead)
            .break_words(false)
            // At blanks alone: a line that ends behind the `/` of an id would be read with a blank there.
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        for line in textwrap::wrap(&text, options) {
            self.line(0, &line);
        }
    }

    fn facts(&mut self, indent: usize, facts: &FactSet) {
        if facts.scalars().next().is_none() && facts.lists().next().is_none() {
            self.line(indent, "facts: {}");
            return;
        }
        self.line(indent, "facts:");
        let mut lines = Vec::new();
        // Writing to memory does not fail.
        let _ = write_facts(facts, indent.saturating_add(2), &mut lines);
        self.text.push_str(&String::from_utf8_lossy(&lines));
    }
}
