//! Rows of a screen: styled, cut to a width, and harmless.

use std::io::{self, Write};

use anstyle::Style;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::formats::local_time::readable;
use crate::formats::text::page::PLAIN;

/// A row: pieces of text, each with its style.
pub(super) type Row = Vec<(Style, String)>;

/// A row with one piece.
pub(super) fn row(style: Style, text: impl Into<String>) -> Row {
    vec![(style, text.into())]
}

/// The end of a text that is cut.
const DOTS: &str = "...";

/// The text in at most `width` columns; a longer one is cut between words where that is possible, and ends in `...`.
pub(in crate::formats) fn cut(text: &str, width: usize) -> String {
    let text = readable(text);
    if display_width(&text) <= width {
        return text.into_owned();
    }
    let room = width.saturating_sub(DOTS.len());
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = at.saturating_add(c.len_utf8());
        if text.get(..next).is_none_or(|start| display_width(start) > room) {
            break;
        }
        end = next;
    }
    let start = text.get(..end).unwrap_or_default();
    // A word is cut where it would leave less than two thirds of the room.
    let word = start.rfind(' ').filter(|at| at.saturating_mul(3) > end.saturating_mul(2));
    let start = word.and_then(|at| start.get(..at)).unwrap_or(start);
    format!("{}{DOTS}", start.trim_end_matches([' ', ',', ';', ':']))
}

/// A text after `lead`, in at most `most` rows of `width` columns; its further rows begin below its first word.
pub(super) fn wrapped(style: Style, lead: &str, text: &str, width: usize, most: usize) -> Vec<Row> {
    let text = readable(text);
    let room = width.saturating_sub(lead.len()).max(1);
    let options = Options::new(room)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    let lines = textwrap::wrap(&text, options);
    let all = lines.len();
    let mut rows = Vec::new();
    for (number, line) in lines.into_iter().take(most.max(1)).enumerate() {
        let last_of_more = number.saturating_add(1) == most.max(1) && all > most.max(1);
        let line = match last_of_more {
            true => ended(&line, room),
            false => line.into_owned(),
        };
        let before = if number == 0 { lead.to_owned() } else { " ".repeat(lead.len()) };
        rows.push(vec![(PLAIN, before), (style, line)]);
    }
    rows
}

/// A line that goes on, with `...` at its end.
fn ended(line: &str, width: usize) -> String {
    let line = line.trim_end_matches([' ', ',', ';', ':']);
    let room = width.saturating_sub(DOTS.len());
    if display_width(line) <= room { format!("{line}{DOTS}") } else { cut(&format!("{line}{DOTS}"), width) }
}

/// Writes rows without spaces at their ends; styles only where `color`.
pub(super) fn write(rows: &[Row], color: bool, out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        let last = row.iter().rposition(|(_, text)| !text.trim_end().is_empty());
        let shown = last.map_or(0, |last| last.saturating_add(1));
        for (number, (style, text)) in row.iter().take(shown).enumerate() {
            let text = readable(text);
            let text = if Some(number) == last { text.trim_end() } else { &*text };
            match color && *style != PLAIN {
                true => write!(out, "{style}{text}{style:#}")?,
                false => write!(out, "{text}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words() {
        assert_eq!(cut("update or uninstall it", 40), "update or uninstall it");
        assert_eq!(cut("update or uninstall it", 16), "update or...");
        assert_eq!(cut("verylongnameofafile.dll", 10), "verylon...");
        assert_eq!(cut("bad\u{1b}[2J", 40), "bad\\u{1b}[2J");
    }

    #[test]
    fn a_text_has_at_most_so_many_rows() {
        let rows = wrapped(PLAIN, "1. ", "one two three four five six", 12, 2);
        let text: Vec<String> = rows.iter().map(|row| row.iter().map(|(_, text)| text.as_str()).collect()).collect();
        assert_eq!(text, ["1. one two", "   three..."]);
    }
}
