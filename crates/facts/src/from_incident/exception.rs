//! Facts of the exception with which a process ended, or of the blue screen with which the system did.

use crate::FactSet;
use crate::value::{evidence, word};
use evidence::{EventBody, ExceptionCode, Observation, Ticket};
use incident::{Access, CrashRecord, JoinedIncident};

/// The facts of the four bugcheck parameters, in their order.
const PARAMETER_PATHS: [&str; 4] =
    ["bugcheck.parameter_1", "bugcheck.parameter_2", "bugcheck.parameter_3", "bugcheck.parameter_4"];

/// Sets the facts of exception and blue screen, with those that their parameters hold.
pub(super) fn exception(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let joined_evidence = &joined.evidence;
    let records = joined_evidence.crash_records();
    let dump = joined_evidence.dump().filter(|(_, dump)| dump.exception.is_some());
    let ended_it = dump.is_some() || records.iter().any(|(_, record)| record.code.is_some());
    if let Some(exception) = joined.incident.exception.as_ref().filter(|_| ended_it) {
        let from_record = |has: fn(&CrashRecord) -> bool| {
            let number = match dump {
                Some((number, _)) => number,
                None => records.iter().find(|(_, record)| has(record))?.0,
            };
            evidence(number)
        };
        let from = from_record(|record| record.code.is_some());
        facts.set("exception.code", exception.code.0, from);
        let only_mentioned = |number: usize| {
            let item = joined_evidence.items.get(number);
            item.is_some_and(|item| matches!(&item.observation, Observation::Ticket(text) if text.code_only_mentioned))
        };
        let mut told = records.iter().filter(|(_, record)| record.code.is_some()).map(|(number, _)| *number);
        if dump.is_none() && told.all(only_mentioned) {
            facts.set("exception.mentioned", true, from);
        }
        if let Some(recorded) = exception.recorded_code {
            let told = records.iter().find(|(_, record)| record.code == Some(recorded)).map(|(number, _)| *number);
            facts.set("exception.recorded_code", recorded.0, told.and_then(evidence));
        }
        facts.set_known("exception.address", exception.address.map(|address| address.0), from);
        if let Some(Access { kind, address }) = exception.access {
            facts.set_known("exception.access", kind.map(word), from);
            facts.set("exception.access_address", address.0, from);
        }
        if let Some(fast_fail) = &exception.fast_fail {
            facts.set("exception.fast_fail", fast_fail.code.0, from_record(|record| record.fast_fail.is_some()));
        }
    }
    let status = dump.and_then(|(number, dump)| {
        let exception = dump.exception.as_ref()?;
        // EXCEPTION_RECORD: the third parameter of an in-page error is the NTSTATUS behind it.
        let status = (exception.code == ExceptionCode::IN_PAGE_ERROR).then(|| exception.parameters.get(2)).flatten()?;
        Some((number, *status & 0xFFFF_FFFF))
    });
    let status_of_event = || {
        joined_evidence.event(|body| match body {
            EventBody::InPageError { status, .. } => status.map(|status| u64::from(status.0)),
            _ => None,
        })
    };
    let status_of_text = || {
        let told = |(number, ticket): (usize, &Ticket)| Some((number, u64::from(ticket.in_page_status?.0)));
        joined_evidence.tickets().find_map(told)
    };
    if let Some((number, status)) = status.or_else(status_of_event).or_else(status_of_text) {
        facts.set("exception.in_page_status", status, evidence(number));
    }
    if let Some((number, delay_load)) = dump.and_then(|(number, dump)| Some((number, dump.delay_load.as_ref()?))) {
        let from = evidence(number);
        facts.set_known("delay_load.module", delay_load.module.clone(), from);
        facts.set_known("delay_load.procedure", delay_load.procedure.clone(), from);
        facts.set_known("delay_load.error", delay_load.error, from);
    }
    if let Some((number, code, parameters)) = joined_evidence.bugcheck() {
        let from = evidence(number);
        facts.set("bugcheck.code", code.plain(), from);
        if let Some(Observation::Ticket(text)) = joined_evidence.items.get(number).map(|item| &item.observation) {
            facts.set_known("bugcheck.mentioned", text.stop_only_mentioned.then_some(true), from);
            facts.set("bugcheck.told_stops", text.stops_told as u64, from);
        }
        for (path, parameter) in PARAMETER_PATHS.into_iter().zip(parameters) {
            facts.set(path, parameter, from);
        }
    }
}
