//! DLLs that are loaded from several folders.

use super::modules::{Module, Modules};
use windows_codes::location;

/// A DLL that is loaded from several folders.
#[derive(Debug, Clone)]
pub struct Copies<'i> {
    /// How many copies.
    pub count: usize,
    /// The copy that was loaded first.
    pub first: Module<'i>,
    /// The copy that was loaded second.
    pub second: Module<'i>,
}

/// Finds the DLLs, in the order in which their first copies were loaded. Windows itself loads some DLLs twice, from its
/// side-by-side store, so copies that are all in its folder do not count. Nor do extension modules (`.pyd`): packages of
/// Python may use the same name, and they are not found by it.
pub(super) fn copies<'i>(modules: &Modules<'i>) -> Option<Vec<Copies<'i>>> {
    let modules = modules.complete_list()?;
    if modules.iter().all(|module| module.path.is_none()) {
        return None;
    }
    // Nearly all names occur once: those that may occur twice are found by a hash of the name.
    let mut keys: Vec<(u64, usize)> = modules
        .iter()
        .enumerate()
        .filter(|(_, module)| module.path.is_some() && ends_with_dll(module.name))
        .map(|(index, module)| (key(module.name), index))
        .collect();
    keys.sort_unstable();
    let copies_of = |same: &[(u64, usize)]| {
        let mut alike = same.iter().filter_map(|(_, index)| modules.get(*index)).peekable();
        let first = *alike.peek()?;
        let first_path = first.path?;
        let mut others: Vec<&str> = Vec::new();
        let mut second = None;
        for module in alike.filter(|module| module.is(first.name)) {
            let Some(path) = module.path else { continue };
            if path.eq_ignore_ascii_case(first_path) || others.iter().any(|other| other.eq_ignore_ascii_case(path)) {
                continue;
            }
            second = second.or(Some(*module));
            others.push(path);
        }
        let of_windows = |path: &str| matches!(location(path), "system" | "driver-store");
        if of_windows(first_path) && others.iter().all(|path| of_windows(path)) {
            return None;
        }
        Some(Copies { count: others.len().saturating_add(1), first: *first, second: second? })
    };
    let alike = keys.chunk_by(|(a, _), (b, _)| a == b).filter(|same| same.len() > 1);
    let mut found: Vec<Copies<'i>> = alike.filter_map(copies_of).collect();
    found.sort_by_key(|copies| modules.iter().position(|module| module.path == copies.first.path));
    Some(found)
}

/// FNV-1a of a name in lower case.
fn key(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

fn ends_with_dll(name: &str) -> bool {
    name.len().checked_sub(4).and_then(|start| name.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(".dll"))
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::*;

    #[test]
    fn the_same_name_from_two_folders_is_told_with_both() {
        let seen = listed(&[
            (r"C:\env\python.exe", "3.9"),
            (r"C:\env\Library\bin\libiomp5md.dll", "5.0.2021.1213"),
            (r"C:\env\Lib\site-packages\torch\lib\LIBIOMP5MD.DLL", "5.0.2019.1106"),
            (r"C:\env\Library\bin\libiomp5md.dll", "5.0.2021.1213"),
        ]);
        let found = copies(&seen).expect("a whole list");
        assert_eq!(found.len(), 1);
        let copies = found.first().expect("one");
        assert_eq!((copies.first.name, copies.count), ("libiomp5md.dll", 2));
        assert_eq!(copies.second.path, Some(r"C:\env\Lib\site-packages\torch\lib\LIBIOMP5MD.DLL"));
    }

    #[test]
    fn what_windows_and_python_load_twice_does_not_count() {
        let seen = listed(&[
            (r"C:\env\python.exe", "3.9"),
            (r"C:\Windows\WinSxS\a\comctl32.dll", "5.82"),
            (r"C:\Windows\WinSxS\b\comctl32.dll", "6.0"),
            (r"C:\env\a\_C.pyd", "0.1"),
            (r"C:\env\b\_C.pyd", "0.1"),
            ("x.dll", "1.0"),
            ("x.dll", "1.0"),
        ]);
        assert!(copies(&seen).expect("a whole list").is_empty());
    }

    #[test]
    fn a_list_without_paths_tells_nothing() {
        assert!(copies(&listed(&[("a.exe", "1.0"), ("x.dll", "1.0"), ("x.dll", "1.0")])).is_none());
        let mut gaps = listed(&[(r"C:\a.exe", "1.0")]);
        gaps.complete = false;
        assert!(copies(&gaps).is_none());
    }
}
