//! Names of blue screens: a blue screen shows the name, and people copy it without the code.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::cue_words::words;
use super::sentences::is_apart;
use super::values::image_name;
use evidence::BugcheckCode;
use expressions::Literals;
use windows_codes::Knowledge;

/// The codes by name. Where two codes have one name the lower counts: it is the stop, the other its live report.
static BY_NAME: LazyLock<HashMap<&'static str, BugcheckCode>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for (code, meaning) in Knowledge::builtin().bugchecks() {
        names.entry(meaning.name).or_insert(code);
    }
    names
});

/// As many words as the names of blue screens have at most.
const MOST_WORDS: usize = 12;

/// The stop whose name `text` begins with; since Windows 10 the blue screen may show it with blanks between the words,
/// and people write it small and with hyphens. Names have more than one word, or could be anything.
pub(super) fn stop_named(text: &str) -> Option<BugcheckCode> {
    let in_name = |character: char| character.is_ascii_alphanumeric() || BETWEEN_WORDS.contains(&character);
    let end = text.find(|character| !in_name(character)).unwrap_or(text.len());
    let run = text.get(..end)?;
    let breaks = run.match_indices(BETWEEN_WORDS).map(|(at, _)| at).take(MOST_WORDS);
    let ends: Vec<usize> = breaks.chain([end]).collect();
    ends.into_iter().rev().find_map(|end| {
        let (name, behind) = text.split_at_checked(end)?;
        let whole =
            !behind.starts_with(|character: char| character.is_alphanumeric() || matches!(character, '!' | '_'));
        let name = name.trim_end().to_ascii_uppercase().replace(BETWEEN_WORDS, "_");
        BY_NAME.get(&*name).copied().filter(|_| whole && name.contains('_'))
    })
}

/// What may be between the words of a name.
const BETWEEN_WORDS: [char; 3] = ['_', ' ', '-'];

/// All spellings of names that are long enough to be no words of everyday, in upper or lower case, with their codes.
static SPELLINGS: LazyLock<(Literals, Vec<BugcheckCode>)> = LazyLock::new(|| {
    let everyday = Knowledge::builtin().text_words("everyday_stop");
    let names = BY_NAME.iter().filter(|(name, _)| {
        let plain = name.to_ascii_lowercase().replace('_', " ");
        name.split('_').count() >= FEWEST_WORDS && !everyday.contains(&&*plain)
    });
    let spelled =
        names.flat_map(|(name, code)| BETWEEN_WORDS.map(|mark| (name.replace('_', &mark.to_string()), *code)));
    let (spellings, codes): (Vec<String>, Vec<BugcheckCode>) = spelled.collect::<BTreeMap<_, _>>().into_iter().unzip();
    (Literals::new(spellings), codes)
});

/// How a line names a blue screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// With its code behind it, or with nothing else in the line but a driver.
    Alone,
    /// Among other words, as a name: in one word with `_` or `-`, or with large letters.
    Passing,
}

/// The first stop that a line without other words for blue screens names as people copy it: `kernel security check
/// failure (139)`, `irql-not-less-or-equal`, `System Service Exception`.
pub(super) fn stop_spelled(line: &str) -> Option<(BugcheckCode, Named)> {
    let (finder, codes) = &*SPELLINGS;
    let found = finder.longest_in(line).filter(|found| is_apart(line, found.range.clone()));
    found.take(MOST_SPELLINGS).find_map(|found| {
        let code = *codes.get(found.index)?;
        let (name, behind) = (line.get(found.range.clone())?, line.get(found.range.end..)?);
        let number = behind.trim_start().trim_start_matches(['(', '[']).trim_start_matches("0x");
        let number = number.split(|digit: char| !digit.is_ascii_hexdigit()).next().unwrap_or_default();
        let numbered = u32::from_str_radix(number, 16).is_ok_and(|number| number == code.plain());
        let before = line.get(..found.range.start)?;
        let rest = behind.trim_matches(|mark: char| !mark.is_alphanumeric());
        let alone = !before.contains(char::is_alphanumeric)
            && (rest.is_empty() || image_name(rest).is_some_and(|driver| driver == rest));
        if numbered || alone {
            return Some((code, Named::Alone));
        }
        let large = || name.split(' ').all(|word| word.starts_with(|first: char| first.is_ascii_uppercase()));
        (!name.contains(' ') || large()).then_some((code, Named::Passing))
    })
}

/// As many names of blue screens in a line are looked at.
const MOST_SPELLINGS: usize = 8;

/// Names of fewer words are words of everyday when they are not written in capitals.
const FEWEST_WORDS: usize = 3;

/// The most words of a line that are looked at.
const MOST_WORDS_OF_A_LINE: usize = 80;

/// The first stop whose name is in `text` as people type it: `Driver IRQL not less or equal`.
pub(super) fn stop_in_words(text: &str) -> Option<BugcheckCode> {
    let words: Vec<String> = words(text).take(MOST_WORDS_OF_A_LINE).map(str::to_uppercase).collect();
    (0..words.len()).find_map(|start| {
        let rest = words.get(start..)?;
        let lengths = (FEWEST_WORDS..=MOST_WORDS.min(rest.len())).rev();
        lengths.filter_map(|length| rest.get(..length)).find_map(|name| BY_NAME.get(&*name.join("_")).copied())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_the_words_of_a_line() {
        for (text, code) in [
            ("Driver IRQL Not Less or Equal BSOD", 0xD1),
            ("blue screen: irql not less or equal, again", 0x0A),
            ("STOP: ACPI BIOS ERROR while installing", 0xA5),
            ("the second time; the first blue screen was PAGE_FAULT IN NONPAGED AREA.", 0x50),
        ] {
            assert_eq!(stop_in_words(text), Some(BugcheckCode(code)), "{text}");
        }
        for text in ["a bluescreen of memory management", "BIOS ERROR", "", "blue screen: irql not less"] {
            assert_eq!(stop_in_words(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_alone_or_spelled_as_one_is_a_stop() {
        for (text, code) in [
            ("kernel security check failure (139)", 0x139),
            ("I got kernel security check failure (0x139) today", 0x139),
            ("Kernel Security Check Failure", 0x139),
            ("driver irql not less or equal (netio.sys)", 0xD1),
            ("- irql_not_less_or_equal", 0x0A),
        ] {
            assert_eq!(stop_spelled(text), Some((BugcheckCode(code), Named::Alone)), "{text}");
        }
        for (text, code) in [
            ("I keep getting System Service Exception", 0x3B),
            ("it said irql-not-less-or-equal", 0x0A),
            ("then kmode_exception_not_handled came", 0x1E),
            ("again KMODE EXCEPTION NOT HANDLED.", 0x1E),
        ] {
            assert_eq!(stop_spelled(text), Some((BugcheckCode(code), Named::Passing)), "{text}");
        }
        for text in [
            "the value is irql not less or equal to it",
            "a page fault in nonpaged area of the manual",
            "driver_irql_not_less_or_equal_x",
            "memory management",
            "NTFS File System",
            "kernel security check failure (138)x of it",
            "",
        ] {
            assert_eq!(stop_spelled(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_looked_up_as_a_whole() {
        assert_eq!(stop_named("VIDEO_TDR_FAILURE (nvlddmkm.sys)"), Some(BugcheckCode(0x116)));
        assert_eq!(stop_named("IRQL_NOT_LESS_OR_EQUAL"), Some(BugcheckCode(0x0A)));
        assert_eq!(stop_named("MEMORY MANAGEMENT"), Some(BugcheckCode(0x1A)));
        assert_eq!(stop_named("KERNEL SECURITY CHECK FAILURE What failed: a.sys"), Some(BugcheckCode(0x139)));
        assert_eq!(stop_named("VIDEO_TDR_FAILURE AND MORE"), Some(BugcheckCode(0x116)));
        assert_eq!(stop_named("Memory Management"), Some(BugcheckCode(0x1A)));
        assert_eq!(stop_named("memory-management while idle"), Some(BugcheckCode(0x1A)));
        for text in [
            "VIDEO_TDR_FAILURES",
            "VIDEO_TDR",
            "",
            "nt!MEMORY_MANAGEMENT",
            "MEMORY_MANAGEMENT!x",
            "MEMORY MANAGEMENTS",
            "MEMORY",
        ] {
            assert_eq!(stop_named(text), None, "{text}");
        }
    }
}
