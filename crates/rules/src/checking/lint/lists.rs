//! R103 and R104: entries of lists that fit too many modules, or modules with another role.

use crate::language::{ModuleEntry, ModuleList};
use crate::reading::Lists;
use spanned_yaml::{Code, Diagnostic};

/// The lists that decide which module is the suspect, those of one role together. A module has one role.
const ROLES: [&[&str]; 5] =
    [&["carriers"], &["prefixes"], &["sentinels"], &["injected", "overlays", "security"], &["windows-drivers"]];
/// The only two roles that a module can have at once.
const TOGETHER: [&str; 2] = ["carriers", "sentinels"];

/// A name that no module has: a pattern that fits it fits every name.
const NO_NAME: &str = "\u{1}~\u{1}";
/// Endings of modules' names.
const ENDINGS: [&str; 4] = ["", ".dll", ".exe", ".sys"];

/// `R103` and `R104` for the lists of a rule set beside the built-in ones.
pub(crate) fn lint<'l>(own: impl Iterator<Item = &'l ModuleList>, builtin: &Lists, found: &mut Vec<Diagnostic>) {
    for list in own {
        for entry in &list.entries {
            if let Some(pattern) = &entry.pattern
                && let Some(ending) = ENDINGS.iter().find(|ending| pattern.fits(&format!("{NO_NAME}{ending}")))
            {
                let message = match *ending {
                    "" => "every module fits this pattern".to_owned(),
                    ending => format!("every module with the ending `{ending}` fits this pattern"),
                };
                let help = "write what the names begin with, and `*` only for what differs between versions";
                found.push(Diagnostic::warning(Code::R103, &list.file, entry.span, message).with_help(help));
            } else if let Some((name, other)) = in_another_role(entry, list, builtin) {
                let message = format!("`{name}` is in the built-in list `{}`, and a module has one role", other.name());
                let help = "leave it out here, or say in your own rules what it means to them";
                found.push(Diagnostic::warning(Code::R104, &list.file, entry.span, message).with_help(help));
            }
        }
    }
}

/// A module that fits an entry and that has another role in a built-in list.
fn in_another_role<'l>(
    entry: &'l ModuleEntry,
    list: &ModuleList,
    builtin: &'l Lists,
) -> Option<(&'l str, &'l ModuleList)> {
    let role = ROLES.iter().find(|role| role.contains(&list.name()))?;
    let others = builtin.modules.values().map(|other| &**other).filter(|other| {
        let has_role = ROLES.iter().any(|others| others.contains(&other.name()));
        let both = TOGETHER.contains(&other.name()) && TOGETHER.contains(&list.name());
        has_role && !role.contains(&other.name()) && !both
    });
    others.into_iter().find_map(|other| match &entry.pattern {
        None => other.contains(&entry.text).then_some((entry.text.as_str(), other)),
        Some(pattern) => {
            let mut known = other.entries.iter().map(|known| known.text.as_str());
            Some((known.find(|known| pattern.fits(known))?, other))
        }
    })
}
