//! R084: paths that only one machine has.

use super::linted::{Linted, comparisons};
use crate::language::{Compare, Part};
use expressions::Pattern;
use facts::FactType;
use spanned_yaml::{Code, Diagnostic};

/// The folder that holds the profiles of all users, folded.
const USERS: &str = "users";
/// Profiles that every machine has.
const SHARED_PROFILES: [&str; 4] = ["public", "default", "default user", "all users"];
/// How an expression writes what parts folders, the longest first.
const SEPARATORS: [&str; 7] = [r"[\\/]", r"[/\\]", r"[\/]", r"[/\]", r"\\", "/", "."];

/// `R084`: a whole path, or one below a user's own profile.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms() {
        for (fact, compare) in comparisons(&term.test) {
            if let Some(path) = one_machines(fact.kind, compare) {
                let message = format!("only machines where it lies in this very folder have `{path}`");
                let help = "compare the name or the end of the path (`endswith`), or ask for its place (`place`)";
                rule.warn(Code::R084, term.span, message, help, found);
            }
        }
    }
}

/// The first such path that a comparison is with.
fn one_machines(kind: FactType, compare: &Compare) -> Option<String> {
    match compare {
        Compare::Equal(values) => {
            let mut texts = values.iter().filter_map(|value| value.text());
            texts.find(|text| (kind == FactType::Path && has_drive(text)) || has_user(text)).map(str::to_owned)
        }
        Compare::Part { parts, .. } => parts.iter().map(Part::text).find(|part| has_user(part)).map(str::to_owned),
        Compare::Like { patterns, .. } => patterns.iter().map(ToString::to_string).find(|pattern| has_user(pattern)),
        Compare::Regex { patterns, .. } => {
            patterns.iter().map(Pattern::written).find(|written| expression_has_user(written)).map(str::to_owned)
        }
        _ => None,
    }
}

/// Whether a folded text begins with a drive and a folder.
fn has_drive(text: &str) -> bool {
    text.as_bytes().get(1..3) == Some(br":\") && !text.starts_with(r"c:\windows\")
}

/// Whether a folded text, or a pattern, names the profile of a user, and something in it.
fn has_user(text: &str) -> bool {
    let slashes = text.replace('/', "\\");
    let Some((_, rest)) = slashes.split_once(r":\users\") else { return false };
    let Some((name, _)) = rest.split_once('\\') else { return false };
    is_one_users(name) && !name.contains(['*', '?'])
}

/// Whether a regular expression names the profile of a user, and something in it.
fn expression_has_user(written: &str) -> bool {
    let folded = written.to_lowercase();
    let is_part = |character: char| character.is_alphanumeric() || "_-".contains(character);
    folded.match_indices(USERS).any(|(at, _)| {
        let before = folded.get(..at).unwrap_or_default();
        let mut rest = folded.get(at.saturating_add(USERS.len())..).unwrap_or_default();
        let behind = rest;
        while let Some(shorter) = SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator)) {
            rest = shorter;
        }
        let name = rest.split(|character| !is_part(character)).next().unwrap_or_default();
        let follows = SEPARATORS.iter().any(|separator| before.ends_with(separator)) && rest.len() < behind.len();
        // What is repeated is part of no name, and a class or an escape is none.
        follows && is_one_users(name) && !rest.get(name.len()..).unwrap_or_default().starts_with(['*', '+', '{'])
    })
}

fn is_one_users(profile: &str) -> bool {
    !profile.is_empty() && !SHARED_PROFILES.contains(&profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_own_folder_is_told_from_those_of_all() {
        for (text, expected) in [
            (r"c:\users\ann\app\x.dll", true),
            ("error in c:/users/ann/train.py", true),
            (r"c:\users\joe\*", true),
            (r"c:\users\*\app\x.dll", false),
            (r"c:\users\public\x.dll", false),
            (r"c:\users\", false),
            (r"\appdata\local\", false),
        ] {
            assert_eq!(has_user(text), expected, "{text}");
        }
        assert!(has_drive(r"d:\app\app.exe") && !has_drive(r"c:\windows\system32\a.dll") && !has_drive(r"\app\a.dll"));
    }

    #[test]
    fn a_users_own_folder_is_seen_in_an_expression() {
        for (written, expected) in [
            ("C:.Users.joe", true),
            (r"^C:\\Users\\Joe\\app", true),
            (r":[\\/]users[\\/]joe_doe\b", true),
            (r"\\users\\[^\\]+\\appdata", false),
            (r"\\users\\\w+\\", false),
            (r"\\users\\.*\\temp", false),
            (r"\\(program files( \(x86\))?|users|programdata)\\", false),
            (r"\\users\\public\\", false),
            ("many users.they", false),
        ] {
            assert_eq!(expression_has_user(written), expected, "{written}");
        }
    }
}
