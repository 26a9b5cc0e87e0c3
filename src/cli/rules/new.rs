//! `crashsift rules new`: drafts a rule for incidents from their evidence.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ArgGroup;

use crate::cli::id_prefix::{self, Named};
use crate::cli::lost::note_lost;
use crate::cli::redaction::{self, Redaction};
use crate::cli::rules::load_rules;
use crate::cli::stream::usage;
use crate::cli::{Exit, reports, sigma, stream, symbols};
use facts::FactSet;
use pipeline::{Options, inspect_and_analyze};
use report::inspected::Inspected;
use report::model::Group;
use report::{Judged, Report};
use rules::{Cause, RuleSet, closest};
use rules_workbench::draft::{Decided, Draft, Material, Subject, draft};
use untrusted::reason;
use untrusted::sanitise;

/// The area of a drafted rule where neither `--id` nor the folder names one.
const OWN: &str = "own";
/// The name under which `rules schema` is kept beside rules, as docs/editors.md has it.
const SCHEMA: &str = "rules.schema.json";
/// How many folders above a rule are searched for its schema: those of the area, the rule set and what holds it.
const SCHEMA_LEVELS: usize = 4;
/// The most groups that are listed where it is not clear which one is meant.
const NAMED: usize = 20;

/// Arguments of `rules new`.
#[derive(Debug, Clone, clap::Args)]
#[command(group(ArgGroup::new("artifacts").args(["paths", "from"]).required(true).multiple(true)))]
pub struct NewArgs {
    /// Artifact, folder, or report that `analyze --mergeable -f json` has written (repeatable)
    #[arg(long, value_name = "PATH")]
    from: Vec<PathBuf>,

    /// The same, as for other commands
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The incident, where there are several: its id, or the beginning of it
    #[arg(long, value_name = "ID", conflicts_with = "group")]
    incident: Option<String>,

    /// All incidents with this coarse signature, or its beginning: the rule asks for what all of them have. Without
    /// SIGNATURE, lists the groups
    #[arg(long, value_name = "SIGNATURE")]
    group: Option<Option<String>>,

    /// The rule's id; without it, one is made of the folder's name and of what the rule asks for
    #[arg(long, value_name = "AREA/NAME")]
    id: Option<String>,

    /// The cause that the rule names, if you know it
    #[arg(long, value_name = "CAUSE")]
    cause: Option<String>,

    /// Write the rule to FILE instead of standard output; a file that is there already is left alone
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Rule file or folder that is used already, beside the built-in rules (repeatable). `sigma:PATH` is a file or
    /// folder of Sigma rules: what they match in event logs is evidence that the rule can ask for
    #[arg(short = 'r', long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// As for `analyze`
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,

    #[command(flatten)]
    redaction: Redaction,
}

/// Drafts a rule, or lists the groups of incidents.
pub fn run(arguments: &NewArgs) -> Result<Exit, Exit> {
    let (own, sigma) = sigma::split(&arguments.rules);
    let rules = load_rules(true, &own, false)?;
    let decided = decided(arguments, &rules).map_err(usage)?;
    if arguments.group == Some(None) && arguments.output.is_some() {
        return Err(usage("--group without SIGNATURE lists the groups, and no rule is written to --output; name one"));
    }
    if let Some(path) = &arguments.output
        && path.symlink_metadata().is_ok()
    {
        return Err(usage(format!("--output {}: there is a file already; name another one", path.display())));
    }
    let from: Vec<PathBuf> = arguments.from.iter().chain(&arguments.paths).cloned().collect();
    let (paths, before) = reports::split(&from)?;
    let (symbols, sigma) = (symbols::open(&arguments.symbols)?, sigma::load(&sigma, false)?);
    let redaction = arguments.redaction.key()?;
    let options = Options { symbols, sigma, before, redaction, ..Options::default() };
    let (inspected, report) = inspect_and_analyze(&paths, &rules, &options);
    redaction::save(options.redaction.as_ref())?;
    symbols::print_notes(options.symbols.as_deref());
    note_lost(&from, &report.artifacts, &mut stream::Notes::new(false));
    if report.incidents.is_empty() {
        stream::note("no incident was found there");
        return Ok(Exit::Nothing);
    }
    if arguments.group == Some(None) {
        return Ok(list_groups(&report));
    }
    let wanted = wanted(arguments, &report).map_err(|error| note_selection_error(&error, &report))?;
    let draft = drafted(&wanted, &inspected, &report, &decided, &rules).ok_or_else(|| {
        usage(
            "a rule could ask for nothing there but for what kind of incident it is; give a dump, a log, or the text that \
             the program printed, too",
        )
    })?;
    let Some(path) = &arguments.output else {
        return Ok(stream::print(|out| out.write_all(draft.yaml.as_bytes())));
    };
    if let Err(error) = write_new(path, &format!("{}{}", schema_line(path), draft.yaml)) {
        stream::note(&format!("--output {}: {}", path.display(), reason(&error)));
        return Ok(stream::not_written(&error));
    }
    stream::note(&format!(
        "{}: rule {} with {} selections and {} tests; yours to decide: {}",
        path.display(),
        draft.id,
        draft.selections,
        draft.tests,
        draft.to_decide.join(", ")
    ));
    if let Some(folder) = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy())
        && folder != decided.area
    {
        stream::note(&format!(
            "in a rule set, it belongs into a folder that is called {}, as its area is",
            decided.area
        ));
    }
    Ok(Exit::Success)
}

/// The parts of the rule that the command line decides: area, name, cause.
fn decided(arguments: &NewArgs, rules: &RuleSet) -> Result<Decided, String> {
    if let Some(cause) = &arguments.cause
        && rules.causes().get(cause).is_none()
    {
        let causes = || rules.causes().iter().map(|cause: &Cause| cause.id.as_str());
        return Err(match closest(cause, causes()) {
            Some(close) => format!("there is no cause {cause}; did you mean {close}?"),
            None => format!("there is no cause {cause}; `crashsift rules causes` prints all, with what they mean"),
        });
    }
    let cause = arguments.cause.clone();
    if let Some(id) = &arguments.id {
        let Some((area, name)) = id.split_once('/').filter(|(area, name)| is_part(area) && is_part(name)) else {
            return Err(format!(
                "{id} is not a rule id; one is AREA/NAME in lower case, such as memory/stack-overflow"
            ));
        };
        if rules.rule(id).is_some() {
            return Err(format!("there is a rule {id} already"));
        }
        return Ok(Decided { area: area.to_owned(), name: Some(name.to_owned()), cause });
    }
    // In a rule set, the area is the name of the folder.
    let folder = arguments.output.as_deref().and_then(Path::parent).and_then(Path::file_name);
    let area = folder.map(|name| name.to_string_lossy().into_owned()).filter(|name| is_part(name));
    Ok(Decided { area: area.unwrap_or_else(|| OWN.to_owned()), name: None, cause })
}

/// Whether a text can be the area or the name of a rule.
fn is_part(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_'))
}

/// The incidents that the rule is for.
struct Wanted<'r> {
    of: Vec<&'r Judged>,
    /// The group of all of them, if they are one.
    group: Option<&'r Group>,
}

/// Why the options do not select one incident or group.
struct SelectionError {
    message: String,
    /// The beginning of the signatures of the groups that could be meant.
    signature_prefix: String,
}

/// The incidents that `--incident` or `--group` names, or those of the only group.
fn wanted<'r>(arguments: &NewArgs, report: &'r Report) -> Result<Wanted<'r>, SelectionError> {
    let error = |message| SelectionError { message, signature_prefix: String::new() };
    if let Some(wanted) = &arguments.incident {
        return match id_prefix::find(&report.incidents, wanted, |judged| &judged.incident.id) {
            Named::One(judged) => Ok(Wanted { of: vec![judged], group: None }),
            Named::Several => Err(error(format!("several incidents have ids that begin with {wanted}"))),
            Named::Nothing => Err(error(format!("there is no incident {wanted}"))),
        };
    }
    let group = match arguments.group.as_ref().and_then(Option::as_ref) {
        Some(wanted) => match id_prefix::find(&report.groups, wanted, |group| &group.signature) {
            Named::One(group) => group,
            Named::Several => {
                let message = format!("several groups have signatures that begin with `{wanted}`");
                return Err(SelectionError { message, signature_prefix: wanted.clone() });
            }
            Named::Nothing => return Err(error(format!("there is no group `{wanted}`"))),
        },
        None => match report.groups.as_slice() {
            [group] => group,
            // An incident that only a text about others may be of is in no group.
            [] => return Ok(Wanted { of: report.incidents.iter().take(1).collect(), group: None }),
            _ => return Err(error("several groups of incidents were found; say which one is meant".to_owned())),
        },
    };
    let members = || report.incidents.iter().filter(|judged| group.incidents.contains(&judged.incident.id));
    let representative = members().filter(|judged| judged.incident.id == group.representative);
    let others = members().filter(|judged| judged.incident.id != group.representative);
    Ok(Wanted { of: representative.chain(others).collect(), group: Some(group) })
}

/// Notes the error and the groups that could be meant.
fn note_selection_error(error: &SelectionError, report: &Report) -> Exit {
    let mut groups = undetermined_first(report);
    groups.retain(|group| group.signature.starts_with(&error.signature_prefix));
    stream::note(&error.message);
    groups.iter().take(NAMED).for_each(|group| stream::note(&how_to_name(group)));
    let more = groups.len().saturating_sub(NAMED);
    if more > 0 {
        stream::note(&format!("and {more} more groups"));
    }
    Exit::Usage
}

/// The groups of a report, those without a cause first: they need a rule.
fn undetermined_first(report: &Report) -> Vec<&Group> {
    let mut groups: Vec<&Group> = report.groups.iter().collect();
    groups.sort_by_key(|group| group.cause.is_some());
    groups
}

/// A line about a group with the options that name it on the command line.
fn how_to_name(group: &Group) -> String {
    let cause = group.cause.as_deref().unwrap_or("undetermined");
    format!("--group \"{}\" ({}, {cause}; --incident {})", group.signature, group.incidents.len(), group.representative)
}

/// Prints all groups.
fn list_groups(report: &Report) -> Exit {
    let groups = undetermined_first(report);
    stream::print(|out| groups.iter().try_for_each(|group| writeln!(out, "{}", sanitise(&how_to_name(group)))))
}

fn drafted(
    wanted: &Wanted<'_>,
    inspected: &Inspected,
    report: &Report,
    decided: &Decided,
    rules: &RuleSet,
) -> Option<Draft> {
    let facts: BTreeMap<&str, &FactSet> =
        inspected.incidents.iter().map(|(incident, facts)| (incident.id.as_str(), facts)).collect();
    let is_wanted = |judged: &Judged| wanted.of.iter().any(|one| one.incident.id == judged.incident.id);
    let of: Vec<Subject<'_>> = wanted.of.iter().filter_map(|judged| subject(judged, &facts)).collect();
    let others: Vec<Subject<'_>> = report
        .incidents
        .iter()
        .filter(|judged| !is_wanted(judged))
        .filter_map(|judged| subject(judged, &facts))
        .collect();
    let over_represented = wanted.group.map(|group| group.over_represented.as_slice()).unwrap_or_default();
    let changes = wanted.group.and_then(|group| group.changes_before.as_deref()).unwrap_or_default();
    let material = Material { of: &of, others: &others, over_represented, changes, artifacts: &inspected.artifacts };
    draft(&material, decided, rules)
}

fn subject<'s>(judged: &'s Judged, facts: &BTreeMap<&str, &'s FactSet>) -> Option<Subject<'s>> {
    let facts = facts.get(judged.incident.id.as_str())?;
    Some(Subject { incident: &judged.incident, facts, findings: &judged.findings })
}

/// The first line by which editors find the schema of a rule file, where one is in a folder above it; else nothing.
fn schema_line(path: &Path) -> String {
    // What is above `..` can't be said without the file system.
    let above = path.parent().into_iter().flat_map(Path::ancestors).take_while(|folder| !folder.ends_with(".."));
    let found = above.take(SCHEMA_LEVELS).enumerate().find(|(_, folder)| folder.join(SCHEMA).is_file());
    found.map_or_else(String::new, |(levels, _)| {
        format!("# yaml-language-server: $schema={}{SCHEMA}\n", "../".repeat(levels))
    })
}

/// Writes a file that is not there yet, with the folders above it.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        // Half a rule is of no use; an error here would have the same reason as `written`.
        let _ = fs::remove_file(path);
    }
    written
}
