//! File names without what changes from build to build: versions, hashes, dates, the number of the interpreter.

/// The least number of characters with which a part of hexadecimal digits counts as a hash and no word.
const SHORTEST_HASH: usize = 8;
/// The least number of characters with which a part of letters and digits counts as a hash in base 32 (repaired wheels of
/// Python put such hashes into the names of the libraries in them).
const SHORTEST_LONG_HASH: usize = 20;

/// The name in lower case that builds of the same file share: `libopenblas.FB5AE2TYXYH2IJRDKGDGQ3XBKLKTF43H.dll` is
/// `libopenblas.dll`, `python3.11.exe` (the name that the store gives it) is `python.exe`, `_ext.cp311-win_amd64.pyd` is
/// `_ext-win_amd64.pyd`. Numbers without a dot stay: `cudnn64_8.dll` and `cudnn64_9.dll` are different products.
pub(super) fn stable_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let stable = without_changing_parts(&without_versions(&lower));
    // A name of which only the ending is left would be shared by other files.
    let has_stem = stable.split('.').next().is_some_and(|stem| stem.chars().any(char::is_alphanumeric));
    if has_stem { stable } else { lower }
}

/// Removes numbers of two or more parts that are divided by dots, and a `v` or a separator before them.
fn without_versions(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        kept.push_str(before);
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let version = number.trim_end_matches('.');
        let dots = number.get(version.len()..).unwrap_or_default();
        if version.contains('.') && !version.contains("..") {
            let without_v = kept.strip_suffix('v').filter(|kept| kept.ends_with(is_separator));
            let end = without_v.unwrap_or(&kept).trim_end_matches(is_separator).len();
            kept.truncate(end);
        } else {
            kept.push_str(version);
        }
        kept.push_str(dots);
        rest = after;
    }
    kept.push_str(rest);
    kept
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | ' ' | '+' | '.' | '(' | ')' | '{' | '}' | '~')
}

/// Removes the parts between separators that are hashes, dates or the tag of an interpreter.
fn without_changing_parts(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    for part in name.split_inclusive(is_separator) {
        let (word, separator) = match part.char_indices().next_back() {
            Some((end, c)) if is_separator(c) => part.split_at(end),
            _ => (part, ""),
        };
        if !word.is_empty() && is_of_one_build(word) {
            // Of the separators around it, the one behind stays: it may be the one before the ending.
            let end = kept.trim_end_matches(is_separator).len();
            kept.truncate(end);
            kept.push_str(separator);
        } else {
            kept.push_str(part);
        }
    }
    temporary(kept)
}

/// Whether a part of a name differs from build to build: a hash, a date or the tag of an interpreter.
fn is_of_one_build(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hexadecimal = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hash = hexadecimal && digits > 0 && word.len() >= SHORTEST_HASH;
    let long_hash = word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && digits >= 2
        && digits < word.len()
        && word.len() >= SHORTEST_LONG_HASH;
    let tag = word.strip_prefix("cp").is_some_and(|rest| (2..=3).contains(&rest.len()) && digits == rest.len());
    hash || long_hash || tag
}

/// Windows Installer runs DLLs of a package under a name of four hexadecimal digits (`MSI3F2A.tmp`).
fn temporary(name: String) -> String {
    let number = name.strip_prefix("msi").and_then(|rest| rest.strip_suffix(".tmp"));
    let is_temporary = number
        .is_some_and(|number| (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if is_temporary { "msi.tmp".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_from_build_to_build_is_left_out() {
        for (name, stable) in [
            (
                "libopenblas.FB5AE2TYXYH2IJRDKGDGQ3XBKLKTF43H.gfortran-win_amd64.dll",
                "libopenblas.gfortran-win_amd64.dll",
            ),
            ("msvcp140-263139962577ecda4cd9469ca360a746.dll", "msvcp140.dll"),
            ("_ext.cp311-win_amd64.pyd", "_ext-win_amd64.pyd"),
            ("Python3.11.exe", "python.exe"),
            ("python.exe", "python.exe"),
            ("tool-1.20.3.exe", "tool.exe"),
            ("tool_v1.20.exe", "tool.exe"),
            ("setup-20240513.exe", "setup.exe"),
            ("MSI3F2A.tmp", "msi.tmp"),
        ] {
            assert_eq!(stable_name(name), stable, "{name}");
        }
    }

    #[test]
    fn what_tells_files_apart_stays() {
        for name in [
            "cudnn64_8.dll",
            "cudnn_ops_infer64_8.dll",
            "nvwgf2umx.dll",
            "d3d11.dll",
            "msvcp140.dll",
            "encoding_cp1252.dll",
            "notes-1..2.dll",
            "demo-verylongpluginlibrary2.dll",
            "python311.dll",
            "vulkan-1.dll",
            "api-ms-win-core-synch-l1-2-0.dll",
            "svchost.exe_wsearch",
            "igd10iumd64.dll",
            "facade.dll",
            "1.2.exe",
            "7z.exe",
            "tensorflow_framework.2.dll",
            "",
        ] {
            assert_eq!(stable_name(name), name, "{name}");
        }
    }

    #[test]
    fn a_stable_name_stays_as_it_is() {
        for name in ["a-1.2.3.deadbeef0.dll", "x.y.1.z", "...", "1..2.dll", "v1.2", "äöü-0123456789abcdef.dll"] {
            let once = stable_name(name);
            assert_eq!(stable_name(&once), once, "{name}");
        }
    }
}
