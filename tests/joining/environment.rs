//! The environment of a crash: its `environment` in the report, and facts about all loaded modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facts::{FactSet, schema};
use pipeline::{Options, inspect};
use rules::RuleSet;
use samplekit::FileTime;
use samplekit::minidump::{Minidump, Module};

/// Environment and facts of the only incident in a file.
fn only_incident(path: PathBuf) -> (BTreeMap<&'static str, String>, FactSet) {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let inspected = inspect(&[path], &rules, &Options::default());
    let mut incidents = inspected.incidents.into_iter();
    let (incident, facts) = incidents.next().expect("an incident");
    assert!(incidents.next().is_none(), "only one incident");
    (incident.environment, facts)
}

fn sample(file: &str) -> (BTreeMap<&'static str, String>, FactSet) {
    only_incident(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(file))
}

fn ticket(text: &str) -> (BTreeMap<&'static str, String>, FactSet) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ticket.txt");
    std::fs::write(&path, text).expect("a ticket");
    only_incident(path)
}

/// The facts of these names as reports print them, without absent ones.
fn shown(facts: &FactSet, names: &[&str]) -> Vec<String> {
    let of = |name: &&str| {
        let definition = schema::scalar(name).unwrap_or_else(|| panic!("{name} is a fact"));
        Some(format!("{name} = {}", facts.get(name)?.value.display(definition.kind)))
    };
    names.iter().filter_map(of).collect()
}

/// The environment of a program that has loaded these modules.
fn card_of(paths: &[&str]) -> BTreeMap<&'static str, String> {
    let module = |(number, path): (u64, &&str)| {
        let base = 0x7FFB_1000_0000_u64.saturating_add(number.saturating_mul(0x10_0000));
        Module::windows(path, None, base, 0x1_0000)
    };
    let program = Module::windows(r"C:\demo\demo.exe", None, 0x7FF6_4000_0000, 0x1_0000);
    let modules = std::iter::once(program).chain((0..).zip(paths).map(module)).collect();
    let dump = Minidump::crashed(FileTime::utc(2024, 5, 6, 12, 0, 0), 0x7FF6_4000_1000, modules);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dmp");
    std::fs::write(&path, dump.to_bytes()).expect("a dump");
    only_incident(path).0
}

#[test]
fn of_many_copies_two_are_named_and_the_others_counted() {
    const PLACES: [&str; 4] =
        [r"C:\one\msvcp140.dll", r"C:\two\msvcp140.dll", r"C:\three\msvcp140.dll", r"C:\four\msvcp140.dll"];
    assert_eq!(card_of(&[PLACES[0]]).get("duplicates"), None);
    assert_eq!(card_of(&[PLACES[0], PLACES[1]])["duplicates"], r"msvcp140.dll from C:\one and C:\two");
    assert_eq!(card_of(&PLACES)["duplicates"], r"msvcp140.dll from C:\one and C:\two and 2 more");
}

/// Up to CUDA 10, the file name contains the minor version.
#[test]
fn the_names_of_cublas_have_two_numbers_before_cuda_11() {
    for (name, number) in [("cublas64_100.dll", "10.0"), ("cublas64_10.dll", "10.0"), ("cublas64_11.dll", "11")] {
        assert_eq!(card_of(&[&format!(r"C:\cuda\{name}")])["cublas"], number, "{name}");
    }
}

/// Windows contains an `onnxruntime.dll`, and no library of CUDA.
#[test]
fn only_what_windows_does_not_bring_is_misplaced_in_its_folder() {
    let card = card_of(&[r"C:\Windows\System32\onnxruntime.dll", r"C:\Windows\System32\cudnn64_8.dll"]);
    assert_eq!(card["misplaced"], r"cudnn64_8.dll in C:\Windows\System32");
}

#[test]
fn a_driver_below_the_minimum_of_the_loaded_runtime_is_a_fact() {
    let (card, facts) = sample("driver-too-old/python.exe.10120.dmp");
    assert_eq!(
        shown(&facts, &["compat.cuda_driver", "compat.cuda_driver_minimum", "compat.cuda_driver_release", "cpu.avx2"]),
        [
            "compat.cuda_driver = too-old",
            "compat.cuda_driver_minimum = 525.00",
            "compat.cuda_driver_release = 456.71",
            "cpu.avx2 = true"
        ]
    );
    assert_eq!(card["gpu_driver"], "456.71");
    assert_eq!(card["python_detail"], "3.11.9, from the installer of python.org");
    assert_eq!(card["pytorch"], "version not known, in site-packages");
    assert_eq!(card["cpu_extensions"], "SSE4.2, AVX, AVX2 without AVX-512");
}

#[test]
fn libraries_that_no_toolkit_has_both_are_a_fact() {
    let names = ["compat.cuda_names", "cuda_mix.first", "cuda_mix.second", "compat.cudnn_names", "compat.cuda_driver"];
    let (_, mixed) = sample("libraries-of-two-toolkits/python.exe.14032.dmp");
    assert_eq!(
        shown(&mixed, &names),
        [
            "compat.cuda_names = other",
            "cuda_mix.first = cudart64_110.dll",
            "cuda_mix.second = cublas64_12.dll",
            "compat.cudnn_names = other",
            "compat.cuda_driver = enough"
        ]
    );
    let (_, matching) = sample("access-violation-cudnn/python.exe.4312.dmp");
    assert_eq!(
        shown(&matching, &names),
        ["compat.cuda_names = fits", "compat.cudnn_names = fits", "compat.cuda_driver = enough"]
    );
}

#[test]
fn copies_and_wrong_places_are_listed() {
    let (card, facts) = sample("two-copies-of-cublas/python.exe.3308.dmp");
    assert_eq!(facts.list("duplicates").map(<[_]>::len), Some(1));
    assert!(card["duplicates"].starts_with("cublas64_11.dll from "), "{}", card["duplicates"]);
    let (_, facts) = sample("cudnn-in-windows-folder/python.exe.6644.dmp");
    let libraries = facts.list("cuda_libraries").expect("a whole module list");
    let places: Vec<String> = libraries
        .iter()
        .filter_map(|library| Some(library.get("installation")?.display(schema::FactType::Text)))
        .collect();
    assert_eq!(places.iter().filter(|place| *place == "system").count(), 1);
    assert_eq!(places.iter().filter(|place| *place == "conda").count(), libraries.len() - 1);
}

#[test]
fn the_runtime_that_was_loaded_first_is_a_fact() {
    let (card, facts) = sample("old-vc-runtime/python.exe.19480.dmp");
    assert_eq!(
        shown(
            &facts,
            &["environment.msvcp140", "environment.msvcp140_location", "compat.msvcp140", "compat.msvcp140_needed_by"]
        ),
        [
            "environment.msvcp140 = 14.29.30139.0",
            "environment.msvcp140_location = site-packages",
            "compat.msvcp140 = too-old",
            "compat.msvcp140_needed_by = c10.dll"
        ]
    );
    assert_eq!(card["onnxruntime"], "1.19, in site-packages");
}

#[test]
fn without_a_module_list_it_is_unknown_what_was_loaded_first_or_twice() {
    let (_, facts) = sample("event-pair-named/Application.evtx");
    assert!(["duplicates", "frameworks", "cuda_libraries"].iter().all(|list| facts.list(list).is_none()));
    assert!(facts.get("environment.msvcp140").is_none());
}

#[test]
fn a_text_states_versions_that_are_looked_up_and_marked() {
    let (card, facts) = ticket(
        "python.exe ended with exit code -1073740791 (0xC0000409)\n\
         TensorFlow: 2.4.0\nCUDA: 11.2\ncuDNN: 7.6.5\nDisplay driver version: 461.40\nCPU: AMD Ryzen 7 5800X\n",
    );
    assert_eq!(
        shown(
            &facts,
            &[
                "compat.tensorflow_cuda",
                "compat.tensorflow_missing",
                "compat.tensorflow_cudnn",
                "compat.tensorflow_built_with_cudnn",
                "compat.cuda_driver",
                "environment.cuda"
            ]
        ),
        [
            "compat.tensorflow_cuda = other",
            "compat.tensorflow_missing = cusolver64_10.dll",
            "compat.tensorflow_cudnn = other",
            "compat.tensorflow_built_with_cudnn = 8.0",
            "compat.cuda_driver = enough"
        ]
    );
    assert_eq!(card["tensorflow"], "2.4 (as the text says)");
    assert_eq!(card["gpu_driver"], "461.40 (as the text says)");
    assert_eq!(card["cpu_name"], "AMD Ryzen 7 5800X (as the text says)");
}

#[test]
fn the_faulting_module_gives_a_version_where_no_list_does() {
    let (card, _) = ticket(
        "Faulting application name: python.exe, version: 3.10.11150.1013, time stamp: 0x642cc427\n\
         Faulting module name: nvcuda64.dll, version: 32.0.15.6070, time stamp: 0x66a7e7e5\n\
         Exception code: 0xc0000005\nFault offset: 0x00000000000f3a1c\n",
    );
    assert_eq!(card["gpu_driver"], "560.70");
}

#[test]
fn what_a_text_states_of_a_machine_is_marked_and_comes_after_what_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/one-crash-three-artifacts");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let text = folder.path().join("mail.txt");
    let machine = |paths: &[PathBuf]| {
        let inspected = inspect(paths, &rules, &Options::default());
        inspected.machines.into_iter().next().expect("a machine")
    };
    let alone = machine(std::slice::from_ref(&sample));
    std::fs::write(&text, format!("Host Name: {}\nIt came with Nvidia driver 512.15\n", alone.host)).expect("a text");
    let told = machine(&[sample, text]);
    match alone.environment.get("gpu_driver") {
        Some(recorded) => assert_eq!(told.environment.get("gpu_driver"), Some(recorded)),
        None => assert_eq!(told.environment["gpu_driver"], "512.15 (as the text says)"),
    }
}

#[test]
fn the_copy_of_a_log_adds_nothing_to_the_timeline() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/shut-down-by-heat");
    let log = sample.join("System.evtx");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let timeline = || {
        let folder = [folder.path().to_path_buf()];
        let inspected = inspect(&folder, &rules, &Options::default());
        let entries = inspected.machines.into_iter().flat_map(|machine| machine.timeline);
        entries.map(|entry| (entry.time, entry.sentence)).collect::<Vec<_>>()
    };
    std::fs::copy(&log, folder.path().join("System.evtx")).expect("copied");
    let once = timeline();
    assert!(once.len() > 1, "{once:?}");
    std::fs::copy(&log, folder.path().join("System-export.evtx")).expect("copied");
    assert_eq!(timeline(), once);
}
