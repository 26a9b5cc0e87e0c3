//! Sets the facts of an incident from its evidence: one file an area of facts.

mod dump_detail;
mod environment;
mod events;
mod exception;
mod fault;
mod kernel;
mod kernel_state;
mod lists;
mod mechanism;
mod process;
mod software;
mod stack;
mod system;
mod threads;
mod ticket;
mod wer;

pub use system::os_build;

use super::FactSet;
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
    mechanism::mechanism(joined, &mut facts);
    events::events(joined, &mut facts);
    system::system(joined, &mut facts);
    wer::wer(joined, &mut facts);
    environment::environment(joined, &mut facts);
    kernel::kernel(joined, &mut facts);
    kernel_state::kernel_state(joined, &mut facts);
    lists::lists(joined, &mut facts);
    stack::stack(joined, &mut facts);
    software::other_software(joined, &mut facts);
    software::built_with(joined, &mut facts);
    software::windows_files(joined, &mut facts);
    ticket::described(joined, &mut facts);
    facts
}
