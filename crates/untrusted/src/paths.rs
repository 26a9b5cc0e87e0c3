//! How reports show paths, and why a path can't be opened: the same on every system.

use std::io;
use std::path::Path;

/// A path as reports show it: `/` between its parts on every system, bytes that are no text as escapes (`\xff`).
#[must_use]
pub fn display_path(path: &Path) -> String {
    if cfg!(windows) {
        return windows_path(&path.to_string_lossy());
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        push_plain(&mut text, chunk.valid());
        // Two names that differ in such bytes only must not look the same.
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Adds a part of a name that is text. A backslash that looks like the beginning of an escape is written as one, so that
/// no file's name is shown like another's.
fn push_plain(shown: &mut String, mut rest: &str) {
    while let Some((before, after)) = rest.split_once('\\') {
        shown.push_str(before);
        let mut next = after.chars();
        let is_hex = |c: Option<char>| c.is_some_and(|c| matches!(c, '0'..='9' | 'a'..='f'));
        let looks_escaped = next.next() == Some('x') && is_hex(next.next()) && is_hex(next.next());
        shown.push_str(if looks_escaped { r"\x5c" } else { r"\" });
        rest = after;
    }
    shown.push_str(rest);
}

/// A path of Windows with `/`, and without the prefix that lifts the limits of a path's length (`\\?\C:\…`).
fn windows_path(text: &str) -> String {
    let plain = match text.strip_prefix(r"\\?\") {
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            Some(share) => format!(r"\\{share}"),
            // A volume's number (`\\?\Volume{…}\`) is no path without its prefix.
            None if rest.chars().nth(1) == Some(':') => rest.to_owned(),
            None => text.to_owned(),
        },
        None => text.to_owned(),
    };
    plain.replace('\\', "/")
}

/// Why a file could not be opened. Worded here and not by the system, whose messages differ between systems and
/// languages: the same evidence must give the same report.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let words = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "no such file or folder",
        io::ErrorKind::PermissionDenied => "access denied",
        io::ErrorKind::InvalidFilename => "no file can have this name",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full",
        io::ErrorKind::WouldBlock => "it is no ordinary file: it has nothing to read now",
        _ if is_locked(error) => "another program has locked it",
        _ => return error.to_string(),
    };
    words.to_owned()
}

/// Whether another program keeps the file to itself, which on other systems hardly happens.
fn is_locked(error: &io::Error) -> bool {
    /// winerror.h: `ERROR_SHARING_VIOLATION` and `ERROR_LOCK_VIOLATION`.
    const VIOLATIONS: [i32; 2] = [32, 33];
    cfg!(windows) && error.raw_os_error().is_some_and(|code| VIOLATIONS.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_paths_are_shown_with_slashes_and_without_the_long_path_prefix() {
        for (path, shown) in [
            (r"dumps\a.dmp", "dumps/a.dmp"),
            (r"C:\dumps\a.dmp", "C:/dumps/a.dmp"),
            (r"\\?\C:\dumps\a.dmp", "C:/dumps/a.dmp"),
            (r"\\server\share\a.dmp", "//server/share/a.dmp"),
            (r"\\?\UNC\server\share\a.dmp", "//server/share/a.dmp"),
            (r"\\?\Volume{1f}\a.dmp", "//?/Volume{1f}/a.dmp"),
        ] {
            assert_eq!(windows_path(path), shown);
        }
    }

    #[test]
    fn reasons_do_not_depend_on_the_system() {
        // 2 is "not found" on Windows as on others.
        assert_eq!(reason(&io::Error::from_raw_os_error(2)), "no such file or folder");
        assert_eq!(reason(&io::Error::from(io::ErrorKind::PermissionDenied)), "access denied");
        assert_eq!(reason(&io::Error::other("no longer a file")), "no longer a file");
    }

    #[cfg(windows)]
    #[test]
    fn a_file_that_another_program_keeps_to_itself_is_said_to_be_locked() {
        use std::os::windows::fs::OpenOptionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.evtx");
        std::fs::write(&path, b"x").expect("a file");
        let _kept = std::fs::OpenOptions::new().read(true).share_mode(0).open(&path).expect("opened");
        let error = std::fs::File::open(&path).expect_err("locked");
        assert_eq!(reason(&error), "another program has locked it");
    }
}
