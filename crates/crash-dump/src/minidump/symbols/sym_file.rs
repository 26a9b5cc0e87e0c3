//! Breakpad's `.sym` files, of which only that is read which walking a stack and naming functions takes.
//!
//! A file is text, a record a line. Most of a large file is about the source lines that code comes from; of that part is
//! only kept where it is ([`sym_lines`](super::sym_lines)), so that what is kept stays small however large the file is.
//!
//! Layout: "Breakpad Symbol Files" of the Breakpad documentation.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use minidump_unwind::SymbolFile;

use super::open_file;
use super::sym_lines::Index;
use super::unusable::UnusableFile;

/// Largest file that is read, bytes: that of the largest browser's library is about half as large.
const LARGEST: u64 = 2 << 30;
/// How much of a file is kept at most, bytes.
const MOST_KEPT: u64 = 256 << 20;
/// Longest line that is kept, bytes. C++ has names of 80 KB; the reader of the records takes no longer lines.
const LONGEST_LINE: u64 = 80 << 10;
/// The records that are kept: the module, functions, exported names, and how to unwind.
const KEPT: [&[u8]; 4] = [b"MODULE ", b"FUNC ", b"PUBLIC ", b"STACK "];

/// A file's records, where its source lines are, and how much of it was kept, bytes.
#[derive(Debug, Clone)]
pub(super) struct SymFile {
    pub symbols: Arc<SymbolFile>,
    pub lines: Arc<Index>,
    pub kept: u64,
}

/// Reads the file at `path`, which must be that of the debug file with identifier `id`.
///
/// # Errors
/// Why the file is not used.
pub(super) fn read(path: &Path, id: &str) -> Result<SymFile, UnusableFile> {
    let (file, length) = open_file(path)?;
    if length > LARGEST {
        return Err(UnusableFile::TooLong { found: length });
    }
    read_from(BufReader::with_capacity(64 << 10, file), path, id, MOST_KEPT)
}

fn read_from(from: impl BufRead, path: &Path, id: &str, most: u64) -> Result<SymFile, UnusableFile> {
    let index = Index::new(path);
    let mut kept = Kept { from, line: Vec::new(), given: 0, left: most, passed: 0, index };
    // The first line has the identifier, before anything else is read.
    let has_line = kept.next_line().map_err(UnusableFile::FirstLine)?;
    let own_id = has_line.then(|| module_id(&kept.line)).flatten().ok_or(UnusableFile::NoSymbols)?;
    if !own_id.eq_ignore_ascii_case(id) {
        return Err(UnusableFile::OtherBuild { found: own_id, needed: id.to_owned() });
    }
    let symbols = SymbolFile::parse(&mut kept, |_| ()).map_err(UnusableFile::Records)?;
    let kept_bytes = most.saturating_sub(kept.left);
    kept.index.sort();
    Ok(SymFile { symbols: Arc::new(symbols), lines: Arc::new(kept.index), kept: kept_bytes })
}

/// The identifier in `MODULE system processor identifier name`.
fn module_id(line: &[u8]) -> Option<String> {
    let line = str::from_utf8(line).ok()?;
    let id = line.strip_prefix("MODULE ")?.split_ascii_whitespace().nth(2)?;
    (id.len() <= 64 && id.bytes().all(|digit| digit.is_ascii_hexdigit())).then(|| id.to_owned())
}

/// Reads a symbol file and passes on only the records that are needed.
struct Kept<R> {
    from: R,
    /// The current line.
    line: Vec<u8>,
    /// How much of the line was passed on.
    given: usize,
    /// How many more bytes may be kept.
    left: u64,
    /// How many bytes were read.
    passed: u64,
    index: Index,
}

impl<R: BufRead> Kept<R> {
    /// Goes to the next line that is kept; `false` at the end.
    fn next_line(&mut self) -> io::Result<bool> {
        self.given = 0;
        loop {
            self.line.clear();
            let begins = self.passed;
            let length = self.from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line)?;
            if length == 0 {
                return Ok(false);
            }
            self.passed = begins.saturating_add(length as u64);
            let cut = self.line.len() as u64 == LONGEST_LINE && self.line.last() != Some(&b'\n');
            if cut {
                self.skip_line()?;
            }
            let indexed = self.index.add(&self.line, begins);
            let is_kept = !cut && KEPT.iter().any(|kind| self.line.starts_with(kind));
            let length = if is_kept { self.line.len() as u64 } else { 0 };
            let left = self.left.checked_sub(length.saturating_add(indexed));
            self.left = left.ok_or_else(|| io::Error::other(UnusableFile::TooMuch { most: MOST_KEPT >> 20 }))?;
            if is_kept {
                return Ok(true);
            }
        }
    }

    /// Passes over the rest of a line that is too long.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let part = self.from.fill_buf()?;
            let (length, ended) = match memchr::memchr(b'\n', part) {
                Some(end) => (end.saturating_add(1), true),
                None => (part.len(), part.is_empty()),
            };
            self.from.consume(length);
            self.passed = self.passed.saturating_add(length as u64);
            if ended {
                return Ok(());
            }
        }
    }
}

impl<R: BufRead> Read for Kept<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if room.is_empty() || (self.given >= self.line.len() && !self.next_line()?) {
            return Ok(0);
        }
        let mut rest = self.line.get(self.given..).unwrap_or_default();
        let count = rest.read(room)?;
        self.given = self.given.saturating_add(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{InlinedFunction, SourceLine};

    const FILE: &str = "MODULE windows x86_64 AB12CD1 app.pdb\nINFO CODE_ID 1\nFILE 0 a.c\nINLINE_ORIGIN 0 f\n\
                        FUNC 1000 40 0 main\nINLINE 0 9 0 0 1000 8\n1000 10 1 0\n1010 30 2 0\nPUBLIC 2000 0 _exit\n\
                        STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n";

    fn of(text: &str, id: &str, most: u64) -> Result<Arc<SymbolFile>, String> {
        read_from(text.as_bytes(), Path::new(""), id, most).map(|file| file.symbols).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_kept_is_counted() {
        let kept: usize = FILE
            .split_inclusive('\n')
            .filter(|line| KEPT.iter().any(|kind| line.as_bytes().starts_with(kind)))
            .map(str::len)
            .sum();
        // One file, one origin of inlined code, and one function are also kept by their places.
        let indexed = 3 * 16;
        let read = read_from(FILE.as_bytes(), Path::new(""), "AB12CD1", 4096).expect("a symbol file");
        assert_eq!(read.kept, kept as u64 + indexed);
    }

    #[test]
    fn functions_and_unwinding_are_kept_and_source_lines_are_not() {
        let symbols = of(FILE, "ab12cd1", 4096).expect("a symbol file");
        assert_eq!(symbols.module_id, "AB12CD1");
        assert_eq!(symbols.functions.ranges_values().count(), 1);
        assert!(symbols.functions.ranges_values().all(|(_, function)| function.lines.ranges_values().next().is_none()));
        assert_eq!(symbols.publics.len(), 1);
        assert_eq!(symbols.cfi_stack_info.ranges_values().count(), 1);
    }

    #[test]
    fn lines_and_inlined_functions_are_read_where_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("app.sym");
        std::fs::write(&path, FILE).expect("a file");
        let file = read(&path, "AB12CD1").expect("a symbol file");
        let line = |line| Some(SourceLine { file: "a.c".into(), line });
        let inner = file.lines.at("main", 0x1000, 0x1004);
        assert_eq!(inner.inlined, [InlinedFunction { function: "f".into(), source: line(1) }]);
        assert_eq!((inner.function.as_str(), inner.source), ("main", line(9)));
        let outer = file.lines.at("main", 0x1000, 0x1010);
        assert_eq!((outer.source, outer.inlined.len()), (line(2), 0));
        assert_eq!(file.lines.at("main", 0x1000, 0x2000).source, None);
    }

    #[test]
    fn what_is_not_used_says_why() {
        let refused = |text: &str, most| of(text, "AB12CD2", most).map(|_| ()).expect_err("not used");
        assert!(refused(FILE, 4096).contains("another build: its identifier is AB12CD1"), "{}", refused(FILE, 4096));
        for no_symbols in ["", "MODULE\n", "FUNC 1000 40 0 main\n", "Microsoft C/C++ MSF 7.00\r\n\u{1a}DS"] {
            assert!(refused(no_symbols, 4096).contains("no Breakpad symbol file"), "{no_symbols:?}");
        }
        let damaged = of("MODULE windows x86_64 AB12CD2 app.pdb\nFUNC no numbers here\n", "AB12CD2", 4096);
        assert!(damaged.map(|_| ()).expect_err("damaged").contains("can't be read"));
    }

    #[test]
    fn what_is_kept_is_bounded_whatever_the_file_holds() {
        let lines = "1000 10 1 0\n".repeat(10_000);
        assert!(of(&format!("{FILE}{lines}"), "AB12CD1", 4096).is_ok(), "source lines cost nothing");
        let functions: String = (0..1000).map(|number| format!("FUNC {:x} 10 0 f{number}\n", number * 16)).collect();
        assert!(of(&format!("{FILE}{functions}"), "AB12CD1", 4096).is_err());
        let long = format!("FUNC 3000 10 0 {}\nPUBLIC 4000 0 after\n", "x".repeat(200_000));
        let symbols = of(&format!("{FILE}{long}"), "AB12CD1", 4096).expect("a symbol file");
        assert_eq!((symbols.functions.ranges_values().count(), symbols.publics.len()), (1, 2), "too long a line");
    }
}
