//! Tickets: text that people paste. Event Viewer's general tab or XML, a console's output, a debugger's analysis, lists
//! of what is installed, a mail.
//!
//! A ticket has no format. Its lines are kept for rules to search, and facts are recognised: by the words before
//! them (`patterns`, which are data), by the order of Event Viewer's lines, by the positions of a problem signature,
//! and by the shape of stacks, tracebacks and tables. What is not certain is not recognised: an exit code of 53 stays a
//! number.

mod bare_stack;
mod cue_words;
mod dates;
mod debugger;
mod denied_values;
mod document;
mod dxdiag;
mod event_table;
mod event_text;
mod fences;
mod guide;
mod inventory;
mod line;
mod listings;
mod mentions;
mod module_below;
mod noise;
mod patterns;
pub mod plain;
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
mod told_event;
mod told_module;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::sync::Arc;

use line::LineReader;
use mentions::Marked;
use recognised::Recognised;
use regex::Regex;
use signature::PastedSignature;

pub use self::document::other_document;
use evidence::Reading;
use evidence::{Evidence, Observation, Place, Ticket, TicketLine};
use untrusted::HeadAndTail;
use untrusted::text::{decode_in, encoding_of, looks_like_text};
use untrusted::{Loss, Unreadable};
use windows_events::Context;
use windows_events::{MOST_EVENTS, count_of_events, pasted_events};

/// As many lines as are kept of a text's beginning, and as many of its end.
const KEPT_LINES: usize = 50_000;

/// The longest line that is kept as one, bytes. What a program printed without line ends is divided between words, so that
/// no work grows with the length of a line.
const LONGEST_LINE: usize = 8 << 10;

/// Whether a file that begins with `first_bytes` is text.
#[must_use]
pub fn is_text(first_bytes: &[u8]) -> bool {
    looks_like_text(first_bytes)
}

/// Reads the text in `file`.
///
/// # Errors
///
/// When the file can't be read, or has no line.
pub fn read(file: &mut File, context: &Context<'_>) -> Result<Reading, Unreadable> {
    let content =
        HeadAndTail::read(file).map_err(|error| Unreadable::whole(format!("the file can't be read: {error}")))?;
    read_content(&content, context)
}

/// As many different codes as one machine's trouble shows. A text with more is about crashes: a reference, a table, notes
/// of many cases.
const MOST_CODES: usize = 12;

/// As many codes as a guide to one error names. One with more explains codes, and may be none of a crash.
const MOST_CODES_OF_A_GUIDE: usize = 2;

/// Why what was read of a file is no ticket after all; `None` for tickets.
#[must_use]
pub fn about_crashes(reading: &Reading) -> Option<String> {
    let tickets = || {
        reading.evidence.iter().filter_map(|evidence| match &evidence.observation {
            Observation::Ticket(ticket) => Some(ticket),
            _ => None,
        })
    };
    let named = tickets().map(|ticket| ticket.codes_named).max()?;
    if named > MOST_CODES {
        return Some(format!("it names {named} different codes: a text about crashes, not of one"));
    }
    let errors = tickets().map(|ticket| ticket.win_errors.len().saturating_add(ticket.hresults.len())).max()?;
    let named = named.saturating_add(errors);
    // A sentence may name a program; a report gives its version, too.
    let fields = tickets().any(|ticket| ticket.app_version.is_some() || ticket.module.is_some());
    let guide = tickets().any(|ticket| ticket.document);
    (guide && named > MOST_CODES_OF_A_GUIDE && !fields).then(|| {
        format!(
            "it has the form of a guide and names {named} codes: a text about crashes, not of one (--ticket reads it)"
        )
    })
}

/// Takes what was read for a report of what happened, whatever form it has: somebody said that it is one.
pub fn accept(reading: &mut Reading) {
    for evidence in &mut reading.evidence {
        if let Observation::Ticket(ticket) = &mut evidence.observation {
            ticket.document = false;
        }
    }
}

/// Reads text that is in no file, or in one that somebody gave as a ticket.
///
/// # Errors
///
/// When it has no line.
pub fn read_content(content: &HeadAndTail, context: &Context<'_>) -> Result<Reading, Unreadable> {
    let (encoding, mark) = encoding_of(&content.head);
    let head = decode_in(content.head.get(mark..).unwrap_or_default(), encoding);
    let mut losses = head.losses;
    let mut lines = Lines::default();
    let mut evidence = Vec::new();
    lines.add(&head.characters, 1, context, &mut evidence, &mut losses);
    if content.left_out > 0 {
        let tail = decode_in(&content.tail, encoding).characters;
        // The first line began in what was left out.
        let (begun, whole) = tail.split_once('\n').unwrap_or_default();
        let number = lines.line_ends.saturating_add(content.lines_left_out).saturating_add(2);
        let reason = format!(
            "{} of {} bytes in the middle are left out, with {} lines",
            content.left_out.saturating_add(begun.len() as u64),
            content.bytes(),
            content.lines_left_out.saturating_add(1),
        );
        losses.push(Loss::new(format!("line {}", lines.line_ends.saturating_add(1)), reason));
        lines.add(whole, number, context, &mut evidence, &mut losses);
    }
    if content.unread {
        losses.push(Loss::new("end", "the text is longer than is read"));
    }
    let mut lines = lines.finish(&mut losses);
    evidence.extend(dxdiag::take_reports(&mut lines));
    if lines.is_empty() && evidence.is_empty() {
        return Err(Unreadable::whole("the text has no line with anything in it"));
    }
    let document = guide::is_guide(&lines);
    // What stands beside pasted events says something too; a text of nothing else is those events.
    let tickets = read_tickets(lines).into_iter().map(|ticket| {
        let ticket = Ticket { document, ..ticket };
        let place =
            if ticket.told_in.is_empty() { Place::Whole } else { Place::Lines(ticket.told_in.as_slice().into()) };
        Evidence { place, observation: Observation::Ticket(Box::new(ticket)) }
    });
    evidence.splice(0..0, tickets);
    Ok(Reading { evidence, losses, ..Reading::default() })
}

/// What the lines say: one ticket, or, where they tell of several crashes, one for each of those and one for the rest.
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
        if ticket.tells_of_a_crash() || section.tells_of_a_failure(&ticket, part) {
            sections::add_part(&mut crashes, ticket, &section, part);
        } else {
            rest.extend_from_slice(part);
        }
    }
    if crashes.len() < 2 {
        return vec![read_ticket(lines, &listed)];
    }
    let parts = crashes.into_iter().map(|crash| crash.lines).chain([rest]);
    parts.filter(|lines| !lines.is_empty()).map(|lines| read_ticket(lines, &listed)).collect()
}

/// The ticket that these lines are, of which some are rows of a table of events, by their number.
fn read_ticket(lines: Vec<TicketLine>, listed: &BTreeMap<u32, event_table::Listed>) -> Ticket {
    let mut recognised = Recognised::default();
    let mut signature = PastedSignature::default();
    let mut reader = LineReader::default();
    let marked = Marked::of(&lines);
    let (doubted, unreported) = (mentions::doubted(&marked), mentions::unreported(&marked));
    if doubted.is_empty() {
        event_text::recognise(&lines, &mut recognised);
    } else {
        let certain = lines.iter().enumerate().filter(|(position, _)| !doubted.contains_key(position));
        event_text::recognise(&certain.map(|(_, line)| line.clone()).collect::<Vec<_>>(), &mut recognised);
    }
    for (position, line) in lines.iter().enumerate() {
        recognised.line = line.number;
        match doubted.get(&position) {
            None => {
                if let Some((provider, id)) = listed.get(&line.number) {
                    inventory::add_event(&mut recognised, Arc::from(*provider), *id);
                }
                reader.read(&line.text, &mut recognised, &mut signature);
                recognised.sort_errors(unreported.get(&position).map(|left| read_alone(left, line.number)));
            }
            Some(certain) => {
                reader.read(certain, &mut recognised, &mut signature);
                recognised.sort_errors(None);
                recognised.mention(read_alone(&line.text, line.number));
            }
        }
    }
    signature.finish(&mut recognised);
    let mut doubted = doubted;
    if let Some(over) = mentions::over(&marked) {
        recognised.over = true;
        doubted.extend((0..over).map(|position| (position, Arc::from(""))));
    }
    read_conditional(&lines, &mut reader, &mut recognised);
    module_below::recognise(&lines, &mut recognised);
    inventory::tables(&lines, &mut recognised);
    recognised.ticket.frames = debugger::frames(&lines);
    recognised.ticket.python_frames = python::frames(&lines);
    let dates = dates::dates(&lines);
    Ticket { doubted, unreported, dates, ..recognised.into_ticket(lines) }
}

/// What a line says, whatever stands around it.
fn read_alone(line: &str, number: u32) -> Recognised {
    let mut said = Recognised::default();
    said.line = number;
    LineReader::default().read(line, &mut said, &mut PastedSignature::default());
    said
}

/// Statements that count only when the text shows that they are meant.
fn read_conditional(lines: &[TicketLine], reader: &mut LineReader, recognised: &mut Recognised) {
    let mut shown: BTreeMap<&str, bool> = BTreeMap::new();
    for (needs, fact, value, line) in std::mem::take(&mut reader.conditional) {
        let fits = |needs| Regex::new(needs).is_ok_and(|needs| lines.iter().any(|line| needs.is_match(&line.text)));
        if *shown.entry(needs).or_insert_with(|| fits(needs)) {
            recognised.line = line;
            reader.read_conditional(fact, &value, recognised);
        }
    }
}

/// The lines of a text that have anything in them, but for those of pasted events. What a program drew over with a
/// carriage return is a line of its own, with the same number, and so is each piece of a line that is very long.
#[derive(Debug, Default)]
struct Lines {
    beginning: Vec<TicketLine>,
    end: VecDeque<TicketLine>,
    left_out: u64,
    /// Line ends so far.
    line_ends: u64,
}

impl Lines {
    /// Adds a part of the text, whose first line has this number, and the events in it.
    fn add(
        &mut self,
        text: &str,
        first: u64,
        context: &Context<'_>,
        evidence: &mut Vec<Evidence>,
        losses: &mut Vec<Loss>,
    ) {
        let outside = without_events(text, first, context, evidence, losses);
        let mut number = first;
        for line in outside.split('\n') {
            for part in line.split('\r') {
                for piece in pieces(part) {
                    self.push(line_number(number), piece);
                }
            }
            number = number.saturating_add(1);
        }
        self.line_ends = self.line_ends.saturating_add(number.saturating_sub(first).saturating_sub(1));
    }

    fn push(&mut self, number: u32, text: &str) {
        let text = printed(text);
        let text = match plain::plain(&text) {
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

    fn finish(mut self, losses: &mut Vec<Loss>) -> Vec<TicketLine> {
        if self.left_out > 0 {
            let place = self.beginning.last().map_or(0, |line| line.number.saturating_add(1));
            losses.push(Loss::new(format!("line {place}"), format!("{} lines are left out", self.left_out)));
        }
        self.beginning.extend(self.end);
        self.beginning
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

/// As many lines of an event as are listed one by one.
const LISTED_LINES: u32 = 64;

/// The text without the events in it, which become evidence; only their line ends stay. Events that nobody knows are
/// left in it, and are evidence where a Sigma rule matches them.
fn without_events<'t>(
    text: &'t str,
    first: u64,
    context: &Context<'_>,
    evidence: &mut Vec<Evidence>,
    losses: &mut Vec<Loss>,
) -> Cow<'t, str> {
    let events = pasted_events(text, context.names, context.matcher);
    if events.iter().all(|event| event.evidence.is_none() && event.matches.is_empty()) {
        return Cow::Borrowed(text);
    }
    if events.len() == MOST_EVENTS {
        let all = count_of_events(text);
        if all > MOST_EVENTS {
            let reason =
                format!("{MOST_EVENTS} of {all} events were read: give the log itself, as `wevtutil epl` writes it");
            losses.push(Loss::new("text", reason));
        }
    }
    let mut outside = String::with_capacity(text.len());
    let (mut at, mut number) = (0, first);
    let line_ends = |part: &str| part.matches('\n').count();
    for event in events {
        if event.evidence.is_none() && event.matches.is_empty() {
            continue;
        }
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
            losses.push(Loss::new(format!("line {begins}"), "the end of a pasted event is missing"));
        }
        let lines: Arc<[u32]> = if ends.saturating_sub(begins) < LISTED_LINES {
            (begins..=ends).collect()
        } else {
            [begins, ends].as_slice().into()
        };
        let found = event.evidence.into_iter().chain(event.matches);
        evidence.extend(found.map(|found| Evidence { place: Place::Lines(Arc::clone(&lines)), ..found }));
        at = event.range.end;
    }
    outside.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(outside)
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
