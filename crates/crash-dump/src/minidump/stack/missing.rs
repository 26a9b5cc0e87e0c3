//! Which files would show more of the crashing thread's stack: images that have the unwinding tables and the code, PDBs that
//! have the names.

use minidump::Module;

use super::given::{Given, is_x86_on_windows};
use crate::minidump::symbols::Symbols;
use evidence::{
    CpuArchitecture, FileKind, FileShows, Frame, FrameTrust, LoadedModule, MissingFile, OperatingSystem, OriginEnd,
    ProcessDump,
};

/// Most files that are kept: further out on the stack they show little of the crash.
const MOST: usize = 16;

/// The files that the frames of a stack lack, innermost first. `without_caller` are the frames, by their positions, whose
/// caller nothing showed that was at hand.
///
/// Frames that were searched for may be stale, so only the file that would have made the search unnecessary is missing.
pub fn missing(
    frames: &[Frame],
    without_caller: &[usize],
    given: &Given<'_, '_>,
    process: &ProcessDump,
) -> Vec<MissingFile> {
    if process.system.os != OperatingSystem::Windows {
        return Vec::new();
    }
    let modules = process.modules.as_deref().unwrap_or_default();
    let listed = given.modules.map_or_else(Vec::new, |list| list.iter().collect());
    let has_symbols = |index: usize| {
        let module = listed.get(index).map(|module| *module as &dyn Module);
        module.is_some_and(|module| given.symbols.is_some_and(|symbols| symbols.of_module(module).is_some()))
    };
    let mut missing: Vec<MissingFile> = Vec::new();
    for (position, frame) in frames.iter().enumerate() {
        let Some((index, module)) = frame.module.and_then(|index| Some((index, modules.get(index)?))) else { continue };
        let mut lacks = |kind, shows| {
            let known = missing.iter().any(|file| (file.module, file.kind) == (index, kind));
            if !known && missing.len() < MOST && can_be_found(module, kind) {
                missing.push(MissingFile { module: index, kind, shows, frame: position });
            }
        };
        let unsure = frame.trust == FrameTrust::Scanned && position > 0;
        if without_caller.contains(&position) && !unsure && is_x86_on_windows(&process.system) {
            // Tables of 64-bit code are in the image, those of 32-bit code in the PDB.
            let kind = if process.system.cpu == CpuArchitecture::X86 { FileKind::Pdb } else { FileKind::Image };
            if kind == FileKind::Image || !has_symbols(index) {
                lacks(kind, FileShows::Caller);
            }
        }
        if frame.function.is_none() && !unsure && !has_symbols(index) {
            lacks(FileKind::Pdb, FileShows::Function);
        }
    }
    missing
}

/// Whether a module's file has a name and an identifier by which it can be found.
fn can_be_found(module: &LoadedModule, kind: FileKind) -> bool {
    match kind {
        FileKind::Image => module.timestamp != 0 && module.size != 0,
        FileKind::Pdb => module.debug_id.is_some() && module.debug_file.is_some(),
    }
}

/// Adds the image whose code would show where the bad value came from, where the search for it ended because the dump does not
/// hold the code.
pub fn add_missing_code(process: &mut ProcessDump, symbols: Option<&Symbols>) {
    let Some(origin) = process.detail.origin.as_ref().filter(|origin| origin.end == OriginEnd::NoCode) else { return };
    let modules = process.modules.as_deref().unwrap_or_default();
    let Some(thread) = &mut process.thread else { return };
    let index = thread.frames.get(origin.frame).and_then(|frame| frame.module);
    let Some((index, module)) = index.and_then(|index| Some((index, modules.get(index)?))) else { return };
    let known = thread.missing.iter().any(|file| (file.module, file.kind) == (index, FileKind::Image));
    if known || !can_be_found(module, FileKind::Image) || symbols.is_some_and(|symbols| symbols.image(module).is_some())
    {
        return;
    }
    let file = MissingFile { module: index, kind: FileKind::Image, shows: FileShows::Code, frame: origin.frame };
    let at = thread.missing.partition_point(|known| known.frame < file.frame);
    thread.missing.insert(at, file);
    thread.missing.truncate(MOST);
}
