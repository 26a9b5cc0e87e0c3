//! Rules of which the only module is one that delivers exceptions for others.

use super::{Linted, PROBABLE, Way, fields};
use crate::facts::Value;
use crate::rules::compare::Compare;
use crate::rules::list::ModuleList;
use crate::rules::selection::{FieldTest, Test};
use crate::yaml::Diagnostic;

/// Facts that say how a process died and not why: with nothing but them a module has to tell the cause.
const HOW: [&str; 2] = ["exception.name", "incident.kind"];
/// Exception codes from this on are errors of Windows, which any program can meet; those below are a program's own.
const FIRST_ERROR: u64 = 0x8000_0000;

/// `R085`: a rule that names a carrier only, and takes its cause for probable; or one as the suspect, which it never is.
pub(super) fn look(rule: &Linted<'_>, carriers: Option<&ModuleList>, found: &mut Vec<Diagnostic>) {
    let Some(carriers) = carriers else { return };
    for term in rule.terms().filter(|term| term.test.path() == "suspect.module") {
        if names_of(&term.test).iter().any(|name| carriers.contains(name)) {
            let message = "a module that delivers exceptions for others is never the suspect".to_owned();
            let help = "ask for `fault_site.module`, together with what tells the cause";
            rule.warn("R085", term.span, message, help, found);
        }
    }
    let only_carriers = |way: &Way<'_>| {
        let holding = || way.iter().filter(|literal| literal.holds).map(|literal| &literal.term.test);
        let names: Vec<&str> = holding().filter(|test| is_place(test)).flat_map(names_of).collect();
        let tells_more = |test: &Test| {
            let known_only = matches!(test, Test::FactKnown { .. } | Test::ListKnown { .. });
            !is_place(test) && !known_only && !HOW.contains(&test.path()) && !is_error(test)
        };
        !names.is_empty() && names.iter().all(|name| carriers.contains(name)) && !holding().any(tells_more)
    };
    if rule.rule.confidence() >= PROBABLE && rule.ways.iter().any(only_carriers) {
        let message =
            "the only module that the rule names delivers exceptions for others, so it tells no cause".to_owned();
        let help = "ask for its caller (`suspect.module`), a message, or what else sets this cause apart";
        rule.warn("R085", rule.rule.id_span, message, help, found);
    }
}

/// Whether a test asks for errors of Windows by their codes.
fn is_error(test: &Test) -> bool {
    let error = |value: &Value| matches!(value, Value::Number(code) if *code >= FIRST_ERROR);
    match test {
        Test::Fact { fact, compare: Compare::Equal(values), .. } => {
            fact.path == "exception.code" && values.iter().all(error)
        }
        _ => false,
    }
}

/// Whether a test is about where the exception was raised, or about the stack.
fn is_place(test: &Test) -> bool {
    matches!(test.path(), "fault_site.module" | "frames")
}

/// The modules that a test wants by their names, folded.
fn names_of(test: &Test) -> Vec<&str> {
    match test {
        Test::Fact { compare, .. } => texts_of(compare),
        Test::List { .. } => fields(test)
            .into_iter()
            .filter(|(path, _)| *path == "module")
            .flat_map(|(_, field)| match &field.test {
                FieldTest::Value(compare) => texts_of(compare),
                FieldTest::Known(_) => Vec::new(),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The texts that a value must be equal to.
fn texts_of(compare: &Compare) -> Vec<&str> {
    match compare {
        Compare::Equal(values) => values.iter().filter_map(Value::text).collect(),
        _ => Vec::new(),
    }
}
