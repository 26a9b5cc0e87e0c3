//! Source lines and inlined functions in a `.sym` file, read from the file where an address asks for them.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::source::{CodeSource, DEEPEST};
use evidence::{InlinedFunction, SourceLine};

/// How much of a function's lines is read at most, bytes: those of generated functions have about a megabyte.
const MOST_OF_A_FUNCTION: u64 = 16 << 20;
/// Longest line that is read, bytes.
const LONGEST_LINE: u64 = 80 << 10;
/// How much memory an entry of the index takes, bytes.
const ENTRY: u64 = 16;

/// Where in a file the records are.
#[derive(Debug)]
pub(super) struct Index {
    path: PathBuf,
    /// Each function's address, and where its record is, bytes from the beginning.
    functions: Vec<(u64, u64)>,
    /// Source files and inlined functions by their numbers, and where their records are.
    files: Vec<(u64, u64)>,
    origins: Vec<(u64, u64)>,
}

impl Index {
    /// An index of the file at `path`, empty.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), functions: Vec::new(), files: Vec::new(), origins: Vec::new() }
    }

    /// Adds the record in `line`, which begins at a place in the file, if it is one that is looked up. The bytes that it takes.
    pub fn add(&mut self, line: &[u8], begins: u64) -> u64 {
        let (list, number) = match line {
            [b'F', b'U', b'N', b'C', b' ', rest @ ..] => (&mut self.functions, hexadecimal(without_mark(rest))),
            [b'F', b'I', b'L', b'E', b' ', rest @ ..] => (&mut self.files, decimal(rest)),
            _ => match line.strip_prefix(b"INLINE_ORIGIN ") {
                Some(rest) => (&mut self.origins, decimal(rest)),
                None => return 0,
            },
        };
        let Some(number) = number else { return 0 };
        list.push((number, begins));
        ENTRY
    }

    /// Sorts what was added.
    pub fn sort(&mut self) {
        self.functions.sort_unstable();
        self.files.sort_unstable();
        self.origins.sort_unstable();
    }

    /// The lines of the function that begins at `begins` and is named `function`, at an address in it.
    pub fn at(&self, function: &str, begins: u64, address: u64) -> CodeSource {
        let known = CodeSource { function: function.to_owned(), source: None, inlined: Vec::new() };
        self.read(begins, address, &known).unwrap_or(known)
    }

    fn read(&self, begins: u64, address: u64, known: &CodeSource) -> Option<CodeSource> {
        let mut file = BufReader::new(opener::open(&self.path).ok()?);
        file.seek(SeekFrom::Start(record_at(&self.functions, begins)?)).ok()?;
        let mut from = file.take(MOST_OF_A_FUNCTION);
        let mut line = Vec::new();
        // The line of the innermost code, and by depth the inlined functions: each with the line that calls it.
        let mut innermost: Option<(u64, u64)> = None;
        let mut calls: Vec<Option<InlineCall>> = Vec::new();
        let mut first = true;
        loop {
            line.clear();
            if from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok()? == 0 {
                break;
            }
            let text = str::from_utf8(&line).ok().map(str::trim_end);
            if std::mem::take(&mut first) {
                // Of functions at one address, and in a file that was replaced, the name tells which one it is.
                if text.is_some_and(|text| text.starts_with("FUNC ") && text.ends_with(&known.function)) {
                    continue;
                }
                return None;
            }
            let Some(text) = text else { continue };
            if let Some(record) = text.strip_prefix("INLINE ") {
                let Some((depth, call)) = inline_call(record, address) else { continue };
                if calls.len() <= depth {
                    calls.resize(depth.checked_add(1)?, None);
                }
                if let Some(slot) = calls.get_mut(depth) {
                    *slot = Some(call);
                }
            } else if text.starts_with(|first: char| first.is_ascii_hexdigit() && !first.is_ascii_uppercase()) {
                innermost = innermost.or(source_line(text, address));
            } else {
                break;
            }
        }
        let mut source = innermost;
        let mut inlined = Vec::new();
        // A depth that is missing ends the chain: what is further in is not known to belong to it.
        let chain: Vec<InlineCall> = calls.into_iter().map_while(|call| call).collect();
        for call in chain.iter().rev() {
            let function = self.text(&self.origins, call.origin)?;
            inlined.push(InlinedFunction { function: function.into(), source: self.source(source) });
            source = Some((call.file, call.line));
        }
        Some(CodeSource { source: self.source(source), inlined, ..known.clone() })
    }

    fn source(&self, of: Option<(u64, u64)>) -> Option<SourceLine> {
        let (file, line) = of?;
        let line = u32::try_from(line).ok().filter(|line| *line != 0)?;
        Some(SourceLine { file: self.text(&self.files, file)?.into(), line })
    }

    /// The text of a record that has a number, and behind it a text.
    fn text(&self, list: &[(u64, u64)], number: u64) -> Option<String> {
        let mut file = opener::open(&self.path).ok()?;
        file.seek(SeekFrom::Start(record_at(list, number)?)).ok()?;
        let mut line = Vec::new();
        BufReader::new(file.take(LONGEST_LINE)).read_until(b'\n', &mut line).ok()?;
        let line = String::from_utf8_lossy(&line);
        let mut words = line.trim_end().splitn(3, ' ').skip(1);
        (words.next()?.parse() == Ok(number)).then(|| words.next().map(str::to_owned))?
    }
}

/// A function that was inlined at an address: the number of its record, and the line that calls it.
#[derive(Debug, Clone, Copy)]
struct InlineCall {
    origin: u64,
    file: u64,
    line: u64,
}

/// `depth line file origin [address size]...`, if one of the ranges holds the address.
fn inline_call(record: &str, address: u64) -> Option<(usize, InlineCall)> {
    let mut words = record.split_ascii_whitespace();
    let depth = words.next()?.parse().ok().filter(|depth| *depth < DEEPEST)?;
    let mut number = || words.next()?.parse::<u64>().ok();
    let (line, file, origin) = (number()?, number()?, number()?);
    while let (Some(begins), Some(size)) = (words.next(), words.next()) {
        if is_within(begins, size, address)? {
            return Some((depth, InlineCall { origin, file, line }));
        }
    }
    None
}

/// `address size line file`: the file and the line, if the address is in it.
fn source_line(record: &str, address: u64) -> Option<(u64, u64)> {
    let mut words = record.split_ascii_whitespace();
    if !is_within(words.next()?, words.next()?, address)? {
        return None;
    }
    let line = words.next()?.parse().ok()?;
    Some((words.next()?.parse().ok()?, line))
}

fn is_within(begins: &str, size: &str, address: u64) -> Option<bool> {
    let begins = u64::from_str_radix(begins, 16).ok()?;
    let size = u64::from_str_radix(size, 16).ok()?;
    Some(address.checked_sub(begins).is_some_and(|within| within < size))
}

/// Where the record with a number is.
fn record_at(list: &[(u64, u64)], number: u64) -> Option<u64> {
    let (found, place) = *list.get(list.partition_point(|(known, _)| *known < number))?;
    (found == number).then_some(place)
}

/// A record without the mark of functions that have several names.
fn without_mark(record: &[u8]) -> &[u8] {
    record.strip_prefix(b"m ").unwrap_or(record)
}

fn hexadecimal(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(first_word(text)?, 16).ok()
}

fn decimal(text: &[u8]) -> Option<u64> {
    first_word(text)?.parse().ok()
}

fn first_word(text: &[u8]) -> Option<&str> {
    let text = text.get(..text.len().min(20))?;
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    str::from_utf8(text.get(..end)?).ok()
}
