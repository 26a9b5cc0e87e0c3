//! `crashsift`: point it at a folder of Windows crash evidence, get causes.

mod cli;

use std::process::ExitCode;
use std::thread;

use cli::Exit;

/// Stack of the thread that does the work, bytes. Readers go as deep as their formats let them nest, and the main thread
/// of a Windows program has 1 MiB only.
const STACK: usize = 8 << 20;

/// What is logged of a run's steps to standard error: `info`, `debug`, or a filter by module such as `pipeline=debug`.
const LOG: &str = "CRASHSIFT_LOG";

fn main() -> ExitCode {
    if std::env::var_os(LOG).is_some() {
        env_logger::Builder::from_env(env_logger::Env::new().filter(LOG)).format_timestamp_millis().init();
    }
    let run = || cli::run(std::env::args_os());
    match thread::Builder::new().stack_size(STACK).spawn(run) {
        // A panic was told by the thread itself.
        Ok(worker) => worker.join().unwrap_or(Exit::Internal),
        // No thread to be had: this one must do.
        Err(_) => run(),
    }
    .into()
}
