//! Runs a test in its own process, for values that the system counts for each process.

use std::any::type_name;
use std::env;
use std::process::Command;

/// Set in the process that runs one test.
const OWN_PROCESS: &str = "CRASHSIFT_TEST_OWN_PROCESS";

/// Runs the body of a test in a new process of this test program, in which no other test runs, and fails if it fails
/// there. The body must be a closure in the test function itself: the name of the test is taken from its type.
#[track_caller]
pub(crate) fn in_own_process<F: FnOnce()>(body: F) {
    if env::var_os(OWN_PROCESS).is_some() {
        return body();
    }
    let name = type_name::<F>().trim_end_matches("::{{closure}}");
    let (_program, name) = name.split_once("::").expect("a closure is in a function");
    let this_program = env::current_exe().expect("this program has a path");
    let test = Command::new(this_program).args(["--exact", name, "--nocapture"]).env(OWN_PROCESS, "1").output();
    let test = test.expect("this program starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&test.stdout), String::from_utf8_lossy(&test.stderr));
    print!("{stdout}{stderr}");
    assert!(test.status.success(), "{name} failed in a process of its own, see above");
    assert!(stdout.contains("test result: ok. 1 passed;"), "{name} is not the name of this test");
}
