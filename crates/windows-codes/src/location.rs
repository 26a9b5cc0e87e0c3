//! The kind of folder that a Windows path is in: of the system, of a program, of a user, and others. Whether files belong to
//! one product or to Windows, by their folders and versions.

use evidence::Version;

/// The words of [`location()`].
pub const LOCATIONS: &[&str] =
    &["system", "driver-store", "site-packages", "program-files", "user", "temp", "network", "other"];

/// The words of [`places`], sorted.
pub const PLACES: &[&str] = &[
    "application",
    "conda",
    "downloads",
    "driver-store",
    "network",
    "other",
    "program-files",
    "site-packages",
    "system",
    "system32",
    "temp",
    "user",
];

/// The kind of folder that a Windows path is in, one of [`LOCATIONS`]. Of several that fit, the most specific.
#[must_use]
pub fn location(path: &str) -> &'static str {
    Folders::of(path).map_or("network", |folders| folders.location())
}

/// All kinds of folder that a Windows path is in, of [`PLACES`]. `program` is the path of the process's executable, if it is
/// known: files in its folder are in `application`.
#[must_use]
pub fn places(path: &str, program: Option<&str>) -> Vec<&'static str> {
    let mut places = Vec::new();
    match Folders::of(path) {
        None => places.push("network"),
        Some(folders) => {
            let windows = folders.in_windows() && !folders.temporary;
            let location = folders.location();
            let words = [
                ("conda", folders.conda),
                ("downloads", folders.downloads),
                ("driver-store", windows && folders.driver_store),
                ("other", location == "other"),
                ("program-files", folders.in_program_files()),
                ("site-packages", folders.packages),
                ("system", windows),
                ("system32", windows && folders.system32 && !folders.driver_store),
                ("temp", folders.temporary),
                ("user", folders.in_profile()),
            ];
            places.extend(words.into_iter().filter(|(_, holds)| *holds).map(|(word, _)| word));
        }
    }
    if program.is_some_and(|program| same_folder(program, path)) {
        places.push("application");
    }
    places
}

/// Whether a folder has the name of one of conda's own: of an installation (`miniconda3`), or the folder in a profile in
/// which conda keeps environments when it may not write to its own (`.conda`).
pub fn is_conda_folder(name: &str) -> bool {
    CONDA.iter().any(|start| name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

/// Names of the folder of Windows: since Windows XP; before it and on systems that were updated since; in paths of the
/// kernel; and the variables for it.
const WINDOWS: [&str; 5] = ["windows", "winnt", "systemroot", "%systemroot%", "%windir%"];

/// Beginnings of the names of conda's own folders.
const CONDA: &[&str] = &["anaconda", "miniconda", "miniforge", "mambaforge", "micromamba", ".conda"];

/// What is known of a path by the names of its folders.
#[derive(Default)]
struct Folders<'p> {
    /// The first folder below the drive.
    top: &'p str,
    packages: bool,
    temporary: bool,
    driver_store: bool,
    system32: bool,
    conda: bool,
    downloads: bool,
}

impl<'p> Folders<'p> {
    /// The folders of a path; `None` for a path of a share.
    fn of(path: &'p str) -> Option<Self> {
        let local = local_path(path)?;
        let top = local.trim_start_matches(SLASHES).split(SLASHES).next().unwrap_or_default();
        let is = |part: &str, name: &str| part.eq_ignore_ascii_case(name);
        let mut found = Self { top, temporary: is(top, "temp") || is(top, "tmp"), ..Self::default() };
        // Folders have a slash on both sides, but for a variable, which stands for drive and folder. A process has
        // hundreds of paths, so each is gone through once and not copied.
        let mut folders = local.rsplit_once(SLASHES).map_or("", |(folder, _)| folder).split(SLASHES);
        let first = folders.next().unwrap_or_default();
        let (mut above, mut parent) = ("", if first.starts_with('%') { first } else { "" });
        for folder in folders {
            let in_windows = WINDOWS.iter().any(|name| is(parent, name));
            found.packages |= is(folder, "site-packages") || is(folder, "dist-packages");
            found.temporary |= is(folder, "temp") && (in_windows || (is(parent, "local") && is(above, "appdata")));
            found.temporary |= is(folder, "systemtemp") && in_windows;
            found.driver_store |= is(folder, "driverstore");
            found.system32 |= in_windows && ["system32", "syswow64", "sysnative"].iter().any(|name| is(folder, name));
            found.conda |= is_conda_folder(folder);
            found.downloads |= is(folder, "downloads") && is(above, "users");
            (above, parent) = (parent, folder);
        }
        Some(found)
    }

    fn top_is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.top.eq_ignore_ascii_case(name))
    }

    fn in_windows(&self) -> bool {
        self.top_is(&WINDOWS)
    }

    fn in_program_files(&self) -> bool {
        self.top_is(&["program files", "program files (x86)"]) || without_prefix(self.top, "progra~").is_some()
    }

    fn in_profile(&self) -> bool {
        self.top_is(&["users", "documents and settings"])
    }

    fn location(&self) -> &'static str {
        if self.packages {
            "site-packages"
        } else if self.temporary {
            "temp"
        } else if self.in_windows() {
            if self.driver_store { "driver-store" } else { "system" }
        } else if self.in_program_files() {
            "program-files"
        } else if self.in_profile() {
            "user"
        } else {
            "other"
        }
    }
}

/// Whether two files are in one folder, in whichever form Windows writes their paths.
fn same_folder(one: &str, other: &str) -> bool {
    let folder = |path: &str| -> Option<String> {
        let (folder, _) = path.rsplit_once(SLASHES)?;
        let bare = BARE.iter().find_map(|prefix| without_prefix(folder, prefix)).unwrap_or(folder);
        Some(bare.replace('/', "\\").to_lowercase())
    };
    folder(one).is_some_and(|one| folder(other) == Some(one))
}

/// Whether two files are in the folder of one product: the first folder below those that hold many products, such as
/// `Program Files`, a user's `AppData\Local` or `steamapps\common`. Files directly in such a folder are of one product only
/// with those beside them.
#[must_use]
pub fn same_product_folder(one: &str, other: &str) -> bool {
    let of_one_product = || {
        let (one, other) = (product_folder(one)?, product_folder(other)?);
        let same = one.split(SLASHES).map(str::to_lowercase).eq(other.split(SLASHES).map(str::to_lowercase));
        Some(same)
    };
    same_folder(one, other) || of_one_product() == Some(true)
}

/// Folders that hold many products, in lower case.
const SHARED_FOLDERS: [&str; 18] = [
    "program files",
    "program files (x86)",
    "programdata",
    "common files",
    "users",
    "documents and settings",
    "appdata",
    "local",
    "locallow",
    "roaming",
    "programs",
    "packages",
    "desktop",
    "downloads",
    "documents",
    "temp",
    "windowsapps",
    "games",
];

/// The name of the folder of a file's product, as [`same_product_folder`] finds it.
#[must_use]
pub fn product_folder_name(path: &str) -> Option<&str> {
    product_folder(path)?.rsplit(SLASHES).next()
}

/// The part of a path up to the folder of its product; `None` for a file that is in no such folder.
fn product_folder(path: &str) -> Option<&str> {
    let local = local_path(path)?;
    let folders = local.rsplit_once(SLASHES)?.0;
    // Where each folder begins and ends.
    let mut places = Vec::new();
    let mut start = 0_usize;
    for folder in folders.split(SLASHES) {
        let end = start.saturating_add(folder.len());
        if !folder.is_empty() {
            places.push((folder.to_lowercase(), end));
        }
        start = end.saturating_add(1);
    }
    // A shop's own folder holds the folders of the products that it installs.
    let in_shop = places.windows(2).position(|pair| pair.iter().map(|(name, _)| &**name).eq(["steamapps", "common"]));
    let is_profiles = |name: &str| matches!(name, "users" | "documents and settings");
    let of_user = places.first().is_some_and(|(name, _)| is_profiles(name));
    let is_shared = |index: usize, name: &str| SHARED_FOLDERS.contains(&name) || (index == 1 && of_user);
    let (_, (_, end)) = match in_shop {
        Some(shop) => places.iter().enumerate().nth(shop.saturating_add(2))?,
        None => places.iter().enumerate().find(|(index, (name, _))| !is_shared(*index, name))?,
    };
    folders.get(..*end)
}

/// The build of Windows that a file version of its own files names: `10.0.19041.789` and `6.1.7601.24545`; `None` for
/// versions of another form.
#[must_use]
pub fn build_of_windows_file(version: Version) -> Option<u16> {
    /// The first build of Windows 10.
    const FIRST_OF_10: u16 = 10_240;
    match version.0 {
        [10, 0, build, _] if build >= FIRST_OF_10 => Some(build),
        [6, 0, build @ 6000..=6003, _]
        | [6, 1, build @ 7600..=7601, _]
        | [6, 2, build @ 9200, _]
        | [6, 3, build @ 9600, _] => Some(build),
        _ => None,
    }
}

/// Prefixes of paths that Windows takes as they are, without expanding them.
const BARE: [&str; 3] = ["\\\\?\\", "\\\\.\\", "\\??\\"];

const SLASHES: [char; 2] = ['\\', '/'];

/// The path behind a prefix. The prefix is given in lower case and with backslashes, the path may have either.
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
    let bare = BARE.iter().find_map(|prefix| without_prefix(path, prefix));
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

    #[test]
    fn each_path_has_its_kind_of_place() {
        for (path, expected) in [
            (r"C:\Windows\System32\ntdll.dll", "system"),
            (r"c:\WINDOWS\WinSxS\amd64_x\comctl32.dll", "system"),
            (r"\SystemRoot\system32\ntoskrnl.exe", "system"),
            (r"\??\C:\Windows\system32\drivers\x.sys", "system"),
            (r"\Device\HarddiskVolume3\Windows\System32\x.dll", "system"),
            (r"%SystemRoot%\System32\x.dll", "system"),
            (r"%windir%\Temp\x.dll", "temp"),
            (r"D:\WINNT\system32\x.dll", "system"),
            (r"D:\Games\WINNT\x.dll", "other"),
            (r"C:\Old\%SystemRoot%\x.dll", "other"),
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

    #[test]
    fn files_below_the_first_folder_that_is_not_shared_are_of_one_product() {
        let same = same_product_folder;
        assert!(same(r"C:\Program Files\Shop\bin\shop.exe", r"C:\Program Files\Shop\lib\cart.dll"));
        assert!(same(
            r"C:\Program Files (x86)\Steam\steamapps\common\Game\a\game.exe",
            r"\\?\C:\Program Files (x86)\Steam\steamapps\common\GAME\b\x.dll"
        ));
        assert!(same(r"C:\Users\Ann\AppData\Local\Shop\app-1.0\shop.exe", r"C:\Users\Ann\AppData\Local\Shop\x.dll"));
        assert!(same(r"D:\shop.exe", r"D:\x.dll"));
        assert_eq!(product_folder_name(r"C:\Program Files\Common Files\Shop\bin\x.dll"), Some("Shop"));
        assert_eq!(product_folder_name(r"C:\Users\Ann\Downloads\x.dll"), None);
        assert!(same(r"C:\Users\Ann\Downloads\shop.exe", r"C:\Users\Ann\Downloads\x.dll"));
        for (program, other) in [
            (r"C:\Program Files\Shop\shop.exe", r"C:\Program Files\Hooks\x.dll"),
            (r"C:\Program Files (x86)\Steam\steamapps\common\Game\game.exe", r"C:\Program Files (x86)\Steam\x.dll"),
            (
                r"C:\Program Files (x86)\Steam\steamapps\common\Game\game.exe",
                r"C:\Program Files (x86)\Steam\steamapps\common\Other\x.dll",
            ),
            (r"C:\Users\Ann\AppData\Local\Shop\shop.exe", r"C:\Users\Ann\AppData\Roaming\Hooks\x.dll"),
            (r"D:\shop.exe", r"D:\Hooks\x.dll"),
            (r"C:\Users\Ann\Downloads\shop.exe", r"C:\Users\Ann\x.dll"),
            (r"C:\shop\shop.exe", r"\\server\shop\x.dll"),
        ] {
            assert!(!same(program, other), "{program} {other}");
        }
    }

    #[test]
    fn versions_of_windows_files_name_its_build() {
        let build = |text: &str| build_of_windows_file(text.parse().expect("a version"));
        assert_eq!(build("10.0.19041.789"), Some(19041));
        assert_eq!(build("6.1.7601.24545"), Some(7601));
        assert_eq!(build("6.0.9030.1"), None, "a sound driver");
        assert_eq!(build("10.0.0.1"), None);
        assert_eq!(build("31.0.15.2849"), None);
    }

    #[test]
    fn a_path_lies_in_every_place_that_fits_it() {
        let program = Some(r"C:\Users\Ann\miniconda3\envs\tf\python.exe");
        for (path, expected) in [
            (r"C:\Windows\System32\ntdll.dll", "system system32"),
            (r"C:\Windows\SysWOW64\ntdll.dll", "system system32"),
            (r"\SystemRoot\system32\drivers\x.sys", "system system32"),
            (r"%SystemRoot%\System32\a.dll", "system system32"),
            (r"D:\WINNT\system32\a.dll", "system system32"),
            (r"C:\Windows\WinSxS\amd64_x\comctl32.dll", "system"),
            (r"C:\Windows\System32\DriverStore\FileRepository\nv.inf_1\nvcuda64.dll", "driver-store system"),
            (r"C:\Windows\Temp\x.dll", "temp"),
            (r"C:\Users\Ann\miniconda3\envs\tf\Lib\site-packages\torch\c10.dll", "conda site-packages user"),
            (r"C:\Users\Ann\miniconda3\envs\tf\python39.dll", "conda user application"),
            (r"\\?\c:/USERS/ann/miniconda3/envs/tf/x.dll", "conda user application"),
            (r"C:\Users\Ann\.conda\envs\tf\x.dll", "conda user"),
            (r"C:\Users\Ann\Downloads\tool\x.dll", "downloads user"),
            (r"D:\Downloads\x.dll", "other"),
            (r"C:\Users\Ann\AppData\Local\Temp\_MEI1\x.dll", "temp user"),
            (r"C:\Program Files\Python39\Lib\site-packages\a.pyd", "program-files site-packages"),
            (r"\\server\share\Windows\System32\x.dll", "network"),
            ("x.dll", "other"),
        ] {
            let found = places(path, program);
            assert_eq!(found.join(" "), expected, "{path}");
            assert!(found.iter().all(|place| PLACES.contains(place)));
            assert!(places(path, None).iter().all(|place| *place != "application"));
            assert!(location(path) == "site-packages" || found.contains(&location(path)), "{path}");
        }
    }
}
