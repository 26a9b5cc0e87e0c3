//! `crashsift`: point it at a folder of Windows crash evidence, get causes.

use std::process::ExitCode;

fn main() -> ExitCode {
    crashsift::cli::run(std::env::args_os()).into()
}
