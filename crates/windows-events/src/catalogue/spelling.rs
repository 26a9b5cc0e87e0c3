//! Providers as people write them: "WHEA-Logger", "kernel power", "whea".

use super::ROWS;

/// The beginning of the names of Windows' own components.
const COMPONENT: &str = "Microsoft-Windows-";

/// The shortest first word, in letters, by which a component is found: `WER` is the first word of two providers.
const LEAST_WORD: usize = 4;

/// The provider that people call `name`, in the spelling of the table. Compared without regard to case, blanks, hyphens and a
/// leading `Microsoft-Windows-`. The first word of a component's name is enough where no other component begins with it.
#[must_use]
pub fn provider_called(name: &str) -> Option<&'static str> {
    all()
        .find(|known| known.eq_ignore_ascii_case(name))
        .or_else(|| all().find(|known| letters(known).eq(letters(name))))
        .or_else(|| the_only_one_beginning_with(name))
}

fn the_only_one_beginning_with(word: &str) -> Option<&'static str> {
    let mut begin_so = all().filter(|known| {
        let first = known.strip_prefix(COMPONENT).and_then(|short| short.split('-').next());
        first.is_some_and(|first| first.len() >= LEAST_WORD && first.eq_ignore_ascii_case(word))
    });
    let found = begin_so.next()?;
    begin_so.all(|other| other == found).then_some(found)
}

/// Every name of a provider with the provider: the whole name and, of Windows' own components, the name without
/// `Microsoft-Windows-`.
pub fn provider_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().flat_map(|name| {
        [Some(name), name.strip_prefix(COMPONENT)].into_iter().flatten().map(move |called| (called, name))
    })
}

fn all() -> impl Iterator<Item = &'static str> {
    ROWS.iter().flat_map(|row| &row.providers).copied().filter(|name| !name.ends_with('*'))
}

/// The letters of a name in lower case, without `Microsoft-Windows-`, blanks and hyphens.
fn letters(name: &str) -> impl Iterator<Item = char> {
    let component = name.get(..COMPONENT.len()).is_some_and(|start| start.eq_ignore_ascii_case(COMPONENT));
    let short = if component { name.get(COMPONENT.len()..).unwrap_or(name) } else { name };
    short.chars().filter(|letter| !matches!(letter, ' ' | '-')).map(|letter| letter.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_known_by_what_people_call_it() {
        for (called, provider) in [
            ("Microsoft-Windows-WHEA-Logger", "Microsoft-Windows-WHEA-Logger"),
            ("whea logger", "Microsoft-Windows-WHEA-Logger"),
            ("WHEA", "Microsoft-Windows-WHEA-Logger"),
            ("Kernel Power", "Microsoft-Windows-Kernel-Power"),
            ("kernelpower", "Microsoft-Windows-Kernel-Power"),
            ("Code Integrity", "Microsoft-Windows-CodeIntegrity"),
            ("NVLDDMKM", "nvlddmkm"),
            ("Disk", "disk"),
            // Both exist; what is written whole is meant.
            ("ntfs", "Ntfs"),
            ("Microsoft-Windows-Ntfs", "Microsoft-Windows-Ntfs"),
        ] {
            assert_eq!(provider_called(called), Some(provider), "{called}");
        }
    }

    #[test]
    fn a_word_with_which_several_begin_is_none_of_them() {
        for called in ["Kernel", "Service", "Windows", "", "Microsoft-Windows-", "whea-log", "Übertragung"] {
            assert_eq!(provider_called(called), None, "{called}");
        }
    }
}
