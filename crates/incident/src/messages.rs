//! What the messages of events state: texts that programs, runtimes and drivers wrote, which people also paste into tickets.

use std::sync::Arc;

use rayon::prelude::*;

use super::sourced_evidence::{NumberMap, SourcedEvidence};
use evidence::{Event, EventBody, Observation, Ticket};

/// Reads a message as a text that was pasted: a ticket for each failure that it reports.
pub type MessageReader<'r> = dyn Fn(&str) -> Vec<Ticket> + Sync + 'r;

/// What the messages of events state, by the address of the events' content, which equal records share.
#[derive(Default)]
pub(super) struct Messages(NumberMap<usize, Arc<[Ticket]>>);

impl Messages {
    /// Reads the messages of the events among `items`, each once.
    pub(super) fn new<'i>(items: impl Iterator<Item = &'i SourcedEvidence>, read: &MessageReader<'_>) -> Self {
        let of_item = |item: &'i SourcedEvidence| {
            let Observation::Event(event) = &item.observation else { return None };
            Some((key(event), message(event)?))
        };
        let messages: NumberMap<usize, &str> = items.filter_map(of_item).collect();
        Self(messages.into_par_iter().map(|(key, message)| (key, read(message).into())).collect())
    }

    /// What the message of this evidence states.
    pub(super) fn of(&self, item: &SourcedEvidence) -> Option<Arc<[Ticket]>> {
        let Observation::Event(event) = &item.observation else { return None };
        self.0.get(&key(event)).map(Arc::clone)
    }
}

fn key(event: &Event) -> usize {
    Arc::as_ptr(&event.content).addr()
}

/// The text of an event that is a message and not a list of values. Of the system's message boxes, what they are about is
/// known without their words.
fn message(event: &Event) -> Option<&str> {
    match &event.content.body {
        EventBody::DotNet { text, .. }
        | EventBody::OpenGlDriver { text, .. }
        | EventBody::DisplayDriver { text: Some(text), .. } => Some(text),
        _ => None,
    }
}
