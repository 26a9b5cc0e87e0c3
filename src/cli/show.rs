//! `crashsift show`: one incident or group in full.

use std::path::PathBuf;

use super::color::Color;
use super::judging::Judging;
use super::lost::note_lost;
use super::output::{self, Look};
use super::stream::{self, Notes, usage};
use super::{Exit, redaction, symbols};
use pipeline::{Silent, analyze};
use report::screen::{self, Found};
use report::text::TextOptions;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A number of the report, an incident's id or the beginning of it, or a part of a group's signature.
    #[arg(value_name = "N|ID|SIGNATURE")]
    what: String,

    /// Files and folders, as for `analyze`, and reports that `analyze --mergeable` has written.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    judging: Judging,

    /// Colours in the text.
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let rules = arguments.judging.rules()?;
    let (paths, options) = arguments.judging.options(&arguments.paths)?;
    let report = analyze(&paths, &rules, &options, &Silent);
    redaction::save(options.redaction.as_ref())?;
    symbols::print_notes(options.symbols.as_deref());
    note_lost(&arguments.paths, &report.artifacts, &mut Notes::new(false));
    let what = &arguments.what;
    let selection = match screen::find(&report, what) {
        Found::Selection(selection) => selection,
        Found::Nothing(0) => {
            stream::note("no incident was found there");
            return Ok(Exit::Nothing);
        }
        Found::Nothing(last) => {
            return Err(usage(format!(
                "{what}: neither a number from 1 to {last}, nor an incident's id, nor a part of a group's signature there; \
                 `crashsift analyze` lists them"
            )));
        }
    };
    let look = Look { color: arguments.color, verbose: false, text: true, width: TextOptions::default().width };
    Ok(output::deliver(None, look, |out, options| selection.write(out, options)))
}
