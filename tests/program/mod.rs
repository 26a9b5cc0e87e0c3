//! Runs the real program as a user types it, with a time limit.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The time limit of a run: far more than any needs, even without optimization on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
}

impl Run {
    /// The run itself; fails unless it ended with `code`.
    #[track_caller]
    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// The JSON document on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self:#?}"))
    }
}

/// The program with arguments, in the project's folder, with empty standard input and without terminal settings of the
/// environment.
pub fn crashsift<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crashsift"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    for habit in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "RUST_BACKTRACE"] {
        command.env_remove(habit);
    }
    // No standing rules and no settings of whoever runs the tests.
    command.env("CRASHSIFT_RULES", "").env("CRASHSIFT_CONFIG", "");
    command
}

/// Runs the program.
#[track_caller]
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    finish(crashsift(arguments), b"")
}

/// Runs the program with `input` on standard input.
#[track_caller]
pub fn run_with_input<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Run {
    let mut command = crashsift(arguments);
    command.stdin(Stdio::piped());
    finish(command, input)
}

/// `analyze -f json` of one path, without notes.
#[track_caller]
pub fn report(path: &Path) -> Value {
    let arguments = [OsStr::new("analyze"), OsStr::new("-q"), OsStr::new("-f"), OsStr::new("json"), path.as_os_str()];
    run(arguments).ends_with(0).json()
}

/// Runs a command to its end; fails when that takes too long.
#[track_caller]
pub fn finish(mut command: Command, input: &[u8]) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let stdout = all_of(child.stdout.take().expect("a pipe"));
    let stderr = all_of(child.stderr.take().expect("a pipe"));
    if let Some(mut pipe) = child.stdin.take() {
        // A program that refuses its arguments does not read its input.
        let _ = pipe.write_all(input);
    }
    let code = wait(&mut child, &command);
    Run { code, stdout: stdout.join().expect("text"), stderr: stderr.join().expect("text") }
}

fn all_of(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8(bytes).expect("what the program prints is UTF-8")
    })
}

/// The exit code of a child process, which is killed when it hangs.
#[track_caller]
pub fn wait(child: &mut Child, command: &Command) -> i32 {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code().unwrap_or_else(|| panic!("{status}: {command:?}"));
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("a child can be killed");
            panic!("hangs: {command:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The elements of a list of the report.
pub fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// A text of the report.
pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The artifact whose path ends with `name`.
#[track_caller]
pub fn artifact<'v>(report: &'v Value, name: &str) -> &'v Value {
    list(report, "artifacts")
        .iter()
        .find(|artifact| text(artifact, "path").ends_with(name))
        .unwrap_or_else(|| panic!("{name} is not listed: {:#}", report["artifacts"]))
}

/// An archive in archives, of which the innermost lies too deep to be opened.
pub fn too_deep() -> Vec<u8> {
    (0..4).fold(Vec::new(), |within, _| fuzz::packed::zip(&[("in.zip", &within)]))
}
