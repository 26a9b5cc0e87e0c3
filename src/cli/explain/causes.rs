//! What the rules know of a code.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Reading;
use evidence::{BugcheckCode, ExceptionCode};
use facts::{FactSet, Record, Value};
use rules::{RuleSet, Wanted};
use windows_codes::{Kind, Structure};

/// The fact that holds a sub-code of a fast fail.
const FAST_FAIL: &str = "exception.fast_fail";

/// A rule that asks for a code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct KnownRule {
    /// Its id.
    pub id: String,
    /// What it finds, in one line.
    pub title: String,
    /// The cause that it names.
    pub cause: String,
    /// How sure it is once everything else that it asks for holds too.
    pub confidence: f64,
    /// The facts that it asks for beyond the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// What a rule says of an incident of which nothing but a code is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Alone {
    /// The rule.
    pub rule: String,
    /// What it finds, in one line.
    pub title: String,
    /// The cause that it names.
    pub cause: String,
    /// How sure it is.
    pub confidence: f64,
}

/// What of a code is a fact that rules ask for.
pub(super) fn wanted(kind: Kind, code: u32) -> Vec<Wanted> {
    let number = u64::from(code);
    let mut wanted = match kind {
        Kind::Exception => {
            vec![Wanted::Fact("exception.code", number), Wanted::Fact("exception.in_page_status", number)]
        }
        Kind::HResult | Kind::ExitCode => vec![Wanted::Fact("exception.code", number)],
        Kind::FastFail => vec![Wanted::Fact(FAST_FAIL, number)],
        Kind::Bugcheck => vec![Wanted::Fact("bugcheck.code", u64::from(stop(code)))],
        Kind::WinError => of_win_error(number),
        Kind::CudaError
        | Kind::Event
        | Kind::DeviceProblem
        | Kind::Errno
        | Kind::Xid
        | Kind::CublasStatus
        | Kind::CudnnStatus => Vec::new(),
    };
    // A system error inside of a status or HRESULT is what rules look for in texts. Stops have none inside.
    if kind != Kind::Bugcheck
        && let Some((Kind::WinError, error)) = Structure::of(code, kind).and_then(|structure| structure.wrapped())
    {
        wanted.extend(of_win_error(error.into()));
    }
    wanted
}

fn of_win_error(number: u64) -> Vec<Wanted> {
    vec![Wanted::Entry("win_errors", "number", number), Wanted::Fact("delay_load.error", number)]
}

/// A stop code as the fact has it: without the flag of small dumps, which statuses don't have.
fn stop(code: u32) -> u32 {
    if code & 0xF000_0000 == 0x1000_0000 { BugcheckCode(code).plain() } else { code }
}

/// What is known of an incident of which only a code is known.
fn facts(kind: Kind, code: u32) -> FactSet {
    let mut facts = FactSet::default();
    let mut set = |path, value: Value| facts.set(path, value, None);
    let number = Value::Number(code.into());
    match kind {
        Kind::Exception => {
            set("incident.kind", Value::Text("crash".into()));
            set("exception.code", number);
        }
        Kind::HResult | Kind::ExitCode => set("exception.code", number),
        Kind::FastFail => {
            set("incident.kind", Value::Text("crash".into()));
            set("exception.code", Value::Number(ExceptionCode::FAST_FAIL.0.into()));
            set(FAST_FAIL, number);
        }
        Kind::Bugcheck => {
            set("incident.kind", Value::Text("bugcheck".into()));
            set("bugcheck.code", Value::Number(stop(code).into()));
        }
        Kind::WinError => {
            let record = Record { fields: vec![("number", number)], from: None };
            facts.set_list("win_errors", vec![record]);
        }
        Kind::CudaError
        | Kind::Event
        | Kind::DeviceProblem
        | Kind::Errno
        | Kind::Xid
        | Kind::CublasStatus
        | Kind::CudnnStatus => {}
    }
    facts
}

/// A reading of a code with the rules that ask for it, or for one of its sub-codes, and with what the rules say when the
/// code is all that is known.
pub(super) fn judged(reading: windows_codes::Reading, rules: &RuleSet) -> Reading {
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
        title: rule.title().to_owned(),
        cause: rule.cause().to_owned(),
        confidence: rule.confidence(),
        needs: missing.get(rule.id()).map(|missing| missing.to_vec()).unwrap_or_default(),
    });
    let alone = judgement.findings.iter().filter(|finding| finding.stands()).map(|finding| Alone {
        rule: finding.rule.clone(),
        title: finding.title.clone(),
        cause: finding.cause.clone(),
        confidence: finding.confidence,
    });
    let (rules, alone) = (known.collect(), alone.collect());
    Reading { code: reading, asked_sub_codes, alone, rules }
}
