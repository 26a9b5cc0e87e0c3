//! Finds a quote in artifacts: in what was read of them, and in the bytes of the files themselves.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use memchr::memmem;
use serde_json::Value;

use super::check::Place;
use incident::SourcedEvidence;
use report::Report;

/// The most bytes of a file that are searched.
const MOST_BYTES: u64 = 512 << 20;
/// The largest file that is read as a text, bytes.
const MOST_TEXT: u64 = 8 << 20;
/// How many bytes are searched at once.
const BLOCK: u64 = 1 << 20;

/// Where a quote was found, or how much could not be searched.
pub(crate) struct Search {
    pub(crate) found: Option<Place>,
    /// Artifacts of which not all bytes were searched: members of archives, large files, unreadable ones.
    pub(crate) not_searched: usize,
}

/// Finds a quote in the artifacts that `wanted` chooses by their index; `file` gives the file of an artifact, if it is one.
pub(crate) fn find(
    quote: &str,
    report: &Report,
    evidence: &[SourcedEvidence],
    wanted: &dyn Fn(usize) -> bool,
    file: &dyn Fn(&str) -> Option<PathBuf>,
) -> Search {
    let quote = one_blank(quote);
    for item in evidence.iter().filter(|item| wanted(item.artifact)) {
        if serde_json::to_value(&item.observation).is_ok_and(|value| has(&value, &quote)) {
            let artifact = report.artifact_path(item.artifact).unwrap_or_default().to_owned();
            return Search {
                found: Some(Place { artifact: Some(artifact), place: Some(item.place.to_string()) }),
                not_searched: 0,
            };
        }
    }
    let mut not_searched = 0_usize;
    for (index, artifact) in report.artifacts.iter().enumerate().filter(|(index, _)| wanted(*index)) {
        let searched = match file(&artifact.path) {
            Some(path) => File::open(path).and_then(|file| in_file(file, artifact.bytes, &quote)),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        match searched {
            Ok(Some(at)) => {
                let artifact = report.artifact_path(index).map(str::to_owned);
                return Search { found: Some(Place { artifact, place: Some(at) }), not_searched: 0 };
            }
            Ok(None) if artifact.bytes <= MOST_BYTES => {}
            Ok(None) | Err(_) => not_searched = not_searched.saturating_add(1),
        }
    }
    Search { found: None, not_searched }
}

/// The text with every run of blanks and line breaks as one blank.
fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text in the value has the quote.
fn has(value: &Value, quote: &str) -> bool {
    match value {
        Value::String(text) => {
            memmem::find(text.as_bytes(), quote.as_bytes()).is_some() || one_blank(text).contains(quote)
        }
        Value::Array(items) => items.iter().any(|item| has(item, quote)),
        Value::Object(keys) => keys.values().any(|value| has(value, quote)),
        _ => false,
    }
}

/// Where a file has the quote: of a text the line, else the place in the file. Files of up to [`MOST_TEXT`] bytes are read as
/// texts, where a quote may go over a line break; of all, the bytes of the quote in UTF-8 and UTF-16 are searched.
fn in_file(mut file: impl Read, bytes: u64, quote: &str) -> io::Result<Option<String>> {
    if bytes <= MOST_TEXT {
        let mut content = Vec::new();
        file.take(MOST_TEXT).read_to_end(&mut content)?;
        let is_text = untrusted::text::looks_like_text(&content);
        let of_text = || line(&untrusted::text::decode(&content).characters, quote).filter(|_| is_text);
        let of_bytes = || needles(quote).iter().find_map(|needle| memmem::find(&content, needle)).map(byte);
        return Ok(of_text().map(|line| format!("line {line}")).or_else(of_bytes));
    }
    let needles = needles(quote);
    let longest = needles.iter().map(Vec::len).max().unwrap_or_default();
    let (mut window, mut start) = (Vec::new(), 0_usize);
    loop {
        let read = (&mut file).take(BLOCK).read_to_end(&mut window)?;
        if let Some(at) = needles.iter().find_map(|needle| memmem::find(&window, needle)) {
            return Ok(Some(byte(start.saturating_add(at))));
        }
        if read == 0 || start as u64 >= MOST_BYTES {
            return Ok(None);
        }
        // The end of this block and the beginning of the next one may have the quote together.
        let done = window.len().saturating_sub(longest);
        window.drain(..done);
        start = start.saturating_add(done);
    }
}

fn byte(at: usize) -> String {
    format!("byte {at:#x}")
}

/// The bytes of the quote in UTF-8 and in UTF-16.
fn needles(quote: &str) -> [Vec<u8>; 2] {
    [quote.as_bytes().to_vec(), quote.encode_utf16().flat_map(u16::to_le_bytes).collect()]
}

/// The line of a text in which the quote begins.
fn line(text: &str, quote: &str) -> Option<usize> {
    let mut words = String::new();
    // Where the words of each line begin.
    let mut lines = Vec::new();
    for (number, line) in (1_usize..).zip(text.lines()) {
        lines.push((words.len(), number));
        for word in line.split_whitespace() {
            words.push_str(word);
            words.push(' ');
        }
    }
    let at = memmem::find(words.as_bytes(), quote.as_bytes())?;
    lines.iter().rev().find(|(start, _)| *start <= at).map(|(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_found_over_line_breaks_with_the_line_where_it_begins() {
        let text = "one\n\nCould not  load\r\nlibrary zlibwapi.dll\n";
        assert_eq!(line(text, "Could not load library"), Some(3));
        assert_eq!(line(text, "library zlibwapi.dll"), Some(4));
        assert_eq!(line(text, "one Could"), Some(1));
        assert_eq!(line(text, "two"), None);
    }

    #[test]
    fn a_quote_in_other_bytes_is_found_as_utf_16_and_over_the_edge_of_a_block() {
        let quote = "zlibwapi.dll";
        let [_, wide] = needles(quote);
        let small = [&b"\x01\x02"[..], &wide].concat();
        assert_eq!(in_file(small.as_slice(), small.len() as u64, quote).expect("read"), Some("byte 0x2".into()));
        let at = usize::try_from(BLOCK).expect("a size").saturating_sub(7);
        let mut large = vec![0; at];
        large.extend(&wide);
        large.resize(usize::try_from(MOST_TEXT).expect("a size").saturating_add(1), 0);
        assert_eq!(in_file(large.as_slice(), large.len() as u64, quote).expect("read"), Some(byte(at)));
        assert_eq!(in_file(large.as_slice(), large.len() as u64, "cudnn").expect("read"), None);
    }
}
