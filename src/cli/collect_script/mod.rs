//! `crashsift collect-script`: prints a script with which whoever sits at the PC collects the evidence, without installing
//! anything.
//!
//! A script is a head with the values of the case, each quoted ([`quoted`]), and a body that is the same for all.

mod quoted;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use super::color::Color;
use super::judging::Judging;
use super::lost::note_lost;
use super::output::{self, Look};
use super::stream::{self, Notes, usage};
use super::{Exit, redaction, symbols};
use pipeline::{Silent, analyze};
use report::Judged;
use report::screen::{self, Found};
use report::text::TextOptions;
use windows_events::catalogue;

const POWERSHELL: &str = include_str!("body.ps1");
const BATCH: &str = include_str!("body.cmd");

/// How long before the first incident, and after the last, logs are collected: changes of the last two weeks matter.
const BEFORE: SignedDuration = SignedDuration::from_hours(14 * 24);
const AFTER: SignedDuration = SignedDuration::from_hours(24);
/// Providers in one filter of a query: Windows refuses queries with more than some twenty conditions.
const PROVIDERS_A_FILTER: usize = 10;
/// The providers that the batch file asks for, in one filter.
const FEW_PROVIDERS: [&str; 8] = [
    "Application Error",
    "Application Hang",
    "Windows Error Reporting",
    ".NET Runtime",
    "SideBySide",
    "MsiInstaller",
    "Application Popup",
    "Microsoft-Windows-RestartManager",
];
/// The logs of components, beside Application and System.
pub const CHANNELS: [&str; 4] = [
    "Microsoft-Windows-WER-PayloadHealth/Operational",
    "Microsoft-Windows-CodeIntegrity/Operational",
    "Microsoft-Windows-Kernel-WHEA/Errors",
    "Microsoft-Windows-Kernel-WHEA/Operational",
];

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// With --for: the files and folders that the incident is in, as for `analyze`.
    #[arg(value_name = "PATH", requires = "incident")]
    paths: Vec<PathBuf>,

    /// Collect what this incident or group needs: a number of the report, an id or the beginning of it, or a part of a group's
    /// signature. It decides about program and time.
    #[arg(long = "for", value_name = "INCIDENT", id = "incident", requires = "paths")]
    incident: Option<String>,

    /// Collect reports, dumps and versions of this program only (`ledger.exe`).
    #[arg(long, value_name = "NAME", conflicts_with = "incident")]
    program: Option<String>,

    /// Collect the logs of so many days before the script runs.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=1800), conflicts_with = "incident")]
    days: u16,

    /// Print a batch file for the command prompt, which collects less, for PCs without PowerShell.
    #[arg(long)]
    cmd: bool,

    /// Also collect dumps with all memory of a program or of the PC: they are large, and hold private data.
    #[arg(long)]
    memory_dumps: bool,

    /// Write the script to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    judging: Judging,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    if let Some(path) = &arguments.output {
        output::check(path).and_then(|()| output::not_lost(path, &arguments.paths)).map_err(usage)?;
    }
    let case = match &arguments.incident {
        Some(wanted) => of_incident(arguments, wanted)?,
        None => Case { program: arguments.program.clone(), ..Case::of_days(arguments.days) },
    };
    let case = Case { memory_dumps: arguments.memory_dumps, ..case };
    let script = if arguments.cmd { case.batch() } else { case.powershell() };
    // Windows reads batch files by lines that end with both characters.
    let script = script.replace("\r\n", "\n").replace('\n', "\r\n");
    let look = Look { color: Color::Never, verbose: false, text: false, width: TextOptions::default().width };
    Ok(output::deliver(arguments.output.as_deref(), look, |out, _| out.write_all(script.as_bytes())))
}

/// What is to be collected.
#[derive(Debug, Clone, Default)]
struct Case {
    /// The program's file name; of all programs without it.
    program: Option<String>,
    /// The path of the program.
    path: Option<String>,
    span: Span,
    memory_dumps: bool,
}

/// The time whose logs are collected.
#[derive(Debug, Clone, Copy)]
enum Span {
    /// So many days before the script runs.
    Days(u16),
    /// From when to when.
    Times(Timestamp, Timestamp),
}

impl Default for Span {
    fn default() -> Self {
        Self::Days(30)
    }
}

/// The case of the incidents that `wanted` names.
fn of_incident(arguments: &Arguments, wanted: &str) -> Result<Case, Exit> {
    let rules = arguments.judging.rules()?;
    let (paths, options) = arguments.judging.options(&arguments.paths)?;
    let report = analyze(&paths, &rules, &options, &Silent);
    redaction::save(options.redaction.as_ref())?;
    symbols::print_notes(options.symbols.as_deref());
    note_lost(&arguments.paths, &report.artifacts, &mut Notes::new(false));
    match screen::find(&report, wanted) {
        Found::Selection(selection) => Ok(Case::of(&selection.incidents())),
        Found::Nothing(0) => {
            stream::note("no incident was found there");
            Err(Exit::Nothing)
        }
        Found::Nothing(last) => Err(usage(format!(
            "--for {wanted}: neither a number from 1 to {last}, nor an incident's id, nor a part of a group's signature there; \
             `crashsift analyze` lists them"
        ))),
    }
}

impl Case {
    fn of_days(days: u16) -> Self {
        Self { span: Span::Days(days), ..Self::default() }
    }

    /// The case of some incidents: their program, where they are of one, and their time.
    fn of(incidents: &[&Judged]) -> Self {
        let processes = || incidents.iter().filter_map(|judged| judged.incident.process.as_ref());
        let programs: BTreeSet<String> =
            processes().filter_map(|process| process.name.as_deref()).map(str::to_lowercase).collect();
        let of_one = programs.len() == 1 && processes().count() == incidents.len();
        let first = processes().next().filter(|_| of_one);
        let times = || incidents.iter().filter_map(|judged| judged.incident.time);
        let span = times().min().zip(times().max()).and_then(|(first, last)| {
            Some(Span::Times(first.checked_sub(BEFORE).ok()?, last.checked_add(AFTER).ok()?))
        });
        Self {
            program: first.and_then(|process| process.name.as_deref()).map(str::to_owned),
            path: first.and_then(|process| process.path.as_deref()).map(str::to_owned),
            span: span.unwrap_or_default(),
            memory_dumps: false,
        }
    }

    fn powershell(&self) -> String {
        let quoted = |text: Option<&String>| quoted::powershell(text.map_or("", String::as_str));
        let mut script = format!("# Made by crashsift {}.\nparam([switch]$NoWait)\n\n", env!("CARGO_PKG_VERSION"));
        let mut set = |name: &str, value: String| {
            // Writing to a string does not fail.
            let _ = writeln!(script, "${name} = {value}");
        };
        set("Program", quoted(self.program.as_ref()));
        set("ProgramPath", quoted(self.path.as_ref()));
        match self.span {
            Span::Days(days) => {
                set("Until", "(Get-Date).ToUniversalTime()".to_owned());
                set("From", format!("$Until.AddDays(-{days})"));
            }
            Span::Times(from, until) => {
                let parsed = |time| format!("([datetime]'{time:.0}').ToUniversalTime()");
                set("From", parsed(from));
                set("Until", parsed(until));
            }
        }
        set("MemoryDumps", if self.memory_dumps { "$true" } else { "$false" }.to_owned());
        let list = |texts: Vec<String>| {
            let texts: Vec<String> = texts.iter().map(|text| format!("    {}", quoted::powershell(text))).collect();
            format!("@(\n{}\n)", texts.join(",\n"))
        };
        set("Channels", list(CHANNELS.map(str::to_owned).to_vec()));
        set("Providers", list(filters()));
        script + POWERSHELL
    }

    fn batch(&self) -> String {
        let mut script = format!(
            "@echo off\nsetlocal DisableDelayedExpansion\nrem Made by crashsift {}.\n",
            env!("CARGO_PKG_VERSION")
        );
        let program = self.program.as_deref();
        if program.is_some_and(|program| quoted::batch(program).is_none()) {
            script.push_str(
                "rem The program's name has characters that a batch file cannot hold: all programs are collected.\n",
            );
        }
        // Robocopy takes an age in days, or a date.
        let (times, since) = match self.span {
            Span::Days(days) => {
                (format!("timediff(@SystemTime)<={}", u64::from(days).saturating_mul(86_400_000)), days.to_string())
            }
            Span::Times(from, until) => (
                format!("@SystemTime>='{from:.3}' and @SystemTime<='{until:.3}'"),
                from.to_string().get(..10).unwrap_or_default().replace('-', ""),
            ),
        };
        let providers: Vec<String> = FEW_PROVIDERS.iter().map(|name| format!("@Name='{name}'")).collect();
        let channels: Vec<String> = CHANNELS.iter().map(|channel| format!("\"{channel}\"")).collect();
        let mut set = |name: &str, value: &str| {
            let _ = writeln!(script, "set \"{name}={value}\"");
        };
        set("PROGRAM", program.and_then(quoted::batch).unwrap_or_default());
        set("TIMES", &format!("TimeCreated[{times}]"));
        set("SINCE", &since);
        set("MEMORYDUMPS", if self.memory_dumps { "1" } else { "" });
        set("PROVIDERS", &providers.join(" or "));
        let _ = writeln!(script, "set CHANNELS={}", channels.join(" "));
        script + BATCH
    }
}

/// The conditions for the providers whose events are read, a few in each.
fn filters() -> Vec<String> {
    let names: BTreeSet<&str> = catalogue::provider_names().map(|(_, provider)| provider).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let filter = |names: &[&str]| names.iter().map(|name| format!("@Name='{name}'")).collect::<Vec<_>>().join(" or ");
    names.chunks(PROVIDERS_A_FILTER).map(filter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_providers_need_no_quoting_in_queries() {
        let odd: Vec<String> =
            filters().into_iter().filter(|filter| filter.contains(['"', '&', '<', '>', '\n', '\\'])).collect();
        assert_eq!(odd, [""; 0]);
        assert!(filters().iter().all(|filter| filter.matches('\'').count() <= PROVIDERS_A_FILTER.saturating_mul(2)));
        assert!(filters().len() > 3 && filters().iter().any(|filter| filter.contains("'Application Error'")));
    }
}
