//! Drafts a rule for incidents that no rule explains: the facts that set them apart from other incidents become selections,
//! and the same facts become tests, so that the rule can be tried without the artifacts.
//!
//! A draft passes its checks and its tests, and matches the incidents that it was made of. The decisions that evidence can't
//! make (the cause, the confidence, what to do) are marked in it for its author.

mod candidates;
mod elsewhere;
mod fact_table;
mod material;
mod message;
mod private;
mod rule_file;
mod stack;
mod term;
mod timeline;

use std::collections::BTreeMap;

use candidates::{Candidate, candidates};
use fact_table::Strength;
use material::Chosen;
pub use material::{Decided, Draft, Material, Subject};
use private::Private;
use rule_file::Known;
use term::DraftTerm;

use facts::{EvidenceRef, Value};
use incident::Incident;
use report::Artifact;
use rules::{Rule, RuleSet};

/// The most selections of a draft: a rule with more would only fit the incidents that it was made of.
const MOST_SELECTIONS: usize = 5;
/// How many things that a group has more often than the rest become selections.
const MOST_OVER_REPRESENTED: usize = 2;
/// The list of modules that only pass exceptions on: they are on every stack.
const CARRIERS: &str = "carriers";
/// How many rules are named that ask for the same as a selection.
const MOST_ASKING: usize = 3;
/// How many rules that match already are named.
const MOST_FINDINGS: usize = 3;

/// Drafts a rule. `None` when the incidents share nothing that a rule could ask for.
#[must_use]
pub fn draft(material: &Material<'_>, decided: &Decided, rules: &RuleSet) -> Option<Draft> {
    let first = material.of.first()?;
    let private =
        Private::of(material.of.iter().chain(material.others).map(|subject| (subject.incident, subject.facts)));
    let mut found = candidates(first.facts, &private);
    found.extend(of_group(material));
    found.extend(timeline::recorded(material, &private));
    found.extend(elsewhere::elsewhere(material));
    let is_carrier = |module: &str| rules.lists().any(|(_, list)| list.name() == CARRIERS && list.has(module));
    found.extend(stack::frames(first.facts, is_carrier));
    found.extend(stack::annotations(first.facts, &private));
    found.retain(|candidate| {
        let Some(question) = candidate.term.question() else { return false };
        let every = material.of.iter().all(|subject| question.holds(subject.facts) == Some(true));
        // A rule can't ask for what is not known of some; what is missing from none of the others can be told.
        let hint = candidate.strength == Strength::Hint
            && material.of.iter().all(|subject| question.holds(subject.facts) != Some(false));
        (every || hint) && private.allows(&candidate.term.yaml())
    });
    found.sort_by_key(|candidate| candidate.strength);
    let (chosen, left): (Vec<_>, Vec<_>) = choose(found);
    if chosen.is_empty() {
        return None;
    }
    let describe = |candidate: Candidate| {
        let comment = comment(&candidate, first, material, rules);
        Chosen { name: candidate.name, term: candidate.term, comment }
    };
    let chosen: Vec<Chosen> = chosen.into_iter().map(describe).collect();
    let left: Vec<Chosen> = left.into_iter().map(describe).collect();
    let taken = |id: &str| rules.rule(id).is_some();
    let id = id(decided, first.incident, &chosen, taken);
    Some(rule_file::drafted(&rule_file::Parts {
        id: &id,
        cause: decided.cause.as_deref(),
        first,
        count: material.of.len(),
        chosen: &chosen,
        left: &left,
        known: &known(material.of),
        facts: private.shown(first.facts),
    }))
}

/// The candidates that become selections, and the rest. A code alone is how a program ended and not why: where nothing
/// stronger is known, the program's name becomes a selection, too.
fn choose(found: Vec<Candidate>) -> (Vec<Candidate>, Vec<Candidate>) {
    let is_strong =
        |candidate: &Candidate| matches!(candidate.strength, Strength::Site | Strength::Named | Strength::Says);
    let thin = !found.iter().any(is_strong);
    let bare = !found.iter().any(|candidate| is_strong(candidate) || candidate.strength == Strength::Code);
    let (mut chosen, mut left) = (Vec::new(), Vec::new());
    for candidate in found {
        let wanted = match candidate.strength {
            Strength::Program => thin,
            Strength::LastResort => bare,
            Strength::Hint => false,
            _ => true,
        };
        if wanted && chosen.len() < MOST_SELECTIONS { chosen.push(candidate) } else { left.push(candidate) }
    }
    let only_kind = chosen.iter().all(|candidate: &Candidate| candidate.strength == Strength::Kind);
    if only_kind { (Vec::new(), left) } else { (chosen, left) }
}

/// Modules and drivers that all incidents of a group have and other incidents lack, by the statistics of groups.
fn of_group(material: &Material<'_>) -> Vec<Candidate> {
    let everywhere = material.over_represented.iter().filter(|found| found.in_group == found.of_group);
    let candidates = everywhere.filter_map(|found| {
        let list = match &*found.kind {
            "module" => "modules",
            "driver" => "drivers",
            _ => return None,
        };
        let term = DraftTerm::entry(list, &[("name", Value::Text(found.value.as_str().into()))])?;
        let question = term.question()?;
        let known = |subject: &Subject<'_>| question.holds(subject.facts) == Some(true);
        let strength = if material.of.iter().all(known) { Strength::Named } else { Strength::Hint };
        let what = format!("more often than elsewhere: {}", found.says);
        Some(Candidate { name: "", term, strength, what: what.into() })
    });
    let names = ["loaded", "also_loaded"];
    candidates.take(MOST_OVER_REPRESENTED).zip(names).map(|(candidate, name)| Candidate { name, ..candidate }).collect()
}

/// The comment of a selection: what it asks for, which kind of file shows it, and how common it is.
fn comment(candidate: &Candidate, first: &Subject<'_>, material: &Material<'_>, rules: &RuleSet) -> String {
    let mut parts = vec![candidate.what.to_string()];
    let question = candidate.term.question();
    let from = question.as_ref().and_then(|question| question.from(first.facts));
    if let Some(from) = from.and_then(|from| source(from, first.incident, material.artifacts)) {
        parts.push(format!("from {from}"));
    }
    if let [_, _, ..] = material.of {
        parts.push(format!("in all {} incidents", material.of.len()));
    }
    let known = material.others.iter().filter_map(|subject| question.as_ref()?.holds(subject.facts));
    let known: Vec<bool> = known.collect();
    match (known.iter().filter(|has| **has).count(), known.len()) {
        (_, 0) => {}
        (0, 1) => parts.push("not in the other incident here".to_owned()),
        (_, 1) => parts.push("in the other incident here, too".to_owned()),
        (0, sum) => parts.push(format!("in none of {sum} other incidents here")),
        (having, sum) => parts.push(format!("in {having} of {sum} other incidents here")),
    }
    let asking = rules.asking_for_any_of(&candidate.term.facts(), first.facts);
    let asking: Vec<&str> = asking.into_iter().map(Rule::id).collect();
    match asking.as_slice() {
        [] => {}
        [rule] => parts.push(format!("fits what {rule} asks for")),
        some if some.len() <= MOST_ASKING => parts.push(format!("fits what {} ask for", some.join(", "))),
        many => parts.push(format!("fits what {} rules ask for", many.len())),
    }
    parts.join("; ")
}

/// The kind of artifact that an item of evidence is from; the artifact's name and place could name its owner.
fn source(from: EvidenceRef, incident: &Incident, artifacts: &[Artifact]) -> Option<String> {
    let item = incident.evidence.get(usize::from(from.0).checked_sub(1)?)?;
    let kind = &artifacts.get(item.artifact)?.kind;
    Some(match &**kind {
        "event-log" => "an event log".to_owned(),
        "wer-report" => "a WER report".to_owned(),
        kind => format!("a {}", kind.replace('-', " ")),
    })
}

/// The rules that match the incidents already: the surest of each, with how many of the incidents it matches.
fn known<'s>(of: &'s [Subject<'_>]) -> Vec<Known<'s>> {
    let mut by_rule: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for finding in of.iter().flat_map(|subject| subject.findings) {
        let (confidence, count) = by_rule.entry(&finding.rule).or_default();
        *confidence = confidence.max(finding.confidence);
        *count = count.saturating_add(1);
    }
    let known = by_rule.into_iter().map(|(rule, (confidence, incidents))| Known { rule, confidence, incidents });
    let mut known: Vec<Known<'_>> = known.collect();
    known.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    known.truncate(MOST_FINDINGS);
    known
}

/// The rule's id, one that no other rule has.
fn id(decided: &Decided, incident: &Incident, chosen: &[Chosen], taken: impl Fn(&str) -> bool) -> String {
    let area = &decided.area;
    if let Some(name) = &decided.name {
        return format!("{area}/{name}");
    }
    let names = chosen.iter().filter_map(|chosen| chosen.term.distinctive_name());
    let mut words: Vec<String> = names.map(|name| slug(&name)).filter(|name| !name.is_empty()).take(2).collect();
    words.dedup();
    if words.is_empty() {
        words.push(incident.kind.word().to_owned());
    }
    let name = words.join("-");
    let numbered = (2..).map(|number| format!("{area}/{name}-{number}"));
    std::iter::once(format!("{area}/{name}")).chain(numbered).find(|id| !taken(id)).unwrap_or_default()
}

/// A text in the letters of rule ids.
fn slug(text: &str) -> String {
    let stem = text.rsplit_once('.').filter(|(_, ending)| ending.len() <= 4).map_or(text, |(stem, _)| stem);
    let mut slug = String::new();
    for c in stem.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' | '_' => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    let start = slug.trim_start_matches(['_', '-']).trim_end_matches('-');
    start.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::{FactSet, Record};
    use incident::{IncidentKind, Signature};
    use report::model::OverRepresented;

    fn incident(id: &str) -> Incident {
        Incident {
            id: id.to_owned(),
            kind: IncidentKind::Crash,
            time: None,
            host: None,
            host_by_folder: false,
            shut_down: false,
            may_be_of: Vec::new(),
            process: None,
            exception: None,
            bugcheck: None,
            fault_site: None,
            mechanism: None,
            suspect: None,
            stack: Vec::new(),
            symbols_needed: Vec::new(),
            thrown: Vec::new(),
            dump: None,
            other_software: None,
            built_with: Vec::new(),
            environment: BTreeMap::new(),
            signature: Signature { algorithm: 1, coarse: "crash".to_owned(), fine: "crash".to_owned() },
            evidence: Vec::new(),
            remarks: Vec::new(),
            crashed_later: None,
        }
    }

    /// A crash with these modules, if they are known.
    fn facts(modules: Option<&[&str]>) -> FactSet {
        let mut facts = FactSet::default();
        facts.set("exception.code", Value::Number(0xC000_0005), None);
        if let Some(modules) = modules {
            let record = |name: &&str| Record { fields: vec![("name", Value::Text((*name).into()))], from: None };
            facts.set_list("modules", modules.iter().map(record).collect());
        }
        facts
    }

    fn drafted(group: &[FactSet]) -> String {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        let incident = incident("0");
        let subject = |facts| Subject { incident: &incident, facts, findings: &[] };
        let other = facts(Some(&["app.exe"]));
        let of: Vec<Subject<'_>> = group.iter().map(subject).collect();
        let over_represented = OverRepresented {
            kind: "module".into(),
            value: "hook.dll".to_owned(),
            unit: "incidents".into(),
            in_group: 2,
            of_group: 2,
            elsewhere: 0,
            of_elsewhere: 20,
            difference: [0.4, 1.0],
            p: 0.001,
            q: 0.01,
            together_with: Vec::new(),
            may_be_the_program: false,
            says: "hook.dll in 2 of 2, against none of 20 other incidents".to_owned(),
        };
        let material = Material {
            of: &of,
            others: &[subject(&other)],
            over_represented: &[over_represented],
            changes: &[],
            artifacts: &[],
        };
        let decided = Decided { area: "own".to_owned(), ..Decided::default() };
        draft(&material, &decided, &rules).expect("a draft").yaml
    }

    #[test]
    fn what_a_group_has_more_often_than_the_rest_is_asked_for() {
        let group = [facts(Some(&["app.exe", "hook.dll"])), facts(Some(&["Hook.dll"]))];
        let draft = drafted(&group);
        assert!(draft.contains("      loaded:\n        modules|any: {name: hook.dll}\n"), "{draft}");
        let says = "# more often than elsewhere: hook.dll in 2 of 2, against none of 20 other incidents; in all 2";
        assert!(draft.contains(says), "{draft}");
        assert!(draft.contains("  - id: own/0xc0000005-hook\n"), "{draft}");
    }

    #[test]
    fn what_is_not_known_of_the_whole_group_is_only_said() {
        let draft = drafted(&[facts(Some(&["app.exe", "hook.dll"])), facts(None)]);
        assert!(draft.contains("      # loaded: {modules|any: {name: hook.dll}}\n"), "{draft}");
        assert!(!draft.contains("      loaded:\n"), "{draft}");
    }

    #[test]
    fn names_become_parts_of_ids() {
        assert_eq!(slug("cudnn_ops_infer64_8.dll"), "cudnn_ops_infer64_8");
        assert_eq!(slug("0xC0000005"), "0xc0000005");
        assert_eq!(slug("std::bad_alloc"), "std-bad_alloc");
        assert_eq!(slug("Ünïcode"), "n-code");
        assert_eq!(slug("_pywrap.pyd"), "pywrap");
    }
}
