//! Where results go: standard output, or `--output FILE`, which is written whole or not at all.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::color::Color;
use super::{Exit, stream};
use evidence::ArtifactKind;
use incident::Incident;
use pipeline::discover::{first_bytes, is_own_report, sniff};
use report::text::TextOptions;
use untrusted::reason;
use whole_file::{Readers, WholeFile};

/// The formats of the commands with two of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// The options for the look of a result.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// When colours are used.
    pub color: Color,
    /// Whether nothing is left out.
    pub verbose: bool,
    /// Whether the result is text; else nothing is changed for a terminal.
    pub text: bool,
    /// Columns where the result does not go to a terminal.
    pub width: usize,
}

impl Look {
    /// By the options of a command; `verbose` is the number of `-v`.
    pub fn of(format: Format, color: Color, verbose: u8) -> Self {
        Self { color, verbose: verbose > 0, text: format == Format::Text, width: TextOptions::default().width }
    }

    /// Width, colours and length of a text in `file`, or on standard output.
    pub fn options(self, file: Option<&Path>) -> TextOptions {
        let (terminal, color) = match file {
            Some(_) => (false, self.color == Color::Always),
            None => (io::stdout().is_terminal(), self.color.choice() != anstream::ColorChoice::Never),
        };
        let width = if terminal { textwrap::termwidth() } else { self.width };
        TextOptions { width, color, verbose: self.verbose }
    }
}

/// An incident's kind, program and time, in a line of text.
pub fn what_and_when(incident: &Incident) -> String {
    let name = incident.process.as_ref().and_then(|process| process.name.as_deref());
    let of = name.map_or_else(String::new, |name| format!(" of {name}"));
    let at = incident.time.map_or_else(String::new, |time| format!(", {time:.0}"));
    format!("{}{of}{at}", incident.kind.word())
}

/// Writes a result to `file`, or to standard output.
pub fn deliver(
    file: Option<&Path>,
    look: Look,
    write: impl FnOnce(&mut dyn Write, TextOptions) -> io::Result<()>,
) -> Exit {
    let options = look.options(file);
    let Some(path) = file else {
        let mut out: Box<dyn Write> = match look.text {
            true => Box::new(anstream::AutoStream::new(io::stdout().lock(), look.color.choice())),
            false => Box::new(io::stdout().lock()),
        };
        return stream::outcome(write(&mut out, options).and_then(|()| out.flush()));
    };
    match write_file(path, |out| write(out, options)) {
        Ok(()) => Exit::Success,
        Err(error) => {
            stream::note(&format!("--output {}: {}", path.display(), reason(&error)));
            stream::not_written(&error)
        }
    }
}

/// Writes a file that gets its name when it is whole; after an error the old file is still there.
fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if is_device(path) {
        return write_whole(fs::OpenOptions::new().write(true).open(path)?, write).map(drop);
    }
    // A link stays a link: its target is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    write_whole(WholeFile::in_folder(folder, Readers::Usual)?, write)?.persist(&path)
}

/// Checks that writing the output replaces no file that is read (`inputs`: files and folders) and no artifact but a text.
/// Inside a folder that is read, only a report of this program is replaced.
///
/// # Errors
/// The message for the user, when a file would be lost.
pub fn not_lost<'p>(output: &Path, inputs: impl IntoIterator<Item = &'p PathBuf>) -> Result<(), String> {
    let Ok(place) = fs::canonicalize(output) else { return Ok(()) };
    let lost = |what: &str| Err(format!("--output {}: {what}, and would be lost; name another file", output.display()));
    if place.is_dir() {
        let mut inputs = inputs.into_iter().filter_map(|path| fs::canonicalize(path).ok());
        return if inputs.any(|input| input.starts_with(&place)) {
            lost("files that are read are in it")
        } else {
            Ok(())
        };
    }
    if !place.is_file() {
        return Ok(());
    }
    // A file that can't be read is reported when it can't be written.
    let Ok(first) = opener::open(&place).and_then(first_bytes) else { return Ok(()) };
    for input in inputs.into_iter().filter_map(|path| fs::canonicalize(path).ok()) {
        if input == place {
            return lost("it is one of the files that are read");
        }
        if place.starts_with(&input) && !first.is_empty() && !is_own_report(&first) {
            return lost("it lies in a folder that is read and is no report of crashsift");
        }
    }
    match sniff(&first) {
        ArtifactKind::Unknown | ArtifactKind::Ticket => Ok(()),
        kind => lost(&format!("it is an artifact of kind {}", kind.word())),
    }
}

/// Checks before the analysis that a file can be written at `path`.
///
/// # Errors
/// The message for the user, when it can't.
pub fn check(path: &Path) -> Result<(), String> {
    try_to_write(path).map_err(|error| format!("--output {}: {}", path.display(), reason(&error)))
}

fn try_to_write(path: &Path) -> io::Result<()> {
    if is_device(path) {
        return Ok(());
    }
    if path.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    if path == Path::new("-") {
        return Err(io::Error::other("name a file; without --output, the result goes to standard output"));
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    // The temporary file is removed at once. The error has its name, which would confuse the user.
    WholeFile::in_folder(folder, Readers::Usual).map(drop).map_err(|error| io::Error::from(error.kind()))
}

fn write_whole<F: Write>(file: F, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<F> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Whether a path is a device or a pipe (`/dev/null`), which is never replaced by a file.
#[cfg(not(windows))]
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Whether a path is a device: on Windows, these names are devices in every folder.
#[cfg(windows)]
fn is_device(path: &Path) -> bool {
    const DEVICES: [&str; 3] = ["NUL", "CON", "CONOUT$"];
    path.file_name().is_some_and(|name| DEVICES.iter().any(|device| name.eq_ignore_ascii_case(device)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_by_a_whole_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.json");
        write_file(&path, |out| out.write_all(b"first")).expect("written");
        let failed = write_file(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("readable"), b"first");
        write_file(&path, |out| out.write_all(b"second")).expect("written");
        assert_eq!(fs::read(&path).expect("readable"), b"second");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left behind");
    }

    #[test]
    fn what_can_not_be_written_is_found_out_before() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(check(&folder.path().join("report.json")).is_ok());
        assert!(check(folder.path()).is_err());
        assert!(check(&folder.path().join("missing").join("report.json")).is_err());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn what_only_its_owner_can_read_stays_so() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.json");
        fs::write(&path, b"old").expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its owner");
        write_file(&path, |out| out.write_all(b"new")).expect("written");
        assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_report_is_readable_like_any_other_new_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| fs::metadata(path).map(|about| about.permissions()).expect("the file");
        let (report, other) = (folder.path().join("report.json"), folder.path().join("other"));
        write_file(&report, |out| out.write_all(b"new")).expect("written");
        fs::write(&other, b"new").expect("written");
        assert_eq!(mode(&report), mode(&other));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("report.json"), folder.path().join("latest.json"));
        fs::write(&file, b"old").expect("a file");
        std::os::unix::fs::symlink("report.json", &link).expect("a link");
        write_file(&link, |out| out.write_all(b"new")).expect("written");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_eq!(fs::read(&file).expect("readable"), b"new");
    }

    // Only asked, not written to: where this fails, writing would have replaced the device.
    #[cfg(unix)]
    #[test]
    fn devices_are_not_files() {
        assert!(is_device(Path::new("/dev/null")));
        assert!(!is_device(Path::new("/")));
    }

    #[cfg(windows)]
    #[test]
    fn the_null_device_can_be_written_to() {
        write_file(Path::new("NUL"), |out| out.write_all(b"x")).expect("written");
        write_file(Path::new("nul"), |out| out.write_all(b"x")).expect("written");
    }
}
