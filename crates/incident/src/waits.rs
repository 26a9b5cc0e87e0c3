//! What the first thread of a running process waits for, and who keeps it waiting.

use evidence::{ProcessDump, ThreadState, WaitKind};

/// How many threads are followed from one that waits to the one that it waits for.
const MOST_FOLLOWED: usize = 8;

/// What the first thread of a dump waits for, in a sentence; `None` where the dump does not show it.
pub(super) fn sentence(dump: &ProcessDump) -> Option<String> {
    let threads = dump.state.threads.as_deref()?;
    let first = threads.first()?;
    let mut text = format!("The main thread ({}) waits for {}", first.id, object(first)?);
    let mut followed = vec![first.id];
    let mut waiting = first;
    while let Some(lock) = waiting.lock {
        let Some(owner) = threads.iter().find(|thread| thread.id == lock.owner) else { break };
        text.push_str(&format!(" at {}, which thread {} holds", lock.address, named(owner)));
        if followed.contains(&owner.id) {
            text.push_str(": the threads wait for each other (deadlock)");
            break;
        }
        match object(owner) {
            Some(object) => text.push_str(&format!("; that one waits for {object}")),
            None => {
                text.push_str(&place(dump, owner));
                break;
            }
        }
        followed.push(owner.id);
        if followed.len() > MOST_FOLLOWED {
            break;
        }
        waiting = owner;
    }
    text.push('.');
    Some(text)
}

fn object(thread: &ThreadState) -> Option<&'static str> {
    Some(match thread.waits_for? {
        WaitKind::Messages => "messages, so it has nothing to do",
        WaitKind::MessagesOrObject => {
            "messages or an object of the system: a call to another apartment or process (COM) waits so"
        }
        WaitKind::Work => "work, so it has nothing to do",
        WaitKind::Time => "a time to pass (Sleep)",
        WaitKind::Object => "an event, a mutex, a thread or another object of the system",
        WaitKind::CriticalSection => "a critical section",
        WaitKind::SlimLock => "a slim reader/writer lock",
        WaitKind::Condition => "a condition or a lock that another thread signals",
        WaitKind::OtherProcess => "the answer of another process",
        WaitKind::Window => "the answer of another thread's window to a message",
        WaitKind::Device => "a file, a device or the network",
    })
}

fn named(thread: &ThreadState) -> String {
    match thread.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => format!("{} ({name})", thread.id),
        None => thread.id.to_string(),
    }
}

/// Where a thread is that waits for nothing that is known.
fn place(dump: &ProcessDump, thread: &ThreadState) -> String {
    let module = thread.instruction_pointer.and_then(|address| dump.module_at(address));
    module.map_or_else(String::new, |(_, module)| format!("; that one is in {}", module.name()))
}
