//! How the process or the system ended: exception or stop, with what their parameters say.

use std::sync::Arc;

use super::{evidence, word};
use crate::{FactSet, Value};
use evidence::{EventBody, ExceptionCode, Observation, Ticket};
use incident::Built;

/// Bugcheck and exception parameters that rules can ask for.
const PARAMETER_PATHS: [&str; 4] =
    ["bugcheck.parameter_1", "bugcheck.parameter_2", "bugcheck.parameter_3", "bugcheck.parameter_4"];

/// Exception and stop.
pub(super) fn exception(built: &Built<'_>, facts: &mut FactSet) {
    let gathered = &built.gathered;
    let records = gathered.crash_records();
    let dump = gathered.dump().filter(|(_, dump)| dump.exception.is_some());
    if let Some(exception) = &built.incident.exception {
        let from = match dump {
            Some((number, _)) => evidence(number),
            None => records.iter().find(|(_, record)| record.code.is_some()).and_then(|(number, _)| evidence(*number)),
        };
        facts.set("exception.code", Value::Number(u64::from(exception.code.0)), from);
        let only_mentioned = |number: usize| {
            let item = gathered.items.get(number);
            item.is_some_and(|item| matches!(&item.observation, Observation::Ticket(text) if text.code_only_mentioned))
        };
        let mut told = records.iter().filter(|(_, record)| record.code.is_some()).map(|(number, _)| *number);
        if dump.is_none() && told.all(only_mentioned) {
            facts.set("exception.mentioned", Value::Flag(true), from);
        }
        if let Some(address) = exception.address {
            facts.set("exception.address", Value::Number(address.0), from);
        }
        if let Some((kind, address)) = exception.access {
            if let Some(kind) = kind {
                facts.set("exception.access", word(kind), from);
            }
            facts.set("exception.access_address", Value::Number(address.0), from);
        }
        if let Some((code, _)) = &exception.fast_fail {
            let of_record = || {
                records.iter().find(|(_, record)| record.fast_fail.is_some()).and_then(|(number, _)| evidence(*number))
            };
            let from = if dump.is_some() { from } else { of_record() };
            facts.set("exception.fast_fail", Value::Number(u64::from(code.0)), from);
        }
    }
    let status = dump.and_then(|(number, dump)| {
        let exception = dump.exception.as_ref()?;
        // EXCEPTION_RECORD: the third parameter of an in-page error is the NTSTATUS behind it.
        let status = (exception.code == ExceptionCode::IN_PAGE_ERROR).then(|| exception.parameters.get(2)).flatten()?;
        Some((number, *status & 0xFFFF_FFFF))
    });
    let status_of_event = || {
        gathered.event(|body| match body {
            EventBody::InPageError { status, .. } => status.map(|status| u64::from(status.0)),
            _ => None,
        })
    };
    let status_of_text = || {
        let told = |(number, ticket): (usize, &Ticket)| Some((number, u64::from(ticket.in_page_status?.0)));
        gathered.tickets().find_map(told)
    };
    if let Some((number, status)) = status.or_else(status_of_event).or_else(status_of_text) {
        facts.set("exception.in_page_status", Value::Number(status), evidence(number));
    }
    if let Some((number, delay_load)) = dump.and_then(|(number, dump)| Some((number, dump.delay_load.as_ref()?))) {
        let from = evidence(number);
        if let Some(module) = &delay_load.module {
            facts.set("delay_load.module", Value::Text(Arc::clone(module)), from);
        }
        if let Some(procedure) = &delay_load.procedure {
            facts.set("delay_load.procedure", Value::Text(Arc::clone(procedure)), from);
        }
        if let Some(error) = delay_load.error {
            facts.set("delay_load.error", Value::Number(u64::from(error)), from);
        }
    }
    if let Some((number, code, parameters)) = gathered.bugcheck() {
        let from = evidence(number);
        facts.set("bugcheck.code", Value::Number(u64::from(code.plain())), from);
        let item = gathered.items.get(number).map(|item| &item.observation);
        if matches!(item, Some(Observation::Ticket(text)) if text.stop_only_mentioned) {
            facts.set("bugcheck.mentioned", Value::Flag(true), from);
        }
        if let Some(Observation::Ticket(text)) = item {
            facts.set("bugcheck.told_stops", Value::Number(text.stops_told as u64), from);
        }
        for (path, parameter) in PARAMETER_PATHS.into_iter().zip(parameters) {
            facts.set(path, Value::Number(parameter), from);
        }
    }
}
