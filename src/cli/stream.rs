//! Standard output and standard error: results go to the first, notes to the second.

use std::io::{self, BufWriter, Write};

use super::Exit;

/// Prints a note to standard error. Notes never end a run: when nobody listens, they are lost.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "crashsift: {text}");
}

/// Prints a result to standard output. A reader that has gone away (`| head`) is success.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut out = BufWriter::new(io::stdout().lock());
    outcome(write(&mut out).and_then(|()| out.flush()))
}

/// What a finished write to standard output means.
pub fn outcome(result: io::Result<()>) -> Exit {
    match result {
        Ok(()) => Exit::Success,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => {
            note(&format!("standard output: {error}"));
            Exit::Internal
        }
    }
}
