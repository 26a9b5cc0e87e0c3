//! The HTML report in a browser, as people use it: by eye, by keyboard, on a telephone, on paper, without script.
//!
//! Without Chromium and its driver, the tests print that they are skipped. `CRASHSIFT_AXE` names a copy of axe-core
//! (`scripts/axe.sh` gets it), with which accessibility is checked, too.

mod driver;
mod program_page;

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};

use self::driver::Browser;
use crate::program::run;
use crashsift::{Options, Report, RuleSet, Silent, analyze};
use report::model::Group;

const TAB: &str = "\u{E004}";
const ENTER: &str = "\u{E007}";
/// The columns of the table of problems.
const COLUMNS: usize = 8;

/// The report of all samples.
fn samples(folder: &Path) -> PathBuf {
    let file = folder.join("report.html");
    let output = file.to_str().expect("a path");
    run(["analyze", "-q", "-f", "html", "-o", output, "samples"]).ends_with(0);
    file
}

/// A browser that shows the report of all samples.
fn shown(folder: &Path) -> Option<Browser> {
    let browser = Browser::start()?;
    browser.resize(1400, 1000);
    browser.open(&samples(folder));
    Some(browser)
}

/// The texts of a column of the table, from 0, as they are shown.
fn column(browser: &Browser, number: usize) -> Vec<String> {
    let script = format!(
        "return [...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[{number}].textContent.trim())"
    );
    browser
        .run(&script)
        .as_array()
        .expect("a list")
        .iter()
        .map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

/// What has the focus: its tag, id and text.
fn focus(browser: &Browser) -> String {
    let script = "const at = document.activeElement; return [at.tagName, at.id, at.textContent.slice(0, 40)].join(' ')";
    browser.run(script).as_str().expect("a text").trim().to_owned()
}

#[test]
fn the_page_is_searched_filtered_and_sorted_without_any_violation_of_its_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(browser) = shown(folder.path()) else { return };
    let all = column(&browser, 1);
    assert!(all.len() > 50, "{}", all.len());
    let count = || browser.run("return document.getElementById('count').textContent");
    assert_eq!(count(), format!("{} problems", all.len()));

    browser.run("document.getElementById('search').focus()");
    browser.type_text("python.exe zlibwapi");
    let found = column(&browser, 1);
    assert!(!found.is_empty() && found.len() < all.len(), "{found:?}");
    assert!(found.iter().all(|headline| headline.contains("python.exe")), "{found:?}");
    let sections = "return [...document.querySelectorAll('.group')].filter((group) => !group.hidden).length";
    assert_eq!(browser.run(sections), found.len(), "the sections are those of the rows");
    // A path of a file finds the problem that it belongs to.
    browser.run("document.querySelector('#filters button').click()");
    browser.run("document.getElementById('search').focus()");
    browser.type_text("samples/failing-drive/system.evtx");
    assert!(column(&browser, 1).iter().any(|headline| headline.contains("drive")), "{:?}", column(&browser, 1));
    browser.run("document.querySelector('#filters button').click()");
    browser.run("return new Promise((done) => setTimeout(done, 50))");
    assert_eq!(column(&browser, 1), all);

    for filter in ["by-family", "by-level", "by-kind", "by-host"] {
        let choose = format!(
            "const choice = document.getElementById('{filter}'); choice.selectedIndex = 1; \
             choice.dispatchEvent(new Event('input', {{bubbles: true}})); return choice.selectedOptions[0].text"
        );
        let words = browser.run(&choose);
        let rows = column(&browser, 0).len();
        assert!(rows > 0 && rows < all.len(), "{filter}: {rows}");
        if let Some((_, number)) = words.as_str().and_then(|words| words.rsplit_once('(')) {
            assert_eq!(number.trim_end_matches(')'), rows.to_string(), "{filter}: {words}");
        }
        browser.run("document.querySelector('#filters button').click()");
        browser.run("return new Promise((done) => setTimeout(done, 50))");
    }

    let sort = |head: &str| {
        let script = format!(
            "const button = [...document.querySelectorAll('#table th button')].find((one) => one.textContent === '{head}'); \
             button.click(); return button.parentElement.ariaSort"
        );
        browser.run(&script)
    };
    assert_eq!(sort("Incidents"), "descending");
    let numbers: Vec<u32> = column(&browser, 5).iter().map(|number| number.parse().expect("a number")).collect();
    assert!(numbers.is_sorted_by(|one, next| one >= next), "{numbers:?}");
    assert_eq!(sort("Incidents"), "ascending");
    assert_eq!(sort("Problem"), "ascending");
    assert_eq!(browser.run("return document.querySelectorAll('#table [aria-sort]').length"), 1);
    assert_eq!(sort("No."), "ascending");
    assert_eq!(column(&browser, 1), all);
    assert_eq!(browser.messages(), [""; 0]);
}

#[test]
fn the_page_is_used_by_keyboard() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(browser) = shown(folder.path()) else { return };
    browser.press(&[TAB]);
    assert_eq!(focus(&browser), "A  Skip to the content");
    let visible = "const at = document.activeElement.getBoundingClientRect(); return at.left >= 0 && at.width > 0";
    assert_eq!(browser.run(visible), true, "the focus is seen");
    browser.press(&[ENTER]);
    assert!(focus(&browser).starts_with("MAIN content"), "{}", focus(&browser));

    browser.run("document.getElementById('search').focus()");
    let order: Vec<String> = (0..6)
        .map(|_| {
            browser.press(&[TAB]);
            focus(&browser)
        })
        .collect();
    let begins =
        ["SELECT by-family", "SELECT by-level", "SELECT by-kind", "SELECT by-host", "BUTTON  Show all", "BUTTON  No."];
    assert!(order.iter().zip(begins).all(|(one, begin)| one.starts_with(begin)), "{order:?}");
    browser.press(&[ENTER]);
    assert_eq!(browser.run("return document.activeElement.parentElement.ariaSort"), "descending");

    // A link of the table leads to its section, whose folded parts open by key.
    browser.run("document.querySelector('#table tbody a').focus()");
    browser.press(&[ENTER]);
    let hash = browser.run("return location.hash");
    assert!(hash.as_str().is_some_and(|hash| hash.starts_with("#group-")), "{hash}");
    browser.run("document.querySelector(location.hash + ' summary').focus()");
    browser.press(&[ENTER]);
    assert_eq!(browser.run("return document.querySelector(location.hash + ' details').open"), true);

    // A command is copied, or selected where that is not allowed; which of the two is said to screen readers.
    browser.run("document.querySelector('.copy').focus()");
    browser.press(&[ENTER]);
    browser.run("return new Promise((done) => setTimeout(done, 200))");
    let said = browser.run("return document.getElementById('said').textContent");
    assert!(["Copied", "Selected: press Ctrl+C"].iter().any(|words| said == *words), "{said}");
    assert_eq!(browser.messages(), [""; 0]);
}

#[test]
fn the_page_fits_telephones_and_dark_systems() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(browser) = shown(folder.path()) else { return };
    let background = |browser: &Browser| browser.run("return getComputedStyle(document.body).backgroundColor");
    let light = background(&browser);
    for (width, dark) in [(1400, true), (1000, false), (700, false), (400, false), (400, true)] {
        browser.resize(width, 900);
        browser.prefer_dark(dark);
        browser
            .run("for (const part of document.querySelectorAll('#group-1 details, #when details')) part.open = true");
        assert_eq!(background(&browser) != light, dark);
        let beyond = browser.run(
            "const width = document.documentElement.clientWidth; \
             const inBox = (one) => one.closest('.wide, svg, .skip, .unseen, .cards thead'); \
             return [document.documentElement.scrollWidth - width, ...[...document.querySelectorAll('body *')] \
               .filter((one) => !inBox(one) && one.getBoundingClientRect().right > width + 1).slice(0, 5).map((one) => one.outerHTML.slice(0, 80))]",
        );
        assert_eq!(beyond, json!([0]), "{width}");
        // Every value of a row is seen.
        let lost = browser.run(
            "return [...document.querySelectorAll('#table tbody td')].filter((cell) => cell.textContent.trim() \
               && cell.getBoundingClientRect().width < 5).length",
        );
        assert_eq!(lost, 0, "{width}");
        let cells = browser.run("return document.querySelector('#table tbody tr').cells.length");
        assert_eq!(cells, COLUMNS);
    }
    assert_eq!(browser.messages(), [""; 0]);
}

#[test]
fn the_page_of_the_samples_has_three_pages_on_paper() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(browser) = shown(folder.path()) else { return };
    let pages = browser.pages_on_paper();
    assert!((1..=3).contains(&pages), "{pages} pages");
}

#[test]
fn the_page_is_whole_without_script() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(browser) = shown(folder.path()) else { return };
    let with = column(&browser, 1);
    browser.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    browser.open(&folder.path().join("report.html"));
    let without = browser.devtools(
        "Runtime.evaluate",
        &json!({"returnByValue": true, "expression":
            "[document.querySelectorAll('#table tbody tr').length, document.querySelectorAll('#table button').length, \
              getComputedStyle(document.getElementById('filters')).display]"}),
    );
    assert_eq!(without["result"]["value"], json!([with.len(), 0, "none"]));
}

#[test]
fn the_page_is_accessible_by_the_rules_of_axe() {
    let Some(axe) = env::var_os("CRASHSIFT_AXE") else {
        return println!("skipped: CRASHSIFT_AXE is not set (scripts/axe.sh prints a value)");
    };
    let axe = fs::read_to_string(axe).expect("axe-core");
    let folder = tempfile::tempdir().expect("a folder");
    let Some(browser) = shown(folder.path()) else { return };
    for (width, dark) in [(1400, false), (1400, true), (400, false)] {
        browser.resize(width, 900);
        browser.prefer_dark(dark);
        browser.run("for (const part of document.querySelectorAll('#group-1 details, #group-2 details, #when details')) part.open = true");
        browser.devtools("Runtime.evaluate", &json!({"expression": axe}));
        let found = browser.devtools(
            "Runtime.evaluate",
            &json!({"awaitPromise": true, "returnByValue": true, "expression":
                "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map((one) => \
                   [one.id, one.help, one.nodes.length, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120))]))"}),
        );
        assert_eq!(found["result"]["value"], json!([]), "{width}, dark: {dark}");
    }
}

/// A report of ten thousand incidents of as many groups on five hundred computers: those of the samples, many times.
fn ten_thousand() -> Report {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut report = analyze(&["samples".into()], &rules, &Options::default(), &Silent);
    let samples = std::mem::take(&mut report.incidents);
    report.incidents = (0..10_000_usize)
        .map(|number| {
            let mut judged = samples[number % samples.len()].clone();
            judged.incident.id = format!("{number:016x}");
            judged.incident.host = Some(format!("PC-{:03}", number % 500).into());
            judged.incident.may_be_of.clear();
            judged.incident.signature.coarse = format!("{} {number}", judged.incident.signature.coarse);
            judged
        })
        .collect();
    let group = |judged: &report::Judged| Group {
        party: None,
        signature: judged.incident.signature.coarse.clone(),
        incidents: vec![judged.incident.id.clone()],
        first: judged.incident.time,
        last: judged.incident.time,
        hosts: 1,
        representative: judged.incident.id.clone(),
        cause: (!judged.verdict.is_undetermined()).then(|| judged.verdict.cause.clone()),
        confidence: (!judged.verdict.is_undetermined()).then_some(judged.verdict.confidence),
        symptom: judged.verdict.symptom,
        causes: Vec::new(),
        over_represented: Vec::new(),
        changes_before: None,
        changes_unknown: None,
    };
    report.groups = report.incidents.iter().map(group).collect();
    report.summary.incidents = report.incidents.len();
    report
}

#[test]
fn ten_thousand_problems_are_searched_and_sorted_without_waiting() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.html");
    let mut page = Vec::new();
    report::page::write_html(&ten_thousand(), &mut page, false).expect("memory can be written to");
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    fs::write(&file, &page).expect("a file");
    browser.resize(1400, 1000);
    browser.open(&file);
    assert_eq!(browser.run("return document.getElementById('count').textContent"), "10,000 problems");
    // From the input until the changed page is laid out; the first search reads all texts.
    let timed = |what: &str| -> f64 {
        let script = format!(
            "const start = performance.now(); {what}; document.body.getBoundingClientRect(); return performance.now() - start"
        );
        browser.run(&script).as_f64().expect("milliseconds")
    };
    let search = |words: &str| {
        timed(&format!(
            "const search = document.getElementById('search'); search.value = '{words}'; \
             search.dispatchEvent(new Event('input', {{bubbles: true}}))"
        ))
    };
    let times = [
        ("first search", search("ledger")),
        ("search", search("ledger pc-123")),
        ("no search", search("")),
        ("sort", timed("document.querySelector('#table th:nth-child(2) button').click()")),
    ];
    println!("{} bytes; {times:.0?} ms", page.len());
    assert!(times.iter().all(|(_, milliseconds)| *milliseconds < 1_000.0), "{times:?}");
    assert_eq!(browser.messages(), [""; 0]);
    let rows: Value = browser.run("return document.querySelectorAll('#table tbody tr').length");
    assert_eq!(rows, 200, "the rest comes on request");
    browser.run("document.querySelector('#more button').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#table tbody tr').length"), 400);
}
