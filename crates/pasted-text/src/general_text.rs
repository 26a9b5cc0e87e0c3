//! Texts about crashes in general, which report none: references and guides that explain codes.

use evidence::{Observation, Reading, Ticket};

/// A report has no more different codes than this. A text with more is a reference, a table, or notes of many cases.
const MOST_CODES: usize = 12;

/// A guide to one error names no more codes than this. One with more explains codes, and may be of no crash.
const MOST_CODES_OF_A_GUIDE: usize = 2;

/// Why a text that was read is about crashes in general and reports none; `None` for reports and for other evidence.
#[must_use]
pub fn not_a_report(reading: &Reading) -> Option<String> {
    let tickets: Vec<&Ticket> = reading
        .evidence
        .iter()
        .filter_map(|evidence| match &evidence.observation {
            Observation::Ticket(ticket) => Some(&**ticket),
            _ => None,
        })
        .collect();
    let named = tickets.iter().map(|ticket| ticket.codes_named).max()?;
    if named > MOST_CODES {
        return Some(format!("it names {named} different codes: a text about crashes, not of one"));
    }
    let errors = tickets.iter().map(|ticket| ticket.win_errors.len().saturating_add(ticket.hresults.len())).max()?;
    let named = named.saturating_add(errors);
    // A sentence may name a program; a report gives its version, too.
    let fields = tickets.iter().any(|ticket| ticket.app_version.is_some() || ticket.module.is_some());
    let guide = tickets.iter().any(|ticket| ticket.document);
    (guide && named > MOST_CODES_OF_A_GUIDE && !fields).then(|| {
        format!(
            "it has the form of a guide and names {named} codes: a text about crashes, not of one (--ticket reads it)"
        )
    })
}

/// Takes the form of a guide from the tickets of `reading`: somebody gave the text as the report of a crash.
pub fn treat_as_report(reading: &mut Reading) {
    for evidence in &mut reading.evidence {
        if let Observation::Ticket(ticket) = &mut evidence.observation {
            ticket.document = false;
        }
    }
}
