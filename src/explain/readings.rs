//! What a number can be, the likeliest first.

use super::causes::{self, wanted};
use super::kind::Kind;
use super::spelling::{Form, Label, Written};
use super::structure::Structure;
use super::{Reading, Spellings, SubCode};
use crate::evidence::{BugcheckCode, ExceptionCode};
use crate::knowledge::Knowledge;
use crate::knowledge::codes::note;
use crate::rules::RuleSet;

/// Numbers below this can be system errors, and from this on codes whose upper bits say something.
const SMALL: u32 = 0x1_0000;
const LARGE: u32 = 0x4000_0000;
/// Shells that follow POSIX keep this part of an exit code.
const KEPT_BY_SHELLS: u32 = 0xFF;

/// A reading that is possible.
struct Candidate {
    kind: Kind,
    code: u32,
    /// How likely it is, compared with the others.
    weight: u32,
    why: String,
}

/// All readings of a code. There is always one.
pub(super) fn readings(written: &Written, knowledge: &Knowledge, rules: &RuleSet) -> Vec<Reading> {
    let mut found = candidates(written, knowledge);
    // Words that say what the code is are believed, unless it can't be that: programs call statuses errors.
    if let Some(label) = written.label
        && found.iter().any(|candidate| fits(label, candidate.kind))
    {
        found.retain(|candidate| fits(label, candidate.kind));
    }
    for candidate in &mut found {
        // What rules ask for is what crashes end with.
        if !rules.asking_for(&wanted(candidate.kind, candidate.code)).is_empty() {
            candidate.weight = candidate.weight.saturating_add(20);
        }
    }
    found.sort_by_key(|candidate| (std::cmp::Reverse(candidate.weight), candidate.kind, candidate.code));
    found.dedup_by_key(|candidate| (candidate.kind, candidate.code));
    keep_one_cut(&mut found, written.code);
    if found.is_empty() {
        found.push(unknown(written));
    }
    found.into_iter().map(|candidate| reading(candidate, knowledge, rules)).collect()
}

/// Whether words that say what a code is can mean this kind.
fn fits(label: Label, kind: Kind) -> bool {
    match label {
        Label::Exception => matches!(kind, Kind::Exception | Kind::HResult),
        Label::Exit => matches!(kind, Kind::Exception | Kind::ExitCode | Kind::HResult),
        Label::WinError => kind == Kind::WinError,
        Label::HResult => kind == Kind::HResult,
        Label::Bugcheck | Label::LiveReport => kind == Kind::Bugcheck,
        Label::FastFail => kind == Kind::FastFail,
    }
}

/// Many statuses end in the same eight bits: of those that a cut exit code can have been, the likeliest stays.
fn keep_one_cut(found: &mut Vec<Candidate>, code: u32) {
    let mut seen = false;
    found.retain(|candidate| {
        let cut = candidate.kind == Kind::Exception && candidate.code != code;
        !(cut && std::mem::replace(&mut seen, true))
    });
}

fn candidates(written: &Written, knowledge: &Knowledge) -> Vec<Candidate> {
    let code = written.code;
    if let Form::Name(_) = written.form {
        return by_name(written, knowledge);
    }
    if code >= SMALL {
        return large(written, knowledge);
    }
    small(written, knowledge)
}

fn by_name(written: &Written, knowledge: &Knowledge) -> Vec<Candidate> {
    let Form::Name(kind) = written.form else { return Vec::new() };
    let code = written.code;
    let name = kind.look_up(code, knowledge).map(|(name, _)| name);
    let kinds = [Kind::Exception, Kind::Bugcheck, Kind::WinError, Kind::HResult, Kind::ExitCode, Kind::FastFail];
    let same_name = kinds.into_iter().filter(|other| {
        *other == kind || (name.is_some() && other.look_up(code, knowledge).map(|(name, _)| name) == name)
    });
    let candidate = |kind| Candidate { kind, code, weight: 50, why: "it is the name of this code".to_owned() };
    same_name.map(candidate).collect()
}

/// Codes whose upper bits say something.
fn large(written: &Written, knowledge: &Knowledge) -> Vec<Candidate> {
    let Written { code, form, .. } = *written;
    let mut found = Vec::new();
    let mut add = |kind, code, weight, why: String| found.push(Candidate { kind, code, weight, why });
    let spelt = match form {
        Form::Signed => format!("0x{code:08X} as a number with sign, as IDEs print exit codes"),
        Form::Decimal => format!("0x{code:08X} in decimal"),
        _ => "a status among the codes that end processes".to_owned(),
    };
    if code >= LARGE && knowledge.exception(ExceptionCode(code)).is_some() {
        add(Kind::Exception, code, 90, spelt);
    } else if Kind::Exception.look_up(code, knowledge).is_some() {
        add(Kind::Exception, code, 70, "a status of the system has this number".to_owned());
    }
    if Kind::ExitCode.look_up(code, knowledge).is_some() {
        add(Kind::ExitCode, code, 95, "programs give it by convention".to_owned());
    }
    if let Some((_, means)) = Kind::HResult.look_up(code, knowledge) {
        add(
            Kind::HResult,
            code,
            if means.is_some() { 85 } else { 65 },
            "a component's result has this number".to_owned(),
        );
    } else if let Some((kind, inner)) = Structure::of(code, Kind::HResult).and_then(|structure| structure.inner)
        && (code >> 30 == 2 || kind == Kind::Exception)
    {
        let what = format!("{} {}", kind.phrase(), kind.written(inner));
        add(Kind::HResult, code, 80, format!("its bits wrap the {what}"));
    }
    if Kind::Bugcheck.look_up(code, knowledge).is_some() {
        let flagged = code & 0xF000_0000 == 0x1000_0000;
        let why = if flagged {
            format!("stop 0x{:X} with the flag of small dumps", BugcheckCode(code).plain())
        } else {
            "a stop has this number".to_owned()
        };
        add(Kind::Bugcheck, code, 82, why);
    }
    found
}

/// Small numbers, which can be many things.
fn small(written: &Written, knowledge: &Knowledge) -> Vec<Candidate> {
    let Written { code, form, label } = *written;
    let mut found = Vec::new();
    let mut add = |kind, code, weight, why: String| found.push(Candidate { kind, code, weight, why });
    let decimal = form == Form::Decimal;

    // A code that has a meaning here is met more often than one that only has a name.
    let known = |kind: Kind, code: u32, points: u32| {
        kind.look_up(code, knowledge).map(|(_, means)| if means.is_some() { points } else { 0 })
    };
    if let Some(points) = known(Kind::WinError, code, 25) {
        let (base, why) = if decimal {
            (30, "written in decimal, as system errors are".to_owned())
        } else {
            (25, format!("system error {code}, written in hexadecimal"))
        };
        add(Kind::WinError, code, points.saturating_add(base), why);
    }
    if Kind::ExitCode.look_up(code, knowledge).is_some() {
        let why = "programs, shells and languages use it by convention".to_owned();
        let weight = match code {
            // What programs end with most often.
            0..=3 => 60,
            _ if decimal => 50,
            _ => 35,
        };
        add(Kind::ExitCode, code, weight, why);
    }
    if decimal && (1..=KEPT_BY_SHELLS).contains(&code) {
        let cut = knowledge.exceptions().filter(|(full, meaning)| {
            full.0 >= 0x8000_0000 && full.0 & KEPT_BY_SHELLS == code && meaning.means.is_some()
        });
        for (full, _) in cut {
            let why =
                format!("Git Bash and other shells keep 8 bits of an exit code: {code} is what is left of {full}");
            let weight = if full.0 >= 0xC000_0000 { 35 } else { 30 };
            add(Kind::Exception, full.0, weight, why);
        }
    }
    let as_digits = if decimal { u32::from_str_radix(&code.to_string(), 16).ok() } else { None };
    if let Some(stop) = as_digits.filter(|stop| *stop >= 0x10)
        && let Some(points) = known(Kind::Bugcheck, stop, 15)
    {
        let why =
            format!("stop codes are hexadecimal, and Windows' own reports leave out 0x: {code} is then 0x{stop:X}");
        let base = match label {
            Some(Label::LiveReport) => 200,
            _ if stop >= 0x100 => 25,
            _ => 15,
        };
        add(Kind::Bugcheck, stop, points.saturating_add(base), why);
    }
    if let Some(points) = known(Kind::Bugcheck, code, 15).filter(|_| label != Some(Label::LiveReport)) {
        let (base, why) = match form {
            Form::Hexadecimal { whole: true } => {
                (60, "written in hexadecimal with all digits, as stop codes are".to_owned())
            }
            Form::Hexadecimal { whole: false } => (45, "written in hexadecimal, as stop codes are".to_owned()),
            _ => (10, format!("event 41 of Kernel-Power writes stop codes in decimal: {code} is 0x{code:X}")),
        };
        add(Kind::Bugcheck, code, points.saturating_add(base), why);
    }
    if let Some(points) = known(Kind::FastFail, code, 5) {
        add(
            Kind::FastFail,
            code,
            points.saturating_add(25),
            "a sub-code of 0xC0000409 and of bugcheck 0x139".to_owned(),
        );
    }
    found
}

/// What is left to say of a number that nothing here knows.
fn unknown(written: &Written) -> Candidate {
    let Written { code, label, .. } = *written;
    let kind = match label {
        Some(Label::WinError) if code < SMALL => Kind::WinError,
        Some(Label::Bugcheck | Label::LiveReport) => Kind::Bugcheck,
        Some(Label::FastFail) => Kind::FastFail,
        Some(Label::HResult) => Kind::HResult,
        _ if code >> 28 == 8 => Kind::HResult,
        _ if code >= LARGE => Kind::Exception,
        _ => Kind::ExitCode,
    };
    let why = match kind {
        Kind::ExitCode => "no code of Windows that is known here has this number: most likely the program's own",
        Kind::Exception if code & 0x2000_0000 != 0 => "the customer bit is set: a code that a program made for itself",
        _ => "its form; no code that is known here has this number",
    };
    Candidate { kind, code, weight: 0, why: why.to_owned() }
}

fn reading(candidate: Candidate, knowledge: &Knowledge, rules: &RuleSet) -> Reading {
    let Candidate { kind, code, why, .. } = candidate;
    let structure = Structure::of(code, kind);
    let inner = structure.as_ref().and_then(|structure| structure.inner);
    let named = kind.look_up(code, knowledge);
    let (name, means) = match (named, inner) {
        (Some((name, means)), _) => (Some(name.to_owned()), means),
        (None, Some((kind, inner))) => match kind.look_up(inner, knowledge) {
            Some((name, means)) => (Some(format!("HRESULT of {name}")), means),
            None => (None, None),
        },
        (None, None) => (None, None),
    };
    // What is said of a system error is true of the HRESULT around it.
    let of_kind = note(kind.word(), code);
    let of_inner = inner.and_then(|(kind, inner)| note(kind.word(), inner)).filter(|note| !note.codes.is_empty());
    let note = match of_kind {
        Some(note) if note.codes.is_empty() => of_inner.or(Some(note)),
        other => other.or(of_inner),
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let has_fast_fails = note.is_some_and(|note| note.fast_fails);
    let (known, alone) = causes::known(kind, code, has_fast_fails, rules);
    Reading {
        kind,
        code: kind.written(code),
        spellings: Spellings::of(code),
        name,
        means: means.map(str::to_owned),
        why,
        structure,
        not: note.map(|note| texts(&note.not)).unwrap_or_default(),
        look: note.map(|note| texts(&note.look)).unwrap_or_default(),
        sub_codes: if has_fast_fails { fast_fails(knowledge, rules) } else { Vec::new() },
        alone,
        rules: known,
        collect: note
            .map(|note| note.collect.iter().filter_map(|id| knowledge.collect(id)).map(str::to_owned).collect())
            .unwrap_or_default(),
        sources: note.map(|note| texts(&note.sources)).unwrap_or_default(),
    }
}

fn fast_fails(knowledge: &Knowledge, rules: &RuleSet) -> Vec<SubCode> {
    let asked = rules.numbers_asked_of(causes::FAST_FAIL);
    let sub_code = |(code, meaning): (crate::evidence::FastFailCode, &crate::knowledge::Meaning)| SubCode {
        code: code.0,
        name: meaning.name,
        means: meaning.means,
        has_rules: asked.contains(&u64::from(code.0)),
    };
    knowledge.fast_fails().map(sub_code).collect()
}
