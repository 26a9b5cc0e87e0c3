//! The program `crashsift`: finds the causes of Windows crashes in the files that they leave behind.

use std::process::ExitCode;

fn main() -> ExitCode {
    let exit = crashsift::run_program(std::env::args_os(), None);
    keep_window_open();
    ExitCode::from(exit)
}

/// Waits for the Enter key where the program was started by Explorer, for example with a dropped folder: its window closes with
/// it.
#[cfg(windows)]
fn keep_window_open() {
    if mousetrap::started_by_explorer() {
        eprintln!("\nPress Enter to close this window.");
        // Where nothing can be read, there is no window to keep.
        let _ = std::io::stdin().read_line(&mut String::new());
    }
}

#[cfg(not(windows))]
fn keep_window_open() {}
