//! The page that runs the program in a browser, as people use it. `scripts/page.sh` builds it and sets `CRASHSIFT_PAGE`; without,
//! the tests print that they are skipped.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, thread};

use serde_json::{Value, json};

use super::driver::Browser;
use crate::program::run;

/// The time limit of an analysis of the samples.
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

/// Chooses a file or folder in one of the page's inputs.
fn choose(browser: &Browser, input: &str, path: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let expression = format!("document.getElementById('{input}')");
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
        let status = browser.run("return document.getElementById('status').textContent");
        assert!(began.elapsed() < PATIENCE, "{status}: {:?}", browser.messages());
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits for the end of an analysis; returns what the page says of it.
fn ended(browser: &Browser) -> String {
    let script = "const said = document.getElementById('status'); const bar = document.getElementById('bar');
        return bar.hidden && said.textContent !== '' ? said.textContent : null";
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

#[test]
fn the_report_of_the_page_is_that_of_the_program() {
    let Some(browser) = shown() else { return };
    choose(&browser, "folder", "samples");
    let said = ended(&browser);
    println!("samples: {said}");
    assert!(said.starts_with("Done in"), "{said}");
    for format in ["json", "html", "csv", "markdown", "text"] {
        let arguments = ["analyze", "--quiet", "-f", format, "--", "samples"];
        let (code, printed) = run_in(&browser, &arguments, "given.files");
        assert_eq!(code, 0, "{format}");
        assert!(
            printed == run(arguments).ends_with(0).stdout,
            "{format}: the page's report differs from the program's"
        );
    }
    assert_eq!(browser.messages(), [] as [String; 0]);
}

#[test]
fn the_page_shows_the_report_with_its_own_script() {
    let Some(browser) = shown() else { return };
    choose(&browser, "folder", "samples/delay-load-zlibwapi");
    assert!(ended(&browser).starts_with("Done in"));
    let script = "const inside = document.getElementById('report').contentDocument;
        return inside && inside.querySelector('#table tbody tr') ? inside.title : null";
    let title = wait_for(&browser, script);
    assert!(title.as_str().is_some_and(|title| title.contains("crashsift")), "{title}");
    assert_eq!(browser.messages(), [] as [String; 0]);
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
    choose(&browser, "files", "Cargo.toml");
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
