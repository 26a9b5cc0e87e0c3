//! Lints: what is possible in a rule and probably not meant. `rules check` prints them as warnings.
//!
//! A lint looks at one thing and says where it is and what would be better. Some look at single terms, others need to
//! know in which [ways] a rule can match.

mod adjusting;
mod boundaries;
mod carriers;
mod commands;
mod contradictions;
mod drafts;
mod ended_suppressions;
mod expressions;
mod file_endings;
mod found_names;
mod lengths;
mod line_lists;
mod linted;
mod lists;
mod narration;
mod open_names;
mod paths;
mod presence;
mod reach;
mod references;
mod shadows;
mod steps;
mod sureness;
mod tables;
mod thin_evidence;
mod trivial;
mod undecided;
mod ways;

use std::path::PathBuf;

use jiff::civil::Date;

use crate::checking::command_line::CommandLists;
use crate::loading::{Rule, RuleSet};
use crate::reading::{Lists, SetSource};
use carriers::Carriers;
use linted::Linted;
use spanned_yaml::{Diagnostic, sort_diagnostics};
use steps::StepLists;

impl RuleSet {
    /// Loads the same as [`load`](Self::load) with the built-in rules, and checks them like a user's. Rules without
    /// errors also get warnings about what is legal and probably not meant; with a day for `today`, also which
    /// suppressions ended before it.
    ///
    /// # Errors
    /// All mistakes of all files, warnings among them, when there is at least one error.
    pub fn check(paths: &[PathBuf], today: Option<Date>) -> Result<Self, Vec<Diagnostic>> {
        // Beside a user's rules, those of the program were proven when it was built.
        let embedded = if paths.is_empty() { SetSource::embedded } else { SetSource::prepared };
        let (mut checked, mut found) = Self::read_all(true, paths, embedded, |_, _| {});
        checked.warnings.append(&mut found);
        // Of a user's rules, what the built-in ones could do better is no matter.
        let meant = |rule: &Rule| paths.is_empty() || !rule.is_embedded();
        lint(&checked.rules, meant, &checked.known_lists, &mut checked.warnings);
        let mut of_lists = Vec::new();
        let own = checked.lists().skip(checked.known_lists.modules.len()).map(|(_, list)| list);
        lists::lint(own, &checked.known_lists, &mut of_lists);
        let lines = checked.line_lists().filter(|(embedded, _)| paths.is_empty() || !embedded);
        line_lists::look(lines.map(|(_, list)| list), &mut of_lists);
        checked.warnings.append(&mut of_lists);
        for (stem, table) in &checked.tables {
            tables::look(stem, table, &mut checked.warnings);
        }
        if let Some(today) = today {
            ended_suppressions::look(&checked.suppressions, today, &mut checked.warnings);
        }
        sort_diagnostics(&mut checked.warnings);
        if checked.warnings.iter().any(Diagnostic::is_error) { Err(checked.warnings) } else { Ok(checked) }
    }
}

/// Adds what is probably not meant in those of these rules that are `meant`. They are sorted by id. `lists` are those
/// of the built-in set.
fn lint(rules: &[Rule], meant: impl Fn(&Rule) -> bool, lists: &Lists, found: &mut Vec<Diagnostic>) {
    // What is disabled judges nothing, and does not stand in the way of others.
    let judging = rules.iter().filter(|rule| rule.disabled().is_none());
    let linted: Vec<Linted<'_>> = judging.map(Linted::new).collect();
    let carriers = Carriers::new(lists);
    let (step_lists, phrases, commands) = (StepLists::new(lists), open_names::phrases(lists), CommandLists::new(lists));
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
        presence::look(one, found);
        references::look(one, found);
        if let Some(lists) = &step_lists {
            steps::look(one, lists, found);
        }
        if let Some(phrases) = phrases {
            open_names::look(one, phrases, found);
        }
        found_names::look(one, found);
        if let Some(lists) = &commands {
            commands::look(one, lists, found);
        }
    }
    shadows::look(&linted, meant, found);
}
