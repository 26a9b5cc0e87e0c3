//! All threads of a process with as much of their stacks as the dump shows.

use std::sync::Arc;

use serde::Serialize;
use serde_with::{serde_as, skip_serializing_none};

use super::joined_evidence::JoinedEvidence;
use super::stack::{self, StackFrame, StackKind, Word};
use evidence::FrameTrust;

/// A thread of a process.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Thread {
    /// Thread id.
    pub id: u32,
    /// The name that the program gave it.
    pub name: Option<Arc<str>>,
    /// Whether it raised the exception.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub crashed: bool,
    /// The place at which it started: `module+offset`, or an address in no module.
    pub start: Option<String>,
    /// Its frames, innermost first: of the thread that crashed the stack, of others the innermost one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<StackFrame>,
    /// The modules of its innermost frames, each once, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<Arc<str>>,
    /// How the least sure of the frames with these modules was found.
    #[serde_as(as = "Option<Word>")]
    pub trust: Option<FrameTrust>,
}

/// The threads of the incident's process, in the dump's order; empty where no dump lists them.
#[must_use]
pub fn threads(evidence: &JoinedEvidence<'_>) -> Vec<Thread> {
    let Some((_, dump)) = evidence.dump() else { return Vec::new() };
    let crashed = dump.exception.as_ref().and(dump.thread.as_ref()).map(|thread| thread.id);
    let modules = dump.modules.as_deref().unwrap_or_default();
    let shown = dump.state.threads.iter().flatten().map(|thread| {
        let crashed = crashed == Some(thread.id);
        let top = || {
            let top = StackFrame::at(thread.instruction_pointer?, dump);
            Some(StackFrame { function: thread.function.clone(), ..top })
        };
        let mut frames = if crashed { stack::stack(evidence) } else { Vec::new() };
        frames.retain(|frame| frame.of == StackKind::Native);
        if frames.is_empty() {
            frames.extend(top());
        }
        let of_stack = thread.stack.iter().flat_map(|stack| &stack.modules);
        let of_stack = of_stack.filter_map(|index| modules.get(*index)).map(|module| Arc::clone(&module.name));
        Thread {
            id: thread.id,
            name: thread.name.clone().filter(|name| !name.is_empty()),
            crashed,
            start: thread.start.map(|start| StackFrame::at(start, dump).place()),
            frames,
            modules: of_stack.collect(),
            trust: thread.stack.as_ref().map(|stack| stack.trust),
        }
    });
    shown.collect()
}
