//! One setting: an option with its values, and where it comes from.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};

use super::KEYS;
use crate::cli::sigma;

/// The keys whose values are paths.
const PATHS: [&str; 5] = ["baseline", "cache", "password-file", "rules", "symbols"];
/// The beginning of the environment variables: `CRASHSIFT_MIN_CONFIDENCE` is the setting `min-confidence`.
pub(super) const VARIABLE: &str = "CRASHSIFT_";
/// Has no variable: `CRASHSIFT_RULES` names rules that take part beside those of `--rules`.
pub(super) const NO_VARIABLE: &str = "rules";

/// A setting.
#[derive(Debug)]
pub(super) struct Setting {
    /// The name of the option.
    pub(super) key: &'static str,
    /// The value, as it is written.
    pub(super) value: String,
    /// The same as arguments: none for a switch that is off, or an empty list.
    pub(super) options: Vec<OsString>,
    /// Where it comes from.
    pub(super) origin: Origin,
}

/// Where a setting comes from.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A file and a line in it.
    File(PathBuf, usize),
    /// An environment variable.
    Variable(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

/// The values of a setting, before it is known whether the option takes such.
pub(super) enum Given {
    Switch(bool),
    One(String),
    List(Vec<String>),
}

impl Setting {
    /// Checks the values as those of the option on the command line.
    ///
    /// # Errors
    /// The message for the user.
    pub(super) fn new(key: &'static str, given: Given, origin: Origin, of: &Command) -> Result<Self, String> {
        let arg = arg_of(of, key).ok_or_else(|| format!("{origin}: there is no option --{key}"))?;
        let values = match (arg.get_action(), given) {
            (ArgAction::SetTrue, Given::Switch(on)) => {
                let options = on.then(|| format!("--{key}").into()).into_iter().collect();
                return Ok(Self { key, value: on.to_string(), options, origin });
            }
            (ArgAction::SetTrue, _) => return Err(format!("{origin}: `{key}` is `true` or `false`")),
            (ArgAction::Append, Given::List(values)) => values,
            (_, Given::List(_)) => return Err(format!("{origin}: `{key}` has one value and no list")),
            (_, Given::Switch(on)) => vec![on.to_string()],
            (_, Given::One(value)) => vec![value],
        };
        let options: Vec<OsString> = values.iter().map(|value| option(key, value, &origin)).collect();
        // The option itself judges its values, beside any path.
        let tried = of.clone().no_binary_name(true).try_get_matches_from(options.iter().cloned().chain(["x".into()]));
        if let Err(error) = tried {
            let text = error.render().to_string();
            let mistake = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            let mistake = mistake.split_whitespace().collect::<Vec<_>>().join(" ");
            return Err(format!("{origin}: {mistake}"));
        }
        let quoted: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        let is_list = matches!(arg.get_action(), ArgAction::Append);
        let value = if is_list { format!("[{}]", quoted.join(", ")) } else { quoted.concat() };
        Ok(Self { key, value, options, origin })
    }
}

/// A value as an argument. A path in a file is below the file's folder.
fn option(key: &str, value: &str, origin: &Origin) -> OsString {
    let mut option = OsString::from(format!("--{key}="));
    match origin {
        Origin::File(file, _) if PATHS.contains(&key) => {
            let folder = file.parent().unwrap_or(Path::new(""));
            match sigma::path(Path::new(value)) {
                Some(rules) => {
                    option.push(::sigma::PREFIX);
                    option.push(folder.join(rules));
                }
                None => option.push(folder.join(value)),
            }
        }
        _ => option.push(value),
    }
    option
}

/// The option that a key names.
pub(super) fn arg_of<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(key))
}

/// Whether two options can't be used together.
pub(super) fn exclude(command: &Command, one: &str, other: &str) -> bool {
    let excludes = |one: &str, other: &str| {
        let conflicts = arg_of(command, one).map(|arg| command.get_arg_conflicts_with(arg)).unwrap_or_default();
        conflicts.iter().any(|arg| arg.get_long() == Some(other))
    };
    excludes(one, other) || excludes(other, one)
}

/// The settings that environment variables make.
///
/// # Errors
/// The message for the user.
pub(super) fn of_environment(of: &Command) -> Result<Vec<Setting>, String> {
    let mut all = Vec::new();
    for key in KEYS.into_iter().filter(|key| *key != NO_VARIABLE) {
        let name = variable(key);
        let Some(value) = env::var_os(&name) else { continue };
        let origin = Origin::Variable(name);
        let Some(text) = value.to_str() else { return Err(format!("{origin}: its value is no text")) };
        let arg = arg_of(of, key);
        let given = match (arg.map(Arg::get_action), text) {
            (Some(ArgAction::SetTrue), "true" | "1") => Given::Switch(true),
            (Some(ArgAction::SetTrue), "false" | "0" | "") => Given::Switch(false),
            (Some(ArgAction::Append), _) => Given::List(list(key, text)),
            _ => Given::One(text.to_owned()),
        };
        all.push(Setting::new(key, given, origin, of)?);
    }
    Ok(all)
}

/// The variable of a key.
pub(super) fn variable(key: &str) -> String {
    format!("{VARIABLE}{}", key.to_uppercase().replace('-', "_"))
}

/// The values of a variable: paths as in `PATH`, others with commas between them.
fn list(key: &str, text: &str) -> Vec<String> {
    let is_some = |value: &String| !value.is_empty();
    if PATHS.contains(&key) {
        env::split_paths(text).map(|path| path.to_string_lossy().into_owned()).filter(is_some).collect()
    } else {
        text.split(',').map(|value| value.trim().to_owned()).filter(is_some).collect()
    }
}
