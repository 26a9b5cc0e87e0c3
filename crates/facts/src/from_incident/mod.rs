//! Sets the facts of an incident from its evidence: one file an area of facts.

mod dump_detail;
mod environment;
mod events;
mod exception;
mod fault;
mod kernel;
mod lists;
mod process;
mod system;
mod threads;
mod ticket;
mod wer;

pub use system::os_build;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::{EvidenceRef, FactSet, FactType, Value, schema};
use incident::JoinedIncident;

/// The facts of `joined`, without those of its surroundings: the timeline, the other incidents of the run and patterns
/// among them.
#[must_use]
pub fn facts(joined: &JoinedIncident<'_>) -> FactSet {
    let mut facts = FactSet::default();
    process::incident(joined, &mut facts);
    exception::exception(joined, &mut facts);
    dump_detail::dump_detail(joined, &mut facts);
    fault::fault(joined, &mut facts);
    events::events(joined, &mut facts);
    system::system(joined, &mut facts);
    wer::wer(joined, &mut facts);
    environment::environment(joined, &mut facts);
    kernel::kernel(joined, &mut facts);
    lists::lists(joined, &mut facts);
    ticket::described(joined, &mut facts);
    facts
}

/// The number that reports give the evidence at this index; `None` beyond 65,535.
pub(crate) fn evidence(number: usize) -> Option<EvidenceRef> {
    u16::try_from(number.checked_add(1)?).ok().map(EvidenceRef)
}

fn text(text: &str) -> Value {
    Value::Text(Arc::from(text))
}

/// A word of the schema. An incident has hundreds of them (each module's location, each frame's trust), so each word
/// has one copy for all.
pub(crate) fn word(word: &'static str) -> Value {
    static WORDS: LazyLock<HashMap<&'static str, Arc<str>>> = LazyLock::new(|| {
        let of_lists = schema::LISTS.iter().flat_map(|list| list.fields);
        let kinds = schema::SCALARS.iter().chain(of_lists).map(|definition| definition.kind);
        let words = kinds.flat_map(|kind| match kind {
            FactType::Word(words) => words,
            _ => &[],
        });
        words.map(|word| (*word, Arc::from(*word))).collect()
    });
    WORDS.get(word).map_or_else(|| text(word), |shared| shared.clone().into())
}
