//! Lints: what is possible in a rule and probably not meant. `rules check` prints them as warnings.
//!
//! A lint looks at one thing and says where it is and what would be better. Some look at single terms, others need to
//! know in which [ways] a rule can match.

mod adjusting;
mod boundaries;
mod carriers;
mod contradictions;
mod drafts;
mod ended_suppressions;
mod expressions;
mod file_endings;
mod lengths;
mod line_lists;
mod lists;
mod narration;
mod paths;
mod reach;
mod references;
mod shadows;
mod sureness;
pub mod table_files;
mod tables;
mod thin_evidence;
mod trivial;
mod undecided;
mod ways;

use super::compare::Compare;
use super::list::Lists;
use super::pattern::Pattern;
use super::rule::Rule;
use super::selection::{Term, Test};
use carriers::Carriers;
use contradictions::Contradiction;
pub(super) use ended_suppressions::look as look_at_suppressions;
use facts::FactDefinition;
pub(super) use line_lists::look as lint_line_lists;
pub(super) use lists::lint as lint_lists;
pub(super) use references::look_at as look_at_references;
use spanned_yaml::{Code, Diagnostic, Span};
pub(crate) use table_files::check as check_table;
pub(super) use tables::look as lint_table;
use ways::Way;

/// A rule with the ways in which it can match; none where there are too many to look at each, or where it never
/// matches.
struct Linted<'r> {
    rule: &'r Rule,
    ways: Vec<Way<'r>>,
    /// Why it never matches, for each of its ways.
    contradictions: Vec<Contradiction<'r>>,
}

impl<'r> Linted<'r> {
    fn new(rule: &'r Rule) -> Self {
        let (mut possible, mut contradictions) = (Vec::new(), Vec::new());
        for way in ways::of_rule(rule.logic()).unwrap_or_default() {
            match contradictions::find(rule, &way) {
                Some(contradiction) => contradictions.push(contradiction),
                None => possible.push(way),
            }
        }
        // Where a way is left, the others are what is left over of a condition that says more than one thing.
        if !possible.is_empty() {
            contradictions.clear();
        }
        Self { rule, ways: possible, contradictions }
    }

    /// Notes a warning at a place of the rule.
    fn warn(&self, code: Code, span: Span, message: String, help: &str, found: &mut Vec<Diagnostic>) {
        found.push(Diagnostic::warning(code, &self.rule.file, span, message).with_help(help));
    }

    /// All of its terms, in the order of the rule.
    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.rule.logic().terms()
    }

    /// The regular expressions that it looks for, each with its term and with the fact or field that is compared.
    fn expressions(&self) -> impl Iterator<Item = (&Term, &'static FactDefinition, &Pattern)> {
        self.terms().flat_map(|term| {
            comparisons(&term.test).into_iter().flat_map(move |(fact, compare)| {
                let patterns = if let Compare::Regex { patterns, .. } = compare { patterns.as_slice() } else { &[] };
                patterns.iter().map(move |pattern| (term, fact, pattern))
            })
        })
    }
}

/// From this confidence on, a rule calls its cause more probable than not, and needs evidence for that.
const PROBABLE: f64 = 0.5;

/// Adds what is probably not meant in those of these rules that are `meant`. They are sorted by id. `modules` are the
/// lists of modules of the built-in set.
pub(super) fn lint(rules: &[Rule], meant: impl Fn(&Rule) -> bool, modules: &Lists, found: &mut Vec<Diagnostic>) {
    // What is disabled judges nothing, and does not stand in the way of others.
    let judging = rules.iter().filter(|rule| rule.disabled().is_none());
    let linted: Vec<Linted<'_>> = judging.map(Linted::new).collect();
    let carriers = Carriers::new(modules);
    for one in linted.iter().filter(|one| meant(one.rule)) {
        trivial::terms(one, found);
        expressions::look(one, found);
        boundaries::look(one, found);
        paths::look(one, found);
        file_endings::look(one, found);
        reach::look(one, found);
        contradictions::look(one, found);
        trivial::rule(one, found);
        if let Some(carriers) = &carriers {
            carriers::look(one, carriers, found);
        }
        sureness::look(one, found);
        undecided::look(one, found);
        drafts::look(one, found);
        adjusting::look(one, found);
        thin_evidence::look(one, found);
        lengths::look(one, found);
        narration::look(one, found);
        references::look(one, found);
    }
    shadows::look(&linted, meant, found);
}

/// The comparisons of a term, each with the fact, or the field of a list's entries, that is compared.
fn comparisons(test: &Test) -> Vec<(&'static FactDefinition, &Compare)> {
    match test {
        Test::Fact { fact, compare, .. } => vec![(fact, compare)],
        _ => test.field_terms().filter_map(|term| Some((term.field.definition, term.test.compare()?))).collect(),
    }
}

/// A term as its rule writes it, on one line.
fn written(rule: &Rule, term: &Term) -> String {
    rule.file.slice(term.span).split_whitespace().collect::<Vec<_>>().join(" ")
}
