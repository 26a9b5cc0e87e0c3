//! Symbols and images from outside of a dump: what `--symbols` gives.
//!
//! A folder may be flat, or a symbol store: `NAME/ID/FILE`, the ID of an image being its time stamp and size
//! (`ntdll.dll/59B0D8F31E0000/ntdll.dll`), that of a `.sym` file the debug file's identifier
//! (`ntdll.pdb/AF6E…1/ntdll.sym`). Names are compared without regard to case, as Windows does, also where the file
//! system does not.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use minidump::Module;
use minidump_unwind::SymbolFile;

use super::image::ImageFile;
use crate::evidence::{LoadedModule, base_name};

/// Largest `.sym` file that is read, bytes: that of the largest browser's library is about half as large.
const LARGEST_SYM: u64 = 2 << 30;

/// Where symbols are looked for.
#[derive(Default)]
pub struct Symbols {
    places: Vec<Place>,
    /// What was found of each debug file; `None` for nothing. Loaded once a run: many dumps have the same modules.
    loaded: Mutex<HashMap<DebugFile, Option<Arc<SymbolFile>>>>,
}

/// A debug file's name and identifier.
type DebugFile = (String, String);

/// A folder, or a single file: what is directly in it, by name in lower case.
type Place = HashMap<String, PathBuf>;

impl Symbols {
    /// Looks in folders, and at single files.
    ///
    /// # Errors
    /// When a path does not exist or can't be listed.
    pub fn at(paths: &[PathBuf]) -> Result<Self, (PathBuf, io::Error)> {
        let place = |path: &PathBuf| listed(path).map_err(|error| (path.clone(), error));
        Ok(Self { places: paths.iter().map(place).collect::<Result<_, _>>()?, loaded: Mutex::default() })
    }

    /// The image of a module, if there is a file of its name; whether it is the same build the header tells.
    pub fn image(&self, module: &LoadedModule) -> Option<ImageFile> {
        let id = format!("{:08X}{:x}", module.timestamp, module.size);
        self.find(&module.name, &id, &module.name).find_map(|path| ImageFile::open(&path))
    }

    /// The `.sym` file of a module.
    pub fn sym(&self, module: &dyn Module) -> Option<Arc<SymbolFile>> {
        if self.places.is_empty() {
            return None;
        }
        let id = module.debug_identifier()?.breakpad().to_string();
        let debug_file = module.debug_file().filter(|name| !name.is_empty());
        let debug_file = base_name(&debug_file.unwrap_or_else(|| module.code_file())).to_owned();
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.entry((debug_file, id)).or_insert_with_key(|(name, id)| self.load(name, id)).clone()
    }

    fn load(&self, debug_file: &str, id: &str) -> Option<Arc<SymbolFile>> {
        let stem = debug_file.get(..debug_file.len().saturating_sub(4)).filter(|stem| {
            // The file is named after the debug file, with `.sym` in the place of `.pdb`.
            debug_file.get(stem.len()..).is_some_and(|end| end.eq_ignore_ascii_case(".pdb"))
        });
        let file = format!("{}.sym", stem.unwrap_or(debug_file));
        self.find(debug_file, id, &file).find_map(|path| {
            let about = fs::metadata(&path).ok()?;
            if !about.is_file() || about.len() > LARGEST_SYM {
                return None;
            }
            let symbols = SymbolFile::from_file(&path).ok()?;
            symbols.module_id.eq_ignore_ascii_case(id).then(|| Arc::new(symbols))
        })
    }

    /// The files that may be the one that is looked for: `name/id/file` and `file`, in each place.
    fn find<'s>(&'s self, name: &'s str, id: &'s str, file: &'s str) -> impl Iterator<Item = PathBuf> + 's {
        self.places.iter().flat_map(move |place| {
            let stored = place.get(&name.to_lowercase()).filter(|path| path.is_dir());
            let stored = stored.and_then(|folder| entry(&entry(folder, id)?, file));
            let flat = place.get(&file.to_lowercase()).filter(|path| path.is_file()).cloned();
            [stored, flat].into_iter().flatten()
        })
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbols").field("places", &self.places.len()).finish_non_exhaustive()
    }
}

fn listed(path: &Path) -> io::Result<Place> {
    let named = |path: PathBuf| Some((path.file_name()?.to_str()?.to_lowercase(), path));
    if path.is_file() {
        return Ok(named(path.to_owned()).into_iter().collect());
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    // Of names that differ in case only the last one stays, the same one in every run.
    entries.sort_unstable();
    Ok(entries.into_iter().filter_map(named).collect())
}

/// The entry of a folder by its name.
fn entry(folder: &Path, name: &str) -> Option<PathBuf> {
    let exact = folder.join(name);
    if exact.exists() {
        return Some(exact);
    }
    let same = |path: &PathBuf| path.file_name().is_some_and(|other| other.eq_ignore_ascii_case(name));
    fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).filter(same).min()
}
