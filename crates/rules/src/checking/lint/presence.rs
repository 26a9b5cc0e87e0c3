//! R110: rules that blame software because it is there.

use super::linted::Linted;
use super::ways::{self, Literal, Way};
use crate::language::{Compare, Effect, EntryFilter, FieldTest, Quantifier, Test};
use spanned_yaml::{Code, Diagnostic};

/// Causes that are software beside the program, or a second copy of a library.
const BLAMING: [&str; 6] = [
    "duplicate-runtime",
    "gpu-driver-defect",
    "in-process-extension",
    "injected-module",
    "kernel-driver-defect",
    "security-software",
];
/// Lists of what was loaded or had been: an entry shows that it was there.
const LOADED: [&str; 6] =
    ["drivers", "duplicates", "modules", "other_software", "unloaded_drivers", "unloaded_modules"];
/// Facts and lists that do not show who caused the failure: the code, how the process ended, and what it ran on.
const ABOUT_NOBODY: [&str; 13] = [
    "annotations",
    "built_with",
    "bugcheck",
    "cpu",
    "dump",
    "environment",
    "exception",
    "frameworks",
    "incident",
    "instruction",
    "memory",
    "os",
    "process",
];
/// Facts below these names that do: the place where the failure happened, or where it led to.
const PLACES: [&str; 3] = ["exception.access_module", "mechanism.callee_module", "mechanism.origin_module"];
/// Lists of frames that were found by searching the stack for addresses, unless a term asks for how they were found.
const SCANNED: [&str; 2] = ["frames", "threads"];
/// The highest confidence of a rule by presence: most machines with the software run without this failure.
const MOST_OF_PRESENCE: f64 = 0.25;
/// Confidences are compared with this tolerance, as they are written with two decimals.
const ROUNDING: f64 = 0.001;

/// `R110`: a rule that blames a module, a copy, a driver or a product, and only asks whether it is there.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    if !BLAMING.contains(&rule.rule.cause()) {
        return;
    }
    let present = |literal: &&Literal<'_>| is_presence(literal);
    let by_presence = |way: &&Way<'_>| way.iter().any(|literal| is_presence(literal)) && !way.iter().any(shows_more);
    let Some(literal) = rule.ways.iter().find(by_presence).and_then(|way| way.iter().find(present)) else { return };
    let selections = &rule.rule.logic().selections;
    let raises = rule.rule.texts().adjustments.iter().filter_map(|adjustment| match adjustment.change {
        Effect::By(by) if by > 0.0 => {
            let ways = ways::of_condition(&adjustment.when, selections)?;
            ways.iter().any(|way| !way.iter().any(shows_more)).then_some(by)
        }
        Effect::By(_) | Effect::Most(_) => None,
    });
    let highest = raises.fold(rule.rule.confidence(), |sum, by| sum + by).min(0.99);
    if highest <= MOST_OF_PRESENCE + ROUNDING {
        return;
    }
    let message =
        format!("{highest:.2} is too much for what is only loaded, which carries {MOST_OF_PRESENCE:.2} at most");
    let help = "ask whether it is at the fault, at the target of the jump, or on the stack by a frame that was unwound or is \
                likely (`trust`, `probability`); or be less sure";
    rule.warn(Code::R110, literal.term.span, message, help, found);
}

/// Whether a term asks whether something is loaded.
fn is_presence(literal: &Literal<'_>) -> bool {
    let counts = match &literal.term.test {
        Test::List { quantifier: Quantifier::Any, .. } => true,
        Test::List { quantifier: Quantifier::Count(count), .. } => count.least > 0,
        Test::List { quantifier: Quantifier::None, .. } => false,
        Test::Sequence { .. } => true,
        Test::Fact { .. } | Test::FactKnown { .. } | Test::ListKnown { .. } => false,
    };
    literal.holds && counts && LOADED.contains(&literal.term.test.path())
}

/// Whether a term shows more of who caused the failure than that something is loaded.
fn shows_more(literal: &Literal<'_>) -> bool {
    let test = &literal.term.test;
    let known_only = matches!(test, Test::FactKnown { .. } | Test::ListKnown { .. });
    if !literal.holds || known_only || matches!(test, Test::List { quantifier: Quantifier::None, .. }) {
        return false;
    }
    let path = test.path();
    let of = path.split('.').next().unwrap_or(path);
    if SCANNED.contains(&path) {
        return test.entries().all(is_likely);
    }
    PLACES.contains(&path) || !(LOADED.contains(&path) || ABOUT_NOBODY.contains(&of) || of == "mechanism")
}

/// Whether the frames that fit are likely to be frames.
fn is_likely(entries: &EntryFilter) -> bool {
    entries.alternatives.iter().all(|terms| {
        terms.iter().any(|term| match (term.field.definition.path, &term.test) {
            ("position" | "probability" | "top_module", FieldTest::Value(_)) => true,
            ("trust", FieldTest::Value(Compare::Equal(words))) => {
                words.iter().all(|word| word.text() != Some("scanned"))
            }
            _ => false,
        })
    })
}
