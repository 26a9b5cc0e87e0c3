//! The state of process and system in a minidump, beside the crash: annotations, memory, handles.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::word::Word;
use super::{Address, FrameTrust, HeldLock, WaitKind};

/// What could be read. Everything is absent unless the dump holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessState {
    /// What the program or its crash handler wrote into the dump, sorted.
    pub annotations: Vec<Annotation>,
    /// The system's memory.
    pub system_memory: Option<SystemMemory>,
    /// The process's memory.
    pub process_memory: Option<ProcessMemory>,
    /// How many handles the process had open.
    pub handle_count: Option<u64>,
    /// How many of each type, by type; empty when not all types are known.
    pub handles: Vec<(Arc<str>, u64)>,
    /// Integrity level of the process, a word such as `medium`.
    #[serde(deserialize_with = "super::word::optional_word")]
    pub integrity: Option<Word>,
    /// Its threads in the dump's order, where all of them are listed.
    pub threads: Option<Vec<ThreadState>>,
}

/// The words for integrity levels, the lowest first.
pub const INTEGRITY_LEVELS: &[&str] = &["untrusted", "low", "medium", "high", "system"];

/// A key and a value that a program put into its dump.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Annotation {
    /// The key.
    pub key: Arc<str>,
    /// The value.
    pub value: Arc<str>,
}

/// The system's memory when the dump was written, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemMemory {
    /// RAM that is not in use.
    pub available: u64,
    /// How much is committed.
    pub commit_charge: u64,
    /// How much can be committed: RAM and page files.
    pub commit_limit: u64,
}

/// The process's memory when the dump was written, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessMemory {
    /// How much it has committed.
    pub commit: u64,
    /// RAM that it uses.
    pub working_set: u64,
    /// Address space that it uses.
    pub virtual_size: Option<u64>,
}

/// A thread of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadState {
    /// Thread id.
    pub id: u32,
    /// The name that the program gave it, empty when it gave none; `None` when the dump does not show it.
    pub name: Option<Arc<str>>,
    /// The address of the function in which it started.
    pub start: Option<Address>,
    /// The thread's instruction pointer; in the thread that raised the exception, the address of the exception. Only if
    /// stacks are walked.
    pub instruction_pointer: Option<Address>,
    /// The function that this address lies in, by the image's exports or by symbols.
    pub function: Option<Arc<str>>,
    /// The modules whose calls its stack shows.
    pub stack: Option<ThreadStack>,
    /// What it waits for.
    pub waits_for: Option<WaitKind>,
    /// The lock that it waits for, where the dump shows who holds it.
    pub lock: Option<HeldLock>,
}

/// The innermost frames of a thread's stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadStack {
    /// The modules of the frames by their index in the dump's list, the innermost first, each once.
    pub modules: Vec<usize>,
    /// How the least sure of the frames was found.
    pub trust: FrameTrust,
}
