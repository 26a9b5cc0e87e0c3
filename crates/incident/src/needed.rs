//! Files of modules that would show more of a crash: for symbol servers and `--symbols`.

use std::sync::Arc;

use serde::Serialize;

use super::joined_evidence::JoinedEvidence;
use evidence::{FileKind, FileShows, LoadedModule, MissingFile, ProcessDump};

/// An image or a PDB that would show more of the crashing thread's stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeededFile {
    /// The file's name.
    pub file: Arc<str>,
    /// `image` or `pdb`.
    pub kind: &'static str,
    /// What identifies the file: of an image time stamp and size, of a PDB GUID and age, as symbol stores write them.
    pub id: String,
    /// Where symbol stores and symbol servers have it: `name/id/name`.
    pub path: String,
    /// The module that it belongs to.
    pub module: Arc<str>,
    /// What it would show: `caller`, `code` or `function`.
    pub shows: &'static str,
    /// What it would show, in a sentence.
    pub reason: String,
}

/// The files that the stack of the process's dump lacks, those at the innermost frames first.
pub(super) fn needed(evidence: &JoinedEvidence<'_>) -> Vec<NeededFile> {
    let Some((_, dump)) = evidence.dump() else { return Vec::new() };
    let missing = dump.thread.iter().flat_map(|thread| &thread.missing);
    missing.filter_map(|file| needed_file(file, dump)).collect()
}

fn needed_file(missing: &MissingFile, dump: &ProcessDump) -> Option<NeededFile> {
    let module = dump.modules.as_ref()?.get(missing.module)?;
    let (file, id) = match missing.kind {
        FileKind::Image => (Arc::clone(&module.name), module.image_id()),
        FileKind::Pdb => (module.debug_file.clone()?, module.debug_id?.to_string()),
    };
    if !is_file_name(&file) {
        return None;
    }
    Some(NeededFile {
        path: format!("{file}/{id}/{file}"),
        file,
        kind: missing.kind.word(),
        id,
        module: Arc::clone(&module.name),
        shows: missing.shows.word(),
        reason: reason(missing, module, dump),
    })
}

/// Whether a name is one that Windows takes for a file: the path that is made of it must not lead elsewhere.
fn is_file_name(name: &str) -> bool {
    let forbidden = |letter: char| letter.is_control() || r#"\/:*?"<>|"#.contains(letter);
    !name.is_empty() && !name.starts_with('.') && !name.ends_with(['.', ' ']) && !name.contains(forbidden)
}

fn reason(missing: &MissingFile, module: &LoadedModule, dump: &ProcessDump) -> String {
    let frame = dump.thread.as_ref().and_then(|thread| thread.frames.get(missing.frame));
    let offset = frame.and_then(|frame| module.offset_of(frame.address));
    let place = offset.map_or_else(|| module.name.to_string(), |offset| format!("{}+{offset}", module.name));
    match missing.shows {
        FileShows::Caller => format!("shows which function called {place}"),
        FileShows::Code => format!("shows where the bad value at {place} came from"),
        FileShows::Function => format!("names the function at {place}"),
    }
}
