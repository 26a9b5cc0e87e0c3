//! The block of one group: its verdict, how sure it is, why, and what to do.
//!
//! The incident that stands for the group is described; the group's other incidents are listed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use super::coverage::Numbers;
use super::happened::{self, Row};
use super::overview::when;
use super::page::{PLAIN, Page, STRONG};
use super::stack;
use crate::account;
use crate::confidence;
use crate::model::{BearsOn, ChangeBefore, Group, Judged, OverRepresented, Report};
use crate::wording::{
    counted, how_long, kind, name, place, prose, short_time, short_time_if_known, verdict, versioned,
};
use facts::NamedIncidents;
use incident::{EvidenceItem, Incident, product};
use rules::{Audience, Finding, Severity};

/// How many items of evidence are shown; the items on which the verdict rests always are.
const EVIDENCE_SHOWN: usize = 12;
/// How many lines of texts are quoted.
const LINES_SHOWN: usize = 3;
/// How many other possible causes are shown.
const OTHERS_SHOWN: usize = 3;
/// How many changes before a group's first incident are shown.
const CHANGES_SHOWN: usize = 3;
/// How many attributes that a group has more often than the rest are shown.
const OVER_REPRESENTED_SHOWN: usize = 4;
/// How many further incidents of a group are listed.
const MEMBERS_SHOWN: usize = 20;

/// A group, or an incident that is in no group.
#[derive(Clone)]
pub(crate) struct Block<'a> {
    /// Its number in the overview, from 1.
    pub(crate) number: usize,
    /// The group; none for an incident that is in no group.
    pub(crate) group: Option<&'a Group>,
    /// The incident that is described; it represents the group.
    pub(crate) representative: &'a Judged,
    /// The group's other incidents, in the report's order.
    pub(crate) others: Vec<&'a Judged>,
}

impl Block<'_> {
    /// How many incidents the block is about.
    pub(crate) fn size(&self) -> usize {
        self.others.len() + 1
    }

    /// Its incidents.
    pub(crate) fn incidents(&self) -> impl Iterator<Item = &Judged> {
        self.others.iter().copied().chain([self.representative])
    }

    /// The customer of its incidents, where folders are customers.
    pub(crate) fn party(&self) -> Option<&str> {
        self.representative.party.as_deref()
    }

    /// The computers of its incidents, by [`account::computer`].
    pub(crate) fn hosts(&self) -> BTreeSet<String> {
        self.incidents().filter_map(account::computer).collect()
    }

    /// Whether it names a cause that a step of the rule can fix.
    pub(crate) fn is_actionable(&self) -> bool {
        self.level().is_some()
            && self.representative.leading_finding().is_some_and(|finding| !finding.remediation.is_empty())
    }

    /// How urgent it is: severity times confidence times reach. Data and hardware at risk count most, and many computers more
    /// than many incidents of one.
    fn urgency(&self) -> f64 {
        let severity = self.representative.leading_finding().map_or(Severity::Low, |finding| finding.severity);
        let weight = match severity {
            Severity::Low => 1.0,
            Severity::Medium => 2.0,
            Severity::High => 4.0,
            Severity::Critical => 8.0,
        };
        let counted = |number: usize, most: u8| f64::from(u8::try_from(number).unwrap_or(u8::MAX).min(most));
        let reach =
            1.0 + 0.25 * counted(self.hosts().len().saturating_sub(1), 8) + 0.05 * counted(self.others.len(), 20);
        weight * self.confidence().unwrap_or_default() * reach
    }

    /// What happened how often to which program or computer: `12 crashes of python.exe`.
    pub(crate) fn what(&self) -> String {
        let incident = &self.representative.incident;
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

/// The file name of the program that an incident happened to.
pub(crate) fn process_name(incident: &Incident) -> Option<&str> {
    incident.process.as_ref()?.name.as_deref()
}

/// The report's groups and the incidents that are in none, numbered in the order in which to look at them: those with a cause
/// by urgency, then those without one, then texts that fit several incidents; ties in the order of the report.
pub(crate) fn blocks(report: &Report) -> Vec<Block<'_>> {
    let mut ungrouped: HashMap<&str, &Judged> =
        report.incidents.iter().map(|judged| (judged.incident.id.as_str(), judged)).collect();
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for group in &report.groups {
        let mut others: Vec<&Judged> = group.incidents.iter().filter_map(|id| ungrouped.remove(id.as_str())).collect();
        let at = others.iter().position(|judged| judged.incident.id == group.representative).unwrap_or_default();
        if at < others.len() {
            let representative = others.remove(at);
            blocks.push(Block { number: 0, group: Some(group), representative, others });
        }
    }
    for representative in &report.incidents {
        if ungrouped.contains_key(representative.incident.id.as_str()) {
            blocks.push(Block { number: 0, group: None, representative, others: Vec::new() });
        }
    }
    let rank = |block: &Block<'_>| {
        let is_text = !block.representative.incident.may_be_of.is_empty();
        (is_text, !block.is_actionable(), if block.is_actionable() { block.urgency() } else { 0.0 })
    };
    blocks.sort_by(|one, other| {
        let (text, without, urgency) = rank(one);
        let (other_text, other_without, other_urgency) = rank(other);
        (text, without).cmp(&(other_text, other_without)).then(other_urgency.total_cmp(&urgency))
    });
    (1..).zip(&mut blocks).for_each(|(number, block)| block.number = number);
    blocks
}

/// Writes one block.
pub(super) fn write(page: &mut Page<'_>, report: &Report, block: &Block<'_>, numbers: &Numbers<'_>) -> io::Result<()> {
    let judged = block.representative;
    let incident = &judged.incident;
    let leading = judged.leading_finding();
    page.divider()?;
    page.marked(STRONG, &format!("{}. ", block.number), &block.headline())?;
    page.blank()?;
    page.row("happened", &account::happened(judged))?;
    if let Some(why) = block.why() {
        page.row("why", &why)?;
    }
    page.styled_row(block.style(), "how sure", &block.how_sure())?;
    page.rows(&how_sure_rows(block, leading, page.verbose))?;
    what_to_do(page, leading)?;
    page.list("What to collect next", to_collect(judged, numbers))?;
    why(page, report, judged, leading)?;
    other_causes(page, judged)?;
    leads(page, judged)?;
    if page.verbose {
        let superseded = judged.findings.iter().filter_map(|finding| {
            let Finding { cause, title, rule, superseded_by, .. } = finding;
            Some(prose(&format!("{cause}: {title} - rule {rule}, superseded by {}", superseded_by.as_ref()?)))
        });
        page.list("Superseded", superseded)?;
    }
    page.section("What happened")?;
    page.rows(&happened::rows(judged, page.verbose))?;
    stack::write(page, &incident.stack)?;
    stack::write_threads(page, &judged.threads)?;
    page.list("Remarks", incident.remarks.iter().map(|remark| prose(remark)))?;
    let references = leading.map_or(&[][..], |finding| &finding.references);
    if !references.is_empty() {
        page.section("Read more")?;
    }
    references.iter().try_for_each(|reference| page.reference(&prose(reference)))?;
    let more_often = block.group.map_or(&[][..], |group| &group.over_represented);
    let more_often = more_often.iter().take(page.limit(OVER_REPRESENTED_SHOWN)).map(more_often_line);
    page.list("More often here than elsewhere (a hint, no proof)", more_often)?;
    changed_before(page, block)?;
    members(page, block)
}

/// Cause, severity, rule, suspect, incident and group; where `whole`, with the rule set of the rule.
pub(crate) fn how_sure_rows(block: &Block<'_>, leading: Option<&Finding>, whole: bool) -> Vec<Row> {
    let verdict = &block.representative.verdict;
    let mut rows = Vec::new();
    if block.confidence().is_some() {
        rows.push((if block.is_symptom() { "symptom" } else { "cause" }, verdict.cause.clone()));
    }
    if let Some(finding) = leading {
        rows.push(("severity", finding.severity.word().to_owned()));
        rows.push(("rule", origin(whole, finding)));
        // Symptoms are not measured by the causes of known cases.
        if !block.is_symptom() {
            rows.push(("checked", account::measured(verdict.measured)));
        }
        if let Some(ended) = &finding.suppression_ended {
            rows.push(("shown again", prose(&format!("it was suppressed {}", ended.description()))));
        }
    } else if !verdict.is_undetermined() {
        rows.push(("rule", "left out by --min-confidence, and so is what it advises".to_owned()));
    }
    for suppressed in &block.representative.suppressed {
        let sure = confidence::percent(suppressed.confidence);
        let says = format!("{} ({}, {sure}), {}", suppressed.rule, suppressed.cause, suppressed.by.description());
        rows.push(("suppressed", prose(&says)));
    }
    match &block.representative.incident.suspect {
        Some(suspect) => {
            let name = versioned(&suspect.module, suspect.version);
            let what = suspect.what.as_deref().map(product).map_or_else(String::new, |what| format!(", {what}"));
            rows.push(("suspect", prose(&format!("{name}{what} ({})", suspect.basis.description()))));
        }
        None if block.representative.incident.fault_site.is_some() => rows.push(("suspect", "none".to_owned())),
        None => {}
    }
    rows.push(("incident", incident_line(&block.representative.incident)));
    if block.size() > 1 {
        rows.push(("group", format!("{}, {}", counted(block.size(), "incident"), when(block))));
    }
    rows
}

/// The rule of a finding; where `whole`, with its rule set and the rule sets that override it.
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
        let agreeing = agreeing(judged, finding);
        let shown = page.limit(OTHERS_SHOWN);
        agreeing.iter().take(shown).try_for_each(|sentence| page.paragraph(2, sentence))?;
        match agreeing.len().saturating_sub(shown) {
            0 => {}
            1 => page.paragraph(2, "Also by 1 more rule (-v shows it).")?,
            more => page.paragraph(2, &format!("Also by {more} more rules (-v shows them)."))?,
        }
    }
    let cited = leading.map_or(0, |finding| finding.evidence.len());
    let (shown, left_out) = shown_evidence(judged, page.limit(EVIDENCE_SHOWN).saturating_sub(cited));
    for ShownEvidence { number, item, is_cited } in shown {
        let mark = if is_cited { '*' } else { ' ' };
        let id = format!("e{number}");
        let joined = item.joined_by.map_or_else(String::new, |joined| {
            let strength = joined.strength.word();
            format!(" [{}: {strength}]", joined.key.description())
        });
        let text = format!("{}: {}{joined}", place(report, item.artifact, &item.place), prose(&item.sentence));
        page.marked(PLAIN, &format!(" {mark}{id:<3} "), &text)?;
    }
    if left_out > 0 {
        page.paragraph(2, &format!("{} (-v shows all).", counted(left_out, "more item")))?;
    }
    let lines = leading.map(account::quoted_lines).unwrap_or_default();
    let limit = page.limit(LINES_SHOWN);
    lines.iter().take(limit).try_for_each(|line| page.marked(PLAIN, " *    ", line))?;
    page.more(6, lines.len().saturating_sub(limit))?;
    if (cited > 0 && !evidence.is_empty()) || !lines.is_empty() {
        page.paragraph(2, "* what the verdict rests on")?;
    }
    let others = other_incidents(leading.map_or(&[][..], |finding| &finding.incidents));
    others.iter().try_for_each(|sentence| page.paragraph(2, &prose(sentence)))
}

/// Other rules that name the cause of the leading finding, in sentences.
pub(crate) fn agreeing(judged: &Judged, leading: &Finding) -> Vec<String> {
    let others = judged.findings.iter().filter(|other| !other.is_superseded() && other.cause == leading.cause);
    let sentence = |other: &Finding| {
        prose(&format!(
            "Also by rule {}: {}, {}.",
            other.rule,
            other.title,
            confidence::phrase(other.confidence, other.symptom)
        ))
    };
    others.filter(|other| other.rule != leading.rule).map(sentence).collect()
}

/// An item of evidence that is shown.
pub(crate) struct ShownEvidence<'r> {
    /// Its number, from 1.
    pub(crate) number: usize,
    pub(crate) item: &'r EvidenceItem,
    /// Whether the verdict rests on it.
    pub(crate) is_cited: bool,
}

/// The items on which the verdict rests and, in their order, at most `most` others; and how many items are left out.
pub(crate) fn shown_evidence(judged: &Judged, most: usize) -> (Vec<ShownEvidence<'_>>, usize) {
    let cited = judged.leading_finding().map_or(&[][..], |finding| &finding.evidence);
    let cited: HashSet<usize> = cited.iter().map(|cited| usize::from(cited.0)).collect();
    let all = &judged.incident.evidence;
    let mut others = 0;
    let mut shown: Vec<ShownEvidence<'_>> = (1_usize..)
        .zip(all)
        .map(|(number, item)| ShownEvidence { number, item, is_cited: cited.contains(&number) })
        .collect();
    shown.retain(|shown| {
        others += usize::from(!shown.is_cited);
        shown.is_cited || others <= most
    });
    let left_out = all.len() - shown.len();
    (shown, left_out)
}

/// A sentence for each group of other incidents on which a verdict rests, with their ids.
pub(crate) fn other_incidents(named: &[NamedIncidents]) -> Vec<String> {
    let mut sentences: Vec<(&NamedIncidents, Vec<&str>)> = Vec::new();
    for named in named {
        let known = sentences.iter_mut().find(|(known, _)| known.ids == named.ids && known.more == named.more);
        match known {
            Some((_, says)) => says.push(named.relation.description()),
            None => sentences.push((named, vec![named.relation.description()])),
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

/// The incident that is described: its id, what happened, when and where.
fn incident_line(incident: &Incident) -> String {
    let host = incident.host.as_deref().map(|host| name(host).into_owned());
    let parts = [Some(incident.id.clone()), Some(what_happened(incident)), incident.time.map(short_time), host];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What happened to which program: `crash of python.exe`.
pub(crate) fn what_happened(incident: &Incident) -> String {
    let of = process_name(incident).map_or_else(String::new, |process| format!(" of {}", name(process)));
    format!("{}{of}", kind(incident.kind))
}

/// What to collect. Requests that other groups share are listed once at the end, and here with their numbers.
fn to_collect(judged: &Judged, numbers: &Numbers<'_>) -> Vec<String> {
    let texts = judged.verdict.collect_next.iter().enumerate();
    let own = texts.filter(|(at, text)| number(judged, *at, text, numbers).is_none()).map(|(_, text)| prose(text));
    let shared: Vec<String> = requests(judged, numbers).iter().map(usize::to_string).collect();
    let see = (!shared.is_empty()).then(|| format!("See \"Collect next\" below: {}.", shared.join(", ")));
    own.chain(see).collect()
}

/// The numbers that an incident's requests have at the end of the report.
pub(super) fn requests(judged: &Judged, numbers: &Numbers<'_>) -> BTreeSet<usize> {
    let texts = judged.verdict.collect_next.iter().enumerate();
    texts.filter_map(|(at, text)| number(judged, at, text, numbers)).collect()
}

/// The number of the request with this index in an incident's list.
fn number(judged: &Judged, at: usize, text: &str, numbers: &Numbers<'_>) -> Option<usize> {
    let is_asked = judged.verdict.gap_requests.iter().any(|asked| asked.at == at);
    numbers.get(&(judged.party.as_deref(), text)).copied().filter(|_| is_asked)
}

fn what_to_do(page: &mut Page<'_>, leading: Option<&Finding>) -> io::Result<()> {
    let steps = leading.map(steps).unwrap_or_default();
    if !steps.is_empty() {
        page.section("What to do")?;
    }
    for (audience, steps) in steps {
        page.paragraph(2, &format!("{audience}:"))?;
        for (number, step) in (1_usize..).zip(&steps) {
            page.marked(PLAIN, &format!("  {number}. "), step)?;
        }
    }
    Ok(())
}

/// The steps that a finding advises to each audience, with their details.
pub(crate) fn steps(finding: &Finding) -> Vec<(&'static str, Vec<String>)> {
    let of = |(audience, heading)| {
        let steps = account::steps(finding, audience).into_iter();
        (heading, steps.map(|step| prose(&step.with_details())).collect::<Vec<_>>())
    };
    let all = [(Audience::Helpdesk, "Helpdesk"), (Audience::Developer, "Developer")].map(of);
    all.into_iter().filter(|(_, steps)| !steps.is_empty()).collect()
}

/// An attribute that a group has more often, and the attributes that always come with it.
pub(crate) fn more_often_line(one: &OverRepresented) -> String {
    let together = match one.together_with.as_slice() {
        [] => String::new(),
        [other] => format!(" (always together with {other})"),
        [other, rest @ ..] => format!(" (always together with {other} and {} more)", rest.len()),
    };
    prose(&format!("{}{together}", one.says))
}

/// Writes the changes before the first incident of the group: a hint by time alone.
fn changed_before(page: &mut Page<'_>, block: &Block<'_>) -> io::Result<()> {
    let Some(group) = block.group else { return Ok(()) };
    let changes = group.changes_before.as_deref().unwrap_or_default();
    // For a single incident this is no news.
    let unknown = group.changes_unknown.as_ref().filter(|_| page.verbose || block.size() > 1);
    if changes.is_empty() && unknown.is_none() {
        return Ok(());
    }
    page.section("Changed before the first (by time alone, no proof)")?;
    let shown = page.limit(CHANGES_SHOWN);
    changes.iter().take(shown).try_for_each(|change| page.bullet(&change_line(change)))?;
    page.more(4, changes.len().saturating_sub(shown))?;
    unknown.map_or(Ok(()), |unknown| page.paragraph(2, &prose(unknown)))
}

/// A change, how long before the first incident it was, and how it relates to the group.
pub(crate) fn change_line(change: &ChangeBefore) -> String {
    let mut line = format!("{}  {} ({} before", short_time(change.time), change.says, how_long(change.seconds_before));
    match change.bears_on {
        Some(BearsOn::DisplayDriver) => line.push_str(", a display driver"),
        Some(BearsOn::Suspect) => line.push_str(", named like the suspect"),
        Some(BearsOn::Program) => line.push_str(", named like the program"),
        Some(BearsOn::Firmware) => line.push_str(", firmware"),
        Some(BearsOn::Driver | BearsOn::Unknown) | None => {}
    }
    if change.of_hosts > 1 {
        line.push_str(&format!(", on {} of {} computers", change.hosts, change.of_hosts));
    }
    prose(&format!("{line})"))
}

fn other_causes(page: &mut Page<'_>, judged: &Judged) -> io::Result<()> {
    let others: Vec<_> = judged.other_causes().collect();
    if others.is_empty() {
        return Ok(());
    }
    page.section(if judged.verdict.is_undetermined() { "Possible causes" } else { "Other possible causes" })?;
    let shown = page.limit(OTHERS_SHOWN);
    for finding in others.iter().take(shown) {
        let sure = confidence::phrase(finding.confidence, finding.symptom);
        page.bullet(&prose(&format!("{}: {} - {sure}", finding.cause, finding.title)))?;
        if page.verbose {
            page.paragraph(4, &prose(&finding.explanation))?;
        }
    }
    page.more(4, others.len().saturating_sub(shown))
}

/// Writes the likeliest causes among similar known cases, each with the test that decides about it.
fn leads(page: &mut Page<'_>, judged: &Judged) -> io::Result<()> {
    if judged.verdict.leads.is_empty() {
        return Ok(());
    }
    page.section(account::LEADS)?;
    judged.verdict.leads.iter().try_for_each(|lead| {
        page.bullet(&account::lead(lead))?;
        page.paragraph(4, &account::lead_test(lead))
    })
}

/// Writes the group's other incidents, a line each.
fn members(page: &mut Page<'_>, block: &Block<'_>) -> io::Result<()> {
    if block.others.is_empty() {
        return Ok(());
    }
    page.section(&format!("Also in this group: {}", counted(block.others.len(), "incident")))?;
    let shown = page.limit(MEMBERS_SHOWN);
    let shown_of = &block.representative.verdict;
    for other in block.others.iter().take(shown) {
        let incident = &other.incident;
        let mut line = short_time_if_known(incident.time);
        for part in [incident.host.as_deref(), Some(incident.id.as_str())].into_iter().flatten() {
            line.push_str("  ");
            line.push_str(&name(part));
        }
        let rule = |judged: &Judged| judged.leading_finding().map(|finding| finding.rule.clone());
        let of = &other.verdict;
        if of.cause != shown_of.cause || of.level() != shown_of.level() {
            line.push_str(&format!("  ({})", verdict(of)));
        } else if let (Some(rule), true) = (rule(other), rule(other) != rule(block.representative)) {
            line.push_str(&format!("  (by rule {})", name(&rule)));
        }
        page.entry(2, &line)?;
    }
    page.more(2, block.others.len().saturating_sub(shown))
}
