//! What a thread waits for.

use serde::{Deserialize, Serialize};

use super::Address;
use crate::words;

words!(
    /// What threads wait for, by the functions in which they wait.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    WaitKind {
        /// Messages of its windows: it has nothing to do.
        Messages => "messages",
        /// Messages of its windows, or an object: a call to another COM apartment waits so, too.
        MessagesOrObject => "messages-or-object",
        /// Work that a thread pool hands out: it has nothing to do.
        Work => "work",
        /// A time that passes.
        Time => "time",
        /// An object of the system: an event, a mutex, a thread, a process.
        Object => "object",
        /// A critical section that another thread holds.
        CriticalSection => "critical-section",
        /// A slim reader/writer lock that another thread holds.
        SlimLock => "slim-lock",
        /// A condition variable, or a value that is to change.
        Condition => "condition",
        /// The answer of another process, by a local procedure call.
        OtherProcess => "other-process",
        /// The answer of a window of another thread to a message.
        Window => "window",
        /// A file, a device or the network.
        Device => "device",
    }
);

impl WaitKind {
    /// Whether a thread that waits so is idle, and not kept from its work.
    #[must_use]
    pub fn is_idle(self) -> bool {
        matches!(self, Self::Messages | Self::Work)
    }
}

/// A lock that a thread waits for and that another one holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldLock {
    /// Where it is.
    pub address: Address,
    /// The id of the thread that holds it.
    pub owner: u32,
}
