//! Opens files that somebody else named or made: evidence, reports, rules, lists, files of the cache and symbols.
//!
//! A path may name anything: a pipe without a writer, whose opening never ends, a device without an end, a file that grows.
//! And it may name something else when it is opened than when it was looked at. So a path is looked at first, as opening a
//! device can have effects; then it is opened without waiting, and the opened handle is asked what it is. Only regular
//! files are let through, and of these at most as many bytes are read as the caller wants.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Why something that exists is not opened or not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is a folder.
    Folder,
    /// It is a pipe, a socket or a device.
    NoFile,
    /// It has more bytes than this.
    TooLarge(u64),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder => f.write_str("it is a folder"),
            Self::NoFile => f.write_str("neither a file nor a folder"),
            Self::TooLarge(most) => write!(f, "it is larger than the {} that are read", size(*most)),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::other(refusal)
    }
}

impl Refusal {
    /// The refusal that is the reason for an error.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// Opens the file at `path` for reading.
///
/// # Errors
/// When there is none, it can't be read, or it is no regular file ([`Refusal`]).
pub fn open(path: &Path) -> io::Result<File> {
    let (file, _) = open_with_metadata(path)?;
    Ok(file)
}

/// As [`open`], with what the system says of the opened file.
///
/// # Errors
/// As [`open`].
pub fn open_with_metadata(path: &Path) -> io::Result<(File, Metadata)> {
    check(&fs::metadata(path)?)?;
    let file = open_without_waiting(path)?;
    let about = file.metadata()?;
    check(&about)?;
    Ok((file, about))
}

/// All bytes of the file at `path`, which must not be more than `most`.
///
/// # Errors
/// As [`open`], when reading fails, and for a larger file, also for one that grows meanwhile.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, about) = open_with_metadata(path)?;
    if about.len() > most {
        return Err(Refusal::TooLarge(most).into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default());
    read_to_end(file, most, &mut bytes)?;
    Ok(bytes)
}

/// Reads to the end of `from`, which must not give more than `most` bytes.
///
/// # Errors
/// When reading fails, and where there is more.
pub fn read_to_end(from: impl Read, most: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = from.take(most.saturating_add(1)).read_to_end(bytes)?;
    if u64::try_from(read).is_ok_and(|read| read <= most) { Ok(()) } else { Err(Refusal::TooLarge(most).into()) }
}

/// Whether nobody but the user of this program, and the administrator, can have written a file or a folder: it belongs to
/// the user, and no others may write it. On other systems than Unix, where folders decide that for all that is in them, it is
/// taken for granted.
#[must_use]
pub fn is_of_this_user(about: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;

        /// Writing by the group and by others.
        const WRITTEN_BY_OTHERS: u32 = 0o022;
        about.uid() == nix::unistd::geteuid().as_raw() && about.mode() & WRITTEN_BY_OTHERS == 0
    }
    #[cfg(not(unix))]
    {
        let _ = about;
        true
    }
}

fn check(about: &Metadata) -> Result<(), Refusal> {
    if about.is_dir() {
        Err(Refusal::Folder)
    } else if about.is_file() {
        Ok(())
    } else {
        Err(Refusal::NoFile)
    }
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use nix::fcntl::OFlag;

    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    File::options().read(true).custom_flags(flags.bits()).open(path)
}

/// Pipes of Windows have names of their own, which are no files to begin with.
#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::options().read(true).open(path)
}

/// A number of bytes in the largest unit that it is a multiple of.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    match unit {
        Some((unit, name)) => format!("{} {name}", bytes.checked_div(unit).unwrap_or_default()),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<T: std::fmt::Debug>(opened: io::Result<T>) -> Option<Refusal> {
        Refusal::of(&opened.expect_err("refused"))
    }

    #[test]
    fn files_are_read_up_to_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, b"1234").expect("a file");
        assert_eq!(read(&path, 4).expect("readable"), b"1234");
        assert_eq!(refusal(read(&path, 3)), Some(Refusal::TooLarge(3)));
        assert_eq!(refusal(open(folder.path())), Some(Refusal::Folder));
        assert_eq!(open(&folder.path().join("b")).expect_err("missing").kind(), io::ErrorKind::NotFound);
        assert_eq!(refusal(read_to_end(io::repeat(0), 9, &mut Vec::new())), Some(Refusal::TooLarge(9)));
    }

    #[test]
    fn limits_are_shown_in_units() {
        assert_eq!(Refusal::TooLarge(4 << 20).to_string(), "it is larger than the 4 MiB that are read");
        assert_eq!(Refusal::TooLarge(1000).to_string(), "it is larger than the 1000 bytes that are read");
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_is_not_of_this_user() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let set = |mode: u32| {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("permissions");
            is_of_this_user(&fs::metadata(folder.path()).expect("a folder"))
        };
        assert!(set(0o755) && !set(0o775) && !set(0o757) && set(0o700));
        let system = fs::metadata("/").expect("a folder");
        assert_eq!(is_of_this_user(&system), nix::unistd::geteuid().is_root());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        assert_eq!(refusal(open(&pipe)), Some(Refusal::NoFile));
        assert_eq!(refusal(open(Path::new("/dev/zero"))), Some(Refusal::NoFile));
        // Also where it was a file when it was looked at.
        let opened = open_without_waiting(&pipe).expect("opened without a writer");
        assert_eq!(check(&opened.metadata().expect("known")), Err(Refusal::NoFile));
    }
}
