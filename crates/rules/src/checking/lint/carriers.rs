//! R085: rules whose only module is a carrier: a module that passes on exceptions of others.

use super::linted::{Linted, PROBABLE, comparisons};
use super::ways::Way;
use crate::evaluating::Compared;
use crate::language::{Compare, ModuleList, Quantifier, Test};
use crate::reading::Lists;
use facts::Value;
use spanned_yaml::{Code, Diagnostic};

/// The list of carriers.
const CARRIERS: &str = "carriers";
/// Facts that show how a process died and not why: a rule with only these and a module takes its cause from the module.
const HOW: [&str; 2] = ["exception.name", "incident.kind"];
/// Exception codes from this on are errors of Windows, which any program can meet; those below are a program's own.
const FIRST_ERROR: u64 = 0x8000_0000;
/// Fields of frames that only identify the module and the position on the stack.
const OF_A_MODULE: [&str; 4] = ["module", "position", "trust", "version"];

/// The carriers, and all modules that lists name.
pub(super) struct Carriers<'l> {
    carriers: &'l ModuleList,
    /// One name for each entry of every list of modules.
    known: Vec<String>,
}

impl<'l> Carriers<'l> {
    pub fn new(lists: &'l Lists) -> Option<Self> {
        let carriers = lists.modules.get(CARRIERS)?;
        Some(Self { carriers, known: lists.modules.values().flat_map(|list| list.samples()).collect() })
    }

    /// Whether a comparison with a module's name holds for modules that deliver exceptions for others, as far as
    /// modules are known, and for no others.
    fn are_all_of(&self, compare: &Compare) -> bool {
        match compare {
            Compare::Equal(values) => {
                values.iter().all(|value| value.text().is_some_and(|name| self.carriers.contains(name)))
            }
            Compare::Listed { inside: false, .. } | Compare::Order { .. } | Compare::Place { .. } => false,
            _ => {
                let mut meant = self.known.iter().filter(|name| compare.holds(Compared::Text(name))).peekable();
                meant.peek().is_some() && meant.all(|name| self.carriers.contains(name))
            }
        }
    }

    /// Whether a comparison asks for such a module among others.
    fn are_some_of(&self, compare: &Compare) -> bool {
        match compare {
            Compare::Equal(values) => {
                values.iter().any(|value| value.text().is_some_and(|name| self.carriers.contains(name)))
            }
            _ => self.are_all_of(compare),
        }
    }

    /// Whether a test names such a module, and no other, as the place of the fault or on the stack.
    fn are_the_place(&self, test: &Test) -> bool {
        match test {
            Test::Fact { fact, compare: Compare::Equal(values), .. } if fact.path == "fault_site.carrier" => {
                values.as_slice() == [Value::Flag(true)]
            }
            Test::Fact { fact, compare, .. } => fact.path == "fault_site.module" && self.are_all_of(compare),
            Test::List { quantifier: Quantifier::None, .. } => false,
            Test::List { list, .. } | Test::Sequence { list, .. } if list.name == "frames" => {
                let compared = comparisons(test);
                let mut names = compared.iter().filter(|(field, _)| field.path == "module").peekable();
                names.peek().is_some()
                    && names.all(|(_, compare)| self.are_all_of(compare))
                    && test.field_terms().all(|term| OF_A_MODULE.contains(&term.field.definition.path))
            }
            _ => false,
        }
    }
}

/// `R085`: a rule that names a carrier only, and takes its cause for probable; or one as the suspect, which it never
/// is.
pub(super) fn look(rule: &Linted<'_>, carriers: &Carriers<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms() {
        if let Test::Fact { fact, compare, .. } = &term.test
            && fact.path == "suspect.module"
            && carriers.are_some_of(compare)
        {
            let message = "a module that delivers exceptions for others is never the suspect".to_owned();
            let help = "ask for `fault_site.module`, together with what tells the cause";
            rule.warn(Code::R085, term.span, message, help, found);
        }
    }
    let only_carriers = |way: &Way<'_>| {
        let holding = || way.iter().filter(|literal| literal.holds).map(|literal| &literal.term.test);
        let tells_more = |test: &Test| {
            let known_only = matches!(test, Test::FactKnown { .. } | Test::ListKnown { .. });
            !carriers.are_the_place(test) && !known_only && !HOW.contains(&test.path()) && !is_error(test)
        };
        holding().any(|test| carriers.are_the_place(test)) && !holding().any(tells_more)
    };
    if rule.rule.confidence() >= PROBABLE && rule.ways.iter().any(only_carriers) {
        let message =
            "the only module that the rule names delivers exceptions for others, so it tells no cause".to_owned();
        let help = "ask for its caller (`suspect.module`), a message, or what else sets this cause apart";
        rule.warn(Code::R085, rule.rule.id_span, message, help, found);
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
