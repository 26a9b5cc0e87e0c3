//! All loaded rules, ready to judge.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::language::{LineList, ModuleList};
use crate::loading::rule::Origin;
use crate::loading::{Rule, RuleSetInfo, SuppressedBy, Suppressions, overlay, supersede};
use crate::prefilter::Index;
use crate::reading::source::BUILTIN;
use crate::reading::{
    Causes, Effort, Lists, LoadContext, Own, Read, SetSource, Templates, Unfinished, causes, given_sets, rule_file,
};
use spanned_yaml::{Code, Diagnostic, Span, YamlText, sort_diagnostics};

/// Everything that was loaded, compiled.
#[derive(Debug, Default)]
pub struct RuleSet {
    pub(crate) infos: Vec<RuleSetInfo>,
    pub(crate) causes: Causes,
    /// By id.
    pub(crate) rules: Vec<Rule>,
    pub(crate) index: Index,
    /// The lists of each set, the built-in one first.
    pub(crate) own_lists: Vec<OwnLists>,
    pub(crate) templates: Templates,
    pub(crate) suppressions: Suppressions,
    /// The lists that every set's rules can name.
    pub(crate) known_lists: Arc<Lists>,
    /// The files of `data/` of the given sets, or of the built-in set if none is given, each with its name without
    /// extension.
    pub(crate) tables: Vec<(String, Arc<YamlText>)>,
    /// The `expected.yaml` files with the expected results for folders of artifacts.
    pub(crate) expected: Vec<PathBuf>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) notes: Vec<String>,
}

/// The lists of one rule set.
#[derive(Debug)]
pub(crate) struct OwnLists {
    /// The set's name.
    pub set: String,
    /// Whether it is inside the program.
    pub embedded: bool,
    /// Its lists.
    pub lists: Lists,
}

impl RuleSet {
    /// Loads the built-in rules, if wanted, and those at `paths`: folders and single files.
    ///
    /// Causes and lists of the built-in set are always loaded. A folder whose `ruleset.yaml` has `name: builtin` takes
    /// the place of the built-in set, so that a working copy can be tried without building the program.
    ///
    /// # Errors
    /// All mistakes of all files, warnings among them, when there is at least one error.
    pub fn load(builtin: bool, paths: &[PathBuf]) -> Result<Self, Vec<Diagnostic>> {
        Self::load_with(builtin, paths, SetSource::prepared, SetSource::require_rules)
    }

    /// Loads the rule sets that `rules test` tests: as [`load`](Self::load) with the built-in rules, but a folder at
    /// `paths` may also contain no rules and only folders of artifacts with their expected results.
    ///
    /// # Errors
    /// All mistakes of all files, warnings among them, when there is at least one error.
    pub fn load_for_tests(paths: &[PathBuf]) -> Result<Self, Vec<Diagnostic>> {
        Self::load_with(true, paths, SetSource::prepared, |_, _| {})
    }

    fn load_with(
        builtin: bool,
        paths: &[PathBuf],
        embedded: fn(&mut Vec<Diagnostic>) -> SetSource,
        require: fn(&SetSource, &mut Vec<Diagnostic>),
    ) -> Result<Self, Vec<Diagnostic>> {
        let (loaded, mut found) = Self::read_all(builtin, paths, embedded, require);
        sort_diagnostics(&mut found);
        if found.iter().any(Diagnostic::is_error) {
            return Err(found);
        }
        Ok(Self { warnings: found, ..loaded })
    }

    /// Everything that could be loaded, and all mistakes.
    pub(crate) fn read_all(
        builtin: bool,
        paths: &[PathBuf],
        embedded: fn(&mut Vec<Diagnostic>) -> SetSource,
        require: fn(&SetSource, &mut Vec<Diagnostic>),
    ) -> (Self, Vec<Diagnostic>) {
        let mut found = Vec::new();
        let (mut sets, notes) = given_sets::read(paths, &mut found);
        sets.iter().for_each(|set| require(set, &mut found));
        match sets.iter().position(|set| set.is_builtin) {
            Some(index) => {
                let replacement = sets.remove(index);
                sets.insert(0, replacement);
            }
            None => {
                let mut embedded = embedded(&mut found);
                if !builtin {
                    embedded.leave_out_rules();
                }
                sets.insert(0, embedded);
            }
        }
        let left_out: BTreeSet<String> = sets.iter().flat_map(|set| set.left_out.iter().cloned()).collect();
        let loaded = Self::compile(sets, &left_out, &mut found);
        (Self { notes, ..loaded }, found)
    }

    /// Compiles sets of which the first is the built-in one; `left_out` are the ids of its rules if they are not
    /// wanted.
    fn compile(sets: Vec<SetSource>, left_out: &BTreeSet<String>, found: &mut Vec<Diagnostic>) -> Self {
        let expected = sets.iter().flat_map(|set| set.expected.iter().cloned()).collect();
        let mut all = Self { expected, ..Self::default() };
        let (mut read, mut lists_of_sets) = (Read::default(), Vec::new());
        for (index, mut set) in sets.into_iter().enumerate() {
            if let Some(file) = &set.causes {
                let more = causes::read(file, &all.causes, found);
                all.causes.add(more);
            }
            let proven = set.proven;
            let effort = Effort::default();
            let own = set.lists.take().unwrap_or_else(|| {
                let own = Own::read(&set.data, found);
                report_no_effect(&set, &own, found);
                all.tables.extend(set.data.iter().cloned());
                own.resolved(&all.known_lists, &effort, found)
            });
            // What the built-in lists say holds whoever judges.
            let added = if index == 0 { 0 } else { own.modules.len() };
            let known_lists = Arc::new(all.known_lists.with(&own));
            let embedded = set.embedded;
            all.own_lists.push(OwnLists { set: set.name.clone(), embedded, lists: own });
            if index == 0 {
                all.known_lists = Arc::clone(&known_lists);
            }
            let known = LoadContext { causes: &all.causes, lists: &known_lists, proven, effort: &effort };
            let origin = Origin { set: index, embedded };
            let before = all.rules.len();
            for file in &set.rules {
                let own = rule_file::read_file(file, index, &known, &all.templates, &mut read, found);
                all.rules.extend(own.into_iter().map(|rule| Rule::new(rule, origin)));
            }
            read.written.extend(set.left_out);
            read.written.extend(set.prepared.iter().map(|(rule, _)| rule.id.to_owned()));
            let prepared = set.prepared.into_iter();
            all.rules.extend(prepared.map(|(rule, file)| Rule::prepared(rule, origin, file, &known_lists)));
            lists_of_sets.push(known_lists);
            let rules = all.rules.len().saturating_sub(before);
            let info =
                RuleSetInfo { name: set.name, version: set.version, rules, lists: added, ..RuleSetInfo::default() };
            all.infos.push(info);
        }
        all.rules.sort_by(|a, b| a.id.cmp(&b.id));
        report_equal_ids(&all.rules, &read.unfinished, found);
        supersede::check(&read, found);
        let mut target = overlay::Target {
            rules: &mut all.rules,
            left_out,
            written: &read,
            sets: &mut all.infos,
            lists: &lists_of_sets,
            causes: &all.causes,
            templates: &all.templates,
            effort: &Effort::default(),
        };
        all.suppressions = overlay::apply(&read.overlays, &mut target, found);
        all.index = Index::new(all.rules.iter().map(|rule| (!rule.is_prepared()).then_some(&rule.needs)));
        all
    }

    /// The loaded sets, the built-in one first; without it when none of its rules were wanted.
    #[must_use]
    pub fn infos(&self) -> Vec<RuleSetInfo> {
        self.infos.iter().filter(|info| info.takes_part()).cloned().collect()
    }

    /// The names of these sets.
    pub fn set_names(&self) -> impl Iterator<Item = &str> {
        self.infos.iter().filter(|info| info.takes_part()).map(|info| info.name.as_str())
    }

    /// All suppressions, each with the id of the rule whose findings it is about.
    pub fn suppressions(&self) -> impl Iterator<Item = (&str, &SuppressedBy)> {
        self.suppressions.all().map(|(rule, suppression)| (rule, &suppression.by))
    }

    /// Who suppresses findings of a rule, and whether only some of them.
    pub fn suppressions_of(&self, id: &str) -> impl Iterator<Item = (&SuppressedBy, bool)> {
        self.suppressions.of_rule(id).map(|suppression| (&suppression.by, suppression.is_limited()))
    }

    /// All rules, by id.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of that id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        let index = self.rules.binary_search_by(|rule| (*rule.id).cmp(id)).ok()?;
        self.rules.get(index)
    }

    /// The set that a rule belongs to.
    #[must_use]
    pub fn set_of(&self, rule: &Rule) -> Option<&RuleSetInfo> {
        self.infos.get(rule.origin.set)
    }

    /// All causes.
    #[must_use]
    pub fn causes(&self) -> &Causes {
        &self.causes
    }

    /// All lists of modules, each with the name of its set, the built-in ones first.
    pub fn lists(&self) -> impl Iterator<Item = (&str, &ModuleList)> {
        self.own_lists.iter().flat_map(|own| own.lists.modules.values().map(|list| (own.set.as_str(), &**list)))
    }

    /// The lists of modules of that name, the built-in one first.
    pub fn lists_named(&self, name: &str) -> impl Iterator<Item = &ModuleList> {
        self.own_lists.iter().filter_map(move |own| own.lists.modules.get(name).map(|list| &**list))
    }

    /// All lists of lines, the built-in ones first, each with whether it is inside the program.
    pub(crate) fn line_lists(&self) -> impl Iterator<Item = (bool, &LineList)> {
        self.own_lists.iter().flat_map(|own| own.lists.lines.values().map(|list| (own.embedded, &**list)))
    }

    /// The names of the lists of lines of the built-in set, sorted.
    pub fn line_list_names(&self) -> impl Iterator<Item = &str> {
        self.known_lists.lines.names()
    }

    /// All `expected.yaml` files, in the order of the paths that were loaded.
    #[must_use]
    pub fn expected_files(&self) -> &[PathBuf] {
        &self.expected
    }

    /// Notes about the paths that it was loaded from, a sentence each: a file that was given twice is used once.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Mistakes that did not keep the rules from being loaded.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

/// Reports a folder that contains only tables of codes or events, which are compiled into the program: loading it
/// changes nothing.
fn report_no_effect(set: &SetSource, own: &Own, found: &mut Vec<Diagnostic>) {
    let no_rules = set.rules.is_empty() && set.prepared.is_empty() && set.left_out.is_empty();
    let has_no_list = own.modules.is_empty() && own.lines.is_empty();
    let Some((_, table)) = set.data.first().filter(|_| no_rules && set.expected.is_empty() && has_no_list) else {
        return;
    };
    if !found.iter().any(|mistake| set.data.iter().any(|(_, file)| file.name == mistake.file.name)) {
        let message = "neither rules nor lists in this folder, so it changes nothing";
        let help = "tables of data/ are put into the program when it is built; what a rule set adds are lists of modules and \
                    of lines";
        found.push(Diagnostic::error(Code::R064, table, Span::file_start(), message).with_help(help));
    }
}

/// `R019`: two rules with one id, which no report could keep apart. `unfinished` are the rules with mistakes.
fn report_equal_ids(rules: &[Rule], unfinished: &[Unfinished], found: &mut Vec<Diagnostic>) {
    struct NamedPlace<'r> {
        id: &'r str,
        set: usize,
        file: &'r Arc<YamlText>,
        span: Span,
        embedded: bool,
    }
    let named = |id, set, file, span, embedded| NamedPlace { id, set, file, span, embedded };
    let finished =
        rules.iter().map(|rule| named(&*rule.id, rule.origin.set, &rule.file, rule.id_span, rule.is_embedded()));
    let others = unfinished.iter().map(|rule| named(&rule.id, rule.set, &rule.file, rule.span, false));
    let mut all: Vec<NamedPlace<'_>> = finished.chain(others).collect();
    all.sort_by_key(|rule| (rule.id, rule.set, rule.file.name.as_str(), rule.span.start));
    for equal in all.chunk_by(|a, b| a.id == b.id) {
        let [first, others @ ..] = equal else { continue };
        found.extend(others.iter().map(|rule| {
            let of_builtin = first.file.name.strip_prefix(BUILTIN).unwrap_or_default();
            let help = if first.embedded && rule.file.name.ends_with(of_builtin) {
                "to try changed files of the built-in set, give the whole folder, whose ruleset.yaml says `name: builtin`; to \
                 change a rule of it, use `override` or `disable`"
            } else {
                "give it another name; to change a rule of another set, use `override` or `disable`"
            };
            Diagnostic::error(Code::R019, rule.file, rule.span, format!("there are two rules `{}`", rule.id))
                .with_other(first.file, first.span, "first here")
                .with_help(help)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluating::View;
    use crate::language::Outcome;
    use crate::prefilter::Chance;
    use expressions::Pattern;
    use facts::FactSet;

    #[test]
    fn every_part_of_the_built_in_rules_is_as_it_is_written() {
        let prepared = RuleSet::load(true, &[]).expect("the built-in rules");
        let written = RuleSet::load_with(true, &[], SetSource::embedded, |_, _| {}).expect("the built-in rules");
        assert_eq!(prepared.infos(), written.infos());
        for (prepared, written) in prepared.rules().iter().zip(written.rules()) {
            assert_eq!(format!("{:?}", prepared.logic()), format!("{:?}", written.logic()), "{}", written.id);
            assert_eq!(format!("{:?}", prepared.texts()), format!("{:?}", written.texts()), "{}", written.id);
            assert_eq!(format!("{:?}", prepared.tests().all), format!("{:?}", written.tests().all), "{}", written.id);
            assert_eq!((prepared.span, prepared.id_span), (written.span, written.id_span), "{}", written.id);
            assert_eq!(prepared.tests().file.name, written.tests().file.name, "{}", written.id);
            assert_eq!(prepared.logic_written(), written.logic_written());
        }
    }

    #[test]
    fn every_list_inside_the_program_is_as_it_is_written() {
        let prepared = RuleSet::load(true, &[]).expect("the built-in rules");
        let written = RuleSet::load_with(true, &[], SetSource::embedded, |_, _| {}).expect("the built-in rules");
        let modules = |rules: &RuleSet| {
            let shown = |(set, list): (&str, &ModuleList)| format!("{set} {list:?}");
            rules.lists().map(shown).collect::<Vec<_>>()
        };
        assert!(modules(&prepared).len() > 20);
        assert_eq!(modules(&prepared), modules(&written));
        let lines = |rules: &RuleSet| {
            let shown = |(_, list): (bool, &LineList)| {
                let patterns: Vec<&str> = list.patterns.iter().map(Pattern::written).collect();
                let LineList { name, author, lines, examples, file, .. } = list;
                format!("{name} {author:?} {lines:?} {patterns:?} {examples:?} {file:?}")
            };
            rules.line_lists().map(shown).collect::<Vec<_>>()
        };
        assert!(lines(&prepared).len() > 100);
        assert_eq!(lines(&prepared), lines(&written));
        assert!(prepared.line_list_names().eq(written.line_list_names()));
    }

    #[test]
    fn no_rule_that_matches_or_is_undecided_lacks_what_it_needs() {
        let prepared = RuleSet::load(true, &[]).expect("the built-in rules");
        let written = RuleSet::load_with(true, &[], SetSource::embedded, |_, _| {}).expect("the built-in rules");
        for rule in prepared.rules().iter().chain(written.rules()) {
            for test in &rule.tests().all {
                let chance = rule.needs.chance(&View::new(&test.facts, None));
                match test.expect {
                    Outcome::Match => assert_eq!(chance, Chance::Yes, "{}: {}", rule.id, test.name),
                    Outcome::Skipped => assert_ne!(chance, Chance::No, "{}: {}", rule.id, test.name),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn a_stop_meets_few_rules() {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        let mut facts = FactSet::default();
        facts.set("incident.kind", facts::Value::Text("bugcheck".into()), None);
        facts.set("bugcheck.code", facts::Value::Number(0x9F), None);
        let view = View::new(&facts, None);
        let met = rules.rules().iter().filter(|rule| rule.needs.chance(&view) == Chance::Yes).count();
        assert!((1..40).contains(&met), "{met} of {}", rules.rules().len());
    }
}
