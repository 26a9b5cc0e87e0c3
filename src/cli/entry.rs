//! What is meant by arguments that begin with no command: a path is analyzed, a code is explained.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Command;

use pipeline::discover::has_wildcard_match;
use windows_codes::texts_of;

/// Adds the command that arguments, program name included, lack. The names of commands come first: a folder of such a name is
/// meant by `./name`. Then
///
/// - `-` is a text on standard input, and `--this-pc` this computer: both are analyzed;
/// - an option of `analyze` is that (`-f json FOLDER`), unless a command follows;
/// - a negative number is a code;
/// - what exists, or has a slash, is a path;
/// - what else can be read as a code is explained.
///
/// Arguments that begin with anything else are not changed.
pub fn with_command(mut arguments: Vec<OsString>, program: &Command) -> Vec<OsString> {
    let Some(first) = arguments.get(1) else { return arguments };
    let command = match first.to_str() {
        Some(name) if is_command(program, name) => return arguments,
        Some("-") => &["analyze", "--ticket"][..],
        Some("--this-pc") => &["analyze"],
        Some(option) if option.starts_with('-') && !is_negative_number(option) => {
            if !is_analysis(&arguments, program) {
                return arguments;
            }
            // The last argument can be a code, or `-` behind something else than `--output`.
            match arguments.as_slice() {
                [.., last] if last.to_str().is_some_and(is_negative_number) => &["explain"],
                [.., before, last] if last == "-" && before != "-o" && before != "--output" => {
                    let at = arguments.len().saturating_sub(1);
                    arguments.insert(at, "--ticket".into());
                    &["analyze"]
                }
                _ => &["analyze"],
            }
        }
        Some(text) if !is_negative_number(text) && is_path(text) => &["analyze"],
        // A code can be of several words: `WinError 126`.
        Some(_) if has_code(arguments.get(1..).unwrap_or_default()) => &["explain"],
        Some(_) => return arguments,
        // What is no text is no code either.
        None => &["analyze"],
    };
    arguments.splice(1..1, command.iter().map(OsString::from));
    arguments
}

fn is_command(program: &Command, name: &str) -> bool {
    name == "help" || program.find_subcommand(name).is_some()
}

/// Whether arguments begin with an option that only `analyze` has, and none of them is a command.
fn is_analysis(arguments: &[OsString], program: &Command) -> bool {
    let mut texts = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let has = |command: &Command, option: &str| {
        let long = option.strip_prefix("--").map(|name| name.split('=').next().unwrap_or(name));
        let short = option.strip_prefix('-').and_then(|names| names.chars().next());
        command.get_arguments().any(|arg| match long {
            Some(long) => arg.get_long() == Some(long),
            None => short.is_some() && arg.get_short() == short,
        })
    };
    let analyze = program.find_subcommand("analyze");
    let is_own = |option| analyze.is_some_and(|analyze| has(analyze, option)) && !has(program, option);
    texts.clone().next().is_some_and(is_own) && !texts.any(|text| is_command(program, text))
}

fn is_negative_number(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_path(text: &str) -> bool {
    let has_separator = text.contains('/') || (cfg!(windows) && text.contains('\\'));
    has_separator || Path::new(text).exists() || has_wildcard_match(Path::new(text))
}

/// Whether the arguments before the first option have a code.
fn has_code(arguments: &[OsString]) -> bool {
    let is_text =
        |argument: &&OsString| argument.to_str().is_some_and(|text| !text.starts_with('-') || is_negative_number(text));
    let words: Vec<String> =
        arguments.iter().take_while(is_text).filter_map(|word| OsStr::to_str(word).map(str::to_owned)).collect();
    texts_of(&words).iter().any(|text| windows_codes::explain(text).is_ok())
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn paths_are_analyzed_and_codes_explained() {
        let analyze =
            Command::new("analyze").args([Arg::new("format").short('f').long("format"), Arg::new("q").short('q')]);
        let program = Command::new("crashsift").subcommands([analyze, Command::new("rules"), Command::new("explain")]);
        let completed = |text: &str| {
            let given = ["crashsift"].into_iter().chain(text.split(' ').filter(|word| !word.is_empty()));
            let all = with_command(given.map(OsString::from).collect(), &program);
            let all: Vec<String> = all.into_iter().skip(1).filter_map(|word| word.into_string().ok()).collect();
            all.join(" ")
        };
        // Unit tests run in the project's folder, which has a folder `rules`.
        for (given, expected) in [
            ("", ""),
            ("rules list", "rules list"),
            ("./rules -q", "analyze ./rules -q"),
            ("samples -f json", "analyze samples -f json"),
            ("samples rules", "analyze samples rules"),
            ("no/such/folder", "analyze no/such/folder"),
            ("-1073740791", "explain -1073740791"),
            ("0xC0000409 -v", "explain 0xC0000409 -v"),
            ("WinError 126", "explain WinError 126"),
            ("VIDEO_TDR_FAILURE", "explain VIDEO_TDR_FAILURE"),
            ("-", "analyze --ticket -"),
            ("- -f json", "analyze --ticket - -f json"),
            ("--this-pc -q", "analyze --this-pc -q"),
            ("-f json samples", "analyze -f json samples"),
            ("-f json ./rules samples", "analyze -f json ./rules samples"),
            ("-f json rules", "-f json rules"),
            ("--format=jsn no-such", "analyze --format=jsn no-such"),
            ("-qf json --this-pc", "analyze -qf json --this-pc"),
            ("-f json -", "analyze -f json --ticket -"),
            ("-f json samples -o -", "analyze -f json samples -o -"),
            ("-f json -1073740791", "explain -f json -1073740791"),
            ("-", "analyze --ticket -"),
            ("--formt json samples", "--formt json samples"),
            ("-x samples", "-x samples"),
            ("--help", "--help"),
            ("-V", "-V"),
            ("help", "help"),
            ("analyse samples", "analyse samples"),
            ("no-such-folder", "no-such-folder"),
        ] {
            assert_eq!(completed(given), expected, "{given}");
        }
    }
}
