//! Explained codes as text.

use std::io::{self, Write};

use crate::explain::{CodeFinding, Explained, KnownRule, KnownSubCode, Reading};
use report::confidence;
use report::text::TextOptions;
use report::text::page::{CAREFUL, Page, STRONG};
use windows_codes::Kind;

/// Causes that are shown unless all are asked for.
const CAUSES_SHOWN: usize = 8;
/// Sentences about the code alone that are shown unless all are asked for.
const ALONE_SHOWN: usize = 3;

/// Writes explained codes one after another.
///
/// # Errors
/// When `out` can't be written to.
pub(super) fn write(codes: &[Explained], out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    let mut page = Page::new(out, options);
    for (number, explained) in codes.iter().enumerate() {
        if number > 0 {
            page.divider()?;
        }
        one(&mut page, explained)?;
    }
    Ok(())
}

fn one(page: &mut Page<'_>, explained: &Explained) -> io::Result<()> {
    let whole = page.limit(1);
    for (number, reading) in explained.readings.iter().enumerate().take(whole) {
        if number > 0 {
            page.blank()?;
        }
        in_full(page, explained, reading)?;
    }
    let others = explained.readings.get(whole..).unwrap_or_default();
    if !others.is_empty() {
        page.section("It can also be (-v tells all of each)")?;
        for reading in others {
            page.bullet(&in_short(&reading.code))?;
        }
    }
    Ok(())
}

fn heading(reading: &windows_codes::Reading) -> String {
    match &reading.name {
        Some(name) => format!("{}  {name}", reading.code),
        None => reading.code.clone(),
    }
}

fn in_full(page: &mut Page<'_>, explained: &Explained, judged: &Reading) -> io::Result<()> {
    let reading = &judged.code;
    page.styled(STRONG, 0, &heading(reading))?;
    page.blank()?;
    if let Some(means) = &reading.means {
        page.row("says", means)?;
    }
    page.row("kind", reading.kind.phrase())?;
    if explained.spellings != reading.spellings {
        page.row("asked", &explained.text)?;
    }
    page.row("spellings", &spellings(reading))?;
    page.row("read so", &reading.why)?;
    if let Some(structure) = &reading.structure {
        page.row("bits", &structure.sentence())?;
    }
    page.list("What it proves", &reading.proves)?;
    page.list("What it does not mean", &reading.not)?;
    page.list("Where to look further", &reading.look)?;
    sub_codes(page, judged)?;
    causes(page, judged, explained.readings.len() > 1)?;
    page.list("What to collect", &judged.collect)?;
    if !judged.sources.is_empty() {
        page.section("Read more")?;
        judged.sources.iter().try_for_each(|source| page.reference(source))?;
    }
    Ok(())
}

fn in_short(reading: &windows_codes::Reading) -> String {
    let means = reading.means.as_ref().map_or_else(String::new, |means| format!(": {means}"));
    format!("{}, {}{means} ({})", heading(reading), reading.kind.phrase(), reading.why)
}

/// The spellings that are met for a code of this kind.
fn spellings(reading: &windows_codes::Reading) -> String {
    let spellings = &reading.spellings;
    let (hex, unsigned) = (&spellings.hex, spellings.unsigned);
    if spellings.signed < 0 {
        return format!("{hex}, {} (with sign), {unsigned} (without)", spellings.signed);
    }
    match reading.kind {
        Kind::Event
        | Kind::CudaError
        | Kind::DeviceProblem
        | Kind::Errno
        | Kind::Xid
        | Kind::CublasStatus
        | Kind::CudnnStatus => unsigned.to_string(),
        Kind::Bugcheck if unsigned < 0x1000_0000 => format!("{hex}, 0x{unsigned:X}, {unsigned} (in event 41)"),
        _ if unsigned < 0x1_0000 => format!("{unsigned}, 0x{unsigned:X}"),
        _ => format!("{hex}, {unsigned}"),
    }
}

fn sub_codes(page: &mut Page<'_>, reading: &Reading) -> io::Result<()> {
    let codes = &reading.sub_codes;
    if codes.is_empty() {
        return Ok(());
    }
    let all = page.verbose || !codes.iter().any(|sub_code| sub_code.has_rules);
    page.section(if all { "Sub-codes" } else { "Sub-codes that rules know (-v lists all)" })?;
    for KnownSubCode { code: sub_code, .. } in codes.iter().filter(|sub_code| all || sub_code.has_rules) {
        let means = sub_code.means.map_or_else(String::new, |means| format!(": {means}"));
        page.marked(STRONG, &format!("  {:>4}  ", sub_code.code), &format!("{}{means}", sub_code.name))?;
    }
    Ok(())
}

fn causes(page: &mut Page<'_>, reading: &Reading, doubtful: bool) -> io::Result<()> {
    if reading.rules.is_empty() && reading.alone.is_empty() {
        return Ok(());
    }
    page.section(if doubtful { "What the code alone tells, if it is this one" } else { "What the code alone tells" })?;
    if reading.alone.is_empty() {
        page.paragraph(2, "No cause: every rule that asks for it wants to know more.")?;
    }
    for CodeFinding { rule, title, cause, symptom, confidence } in reading.alone.iter().take(page.limit(ALONE_SHOWN)) {
        page.bullet(&format!("{cause}, {}: {title} ({rule})", confidence::phrase(*confidence, *symptom)))?;
    }
    if reading.rules.is_empty() {
        return Ok(());
    }
    if page.verbose {
        page.section("Rules that ask for it, and how sure they are once all else that they ask for holds")?;
        return reading.rules.iter().try_for_each(|rule| in_full_rule(page, rule));
    }
    page.section("Causes that rules know for it, and how sure they are at most")?;
    let by_cause = by_cause(&reading.rules);
    for (first, others) in by_cause.iter().take(page.limit(CAUSES_SHOWN)) {
        let more = match others {
            0 => String::new(),
            1 => "; 1 more rule".to_owned(),
            more => format!("; {more} more rules"),
        };
        let (cause, sure) = (&first.cause, confidence::rounded(first.confidence) * 100.0);
        page.bullet(&format!("{cause}, {sure:.0} %: {} ({}){more}", first.title, first.id))?;
    }
    let left_out = by_cause.len().saturating_sub(page.limit(CAUSES_SHOWN));
    if left_out > 0 {
        page.styled(CAREFUL, 2, &format!("and {left_out} more; -v lists all rules"))?;
    }
    Ok(())
}

fn in_full_rule(page: &mut Page<'_>, rule: &KnownRule) -> io::Result<()> {
    let needs = if rule.needs.is_empty() { String::new() } else { format!("; asks for {}", rule.needs.join(", ")) };
    let sure = confidence::rounded(rule.confidence) * 100.0;
    page.bullet(&format!("{}, {sure:.0} %: {} ({}){needs}", rule.cause, rule.title, rule.id))
}

/// The surest rule of each cause with the number of its others, the surest cause first.
fn by_cause(rules: &[KnownRule]) -> Vec<(&KnownRule, usize)> {
    let mut causes: Vec<(&KnownRule, usize)> = Vec::new();
    for rule in rules {
        match causes.iter_mut().find(|(first, _)| first.cause == rule.cause) {
            Some((_, others)) => *others = others.saturating_add(1),
            None => causes.push((rule, 0)),
        }
    }
    causes
}
