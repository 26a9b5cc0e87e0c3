//! Facts from pasted texts and from the messages of events: lists that only they have, and the machine's description where
//! no dump, report or log has it.

use crate::value::{evidence, word};
use crate::{FactSet, Record, Value};
use evidence::Observation;
use incident::JoinedIncident;
use incident::environment::Product;

/// The events that texts name, as records of the list `events`.
pub(super) fn events<'b>(joined: &'b JoinedIncident<'_>) -> impl Iterator<Item = Record> + 'b {
    joined.evidence.tickets().flat_map(|(number, ticket)| {
        ticket.events.iter().map(move |event| Record {
            fields: vec![("provider", event.provider.clone().into()), ("id", event.id.into())],
            from: evidence(number),
        })
    })
}

/// Sets the lists that only texts give, and the facts that a text gives where no other artifact has them.
pub(super) fn lists(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let joined_evidence = &joined.evidence;
    if joined_evidence.told().next().is_none() {
        return;
    }
    let (mut errors, mut hresults) = (Vec::new(), Vec::new());
    for (number, ticket) in joined_evidence.told() {
        let from = evidence(number);
        let error = |field, number: &u32| {
            let flag = |numbers: &[u32]| numbers.contains(number).then_some(Value::Flag(true));
            let mentioned = flag(&ticket.errors_only_mentioned);
            let unreported = flag(&ticket.errors_unreported);
            let fields = [(field, Some((*number).into())), ("mentioned", mentioned), ("unreported", unreported)];
            Record::of_known(fields, from)
        };
        errors.extend(ticket.win_errors.iter().map(|number| error("number", number)));
        hresults.extend(ticket.hresults.iter().map(|number| error("code", number)));
        facts.set_known("debugger.suspects", ticket.debugger_suspects.map(word), from);
        // A dump holds the exception itself.
        if let Some(thrown) = ticket.cpp_type.as_ref().filter(|_| facts.get("cpp_exception.type").is_none()) {
            facts.set("cpp_exception.type", thrown.clone(), from);
            facts.set_list("cpp_types", vec![Record::of_name(thrown, from)]);
            facts.set_known("cpp_exception.what", ticket.cpp_what.clone(), from);
        }
        // The code that a log recorded counts more than the one that a text or a message has.
        facts.set_missing(
            "exception.code",
            ticket.code.filter(|_| !ticket.code_only_mentioned).map(|code| code.0),
            from,
        );
        facts.set_missing("process.exit_code", ticket.exit_code, from);
    }
    let guide = |observation: &Observation| matches!(observation, Observation::Ticket(ticket) if ticket.document);
    if joined_evidence.items.iter().all(|item| guide(&item.observation)) {
        facts.set("incident.document", true, evidence(0));
    }
    facts.set_list("win_errors", errors);
    facts.set_list("hresults", hresults);
}

/// Sets what texts have of the machine, where no dump, report or log has it.
pub(super) fn described(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    // The version that all texts agree on.
    if let Some(driver) = joined.environment.stated.version(Product::NvidiaDriver) {
        facts.set_missing("environment.nvidia_driver", Some(driver.value), evidence(driver.from));
    }
    for (number, ticket) in joined.evidence.all_tickets() {
        let inventory = &ticket.inventory;
        let from = evidence(number);
        facts.set_missing("environment.cuda_driver", inventory.cuda_driver, from);
        facts.set_missing("environment.gpu", inventory.gpus.first().cloned(), from);
        facts.set_missing("environment.memory", inventory.memory, from);
        facts.set_missing("environment.bios", inventory.bios.clone(), from);
        facts.set_missing("environment.model", inventory.model.clone(), from);
        facts.set_missing("environment.python", inventory.python, from);
        facts.set_missing("os.build", inventory.os_build, from);
        if facts.list("packages").is_none() {
            let packages = inventory.packages.iter();
            let fields = packages
                .map(|(name, version)| vec![("name", name.clone().into()), ("version", version.clone().into())]);
            facts.set_filled_list("packages", fields.map(|fields| Record { fields, from }));
        }
    }
}
