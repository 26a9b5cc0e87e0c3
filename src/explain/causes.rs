//! What the rules know about a code.

use std::collections::BTreeMap;
use std::mem;

use serde::Serialize;

use super::{KnownSubCode, Reading};
use evidence::{BugcheckCode, ExceptionCode};
use facts::{FactSet, Record, Value};
use rules::{RuleSet, Wanted};
use windows_codes::{Kind, Structure, SubCode};

/// The fact with the sub-code of a fast fail.
const FAST_FAIL: &str = "exception.fast_fail";

/// A rule that compares with a code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownRule {
    /// Its id.
    pub id: String,
    /// What it finds, in one line.
    pub title: String,
    /// The cause that it names.
    pub cause: String,
    /// Its confidence where all its other terms are true, too.
    pub confidence: f64,
    /// The facts that it needs beside the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// A finding for an incident of which nothing but a code is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CodeFinding {
    /// The rule.
    pub rule: String,
    /// What it finds, in one line.
    pub title: String,
    /// The cause that it names.
    pub cause: String,
    /// Whether that cause only names what happened.
    pub symptom: bool,
    /// The finding's confidence.
    pub confidence: f64,
}

/// The fact that has a code of this kind, with the code as the fact has it. System errors are entries of a list, and
/// the other kinds are in no fact.
fn fact_of(kind: Kind, code: u32) -> Option<(&'static str, u32)> {
    match kind {
        Kind::Exception | Kind::HResult | Kind::ExitCode => Some(("exception.code", code)),
        Kind::FastFail => Some((FAST_FAIL, code)),
        // Without the flag of small dumps, which statuses don't have.
        Kind::Bugcheck if code & 0xF000_0000 == 0x1000_0000 => Some(("bugcheck.code", BugcheckCode(code).plain())),
        Kind::Bugcheck => Some(("bugcheck.code", code)),
        _ => None,
    }
}

/// The comparisons by which rules look for a code.
pub(super) fn wanted(kind: Kind, code: u32) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> =
        fact_of(kind, code).map(|(path, code)| Wanted::Fact(path, code.into())).into_iter().collect();
    if kind == Kind::Exception {
        wanted.push(Wanted::Fact("exception.in_page_status", code.into()));
    }
    // Rules find a system error inside of a status or HRESULT in texts. Stop codes contain none.
    let wrapped = match Structure::of(code, kind).and_then(|structure| structure.wrapped) {
        Some((Kind::WinError, error)) if kind != Kind::Bugcheck => Some(error),
        _ => None,
    };
    for error in (kind == Kind::WinError).then_some(code).into_iter().chain(wrapped).map(u64::from) {
        wanted.extend([Wanted::Entry("win_errors", "number", error), Wanted::Fact("delay_load.error", error)]);
    }
    wanted
}

/// The facts of an incident of which only a code is known.
fn facts(kind: Kind, code: u32) -> FactSet {
    let mut facts = FactSet::default();
    let incident = match kind {
        Kind::Exception | Kind::FastFail => Some("crash"),
        Kind::Bugcheck => Some("bugcheck"),
        _ => None,
    };
    if let Some(incident) = incident {
        facts.set("incident.kind", Value::Text(incident.into()), None);
    }
    if kind == Kind::FastFail {
        facts.set("exception.code", Value::Number(ExceptionCode::FAST_FAIL.0.into()), None);
    }
    if let Some((path, code)) = fact_of(kind, code) {
        facts.set(path, Value::Number(code.into()), None);
    }
    if kind == Kind::WinError {
        facts.set_list("win_errors", vec![Record { fields: vec![("number", Value::Number(code.into()))], from: None }]);
    }
    facts
}

/// A reading of a code with the rules that compare with it or with one of its sub-codes, and with the findings for an
/// incident of which nothing but the code is known.
pub(super) fn with_rules(mut reading: windows_codes::Reading, rules: &RuleSet) -> Reading {
    let (kind, code) = (reading.kind, reading.spellings.unsigned);
    let has_sub_codes = !reading.sub_codes.is_empty();
    let asked_sub_codes = if has_sub_codes { rules.numbers_asked_of(FAST_FAIL) } else { Vec::new() };
    let mut wanted = wanted(kind, code);
    if kind == Kind::Exception {
        wanted.extend(asked_sub_codes.iter().map(|number| Wanted::Fact(FAST_FAIL, *number)));
    }
    let judgement = rules.judge(&facts(kind, code));
    let missing: BTreeMap<&str, &[String]> =
        judgement.skipped.iter().map(|skipped| (skipped.rule.as_str(), skipped.missing.as_slice())).collect();
    let known = rules.asking_for(&wanted).into_iter().map(|rule| KnownRule {
        id: rule.id().to_owned(),
        title: rule.title().into_owned(),
        cause: rule.cause().to_owned(),
        confidence: rule.confidence(),
        needs: missing.get(rule.id()).map(|missing| missing.to_vec()).unwrap_or_default(),
    });
    let alone = judgement.findings.iter().filter(|finding| !finding.is_superseded()).map(|finding| CodeFinding {
        rule: finding.rule.clone(),
        title: finding.title.clone(),
        cause: finding.cause.clone(),
        symptom: finding.symptom,
        confidence: finding.confidence,
    });
    let (rules, alone) = (known.collect(), alone.collect());
    let sub_code = |code: SubCode| KnownSubCode { has_rules: asked_sub_codes.contains(&code.code.into()), code };
    Reading {
        sub_codes: mem::take(&mut reading.sub_codes).into_iter().map(sub_code).collect(),
        alone,
        rules,
        collect: mem::take(&mut reading.collect),
        sources: mem::take(&mut reading.sources),
        code: reading,
    }
}
