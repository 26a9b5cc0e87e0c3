//! `crashsift schema`: prints the JSON Schemas of the output for programs.

use clap::ValueEnum;

use super::{Exit, stream};
use report::json::write_indented;
use report::schema;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Of what.
    #[arg(value_enum, ignore_case = true)]
    of: Of,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Of {
    /// The report of `analyze -f json` and `merge -f json`.
    Report,
    /// Each line of `-f jsonl`.
    Lines,
    /// What `compare -f json` writes.
    Comparison,
    /// What `inspect -f json` writes.
    Facts,
    /// What `rules check -f json` writes.
    Check,
}

pub fn run(arguments: &Arguments) -> Exit {
    let schema = match arguments.of {
        Of::Report => schema::report(),
        Of::Lines => schema::lines(),
        Of::Comparison => schema::comparison(),
        Of::Facts => schema::facts(),
        Of::Check => schema::check(),
    };
    stream::print(|out| write_indented(&schema, out))
}
