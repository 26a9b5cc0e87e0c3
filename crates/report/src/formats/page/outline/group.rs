//! The values of a group: the incident that stands for it in full, and the others in a line each.

use std::collections::BTreeSet;

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::browser::more;
use super::pictures::{Families, around, most_important};
use super::{Most, rows, texts};
use crate::account::{self, place};
use crate::confidence::{self, Level};
use crate::formats::screen::next_for_the_cause;
use crate::formats::text::block::{
    Block, ShownEvidence, agreeing, change_line, how_sure_rows, more_often_line, other_incidents, shown_evidence,
    steps, what_happened,
};
use crate::formats::text::happened;
use crate::formats::text::overview::{modules, named_module, when};
use crate::formats::text::stack::{ShownStack, StackLine, stacks, thread_line};
use crate::model::{Judged, Lead, Report};
use crate::wording::{self, name, prose, short_time_if_known, verdict};
use rules::{Audience, Cost, Finding, Remediation, Risk};

/// The values of a group; of its evidence, at most `most.evidence` items besides those on which the verdict rests.
pub(super) fn values(report: &Report, block: &Block<'_>, most: Most) -> Value {
    let judged = block.representative;
    let leading = judged.leading_finding();
    let (shown, evidence_left_out) = shown_evidence(judged, most.evidence);
    let first_steps = leading.map(account::first_steps).unwrap_or_default();
    let first_steps: Vec<String> = first_steps.into_iter().map(|step| prose(&step.text)).collect();
    let changes = block.group.and_then(|group| group.changes_before.as_deref()).unwrap_or_default();
    let changes_unknown = block.group.and_then(|group| group.changes_unknown.as_deref());
    context! {
        number => block.number,
        sentence => block.headline(),
        level => level(block),
        // What happened, which is certain, and why, with its confidence in words and percent.
        certain => account::happened(judged),
        why => block.why(),
        sure => block.how_sure(),
        // What happened how often to which program or computer.
        what => block.what(),
        // For lists: how severe it is, on which computers, how often, and the first step.
        severity => leading.map_or("", |finding| finding.severity.word()),
        on => place(&block.hosts()),
        size => block.size(),
        step => first_steps.first(),
        advice => Serde(&first_steps),
        because => because_lines(report, judged),
        is_actionable => block.is_actionable(),
        verdict => block.verdict(),
        modules => modules(block),
        when => when(block),
        // Cause, severity, rule, suspect, incident and group.
        about => rows(how_sure_rows(block, leading, false)),
        // The steps for each audience.
        steps => Serde(leading.map(steps).unwrap_or_default()),
        collect => texts(&judged.verdict.collect_next),
        explanation => leading.map(|finding| prose(&finding.explanation)),
        agreeing => Serde(leading.map(|finding| agreeing(judged, finding)).unwrap_or_default()),
        is_cited => shown.iter().any(|shown| shown.is_cited),
        evidence => shown.into_iter().map(|shown| evidence(report, &shown)).collect::<Value>(),
        evidence_left_out,
        // Other incidents that the verdict rests on.
        rests_on => texts(&other_incidents(leading.map_or(&[][..], |finding| &finding.incidents))),
        other_causes => judged.other_causes().map(other_cause).collect::<Value>(),
        leads_heading => account::LEADS,
        leads => judged.verdict.leads.iter().map(lead).collect::<Value>(),
        happened => rows(happened::rows(judged, true)),
        // The stacks, each with its lines and how many frames are left out.
        stacks => stacks(&judged.incident.stack, most.frames).iter().map(stack).collect::<Value>(),
        threads => judged.threads.iter().take(most.threads).map(thread_line).collect::<Value>(),
        threads_count => judged.threads.len(),
        remarks => texts(&judged.incident.remarks),
        references => leading.into_iter().flat_map(|finding| &finding.references).map(|text| reference(text)).collect::<Value>(),
        more_often => block.group.into_iter().flat_map(|group| &group.over_represented).map(more_often_line).collect::<Value>(),
        changes => changes.iter().map(change_line).collect::<Value>(),
        // For a single incident this is no news.
        changes_unknown => changes_unknown.filter(|_| block.size() > 1).map(prose),
        others => block.others.iter().map(|other| in_short(other)).collect::<Value>(),
    }
}

/// The values of a group for a page for browsers, which have more room.
pub(super) fn page_values(report: &Report, block: &Block<'_>, most: Most, families: &Families) -> Value {
    let judged = block.representative;
    // Of a group without a cause, an incident's cause is not what to act on.
    let leading = judged.leading_finding().filter(|_| block.confidence().is_some());
    let of = |audience| -> Value {
        leading.into_iter().flat_map(|finding| account::steps(finding, audience)).map(step_values).collect()
    };
    let around = around(report, judged);
    let members: Vec<Value> = block.incidents().take(most.members).map(|member| member_row(report, member)).collect();
    context! {
        class => families.class(families.of_block(block)),
        kind => wording::kind(judged.incident.kind),
        percent => block.confidence().map(confidence::percent),
        helpdesk => of(Audience::Helpdesk),
        developer => of(Audience::Developer),
        quotes => account::because(report, judged).into_iter().map(|one| context! { text => one.text, place => one.place }).collect::<Value>(),
        next => leading.is_none().then(|| next_for_the_cause(report, judged)),
        maker => Serde(if block.level().is_none() { account::for_the_maker(&judged.incident) } else { Vec::new() }),
        around => most_important(report, &judged.incident, around, most.around),
        members_left_out => more(block.size().saturating_sub(members.len())),
        members => members.into_iter().collect::<Value>(),
        ..values(report, block, most)
    }
}

/// A step: what to do, how long it takes, what it risks, whether it needs an administrator, and how to take it back.
pub(super) fn step_values(step: &Remediation) -> Value {
    context! {
        text => prose(&step.text),
        cost => step.cost.map(Cost::phrase),
        risk => step.risk.map(Risk::word),
        admin => step.admin,
        undo => step.undo.as_deref().map(prose),
    }
}

/// How many files of an incident its row names.
const FILES_NAMED: usize = 3;

/// An incident of a group in a row, with the files that hold its evidence.
fn member_row(report: &Report, judged: &Judged) -> Value {
    let of = judged.incident.evidence.iter().filter_map(|item| report.artifact_path(item.artifact));
    let files: BTreeSet<&str> = of.collect();
    context! {
        files => files.iter().copied().take(FILES_NAMED).collect::<Value>(),
        files_more => files.len().saturating_sub(FILES_NAMED),
        ..in_short(judged)
    }
}

/// What the verdict rests on, each with its place.
fn because_lines(report: &Report, judged: &Judged) -> Value {
    let line = |because: account::Because| match because.place {
        Some(place) => format!("{} ({place})", because.text),
        None => because.text,
    };
    account::because(report, judged).into_iter().map(line).collect()
}

/// The level of a block's confidence as one word for a style sheet: `act`, `likely`, `possible`, `weak`, or `undetermined`,
/// which symptoms are, too.
pub(super) fn level(block: &Block<'_>) -> &'static str {
    match block.level() {
        None => "undetermined",
        Some(Level::ActOnIt) => "act",
        Some(level) => level.words(),
    }
}

/// A stack: its heading and its lines. A line that stands for repeated frames has the words for them and nothing else.
fn stack(stack: &ShownStack) -> Value {
    let line = |line: &StackLine| match line {
        StackLine::Frame { number, place, detail } => context! { number, place, detail },
        StackLine::Inlined { function, source } => context! { inlined => format!("{function}  {source}  (inlined)") },
        StackLine::Repeated { .. } => context! { repeats => line.repeats() },
    };
    context! {
        heading => stack.heading,
        lines => stack.lines.iter().map(line).collect::<Value>(),
        left_out => stack.left_out,
    }
}

/// An item of evidence, whether the verdict rests on it, and how it was joined to the other items.
fn evidence(report: &Report, ShownEvidence { number, item, is_cited }: &ShownEvidence<'_>) -> Value {
    let joined = item
        .joined_by
        .map(|joined| format!("joined to e{} by {}, {}", joined.to + 1, joined.key.word(), joined.strength.word()));
    context! {
        id => format!("e{number}"),
        cited => *is_cited,
        place => wording::place(report, item.artifact, &item.place),
        says => prose(&item.sentence),
        joined,
    }
}

fn other_cause(finding: &Finding) -> Value {
    context! {
        cause => &finding.cause,
        title => prose(&finding.title),
        sure => confidence::phrase(finding.confidence, finding.symptom),
        explanation => prose(&finding.explanation),
    }
}

/// A likely cause among similar known cases, and how to find out whether it is right.
fn lead(lead: &Lead) -> Value {
    context! { cause => account::lead(lead), test => account::lead_test(lead) }
}

/// A text to read more, and whether it is the address of a page, which is printed as it is.
fn reference(text: &str) -> Value {
    let of_page = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
    let is_link =
        of_page && !text.contains(|c: char| !c.is_ascii_graphic() || matches!(c, '<' | '>' | '"' | '\\' | '`'));
    context! { text, is_link }
}

/// A line about another incident of the group.
fn in_short(judged: &Judged) -> Value {
    let incident = &judged.incident;
    context! {
        id => &incident.id,
        time => short_time_if_known(incident.time),
        host => name(incident.host.as_deref().unwrap_or_default()),
        what => what_happened(incident),
        module => named_module(incident).map(|(_, module)| module).unwrap_or_default(),
        verdict => verdict(&judged.verdict),
    }
}
