//! The program `crashsift`: finds the causes of Windows crashes in the files that they leave behind.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(crashsift::run_program(std::env::args_os(), None))
}
