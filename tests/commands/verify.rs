//! `crashsift verify`: claims about crashes, true, false and made up.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Run, list, report, run, text};

const CUDNN: &str = "samples/delay-load-zlibwapi";

#[track_caller]
fn verify(claims: &Value, arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("claims.json");
    fs::write(&file, claims.to_string()).expect("a file");
    run(["verify", file.to_str().expect("text")].iter().chain(arguments))
}

/// The outcomes of claims about one folder.
#[track_caller]
fn outcomes(claims: &Value, path: &str) -> Vec<String> {
    let checked = verify(claims, &["-f", "json", path]).json();
    list(&checked, "claims").iter().map(|one| text(one, "outcome").to_owned()).collect()
}

#[test]
fn what_a_report_says_is_found_in_its_artifacts() {
    let report = report(CUDNN.as_ref());
    let incident = &report["incidents"][0];
    let site = &incident["fault_site"];
    let claims = json!({"incident": text(incident, "id"), "claims": [
        {"code": incident["exception"]["code"]},
        {"module": site["module"], "offset": site["offset"], "version": site["version"], "role": "faulting"},
        {"module": incident["suspect"]["module"], "role": "suspect"},
        {"module": incident["stack"][1]["module"], "offset": incident["stack"][1]["offset"], "role": "stack"},
        {"process": incident["process"]["name"], "pid": incident["process"]["pid"]},
        {"time": incident["time"]},
        {"cause": incident["verdict"]["cause"]},
    ]});
    let run = verify(&claims, &[CUDNN]).ends_with(0);
    assert!(run.stdout.ends_with("7 claims: 7 found, 0 contradicted, 0 not there\n"), "{run:#?}");
}

#[test]
fn names_without_endings_and_offsets_without_marks_are_the_same() {
    let report = report(CUDNN.as_ref());
    let module = text(&report["incidents"][0]["suspect"], "module").to_owned();
    let stem = module.split_once('.').expect("an ending").0.to_uppercase();
    let claims =
        json!([{"process": "Python"}, {"module": stem, "role": "suspect"}, {"module": "cudnn", "role": "suspect"}]);
    assert_eq!(outcomes(&claims, CUDNN), ["found", "found", "contradicted"]);
    let site = &report["incidents"][0]["fault_site"];
    let offset = text(site, "offset").trim_start_matches("0x");
    let claims = json!([{"module": site["module"], "offset": offset}, {"module": site["module"], "offset": "7"}]);
    assert_eq!(outcomes(&claims, CUDNN), ["found", "not-there"]);
}

#[test]
fn a_code_by_its_name_is_only_found_as_what_the_name_means() {
    const ABORT: &str = "samples/abort-below-cudnn";
    let claims = json!([
        {"code": "STATUS_STACK_BUFFER_OVERRUN"}, {"code": "fatal_app_exit"}, {"code": 7},
        // A bugcheck, whose number is the same.
        {"code": "INVALID_SOFTWARE_INTERRUPT"},
    ]);
    assert_eq!(outcomes(&claims, ABORT), ["found", "found", "found", "contradicted"]);
}

#[test]
fn what_is_not_so_is_contradicted_and_what_is_made_up_is_not_there() {
    let claims = json!([
        {"code": "0xC0000374"},
        {"module": "ntdll.dll", "role": "faulting"},
        {"process": "word.exe"},
        {"time": "1999-01-01T00:00:00Z"},
        {"cause": "heap-corruption"},
        {"quote": "the quick brown fox jumps over the lazy dog"},
        {"host": "NO-SUCH-PC"},
    ]);
    assert_eq!(
        outcomes(&claims, CUDNN),
        ["contradicted", "contradicted", "contradicted", "contradicted", "contradicted", "not-there", "not-there"]
    );
    verify(&claims, &[CUDNN]).ends_with(1);
}

#[test]
fn quotes_are_found_in_texts_with_their_lines_and_in_logs_and_dumps() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("text");
    let ticket = "Hello,\n\nthe program says: Could not\n  load library cudnn_cnn_infer64_8.dll. Error code 126\n";
    fs::write(folder.path().join("mail.txt"), ticket).expect("a text");
    let claims = json!([
        {"quote": "Could not load library cudnn_cnn_infer64_8.dll"},
        {"quote": "Hello, the program says"},
        {"quote": "Could not load library", "artifact": "mail.txt"},
        {"quote": "Could not load library", "artifact": "other.txt"},
    ]);
    let checked = verify(&claims, &["-f", "json", path]).json();
    let of = |index: usize, key: &str| list(&checked, "claims")[index][key].clone();
    assert_eq!((0..4).map(|index| of(index, "outcome")).collect::<Vec<_>>(), ["found", "found", "found", "not-there"]);
    assert_eq!(of(1, "found_at")["place"], "line 1");
    let dump = json!([{"quote": "cudnn64_8.dll"}]);
    assert_eq!(outcomes(&dump, CUDNN), ["found"]);
}

#[test]
fn what_holds_no_claims_is_a_usage_error_and_a_claim_that_can_not_be_checked_is_named() {
    for (claims, reason) in [(json!([]), "it has 0 claims"), (json!({"claim": []}), "unknown field `claim`")] {
        let refused = verify(&claims, &[CUDNN]).ends_with(2);
        assert!(refused.stderr.contains(reason) && refused.stdout.is_empty(), "{refused:#?}");
    }
    // One claim that says nothing costs no other its answer, and is shown as it was given.
    let claims = json!([
        {"module": "cudnn64_8.dll"}, {"code": "twelve"}, {"time": "2024-11-11"}, {"quote": "a", "code": 5},
        {"cause": "missing-dependency", "confidence": 0.9}, {"module": 5},
    ]);
    let checked = verify(&claims, &["-f", "json", CUDNN]).json();
    let says = list(&checked, "claims").iter().map(|checked| text(checked, "says")).collect::<Vec<_>>();
    assert_eq!(list(&checked, "claims")[0]["outcome"], "found");
    assert_eq!(list(&checked, "claims")[4]["claim"], claims[4]);
    for (says, reason) in says[1..].iter().zip([
        "`code` is no number",
        "write `time` with its zone",
        "write one of quote",
        "unknown field `confidence`",
        "expected a string",
    ]) {
        assert!(says.starts_with("it can't be checked: ") && says.contains(reason), "{says}");
    }
    let nothing = verify(&json!([{"quote": "a"}]), &["no/such/folder"]).ends_with(4);
    assert!(nothing.stderr.contains("nothing that can be analyzed was found"), "{nothing:#?}");
}
