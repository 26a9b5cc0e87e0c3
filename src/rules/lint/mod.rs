//! What is legal in a rule and probably not meant: warnings of `rules check`.
//!
//! A lint looks at one thing and says where it is and what would be better. Some look at single terms, others need to know
//! in which [ways] a rule can match.

mod adjusting;
mod alone;
mod carriers;
mod expressions;
mod lists;
mod paths;
mod reach;
mod references;
mod shadows;
mod sureness;
mod trivial;
mod undecided;
mod ways;

use super::compare::Compare;
use super::list::ModuleList;
use super::rule::Rule;
use super::selection::{FieldTerm, FieldTest, Term, Test};
use crate::facts::FactType;
use crate::yaml::{Diagnostic, Span};
pub(super) use lists::lint as lint_lists;
use ways::Way;

/// A rule with the ways in which it can match; none where there are too many to look at each.
struct Linted<'r> {
    rule: &'r Rule,
    ways: Vec<Way<'r>>,
}

impl Linted<'_> {
    /// Notes a warning at a place of the rule.
    fn warn(&self, code: &'static str, span: Span, message: String, help: &str, found: &mut Vec<Diagnostic>) {
        found.push(Diagnostic::warning(code, &self.rule.file, span, message).with_help(help));
    }

    /// All of its terms, in the order of the rule.
    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.rule.logic().selections.iter().flat_map(|selection| selection.alternatives.iter().flatten())
    }
}

/// From this on a rule says that its cause is more probable than not, and needs evidence for that.
const PROBABLE: f64 = 0.5;

/// Adds what is probably not meant in those of these rules that are `meant`. They are sorted by id. `carriers` are the
/// modules that deliver exceptions for others.
pub(super) fn lint(
    rules: &[Rule],
    meant: impl Fn(&Rule) -> bool,
    carriers: Option<&ModuleList>,
    found: &mut Vec<Diagnostic>,
) {
    // What is disabled judges nothing, and does not stand in the way of others.
    let judging = rules.iter().filter(|rule| rule.disabled().is_none());
    let linted: Vec<Linted<'_>> =
        judging.map(|rule| Linted { rule, ways: ways::of(rule.logic()).unwrap_or_default() }).collect();
    for one in linted.iter().filter(|one| meant(one.rule)) {
        trivial::terms(one, found);
        expressions::look(one, found);
        paths::look(one, found);
        reach::look(one, found);
        ways::contradictions(one, found);
        trivial::rule(one, found);
        carriers::look(one, carriers, found);
        sureness::look(one, found);
        undecided::look(one, found);
        adjusting::look(one, found);
        alone::look(one, found);
        references::look(one, found);
    }
    shadows::look(&linted, meant, found);
}

/// The comparisons of a term, of a fact or of the fields of a list's entries, each with the type of what it compares.
fn comparisons(test: &Test) -> Vec<(FactType, &Compare)> {
    match test {
        Test::Fact { fact, compare, .. } => vec![(fact.kind, compare)],
        Test::List { list, entries, .. } => {
            let terms = entries.alternatives.iter().flatten();
            terms
                .filter_map(|term| match &term.test {
                    FieldTest::Value(compare) => Some((list.fields.get(term.field)?.kind, compare)),
                    FieldTest::Known(_) => None,
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The fields that a term asks of a list's entries, each with its path.
fn fields(test: &Test) -> Vec<(&'static str, &FieldTerm)> {
    match test {
        Test::List { list, entries, .. } => {
            let terms = entries.alternatives.iter().flatten();
            terms.filter_map(|term| Some((list.fields.get(term.field)?.path, term))).collect()
        }
        _ => Vec::new(),
    }
}
