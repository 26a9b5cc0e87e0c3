//! Settings: what options are where the command line does not name them. They come from the user's file, the project's file and
//! environment variables, the later before the earlier, and are read by the same rules as the options themselves.

mod file;
mod place;
mod print;
mod setting;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use spanned_yaml::closest;

pub use self::place::user_folder;
use self::place::{Analyzed, Places};
pub use self::print::{Arguments, run};
use self::setting::{Setting, arg_of};
use super::stream::usage;
use super::{Exit, stream};

/// The options of which settings can be made. Each is an option of `analyze`. `host` is none: it excludes `redact`, and a setting
/// must not take that back.
const KEYS: [&str; 29] = [
    "baseline",
    "by-folder",
    "cache",
    "cause",
    "color",
    "csv-bom",
    "exclude",
    "fail-on",
    "format",
    "full",
    "jobs",
    "local-time",
    "mergeable",
    "min-confidence",
    "module",
    "no-builtin-rules",
    "no-progress",
    "no-stack-walk",
    "password-file",
    "process",
    "quiet",
    "redact",
    "rules",
    "since",
    "strict",
    "summary",
    "symbols",
    "threads",
    "until",
];

/// The command whose options the keys are.
const OF_COMMAND: &str = "analyze";
/// The commands that use settings, as far as they have the options.
const WITH_SETTINGS: [&str; 3] = [OF_COMMAND, "merge", "watch"];

/// All settings, those that count most first: variables, the project's file, the user's file.
struct Settings {
    layers: Vec<Vec<Setting>>,
    /// The files that were read.
    files: Vec<PathBuf>,
    /// Files that were found and not read, with the reasons.
    refused: Vec<String>,
}

impl Settings {
    /// Reads all settings for a run on these paths. A mistake in one ends the command.
    fn read(analyzed: &Analyzed, program: &Command) -> Result<Self, Exit> {
        let of = program.find_subcommand(OF_COMMAND).ok_or(Exit::Internal)?;
        let Places { files, refused } = place::places(analyzed).map_err(usage)?;
        let mut layers = vec![setting::of_environment(of).map_err(usage)?];
        for path in files.iter().rev() {
            layers.push(file::read(path, of).map_err(usage)?);
        }
        Ok(Self { layers, files, refused })
    }

    /// The settings that are in force where `given` says which options the command line names. An option that excludes
    /// another one, such as `--full` and `--format`, also leaves out settings of the other one that count less.
    fn in_force<'s>(&'s self, command: &Command, given: impl Fn(&str) -> bool) -> Result<Vec<&'s Setting>, Exit> {
        let mut named: Vec<&str> = KEYS.into_iter().filter(|key| given(key)).collect();
        let mut chosen = Vec::new();
        for layer in &self.layers {
            let before = named.clone();
            let usable = layer.iter().filter(|one| arg_of(command, one.key).is_some() && !before.contains(&one.key));
            let usable = usable.filter(|one| !before.iter().any(|other| setting::exclude(command, one.key, other)));
            for one in usable {
                let other = named.iter().filter(|key| !before.contains(key));
                if let Some(other) = other.into_iter().find(|other| setting::exclude(command, one.key, other)) {
                    return Err(usage(format!("{}: `{}` can't be set together with `{other}`", one.origin, one.key)));
                }
                named.push(one.key);
                chosen.push(one);
            }
        }
        Ok(chosen)
    }
}

/// Adds to the arguments the options that settings name and the command line does not, and notes which. `Err` after a mistake
/// in settings was noted.
pub fn with_settings(mut arguments: Vec<OsString>, program: &Command) -> Result<Vec<OsString>, Exit> {
    // Wrong arguments are reported where they are used.
    let Ok(matches) = program.clone().try_get_matches_from(&arguments) else { return Ok(arguments) };
    let Some((name, given)) = matches.subcommand().filter(|(name, _)| WITH_SETTINGS.contains(name)) else {
        return Ok(arguments);
    };
    let Some(command) = program.find_subcommand(name) else { return Ok(arguments) };
    let settings = Settings::read(&Analyzed::of(given), program)?;
    // The ending of an output names its format.
    let outputs = given.try_get_many::<PathBuf>("output").ok().flatten();
    let has_ending = outputs.is_some_and(|mut paths| paths.any(|path| path.extension().is_some()));
    let is_given = |key: &str| (key == "format" && has_ending) || is_given(command, given, key);
    let chosen = settings.in_force(command, is_given)?;
    // Not where a quiet run is meant: `quiet = false` is no option.
    if !is_given("quiet") && !chosen.iter().any(|one| one.key == "quiet" && !one.options.is_empty()) {
        settings.refused.iter().chain(&unused_variables(program)).for_each(|note| stream::note(note));
        if !chosen.is_empty() {
            let named: Vec<String> = chosen.iter().map(|one| format!("{} ({})", one.key, one.origin)).collect();
            stream::note(&format!("settings in force: {}", named.join(", ")));
        }
    }
    let behind =
        arguments.iter().position(|argument| argument == name).map_or(arguments.len(), |at| at.saturating_add(1));
    arguments.splice(behind..behind, chosen.into_iter().flat_map(|one| one.options.clone()));
    Ok(arguments)
}

/// Notes on environment variables that look like settings and are none, in the order of their names.
fn unused_variables(program: &Command) -> Vec<String> {
    let options = program.find_subcommand(OF_COMMAND).into_iter().flat_map(Command::get_arguments);
    let options: Vec<(String, &str)> =
        options.filter_map(|arg| arg.get_long()).map(|name| (setting::variable(name), name)).collect();
    let known: Vec<String> = KEYS.into_iter().map(setting::variable).collect();
    let tails = || known.iter().filter_map(|name| name.strip_prefix(setting::VARIABLE));
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut notes: Vec<String> = names
        .filter(|name| !known.contains(name))
        .filter_map(|name| {
            if let Some((_, option)) = options.iter().find(|(variable, _)| *variable == name) {
                let is_setting = *option == setting::NO_VARIABLE;
                return (!is_setting).then(|| format!("{name} is not used: `{option}` is no setting"));
            }
            let close = closest(name.strip_prefix(setting::VARIABLE)?, tails())?;
            Some(format!("{name} is not used: did you mean {}{close}?", setting::VARIABLE))
        })
        .collect();
    notes.sort();
    notes
}

fn is_given(command: &Command, given: &ArgMatches, key: &str) -> bool {
    let arg = arg_of(command, key);
    arg.is_some_and(|arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine))
}
