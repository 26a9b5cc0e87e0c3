//! The version of the program that a rule set needs (`tool` in `ruleset.yaml`).

use std::sync::Arc;

use evidence::Version;
use spanned_yaml::{Code, Diagnostic, Node, YamlText};

/// The version of this program.
const THIS: &str = env!("CARGO_PKG_VERSION");

/// Checks the key `tool` of a rule set, such as `tool: ">=0.2"`. Gives `R066` if the set needs a newer program (then
/// with `true`), or if the value is no version.
pub(crate) fn look(node: &Node, file: &Arc<YamlText>) -> Option<(Diagnostic, bool)> {
    let wrong = |message: String, help: &str, is_newer| {
        Some((Diagnostic::error(Code::R066, file, node.span, message).with_help(help), is_newer))
    };
    let written = node.text().unwrap_or_default().trim();
    let least = written.strip_prefix(">=").and_then(|version| version.trim().parse::<Version>().ok());
    match (least, THIS.parse::<Version>()) {
        (None, _) => {
            let help = "write the earliest version that knows all facts and modifiers of the set: `tool: '>=0.2'`";
            wrong(format!("`{written}` says of no version that it can read this rule set"), help, false)
        }
        (Some(least), Ok(this)) if this < least => {
            let help = "use a newer crashsift, or an older version of the rule set; nothing else of it was checked";
            wrong(format!("this rule set needs crashsift {written}, and this is {THIS}"), help, true)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuleSet;

    fn said(tool: &str, rule: &str) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let set = format!("name: later\nversion: '7'\nlicence: MIT\ntool: {tool}\nmore: 1\n");
        std::fs::write(folder.path().join("ruleset.yaml"), set).expect("written");
        std::fs::create_dir(folder.path().join("a")).expect("a folder");
        std::fs::write(folder.path().join("a/x.yaml"), rule).expect("written");
        let mistakes = RuleSet::load(true, &[folder.path().to_path_buf()]).expect_err("mistakes");
        mistakes.iter().map(|mistake| format!("{} {}", mistake.code, mistake.message)).collect()
    }

    #[test]
    fn of_a_set_for_a_newer_program_nothing_else_is_said() {
        let expected = format!("R066 this rule set needs crashsift >=99.1, and this is {THIS}");
        assert_eq!(said("'>=99.1'", "schema: 1\nrules:\n  - of: the future\n"), [expected]);
    }

    #[test]
    fn a_set_for_this_program_is_checked_as_ever() {
        let said = said("'>=0.1'", "schema: 1\nrules: []\n");
        assert!(said.iter().any(|one| one.starts_with("R010")), "{said:?}");
        assert!(!said.iter().any(|one| one.starts_with("R066")), "{said:?}");
    }

    #[test]
    fn only_a_least_version_can_be_asked_for() {
        let said = said("'0.2'", "schema: 1\nrules: []\n");
        assert!(said.iter().any(|one| one.starts_with("R066 `0.2` says of no version")), "{said:?}");
    }
}
