//! What kind of place a path lies in.

/// The kind of place that a Windows path lies in: one of the words of [`LOCATIONS`](crate::facts::schema::LOCATIONS).
///
/// A share is a share, whatever is on it. A Python package folder counts before the folder that Python itself is in,
/// and a folder for temporary files before the user's that it is in.
#[must_use]
pub fn location(path: &str) -> &'static str {
    let Some(local) = local_path(path) else {
        return "network";
    };
    let top = local.trim_start_matches(SLASHES).split(SLASHES).next().unwrap_or_default();
    let is = |part: &str, name: &str| part.eq_ignore_ascii_case(name);
    let (mut packages, mut temporary, mut driver_store) = (false, is(top, "temp") || is(top, "tmp"), false);
    // Folders have a slash on both sides. A process has hundreds of paths, so each is gone through once and not copied.
    let mut folders = local.rsplit_once(SLASHES).map_or("", |(folder, _)| folder).split(SLASHES);
    folders.next();
    let (mut above, mut parent) = ("", "");
    for folder in folders {
        packages |= is(folder, "site-packages") || is(folder, "dist-packages");
        temporary |= is(folder, "temp") && (is(parent, "windows") || (is(parent, "local") && is(above, "appdata")));
        temporary |= is(folder, "systemtemp") && is(parent, "windows");
        driver_store |= is(folder, "driverstore");
        (above, parent) = (parent, folder);
    }
    if packages {
        "site-packages"
    } else if temporary {
        "temp"
    } else if is(top, "windows") || is(top, "systemroot") {
        if driver_store { "driver-store" } else { "system" }
    } else if is(top, "program files") || is(top, "program files (x86)") || without_prefix(top, "progra~").is_some() {
        "program-files"
    } else if is(top, "users") || is(top, "documents and settings") {
        "user"
    } else {
        "other"
    }
}

const SLASHES: [char; 2] = ['\\', '/'];

/// What stands behind a prefix, which is written in lower case and with backslashes.
fn without_prefix<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    let head = path.as_bytes().get(..prefix.len())?;
    let same = |(found, wanted): (&u8, u8)| found.to_ascii_lowercase() == wanted || (*found == b'/' && wanted == b'\\');
    head.iter().zip(prefix.bytes()).all(same).then(|| path.get(prefix.len()..)).flatten()
}

/// The path below its drive or device, with a slash at its beginning; `None` for a share.
///
/// Windows writes the same path in several ways: `C:\...`, `\\?\C:\...`, `\??\C:\...`,
/// `\Device\HarddiskVolume3\...`, and for drivers `\SystemRoot\...`.
fn local_path(path: &str) -> Option<&str> {
    let begins = |path: &str, prefix: &str| without_prefix(path, prefix).is_some();
    let bare = ["\\\\?\\", "\\\\.\\", "\\??\\"].iter().find_map(|prefix| without_prefix(path, prefix));
    let path = match bare {
        Some(rest) if begins(rest, "unc\\") => return None,
        Some(rest) => rest,
        None if begins(path, "\\\\") || begins(path, "\\device\\mup\\") => return None,
        None => path,
    };
    if let Some(volume) = without_prefix(path, "\\device\\") {
        return Some(volume.find(SLASHES).and_then(|end| volume.get(end..)).unwrap_or_default());
    }
    match path.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 => Some(rest),
        _ => Some(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::schema::LOCATIONS;

    #[test]
    fn each_path_has_its_kind_of_place() {
        for (path, expected) in [
            (r"C:\Windows\System32\ntdll.dll", "system"),
            (r"c:\WINDOWS\WinSxS\amd64_x\comctl32.dll", "system"),
            (r"\SystemRoot\system32\ntoskrnl.exe", "system"),
            (r"\??\C:\Windows\system32\drivers\x.sys", "system"),
            (r"\Device\HarddiskVolume3\Windows\System32\x.dll", "system"),
            (r"C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_1\nvcuda64.dll", "driver-store"),
            (r"C:\Windows\Temp\x.dll", "temp"),
            (r"C:\Windows\SystemTemp\x.dll", "temp"),
            (r"C:\Users\Ann\AppData\Local\Temp\_MEI1\python39.dll", "temp"),
            (r"D:\temp\x.dll", "temp"),
            (r"C:\Users\Ann\miniconda3\Lib\site-packages\torch\lib\c10.dll", "site-packages"),
            (r"C:\Program Files\Python39\Lib\site-packages\a.pyd", "site-packages"),
            ("C:/msys64/usr/lib/python3/dist-packages/a.pyd", "site-packages"),
            (r"C:\Program Files\App\app.exe", "program-files"),
            (r"C:\Program Files (x86)\App\app.exe", "program-files"),
            (r"C:\PROGRA~1\App\app.exe", "program-files"),
            (r"C:\Users\Ann\miniconda3\Library\bin\libiomp5md.dll", "user"),
            (r"C:\Documents and Settings\Ann\x.dll", "user"),
            (r"\\server\share\Windows\x.dll", "network"),
            (r"\\?\UNC\server\share\x.dll", "network"),
            (r"\\?\C:\Users\Ann\x.dll", "user"),
            (r"\Device\Mup\server\share\x.dll", "network"),
            (r"D:\Games\game.exe", "other"),
            (r"C:\ProgramData\x.dll", "other"),
            (r"C:\WindowsApps\x.dll", "other"),
            ("x.dll", "other"),
            ("/usr/lib/libc.so.6", "other"),
            ("", "other"),
        ] {
            assert_eq!(location(path), expected, "{path}");
            assert!(LOCATIONS.contains(&expected));
        }
    }
}
