//! One block: what happened, why, what to do, what that rests on, and what would make it surer.

use super::canvas::{Row, cut, row, wrapped};
use crate::account::{self, Because, because, first_steps, for_the_maker, happened, short};
use crate::confidence::{percent, phrase};
use crate::formats::text::block::Block;
use crate::formats::text::overview::when;
use crate::formats::text::page::{PLAIN, STRONG};
use crate::formats::text::stack::{StackLine, stacks};
use crate::model::{Judged, Report};
use crate::wording::{counted, name, prose};
use rules::Finding;

/// How many steps are shown.
const STEPS_SHOWN: usize = 3;
/// How many frames of the stack are shown.
const FRAMES_SHOWN: usize = 5;
/// How many other causes are shown.
const OTHERS_SHOWN: usize = 2;
/// How many things that the verdict rests on are shown.
const BECAUSE_SHOWN: usize = 3;
/// How many other incidents are named on which the verdict rests.
const OTHER_INCIDENTS_SHOWN: usize = 4;
/// Columns of the labels.
const LABEL: usize = 10;

/// The rows of a block in `width` columns: at most `rows`, else uncut.
pub(super) fn rows(report: &Report, block: &Block<'_>, width: usize, rows: Option<usize>) -> Vec<Row> {
    let Some(most) = rows else { return at_length(report, block, width, Lengths::UNCUT) };
    // The first lengths with which everything fits; the last ones always do.
    let lengths = Lengths::SHORTER.into_iter().map(|lengths| at_length(report, block, width, lengths));
    let mut shortest = Vec::new();
    for rows in lengths {
        if rows.len() <= most {
            return rows;
        }
        shortest = rows;
    }
    shortest.truncate(most);
    shortest
}

/// How many rows or entries each part has at most.
#[derive(Clone, Copy)]
struct Lengths {
    /// Rows of each sentence.
    sentence: usize,
    /// Rows of each step.
    step: usize,
    /// Things that the verdict rests on.
    because: usize,
    frames: usize,
    others: usize,
    /// Leads whose test is shown.
    leads: usize,
    /// Rows of what makes it surer.
    surer: usize,
}

impl Lengths {
    const UNCUT: Self = Self {
        sentence: usize::MAX,
        step: usize::MAX,
        because: BECAUSE_SHOWN,
        frames: FRAMES_SHOWN,
        others: OTHERS_SHOWN,
        leads: usize::MAX,
        surer: usize::MAX,
    };
    const SHORTER: [Self; 8] = [
        Self::UNCUT,
        Self { sentence: 3, step: 3, because: 2, frames: 5, others: 2, leads: 3, surer: 3 },
        Self { sentence: 2, step: 3, because: 2, frames: 5, others: 1, leads: 3, surer: 2 },
        Self { sentence: 2, step: 2, because: 2, frames: 4, others: 1, leads: 2, surer: 2 },
        Self { sentence: 2, step: 2, because: 1, frames: 3, others: 1, leads: 2, surer: 2 },
        Self { sentence: 2, step: 2, because: 1, frames: 2, others: 1, leads: 1, surer: 1 },
        Self { sentence: 2, step: 1, because: 1, frames: 2, others: 0, leads: 1, surer: 1 },
        Self { sentence: 1, step: 1, because: 1, frames: 0, others: 0, leads: 0, surer: 1 },
    ];
}

fn at_length(report: &Report, block: &Block<'_>, width: usize, lengths: Lengths) -> Vec<Row> {
    let judged = block.representative;
    let leading = judged.leading_finding();
    let mut page = Page { rows: first_row(report, block, width), width };
    page.rows.extend(wrapped(STRONG, "", &block.headline(), width, lengths.sentence));
    page.rows.extend(wrapped(PLAIN, "", &about(block), width, 2));
    page.labelled("happened", PLAIN, &happened(judged), lengths.sentence);
    page.labelled("why", block.style(), &why(block), lengths.sentence);
    // Of a group without a cause, an incident's cause is not what to act on.
    let advice = leading.filter(|_| block.confidence().is_some()).map(first_steps).unwrap_or_default();
    for (number, step) in advice.iter().take(STEPS_SHOWN).enumerate() {
        let label = if number == 0 { "do" } else { "" };
        page.numbered(label, number.saturating_add(1), &prose(&step.text), lengths.step);
    }
    for (number, Because { text, place }) in because(report, judged).into_iter().take(lengths.because).enumerate() {
        let label = if number == 0 { if leading.is_some() { "because" } else { "evidence" } } else { "" };
        let text = place.map_or_else(|| text.clone(), |place| format!("{text} ({place})"));
        page.labelled(label, PLAIN, &text, lengths.sentence);
    }
    if let Some(others) = leading.and_then(|finding| other_incidents(report, finding)) {
        page.labelled("", PLAIN, &others, lengths.sentence);
    }
    stack(&mut page, judged, lengths.frames);
    let others: Vec<_> = judged.other_causes().take(lengths.others).collect();
    for (number, finding) in others.iter().enumerate() {
        let label = if number == 0 { if leading.is_some() { "or else" } else { "perhaps" } } else { "" };
        let text = format!("{}: {}", prose(&finding.title), phrase(finding.confidence, finding.symptom));
        page.labelled(label, PLAIN, &text, 1.max(lengths.others));
    }
    leads(&mut page, judged, lengths.leads, lengths.surer);
    if judged.verdict.level().is_none() && !judged.incident.stack.is_empty() && lengths.frames >= FRAMES_SHOWN {
        let facts = for_the_maker(&judged.incident);
        page.labelled("to maker", PLAIN, &facts.join("; "), lengths.sentence);
    }
    if let Some(request) = surer(judged) {
        page.labelled("surer by", PLAIN, &request, lengths.surer);
    }
    let more = match advice.len().saturating_sub(STEPS_SHOWN) {
        0 => String::new(),
        more => format!("{} and ", counted(more, "more step")),
    };
    let details = format!("analyze --full PATH has {more}all evidence; incident {}", judged.incident.id);
    page.labelled("details", PLAIN, &details, 2);
    page.rows
}

/// How much there is, where this is all of it, else the number of the block.
fn first_row(report: &Report, block: &Block<'_>, width: usize) -> Vec<Row> {
    let all = counted(report.incidents.len(), "incident");
    let own = &block.representative.incident.id;
    let group =
        report.groups.iter().find(|group| group.incidents.len() > block.size() && group.incidents.contains(own));
    let what = match group {
        Some(group) => {
            format!("1 of {} incidents of problem {}, of a report with {all}", group.incidents.len(), block.number)
        }
        None if report.incidents.len() == block.size() => all,
        None => format!("problem {} of a report with {all}", block.number),
    };
    let damaged = report.summary.failed.saturating_add(report.summary.partial);
    let damaged = if damaged > 0 { format!(", {damaged} damaged") } else { String::new() };
    let files = counted(report.summary.artifacts, "file");
    vec![row(PLAIN, cut(&format!("crashsift: {what}, {files}{damaged}"), width))]
}

struct Page {
    rows: Vec<Row>,
    width: usize,
}

impl Page {
    /// A text behind its label; in narrow pages, too.
    fn labelled(&mut self, label: &str, style: anstyle::Style, text: &str, most: usize) {
        self.rows.extend(wrapped(style, &format!("{label:<LABEL$}"), text, self.width, most));
    }

    fn numbered(&mut self, label: &str, number: usize, text: &str, most: usize) {
        self.rows.extend(wrapped(STRONG, &format!("{label:<LABEL$}{number}. "), text, self.width, most));
    }
}

/// The likeliest causes among similar known cases, and the tests of the first `most`, `rows` rows each.
fn leads(page: &mut Page, judged: &Judged, most: usize, rows: usize) {
    let leads = &judged.verdict.leads;
    if leads.is_empty() {
        return;
    }
    let all: Vec<String> = leads.iter().map(account::lead).collect();
    page.labelled("leads", PLAIN, &format!("{}: {}", account::LEADS, all.join("; ")), rows.max(3));
    for lead in leads.iter().take(most) {
        page.labelled("", PLAIN, &format!("{} - {}", lead.cause, account::lead_test(lead)), rows);
    }
}

/// Number, kind, computer and times.
fn about(block: &Block<'_>) -> String {
    let incident = &block.representative.incident;
    let mut hosts: Vec<String> = block.hosts().into_iter().map(|host| host.to_uppercase()).collect();
    if hosts.len() > 3 {
        hosts = vec![format!("{} computers", hosts.len())];
    }
    let times = if block.size() > 1 { format!("{} times", block.size()) } else { String::new() };
    let party = block.party().map_or_else(String::new, |party| format!("customer {}", name(party)));
    let parts = [party, crate::wording::kind(incident.kind).to_owned(), times, hosts.join(", "), when(block)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The cause with how sure it is, or that it is not known.
fn why(block: &Block<'_>) -> String {
    let differing = || block.differing().map_or_else(String::new, |differs| format!(" {differs}."));
    match (block.level(), block.confidence()) {
        (Some(_), _) => {
            let why = block.why().map_or_else(String::new, |why| format!("{why} "));
            format!("{why}{}.", block.verdict())
        }
        (None, Some(symptom)) => {
            format!("Not known. The symptom {} is {} sure.{}", cause(block), percent(symptom), differing())
        }
        (None, None) => format!("Not determined. {}{}", block.why().unwrap_or_default(), differing()),
    }
}

/// The id of the cause or symptom.
fn cause<'b>(block: &Block<'b>) -> &'b str {
    &block.representative.verdict.cause
}

/// What the other incidents are on which a verdict rests.
fn other_incidents(report: &Report, finding: &Finding) -> Option<String> {
    let mut ids: Vec<&str> = Vec::new();
    for id in finding.incidents.iter().flat_map(|named| &named.ids) {
        if !ids.contains(&&**id) {
            ids.push(id);
        }
    }
    let of = |id: &&str| report.incidents.iter().find(|judged| judged.incident.id == **id);
    let named = ids.iter().filter_map(of).take(OTHER_INCIDENTS_SHOWN);
    let mut known: Vec<String> =
        named.map(|judged| format!("{} (incident {})", short(&judged.incident), judged.incident.id)).collect();
    let further = finding.incidents.iter().map(|named| named.more).max().unwrap_or_default();
    match ids.len().saturating_sub(known.len()).saturating_add(further) {
        0 => {}
        more => known.push(format!("{more} more")),
    }
    (!ids.is_empty()).then(|| format!("other incidents: {}", known.join(", ")))
}

/// The innermost frames of the first stack.
fn stack(page: &mut Page, judged: &Judged, most: usize) {
    let Some(stack) = stacks(&judged.incident.stack, most).into_iter().next().filter(|_| most > 0) else { return };
    let lines = stack.lines.iter().map(|line| match line {
        StackLine::Frame { number, place, detail } => format!("{number:>2} {place}  {detail}"),
        StackLine::Inlined { function, source } => format!("   {function} (inlined)  {source}"),
        StackLine::Repeated { .. } => line.repeats().unwrap_or_default(),
    });
    for (number, line) in lines.take(most).enumerate() {
        let label = if number == 0 { "stack" } else { "" };
        let line = cut(line.trim_end(), page.width.saturating_sub(LABEL));
        page.rows.push(row(PLAIN, format!("{label:<LABEL$}{line}")));
    }
}

/// The first thing to collect that has a command, else the first.
fn surer(judged: &Judged) -> Option<String> {
    let requests = &judged.verdict.collect_next;
    let request = requests.iter().find(|request| request.contains('`')).or_else(|| requests.first())?;
    Some(prose(request))
}
