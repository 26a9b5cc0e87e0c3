//! The verdicts in at most 2 KB: for assistants, whose context is short, and for chats.

use std::io::{self, Write};

use super::screen::{cut, first_step, next_for_the_cause};
use super::text::block::{Block, blocks};
use super::text::overview::{counts, nothing_found, unread, when};
use crate::account::place;
use crate::model::Report;
use crate::wording::one_line;

/// The most bytes.
pub const MOST_BYTES: usize = 2048;

/// Columns of a headline and of a step, the longest first.
const LENGTHS: [(usize, usize); 4] = [(200, 300), (140, 160), (100, 80), SHORTEST];
const SHORTEST: (usize, usize) = (80, 0);

/// Writes the verdicts of the report, the most urgent first: at most [`MOST_BYTES`] bytes.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let blocks = blocks(report);
    let unread = unread(report).map_or_else(String::new, |unread| format!("; {unread}"));
    let mut text = format!("{}\n", cut(&format!("crashsift: {}{unread}", counts(report, &blocks)), 200));
    if blocks.is_empty() {
        text.push_str(&format!("{}\n", cut(&nothing_found(report, !unread.is_empty()), 300)));
        return out.write_all(text.as_bytes());
    }
    let room = MOST_BYTES.saturating_sub(text.len());
    let at_lengths =
        |(headline, step)| -> Vec<String> { blocks.iter().map(|block| line(report, block, headline, step)).collect() };
    let bytes = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
    let all = LENGTHS.into_iter().map(at_lengths).find(|lines| bytes(lines) <= room);
    match all {
        Some(lines) => text.extend(lines),
        None => text.push_str(&some(report, &blocks, room)),
    }
    let requests = report.coverage.collect_next.iter().filter(|request| !request.short.is_empty());
    let wanted: Vec<&str> = requests.map(|request| request.short.as_str()).collect();
    let collect = format!("Collect next: {}\n", cut(&wanted.join("; "), 300));
    if !wanted.is_empty() && text.len().saturating_add(collect.len()) <= MOST_BYTES {
        text.push_str(&collect);
    }
    out.write_all(text.as_bytes())
}

/// The first of the lines that fit with the number of the others.
fn some(report: &Report, blocks: &[Block<'_>], room: usize) -> String {
    let more = |count: usize| format!("{count} more: crashsift show N PATH, or another format\n");
    let room = room.saturating_sub(more(blocks.len()).len());
    let (headline, step) = SHORTEST;
    let mut text = String::new();
    let mut shown = 0_usize;
    for block in blocks {
        let line = line(report, block, headline, step);
        if text.len().saturating_add(line.len()) > room {
            break;
        }
        text.push_str(&line);
        shown = shown.saturating_add(1);
    }
    text.push_str(&more(blocks.len().saturating_sub(shown)));
    text
}

/// One problem: what it is, its cause and how sure that is, how often, where and when, the first step, and an incident's id.
fn line(report: &Report, block: &Block<'_>, headline: usize, step: usize) -> String {
    let judged = block.representative;
    let times = if block.size() > 1 { format!("{} times, ", block.size()) } else { String::new() };
    let what = cut(&block.headline(), headline);
    // Of several computers, the time has their number.
    let hosts = block.hosts();
    let at = if hosts.len() > 1 { when(block) } else { format!("{}, {}", place(&hosts), when(block)) };
    let at = format!("{times}{at}");
    let next = match first_step(judged).filter(|_| block.is_actionable()) {
        Some(step) => step,
        None => next_for_the_cause(report, judged),
    };
    let next = if step == 0 { String::new() } else { format!("; next: {}", cut(&next, step)) };
    let about = one_line(&format!("{what} [{}] {at}", block.verdict()));
    format!("{}. {}{next}; id {}\n", block.number, cut(&about, 320), judged.incident.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{artifact, bugcheck, crash, report, undetermined};
    use crate::{ArtifactStatus, tests};

    fn brief(report: &Report) -> String {
        let mut out = Vec::new();
        write(report, &mut out).expect("memory can be written to");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn each_verdict_is_a_line_with_its_next_step() {
        let artifacts = vec![artifact("a.dmp", ArtifactStatus::Ok, None)];
        let text = brief(&report(artifacts, vec![crash("c1"), bugcheck("b1", 9)]));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("crashsift: 1 artifact, 2 incidents, 2 groups"), "{text}");
        assert!(lines[1].starts_with("1. python.exe"), "{text}");
        for part in ["missing-dependency, act on it (93 %)", "PC-7", "next: Put the 64-bit zlibwapi.dll", "id c1"] {
            assert!(lines[1].contains(part), "{part}: {text}");
        }
        assert!(lines[2].contains("gpu-timeout, likely (64 %)"), "{text}");
    }

    #[test]
    fn however_much_there_is_it_stays_short() {
        for (count, name) in [(3, "ä".repeat(3_000)), (400, "x".repeat(200)), (40, "\u{1b}[2J\n".repeat(40))] {
            let incidents = (0..count).map(|number| {
                let mut judged = undetermined(&format!("u{number}"), number);
                judged.incident.process.as_mut().expect("a process").name = Some(name.as_str().into());
                judged.incident.host = Some(format!("{name}{number}").into());
                judged.incident.signature.coarse = format!("crash|{number}");
                judged
            });
            let text = brief(&tests::sample::report(Vec::new(), incidents.collect()));
            assert!(text.len() <= MOST_BYTES, "{}", text.len());
            assert!(text.ends_with('\n') && text.lines().count() >= 2, "{text}");
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        }
    }
}
