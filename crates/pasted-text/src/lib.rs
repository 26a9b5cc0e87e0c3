//! Reads what people paste into a ticket about a crash: a console's output, the text or XML of an event out of Event
//! Viewer, a debugger's analysis, the values of a dialog or problem report, lists of installed packages, a mail around
//! all of it.
//!
//! Such a text has no format. Its lines are kept, and facts are read of them: the crashed program and the faulting
//! module with version, path and offset, exception, exit and bugcheck codes, Windows errors, stacks of debuggers and of
//! Python, events of logs, and what is installed. A fact is recognised by the words before it (the patterns of
//! `rules/data/ticket-*.yaml`), by the order of Event Viewer's lines, by its position in a problem signature, or by the
//! shape of a stack, traceback or table. A value that may be something else is left alone: an exit code of 53 is no
//! exception code. What a line denies, advises, quotes or lists counts only as mentioned.
//!
//! [`read`], [`read_content`] and [`read_text`] give a [`Reading`]: a [`Ticket`] for each crash that the text reports,
//! with the numbers of the lines that its facts are from, and the events that were pasted as XML. No text makes them
//! panic, and the work grows linearly with its length.
//!
//! ```
//! use pasted_text::{Observation, read_text};
//!
//! let reading = read_text("Since Monday it crashes:\n\
//!     Faulting application name: tool.exe, version: 1.2.3.4, time stamp: 0x5f000000\n\
//!     Faulting module name: part.dll, version: 2.0.0.0, time stamp: 0x5f000001\n\
//!     Exception code: 0xc0000005\n")?;
//! let Some(Observation::Ticket(ticket)) = reading.evidence.first().map(|evidence| &evidence.observation) else {
//!     panic!("the text reports a crash");
//! };
//! assert_eq!(ticket.app.as_deref(), Some("tool.exe"));
//! assert_eq!(ticket.module.as_deref(), Some("part.dll"));
//! assert_eq!(ticket.code.map(|code| code.0), Some(0xC000_0005));
//! assert_eq!(ticket.told_in, [2, 3, 4]);
//! # Ok::<(), pasted_text::Unreadable>(())
//! ```
//!
//! Whether a file is such a text at all is asked in two steps: [`is_text`] and [`other_document`] look at its first
//! bytes, [`not_a_report`] at what was read.

mod asserted;
mod bare_stack;
mod code_blocks;
mod cue_words;
mod dates;
mod debugger;
mod denied_values;
mod document;
mod doubt;
mod dxdiag;
mod event_table;
mod event_text;
mod general_text;
mod guide;
mod inventory;
mod line;
mod listings;
mod module_below;
mod named_event;
mod noise;
mod patterns;
mod plain;
mod printed;
mod python;
mod quotes;
mod recognised;
mod respelled;
mod sections;
mod sentences;
mod signature;
mod statement;
mod stops;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::sync::Arc;

use doubt::Marked;
use line::{LineReader, read_alone};

use untrusted::text::{decode_in, encoding_of};
use windows_events::{MOST_EVENTS, count_of_events, pasted_events};

pub use self::document::other_document;
pub use self::general_text::{not_a_report, treat_as_report};
pub use self::plain::plain;
pub use evidence::{
    Contradiction, Evidence, Inventory, Observation, Place, PythonFrame, Reading, Ticket, TicketEvent, TicketFrame,
    TicketLine,
};
pub use untrusted::text::looks_like_text as is_text;
pub use untrusted::{HeadAndTail, Loss, Unreadable};
pub use windows_events::Context;

/// How many lines are kept of a text's beginning, and how many of its end.
const KEPT_LINES: usize = 50_000;

/// The longest line that is kept as one, bytes. What a program printed without line ends is divided between words, so
/// that no work grows with the length of a line.
const LONGEST_LINE: usize = 8 << 10;

/// Reads the text in `file`; of a long one its beginning and its end. `context` is for the events that it contains.
///
/// # Errors
///
/// When the file can't be read, or has no line with anything in it.
pub fn read(file: &mut File, context: &Context<'_>) -> Result<Reading, Unreadable> {
    let content =
        HeadAndTail::read(file).map_err(|error| Unreadable::whole(format!("the file can't be read: {error}")))?;
    read_content(&content, context)
}

/// Reads a text whose events need no cache and no matcher of records.
///
/// # Errors
///
/// When it has no line with anything in it.
pub fn read_text(text: &str) -> Result<Reading, Unreadable> {
    let (names, contents) = Default::default();
    read_content(&text.as_bytes().into(), &Context::new(&names, &contents))
}

/// Reads a text that is in memory, as [`read`] does.
///
/// # Errors
///
/// When it has no line with anything in it.
pub fn read_content(content: &HeadAndTail, context: &Context<'_>) -> Result<Reading, Unreadable> {
    let (encoding, mark) = encoding_of(&content.head);
    let head = decode_in(content.head.get(mark..).unwrap_or_default(), encoding);
    let mut parts = Parts { losses: head.losses, ..Parts::default() };
    parts.add(&head.characters, 1, context);
    if content.left_out > 0 {
        let tail = decode_in(&content.tail, encoding).characters;
        // The first line began in what was left out.
        let (begun, whole) = tail.split_once('\n').unwrap_or_default();
        let number = parts.line_ends.saturating_add(content.lines_left_out).saturating_add(2);
        let reason = format!(
            "{} of {} bytes in the middle are left out, with {} lines",
            content.left_out.saturating_add(begun.len() as u64),
            content.bytes(),
            content.lines_left_out.saturating_add(1),
        );
        parts.losses.push(Loss::new(format!("line {}", parts.line_ends.saturating_add(1)), reason));
        parts.add(whole, number, context);
    }
    if content.unread {
        parts.losses.push(Loss::new("end", "the text is longer than is read"));
    }
    let mut lines = parts.take_lines();
    let Parts { mut evidence, losses, .. } = parts;
    evidence.extend(dxdiag::take_reports(&mut lines));
    if lines.is_empty() && evidence.is_empty() {
        return Err(Unreadable::whole("the text has no line with anything in it"));
    }
    let document = guide::is_guide(&lines);
    // The lines beside pasted events are a ticket, too; without any, the events are all of the evidence.
    let tickets = read_tickets(lines).into_iter().map(|ticket| {
        let ticket = Ticket { document, ..ticket };
        let place =
            if ticket.told_in.is_empty() { Place::Whole } else { Place::Lines(ticket.told_in.as_slice().into()) };
        Evidence { place, observation: Observation::Ticket(Box::new(ticket)) }
    });
    evidence.splice(0..0, tickets);
    Ok(Reading { evidence, losses, ..Reading::default() })
}

/// Reads the tickets of these lines: one, or if they report several crashes, one for each crash and one for the other
/// lines.
fn read_tickets(lines: Vec<TicketLine>) -> Vec<Ticket> {
    if lines.is_empty() {
        return Vec::new();
    }
    let by_position = event_table::listed(&lines);
    let listed = by_position.iter().filter_map(|(at, event)| Some((lines.get(*at)?.number, *event))).collect();
    let (mut crashes, mut rest) = (Vec::new(), Vec::new());
    for section in sections::sections(&lines, &by_position) {
        let part = lines.get(section.range.clone()).unwrap_or_default();
        let ticket = read_ticket(part.to_vec(), &listed);
        if ticket.reports_a_crash() || section.reports_a_failure(&ticket) {
            sections::add_part(&mut crashes, ticket, section);
        } else {
            rest.extend(ticket.lines);
        }
    }
    if crashes.len() < 2 {
        return vec![read_ticket(lines, &listed)];
    }
    let of_crash = |crash: sections::Crash| crash.into_iter().flat_map(|part| part.ticket.lines).collect();
    let parts = crashes.into_iter().map(of_crash).chain([rest]);
    parts.filter(|lines| !lines.is_empty()).map(|lines| read_ticket(lines, &listed)).collect()
}

/// The ticket of these lines; `listed` has the events of rows of event tables, by the numbers of their lines.
fn read_ticket(lines: Vec<TicketLine>, listed: &BTreeMap<u32, event_table::Listed>) -> Ticket {
    let mut reader = LineReader::default();
    let marked = Marked::new(&lines);
    let (mut doubted, unreported) = (doubt::doubted(&marked), doubt::unreported(&marked));
    if doubted.is_empty() {
        event_text::recognise(&lines, &mut reader.recognised);
    } else {
        let certain = lines.iter().enumerate().filter(|(position, _)| !doubted.contains_key(position));
        let certain: Vec<TicketLine> = certain.map(|(_, line)| line.clone()).collect();
        event_text::recognise(&certain, &mut reader.recognised);
    }
    for (position, TicketLine { number, text }) in lines.iter().enumerate() {
        reader.recognised.line = *number;
        match doubted.get(&position) {
            None => {
                if let Some((provider, id)) = listed.get(number) {
                    inventory::add_event(&mut reader.recognised, Arc::from(*provider), *id);
                }
                reader.read(text, *number);
                reader.recognised.sort_errors(unreported.get(&position).map(|left| read_alone(left, *number)));
            }
            Some(certain) => {
                reader.read(certain, *number);
                reader.recognised.sort_errors(None);
                reader.recognised.mention(read_alone(text, *number));
            }
        }
    }
    reader.finish(&lines);
    let mut recognised = reader.recognised;
    if let Some(over) = doubt::resolved_lines(&marked) {
        recognised.over = true;
        doubted.extend((0..over).map(|position| (position, Arc::from(""))));
    }
    module_below::recognise(&lines, &mut recognised);
    inventory::tables(&lines, &mut recognised);
    recognised.ticket.frames = debugger::frames(&lines);
    recognised.ticket.python_frames = python::frames(&lines);
    let dates = dates::dates(&lines);
    Ticket { doubted, unreported, dates, ..recognised.into_ticket(lines) }
}

/// A text in parts: its lines that are not blank, the events in it, and what is lost of it. Carriage returns divide a
/// line, as a console shows progress, and so does [`LONGEST_LINE`]: the pieces have the same number.
#[derive(Debug, Default)]
struct Parts {
    beginning: Vec<TicketLine>,
    end: VecDeque<TicketLine>,
    left_out: u64,
    /// Line ends so far.
    line_ends: u64,
    evidence: Vec<Evidence>,
    losses: Vec<Loss>,
}

impl Parts {
    /// Adds a part of the text, whose first line has the number `first`.
    fn add(&mut self, text: &str, first: u64, context: &Context<'_>) {
        let outside = self.take_events(text, first, context);
        let mut number = first;
        for line in outside.split('\n') {
            for piece in line.split('\r').flat_map(pieces) {
                self.push(line_number(number), piece);
            }
            number = number.saturating_add(1);
        }
        self.line_ends = self.line_ends.saturating_add(number.saturating_sub(first).saturating_sub(1));
    }

    fn push(&mut self, number: u32, text: &str) {
        let text = printed(text);
        let text = match plain(&text) {
            Cow::Borrowed(_) => Arc::clone(&text),
            Cow::Owned(plain) => plain.into(),
        };
        if text.trim().is_empty() {
            return;
        }
        let line = TicketLine { number, text };
        if self.beginning.len() < KEPT_LINES {
            self.beginning.push(line);
            return;
        }
        if self.end.len() == KEPT_LINES {
            self.end.pop_front();
            self.left_out = self.left_out.saturating_add(1);
        }
        self.end.push_back(line);
    }

    fn take_lines(&mut self) -> Vec<TicketLine> {
        let mut lines = std::mem::take(&mut self.beginning);
        if self.left_out > 0 {
            let place = lines.last().map_or(0, |line| line.number.saturating_add(1));
            self.losses.push(Loss::new(format!("line {place}"), format!("{} lines are left out", self.left_out)));
        }
        lines.extend(std::mem::take(&mut self.end));
        lines
    }

    /// The text without the events in it, which become evidence; only their line ends stay. Events that the catalogue does
    /// not have stay in the text, and are evidence where a Sigma rule matches them.
    fn take_events<'t>(&mut self, text: &'t str, first: u64, context: &Context<'_>) -> Cow<'t, str> {
        let mut events = pasted_events(text, context.names, context.matcher);
        let found = events.len();
        events.retain(|event| event.evidence.is_some() || !event.matches.is_empty());
        if events.is_empty() {
            return Cow::Borrowed(text);
        }
        let all = if found == MOST_EVENTS { count_of_events(text) } else { found };
        if all > MOST_EVENTS {
            let reason =
                format!("{MOST_EVENTS} of {all} events were read: give the log itself, as `wevtutil epl` writes it");
            self.losses.push(Loss::new("text", reason));
        }
        let mut outside = String::with_capacity(text.len());
        let (mut at, mut number) = (0, first);
        let line_ends = |part: &str| part.matches('\n').count();
        for event in events {
            let before = text.get(at..event.range.start).unwrap_or_default();
            let inside = text.get(event.range.clone()).unwrap_or_default();
            outside.push_str(before);
            if event.evidence.is_some() {
                outside.extend(inside.chars().filter(|character| *character == '\n'));
            } else {
                outside.push_str(inside);
            }
            number = number.saturating_add(line_ends(before) as u64);
            let begins = line_number(number);
            number = number.saturating_add(line_ends(inside) as u64);
            let ends = line_number(number);
            if event.cut {
                self.losses.push(Loss::new(format!("line {begins}"), "the end of a pasted event is missing"));
            }
            let lines: Arc<[u32]> = if ends.saturating_sub(begins) < LISTED_LINES {
                (begins..=ends).collect()
            } else {
                [begins, ends].as_slice().into()
            };
            let found = event.evidence.into_iter().chain(event.matches);
            self.evidence.extend(found.map(|found| Evidence { place: Place::Lines(Arc::clone(&lines)), ..found }));
            at = event.range.end;
        }
        outside.push_str(text.get(at..).unwrap_or_default());
        Cow::Owned(outside)
    }
}

/// A line in pieces no longer than [`LONGEST_LINE`], divided at blanks where there are any.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        if line.len() <= LONGEST_LINE {
            return Some(line);
        }
        // A character is four bytes long at most.
        let whole = (1..=LONGEST_LINE).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(line.len());
        let (beginning, _) = line.split_at(whole);
        // A word that is longer than half a piece is divided, too.
        let blank = beginning.rfind([' ', '\t']).filter(|blank| *blank > LONGEST_LINE / 2);
        let (piece, after) = line.split_at(blank.unwrap_or(whole));
        rest = Some(after);
        Some(piece)
    })
}

fn line_number(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Events of more lines than this have only their first and last line as their place.
const LISTED_LINES: u32 = 64;

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
