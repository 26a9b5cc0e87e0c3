//! Files, and folders of files, that get their name when they are whole.
//!
//! A run may be interrupted, the disk may be full, the computer may lose power: what has a file's name then is the file that
//! was there before. On Linux, a file that is being written has no name at all, so that nothing of it is left behind however
//! the run ends; elsewhere, and on file systems without such files, it has a temporary name. Until it is whole, only its owner
//! can read it.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, TempDir, TempPath};

/// The beginning of temporary names.
pub const PREFIX: &str = ".crashsift-";

/// Who can read a file that is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Those of the file that it replaces; else those of any new file: on Unix all but the umask, on Windows those of the
    /// folder.
    Usual,
    /// On Unix its owner; elsewhere those of the folder.
    Owner,
}

/// A file that is being written.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    /// Its temporary name, where it has one.
    name: Option<TempPath>,
    /// What it gets when it is whole.
    permissions: Permissions,
    readers: Readers,
}

impl WholeFile {
    /// A new file in `folder`, in which it will get its name.
    ///
    /// # Errors
    /// When it can't be created.
    pub fn in_folder(folder: &Path, readers: Readers) -> io::Result<Self> {
        let (file, name) = match without_name(folder) {
            Some(file) => (file, None),
            None => {
                let (file, name) = with_temporary_name(0o666).tempfile_in(folder)?.into_parts();
                (file, Some(name))
            }
        };
        let permissions = file.metadata()?.permissions();
        let file = Self { file, name, permissions, readers };
        file.set_permissions(owners(&file.permissions))?;
        Ok(file)
    }

    /// Gives the file its name, and replaces the file that has it. `path` is in the folder of the file.
    ///
    /// # Errors
    /// When the name can't be given; the file that was there before is there then.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        if self.readers == Readers::Usual {
            let before = fs::metadata(path).map(|about| about.permissions());
            self.set_permissions(before.unwrap_or_else(|_| self.permissions.clone()))?;
        }
        match self.name {
            Some(name) => name.persist(path).map_err(|error| error.error),
            None => give_name(&self.file, path),
        }
    }

    /// The file, for more than writing to its end.
    pub fn as_file(&mut self) -> &mut File {
        &mut self.file
    }

    fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        if cfg!(unix) { self.file.set_permissions(permissions) } else { Ok(()) }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A folder that is being filled, beside the place that it will have.
#[derive(Debug)]
pub struct WholeFolder {
    folder: TempDir,
    /// What it gets when it is whole.
    permissions: Permissions,
}

impl WholeFolder {
    /// A new folder in `parent`, in which it will get its name.
    ///
    /// # Errors
    /// When it can't be created.
    pub fn in_folder(parent: &Path) -> io::Result<Self> {
        let folder = with_temporary_name(0o777).tempdir_in(parent)?;
        let permissions = fs::metadata(folder.path())?.permissions();
        if cfg!(unix) {
            fs::set_permissions(folder.path(), owners(&permissions))?;
        }
        Ok(Self { folder, permissions })
    }

    /// Where it is until it is whole.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name, and removes the folder that has it. On Linux both change places in one step.
    ///
    /// # Errors
    /// When the name can't be given; the folder that was there before is there then.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        let before = fs::symlink_metadata(path).ok();
        if cfg!(unix) {
            let permissions = before.as_ref().map_or(self.permissions, fs::Metadata::permissions);
            fs::set_permissions(self.folder.path(), permissions)?;
        }
        if before.is_none() {
            fs::rename(self.folder.path(), path)?;
            // Nothing is left at the temporary name.
            let _ = self.folder.keep();
            return Ok(());
        }
        if exchange(self.folder.path(), path).is_err() {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let old = with_temporary_name(0o700).tempdir_in(parent)?;
            let aside = old.path().join("old");
            fs::rename(path, &aside)?;
            fs::rename(self.folder.path(), path).inspect_err(|_| drop(fs::rename(&aside, path)))?;
            let _ = self.folder.keep();
            return old.close();
        }
        self.folder.close()
    }
}

/// Lets two folders change their names in one step, where the system can.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE).map_err(io::Error::from)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The permissions without those of anybody but the owner.
#[cfg(unix)]
fn owners(permissions: &Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(permissions.mode() & 0o700)
}

#[cfg(not(unix))]
fn owners(permissions: &Permissions) -> Permissions {
    permissions.clone()
}

/// A temporary file or folder with the permissions of any other new one: what the system leaves of `mode` is what it gets in
/// the end.
#[cfg(unix)]
fn with_temporary_name(mode: u32) -> Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = Builder::new();
    builder.prefix(PREFIX).permissions(Permissions::from_mode(mode));
    builder
}

#[cfg(not(unix))]
fn with_temporary_name(_: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    builder
}

/// A file without a name in a folder, where the file system has such files and they can be given a name later.
#[cfg(target_os = "linux")]
fn without_name(folder: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use nix::fcntl::OFlag;

    let flags = OFlag::O_TMPFILE | OFlag::O_CLOEXEC;
    let file = File::options().read(true).write(true).custom_flags(flags.bits()).mode(0o666).open(folder).ok()?;
    fs::symlink_metadata(own_path(&file)).is_ok().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &Path) -> Option<File> {
    None
}

/// The path by which the system knows an opened file.
#[cfg(target_os = "linux")]
fn own_path(file: &File) -> std::path::PathBuf {
    use std::os::fd::AsRawFd;
    Path::new("/proc/self/fd").join(file.as_raw_fd().to_string())
}

/// Gives a file without a name this one. A name that another file has is replaced in one step: the file has a temporary name
/// for as long as that takes.
#[cfg(target_os = "linux")]
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use nix::unistd::linkat;

    let own = own_path(file);
    let link =
        |name: &Path| linkat(AT_FDCWD, &own, AT_FDCWD, name, AtFlags::AT_SYMLINK_FOLLOW).map_err(io::Error::from);
    match link(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        linked => return linked,
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named: tempfile::NamedTempFile<()> = Builder::new().prefix(PREFIX).make_in(folder, link)?;
    named.into_temp_path().persist(path).map_err(|error| error.error)
}

#[cfg(not(target_os = "linux"))]
fn give_name(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).expect("a folder").count()
    }

    fn written(folder: &Path, readers: Readers, text: &str) -> WholeFile {
        let mut file = WholeFile::in_folder(folder, readers).expect("a file");
        file.write_all(text.as_bytes()).expect("written");
        file
    }

    #[test]
    fn a_file_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        for text in ["first", "second"] {
            let file = written(folder.path(), Readers::Usual, text);
            assert_ne!(fs::read_to_string(&path).unwrap_or_default(), text);
            file.persist(&path).expect("named");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        }
        drop(written(folder.path(), Readers::Usual, "third"));
        assert_eq!((names(folder.path()), fs::read_to_string(&path).expect("a file")), (1, "second".to_owned()));
    }

    #[test]
    fn a_folder_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::create_dir(&path).expect("a folder");
        assert!(written(folder.path(), Readers::Usual, "text").persist(&path).is_err());
        assert_eq!(names(folder.path()), 1);
    }

    #[test]
    fn a_folder_has_its_name_when_it_is_whole_and_replaces_the_one_before() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("lake");
        for name in ["first", "second"] {
            let folder = WholeFolder::in_folder(parent.path()).expect("a folder");
            fs::write(folder.path().join(name), name).expect("written");
            assert!(!path.join(name).exists());
            folder.persist(&path).expect("named");
            assert_eq!((names(parent.path()), names(&path)), (1, 1));
            assert_eq!(fs::read_to_string(path.join(name)).expect("a file"), name);
        }
        drop(WholeFolder::in_folder(parent.path()).expect("a folder"));
        assert_eq!((names(parent.path()), names(&path)), (1, 1), "what never was whole is gone");
        let plain = parent.path().join("plain");
        fs::create_dir(&plain).expect("a folder");
        let mode = |path: &Path| fs::metadata(path).expect("a folder").permissions();
        assert_eq!(mode(&path), mode(&plain));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn while_it_is_written_a_file_has_no_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = written(folder.path(), Readers::Usual, "text");
        assert!(file.name.is_some() || names(folder.path()) == 0);
    }

    #[cfg(unix)]
    #[test]
    fn until_it_is_whole_only_its_owner_can_read_a_file() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&other, b"").expect("a file");
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        let mut file = written(folder.path(), Readers::Usual, "text");
        assert_eq!(file.as_file().metadata().expect("a file").permissions().mode() & 0o777, 0o600);
        file.persist(&path).expect("named");
        assert_eq!(mode(&path), mode(&other));
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("its owner");
        written(folder.path(), Readers::Usual, "text").persist(&path).expect("named");
        assert_eq!(mode(&path), 0o640);
        written(folder.path(), Readers::Owner, "text").persist(&path).expect("named");
        assert_eq!(mode(&path), 0o600);
    }
}
