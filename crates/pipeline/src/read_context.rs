//! The context of all readers of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crash_dump::{Options, Symbols};
use evidence::Names;
use evtx_scan::Cache;
use sigma::SigmaRules;
use windows_events::{Contents, RecordMatcher};

use crate::archive::Passwords;
use crate::discover::Exclude;
use crate::sigma_matches::SigmaMatcher;

/// What the readers of a run share, and the options for them.
#[derive(Debug, Default)]
pub struct ReadContext {
    /// Shares equal names between artifacts.
    pub names: Names,
    /// Shares equal contents of event records.
    pub contents: Contents,
    /// Whether crashing threads' stacks are walked.
    pub walk_stacks: bool,
    /// Symbols and images from outside of the dumps, if any were given.
    pub symbols: Option<Arc<Symbols>>,
    /// The cache of decoded event logs, if there is one.
    pub cache: Option<Arc<Cache>>,
    /// Sigma rules, whose matches in event logs are evidence.
    pub sigma: Option<Arc<SigmaRules>>,
    /// The passwords that encrypted archives are opened with.
    pub passwords: Arc<Passwords>,
    /// Members of archives that are left out.
    pub exclude: Exclude,
    /// How many were.
    pub excluded: AtomicUsize,
}

impl ReadContext {
    /// The context for dumps.
    pub(crate) fn dump_options(&self) -> Options<'_> {
        Options { names: &self.names, walk_stacks: self.walk_stacks, symbols: self.symbols.as_deref() }
    }

    /// The context for event logs and for texts with pasted events; `sigma` are the context's own rules.
    pub(crate) fn event_log_context<'c>(&'c self, sigma: &'c Option<SigmaMatcher<'c>>) -> windows_events::Context<'c> {
        windows_events::Context {
            names: &self.names,
            contents: &self.contents,
            cache: self.cache.as_deref(),
            matcher: sigma.as_ref().map(|sigma| sigma as &dyn RecordMatcher),
        }
    }
}
