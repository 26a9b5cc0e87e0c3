//! What happened in one incident: the facts, without any judgement of rules.

use std::collections::BTreeMap;
use std::io;

use super::page::Page;
use super::wording::{name, prose, versioned};
use crate::facts::SigmaNearby;
use crate::incident::{Bugcheck, ExceptionFacts, FaultSite, Process, Suspect};
use crate::report::Judged;

/// Writes one row a fact.
pub(super) fn write(page: &mut Page<'_>, Judged { incident, sigma, .. }: &Judged) -> io::Result<()> {
    page.row("time", &incident.time.map_or_else(|| "not known".to_owned(), |time| time.to_string()))?;
    if let Some(host) = &incident.host {
        let basis = if incident.host_by_folder { " (likely: its logs lie in the same folder)" } else { "" };
        page.row("host", &format!("{}{basis}", name(host)))?;
    }
    if let Some(of) = &incident.process {
        process(page, of)?;
    }
    if let Some(of) = &incident.exception {
        exception(page, of)?;
    }
    if let Some(of) = &incident.bugcheck {
        bugcheck(page, of)?;
    }
    if let Some(of) = &incident.fault_site {
        fault_site(page, of)?;
    }
    if let Some(of) = &incident.suspect {
        suspect(page, of)?;
    }
    if !incident.environment.is_empty() {
        environment(page, &incident.environment)?;
    }
    let mut label = "sigma";
    for nearby in sigma {
        page.row(label, &sigma_rule(nearby))?;
        label = "";
    }
    Ok(())
}

/// A Sigma rule that matched around the incident.
fn sigma_rule(nearby: &SigmaNearby) -> String {
    let level = nearby.rule.level.map_or_else(String::new, |level| format!(", {level}"));
    let distance = nearby.seconds.unsigned_abs();
    let side = if nearby.seconds > 0 { "after it" } else { "before it" };
    let when = if distance == 0 { "at its time".to_owned() } else { format!("{} {side}", duration(distance)) };
    let more = match nearby.matches {
        0 | 1 => String::new(),
        matches => format!(", {matches} records"),
    };
    format!("{}{level}: {when}{more}", prose(&nearby.rule.title))
}

/// `12 s`, `3 min`, `5 h`.
fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

/// Keys of an environment that stand in one line each, in this order. What is not named here stands in the last line.
const ENVIRONMENT: &[&[&str]] = &[
    &["os", "process_bits", "cpu", "cpu_name", "cpu_threads", "cpu_extensions"],
    &["gpu_driver", "gpu_driver_others", "cuda", "cublas", "cudnn", "cuda_conflicts"],
    &["python", "python_detail", "tensorflow", "pytorch", "onnxruntime"],
    &["msvcp140"],
    &["vcruntime140"],
    &["ucrtbase"],
    &["misplaced"],
    &["duplicates"],
];

/// `os: ...; cpu: ...`, a line for each theme.
pub(super) fn environment(page: &mut Page<'_>, environment: &BTreeMap<&'static str, String>) -> io::Result<()> {
    let line = |keys: &mut dyn Iterator<Item = &'static str>| {
        let pairs = keys.filter_map(|key| Some(format!("{key}: {}", environment.get(key)?)));
        pairs.collect::<Vec<_>>().join("; ")
    };
    let named = |key: &&'static str| ENVIRONMENT.iter().any(|keys| keys.contains(key));
    let mut others = environment.keys().copied().filter(|key| !named(key));
    let mut lines: Vec<String> = ENVIRONMENT.iter().map(|keys| line(&mut keys.iter().copied())).collect();
    lines.push(line(&mut others));
    let mut label = "environment";
    for line in lines.iter().filter(|line| !line.is_empty()) {
        page.row(label, line)?;
        label = "";
    }
    Ok(())
}

fn process(page: &mut Page<'_>, process: &Process) -> io::Result<()> {
    let name = process.name.as_deref().map(|name| versioned(name, process.version));
    let pid = process.pid.map(|pid| format!("pid {pid}"));
    let started = process.started.map(|started| format!("started {started}"));
    let known: Vec<_> = [name, pid, started].into_iter().flatten().collect();
    if !known.is_empty() {
        page.row("process", &known.join(", "))?;
    }
    match &process.path {
        Some(path) => page.row(if known.is_empty() { "process" } else { "" }, path),
        None => Ok(()),
    }
}

fn exception(page: &mut Page<'_>, exception: &ExceptionFacts) -> io::Result<()> {
    page.row("exception", &named(&exception.code.to_string(), exception.name.as_deref()))?;
    if let Some((code, name)) = &exception.fast_fail {
        page.row("", &named(&format!("fast-fail {}", code.0), name.as_deref()))?;
    }
    let access = exception.access.map(|(kind, address)| format!("{} of {address}", kind.unwrap_or("access")));
    let raised = exception.address.map(|address| format!("raised at {address}"));
    let known: Vec<_> = [access, raised].into_iter().flatten().collect();
    if !known.is_empty() {
        page.row("", &known.join(", "))?;
    }
    match exception.parameters.as_deref() {
        Some(parameters) if page.verbose => page.row("", &listed_parameters(parameters)),
        _ => Ok(()),
    }
}

fn bugcheck(page: &mut Page<'_>, bugcheck: &Bugcheck) -> io::Result<()> {
    page.row("bugcheck", &named(&bugcheck.code.to_string(), bugcheck.name.as_deref()))?;
    if !bugcheck.parameters.is_empty() {
        page.row("", &listed_parameters(&bugcheck.parameters))?;
    }
    for said in &bugcheck.meanings {
        let means = said.means.as_deref().map_or_else(String::new, |means| format!(" = {means}"));
        page.row("", &format!("{}: {}{means}", said.number, said.is))?;
    }
    if let Some(bits) = bugcheck.bits_differ {
        page.row("", &format!("3 and 4 differ in {bits} {}", if bits == 1 { "bit" } else { "bits" }))?;
    }
    match bugcheck.machine_check {
        Some(status) => {
            let class = status.class().about().unwrap_or("an error that its code does not tell");
            let lost = if status.overflowed() { "; others before it were lost" } else { "" };
            page.row("", &format!("kind of the machine check: {class}{lost}"))
        }
        None => Ok(()),
    }
}

fn fault_site(page: &mut Page<'_>, site: &FaultSite) -> io::Result<()> {
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
    page.row("fault site", &text)?;
    if site.carrier {
        page.row("", "a carrier: it delivers exceptions for others")?;
    }
    match &site.path {
        Some(path) => page.row("", path),
        None => Ok(()),
    }
}

/// Where the suspect lies and why it is one; its name stands with the verdict.
fn suspect(page: &mut Page<'_>, suspect: &Suspect) -> io::Result<()> {
    page.row("suspect", suspect.path.as_ref().unwrap_or(&suspect.module))?;
    page.row("", &prose(&suspect.reason))
}

/// A code with its name, where it has one.
fn named(code: &str, name: Option<&str>) -> String {
    name.map_or_else(|| code.to_owned(), |name| format!("{code} {name}"))
}

fn listed_parameters(parameters: &[u64]) -> String {
    let parameters: Vec<_> = parameters.iter().map(|parameter| format!("{parameter:#x}")).collect();
    format!("parameters {}", if parameters.is_empty() { "none".to_owned() } else { parameters.join(" ") })
}
