//! Reads lists of paths that other programs print.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;

use untrusted::text::decode;

/// Byte order marks: UTF-8, and both orders of UTF-16. Windows' own programs write them.
const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];

/// The longest list of paths, bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a list of paths: one a line, or separated by NUL when the list contains one. Empty entries are left out.
///
/// # Errors
/// When the list can't be read, or is longer than 64 MiB.
pub fn read_list(from: &mut impl Read) -> io::Result<Vec<PathBuf>> {
    let mut list = Vec::new();
    opener::read_to_end(from, MOST_BYTES, &mut list)?;
    // Without a mark the bytes are not decoded: on other systems than Windows, paths need not be text.
    if MARKS.iter().any(|mark| list.starts_with(mark)) {
        list = decode(&list).characters.into_bytes();
    }
    let separator = if list.contains(&0) { 0 } else { b'\n' };
    Ok(list
        .split(|byte| *byte == separator)
        .map(|path| if separator == b'\n' { path.strip_suffix(b"\r").unwrap_or(path) } else { path })
        .filter(|path| !path.is_empty())
        .map(|path| PathBuf::from(os_string(path)))
        .collect())
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

/// A path of Windows, which is UTF-16. A list that is not UTF-8 is probably in the code page of western Europe.
#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    OsString::from(decode(bytes).characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &[u8]) -> Vec<PathBuf> {
        read_list(&mut &*list).expect("readable")
    }

    #[test]
    fn a_list_is_lines_or_nul_separated() {
        assert_eq!(paths(b"a.dmp\r\nb c.evtx\n\n"), [PathBuf::from("a.dmp"), PathBuf::from("b c.evtx")]);
        assert_eq!(paths(b"a\nb.dmp\0c.dmp\0"), [PathBuf::from("a\nb.dmp"), PathBuf::from("c.dmp")]);
    }

    #[test]
    fn byte_order_marks_are_no_part_of_a_path() {
        let expected = [PathBuf::from("größe.dmp"), PathBuf::from("日本.evtx")];
        let text = "\u{FEFF}größe.dmp\r\n日本.evtx\r\n";
        assert_eq!(paths(text.as_bytes()), expected);
        // PowerShell 5 redirects like this.
        let utf16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        assert_eq!(paths(&utf16(u16::to_le_bytes)), expected);
        assert_eq!(paths(&utf16(u16::to_be_bytes)), expected);
    }

    #[test]
    fn names_of_one_letter_separated_by_nul_are_not_taken_for_utf16() {
        assert_eq!(paths(b"a\0b\0"), [PathBuf::from("a"), PathBuf::from("b")]);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_stays_as_it_is() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(paths(b"\xFC.dmp\n"), [PathBuf::from(std::ffi::OsStr::from_bytes(b"\xFC.dmp"))]);
    }

    #[cfg(windows)]
    #[test]
    fn a_list_in_the_western_code_page_is_understood() {
        assert_eq!(paths(b"C:\\Gr\xF6\xDFe.dmp\r\n"), [PathBuf::from("C:\\Größe.dmp")]);
    }
}
