//! `--this-pc`: where Windows keeps the evidence of its own crashes.

use std::env;
use std::fs;
use std::io;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};

use super::collect_script::CHANNELS;
use super::stream;
use untrusted::display_path;

/// The logs that every computer has.
const LOGS: [&str; 2] = ["Application", "System"];
/// The variable that names the folder of Windows.
const WINDOWS: &str = "SystemRoot";
/// Places below the folder that an environment variable names, as Windows sets them up: dumps of blue screens and of kernel
/// errors, of services by their accounts, and of programs; error reports of the computer and of the user.
const PLACES: [(&str, &[&str]); 3] = [
    (
        WINDOWS,
        &[
            "Minidump",
            "MEMORY.DMP",
            "LiveKernelReports",
            r"System32\config\systemprofile\AppData\Local\CrashDumps",
            r"SysWOW64\config\systemprofile\AppData\Local\CrashDumps",
            r"ServiceProfiles\LocalService\AppData\Local\CrashDumps",
            r"ServiceProfiles\NetworkService\AppData\Local\CrashDumps",
        ],
    ),
    ("ProgramData", &[r"Microsoft\Windows\WER\ReportArchive", r"Microsoft\Windows\WER\ReportQueue"]),
    ("LOCALAPPDATA", &["CrashDumps", r"Microsoft\Windows\WER\ReportArchive", r"Microsoft\Windows\WER\ReportQueue"]),
];

/// This computer's evidence, as far as it can be read. Unless `quiet`, a note names what only an administrator can read.
///
/// # Errors
/// The message for the user, where this computer does not run Windows.
pub fn paths(quiet: bool) -> Result<Vec<PathBuf>, String> {
    if !cfg!(windows) {
        return Err(
            "--this-pc: this computer does not run Windows; name the files and folders of one that does".to_owned()
        );
    }
    let ThisPc { paths, denied } = find(|name| env::var_os(name).map(PathBuf::from));
    if !quiet && !denied.is_empty() {
        let denied: Vec<String> = denied.iter().map(|path| display_path(path)).collect();
        stream::note(&format!(
            "only an administrator can read {}: run this in a console that was opened with \"Run as administrator\"; for logs \
             alone, the script of `crashsift collect-script` needs no administrator",
            denied.join(", ")
        ));
    }
    Ok(paths)
}

/// This computer's evidence.
#[derive(Debug, Default)]
struct ThisPc {
    /// Files and folders that can be read.
    paths: Vec<PathBuf>,
    /// Those that only an administrator can read.
    denied: Vec<PathBuf>,
}

fn find(variable: impl Fn(&str) -> Option<PathBuf>) -> ThisPc {
    // As Windows names the files of channels.
    let log = |channel: &&str| format!(r"System32\winevt\Logs\{}.evtx", channel.replace('/', "%4"));
    let logs = LOGS.iter().chain(&CHANNELS).map(log).map(|place| (WINDOWS, place));
    let others =
        PLACES.into_iter().flat_map(|(name, below)| below.iter().map(move |place| (name, (*place).to_owned())));
    let mut found = ThisPc::default();
    for (name, place) in logs.chain(others) {
        let Some(folder) = variable(name) else { continue };
        let path = folder.join(place.replace('\\', MAIN_SEPARATOR_STR));
        match opens(&path) {
            Ok(()) => found.paths.push(path),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => found.denied.push(path),
            // Most computers lack some of them.
            Err(_) => {}
        }
    }
    found
}

/// Whether a file or folder can be read.
fn opens(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() { fs::read_dir(path).map(drop) } else { opener::open(path).map(drop) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_and_what_is_not_is_no_mistake() {
        let folder = tempfile::tempdir().expect("a folder");
        let windows = folder.path().join("Windows");
        fs::create_dir_all(windows.join("System32/winevt/Logs")).expect("a folder");
        fs::create_dir(windows.join("Minidump")).expect("a folder");
        fs::write(windows.join("System32/winevt/Logs/System.evtx"), "x").expect("a file");
        let found = find(|name| (name == "SystemRoot").then(|| windows.clone()));
        let below: Vec<_> = found.paths.iter().filter_map(|path| path.strip_prefix(&windows).ok()).collect();
        assert_eq!(below, [Path::new("System32/winevt/Logs/System.evtx"), Path::new("Minidump")]);
        assert!(found.denied.is_empty());
    }

    #[cfg(not(windows))]
    #[test]
    fn elsewhere_there_is_no_such_evidence() {
        assert!(paths(true).is_err_and(|message| message.contains("does not run Windows")));
    }
}
