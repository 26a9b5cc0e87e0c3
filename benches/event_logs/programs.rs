//! The compared programs, and how each is started.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::wanted::KINDS;

/// A program of another project.
#[derive(Debug)]
pub struct Peer(OsString);

impl Peer {
    /// The program in the environment variable, or the one of this name on `PATH`. Prints its version: the first line
    /// with a number that the program prints with the argument `about`.
    pub fn find(variable: &str, name: &str, about: &str) -> Option<Self> {
        let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
        match Command::new(&program).arg(about).stdin(Stdio::null()).output() {
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout);
                let version = text.lines().map(str::trim).find(|line| line.contains(|c: char| c.is_ascii_digit()));
                println!("{name}: {}", version.unwrap_or("found, but tells no version"));
                Some(Self(program))
            }
            Err(error) => {
                println!("{name}: missing, and left out ({error}; {variable} can name it)");
                None
            }
        }
    }

    pub fn command(&self) -> Command {
        Command::new(&self.0)
    }
}

/// `crashsift analyze` over a folder with this number of threads, or its default.
pub fn analyze(folder: &Path, threads: Option<usize>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crashsift"));
    command.args(["analyze", "-q", "--no-progress", "-f", "json"]);
    if let Some(threads) = threads {
        command.args(["-j", &threads.to_string()]);
    }
    command.arg(folder);
    command
}

/// `evtx_dump` of one log to JSON Lines.
pub fn evtx_dump(peer: &Peer, log: &Path, threads: usize) -> Command {
    let mut command = peer.command();
    command.args(["-t", &threads.to_string(), "-o", "jsonl"]).arg(log);
    command
}

/// The same with one thread, and with the checksums verified.
pub fn evtx_dump_checked(peer: &Peer, log: &Path) -> Command {
    let mut command = evtx_dump(peer, log, 1);
    command.arg("--validate-checksums");
    command
}

/// `cat` of all logs.
pub fn cat(logs: &[PathBuf]) -> Command {
    let mut command = Command::new("cat");
    command.args(logs);
    command
}

/// Runs a program, which must succeed. Its output is discarded.
pub fn run(mut command: Command) -> Result<(), String> {
    finish(command.stdout(Stdio::null()))
}

/// Runs a program, which must succeed, and gives its output.
pub fn run_into(mut command: Command, output: &Path) -> Result<(), String> {
    let file = File::create(output).map_err(|error| error.to_string())?;
    finish(command.stdout(file))
}

fn finish(command: &mut Command) -> Result<(), String> {
    let status = command.stdin(Stdio::null()).stderr(Stdio::null()).status();
    match status.map_err(|error| error.to_string())? {
        status if status.success() => Ok(()),
        status => Err(format!("{}: {status}", command.get_program().to_string_lossy())),
    }
}

/// The patterns for `chainsaw`.
pub const CHAINSAW_SEARCH: &str = "chainsaw search -t";

/// A program that searches a folder for the wanted events.
#[derive(Debug)]
pub struct Question {
    pub name: &'static str,
    command: Command,
    /// The path of its answer.
    pub answer: PathBuf,
    /// Whether the answer is its standard output. Otherwise it writes the file itself.
    prints: bool,
}

impl Question {
    pub fn crashsift(folder: &Path, place: &Path) -> Self {
        let answer = place.join("crashsift.json");
        let mut command = analyze(folder, None);
        command.arg("-o").arg(&answer);
        Self { name: "crashsift analyze", command, answer, prints: false }
    }

    /// Searches by rules, which can combine provider and id.
    pub fn chainsaw_hunt(peer: &Peer, folder: &Path, place: &Path) -> Result<Self, String> {
        let mut command = peer.command();
        command.args(["--no-banner", "hunt", "-q", "--skip-errors", "--jsonl", "-r"]);
        command.arg(chainsaw_rules(place)?).arg(folder).current_dir(place);
        Ok(Self { name: "chainsaw hunt -r", command, answer: place.join("chainsaw-hunt.jsonl"), prints: true })
    }

    /// Searches by patterns, one of which must match: it reports every event that has one of the ids.
    pub fn chainsaw_search(peer: &Peer, folder: &Path, place: &Path) -> Self {
        let mut command = peer.command();
        command.args(["--no-banner", "search", "-q", "--skip-errors", "--jsonl", "--match-any"]);
        for kind in &KINDS {
            command.arg("-t").arg(match kind.event_id {
                Some(id) => format!("Event.System.EventID: ={id}"),
                None => format!("Event.System.Provider: {}", kind.provider),
            });
        }
        command.arg(folder).current_dir(place);
        Self { name: CHAINSAW_SEARCH, command, answer: place.join("chainsaw-search.jsonl"), prints: true }
    }

    /// Searches by rules. The program skips logs of channels that no rule names.
    pub fn hayabusa(peer: &Peer, config: &Path, folder: &Path, place: &Path) -> Result<Self, String> {
        let answer = place.join("hayabusa.jsonl");
        let mut command = peer.command();
        command.args(["dfir-timeline", "-q", "-w", "-N", "-Q", "-C", "-t", "jsonl", "-r"]);
        command.arg(hayabusa_rules(place)?).arg("-c").arg(config).arg("-o").arg(&answer).arg("-d").arg(folder);
        // It writes a folder `logs` where it is started.
        command.current_dir(place);
        Ok(Self { name: "hayabusa dfir-timeline", command, answer, prints: false })
    }

    pub fn ask(&self) -> Result<(), String> {
        let mut command = Command::new(self.command.get_program());
        command.args(self.command.get_args());
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        if self.prints { run_into(command, &self.answer) } else { run(command) }
    }
}

/// The rules that `CHAINSAW_RULES` names, or one of our own.
fn chainsaw_rules(place: &Path) -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("CHAINSAW_RULES") {
        return Ok(given.into());
    }
    let mut rule = String::from(
        "title: Crash evidence\n\
         group: Crash evidence\n\
         description: Records of crashes, restarts and hardware errors.\n\
         authors: [crashsift]\n\
         kind: evtx\n\
         level: info\n\
         status: stable\n\
         timestamp: Event.System.TimeCreated\n\
         fields:\n  \
           - name: Event ID\n    \
             to: Event.System.EventID\n  \
           - name: Record ID\n    \
             to: Event.System.EventRecordID\n\
         filter:\n",
    );
    let names: Vec<String> = (0..KINDS.len()).map(|number| format!("event{number}")).collect();
    rule.push_str(&format!("  condition: {}\n", names.join(" or ")));
    for (name, kind) in names.iter().zip(&KINDS) {
        rule.push_str(&format!("  {name}:\n    Event.System.Provider: {}\n", kind.provider));
        if let Some(id) = kind.event_id {
            rule.push_str(&format!("    Event.System.EventID: {id}\n"));
        }
    }
    let path = place.join("chainsaw-rule.yml");
    fs::write(&path, rule).map_err(|error| error.to_string())?;
    Ok(path)
}

/// The rules that `HAYABUSA_RULES` names, or one of our own for each kind of event.
fn hayabusa_rules(place: &Path) -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("HAYABUSA_RULES") {
        return Ok(given.into());
    }
    let folder = place.join("hayabusa-rules");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for (number, kind) in KINDS.iter().enumerate() {
        let id = kind.event_id.map(|id| format!("        EventID: {id}\n")).unwrap_or_default();
        let rule = format!(
            "title: Crash evidence of {provider}\n\
             id: 5f0c3a52-6b1e-4c39-9d0e-{number:012}\n\
             author: crashsift\n\
             date: 2024-01-01\n\
             level: informational\n\
             status: stable\n\
             logsource:\n    \
                 product: windows\n\
             detection:\n    \
                 selection:\n        \
                     Channel: {channel}\n        \
                     Provider_Name: {provider}\n\
             {id}    \
                 condition: selection\n\
             ruletype: Hayabusa\n",
            provider = kind.provider,
            channel = kind.channel,
        );
        fs::write(folder.join(format!("{number}.yml")), rule).map_err(|error| error.to_string())?;
    }
    Ok(folder)
}
