//! `crashsift config`: the settings in force, and where each comes from.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Command;

use super::place::Analyzed;
use super::{Exit, KEYS, OF_COMMAND, Settings, stream, unused_variables};
use untrusted::sanitise;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The files and folders of the run that is meant: settings are never taken from these.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments, program: &Command) -> Result<Exit, Exit> {
    let settings = Settings::read(&Analyzed::paths(arguments.paths.iter()), program)?;
    let of = program.find_subcommand(OF_COMMAND).ok_or(Exit::Internal)?;
    let mut chosen = settings.in_force(of, |_| false)?;
    chosen.sort_by_key(|one| one.key);
    Ok(stream::print(|out| {
        for file in &settings.files {
            comment(out, &format!("read: {}", file.display()))?;
        }
        for refused in &settings.refused {
            comment(out, refused)?;
        }
        for note in unused_variables(program) {
            comment(out, &note)?;
        }
        for one in &chosen {
            writeln!(out, "{} = {}  # {}", one.key, sanitise(&one.value), sanitise(&one.origin.to_string()))?;
        }
        let unset: Vec<&str> = KEYS.into_iter().filter(|key| !chosen.iter().any(|one| one.key == *key)).collect();
        comment(out, &format!("not set: {}", unset.join(", ")))
    }))
}

fn comment(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out, "# {}", sanitise(text))
}
