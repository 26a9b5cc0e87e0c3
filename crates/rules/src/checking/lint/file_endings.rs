//! R096: names of modules without a file ending.

use super::linted::{Linted, comparisons};
use crate::language::Compare;
use facts::{FactType, Value};
use spanned_yaml::{Code, Diagnostic};

/// Facts and lists with names that need no ending: processes of the system (`System`, `Registry`), and drivers of whose
/// names the kernel keeps only a part.
const WITHOUT: [&str; 7] = [
    "process.name",
    "process.parent",
    "exit.ended_by",
    "hang.waiting_for",
    "incidents_before",
    "unloaded_drivers",
    "start_failure.module",
];

/// `R096`: a module's name without its ending, as debuggers print it: the facts have whole file names.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms().filter(|term| !WITHOUT.contains(&term.test.path())) {
        let of_modules = comparisons(&term.test).into_iter().filter(|(fact, _)| fact.kind == FactType::Module);
        if let Some(name) = of_modules.into_iter().find_map(|(_, compare)| name_alone(compare)) {
            let message = format!("no module is called `{name}`: the names of files have their endings");
            let help = format!("write `{name}.dll` (or .exe, .sys, .pyd), or `|like: '{name}.*'`");
            rule.warn(Code::R096, term.span, message, &help, found);
        }
    }
}

/// The first of the names that a module must be equal to that has no ending.
fn name_alone(compare: &Compare) -> Option<&str> {
    let Compare::Equal(names) = compare else { return None };
    names.iter().filter_map(Value::text).find(|name| !name.contains('.'))
}
