//! Broken promises, and the folder in which their inputs are.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::{Path, PathBuf};

use crate::Target;

thread_local! {
    static PANIC: RefCell<Option<Finding>> = const { RefCell::new(None) };
}

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where: the place of the panic in the source, or the limit that was exceeded. Findings at one place are one.
    pub place: String,
    /// The message.
    pub message: String,
}

impl Finding {
    /// A finding at `place`.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

/// Remembers panics instead of printing them.
pub(super) fn remember_panics() {
    panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or_default().to_owned();
        // The first of several is the cause.
        PANIC.with_borrow_mut(|panic| {
            panic.get_or_insert(Finding { place, message });
        });
    }));
}

/// Packages that panic on damaged files, which their callers expect and turn into an error of one file: a part of the path of
/// their sources.
const EXPECTED: [&str; 1] = ["/cab-"];

/// Runs a target. A panic is a finding even where the reader's caller caught it, unless it is an expected one.
pub(super) fn caught(target: &Target, input: &[u8]) -> Result<u64, Finding> {
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input).hash()));
    let panic = PANIC.with_borrow_mut(Option::take);
    match (panic, outcome) {
        (Some(panic), Ok(shape)) if EXPECTED.iter().any(|package| panic.place.contains(package)) => Ok(shape),
        (Some(panic), _) => Err(panic),
        (None, Ok(shape)) => Ok(shape),
        (None, Err(_)) => Err(Finding::new("another thread", "a panic in another thread")),
    }
}

/// The findings of a run.
#[derive(Debug)]
pub struct Findings {
    folder: PathBuf,
    /// The length of the shortest input by target and place.
    shortest: BTreeMap<(String, String), usize>,
}

impl Findings {
    /// Findings whose inputs go into a folder, which is made when there is one.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), shortest: BTreeMap::new() }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shortest.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shortest.is_empty()
    }

    /// Adds a finding. Returns the path of its input; `None` where a shorter one is there.
    ///
    /// # Errors
    /// When the folder can't be written to.
    pub fn add(&mut self, target: &str, input: &[u8], finding: &Finding) -> io::Result<Option<PathBuf>> {
        let shortest = self.shortest.entry((target.to_owned(), finding.place.clone())).or_insert(usize::MAX);
        if input.len() >= *shortest {
            return Ok(None);
        }
        *shortest = input.len();
        let hash = xxhash_rust::xxh3::xxh3_64(finding.place.as_bytes());
        let path = self.folder.join(format!("{target}-{hash:016x}"));
        fs::create_dir_all(&self.folder)?;
        fs::write(&path, input)?;
        let text = format!(
            "{}: {}\ncargo run -p fuzz -- {target} --input {}\n",
            finding.place,
            finding.message,
            path.display()
        );
        fs::write(path.with_extension("txt"), text)?;
        Ok(Some(path))
    }
}
