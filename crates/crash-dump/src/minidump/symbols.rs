//! Symbols and images from outside of a dump: what `--symbols` gives.
//!
//! A folder may be flat, or a symbol store: `NAME/ID/FILE`, the ID of an image being its time stamp and size
//! (`ntdll.dll/59B0D8F31E0000/ntdll.dll`), that of a PDB and of a `.sym` file the debug file's identifier
//! (`ntdll.pdb/AF6E…1/ntdll.pdb`, `ntdll.pdb/AF6E…1/ntdll.sym`). Names are compared without regard to case, as Windows does, also where the file
//! system does not. Every file of the right name is a candidate; the identifier in it decides.

mod compressed;
mod module_symbols;
mod pdb;
mod source;
mod sym_file;
mod sym_lines;
mod unusable;

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Cursor};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use minidump::Module;

pub use self::module_symbols::{ModuleSymbols, parameter_size};
pub use self::source::CodeSource;

use self::compressed::{compressed_name, unpack};
use self::pdb::Pdb;
use self::unusable::UnusableFile;
use super::debug_id;
use super::image::{Image, ImageFile};
use evidence::{DebugId, LoadedModule, base_name};
use untrusted::display_path;

/// Where symbols are looked for.
#[derive(Debug, Default)]
pub struct Symbols {
    places: Vec<Listing>,
    /// What was found of each debug file. Loaded once a run: many dumps have the same modules.
    loaded: Mutex<HashMap<DebugFile, Loaded>>,
    /// Files that could not be used.
    notes: Mutex<BTreeSet<String>>,
}

/// A debug file's name and identifier.
type DebugFile = (String, DebugId);

/// What was found of a debug file, once it was looked for; `None` for nothing.
type Loaded = Arc<OnceLock<Option<Arc<ModuleSymbols>>>>;

/// As many bytes of all symbols as stay loaded. Beyond it what was loaded before is let go, and read again when a
/// dump asks for it: that costs time and changes no answer.
const MOST_LOADED: u64 = 512 << 20;

/// A folder, or a single file: what is directly in it, by name in lower case.
type Listing = HashMap<String, Vec<PathBuf>>;

/// A folder or file of symbols that can't be opened.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .path.display())]
pub struct SymbolsError {
    /// The folder or file.
    pub path: PathBuf,
    /// Why, as the system reports it.
    pub error: io::Error,
}

impl Symbols {
    /// Opens folders of symbols and images, and single files.
    ///
    /// # Errors
    /// When a path does not exist or can't be listed.
    pub fn open(paths: &[PathBuf]) -> Result<Self, SymbolsError> {
        let place = |path: &PathBuf| list_files(path).map_err(|error| SymbolsError { path: path.clone(), error });
        Ok(Self { places: paths.iter().map(place).collect::<Result<_, _>>()?, ..Self::default() })
    }

    /// A sentence for each file that has the name of a module of a dump and could not be used, with the reason, sorted.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The image of a module: the first file of its name that is of the same build.
    pub(super) fn image(&self, module: &LoadedModule) -> Option<Image> {
        let id = module.image_id();
        self.first_usable(self.candidates(&module.name, &id, &module.name), |path| {
            let image = ImageFile::open(path).and_then(|file| Image::in_file(module, file));
            image.ok_or(UnusableFile::NoImage)
        })
    }

    /// The symbols of a module: its PDB and its `.sym` file.
    pub fn of_module(&self, module: &dyn Module) -> Option<Arc<ModuleSymbols>> {
        if self.places.is_empty() {
            return None;
        }
        let id = debug_id(module)?;
        let debug_file = module.debug_file().filter(|name| !name.is_empty());
        let debug_file = base_name(&debug_file.unwrap_or_else(|| module.code_file())).to_owned();
        let loaded = {
            let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(loaded.entry((debug_file.clone(), id)).or_default())
        };
        let found = loaded.get_or_init(|| self.load(&debug_file, &id)).clone()?;
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        release(&mut loaded, &(debug_file, id), MOST_LOADED);
        Some(found)
    }

    fn load(&self, debug_file: &str, id: &DebugId) -> Option<Arc<ModuleSymbols>> {
        let stem = debug_file.get(..debug_file.len().saturating_sub(4)).filter(|stem| {
            // The `.sym` file is named after the debug file, with `.sym` in the place of `.pdb`.
            debug_file.get(stem.len()..).is_some_and(|end| end.eq_ignore_ascii_case(".pdb"))
        });
        let stored = id.to_string();
        let pdb = stem.and_then(|_| self.pdb(debug_file, id, &stored));
        let file = format!("{}.sym", stem.unwrap_or(debug_file));
        let sym = self.first_usable(self.candidates(debug_file, &stored, &file), |path| sym_file::read(path, &stored));
        (pdb.is_some() || sym.is_some()).then(|| Arc::new(ModuleSymbols::new(pdb, sym)))
    }

    fn pdb(&self, debug_file: &str, id: &DebugId, stored: &str) -> Option<Pdb> {
        let compressed = compressed_name(debug_file);
        let plain = self.candidates(debug_file, stored, debug_file);
        let packed = compressed.iter().flat_map(|file| self.candidates(debug_file, stored, file));
        self.first_usable(plain.chain(packed), |path| {
            let (file, length) = open_file(path)?;
            if !path.as_os_str().as_encoded_bytes().ends_with(b"_") {
                return Pdb::open(Box::new(file), length, id);
            }
            let content = unpack(file)?;
            let length = content.len() as u64;
            Pdb::open(Box::new(Cursor::new(content)), length, id)
        })
    }

    /// What `read` makes of the first file that it can use. Where it can use none, all are noted with the reason.
    fn first_usable<T>(
        &self,
        candidates: impl Iterator<Item = PathBuf>,
        read: impl Fn(&Path) -> Result<T, UnusableFile>,
    ) -> Option<T> {
        let mut refused = Vec::new();
        for path in candidates {
            match read(&path) {
                Ok(usable) => return Some(usable),
                Err(reason) => refused.push(format!("--symbols {}: not used: {reason}", display_path(&path))),
            }
        }
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).extend(refused);
        None
    }

    /// The files that may be the one that is looked for: `name/id/file` and `file`, in each place.
    fn candidates<'s>(&'s self, name: &'s str, id: &'s str, file: &'s str) -> impl Iterator<Item = PathBuf> + 's {
        self.places.iter().flat_map(move |place| {
            let at = |name: &str| place.get(&name.to_lowercase()).into_iter().flatten();
            let stored = at(name).filter(|path| path.is_dir());
            let stored = stored.flat_map(|folder| entries(folder, id)).flat_map(|folder| entries(&folder, file));
            stored.chain(at(file).filter(|path| path.is_file()).cloned())
        })
    }
}

/// Lets go of all loaded files but `asked`, if together they are more than `most` bytes. That a file was not found, or can't
/// be used, stays known.
fn release(loaded: &mut HashMap<DebugFile, Loaded>, asked: &DebugFile, most: u64) {
    let kept = |loaded: &Loaded| loaded.get().and_then(Option::as_ref).map_or(0, |found| found.kept());
    if loaded.values().map(kept).fold(0, u64::saturating_add) > most {
        loaded.retain(|file, loaded| file == asked || kept(loaded) == 0);
    }
}

/// Opens a file, and how many bytes it has.
fn open_file(path: &Path) -> Result<(File, u64), UnusableFile> {
    let (file, about) = opener::open_with_metadata(path).map_err(|error| match opener::Refusal::of(&error) {
        Some(_) => UnusableFile::NoFile,
        None => error.into(),
    })?;
    Ok((file, about.len()))
}

/// What is directly in a folder, or a single file.
fn list_files(path: &Path) -> io::Result<Listing> {
    let mut entries: Vec<PathBuf> = if path.is_file() {
        vec![path.to_owned()]
    } else {
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?
    };
    entries.sort_unstable();
    let mut place = Listing::new();
    for entry in entries {
        if let Some(name) = entry.file_name().and_then(|name| name.to_str()).map(str::to_lowercase) {
            place.entry(name).or_default().push(entry);
        }
    }
    Ok(place)
}

/// The entries of a folder by a name, in any case: first the one that is written so, and then, if that was not it, the
/// others in their order.
fn entries(folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let exact = Some(folder.join(name)).filter(|path| path.exists());
    let (folder, name, found) = (folder.to_owned(), name.to_owned(), exact.clone());
    let others = iter::once_with(move || {
        let same = |path: &PathBuf| path.file_name().is_some_and(|other| other.eq_ignore_ascii_case(&name));
        let listed = fs::read_dir(&folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let mut others: Vec<PathBuf> = listed.filter(same).filter(|path| Some(path) != found.as_ref()).collect();
        others.sort_unstable();
        others
    });
    exact.into_iter().chain(others.flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_loaded_is_bounded_in_total() {
        let id = DebugId { signature: evidence::DebugSignature::Guid([1; 16]), age: 1 };
        let file = |name: &str| (name.to_owned(), id);
        let found = |kept| Arc::new(OnceLock::from(Some(Arc::new(ModuleSymbols::of_size(kept)))));
        let missing: Loaded = Arc::new(OnceLock::from(None));
        let mut loaded: HashMap<DebugFile, Loaded> =
            [(file("a"), found(60)), (file("b"), found(30)), (file("c"), missing)].into();
        release(&mut loaded, &file("b"), 90);
        assert_eq!(loaded.len(), 3, "no more than is allowed");
        release(&mut loaded, &file("b"), 89);
        let mut left: Vec<&str> = loaded.keys().map(|(name, _)| name.as_str()).collect();
        left.sort_unstable();
        assert_eq!(left, ["b", "c"]);
    }

    #[test]
    fn all_files_that_may_be_it_are_found_in_all_layouts() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["App.PDB/AB1/App.sym", "app.pdb/ab1/APP.SYM", "app.pdb/CD1/app.sym", "app.sym", "other.sym"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        let symbols = Symbols::open(&[folder.path().to_owned()]).expect("a folder");
        let found: Vec<String> = symbols
            .candidates("app.pdb", "AB1", "app.sym")
            .map(|path| path.strip_prefix(folder.path()).expect("below").to_string_lossy().replace('\\', "/"))
            .collect();
        // Where the file system does not tell case, the first two folders are one.
        #[cfg(target_os = "linux")]
        assert_eq!(found, ["App.PDB/AB1/App.sym", "app.pdb/ab1/APP.SYM", "app.sym"]);
        assert_eq!(found.last().map(String::as_str), Some("app.sym"));
        assert!(found.iter().all(|path| !path.contains("CD1") && !path.contains("other")), "{found:?}");
    }
}
