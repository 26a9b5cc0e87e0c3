//! The page that runs the program in a browser, as people use it. `scripts/page.sh` builds it and sets `CRASHSIFT_PAGE`; without,
//! the tests print that they are skipped.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::{Value, json};

use super::driver::Browser;
use crate::program::{crashsift, finish, run};

/// The time limit of an analysis.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser that shows the page.
fn shown() -> Option<Browser> {
    let Some(page) = env::var_os("CRASHSIFT_PAGE") else {
        println!("skipped: no page (scripts/page.sh all)");
        return None;
    };
    let browser = Browser::start()?;
    browser.open(Path::new(&page));
    Some(browser)
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

/// Chooses a file or folder in one of the page's inputs.
fn choose(browser: &Browser, input: &str, path: &Path) {
    let expression = format!("document.getElementById('{input}')");
    // What it says of an earlier analysis is not waited for.
    browser.run("document.getElementById('status').textContent = ''");
    let found = browser.devtools("Runtime.evaluate", &json!({"expression": expression}));
    let parameters = json!({"files": [path], "objectId": found["result"]["objectId"]});
    browser.devtools("DOM.setFileInputFiles", &parameters);
}

/// Waits until a script returns something else than null.
fn wait_for(browser: &Browser, script: &str) -> Value {
    let began = Instant::now();
    loop {
        let value = browser.run(script);
        if !value.is_null() {
            return value;
        }
        let status = browser.run("return document.getElementById('status')?.textContent");
        assert!(began.elapsed() < PATIENCE, "{status}: {:?}", browser.messages());
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits for the end of an analysis; returns what the page says of it.
fn ended(browser: &Browser) -> String {
    let script = "const said = document.getElementById('status'); const running = document.getElementById('running');
        return running.hidden && said.textContent !== '' ? said.textContent : null";
    wait_for(browser, script).as_str().expect("a text").to_owned()
}

/// Runs the program in the page; returns its exit code and what it printed.
fn run_in(browser: &Browser, arguments: &[&str], files: &str) -> (Value, String) {
    let arguments = json!(arguments);
    browser.run(&format!(
        "window.ended = null; crashsift({arguments}, {files}).then(({{code, out, notes}}) => {{
            window.ended = [code, new TextDecoder().decode(out), notes]; }}, (error) => {{ window.ended = [-1, '', `${{error}}`]; }})"
    ));
    let mut ended = wait_for(browser, "return window.ended");
    (ended[0].take(), ended[1].as_str().expect("a text").to_owned())
}

/// Gives a folder to the page, and checks that its reports in some formats are those of the program.
fn check_reports(folder: &Path, formats: &[&str]) {
    let Some(browser) = shown() else { return };
    choose(&browser, "folder", folder);
    let said = ended(&browser);
    println!("{}: {said}", folder.display());
    assert!(said.starts_with("Done in"), "{said}");
    let name = folder.file_name().and_then(OsStr::to_str).expect("a name");
    for format in formats {
        let arguments = ["analyze", "--quiet", "-f", format, "--", name];
        let (code, printed) = run_in(&browser, &arguments, "given.files");
        assert_eq!(code, 0, "{format}");
        let mut program = crashsift(arguments);
        program.current_dir(folder.parent().expect("a folder"));
        // Chromium shows a `\` in a name, which Windows does not allow, as `/`.
        let expected = finish(program, b"").ends_with(0).stdout;
        let same = |report: &str| report.replace(r"\\", "/");
        assert!(printed == expected || same(&printed) == same(&expected), "{format}: the page's report is another");
    }
    assert_eq!(browser.messages(), [""; 0]);
}

#[test]
fn the_reports_of_the_page_are_those_of_the_program() {
    check_reports(&samples(), &["json", "jsonl", "html", "csv", "markdown", "text"]);
}

#[test]
fn the_report_of_the_page_on_other_evidence_is_that_of_the_program() {
    match env::var_os("CRASHSIFT_CORPUS") {
        Some(corpus) => check_reports(Path::new(&corpus), &["json"]),
        None => println!("skipped: CRASHSIFT_CORPUS is not set"),
    }
}

#[test]
fn the_page_unpacks_archives() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("evidence");
    fs::create_dir(&folder).expect("a folder");
    let dump = fs::read(samples().join("delay-load-zlibwapi/python.exe.2980.dmp")).expect("a dump");
    let mut archive = zip::ZipWriter::new(fs::File::create(folder.join("evidence.zip")).expect("a file"));
    archive.start_file("python.exe.2980.dmp", zip::write::SimpleFileOptions::default()).expect("a member");
    archive.write_all(&dump).expect("a member");
    archive.finish().expect("an archive");
    check_reports(&folder, &["json"]);
}

#[test]
fn the_page_shows_the_report_with_its_own_script() {
    let Some(browser) = shown() else { return };
    choose(&browser, "folder", &samples());
    assert!(ended(&browser).starts_with("Done in"));
    browser.enter_frame();
    // The report's script makes these buttons.
    let script = "return document.querySelector('#table th button') && document.title";
    let title = wait_for(&browser, script);
    assert!(title.as_str().is_some_and(|title| title.contains("crashsift")), "{title}");
    assert_eq!(browser.messages(), [""; 0]);
}

#[test]
fn the_page_analyzes_pasted_text() {
    let Some(browser) = shown() else { return };
    browser.run("document.getElementById('text').focus()");
    browser.type_text("exit code -1073740791 (0xC0000409)");
    browser.run("document.querySelector('#explain button').click()");
    assert!(ended(&browser).starts_with("Done in"));
    let (code, printed) = run_in(&browser, &["explain", "0xC0000409"], "[]");
    assert_eq!(code, 0);
    assert_eq!(printed, run(["explain", "0xC0000409"]).ends_with(0).stdout);
}

#[test]
fn the_page_says_that_a_file_is_of_no_use() {
    let Some(browser) = shown() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cut.dmp");
    fs::write(&file, b"MDMP").expect("a file");
    choose(&browser, "files", &file);
    let said = ended(&browser);
    assert!(said.starts_with("Nothing that can be analyzed"), "{said}");
}

#[test]
fn the_page_connects_to_nothing() {
    let Some(browser) = shown() else { return };
    browser.run(
        "window.ended = null; fetch('http://127.0.0.1:1/').then(() => 0, () => 0).then(() => { window.ended = 1; })",
    );
    wait_for(&browser, "return window.ended");
    let messages = browser.messages();
    assert!(messages.iter().any(|message| message.contains("Content Security Policy")), "{messages:?}");
}

#[test]
fn an_analysis_can_be_stopped_and_started_again() {
    let Some(browser) = shown() else { return };
    choose(&browser, "folder", &samples());
    wait_for(&browser, "return document.getElementById('running').hidden ? null : true");
    browser.run("document.getElementById('stop').click()");
    assert_eq!(ended(&browser), "Stopped.");
    choose(&browser, "folder", &samples().join("delay-load-zlibwapi"));
    assert!(ended(&browser).starts_with("Done in"));
}
