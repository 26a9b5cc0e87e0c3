//! Providers as people write them: "WHEA-Logger", "kernel power", "whea".

use evtx_scan::Provider::{Family, Named};

use super::CATALOGUE;

/// What the names of Windows' own components begin with.
const COMPONENT: &str = "Microsoft-Windows-";

/// Shorter first words are not enough: `WER` is another provider's, too.
const LEAST_WORD: usize = 4;

/// The provider that people call `name`, as the table spells it: without regard to case, to blanks and to hyphens, and maybe
/// without `Microsoft-Windows-`; or one of Windows' own components by its first word, where no other begins so.
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

/// Every name by which a provider can be called, with the provider: the whole one, and the one without what all components
/// have.
pub fn provider_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().flat_map(|name| {
        [Some(name), name.strip_prefix(COMPONENT)].into_iter().flatten().map(move |called| (called, name))
    })
}

fn all() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().flat_map(|entry| entry.providers).filter_map(|provider| match provider {
        Named(name) => Some(*name),
        Family(_) => None,
    })
}

/// What a name consists of, behind what all components have.
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
