//! The facts of one incident, without any judgement of rules.

use std::collections::BTreeMap;

use crate::model::Judged;
use crate::wording::{how_long, name, prose, versioned};
use facts::SigmaNearby;
use incident::{
    Access, Bugcheck, Component, DumpState, ExceptionFacts, FastFail, FaultSite, IncidentKind, Mechanism,
    MechanismKind, NeededFile, OtherModule, OtherSoftware, Process, Suspect, Thrown, product,
};

/// How many annotations of a dump are shown.
const ANNOTATIONS_SHOWN: usize = 6;
/// How many files are named that would show more of the stack.
const SYMBOLS_SHOWN: usize = 3;
/// How many modules of other software are shown.
const MODULES_SHOWN: usize = 8;

/// Codes from here on are errors (NTSTATUS: the upper two bits are the severity, 3 is an error), and no numbers that the
/// program chose.
const FIRST_ERROR: u32 = 0xC000_0000;

/// Signals and exceptions of other systems whose address is the one that was accessed.
const ACCESSES: [&str; 3] = ["SIGSEGV", "SIGBUS", "EXC_BAD_ACCESS"];

/// A label with its text; a row without label continues the row before it.
pub(crate) type Row = (&'static str, String);

/// One row a fact; where `all`, also facts that few readers need.
pub(crate) fn rows(Judged { incident, sigma, party, .. }: &Judged, all: bool) -> Vec<Row> {
    let mut rows = vec![("time", incident.time.map_or_else(|| "not known".to_owned(), |time| time.to_string()))];
    rows.extend(party.iter().map(|party| ("customer", name(party).into_owned())));
    if let Some(host) = &incident.host {
        let basis = if incident.host_by_folder { " (likely: its logs lie beside it)" } else { "" };
        rows.push(("host", format!("{}{basis}", name(host))));
    }
    rows.extend(incident.process.iter().flat_map(process));
    // Only Windows records where the exception was raised; of other systems it depends on the signal.
    let is_windows = incident.environment.get("os").is_none_or(|os| os.starts_with("Windows"));
    let ended = matches!(incident.kind, IncidentKind::Crash | IncidentKind::Exit | IncidentKind::StartFailure)
        && incident.dump.as_ref().is_none_or(|dump| dump.requested != Some(true));
    rows.extend(incident.exception.iter().flat_map(|of| exception(of, is_windows, ended, all)));
    rows.extend(incident.bugcheck.iter().flat_map(bugcheck));
    rows.extend(incident.fault_site.iter().flat_map(fault_site));
    rows.extend(incident.mechanism.iter().flat_map(|mechanism| how(mechanism, all)));
    rows.extend(incident.suspect.iter().flat_map(suspect));
    rows.extend(incident.thrown.iter().map(|thrown| ("thrown", prose(&thrown_line(thrown)))));
    rows.extend(symbols(&incident.symbols_needed, all));
    rows.extend(incident.dump.iter().flat_map(|dump| dump_state(dump, all)));
    let suspected = incident.suspect.as_ref().map(|suspect| &*suspect.module);
    let others = incident.other_software.as_ref().map(|others| other_software(others, suspected, all));
    rows.extend(others.filter(|others| !others.is_empty()).map(|others| ("also loaded", others)));
    rows.extend((!incident.built_with.is_empty()).then(|| ("built with", built_with(&incident.built_with))));
    rows.extend(environment_rows(&incident.environment));
    let labels = std::iter::once("sigma").chain(std::iter::repeat(""));
    rows.extend(labels.zip(sigma.iter().map(sigma_rule)));
    rows
}

/// The files that would show more of the stack, each with its reason.
fn symbols(needed: &[NeededFile], all: bool) -> Vec<Row> {
    let shown = if all { needed.len() } else { SYMBOLS_SHOWN };
    let files = needed.iter().take(shown);
    let files: Vec<String> = files.map(|file| prose(&format!("{}, which {}", file.file, file.reason))).collect();
    if files.is_empty() {
        return Vec::new();
    }
    let more = needed.len().saturating_sub(shown);
    let more = if more == 0 { String::new() } else { format!("; {more} more") };
    vec![("symbols", format!("not at hand: {}{more} (crashsift symbols-needed lists them)", files.join("; ")))]
}

/// A Sigma rule that matched around the incident, with its distance in time.
fn sigma_rule(nearby: &SigmaNearby) -> String {
    let level = nearby.rule.level.map_or_else(String::new, |level| format!(", {level}"));
    let distance = nearby.seconds.unsigned_abs();
    let side = if nearby.seconds > 0 { "after it" } else { "before it" };
    let when = if distance == 0 { "at its time".to_owned() } else { format!("{} {side}", how_long(distance)) };
    let more = match nearby.matches {
        0 | 1 => String::new(),
        matches => format!(", {matches} records"),
    };
    format!("{}{level}: {when}{more}", prose(&nearby.rule.title))
}

/// The keys of each line of an environment card, in this order. All other keys are in the last line.
const ENVIRONMENT: &str = include_str!("environment.txt");

/// `os: ...; cpu: ...`, a row for each theme.
pub(crate) fn environment_rows(environment: &BTreeMap<&'static str, String>) -> Vec<Row> {
    let named = |key: &&str| ENVIRONMENT.split_ascii_whitespace().any(|known| known == *key);
    let others = environment.keys().copied().filter(|key| !named(key)).collect();
    let lines = ENVIRONMENT.lines().map(|line| line.split(' ').collect()).chain([others]);
    let lines = lines.filter_map(|keys: Vec<&str>| {
        let pairs = keys.into_iter().filter_map(|key| Some(format!("{key}: {}", environment.get(key)?)));
        Some(pairs.collect::<Vec<_>>().join("; ")).filter(|line| !line.is_empty())
    });
    std::iter::once("environment").chain(std::iter::repeat("")).zip(lines).collect()
}

fn process(process: &Process) -> Vec<Row> {
    let name = process.name.as_deref().map(|name| versioned(name, process.version));
    let pid = process.pid.map(|pid| format!("pid {pid}"));
    let started = process.started.map(|started| format!("started {started}"));
    let known: Vec<_> = [name, pid, started].into_iter().flatten().collect();
    let mut rows = Vec::new();
    if !known.is_empty() {
        rows.push(("process", known.join(", ")));
    }
    if let Some(path) = &process.path {
        rows.push((if known.is_empty() { "process" } else { "" }, path.to_string()));
    }
    rows
}

/// Code, access and place of an exception; where the process `ended`, with the exit code.
fn exception(exception: &ExceptionFacts, is_windows: bool, ended: bool, all: bool) -> Vec<Row> {
    let mut code = named(&exception.code.to_string(), exception.name.as_deref());
    if is_windows && ended && exception.code.0 >= FIRST_ERROR {
        // Consoles, IDEs and installers show the exit code that follows from it as a signed number.
        code.push_str(&format!(" (exit code {})", exception.code.0.cast_signed()));
    }
    let mut rows = vec![("exception", code)];
    if let Some(FastFail { code, name }) = &exception.fast_fail {
        rows.push(("", named(&format!("fast-fail {}", code.0), name.as_deref())));
    }
    let access = exception.access.map(|Access { kind, address }| format!("{} of {address}", kind.unwrap_or("access")));
    let accessed = |name: &str| ACCESSES.iter().any(|signal| name.contains(signal));
    let at = match exception.name.as_deref() {
        Some(name) if !is_windows && accessed(name) => "accessed",
        _ if is_windows => "raised at",
        _ => "at",
    };
    let raised = exception.address.map(|address| format!("{at} {address}"));
    let known: Vec<_> = [access, raised].into_iter().flatten().collect();
    if !known.is_empty() {
        rows.push(("", known.join(", ")));
    }
    rows.extend(exception.parameters.as_deref().filter(|_| all).map(|all| ("", parameters(all))));
    rows
}

fn bugcheck(bugcheck: &Bugcheck) -> Vec<Row> {
    let mut rows = vec![("bugcheck", named(&bugcheck.code.to_string(), bugcheck.name.as_deref()))];
    if !bugcheck.parameters.is_empty() {
        rows.push(("", parameters(&bugcheck.parameters)));
    }
    for said in &bugcheck.meanings {
        let means = said.means.as_deref().map_or_else(String::new, |means| format!(" = {means}"));
        rows.push(("", format!("{}: {}{means}", said.number, said.is)));
    }
    if let Some(bits) = bugcheck.bits_differ {
        rows.push(("", format!("3 and 4 differ in {bits} {}", if bits == 1 { "bit" } else { "bits" })));
    }
    if let Some(status) = bugcheck.machine_check {
        let class = status.class().about().unwrap_or("an error that its code does not tell");
        let lost = if status.overflowed() { "; others before it were lost" } else { "" };
        rows.push(("", format!("kind of the machine check: {class}{lost}")));
    }
    rows
}

fn fault_site(site: &FaultSite) -> Vec<Row> {
    let mut text = versioned(&site.module, site.version);
    if let Some(offset) = site.offset {
        text.push_str(&format!(" + {offset}"));
    }
    if let Some(function) = &site.function {
        text.push_str(&format!(", in {function}"));
    }
    if site.unloaded {
        text.push_str(", already unloaded");
    }
    let mut rows = vec![("fault site", text)];
    if site.carrier {
        rows.push(("", "a carrier: errors of other code show up in it, and it is seldom the cause".to_owned()));
    }
    rows.extend(site.path.iter().map(|path| ("", path.to_string())));
    rows
}

/// How the process failed; where `all`, with the instructions that handed on the bad value.
fn how(mechanism: &Mechanism, all: bool) -> Vec<Row> {
    let mut rows = vec![("how", prose(&mechanism.sentence))];
    if !matches!(mechanism.kind, MechanismKind::Other | MechanismKind::Unknown) {
        rows.push(("", format!("{} ({:.0} % certain)", mechanism.kind.word(), mechanism.certainty * 100.0)));
    }
    let steps = mechanism.origin.as_ref().filter(|_| all).map_or(&[][..], |origin| origin.steps.as_slice());
    rows.extend(steps.iter().map(|step| {
        let loaded = step.loaded.map_or_else(String::new, |loaded| format!(", memory holds {loaded}"));
        ("", format!("frame {}, {}: {}{loaded}", step.frame, step.address, step.instruction))
    }));
    rows
}

/// The path of the suspect, its product and the reason; its name is with the verdict.
fn suspect(suspect: &Suspect) -> Vec<Row> {
    let mut rows = vec![("suspect", suspect.path.as_ref().unwrap_or(&suspect.module).to_string())];
    // The product alone stands beside the name.
    rows.extend(suspect.what.iter().filter(|what| product(what) != &***what).map(|what| ("", prose(what))));
    rows.push(("", prose(&suspect.reason)));
    rows
}

/// Type and message of an exception object.
fn thrown_line(thrown: &Thrown) -> String {
    let text = thrown.text.as_deref().map_or_else(String::new, |text| format!(": {}", cut(text)));
    let by = thrown.module.as_deref().map_or_else(String::new, |module| format!(" (by {})", name(module)));
    format!("{}{by}{text}", cut(&thrown.type_name))
}

/// What the dump shows of process and system; where `all`, with its annotations and its comment.
fn dump_state(dump: &DumpState, all: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    rows.extend(dump.messages.iter().map(|message| ("message", prose(message))));
    rows.extend(dump.inner_errors.iter().map(|error| {
        let mut text = named(&error.code.to_string(), error.name.as_deref());
        text.extend(error.module.as_deref().map(|module| format!(", met in {}", name(module))));
        text.extend(error.text.as_deref().map(|message| format!(": {}", cut(message))));
        ("inside", prose(&text))
    }));
    let labels = std::iter::once("state").chain(std::iter::repeat(""));
    rows.extend(labels.zip(dump.says.iter().map(|sentence| prose(sentence))));
    let shown = if all { usize::MAX } else { ANNOTATIONS_SHOWN };
    let mut notes: Vec<String> =
        dump.annotations.iter().take(shown).map(|note| format!("{} = {}", cut(&note.key), cut(&note.value))).collect();
    let more =
        dump.annotations.len().saturating_sub(notes.len()).saturating_add(dump.annotations_left_out.unwrap_or(0));
    if more > 0 && !notes.is_empty() {
        notes.push(format!("{more} more"));
    }
    if !notes.is_empty() {
        rows.push(("annotations", prose(&notes.join("; "))));
    }
    rows.extend(dump.comment.as_deref().filter(|_| all).map(|comment| ("comment", prose(&cut(comment)))));
    rows
}

/// The products that a program is built with.
fn built_with(components: &[Component]) -> String {
    let named = components.iter().map(|component| {
        format!("{} ({})", cut(product(&component.what)), versioned(&component.module, component.version))
    });
    prose(&named.collect::<Vec<_>>().join("; "))
}

/// Other software in the process than the suspected module, by product.
fn other_software(others: &OtherSoftware, suspected: Option<&str>, all: bool) -> String {
    let shown = if all { usize::MAX } else { MODULES_SHOWN };
    let mut products: Vec<(Option<String>, Vec<&str>)> = Vec::new();
    let modules: Vec<&OtherModule> =
        others.modules.iter().filter(|module| suspected.is_none_or(|suspected| *module.module != *suspected)).collect();
    for module in modules.iter().take(shown) {
        let in_folder = || Some(format!("in {}", name(module.folder.as_deref()?)));
        let product = module.what.as_deref().map(str::to_owned).or_else(in_folder);
        match products.iter_mut().find(|(known, _)| product.is_some() && *known == product) {
            Some((_, modules)) => modules.push(&module.module),
            None => products.push((product, vec![&module.module])),
        }
    }
    let named = products.into_iter().map(|(product, modules)| {
        let modules = modules.into_iter().map(name).collect::<Vec<_>>().join(", ");
        product.map_or_else(|| modules.clone(), |product| format!("{modules} ({product})"))
    });
    let mut text = named.collect::<Vec<_>>().join("; ");
    let more = modules.len().saturating_sub(shown).saturating_add(others.left_out.unwrap_or(0));
    if more > 0 && !text.is_empty() {
        text.push_str(&format!("; and {more} more"));
    }
    prose(&text)
}

/// A text from an artifact, cut where it is too long to be read.
fn cut(text: &str) -> String {
    const LONGEST: usize = 300;
    match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start}..."),
        None => text.to_owned(),
    }
}

/// A code with its name, where it has one.
fn named(code: &str, name: Option<&str>) -> String {
    name.map_or_else(|| code.to_owned(), |name| format!("{code} {name}"))
}

fn parameters(parameters: &[u64]) -> String {
    let parameters: Vec<_> = parameters.iter().map(|parameter| format!("{parameter:#x}")).collect();
    format!("parameters {}", if parameters.is_empty() { "none".to_owned() } else { parameters.join(" ") })
}
