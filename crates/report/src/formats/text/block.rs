//! One group of alike incidents: its verdict, how sure, why, and what to do.
//!
//! The incident that stands for the group is described; the others are listed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use super::coverage::Numbers;
use super::happened::{self, Row};
use super::overview::when;
use super::page::{PLAIN, Page, STRONG};
use super::spread::spread;
use super::wording::{
    counted, how_long, kind, name, place, prose, short_time, short_time_if_known, verdict, verdict_style, versioned,
};
use crate::confidence::Level;
use crate::groups::{BearsOn, ChangeBefore, Group, OverRepresented};
use crate::{Judged, Report, confidence};
use facts::{EvidenceRef, NamedIncidents};
use incident::Incident;
use rules::{Audience, Finding};

/// Items of evidence that are shown; those on which the verdict rests always are.
const EVIDENCE_SHOWN: usize = 12;
/// Other possible causes that are shown.
const OTHERS_SHOWN: usize = 3;
/// Changes before a group's first incident that are shown.
const CHANGES_SHOWN: usize = 3;
/// What a group has more often than the rest: how many are shown.
const OVER_REPRESENTED_SHOWN: usize = 4;
/// Further incidents of a group that are listed.
const MEMBERS_SHOWN: usize = 20;

/// What one block is about.
pub(crate) struct Block<'a> {
    /// Its number in the overview, from 1.
    pub(crate) number: usize,
    /// The group; none for an incident that is in no group.
    pub(crate) group: Option<&'a Group>,
    /// The incident that is described.
    pub(crate) shown: &'a Judged,
    /// The group's other incidents, in the report's order.
    pub(crate) others: Vec<&'a Judged>,
}

impl Block<'_> {
    /// Incidents in it.
    pub(crate) fn size(&self) -> usize {
        self.others.len().saturating_add(1)
    }

    /// How often what happened to what: `12 crashes of python.exe`.
    pub(crate) fn what(&self) -> String {
        let incident = &self.shown.incident;
        let happened = match incident.may_be_of.len() {
            0 => counted(self.size(), kind(incident.kind)),
            several => format!("1 text that may tell of any of {}", counted(several, kind(incident.kind))),
        };
        match (process_name(incident), &incident.host) {
            (Some(of), _) if self.others.iter().all(|other| process_name(&other.incident) == Some(of)) => {
                format!("{happened} of {}", name(of))
            }
            (Some(of), _) => format!("{happened} of {} and others", name(of)),
            (None, Some(host)) if self.others.iter().all(|other| other.incident.host.as_ref() == Some(host)) => {
                format!("{happened} on {}", name(host))
            }
            _ => happened,
        }
    }
}

pub(crate) fn process_name(incident: &Incident) -> Option<&str> {
    incident.process.as_ref()?.name.as_deref()
}

/// The report's groups, then the incidents that are in none.
pub(crate) fn blocks(report: &Report) -> Vec<Block<'_>> {
    let by_id: HashMap<&str, &Judged> =
        report.incidents.iter().map(|judged| (judged.incident.id.as_str(), judged)).collect();
    let mut grouped = HashSet::new();
    let groups = report.groups.iter().map(|group| {
        let ids = group.incidents.iter().map(String::as_str).filter(|id| grouped.insert(*id));
        (Some(group), ids.filter_map(|id| by_id.get(id).copied()).collect::<Vec<_>>())
    });
    let groups: Vec<_> = groups.collect();
    let ungrouped = report.incidents.iter().filter(|judged| !grouped.contains(judged.incident.id.as_str()));
    let ungrouped = ungrouped.map(|judged| (None, vec![judged]));

    groups
        .into_iter()
        .chain(ungrouped)
        .filter_map(|(group, members)| {
            let speaks = |judged: &&&Judged| group.is_some_and(|group| judged.incident.id == group.speaker);
            let shown = members.iter().find(speaks).or_else(|| members.first()).copied()?;
            Some((group, shown, members))
        })
        .zip(1..)
        .map(|((group, shown, mut others), number)| {
            others.retain(|other| !std::ptr::eq(*other, shown));
            Block { number, group, shown, others }
        })
        .collect()
}

/// Writes one block.
pub(super) fn write(page: &mut Page<'_>, report: &Report, block: &Block<'_>, numbers: &Numbers<'_>) -> io::Result<()> {
    let judged = block.shown;
    let leading = leading_finding(judged);
    page.divider()?;
    page.marked(STRONG, &format!("{}. ", block.number), &prose(&judged.verdict.sentence))?;
    page.blank()?;
    how_sure(page, block, leading)?;
    next_steps(page, judged, leading, numbers)?;
    why(page, report, judged, leading)?;
    other_causes(page, judged)?;
    page.section("What happened")?;
    happened::write(page, judged)?;
    bullets(page, "Remarks", &judged.incident.remarks)?;
    if let Some(finding) = leading {
        references(page, finding)?;
    }
    more_often(page, block)?;
    changed_before(page, block)?;
    members(page, block)
}

/// The finding that gave the verdict its cause: the best of those that name it.
pub(crate) fn leading_finding(judged: &Judged) -> Option<&Finding> {
    judged.findings.iter().find(|finding| finding.cause == judged.verdict.cause && finding.stands())
}

/// How sure the verdict is, and what it is about.
fn how_sure(page: &mut Page<'_>, block: &Block<'_>, leading: Option<&Finding>) -> io::Result<()> {
    let verdict = &block.shown.verdict;
    page.styled_row(verdict_style(verdict), "how sure", &confidence::of_verdict(verdict))?;
    how_sure_rows(block, leading, page.verbose).iter().try_for_each(|(label, text)| page.row(label, text))
}

/// Cause, severity, rule, suspect, incident and group; `whole` with what says whose the rule is.
pub(crate) fn how_sure_rows(block: &Block<'_>, leading: Option<&Finding>, whole: bool) -> Vec<Row> {
    let verdict = &block.shown.verdict;
    let mut rows = Vec::new();
    if !verdict.is_undetermined() {
        rows.push(("cause", verdict.cause.clone()));
    }
    if let Some(finding) = leading {
        rows.push(("severity", finding.severity.word().to_owned()));
        rows.push(("rule", origin(whole, finding)));
        if let Some(ended) = &finding.suppression_ended {
            rows.push(("shown again", prose(&format!("it was suppressed {}", ended.says()))));
        }
    } else if !verdict.is_undetermined() {
        rows.push(("rule", "left out by --min-confidence, and so is what it advises".to_owned()));
    }
    for suppressed in &block.shown.suppressed {
        let sure = confidence::phrase(suppressed.confidence);
        let says = format!("{} ({}, {sure}), {}", suppressed.rule, suppressed.cause, suppressed.by.says());
        rows.push(("suppressed", prose(&says)));
    }
    match &block.shown.incident.suspect {
        Some(suspect) => {
            let name = versioned(&suspect.module, suspect.version);
            rows.push(("suspect", format!("{name} (basis: {})", suspect.basis)));
        }
        None if block.shown.incident.fault_site.is_some() => rows.push(("suspect", "none".to_owned())),
        None => {}
    }
    rows.push(("incident", incident_line(&block.shown.incident)));
    if block.size() > 1 {
        let spread = spread(block).map(|spread| format!("; this cause: {spread}")).unwrap_or_default();
        rows.push(("group", format!("{}, {}{spread}", counted(block.size(), "incident"), when(block))));
    }
    rows
}

/// The rule of a finding, and where nothing is left out whose it is.
fn origin(whole: bool, finding: &Finding) -> String {
    let Finding { rule, ruleset, overridden_by, .. } = finding;
    match (whole, overridden_by.as_slice()) {
        (false, _) => rule.clone(),
        (true, []) => format!("{rule} (rule set {ruleset})"),
        (true, by) => format!("{rule} (rule set {ruleset}, overridden by {})", by.join(", ")),
    }
}

fn why(page: &mut Page<'_>, report: &Report, judged: &Judged, leading: Option<&Finding>) -> io::Result<()> {
    let evidence = &judged.incident.evidence;
    if leading.is_none() && evidence.is_empty() {
        return Ok(());
    }
    page.section(if leading.is_some() { "Why" } else { "Evidence" })?;
    if let Some(finding) = leading {
        page.paragraph(2, &prose(&finding.explanation))?;
        let agreeing =
            judged.findings.iter().filter(|other| other.cause == finding.cause && other.rule != finding.rule);
        let agreeing = agreeing.filter(|other| other.stands());
        let agreeing: Vec<&Finding> = agreeing.collect();
        let shown = page.limit(OTHERS_SHOWN);
        for other in agreeing.iter().take(shown) {
            let sure = confidence::phrase(other.confidence);
            page.paragraph(2, &prose(&format!("Also by rule {}: {}, {sure}.", other.rule, other.title)))?;
        }
        match agreeing.len().saturating_sub(shown) {
            0 => {}
            1 => page.paragraph(2, "Also by 1 more rule (-v shows it).")?,
            more => page.paragraph(2, &format!("Also by {more} more rules (-v shows them)."))?,
        }
    }

    let cited: &[EvidenceRef] = leading.map_or(&[], |finding| finding.evidence.as_slice());
    let numbers: HashSet<usize> = cited.iter().map(|cited| usize::from(cited.0)).collect();
    let rests_on = |number: usize| numbers.contains(&number);
    let uncited = page.limit(EVIDENCE_SHOWN).saturating_sub(cited.len());
    let (mut shown, mut left_out) = (0_usize, 0_usize);
    for (number, item) in (1..).zip(evidence) {
        let mark = if rests_on(number) {
            '*'
        } else if shown < uncited {
            shown = shown.saturating_add(1);
            ' '
        } else {
            left_out = left_out.saturating_add(1);
            continue;
        };
        let id = format!("e{number}");
        let joined = item.joined_by.map_or_else(String::new, |joined| {
            let strength = joined.strength.word();
            format!(" [{}, {strength}]", joined.key.word())
        });
        let text = format!("{}: {}{joined}", place(report, item.artifact, &item.place), prose(&item.says));
        page.marked(PLAIN, &format!(" {mark}{id:<3} "), &text)?;
    }
    if left_out > 0 {
        page.paragraph(2, &format!("{} (-v shows all).", counted(left_out, "more item")))?;
    }
    if !cited.is_empty() && !evidence.is_empty() {
        page.paragraph(2, "* what the verdict rests on")?;
    }
    let others = other_incidents(leading.map_or(&[][..], |finding| &finding.incidents));
    others.iter().try_for_each(|sentence| page.paragraph(2, &prose(sentence)))
}

/// The other incidents that a verdict rests on, by their ids: a sentence for each of them, whatever they all are.
pub(crate) fn other_incidents(named: &[NamedIncidents]) -> Vec<String> {
    let mut sentences: Vec<(&NamedIncidents, Vec<&str>)> = Vec::new();
    for named in named {
        let known = sentences.iter_mut().find(|(known, _)| known.ids == named.ids && known.more == named.more);
        match known {
            Some((_, says)) => says.push(named.relation.says()),
            None => sentences.push((named, vec![named.relation.says()])),
        }
    }
    let sentence = |(named, says): (&NamedIncidents, Vec<&str>)| {
        let more = match named.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("It also rests on incidents {}: {}{more}.", says.join(" and "), named.ids.join(", "))
    };
    sentences.into_iter().map(sentence).collect()
}

/// Which incident is described: its id, what it was, when and where.
fn incident_line(incident: &Incident) -> String {
    let of = process_name(incident).map_or_else(String::new, |of| format!(" of {}", name(of)));
    let happened = format!("{}{of}", kind(incident.kind));
    let time = incident.time.map(short_time);
    let parts =
        [Some(incident.id.clone()), Some(happened), time, incident.host.as_deref().map(|host| name(host).into_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What to do and what to collect: first what helps more. Below "likely" that is to find out more.
fn next_steps(
    page: &mut Page<'_>,
    judged: &Judged,
    leading: Option<&Finding>,
    numbers: &Numbers<'_>,
) -> io::Result<()> {
    let collect = |page: &mut Page<'_>| to_collect(page, judged, numbers);
    let Some(finding) = leading else { return collect(page) };
    if Level::of(judged.verdict.confidence) >= Level::Likely {
        what_to_do(page, finding)?;
        return collect(page);
    }
    collect(page)?;
    what_to_do(page, finding)
}

/// What to collect. What other groups ask for as well stands once at the end, and here is its number.
fn to_collect(page: &mut Page<'_>, judged: &Judged, numbers: &Numbers<'_>) -> io::Result<()> {
    let shared = requests(judged, numbers);
    let own: Vec<&str> = judged
        .verdict
        .collect_next
        .iter()
        .enumerate()
        .filter(|(at, text)| number(judged, *at, text, numbers).is_none())
        .map(|(_, text)| &**text)
        .collect();
    if !shared.is_empty() {
        let numbers: Vec<String> = shared.iter().map(usize::to_string).collect();
        bullets(page, "What to collect next", &own)?;
        if own.is_empty() {
            page.section("What to collect next")?;
        }
        return page.bullet(&format!("See \"Collect next\" below: {}.", numbers.join(", ")));
    }
    bullets(page, "What to collect next", &own)
}

/// The numbers under which the end of the report has what an incident asks for.
pub(super) fn requests(judged: &Judged, numbers: &Numbers<'_>) -> BTreeSet<usize> {
    let texts = judged.verdict.collect_next.iter().enumerate();
    texts.filter_map(|(at, text)| number(judged, at, text, numbers)).collect()
}

/// The number of one text, which stands at this place in an incident's list.
fn number(judged: &Judged, at: usize, text: &str, numbers: &Numbers<'_>) -> Option<usize> {
    let is_asked = judged.verdict.asked.iter().any(|asked| asked.at == at);
    numbers.get(text).copied().filter(|_| is_asked)
}

fn what_to_do(page: &mut Page<'_>, finding: &Finding) -> io::Result<()> {
    if !finding.remediation.is_empty() {
        page.section("What to do")?;
    }
    for (audience, heading) in [(Audience::Helpdesk, "Helpdesk:"), (Audience::Developer, "Developer:")] {
        let mut steps = finding.remediation.iter().filter(|step| step.audience == audience).peekable();
        if steps.peek().is_some() {
            page.paragraph(2, heading)?;
        }
        for step in steps {
            page.bullet(&prose(&step.text))?;
        }
    }
    Ok(())
}

fn references(page: &mut Page<'_>, finding: &Finding) -> io::Result<()> {
    if !finding.references.is_empty() {
        page.section("Read more")?;
    }
    for reference in &finding.references {
        page.reference(&prose(reference))?;
    }
    Ok(())
}

fn bullets<T: AsRef<str>>(page: &mut Page<'_>, heading: &str, texts: &[T]) -> io::Result<()> {
    if !texts.is_empty() {
        page.section(heading)?;
    }
    for text in texts {
        page.bullet(&prose(text.as_ref()))?;
    }
    Ok(())
}

/// What the group has more often than the rest of the folder. A hint where to look, and said to be no more.
fn more_often(page: &mut Page<'_>, block: &Block<'_>) -> io::Result<()> {
    let found = block.group.map_or(&[][..], |group| &group.over_represented);
    if found.is_empty() {
        return Ok(());
    }
    page.section("More often here than elsewhere (a hint, no proof)")?;
    let shown = page.limit(OVER_REPRESENTED_SHOWN);
    for one in found.iter().take(shown) {
        page.bullet(&more_often_line(one))?;
    }
    Ok(())
}

/// One thing that a group has more often, and what is always there with it.
pub(crate) fn more_often_line(one: &OverRepresented) -> String {
    let together = match one.together_with.as_slice() {
        [] => String::new(),
        [other] => format!(" (always together with {other})"),
        [other, rest @ ..] => format!(" (always together with {other} and {} more)", rest.len()),
    };
    prose(&format!("{}{together}", one.says()))
}

/// What was changed before the first of the group: by time alone, and said to be no more.
fn changed_before(page: &mut Page<'_>, block: &Block<'_>) -> io::Result<()> {
    let Some(before) = block.group.map(|group| &group.before) else { return Ok(()) };
    let changes = before.changes.as_deref().unwrap_or_default();
    // Of a single incident that goes without saying.
    let unknown = before.unknown.as_ref().filter(|_| page.verbose || block.size() > 1);
    if changes.is_empty() && unknown.is_none() {
        return Ok(());
    }
    page.section("Changed before the first (by time alone, no proof)")?;
    let shown = page.limit(CHANGES_SHOWN);
    for change in changes.iter().take(shown) {
        page.bullet(&change_line(change))?;
    }
    if changes.len() > shown {
        page.paragraph(4, &format!("{} more (-v shows all).", changes.len().saturating_sub(shown)))?;
    }
    match unknown {
        Some(unknown) => page.paragraph(2, &prose(unknown)),
        None => Ok(()),
    }
}

/// A change, how long before the first incident it was, and what it has to do with the group.
pub(crate) fn change_line(change: &ChangeBefore) -> String {
    let mut line = format!("{}  {} ({} before", short_time(change.time), change.says, how_long(change.seconds_before));
    match change.bears_on {
        Some(BearsOn::DisplayDriver) => line.push_str(", a display driver"),
        Some(BearsOn::Suspect) => line.push_str(", named like the suspect"),
        Some(BearsOn::Program) => line.push_str(", named like the program"),
        Some(BearsOn::Firmware) => line.push_str(", firmware"),
        Some(BearsOn::Driver) | None => {}
    }
    if change.of_hosts > 1 {
        line.push_str(&format!(", on {} of {} computers", change.hosts, change.of_hosts));
    }
    prose(&format!("{line})"))
}

fn other_causes(page: &mut Page<'_>, judged: &Judged) -> io::Result<()> {
    let others = judged.findings.iter().filter(|finding| finding.cause != judged.verdict.cause && finding.stands());
    let others: Vec<_> = others.collect();
    if others.is_empty() {
        return superseded(page, judged);
    }
    page.section(if judged.verdict.is_undetermined() { "Possible causes" } else { "Other possible causes" })?;
    let shown = page.limit(OTHERS_SHOWN);
    for finding in others.iter().take(shown) {
        let sure = confidence::phrase(finding.confidence);
        page.bullet(&prose(&format!("{}: {} - {sure}", finding.cause, finding.title)))?;
        if page.verbose {
            page.paragraph(4, &prose(&finding.explanation))?;
        }
    }
    match others.len().saturating_sub(shown) {
        0 => {}
        more => page.paragraph(4, &format!("{more} more (-v shows all)."))?,
    }
    superseded(page, judged)
}

/// Findings that others take the place of, where everything is shown.
fn superseded(page: &mut Page<'_>, judged: &Judged) -> io::Result<()> {
    let all = judged.findings.iter().filter_map(|finding| Some((finding, finding.superseded_by.as_ref()?)));
    let mut all = all.peekable();
    if !page.verbose || all.peek().is_none() {
        return Ok(());
    }
    page.section("Superseded")?;
    for (finding, by) in all {
        page.bullet(&prose(&format!(
            "{}: {} - rule {}, superseded by {by}",
            finding.cause, finding.title, finding.rule
        )))?;
    }
    Ok(())
}

/// The group's other incidents, one line each.
fn members(page: &mut Page<'_>, block: &Block<'_>) -> io::Result<()> {
    if block.others.is_empty() {
        return Ok(());
    }
    page.section(&format!("Also in this group: {}", counted(block.others.len(), "incident")))?;
    let shown = page.limit(MEMBERS_SHOWN);
    let shown_of = &block.shown.verdict;
    for other in block.others.iter().take(shown) {
        let incident = &other.incident;
        let mut line = short_time_if_known(incident.time);
        for part in [incident.host.as_deref(), Some(incident.id.as_str())].into_iter().flatten() {
            line.push_str("  ");
            line.push_str(&name(part));
        }
        let rule = |judged: &Judged| leading_finding(judged).map(|finding| finding.rule.clone());
        let of = &other.verdict;
        if of.cause != shown_of.cause || Level::of(of.confidence) != Level::of(shown_of.confidence) {
            line.push_str(&format!("  ({})", verdict(of)));
        } else if let (Some(rule), true) = (rule(other), rule(other) != rule(block.shown)) {
            line.push_str(&format!("  (by rule {})", name(&rule)));
        }
        page.entry(2, &line)?;
    }
    match block.others.len().saturating_sub(shown) {
        0 => Ok(()),
        more => page.paragraph(2, &format!("{more} more (-v shows all).")),
    }
}
