//! The README's commands, run as a newcomer would.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(project().join("README.md")).expect("README.md")
}

/// The content of the first fenced block of a language in a text.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let start = format!("```{language}\n");
    let (_, rest) = text.split_once(&start).expect("a block of this language");
    rest.split_once("\n```").expect("an end").0
}

fn crashsift(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crashsift")).args(arguments).current_dir(folder).output().expect("it runs")
}

#[test]
fn the_output_that_is_shown_is_what_the_program_prints() {
    let readme = readme();
    let (command, shown) = block(&readme, "console").split_once('\n').expect("a command and its output");
    let arguments: Vec<&str> = command.trim_start_matches("$ crashsift ").split(' ').collect();
    let output = crashsift(&arguments, project());
    // The number of rules changes with every rule, and is not compared.
    let uncounted = |line: &str| match line.split_once(" (") {
        Some((set, _)) if line.starts_with("  rule set  ") => format!("{set} (... rules)"),
        _ => line.to_owned(),
    };
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed.trim_end().lines().map(uncounted).collect::<Vec<_>>(), shown.lines().collect::<Vec<_>>());
}

/// One step of a section for a newcomer.
#[derive(Debug, PartialEq)]
enum Step<'t> {
    /// Writes a fenced block into the file that was named last before it.
    Write(&'t str, String),
    /// Runs a command.
    Type(&'t str),
}

/// The steps of a section: its fenced blocks and its indented commands.
fn steps(section: &str) -> Vec<Step<'_>> {
    let (mut steps, mut file, mut block) = (Vec::new(), None, None);
    for line in section.lines() {
        if line.starts_with("```") {
            match block.take() {
                None => block = Some(String::new()),
                Some(text) => steps.push(Step::Write(file.expect("a file is named before its content"), text)),
            }
        } else if let Some(text) = &mut block {
            text.push_str(line);
            text.push('\n');
        } else if let Some(command) = line.strip_prefix("    crashsift ") {
            steps.push(Step::Type(command));
        } else {
            let named = line.split('`').skip(1).step_by(2).filter(|code| code.contains('.') && !code.contains(' '));
            file = named.last().or(file);
        }
    }
    steps
}

/// The confidence of a report's only verdict, percent, and its rule.
fn verdict(report: &str) -> (u32, &str) {
    assert!(report.starts_with("crashsift: 1 artifact, 1 incident\n"), "{report}");
    let row = |label: &str| report.lines().find_map(|line| line.strip_prefix("  ")?.strip_prefix(label)).map(str::trim);
    let sure = row("how sure ").and_then(|sure| sure.split_once('(')?.1.strip_suffix(" %)")?.parse().ok());
    (sure.expect("how sure it is"), row("rule ").expect("a rule"))
}

#[test]
fn following_the_five_minutes_makes_an_own_rule_match() {
    let readme = readme();
    let (_, section) = readme.split_once("\n## Add a rule in five minutes\n").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let mut said = Vec::new();
    for step in steps(section) {
        match step {
            Step::Write(file, text) => {
                let path = folder.path().join(file);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(path, text).expect("a file");
            }
            Step::Type(command) => {
                let output = crashsift(&command.split(' ').collect::<Vec<_>>(), folder.path());
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(output.status.success(), "{command}: {text}{}", String::from_utf8_lossy(&output.stderr));
                said.push((command.to_owned(), text));
            }
        }
    }
    let commands: Vec<&str> = said.iter().filter_map(|(command, _)| command.split(" -").next()).collect();
    let expected = ["analyze ticket.txt", "rules new", "rules check my-rules", "rules test", "analyze"];
    assert_eq!(commands, expected);
    let of = |place: usize| said.get(place).map(|(_, text)| text.as_str()).expect("it was said");
    // The built-in rules give a weak lead; the own rule gives the verdict, with its confidence.
    let (before, after) = (verdict(of(0)), verdict(of(4)));
    assert!((30..45).contains(&before.0) && before.1.starts_with("application/"), "{before:?}");
    assert!(of(0).find("What to do") < of(0).find("What to collect next") && !of(0).contains("demo/"), "{}", of(0));
    assert_eq!(after, (60, "demo/example-overlay"));
    assert_eq!(of(2), "1 rule: 0 errors, 0 warnings\n");
    assert!(of(3).ends_with("1 rule: 4 tests passed, 0 failed\n"), "{}", of(3));
    assert!(of(4).contains("game.exe crashed in examplecanvas64.dll"), "{}", of(4));
}

#[test]
fn the_draft_of_the_five_minutes_has_the_selections_of_the_finished_rule() {
    let readme = readme();
    let (_, section) = readme.split_once("\n## Add a rule in five minutes\n").expect("the section");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ticket.txt"), block(section, "text")).expect("a ticket");
    let output = crashsift(&["rules", "new", "--from", "ticket.txt"], folder.path());
    let draft = String::from_utf8_lossy(&output.stdout).into_owned();
    let selections = |text: &str| -> Vec<String> {
        let (_, rest) = text.split_once("    selections:\n").expect("selections");
        let (selections, _) = rest.split_once("    explanation:").expect("their end");
        selections.lines().filter(|line| !line.trim().starts_with('#')).map(str::to_owned).collect()
    };
    assert_eq!(selections(&draft), selections(block(section, "yaml")));
}

/// A guide with what the program prints now below each of its commands. The other fenced blocks are written into the
/// files that are named before them, and the commands run in their folder, those about `samples/` in the project's.
fn reprinted(guide: &str, folder: &Path) -> String {
    let (mut page, mut file) = (String::new(), None);
    for (place, piece) in guide.split("\n```").enumerate() {
        if place > 0 {
            page.push_str("\n```");
        }
        if place % 2 == 0 {
            let named =
                piece.split('`').skip(1).step_by(2).filter(|code| code.ends_with(".yaml") || code.ends_with(".txt"));
            file = named.last().or(file);
            page.push_str(piece);
            continue;
        }
        let (language, text) = piece.split_once('\n').expect("a block with a language");
        if language != "console" {
            let path = folder.join(file.expect("a file is named before its content"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, format!("{text}\n")).expect("a file");
            page.push_str(piece);
            continue;
        }
        page.push_str(language);
        for command in text.lines().filter_map(|line| line.strip_prefix("$ crashsift ")) {
            let folder = if command.contains("samples/") { project() } else { folder };
            let output = crashsift(&command.split(' ').collect::<Vec<_>>(), folder);
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8_lossy(&printed);
            assert!(output.status.success(), "{command}: {printed}");
            page.push_str(&format!("\n$ crashsift {command}\n{}", printed.trim_end()));
        }
    }
    page
}

/// `SNAPSHOTS=overwrite cargo test --test main readme::` writes what the program prints into the guides.
#[test]
fn guides_show_what_the_program_prints() {
    for name in ["reading-a-report", "what-artifacts-prove", "writing-a-rule"] {
        let path = project().join(format!("docs/guide/{name}.md"));
        let guide = fs::read_to_string(&path).expect("a guide");
        let folder = tempfile::tempdir().expect("a folder");
        let expected = snapbox::Data::read_from(&path, None).raw();
        let page = snapbox::Data::text(reprinted(&guide, folder.path())).raw();
        snapbox::Assert::new().action_env("SNAPSHOTS").eq(page, expected);
    }
}

#[test]
fn getting_it_takes_at_most_five_commands_on_each_system() {
    let readme = readme();
    let (_, section) = readme.split_once("\n## Get it\n").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    for (system, last) in
        [("On Linux", "crashsift analyze FOLDER"), ("On Windows", r".\crashsift analyze C:\Windows\Minidump")]
    {
        let (_, part) = section.split_once(&format!("\n{system}")).expect("the system's commands");
        let commands =
            part.lines().skip_while(|line| !line.starts_with("    ")).map_while(|line| line.strip_prefix("    "));
        let commands: Vec<&str> = commands.collect();
        assert!((1..=5).contains(&commands.len()), "{commands:?}");
        assert_eq!(commands.last(), Some(&last));
        let archive = format!("crashsift-{}-x86_64-pc-windows-msvc", env!("CARGO_PKG_VERSION"));
        assert!(system == "On Linux" || commands.first().is_some_and(|first| first.contains(&archive)), "{commands:?}");
    }
}
