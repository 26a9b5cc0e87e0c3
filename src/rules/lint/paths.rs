//! Paths that only one machine has.

use super::{Linted, comparisons};
use crate::facts::FactType;
use crate::rules::compare::{Compare, Part};
use crate::yaml::Diagnostic;

/// `R084`: a whole path, or one below a user's own profile.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms() {
        for (kind, compare) in comparisons(&term.test) {
            if let Some(path) = one_machines(kind, compare) {
                let message = format!("only machines where it lies in this very folder have `{path}`");
                let help = "compare the name or the end of the path (`endswith`), or ask for its place (`place`)";
                rule.warn("R084", term.span, message, help, found);
            }
        }
    }
}

/// The first such path that a comparison is with.
fn one_machines(kind: FactType, compare: &Compare) -> Option<&str> {
    match compare {
        Compare::Equal(values) => {
            let mut texts = values.iter().filter_map(|value| value.text());
            texts.find(|text| (kind == FactType::Path && has_drive(text)) || has_user(text))
        }
        Compare::Part { parts, .. } => parts.iter().map(Part::text).find(|part| has_user(part)),
        _ => None,
    }
}

/// Whether a folded text begins with a drive and a folder.
fn has_drive(text: &str) -> bool {
    text.as_bytes().get(1..3) == Some(br":\") && !text.starts_with(r"c:\windows\")
}

/// Whether a folded text names the profile of a user, and something in it.
fn has_user(text: &str) -> bool {
    let slashes = text.replace('/', "\\");
    let Some((_, rest)) = slashes.split_once(r":\users\") else { return false };
    let Some((name, _)) = rest.split_once('\\') else { return false };
    !name.is_empty() && !["public", "default", "all users"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_own_folder_is_told_from_those_of_all() {
        for (text, expected) in [
            (r"c:\users\ann\app\x.dll", true),
            ("error in c:/users/ann/train.py", true),
            (r"c:\users\public\x.dll", false),
            (r"c:\users\", false),
            (r"\appdata\local\", false),
        ] {
            assert_eq!(has_user(text), expected, "{text}");
        }
        assert!(has_drive(r"d:\app\app.exe") && !has_drive(r"c:\windows\system32\a.dll") && !has_drive(r"\app\a.dll"));
    }
}
