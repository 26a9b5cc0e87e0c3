//! Tickets: text that people paste. Event Viewer's general tab, a console's output, a debugger's analysis, a mail.
//!
//! A ticket has no format. Its lines are kept for rules to search, and a few facts are recognised: by the words before
//! them, by the order of Event Viewer's lines, and by the positions of a problem signature. What is not certain is not
//! recognised: an exit code of 53 stays a line of text.

mod event_text;
mod line;
mod patterns;
mod recognised;
mod signature;
mod values;

use std::fs::File;
use std::sync::Arc;

use recognised::Recognised;
use signature::PastedSignature;

use super::text::{decode, looks_like_text, read_beginning};
use super::{Loss, ReadContext, Reading, Unreadable};
use crate::evidence::{Evidence, Observation, Place, Ticket, TicketLine};

/// As much of a text as is read, bytes.
const LONGEST_TEXT: u64 = 4 << 20;
/// As many lines of a text as are kept.
const MOST_LINES: usize = 100_000;

/// Whether a file that begins with `first_bytes` is text.
#[must_use]
pub fn is_text(first_bytes: &[u8]) -> bool {
    looks_like_text(first_bytes)
}

/// Reads the text in `file`, which has `bytes` bytes.
///
/// # Errors
///
/// When the file can't be read, or has no line.
pub fn read(file: &mut File, bytes: u64, _context: &ReadContext) -> Result<Reading, Unreadable> {
    let content = read_beginning(file, bytes, LONGEST_TEXT)
        .map_err(|error| Unreadable::whole(format!("the file can't be read: {error}")))?;
    let mut reading = read_bytes(&content)?;
    if bytes > LONGEST_TEXT {
        let reason = format!("only the first {LONGEST_TEXT} of {bytes} bytes are read");
        reading.losses.push(Loss::new(format!("byte {LONGEST_TEXT}"), reason));
    }
    Ok(reading)
}

/// Reads text that is in no file.
///
/// # Errors
///
/// When it has no line.
pub fn read_bytes(content: &[u8]) -> Result<Reading, Unreadable> {
    let read = usize::try_from(LONGEST_TEXT).ok().and_then(|most| content.get(..most)).unwrap_or(content);
    let text = decode(read);
    let mut losses = text.losses;
    if read.len() < content.len() {
        losses.push(Loss::new(format!("byte {LONGEST_TEXT}"), "the text is longer than is read"));
    }
    let lines = lines(&text.characters, &mut losses);
    if lines.is_empty() {
        return Err(Unreadable::whole("the text has no line with anything in it"));
    }
    let ticket = read_ticket(lines);
    let evidence = Evidence { place: Place::Whole, observation: Observation::Ticket(Box::new(ticket)) };
    Ok(Reading { evidence: vec![evidence], losses, ..Reading::default() })
}

fn read_ticket(lines: Vec<TicketLine>) -> Ticket {
    let mut recognised = Recognised::default();
    let mut signature = PastedSignature::default();
    let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
    event_text::recognise(&texts, &mut recognised);
    for text in texts {
        line::recognise(text, &mut recognised, &mut signature);
    }
    signature.finish(&mut recognised);
    recognised.into_ticket(lines)
}

/// The lines that have anything in them. What a program drew over with a carriage return is a line of its own, with
/// the same number.
fn lines(text: &str, losses: &mut Vec<Loss>) -> Vec<TicketLine> {
    let mut lines = Vec::new();
    for (number, line) in (1_u32..).zip(text.split('\n')) {
        for part in line.split('\r') {
            let text = printed(part);
            if text.trim().is_empty() {
                continue;
            }
            if lines.len() == MOST_LINES {
                let reason = format!("only the first {MOST_LINES} lines are read");
                losses.push(Loss::new(format!("line {number}"), reason));
                return lines;
            }
            lines.push(TicketLine { number, text });
        }
    }
    lines
}

/// A line as a console shows it: without colours and without blanks at its end.
fn printed(line: &str) -> Arc<str> {
    let line = line.trim_end();
    if !line.contains(char::is_control) {
        return Arc::from(line);
    }
    let mut shown = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            // A control sequence: escape, bracket, parameters, a letter.
            '\u{1B}' => {
                if characters.next() == Some('[') {
                    characters.by_ref().find(|end| ('\u{40}'..='\u{7E}').contains(end));
                }
            }
            '\t' => shown.push('\t'),
            other if other.is_control() => {}
            other => shown.push(other),
        }
    }
    Arc::from(shown.trim_end())
}

#[cfg(test)]
mod tests;
