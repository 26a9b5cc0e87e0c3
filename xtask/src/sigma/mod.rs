//! `cargo xtask sigma`: counts the rules of a folder that are loaded, and compares their matches in a folder of event
//! logs with those of other programs. Each difference is classified by a reason that is checked; differences without a
//! reason are listed.

mod mapping;
mod peer;
mod reasons;
mod records;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use evtx_scan::Selection;
use sigma::SigmaRules;

use mapping::Mapping;
use peer::Found;
use reasons::{Case, Chainsaw, Differs, Hayabusa};
use records::{Match, Place, any_matches, each, matches};
use rules::Rule;

/// The arguments of the command.
pub const USAGE: &str = "cargo xtask sigma RULES [LOGS]
           [--hayabusa JSONL --hayabusa-rules FOLDER [--hayabusa-read JSONL]]
           [--chainsaw JSONL [--chainsaw-mapping FILE] [--chainsaw-lint FILE] [--chainsaw-read JSONL]]";

/// Loads the rules, finds their matches, and compares these with other programs.
///
/// # Errors
/// When the arguments are wrong, or a file can't be read.
pub fn run(arguments: &[&str]) -> Result<String, String> {
    let (places, options) = arguments_of(arguments)?;
    let [folder, logs @ ..] = places.as_slice() else { return Err(format!("usage: {USAGE}")) };
    let loaded = SigmaRules::load(std::slice::from_ref(folder)).map_err(|error| error.to_string())?;
    let mut said = loaded.summary();
    for rejected in &loaded.rejected {
        if let Some(fault) = rejected.faults.first() {
            let _ = write!(said, "\n  {}: {}", fault.diagnostic.file.name, fault.diagnostic.message);
        }
    }
    let [logs] = logs else { return Ok(said) };
    let rules = rules::read(folder)?;
    let own = matches(logs, &loaded)?;
    let matched: BTreeSet<&str> = own.iter().map(|found| found.rule.as_str()).collect();
    let _ = write!(said, "\n{} matches of {} rules", own.len(), matched.len());
    let option = |name: &str| options.get(name).map(PathBuf::as_path);
    if let Some(path) = option("--hayabusa") {
        let of =
            option("--hayabusa-rules").ok_or("--hayabusa: name the repository of its rules by --hayabusa-rules")?;
        let hayabusa = Hayabusa::new(of, &rules, option("--hayabusa-read").map(|path| (path, logs.as_path())))?;
        let found = peer::hayabusa(path, logs, &rules, &hayabusa.rules)?;
        said.push_str(&compared("hayabusa", &own, &found, &hayabusa, &rules, logs)?);
    }
    if let Some(path) = option("--chainsaw") {
        let mapping = option("--chainsaw-mapping").map(Mapping::read).transpose()?;
        let lint = option("--chainsaw-lint").map(std::fs::read_to_string).transpose();
        let lint = lint.map_err(|error| format!("--chainsaw-lint: {error}"))?.unwrap_or_default();
        let read = option("--chainsaw-read").map(|path| Chainsaw::read(path, logs)).transpose()?;
        let found = peer::chainsaw(path, logs, &rules)?;
        said.push_str(&compared("chainsaw", &own, &found, &Chainsaw { mapping, lint, read }, &rules, logs)?);
    }
    Ok(said)
}

/// The paths, and the options with their values.
fn arguments_of<'a>(arguments: &[&'a str]) -> Result<(Vec<PathBuf>, BTreeMap<&'a str, PathBuf>), String> {
    let (mut places, mut options) = (Vec::new(), BTreeMap::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument.starts_with("--") {
            let path = arguments.next().ok_or_else(|| format!("{argument}: a path is missing"))?;
            options.insert(*argument, PathBuf::from(path));
        } else {
            places.push(PathBuf::from(argument));
        }
    }
    Ok((places, options))
}

/// A difference and its reason.
struct Difference {
    of: Match,
    peer_matches: bool,
    reason: Option<&'static str>,
}

fn compared(
    name: &str,
    own: &BTreeSet<Match>,
    found: &Found,
    peer: &(dyn Differs + Sync),
    rules: &BTreeMap<String, Rule>,
    logs: &Path,
) -> Result<String, String> {
    let both = own.iter().filter(|one| found.matches.contains_key(one)).count();
    let differences = differences(own, found, peer, rules, logs)?;
    let only = |peer_matches: bool| differences.iter().filter(|one| one.peer_matches == peer_matches).count();
    let mut said = format!(
        "\n\n{name}: {both} matches of both, {} only here, {} only there; {} of rules that are not in the folder",
        only(false),
        only(true),
        found.others
    );
    let mut by_reason: BTreeMap<(bool, Option<&str>), Vec<&Match>> = BTreeMap::new();
    for difference in &differences {
        by_reason.entry((difference.peer_matches, difference.reason)).or_default().push(&difference.of);
    }
    let mut by_reason: Vec<_> = by_reason.into_iter().collect();
    by_reason
        .sort_by_key(|((peer_matches, reason), of)| (*peer_matches, reason.is_none(), std::cmp::Reverse(of.len())));
    for ((peer_matches, reason), of) in by_reason {
        let side = if peer_matches { "only there" } else { "only here" };
        let _ = write!(said, "\n  {:>4} {side}: {}", of.len(), reason.unwrap_or("not explained"));
        let shown = if reason.is_some() { 1 } else { usize::MAX };
        for one in of.iter().take(shown) {
            let title = rules.get(&one.rule).map_or("", |rule| &rule.title);
            let _ = write!(said, "\n       {title}, {}: record {} of {}", one.rule, one.at.record, one.at.log);
        }
    }
    Ok(said)
}

/// Every difference with its reason. Matches of the other program in a record that is not read here have none.
fn differences(
    own: &BTreeSet<Match>,
    found: &Found,
    peer: &(dyn Differs + Sync),
    rules: &BTreeMap<String, Rule>,
    logs: &Path,
) -> Result<Vec<Difference>, String> {
    let here = own.iter().filter(|one| !found.matches.contains_key(one)).map(|one| (one, None));
    let there =
        found.matches.iter().filter(|(one, _)| !own.contains(one)).map(|(one, used)| (one, Some(used.as_str())));
    let all: BTreeMap<&Match, Option<&str>> = here.chain(there).collect();
    let mut by_place: BTreeMap<&Place, Vec<(&Match, Option<&str>)>> = BTreeMap::new();
    for (one, used) in &all {
        by_place.entry(&one.at).or_default().push((one, *used));
    }
    let explained = each(logs, &Selection::everything(), &|at, record| {
        let of_record = by_place.get(at).into_iter().flatten();
        let explained = of_record.filter_map(|(one, used)| {
            let rule = rules.get(&one.rule)?;
            let peer_matches = used.is_some();
            let case = Case { rule, at, record, peer_matches, used: *used };
            // A reason is only for a difference that this rule alone has: in a file with several rules, the others are
            // applied, too.
            let is_so = any_matches(&rule.loaded(), record) != peer_matches;
            let reason = if is_so { peer.reason(&case) } else { None };
            Some(((*one).clone(), reason))
        });
        let explained: Vec<_> = explained.collect();
        (!explained.is_empty()).then_some(explained)
    })?;
    let reasons: BTreeMap<Match, Option<&'static str>> = explained.into_iter().flatten().collect();
    let difference = |(one, used): (&&Match, &Option<&str>)| Difference {
        of: (*one).clone(),
        peer_matches: used.is_some(),
        reason: reasons.get(*one).copied().flatten(),
    };
    Ok(all.iter().map(difference).collect())
}
