//! R101: rules that are surer than their only kind of evidence allows.

use super::linted::Linted;
use super::trivial::is_trivial;
use super::ways::Way;
use crate::language::{Compare, Term, Test};
use facts::Value;
use spanned_yaml::{Code, Diagnostic};

/// Exception codes that show how a program died and not why: each occurs in crashes of nearly every cause. Other codes,
/// such as stack overflow or a missing DLL, name what happened.
///
/// Source: "NTSTATUS Values" of the Windows protocol documentation (MS-ERREF, 2.3.1).
const EXCEPTIONS: [u64; 5] = [0x8000_0003, 0xC000_0005, 0xC000_0006, 0xC000_0409, 0xC000_041D];
/// Stop codes that do not show the cause either: an exception that nothing handled, or access to invalid memory.
///
/// Source: "Bug check code reference" of the Windows driver documentation.
const STOPS: [u64; 10] = [0x0A, 0x1E, 0x3B, 0x50, 0x7E, 0x7F, 0x8E, 0xD1, 0x1000_007E, 0x1000_008E];

/// The highest confidence of a rule that compares only such a code.
const MOST_OF_A_CODE: f64 = 0.6;
/// The highest confidence of a rule that compares only the program or its environment: neither shows what went wrong.
const MOST_OF_A_PLACE: f64 = 0.4;
/// The highest confidence of a rule that compares only the faulting module: damage shows there, whoever caused it.
const MOST_OF_A_MODULE: f64 = 0.75;

/// `R101`: a rule whose confidence is too high for the only kind of evidence that it compares.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let confidence = rule.rule.confidence();
    let thin = rule.ways.iter().filter_map(alone).find(|alone| confidence > alone.most);
    let Some(Alone { most, what, term }) = thin else { return };
    // That such a module only carries is the same, said better.
    let is_told = |warning: &Diagnostic| {
        warning.code == Code::R085 && warning.file.name == rule.rule.file.name && warning.span == rule.rule.id_span
    };
    if term.test.path() == "fault_site.module" && found.iter().any(is_told) {
        return;
    }
    let message = format!("{confidence:.2} is too much for {what} alone, which carries {most:.2} at most");
    let help = "ask for what sets apart the incidents that have this cause, or be less sure";
    rule.warn(Code::R101, term.span, message, help, found);
}

/// The only kind of evidence of a way.
struct Alone<'r> {
    /// How much it carries.
    most: f64,
    what: &'static str,
    term: &'r Term,
}

/// The only evidence of a way, if it carries little; of several kinds the one that carries most.
fn alone<'r>(way: &Way<'r>) -> Option<Alone<'r>> {
    let telling = way.iter().filter(|literal| {
        let test = &literal.term.test;
        !is_trivial(test) && test.path() != "incident.kind"
    });
    let names = |path: &str| way.iter().any(|literal| literal.holds && literal.term.test.path() == path);
    if ["fault_site", "suspect"].iter().any(|of| names(&format!("{of}.module")) && names(&format!("{of}.version"))) {
        // A version of a module can be one of which a defect is known.
        return None;
    }
    let mut strongest: Option<Alone<'r>> = None;
    for literal in telling {
        // What a rule excludes leaves fewer causes; by how many, only its author knows.
        let (most, what) = carries(&literal.term.test).filter(|_| literal.holds)?;
        if strongest.as_ref().is_none_or(|known| known.most < most) {
            strongest = Some(Alone { most, what, term: literal.term });
        }
    }
    strongest
}

/// How much a test carries by itself, if that is little.
fn carries(test: &Test) -> Option<(f64, &'static str)> {
    let Test::Fact { fact, compare, .. } = test else { return None };
    // One of several codes is enough for the rule to match.
    let has_one_of = |codes: &[u64]| match compare {
        Compare::Equal(values) => {
            values.iter().any(|value| matches!(value, Value::Number(code) if codes.contains(code)))
        }
        _ => false,
    };
    match fact.path {
        "exception.code" | "process.exit_code" if has_one_of(&EXCEPTIONS) => {
            Some((MOST_OF_A_CODE, "a code that many causes end with"))
        }
        "bugcheck.code" if has_one_of(&STOPS) => Some((MOST_OF_A_CODE, "a stop that many causes end with")),
        "process.name"
        | "process.path"
        | "process.original_name"
        | "process.parent"
        | "process.integrity"
        | "process.version"
        | "process.architecture"
        | "process.wow64" => Some((MOST_OF_A_PLACE, "the program")),
        "process.uptime_seconds" | "system.uptime_seconds" => Some((MOST_OF_A_PLACE, "how long it had run")),
        "fault_site.version" | "fault_site.offset" | "suspect.version" => {
            Some((MOST_OF_A_PLACE, "a version or an offset, of whatever module,"))
        }
        "exception.access" => Some((MOST_OF_A_CODE, "the kind of access")),
        // Modules of a list are there for a reason that the list gives.
        "fault_site.module" if !matches!(compare, Compare::Listed { .. }) => {
            Some((MOST_OF_A_MODULE, "the name of the module at the fault"))
        }
        path if path.starts_with("environment.") || path.starts_with("os.") => {
            Some((MOST_OF_A_PLACE, "what the program ran on"))
        }
        _ => None,
    }
}
