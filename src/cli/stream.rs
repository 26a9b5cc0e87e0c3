//! Standard output and standard error: results go to the first, notes to the second.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use super::Exit;
use untrusted::{reason, sanitise};

/// Prints a note to standard error, in one line without control characters: notes name files, and files can have any
/// name. A note that can't be printed is lost and does not end the run.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "crashsift: {}", sanitise(text));
}

/// Prints a line for programs to standard error as it is; like a note, it may be lost.
pub fn line(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Notes a mistake in the command line.
pub fn usage(message: impl Display) -> Exit {
    note(&message.to_string());
    Exit::Usage
}

/// The notes of a run: printed, unless the run is quiet, and kept with its answer.
pub struct Notes {
    quiet: bool,
    /// The notes so far.
    pub printed: Vec<String>,
}

impl Notes {
    pub fn new(quiet: bool) -> Self {
        Self { quiet, printed: Vec::new() }
    }

    pub fn say(&mut self, text: String) {
        if !self.quiet {
            note(&text);
            self.printed.push(text);
        }
    }
}

/// Prints a result to standard output. A closed pipe (`| head`) is success.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut out = BufWriter::new(io::stdout().lock());
    outcome(write(&mut out).and_then(|()| out.flush()))
}

/// The exit code after a write to standard output.
pub fn outcome(result: io::Result<()>) -> Exit {
    match result {
        Ok(()) => Exit::Success,
        Err(error) if is_closed_pipe(&error) => Exit::Success,
        Err(error) => {
            note(&format!("standard output: {}", reason(&error)));
            not_written(&error)
        }
    }
}

/// The exit code where a result can't be written: an error of the system, such as a full disk, is no defect of the program.
pub fn not_written(error: &io::Error) -> Exit {
    let is_of_program = matches!(error.kind(), io::ErrorKind::Other | io::ErrorKind::InvalidData);
    if is_of_program && error.raw_os_error().is_none() { Exit::Internal } else { Exit::Usage }
}

/// Whether an error means that the other end of a pipe is closed.
fn is_closed_pipe(error: &io::Error) -> bool {
    /// winerror.h: `ERROR_PIPE_NOT_CONNECTED`, which the standard library does not count among the broken pipes.
    const PIPE_NOT_CONNECTED: i32 = 233;
    error.kind() == io::ErrorKind::BrokenPipe || (cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_has_gone_away_is_success() {
        assert_eq!(outcome(Err(io::Error::from(io::ErrorKind::BrokenPipe))), Exit::Success);
        assert_eq!(outcome(Err(io::ErrorKind::StorageFull.into())), Exit::Usage);
        assert_eq!(outcome(Err(io::Error::other("a value without JSON"))), Exit::Internal);
    }

    #[cfg(windows)]
    #[test]
    fn all_ways_in_which_windows_says_that_a_pipe_is_closed_are_success() {
        for code in [109, 232, 233] {
            assert_eq!(outcome(Err(io::Error::from_raw_os_error(code))), Exit::Success, "{code}");
        }
    }
}
