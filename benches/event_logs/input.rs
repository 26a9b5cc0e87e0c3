//! The measured logs: real chunks, copied until there are enough.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::chunk::{CHUNK_BYTES, Chunk, Kind};
use super::wanted;

/// Increased when the logs are generated in another way, so that kept ones are generated anew.
const WAY: u32 = 1;
/// Size of a log's header, bytes.
const FILE_HEADER_BYTES: usize = 4096;
/// Chunks of a log of 20 MiB, the default size of the main logs.
const LOG_CHUNKS: u64 = (20 << 20) / CHUNK_BYTES as u64 - 1;
/// Chunks of the large log: the most that a log's header can count, 4 GiB less one chunk.
const LARGE_CHUNKS: u64 = 65_535;
/// The size of the Security logs, MiB, for which the numbers of [`Which::bytes`] are given.
const FULL_SIZE: u64 = 512;
/// The space that must stay free on the disk, bytes.
const LEAVE_FREE: u64 = 2 << 30;

/// A set of logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Logs of 20 MiB with chunks of Security logs.
    Security,
    /// Logs of 20 MiB with chunks of System logs.
    System,
    /// Logs of 20 MiB, of each kind in proportion to its chunks in the corpus.
    Mixed,
    /// Logs of one chunk, of all kinds.
    Small,
    /// One log, of all kinds.
    Large,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::System => "system",
            Self::Mixed => "mixed",
            Self::Small => "small",
            Self::Large => "large",
        }
    }

    /// The chunks of each of its logs (`None`: all kinds), and their number. `mib` is the size of the Security logs.
    fn plan(self, chunks: &[Chunk], mib: u64) -> Vec<(Option<Kind>, u64)> {
        let part = |of: u64| of.saturating_mul(mib).checked_div(FULL_SIZE).unwrap_or(0).max(1);
        let logs = |mib: u64| mib.div_ceil(20);
        match self {
            Self::Security => (0..logs(mib)).map(|_| (Some(Kind::Security), LOG_CHUNKS)).collect(),
            Self::System => (0..logs(mib)).map(|_| (Some(Kind::System), LOG_CHUNKS)).collect(),
            Self::Mixed => {
                let of = |kind: Kind| chunks.iter().filter(|chunk| chunk.kind == kind).count() as f64;
                let share = |kind: Kind| of(kind) / chunks.len() as f64;
                let wanted = |kind: Kind| (share(kind) * logs(part(1100)) as f64).round().max(1.0) as usize;
                let of_kind = |kind: Kind| std::iter::repeat_n((Some(kind), LOG_CHUNKS), wanted(kind));
                Kind::ALL.into_iter().filter(|kind| of(*kind) > 0.0).flat_map(of_kind).collect()
            }
            Self::Small => (0..part(10_000)).map(|_| (None, 1)).collect(),
            Self::Large => vec![(None, part(LARGE_CHUNKS).min(LARGE_CHUNKS))],
        }
    }
}

/// A set of logs on the disk, with its wanted records.
#[derive(Debug, Serialize, Deserialize)]
pub struct Input {
    way: u32,
    mib: u64,
    folder: PathBuf,
    logs: Vec<String>,
    pub bytes: u64,
    chunks: u64,
    /// Number of distinct chunks.
    distinct: usize,
    pub records: u64,
    /// The ids of the wanted records, which are unique in the set, by provider and event id.
    wanted: BTreeMap<String, BTreeSet<u64>>,
}

impl Input {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The paths of the logs.
    pub fn logs(&self) -> Vec<PathBuf> {
        self.logs.iter().map(|log| self.folder.join(log)).collect()
    }

    /// Whether a record is wanted.
    pub fn is_wanted(&self, record: u64) -> bool {
        self.wanted.values().any(|records| records.contains(&record))
    }

    /// How many records are wanted.
    pub fn wanted(&self) -> usize {
        self.wanted.values().map(BTreeSet::len).sum()
    }

    fn is_whole(&self) -> bool {
        let sizes = self.logs().into_iter().map(|log| fs::metadata(log).map_or(0, |about| about.len()));
        sizes.sum::<u64>() == self.bytes
    }

    /// A description of the set, in lines.
    fn describe(&self, name: &str) -> String {
        let mut counts = BTreeMap::<&str, usize>::new();
        for log in &self.logs {
            let kind = log.split('-').next().unwrap_or(log);
            counts.entry(kind).and_modify(|count| *count = count.saturating_add(1)).or_insert(1);
        }
        let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let mut text = format!(
            "{name}: {} logs ({}), {} MiB, {} chunks ({} distinct), {} records, {} of them wanted",
            self.logs.len(),
            kinds.join(", "),
            self.bytes >> 20,
            self.chunks,
            self.distinct,
            self.records,
            self.wanted()
        );
        for (event, records) in &self.wanted {
            text.push_str(&format!("\n  {event}: {}", records.len()));
        }
        text
    }
}

/// The folder of the sets, and the chunks from which they are generated.
#[derive(Debug)]
pub struct Inputs {
    folder: PathBuf,
    /// Removes the folder at the end, unless it is kept.
    _temporary: Option<tempfile::TempDir>,
    mib: u64,
    chunks: OnceCell<Vec<Chunk>>,
    described: std::cell::RefCell<HashSet<&'static str>>,
}

impl Inputs {
    pub fn new(kept: Option<OsString>, mib: u64) -> Result<Self, String> {
        let temporary = match kept {
            Some(_) => None,
            None => Some(tempfile::tempdir().map_err(|error| error.to_string())?),
        };
        let folder = match (&kept, &temporary) {
            (Some(kept), _) => std::path::absolute(kept).map_err(|error| error.to_string())?,
            (None, Some(temporary)) => temporary.path().to_owned(),
            (None, None) => return Err("there is no folder for the logs".to_owned()),
        };
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { folder, _temporary: temporary, mib, chunks: OnceCell::new(), described: Default::default() })
    }

    /// A set of logs; it is generated unless it was kept.
    pub fn get(&self, which: Which) -> Result<Input, String> {
        let name = which.name();
        let manifest = self.folder.join(format!("{name}.json"));
        let kept = fs::read(&manifest).ok().and_then(|text| serde_json::from_slice::<Input>(&text).ok());
        let input = match kept.filter(|kept| kept.way == WAY && kept.mib == self.mib && kept.is_whole()) {
            Some(kept) => kept,
            None => {
                let input = self.make(which).map_err(|error| format!("the {name} logs can't be made: {error}"))?;
                let text = serde_json::to_vec(&input).map_err(|error| error.to_string())?;
                fs::write(&manifest, text).map_err(|error| error.to_string())?;
                input
            }
        };
        if self.described.borrow_mut().insert(name) {
            println!("\n{}", input.describe(name));
        } else {
            println!("\n{name}: as above");
        }
        Ok(input)
    }

    /// An empty folder of this name.
    pub fn empty_folder(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        Ok(folder)
    }

    fn make(&self, which: Which) -> Result<Input, String> {
        if self.chunks.get().is_none() {
            let corpus = std::env::var_os("CRASHSIFT_CORPUS").ok_or("CRASHSIFT_CORPUS is not set")?;
            let chunks = corpus_chunks(Path::new(&corpus))?;
            let _ = self.chunks.set(chunks);
        }
        let chunks = self.chunks.get().map(Vec::as_slice).unwrap_or_default();
        let plan = which.plan(chunks, self.mib);
        let folder = self.empty_folder(which.name())?;
        let needed = plan.iter().map(|(_, count)| count.saturating_mul(CHUNK_BYTES as u64)).sum();
        check_free_space(&folder, needed)?;
        let input = Input {
            way: WAY,
            mib: self.mib,
            folder,
            logs: Vec::new(),
            bytes: 0,
            chunks: 0,
            distinct: 0,
            records: 0,
            wanted: BTreeMap::new(),
        };
        Maker { input, sources: Vec::new() }.make(chunks, &plan)
    }
}

/// The nearly full chunks of all logs below `corpus`, each once.
fn corpus_chunks(corpus: &Path) -> Result<Vec<Chunk>, String> {
    let mut seen = HashSet::new();
    let mut chunks = Vec::new();
    for entry in walkdir::WalkDir::new(corpus).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        if !entry.path().extension().is_some_and(|extension| extension.eq_ignore_ascii_case("evtx")) {
            continue;
        }
        let mut file = File::open(entry.path()).map_err(|error| error.to_string())?;
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(|error| error.to_string())?;
        let places = content.get(FILE_HEADER_BYTES..).unwrap_or_default().chunks_exact(CHUNK_BYTES);
        let new = places.filter(|place| seen.insert(xxh3_128(place)));
        chunks.extend(new.filter_map(|place| Chunk::read(place.to_vec())));
    }
    if chunks.is_empty() { Err("no log in CRASHSIFT_CORPUS has a full chunk".to_owned()) } else { Ok(chunks) }
}

/// Writes the logs of a set.
struct Maker<'c> {
    input: Input,
    /// The chunks of each kind.
    sources: Vec<Source<'c>>,
}

/// Chunks that are used in turn, again and again.
struct Source<'c> {
    kind: Option<Kind>,
    chunks: Vec<&'c Chunk>,
    taken: u64,
}

impl<'c> Maker<'c> {
    fn make(mut self, chunks: &'c [Chunk], plan: &[(Option<Kind>, u64)]) -> Result<Input, String> {
        for (kind, _) in plan {
            if !self.sources.iter().any(|source| source.kind == *kind) {
                let is_of = |chunk: &&Chunk| kind.is_none_or(|kind| chunk.kind == kind);
                self.sources.push(Source { kind: *kind, chunks: chunks.iter().filter(is_of).collect(), taken: 0 });
            }
        }
        for (number, (kind, count)) in plan.iter().enumerate() {
            let log = format!("{}-{number:05}.evtx", kind.map_or("All", Kind::name));
            self.write(&log, *kind, *count).map_err(|error| error.to_string())?;
            self.input.logs.push(log);
        }
        self.input.distinct =
            self.sources.iter().map(|source| source.chunks.len().min(source.taken.try_into().unwrap_or(0))).sum();
        Ok(self.input)
    }

    /// Writes a log of `count` chunks of `kind`. Its record ids continue those of the log before.
    fn write(&mut self, log: &str, kind: Option<Kind>, count: u64) -> std::io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(self.input.folder.join(log))?);
        file.write_all(&[0; FILE_HEADER_BYTES])?;
        for _ in 0..count {
            let copy = self.next_chunk(kind).map_err(std::io::Error::other)?;
            file.write_all(&copy)?;
        }
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&file_header(count, self.next_id()))?;
        file.flush()?;
        let bytes = (CHUNK_BYTES as u64).saturating_mul(count).saturating_add(FILE_HEADER_BYTES as u64);
        self.input.bytes = self.input.bytes.saturating_add(bytes);
        self.input.chunks = self.input.chunks.saturating_add(count);
        Ok(())
    }

    /// The next chunk of `kind`. Its wanted records are found by decoding the copy.
    fn next_chunk(&mut self, kind: Option<Kind>) -> Result<Vec<u8>, String> {
        let first_id = self.next_id();
        let source = self.sources.iter_mut().find(|source| source.kind == kind).ok_or("no such chunks are known")?;
        let (chunk, number) = source.next().ok_or_else(|| format!("the corpus has no chunk of kind {kind:?}"))?;
        let copy = chunk.copy(number, first_id).ok_or("a chunk can't be copied")?;
        let content = wanted::content(copy.clone())?;
        if !chunk.is_like(&content) {
            return Err(format!("a copy differs from its chunk: {content:?}"));
        }
        self.input.records = self.input.records.saturating_add(content.records);
        for (record, event) in content.wanted {
            self.input.wanted.entry(event).or_default().insert(record);
        }
        Ok(copy)
    }

    fn next_id(&self) -> u64 {
        self.input.records.saturating_add(1)
    }
}

impl<'c> Source<'c> {
    /// The next chunk, and how often it was used before.
    fn next(&mut self) -> Option<(&'c Chunk, u64)> {
        let count = u64::try_from(self.chunks.len()).ok()?;
        let chunk = self.chunks.get(usize::try_from(self.taken.checked_rem(count)?).ok()?)?;
        let number = self.taken.checked_div(count)?;
        self.taken = self.taken.saturating_add(1);
        Some((chunk, number))
    }
}

/// The header of a log that was closed.
///
/// Source: libevtx's documentation of the Windows XML Event Log format.
fn file_header(chunks: u64, next_id: u64) -> Vec<u8> {
    let mut header = Vec::with_capacity(FILE_HEADER_BYTES);
    header.extend(b"ElfFile\0");
    // First and last chunk, id of the next record.
    header.extend([0, chunks.saturating_sub(1), next_id].into_iter().flat_map(u64::to_le_bytes));
    header.extend(128_u32.to_le_bytes());
    // Version 3.1, size of the header's block, number of chunks.
    let chunks = u16::try_from(chunks).unwrap_or(u16::MAX);
    header.extend([1, 3, 4096, chunks].into_iter().flat_map(u16::to_le_bytes));
    header.resize(120, 0);
    let checksum = crc32fast::hash(&header);
    header.extend([0, checksum].into_iter().flat_map(u32::to_le_bytes));
    header.resize(FILE_HEADER_BYTES, 0);
    header
}

/// Fails when the disk of `folder` has less free space than `bytes`.
#[cfg(unix)]
fn check_free_space(folder: &Path, bytes: u64) -> Result<(), String> {
    let disk = nix::sys::statvfs::statvfs(folder).map_err(|error| error.to_string())?;
    #[allow(clippy::useless_conversion, reason = "the numbers' types differ among systems")]
    let free = u64::from(disk.blocks_available()).saturating_mul(u64::from(disk.fragment_size()));
    let needed = bytes.saturating_add(LEAVE_FREE);
    if free < needed {
        return Err(format!("{} MiB are free at {}, but {} are needed", free >> 20, folder.display(), needed >> 20));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_free_space(_: &Path, _: u64) -> Result<(), String> {
    Ok(())
}
