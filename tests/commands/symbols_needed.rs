//! `crashsift symbols-needed`, and the row of reports that names the same files.

use std::fs;
use std::path::Path;

use fuzz::shop::{IMAGE, PDB, dump, stored_image, stored_pdb};

use crate::program::{list, run};

fn with_dump(check: impl FnOnce(&Path, &str)) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.dmp");
    fs::write(&path, dump().to_bytes()).expect("written");
    check(folder.path(), path.to_str().expect("text"));
}

fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, bytes).expect("written");
}

#[test]
fn files_are_listed_as_symbol_stores_name_them_and_no_longer_when_they_are_given() {
    with_dump(|folder, path| {
        let listed = run(["symbols-needed", path]).ends_with(0);
        assert_eq!(listed.stdout, format!("{}\n{}\n", stored_image(), stored_pdb()));
        write(folder, &format!("store/{}", stored_image()), IMAGE);
        let store = folder.join("store");
        let store = store.to_str().expect("text");
        let listed = run(["symbols-needed", "--symbols", store, path]).ends_with(0);
        let first = listed.stdout.lines().next();
        assert_eq!(first, Some(stored_pdb().as_str()), "the image shows the caller, and no names");
        assert!(!listed.stdout.contains(&stored_image()) && listed.stdout.contains("app.exe/"), "{}", listed.stdout);
        write(folder, &format!("store/{}", stored_pdb()), PDB);
        let listed = run(["symbols-needed", "--symbols", store, path]).ends_with(0);
        assert!(!listed.stdout.contains("shop64"), "{}", listed.stdout);
    });
}

#[test]
fn in_json_each_file_has_its_reason() {
    with_dump(|folder, path| {
        fs::copy(path, folder.join("again.dmp")).expect("a copy");
        let shown = run(["symbols-needed", "-f", "json", path, folder.to_str().expect("text")]).ends_with(0).json();
        let files = list(&shown, "symbols_needed");
        assert_eq!(files.len(), 2);
        assert_eq!((&files[0]["kind"], &files[0]["shows"]), (&"image".into(), &"caller".into()));
        assert_eq!(files[0]["reason"], "shows which function called shop64.dll+0x1032");
        assert_eq!((&files[1]["kind"], &files[1]["shows"]), (&"pdb".into(), &"function".into()));
        assert_eq!(files[1]["reason"], "names the function at shop64.dll+0x1032");
        assert_eq!(files[1]["path"], stored_pdb());
    });
}

#[test]
fn reports_name_what_is_missing() {
    with_dump(|_, path| {
        let text = run(["analyze", "-q", path]).ends_with(0).stdout;
        assert!(text.contains("shop64.pdb, which names"), "{text}");
        let report = run(["analyze", "-q", "-f", "json", path]).ends_with(0).json();
        let incident = &list(&report, "incidents")[0];
        assert_eq!(list(incident, "symbols_needed").len(), 2);
    });
}

#[test]
fn of_evidence_without_dumps_nothing_is_listed() {
    let listed = run(["symbols-needed", "samples/power-lost"]).ends_with(0);
    assert_eq!(listed.stdout, "");
    assert!(listed.stderr.contains("no image and no PDB would show more"), "{}", listed.stderr);
}
