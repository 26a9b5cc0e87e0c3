//! Settings: from which place each comes, mistakes in them, and where they are never taken from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Run, crashsift, finish};

/// A computer with a user's folder, a project with a folder in it, and evidence elsewhere.
struct Computer {
    folder: tempfile::TempDir,
}

impl Computer {
    fn new() -> Self {
        let computer = Self { folder: tempfile::tempdir().expect("a folder") };
        for folder in ["settings/crashsift", "project/sub", "evidence/sub"] {
            fs::create_dir_all(computer.at(folder)).expect("a folder");
        }
        fs::copy("samples/stack-overflow/python.exe.5316.dmp", computer.at("evidence/a.dmp")).expect("copied");
        fs::copy("tests/command_line/site.yaml", computer.at("project/site.yaml")).expect("copied");
        computer
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder").join(path)
    }

    fn user(&self, settings: &str) {
        fs::write(self.at("settings/crashsift/crashsift.toml"), settings).expect("a file");
    }

    fn project(&self, settings: &str) {
        fs::write(self.at("project/crashsift.toml"), settings).expect("a file");
    }

    #[track_caller]
    fn run_in(&self, folder: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = crashsift(arguments);
        command.current_dir(self.at(folder)).env_remove("CRASHSIFT_CONFIG");
        command.env("XDG_CONFIG_HOME", self.at("settings")).env("APPDATA", self.at("settings"));
        command.envs(variables.iter().copied());
        finish(command, b"")
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_later_place_counts_more_and_the_command_line_most() {
    let computer = Computer::new();
    computer.user("format = \"csv\"\njobs = 2\nno-builtin-rules = true\nexclude = [\"*.txt\", \"*.pdf\"]\n");
    computer.project("# of the project\nformat = \"jsonl\"\nrules = [\"site.yaml\"]\n");
    let (user, project) =
        (shown(&computer.at("settings/crashsift/crashsift.toml")), shown(&computer.at("project/crashsift.toml")));
    let printed = computer.run_in("project/sub", &["config"], &[("CRASHSIFT_JOBS", "3"), ("CRASHSIFT_FORMT", "x")]);
    assert_eq!(
        printed.ends_with(0).stdout,
        format!(
            "# read: {user}\n# read: {project}\n\
             # CRASHSIFT_FORMT is not used: did you mean CRASHSIFT_FORMAT?\n\
             exclude = [\"*.txt\", \"*.pdf\"]  # {user}:4\n\
             format = \"jsonl\"  # {project}:2\n\
             jobs = \"3\"  # CRASHSIFT_JOBS\n\
             no-builtin-rules = true  # {user}:3\n\
             rules = [\"site.yaml\"]  # {project}:3\n\
             # not set: baseline, by-folder, cache, cause, color, csv-bom, fail-on, full, local-time, mergeable, min-confidence, \
             module, no-progress, no-stack-walk, password-file, process, quiet, redact, since, strict, summary, symbols, \
             threads, until\n"
        )
    );
    let lines = computer.run_in("project/sub", &["../../evidence/a.dmp"], &[]).ends_with(0);
    assert!(lines.stdout.starts_with("{\"type\":\"run\""), "{lines:#?}");
    assert!(lines.stdout.contains("\"name\":\"site\"") && !lines.stdout.contains("\"name\":\"builtin\""), "{lines:#?}");
    let note = format!(
        "settings in force: format ({project}:2), rules ({project}:3), jobs ({user}:2), no-builtin-rules ({user}:3), \
         exclude ({user}:4)\n"
    );
    assert!(lines.stderr.contains(&note), "{lines:#?}");
    let document = computer.run_in("project", &["analyze", "-q", "-f", "json", "../evidence/a.dmp"], &[]).ends_with(0);
    assert_eq!((document.json()["schema_version"].as_str(), document.stderr.as_str()), (Some("1.0"), ""));
    // The ending of an output is its format.
    let output = computer.at("evidence-report.json");
    let output = output.to_str().expect("text");
    computer.run_in("project", &["analyze", "-q", "-o", output, "../evidence/a.dmp"], &[]).ends_with(0);
    assert!(fs::read_to_string(output).expect("a report").contains("\n  \"schema_version\""));
    // `--full` and `--format` exclude each other: what the command line names counts.
    computer.run_in("project", &["analyze", "--full", "../evidence/a.dmp"], &[]).ends_with(0);
    let table = computer.run_in("evidence/sub", &["analyze", "../a.dmp"], &[]).ends_with(0);
    assert!(table.stdout.contains(",python.exe,"), "{table:#?}");
}

#[test]
fn what_is_left_out_by_a_setting_is_said_and_misspelt_variables_are_noted() {
    let computer = Computer::new();
    computer.project("process = [\"other*.exe\"]\nsince = \"2024-01-01\"\n");
    let run = |arguments: &[&str]| {
        computer.run_in("project", &[&["../evidence", "-f", "json"], arguments].concat(), &[("CRASHSIFT_STRCT", "1")])
    };
    let left_out = run(&[]).ends_with(0);
    assert!(left_out.stderr.contains("CRASHSIFT_STRCT is not used: did you mean CRASHSIFT_STRICT?"), "{left_out:#?}");
    let report = left_out.json();
    assert_eq!(report["summary"]["incidents"], 0);
    assert_eq!(report["selected"]["process"], serde_json::json!(["other*.exe"]));
    assert_eq!(report["since"], "2024-01-01T00:00:00Z");
    assert_eq!(run(&["--process", "*", "-q"]).ends_with(0).stderr, "");
    let host = computer.run_in("project", &["config"], &[("CRASHSIFT_HOST", "PC-7"), ("CRASHSIFT_RULES", "")]);
    assert!(host.stdout.contains("# CRASHSIFT_HOST is not used: `host` is no setting\n"), "{host:#?}");
    assert!(!host.stdout.contains("RULES"), "{host:#?}");
}

#[test]
fn names_can_always_be_replaced_and_times_always_be_local() {
    let computer = Computer::new();
    computer.user("redact = true\nlocal-time = true\nno-builtin-rules = true\n");
    let run = |variables: &[(&str, &str)]| {
        let variables = [&[("TZ", "XXX-2")], variables].concat();
        computer.run_in("project/sub", &["../../evidence", "-f", "text"], &variables).ends_with(0)
    };
    let redacted = run(&[]);
    assert!(redacted.stdout.contains("+02:00") && redacted.stderr.contains("redact ("), "{redacted:#?}");
    let plain = run(&[("CRASHSIFT_LOCAL_TIME", "false"), ("CRASHSIFT_REDACT", "false")]);
    assert!(!plain.stdout.contains("+02:00") && plain.stdout != redacted.stdout, "{plain:#?}");
}

#[test]
fn a_mistake_is_shown_with_its_line_and_what_would_be_right() {
    let computer = Computer::new();
    for (settings, says) in [
        (
            "\nformt = \"json\"\n",
            ":2: `formt` is no setting; did you mean `format`? There are: baseline, by-folder, cache, cause,",
        ),
        (
            "format = \"xml\"\n",
            ":1: invalid value 'xml' for '--format <FORMAT>' [possible values: text, screen, brief, json,",
        ),
        ("jobs = 0\n", ":1: invalid value '0' for '--jobs <N>': write a number of threads from 1 to 1024"),
        ("strict = \"yes\"\n", ":1: `strict` is `true` or `false`"),
        ("format = [\"json\"]\n", ":1: `format` has one value and no list"),
        (
            "\n\njobs = 2024-01-01\n",
            ":3: `jobs` can be a text, a number, `true`, `false` or a list of these, and no datetime",
        ),
        ("[analyze]\njobs = 2\n", ":1: `analyze` is no setting;"),
        ("format = \"json\nstrict = true\n", ":1: "),
        ("full = true\nformat = \"json\"\n", ":2: `format` can't be set together with `full`"),
    ] {
        computer.project(settings);
        let run = computer.run_in("project", &["analyze", "../evidence"], &[]).ends_with(2);
        let place = format!("{}{says}", shown(&computer.at("project/crashsift.toml")));
        assert!(run.stderr.contains(&place), "{settings}: {run:#?}");
        assert_eq!(run.stdout, "");
    }
    computer.project("");
    let run = computer.run_in("project", &["analyze", "../evidence"], &[("CRASHSIFT_STRICT", "yes")]).ends_with(2);
    assert!(run.stderr.contains("CRASHSIFT_STRICT: `strict` is `true` or `false`"), "{run:#?}");
    let run =
        computer.run_in("project", &["analyze", "../evidence"], &[("CRASHSIFT_CONFIG", "none.toml")]).ends_with(2);
    assert!(run.stderr.contains("CRASHSIFT_CONFIG: none.toml: no such file"), "{run:#?}");
}

#[test]
fn settings_are_never_taken_from_the_analyzed_files() {
    let computer = Computer::new();
    fs::write(computer.at("evidence/crashsift.toml"), "format = \"no such format\"\n").expect("a file");
    let planted = shown(&computer.at("evidence/crashsift.toml"));
    for (here, path) in [("evidence", "."), ("evidence", "a.dmp"), ("evidence/sub", ".."), ("evidence/sub", "../a.dmp")]
    {
        let run = computer.run_in(here, &["analyze", "-f", "json", path], &[]).ends_with(0);
        assert!(run.stderr.contains(&format!("{planted} is not used: it lies among the analyzed files")), "{run:#?}");
    }
    let mut command = crashsift(["analyze", "-f", "json", "-"]);
    command.current_dir(computer.at("evidence")).env_remove("CRASHSIFT_CONFIG").stdin(std::process::Stdio::piped());
    command.env("XDG_CONFIG_HOME", computer.at("settings"));
    let run = finish(command, b"a.dmp\n").ends_with(0);
    assert!(run.stderr.contains("listed on standard input"), "{run:#?}");
    // Elsewhere the same file is one of a project, with its mistake.
    computer.run_in("evidence", &["analyze", "../project/site.yaml"], &[]).ends_with(2);
}

#[cfg(unix)]
#[test]
fn a_project_file_of_another_user_is_not_used() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let computer = Computer::new();
    computer.project("format = \"csv\"\n");
    let file = computer.at("project/crashsift.toml");
    nix::unistd::chown(&file, Some(nix::unistd::Uid::from_raw(65534)), None).expect("root can give files away");
    let run = computer.run_in("project", &["analyze", "-f", "json", "../evidence"], &[]).ends_with(0);
    assert!(run.stderr.contains(&format!("{} is not used: it belongs to another user", shown(&file))), "{run:#?}");
}
