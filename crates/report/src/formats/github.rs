//! The report as annotations of GitHub Actions: workflow commands, one a line. The first says how much there is.
//!
//! Everything from evidence is escaped as the [documentation of workflow
//! commands](https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands) describes, so that no name
//! is a command of its own.

use std::io::{self, BufWriter, Write};

use super::BUFFER_SIZE;
use super::lines::lines;
use super::located::located;
use super::text::block::{Block, blocks};
use super::text::overview::{counts, unread};
use super::urgency::Urgency;
use crate::model::Report;
use crate::wording::one_line;

/// How many annotations of each kind GitHub shows of a step.
const SHOWN: usize = 10;

/// Writes the groups of the report as annotations, the most urgent first.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    let blocks = blocks(report);
    let mut by_urgency: Vec<(Urgency, &Block<'_>)> =
        blocks.iter().map(|block| (Urgency::of_block(block), block)).collect();
    by_urgency.sort_by_key(|(urgency, _)| std::cmp::Reverse(*urgency));
    let of = |urgency| {
        // The first line is a notice, too.
        let most = if urgency == Urgency::Note { SHOWN.saturating_sub(1) } else { SHOWN };
        by_urgency.iter().filter(move |(own, _)| *own == urgency).take(most)
    };
    let shown: Vec<_> = [Urgency::Error, Urgency::Warning, Urgency::Note].into_iter().flat_map(of).collect();
    let unread = unread(report).map_or_else(String::new, |unread| format!("; {unread}"));
    let more = match blocks.len().saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!("; {more} more without an annotation"),
    };
    let what = format!("crashsift: {}{unread}{more}", counts(report, &blocks));
    writeln!(out, "::notice title=crashsift::{}", data(&one_line(&what)))?;
    shown.into_iter().try_for_each(|(urgency, block)| annotation(report, *urgency, block, &mut out))?;
    out.flush()
}

fn annotation(report: &Report, urgency: Urgency, block: &Block<'_>, out: &mut dyn Write) -> io::Result<()> {
    let command = match urgency {
        Urgency::Error => "error",
        Urgency::Warning => "warning",
        Urgency::Note => "notice",
    };
    let times = if block.size() > 1 { format!(" ({} times)", block.size()) } else { String::new() };
    write!(out, "::{command} title={}", property(&one_line(&format!("{}{times}", block.headline()))))?;
    if let Some(first) = located(report, block.representative).first() {
        write!(out, ",file={}", property(&one_line(first.path)))?;
        if let Some(line) = first.line() {
            write!(out, ",line={line}")?;
        }
    }
    let mut says = lines(report, block.representative);
    says.push(format!("incident: {}", block.representative.incident.id));
    writeln!(out, "::{}", data(&says.join("\n")))
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{bugcheck, crash, everything, hostile, report, undetermined};

    fn commands(report: &Report) -> Vec<String> {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        String::from_utf8(out).expect("text").lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_group_is_an_annotation_by_its_urgency() {
        let lines = commands(&report(everything().artifacts, vec![crash("c1"), bugcheck("b1", 9)]));
        assert!(lines[0].starts_with("::notice title=crashsift::crashsift: 4 artifacts, 2 incidents"), "{lines:#?}");
        assert!(lines[1].starts_with("::error title=python.exe"), "{lines:#?}");
        assert!(lines[1].contains(",file=dumps/a.dmp::happened: "), "{lines:#?}");
        assert!(lines[1].contains("%0Ahelpdesk: Put the 64-bit zlibwapi.dll"), "{lines:#?}");
        assert!(lines[2].starts_with("::warning title="), "{lines:#?}");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn more_than_github_shows_is_counted() {
        let many = (0..30).map(|number| {
            let mut judged = undetermined(&format!("u{number}"), number);
            judged.incident.signature.coarse = format!("crash|{number}");
            judged
        });
        let lines = commands(&report(Vec::new(), many.collect()));
        assert_eq!(lines.len(), 10);
        assert!(lines[0].ends_with("; 21 more without an annotation"), "{}", lines[0]);
    }

    #[test]
    fn hostile_names_are_no_commands() {
        for text in
            ["x\n::add-mask::y", "x\r\n::set-env name=A::b", "a,line=9::error::b", "%0A::error::x", "\u{85}::error::x"]
        {
            let lines = commands(&hostile(text));
            assert_eq!(lines.len(), 2, "{lines:#?}");
            for line in lines {
                let rest = line.strip_prefix("::").expect("a command");
                let (head, _) = rest.split_once("::").expect("the end of its properties");
                let (command, properties) = head.split_once(' ').expect("properties");
                assert!(["error", "warning", "notice"].contains(&command), "{line}");
                let keys: Vec<&str> =
                    properties.split(',').filter_map(|one| one.split_once('=')).map(|one| one.0).collect();
                assert!(keys == ["title"] || keys == ["title", "file"], "{line}");
                assert!(!line.contains(char::is_control), "{line:?}");
            }
        }
    }
}
