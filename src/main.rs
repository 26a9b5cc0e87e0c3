//! The program `crashsift`: finds the causes of Windows crashes in the files that they leave behind.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod cli;

use std::process::ExitCode;
use std::thread;

use cli::Exit;

/// Stack of the working thread, bytes. Readers recurse as deep as their formats nest, and the main thread of a Windows
/// program has only 1 MiB.
const STACK: usize = 8 << 20;

/// The environment variable for the log on standard error: `info`, `debug`, or a filter such as `pipeline=debug`.
const LOG: &str = "CRASHSIFT_LOG";

fn main() -> ExitCode {
    if std::env::var_os(LOG).is_some() {
        env_logger::Builder::from_env(env_logger::Env::new().filter(LOG)).format_timestamp_millis().init();
    }
    let run = || cli::run(std::env::args_os());
    let exit = match thread::Builder::new().stack_size(STACK).spawn(run) {
        // The panic hook has noted the panic.
        Ok(worker) => worker.join().unwrap_or(Exit::Internal),
        // Without another thread, this one does the work.
        Err(_) => run(),
    };
    keep_window_open();
    exit.into()
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
