//! The project's maintenance commands: `cargo xtask samples` writes the folder `samples/` and its page,
//! `cargo xtask samples --check` compares the committed files with the generated ones, `cargo xtask codes` updates the
//! table of codes in `rules/README.md`, `cargo xtask python` the types of the report for Python, `cargo xtask cases` scores the rules on labelled reports,
//! `cargo xtask leads` counts the causes of labelled reports for `rules/data/known-cases.yaml`,
//! `cargo xtask accuracy` writes how often answers are right to `docs/accuracy.md` and `rules/data/measured.yaml`,
//! `cargo xtask noise` counts the right answers that are lost among innocent circumstances, `cargo xtask sigma` compares the
//! matches of Sigma rules with those of other programs, `cargo xtask dependencies` writes `docs/dependencies.md`,
//! `cargo xtask assurance` the tables of `docs/assurance.md`, `cargo xtask fleet` makes the evidence of a fleet, and `cargo xtask
//! sbom` prints the program's bill of materials.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "this program puts samples together out of its own constants; it reads no foreign data"
)]

mod assurance;
mod cases;
mod codes;
mod dependencies;
mod fleet;
mod folder;
mod python_types;
mod sample;
mod samples;
mod sbom;
mod scene;
mod sigma;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask samples [--check]\n       cargo xtask codes\n       cargo xtask python\n       cargo xtask cases [FOLDER] [--verbose]\n       cargo xtask noise [FOLDER]\n       cargo xtask leads [--check] FOLDER|LABELS.jsonl...\n       cargo xtask accuracy [--check] FOLDER|LABELS.jsonl...\n       cargo xtask assurance [--check]\n       cargo xtask dependencies [--check]\n       cargo xtask sbom";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["samples"] => folder::write(&project_folder(), &samples::all()),
        ["samples", "--check"] => folder::check(&project_folder(), &samples::all()),
        ["codes"] => codes::write(&project_folder()),
        ["python"] => python_types::write(&project_folder()),
        ["cases", options @ ..] => match options {
            [] => cases::run(None, false),
            ["--verbose"] => cases::run(None, true),
            [folder] => cases::run(Some(folder), false),
            [folder, "--verbose"] | ["--verbose", folder] => cases::run(Some(folder), true),
            _ => Err(USAGE.to_owned()),
        },
        ["leads", "--check", sources @ ..] => cases::leads(&project_folder(), sources, true),
        ["leads", sources @ ..] => cases::leads(&project_folder(), sources, false),
        ["accuracy", "--check", sources @ ..] => cases::accuracy(&project_folder(), sources, true),
        ["accuracy", sources @ ..] => cases::accuracy(&project_folder(), sources, false),
        ["noise", folder @ ..] if folder.len() < 2 => cases::noise(folder.first().copied()),
        ["assurance"] => assurance::write(&project_folder()),
        ["assurance", "--check"] => assurance::check(&project_folder()),
        ["dependencies"] => dependencies::write(&project_folder()),
        ["dependencies", "--check"] => dependencies::check(&project_folder()),
        ["sbom"] => sbom::document(&project_folder()),
        ["sigma", arguments @ ..] => sigma::run(arguments),
        ["fleet", arguments @ ..] => fleet::make(arguments),
        _ => {
            eprintln!("{USAGE}\n       {}\n       {}", sigma::USAGE, fleet::USAGE);
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace, which is the folder above this package.
fn project_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
