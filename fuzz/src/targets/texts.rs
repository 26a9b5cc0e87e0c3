//! `Report.wer` and pasted text.

use evidence::Names;
use pasted_text::Context;
use wer::report::is_wer_report;
use windows_events::Contents;

use crate::{Group, Shape, Target, scratch, seeds};

pub(super) const TARGETS: &[Target] = &[
    Target::new("wer", Group::Texts, "A `Report.wer`", wer_report, || seeds::samples(is_wer_report))
        .with_words(WER_WORDS)
        .at_most(16 << 10),
    Target::new("ticket", Group::Texts, "The text of a ticket", ticket, tickets)
        .with_words(TICKET_WORDS)
        .at_most(8 << 10),
];

/// In UTF-16, as the files are.
const WER_WORDS: &[&str] = &[
    "E\x00v\x00e\x00n\x00t\x00T\x00y\x00p\x00e\x00=\x00",
    "S\x00i\x00g\x00[\x000\x00]\x00.\x00N\x00a\x00m\x00e\x00=\x00",
    "\r\x00\n\x00",
    "=\x00",
    "V\x00a\x00l\x00u\x00e\x00=\x00",
    "L\x00o\x00a\x00d\x00e\x00d\x00M\x00o\x00d\x00u\x00l\x00e\x00[\x00",
    "A\x00P\x00P\x00C\x00R\x00A\x00S\x00H\x00",
    "B\x00l\x00u\x00e\x00S\x00c\x00r\x00e\x00e\x00n\x00",
    "D\x00y\x00n\x00a\x00m\x00i\x00c\x00S\x00i\x00g\x00[\x001\x00]\x00.\x00",
    "0\x00x\x00c\x000\x000\x000\x000\x000\x000\x005\x00",
];

const TICKET_WORDS: &[&str] = &[
    "Faulting application name: ",
    "Faulting module name: ",
    "Exception code: 0x",
    "Fault offset: 0x",
    "Event ID: ",
    "STOP: 0x",
    "BugCheck ",
    "Traceback (most recent call last):\n",
    "  File \"",
    "Access violation",
    "<Event xmlns=",
    "</Data>",
    "\n",
    "\r\n",
    "\t",
    "```",
    "> ",
    "0xc0000005",
    ".dll",
    ".sys",
    ".exe",
    "nvidia-smi",
    "DxDiag",
    "STACK_TEXT:",
    "MODULE_NAME: ",
    "\u{feff}",
    "\u{202e}",
    "é",
    "İ",
    "２０２４",
    "2024-05-06 12:00:00",
    "31.02.2024",
    "not ",
    "0x",
    ":",
    "(",
    "99999999999999999999",
];

fn wer_report(input: &[u8]) -> Shape {
    let names = Names::default();
    let outcome = scratch::with_file(input, |file, bytes| wer::report::read(file, bytes, &names));
    Shape::of_reading(outcome.as_ref())
}

fn ticket(input: &[u8]) -> Shape {
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    let outcome = scratch::with_file(input, |file, _| pasted_text::read(file, &context));
    Shape::of_reading(outcome.as_ref())
}

fn tickets() -> Vec<Vec<u8>> {
    let mut texts =
        seeds::samples(|content| content.len() < 4096 && std::str::from_utf8(content).is_ok() && !content.is_empty());
    texts.extend(seeds::project_files("crates/pasted-text", &[".txt"]).into_iter().filter(|text| text.len() < 4096));
    texts
}
