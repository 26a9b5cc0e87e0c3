//! The readings of a code, the likeliest first: the kinds of code that it can be, each with a weight and the reason.

use super::kind::Kind;
use super::spelling::{Form, Label, SpelledCode, neighbour};
use super::structure::Structure;
use super::{Reading, Spellings, SubCode};
use crate::codes::{self, note};
use crate::{Event, ExplainedParameter, Knowledge, Note};
use evidence::{BugcheckCode, ExceptionCode};
use strum::IntoEnumIterator;

/// Numbers below this one can be system errors and other codes without a structure.
const FIRST_STRUCTURED: u32 = 0x1_0000;
/// From this number on, the upper bits of a code are its severity and owner.
const FIRST_WITH_SEVERITY: u32 = 0x4000_0000;
/// Shells that follow POSIX keep this part of an exit code.
const KEPT_BY_SHELLS: u32 = 0xFF;

/// Why a small number is an exit code.
const OF_A_PROGRAM: &str = "a number that the program chose itself, unless it hands one of the system on: its \
                            documentation and what it printed say more";

/// A possible reading.
struct Candidate {
    kind: Kind,
    code: u32,
    /// How likely it is, compared with the others.
    weight: u32,
    why: String,
    /// The event, if it is one.
    event: Option<&'static Event>,
}

impl Candidate {
    fn new(kind: Kind, code: u32, weight: u32, why: impl Into<String>) -> Self {
        Self { kind, code, weight, why: why.into(), event: None }
    }
}

/// The possible readings that were found so far.
#[derive(Default)]
struct Candidates(Vec<Candidate>);

impl Candidates {
    fn add(&mut self, kind: Kind, code: u32, weight: u32, why: impl Into<String>) {
        self.0.push(Candidate::new(kind, code, weight, why));
    }

    /// Adds a code if it is in a table of its kind. It is `bonus` likelier where it has a meaning there: such a code is met
    /// more often than a code that only has a name.
    fn add_known(&mut self, kind: Kind, code: u32, weight: u32, bonus: u32, why: impl Into<String>) {
        if let Some(meaning) = kind.look_up(code) {
            let bonus = if meaning.means.is_some() { bonus } else { 0 };
            self.add(kind, code, weight.saturating_add(bonus), why);
        }
    }
}

/// All readings of a code. There is always one.
pub(super) fn readings(spelled: &SpelledCode, ends_crashes: &dyn Fn(Kind, u32) -> bool) -> Vec<Reading> {
    let mut found = candidates(spelled);
    // Words that say what the code is are believed, unless it can't be that: programs call statuses errors.
    if let Some(label) = spelled.label {
        if found.iter().any(|candidate| fits(label, candidate.kind, spelled.form)) {
            found.retain(|candidate| fits(label, candidate.kind, spelled.form));
        } else if label.kind().is_some()
            && unknown(spelled).kind != Kind::ExitCode
            && is_of_its_range(label, spelled.code)
        {
            found.push(Candidate { weight: u32::MAX, ..unknown(spelled) });
        }
    }
    for candidate in &mut found {
        if ends_crashes(candidate.kind, candidate.code) {
            candidate.weight = candidate.weight.saturating_add(20);
        }
    }
    found.sort_by_key(|candidate| (std::cmp::Reverse(candidate.weight), candidate.kind, candidate.code));
    found.dedup_by_key(|candidate| (candidate.kind, candidate.code, candidate.event.map(|event| event.provider)));
    keep_one_cut(&mut found, spelled.code);
    if found.is_empty() {
        found.push(unknown(spelled));
    }
    let mut readings: Vec<Reading> = found.into_iter().map(reading).collect();
    for reading in readings.iter_mut().filter(|reading| reading.kind == Kind::Bugcheck) {
        let code = BugcheckCode(reading.spellings.unsigned);
        reading.look.splice(0..0, parameter_sentences(code, &spelled.parameters));
    }
    readings
}

/// A sentence for each parameter of a stop whose meaning is known.
fn parameter_sentences(stop: BugcheckCode, parameters: &[u64]) -> Vec<String> {
    let sentence = |explained: ExplainedParameter| {
        let ExplainedParameter { parameter, value } = explained;
        let means = explained.means().map_or_else(String::new, |means| format!(" = {means}"));
        format!("parameter {} is 0x{value:x}: {}{means}", parameter.number, parameter.is)
    };
    let explained = (1..=4).filter_map(|number| Knowledge.stop(stop)?.explain(number, parameters));
    explained.map(sentence).collect()
}

/// Whether a code is of the size that the words for it mean: programs call statuses errors, and no error has such a number.
fn is_of_its_range(label: Label, code: u32) -> bool {
    label.is_stop() || label == Label::Only(Kind::FastFail) || code < FIRST_WITH_SEVERITY
}

/// Whether the words before a code can mean this kind of code.
fn fits(label: Label, kind: Kind, form: Form) -> bool {
    match label {
        Label::Only(only) => kind == only,
        Label::LiveReport => kind == Kind::Bugcheck,
        Label::Status => matches!(kind, Kind::Exception | Kind::HResult),
        Label::Exit => matches!(kind, Kind::Exception | Kind::ExitCode | Kind::HResult | Kind::WinError),
        Label::Code => true,
        Label::Error => match form {
            Form::Hexadecimal { .. } => {
                matches!(kind, Kind::WinError | Kind::Bugcheck | Kind::Exception | Kind::HResult)
            }
            _ => matches!(kind, Kind::WinError | Kind::DeviceProblem),
        },
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

fn candidates(spelled: &SpelledCode) -> Vec<Candidate> {
    let code = spelled.code;
    if let Form::Name(_) = spelled.form {
        return by_name(spelled);
    }
    if code >= FIRST_STRUCTURED {
        return structured(spelled);
    }
    let mut found = unstructured(spelled);
    found.extend(events(spelled));
    found
}

/// Events with this id: those of the source that was named, or of all.
fn events(spelled: &SpelledCode) -> impl Iterator<Item = Candidate> {
    let SpelledCode { code, form, label, provider, .. } = *spelled;
    let of_source = move |event: &&Event| provider.is_none_or(|provider| event.provider == provider);
    let rows = codes::events().iter().filter(move |event| form == Form::Decimal && event.id == code);
    // Events with the same id keep the order of the table.
    rows.filter(of_source).zip(0..).map(move |(event, place)| {
        let why = match (provider, label) {
            (Some(_), _) => "the words before it name the event's source",
            (None, Some(Label::Only(Kind::Event))) => {
                "it is called an event; the same id means something else with another source"
            }
            _ => "an event of the logs has this id",
        };
        let weight = 36_u32.saturating_sub(place);
        Candidate { event: Some(event), ..Candidate::new(Kind::Event, code, weight, why) }
    })
}

/// The kind whose name was asked for, and the kinds in which the same code has the same name.
fn by_name(spelled: &SpelledCode) -> Vec<Candidate> {
    let Form::Name(kind) = spelled.form else { return Vec::new() };
    let code = spelled.code;
    let name = |kind: Kind| kind.look_up(code).map(|meaning| meaning.name);
    let same_name = Kind::iter().filter(|other| *other == kind || (name(kind).is_some() && name(*other) == name(kind)));
    same_name.map(|kind| Candidate::new(kind, code, 50, "it is the name of this code")).collect()
}

/// The readings of a code whose upper bits are its severity and owner.
fn structured(spelled: &SpelledCode) -> Vec<Candidate> {
    let SpelledCode { code, form, .. } = *spelled;
    let mut found = Candidates::default();
    if code >= FIRST_WITH_SEVERITY && Knowledge.exception(ExceptionCode(code)).is_some() {
        let why = match form {
            Form::Signed => format!("0x{code:08X} as a number with sign, as IDEs print exit codes"),
            Form::Decimal => format!("0x{code:08X} in decimal"),
            _ => "a status among the codes that end processes".to_owned(),
        };
        found.add(Kind::Exception, code, 90, why);
    } else {
        found.add_known(Kind::Exception, code, 70, 0, "a status of the system has this number");
    }
    found.add_known(Kind::ExitCode, code, 95, 0, "programs give it by convention");
    found.add_known(Kind::HResult, code, 65, 20, "a component's result has this number");
    if Kind::HResult.look_up(code).is_none()
        && let Some((kind, inner)) = Structure::of(code, Kind::HResult).and_then(|structure| structure.wrapped)
        && (code >> 30 == 2 || kind == Kind::Exception)
    {
        let what = format!("{} {}", kind.phrase(), kind.notation(inner));
        found.add(Kind::HResult, code, 80, format!("its bits wrap the {what}"));
    }
    if let Form::Hexadecimal { whole: false } = form
        && let Some(close) = neighbour(&format!("{code:x}"))
    {
        let kind = if Kind::Exception.look_up(close).is_some() { Kind::Exception } else { Kind::HResult };
        let why = format!("0x{code:x} has seven digits where codes have eight: most likely a zero is missing");
        found.add(kind, close, 30, why);
    }
    // Without a minus, it would be a number that a program chose out of four thousand million.
    let with_minus = code.wrapping_neg();
    if form == Form::Decimal && with_minus >> 31 == 1 && Knowledge.exception(ExceptionCode(with_minus)).is_some() {
        let minus = with_minus.cast_signed();
        let why = format!("no code that is known here is {code}; most likely the minus was lost, and it is {minus}");
        found.add(Kind::Exception, with_minus, 30, why);
    }
    let flagged = || format!("stop 0x{:X} with the flag of small dumps", BugcheckCode(code).plain());
    let why = if code >> 28 == 1 { flagged() } else { "a stop has this number".to_owned() };
    found.add_known(Kind::Bugcheck, code, 82, 0, why);
    found.0
}

/// The readings of a small number, which can be many things.
fn unstructured(spelled: &SpelledCode) -> Vec<Candidate> {
    let SpelledCode { code, form, label, .. } = *spelled;
    let mut found = Candidates::default();
    let decimal = form == Form::Decimal;
    let exited = label == Some(Label::Exit);

    let (weight, why) = if exited && code > KEPT_BY_SHELLS {
        // Likelier than a code of the program's own: installers do it.
        (60, "installers and others give a system error as their exit code".to_owned())
    } else if exited {
        (5, "some programs give a system error as their exit code".to_owned())
    } else if decimal {
        (30, "written in decimal, as system errors are".to_owned())
    } else {
        (25, format!("system error {code}, written in hexadecimal"))
    };
    found.add_known(Kind::WinError, code, weight, 25, why);
    if label == Some(Label::Status) {
        let why = match code {
            0 => "as a status, 0 is success: a report of a crash that shows it had no exception to show",
            _ => "a status of the system has this number",
        };
        found.add_known(Kind::Exception, code, 80, 0, why);
    }
    let of_a_program = exited || (decimal && (4..=KEPT_BY_SHELLS).contains(&code));
    if Kind::ExitCode.look_up(code).is_none() && of_a_program {
        found.add(Kind::ExitCode, code, if exited { 70 } else { 42 }, OF_A_PROGRAM);
    }
    let weight = match code {
        // The commonest exit codes of programs.
        0..=3 => 60,
        _ if exited => 70,
        _ if decimal => 50,
        _ => 35,
    };
    found.add_known(Kind::ExitCode, code, weight, 0, "programs, shells and languages use it by convention");
    if decimal && (1..=KEPT_BY_SHELLS).contains(&code) {
        let cut = Knowledge.exceptions().filter(|(full, meaning)| {
            full.0 >= 0x8000_0000 && full.0 & KEPT_BY_SHELLS == code && meaning.means.is_some()
        });
        for (full, _) in cut {
            let why =
                format!("Git Bash and other shells keep 8 bits of an exit code: {code} is what is left of {full}");
            // A program that could not even be loaded has no exit code of its own.
            let weight = match full.0 {
                0xC000_0135 | 0xC000_0142 => 52,
                0xC000_0000.. if !exited => 20,
                _ => 5,
            };
            found.add(Kind::Exception, full.0, weight, why);
        }
    }
    let as_digits = if decimal { u32::from_str_radix(&code.to_string(), 16).ok() } else { None };
    if let Some(stop) = as_digits.filter(|stop| *stop >= 0x10) {
        let why =
            format!("stop codes are hexadecimal, and Windows' own reports leave out 0x: {code} is then 0x{stop:X}");
        let weight = match label {
            Some(Label::LiveReport) => 200,
            _ if stop >= 0x100 => 25,
            _ => 15,
        };
        found.add_known(Kind::Bugcheck, stop, weight, 15, why);
    }
    if !(decimal && label == Some(Label::LiveReport)) {
        let (weight, why) = match form {
            Form::Hexadecimal { whole: true } => {
                (60, "written in hexadecimal with all digits, as stop codes are".to_owned())
            }
            Form::Hexadecimal { whole: false } => (45, "written in hexadecimal, as stop codes are".to_owned()),
            _ => (10, format!("event 41 of Kernel-Power writes stop codes in decimal: {code} is 0x{code:X}")),
        };
        found.add_known(Kind::Bugcheck, code, weight, 15, why);
    }
    if decimal && (label == Some(Label::Only(Kind::CudaError)) || code >= 700) {
        found.add_known(Kind::CudaError, code, 30, 5, "programs print CUDA's errors in decimal");
    }
    // Codes of these kinds are met only where words say what they are.
    for (kind, wanted, weight, why) in [
        (Kind::Errno, Label::Only(Kind::Errno), 100, "it is called an errno; Windows' C runtime numbers them so"),
        (Kind::Xid, Label::Only(Kind::Xid), 100, "it is called an Xid, as NVIDIA's driver calls its errors"),
        (Kind::CublasStatus, Label::Only(Kind::CublasStatus), 100, "it is called a status of cuBLAS"),
        (Kind::CudnnStatus, Label::Only(Kind::CudnnStatus), 100, "it is called a status of cuDNN"),
        (Kind::DeviceProblem, Label::Only(Kind::DeviceProblem), 100, "it is called the problem code of a device"),
        (Kind::DeviceProblem, Label::Code, 64, "Device Manager writes the problems of devices so: (Code 43)"),
        (Kind::DeviceProblem, Label::Error, 28, "the problems of devices in Device Manager are called errors, too"),
    ] {
        if decimal && label == Some(wanted) {
            found.add_known(kind, code, weight, 0, why);
        }
    }
    found.add_known(Kind::FastFail, code, 25, 5, "a sub-code of 0xC0000409 and of bugcheck 0x139");
    found.0
}

/// The reading of a number that is in no table: by the words before it, else by its form.
fn unknown(spelled: &SpelledCode) -> Candidate {
    let SpelledCode { code, label, .. } = *spelled;
    let kind = match label.and_then(Label::kind) {
        Some(kind @ (Kind::Bugcheck | Kind::FastFail | Kind::HResult)) => kind,
        Some(kind) if code < FIRST_WITH_SEVERITY => kind,
        _ if code >> 28 == 8 => Kind::HResult,
        _ if code >= FIRST_WITH_SEVERITY => Kind::Exception,
        _ => Kind::ExitCode,
    };
    let why = match kind {
        Kind::Bugcheck if code == 0 => {
            "no stop was recorded: event 41 of Kernel-Power says 0 where power was lost, the machine was reset, or it hung"
        }
        Kind::Bugcheck if code >= FIRST_WITH_SEVERITY => {
            "the words before it call it a stop, but no stop that is known here has this number, which has the form of another kind of code"
        }
        Kind::WinError | Kind::HResult | Kind::CudaError | Kind::Errno if code == 0 => "0 says that there was no error",
        Kind::ExitCode => "no code of Windows that is known here has this number: most likely the program's own",
        Kind::Event => "the words before it; what it records depends on its source, which is not known here",
        Kind::Exception if code & 0x2000_0000 != 0 => "the customer bit is set: a code that a program made for itself",
        _ => "its form; no code that is known here has this number",
    };
    Candidate::new(kind, code, 0, why)
}

fn reading(candidate: Candidate) -> Reading {
    let Candidate { kind, code, why, event, .. } = candidate;
    let named = kind.look_up(code);
    // A number that is no stop says nothing as one, whatever its bits say as another code.
    let structure = Structure::of(code, kind).filter(|_| kind != Kind::Bugcheck || named.is_some());
    let inner = structure.as_ref().and_then(|structure| structure.wrapped);
    let (name, means) = match (event, named, inner) {
        (Some(event), ..) => (Some(event.provider.to_owned()), Some(event.says)),
        (None, Some(meaning), _) => (Some(meaning.name.to_owned()), meaning.means),
        (None, None, Some((kind, inner))) => {
            let meaning = kind.look_up(inner);
            (meaning.map(|meaning| format!("HRESULT of {}", meaning.name)), meaning.and_then(|meaning| meaning.means))
        }
        (None, None, None) if kind == Kind::ExitCode && why == OF_A_PROGRAM => {
            (Some("the program's own".to_owned()), None)
        }
        (None, None, None) => (None, None),
    };
    // What a note says of a system error is true of the HRESULT around it.
    let of_kind = note(kind.word(), code);
    let of_inner = inner.and_then(|(kind, inner)| note(kind.word(), inner)).filter(|note| !note.codes.is_empty());
    let note = match of_kind {
        Some(note) if note.codes.is_empty() => of_inner.or(Some(note)),
        other => other.or(of_inner),
    };
    let no_note = Note::default();
    let note = note.unwrap_or(&no_note);
    let (not, look, collect, sources) = match event {
        Some(event) => (&event.not, &event.look, &event.collect, &event.sources),
        None => (&note.not, &note.look, &note.collect, &note.sources),
    };
    Reading {
        kind,
        code: kind.notation(code),
        spellings: Spellings::new(code),
        name,
        means: means.map(str::to_owned),
        why,
        structure,
        proves: event.map(|event| texts(&event.proves)).unwrap_or_default(),
        not: texts(not),
        look: texts(look),
        sub_codes: if note.fast_fails { fast_fails() } else { Vec::new() },
        collect: collect.iter().filter_map(|id| Knowledge.collect(id)).map(str::to_owned).collect(),
        sources: texts(sources),
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn fast_fails() -> Vec<SubCode> {
    let codes = Knowledge.fast_fails();
    codes.map(|(code, meaning)| SubCode { code: code.0, name: meaning.name, means: meaning.means }).collect()
}
