//! Randomly damaged chunks: the scan never panics, finds at least the wanted records that the `evtx` crate finds, and
//! gives the same values for records that both read.
//!
//! A thread keeps its knowledge of templates and providers from chunk to chunk. Half of the mutants are logs of three
//! chunks with the same layout. Every second of these is read by two threads: one has read the preceding mutants of its
//! batch, the other the following ones. Some batches are read as one log by one thread and by two. All must give the
//! same result.
//!
//! Every mutant is generated from its number alone. A failure prints this number and that of the batch.

use std::collections::BTreeMap;
use std::env;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use evtx_scan::Selection;
use rayon::{ThreadPool, ThreadPoolBuilder};
use samplekit::event_log::{CHUNK_BYTES, FILE_HEADER_BYTES};

use super::compared::{difference, is_catalogued};
use super::decoded::decode;
use super::logs::{
    self, chunk_header, chunk_range, file_header, kind, make_dirty, put, record_offsets, seal_chunk, seal_file, u32_at,
    u64_at,
};
use super::random::Random;
use super::record::{Bench, Field, Key, RecordValues, Scanned};

/// The number of mutants, unless `CRASHSIFT_MUTANTS` sets another.
const MUTANTS: u64 = 20_000;
/// The number of mutants that one thread reads in a row. Together they have more chunks than the 64 that a thread reads
/// of a log while others wait.
const BATCH: u64 = 100;
/// One of so many batches is also read as one log.
const TOGETHER: u64 = 16;
/// Chunks of the longer logs.
const CHUNKS: usize = 3;
/// The difference between the record ids of neighbouring chunks of a log.
const APART: u64 = 1 << 40;
/// Providers that are wanted with any event id, and one that is not wanted.
const PROVIDERS: [&str; 3] = ["nvlddmkm", "disk", "Chatter"];
/// Chunks of the corpus that are used beside the written ones.
const CORPUS_CHUNKS: usize = 96;
/// The most records of a chunk: 64 KiB without its header, in the smallest possible records (28 bytes).
const MOST_RECORDS: usize = (CHUNK_BYTES - chunk_header::END) / 28;
/// The greatest length of all texts of a chunk's records, bytes: several times the size of a chunk, because records
/// share their templates' texts.
const MOST_TEXT: usize = 16 * CHUNK_BYTES;
/// How many times the time of the undamaged log a mutant may take, beside what it takes to decode a chunk twice that is
/// filled to its end, in a debug build.
const SLOWER: u32 = 50;
const WHOLE_CHUNK: Duration = Duration::from_millis(500);

/// A chunk, and the places in it that are damaged.
struct Source {
    name: String,
    /// A log of the chunk alone.
    log: Vec<u8>,
    /// A log of several copies of it, with other ids.
    long: Vec<u8>,
    /// The records of each chunk of that log, decoded by the crate.
    decoded: [Vec<RecordValues>; CHUNKS],
    /// Where the records begin.
    records: Vec<usize>,
    /// Places of offsets to other parts, with their size in bytes.
    numbers: Vec<(usize, usize)>,
    /// Places of tables of values.
    tables: Vec<(usize, usize)>,
    /// Places of texts, with their size in UTF-16 units.
    texts: Vec<(usize, usize)>,
    /// The time that it takes to read it undamaged.
    took: Duration,
}

impl Source {
    fn new(name: String, log: Vec<u8>) -> Self {
        let chunk = &log[chunk_range(0)];
        let records = record_offsets(chunk);
        let free = (u32_at(chunk, chunk_header::FREE_SPACE) as usize).min(chunk.len());
        let mut numbers = vec![
            (chunk_header::FIRST_ID, 8),
            (chunk_header::LAST_ID, 8),
            (chunk_header::LAST_NUMBER, 8),
            (chunk_header::LAST_RECORD, 4),
            (chunk_header::FREE_SPACE, 4),
            (chunk_header::FLAGS, 4),
        ];
        let mut tables = Vec::new();
        for offset in &records {
            // Size, id and time; size again.
            numbers.extend([(offset + 4, 4), (offset + 8, 8), (offset + 16, 8)]);
            let end = offset + u32_at(chunk, offset + 4) as usize;
            if end <= chunk.len() {
                numbers.push((end - 4, 4));
            }
            // Stream header, token, version and id of the template, then where its definition is.
            if end > offset + 42 && chunk[offset + 28] == 0x0C {
                let reference = offset + 24 + 10;
                numbers.push((reference, 4));
                let definition = u32_at(chunk, reference) as usize;
                let mut table = reference + 4;
                if definition == table && definition + 24 < free {
                    numbers.push((definition + 20, 4));
                    table = definition + 24 + u32_at(chunk, definition + 20) as usize;
                }
                if table + 4 < end {
                    numbers.push((table, 4));
                    let count = u32_at(chunk, table) as usize;
                    if table + 4 + count * 4 <= end {
                        tables.push((table + 4, count));
                    }
                }
            }
        }
        // Names are referred to by their offsets, which are known from the table of names and the lists behind it.
        let mut names = Vec::new();
        for bucket in 0..64 {
            let mut name = u32_at(chunk, chunk_header::NAMES + bucket * 4) as usize;
            while (chunk_header::END..free).contains(&name) && !names.contains(&name) {
                names.push(name);
                name = u32_at(chunk, name) as usize;
            }
        }
        for at in chunk_header::END..free.saturating_sub(4) {
            if names.contains(&(u32_at(chunk, at) as usize)) {
                numbers.push((at, 4));
            }
        }
        numbers.extend(
            (0..96).map(|bucket| (chunk_header::NAMES + bucket * 4, 4)).filter(|(at, _)| u32_at(chunk, *at) != 0),
        );
        let texts = texts(chunk, free, &tables);
        let long = repeated(&log);
        let decoded = std::array::from_fn(|number| decode(&long[chunk_range(number)], None).records);
        let took = fastest(&log, &Selection::everything());
        Self { name, log, long, decoded, records, numbers, tables, texts, took }
    }

    /// The mutant with this number.
    fn mutant(&self, number: u64) -> Vec<u8> {
        let mut random = Random::new(number);
        let (mut log, damaged) = match random.below(4) {
            0 | 1 => (self.log.clone(), 0..1),
            2 => (self.long.clone(), 1..2),
            _ => (self.long.clone(), 1..CHUNKS),
        };
        if random.one_in(4) {
            make_dirty(&mut log);
        }
        for number in damaged {
            let chunk = &mut log[chunk_range(number)];
            for _ in 0..=random.below(3) {
                self.damage(chunk, &mut random);
            }
            if random.one_in(2) {
                seal_chunk(chunk);
            }
        }
        if random.one_in(16) {
            let last = log.len() - CHUNK_BYTES;
            log.truncate(last + random.below(self.end() + 64));
        }
        log
    }

    /// The records that the crate finds in a mutant.
    fn expected(&self, log: &[u8]) -> Vec<RecordValues> {
        let chunks = log.get(FILE_HEADER_BYTES..).unwrap_or_default().chunks(CHUNK_BYTES);
        let decode = |(number, chunk): (usize, &[u8])| {
            if chunk == &self.long[chunk_range(number)] {
                self.decoded[number].clone()
            } else {
                decode(chunk, None).records
            }
        };
        chunks.enumerate().flat_map(decode).collect()
    }

    /// Where the records end.
    fn end(&self) -> usize {
        let free = u32_at(&self.log[chunk_range(0)], chunk_header::FREE_SPACE) as usize;
        free.clamp(chunk_header::END, CHUNK_BYTES)
    }

    fn damage(&self, chunk: &mut [u8], random: &mut Random) {
        let end = (self.end() + 64).min(chunk.len());
        let place = |random: &mut Random| chunk_header::END + random.below(end - chunk_header::END);
        match random.below(22) {
            0..=5 => {
                for _ in 0..=random.below(24) {
                    chunk[place(random)] = random.next() as u8;
                }
            }
            6..=10 => {
                for _ in 0..=random.below(3) {
                    let Some((at, size)) = random.pick(&self.numbers).copied() else { continue };
                    let old = if size == 8 { u64_at(chunk, at) } else { u64::from(u32_at(chunk, at)) };
                    let mut new = random.number(old);
                    if random.one_in(3)
                        && let Some((other, _)) = random.pick(&self.numbers)
                    {
                        new = u64::from(u32_at(chunk, *other));
                    }
                    put(chunk, at, &new.to_le_bytes()[..size]);
                }
            }
            // Sizes and types of values.
            11..=15 => {
                for _ in 0..=random.below(3) {
                    let Some((table, count)) = random.pick(&self.tables).copied() else { continue };
                    let at = table + 4 * random.below(count);
                    if random.one_in(2) {
                        let old = u32_at(chunk, at) & 0xFFFF;
                        put(chunk, at, &(random.number(old.into()) as u16).to_le_bytes());
                    } else {
                        let kinds =
                            [0, 1, 2, 4, 6, 8, 0x0A, 0x0D, 0x0E, 0x10, 0x11, 0x12, 0x13, 0x15, 0x21, 0x81, 0x93, 0xFF];
                        chunk[at + 2] = random.pick(&kinds).copied().unwrap_or_default();
                    }
                }
            }
            // Records at two places, or at a wrong place.
            16 => {
                if let (Some(from), Some(to)) = (random.pick(&self.records), random.pick(&self.records)) {
                    let size = (u32_at(&self.log[chunk_range(0)], from + 4) as usize).min(chunk.len() - from.max(to));
                    chunk.copy_within(*from..from + size, *to);
                }
            }
            17 => {
                let (from, size) = (place(random), random.below(512));
                let end = (from + size).min(chunk.len());
                chunk[from..end].fill(0);
            }
            // The halves of the records are swapped.
            18 => {
                let middle = (end - chunk_header::END) / 2;
                chunk[chunk_header::END..end].rotate_left(middle);
            }
            // Texts that continue behind their end, which is at the first NUL.
            19 | 20 => {
                for _ in 0..=random.below(3) {
                    let Some((at, units)) = random.pick(&self.texts).copied() else { continue };
                    let name = random.pick(&PROVIDERS).copied().unwrap_or_default();
                    let mut end = random.below(units);
                    if random.one_in(2) && name.len() < units {
                        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
                        put(chunk, at, &name);
                        end = name.len() / 2;
                    }
                    put(chunk, at + 2 * end, &[0, 0]);
                }
            }
            _ => match random.below(3) {
                0 => chunk[random.below(8)] ^= 1 << random.below(8),
                1 => {
                    let size = random.below(end - chunk_header::END);
                    chunk[chunk_header::END..end].rotate_right(size);
                }
                _ => {
                    for _ in 0..=random.below(24) {
                        chunk[random.below(chunk_header::END)] = random.next() as u8;
                    }
                }
            },
        }
    }
}

/// A log of several copies of the only chunk of `log`, with other record ids in each.
fn repeated(log: &[u8]) -> Vec<u8> {
    let chunk = &log[chunk_range(0)];
    let mut records = Vec::new();
    let mut next = chunk_header::END;
    // Including records that the header does not count.
    while next + 28 <= chunk.len() && chunk[next..].starts_with(b"**\0\0") {
        records.push(next + 8);
        next += (u32_at(chunk, next + 4) as usize).max(28);
    }
    let header = [chunk_header::FIRST_NUMBER, chunk_header::LAST_NUMBER, chunk_header::FIRST_ID, chunk_header::LAST_ID];
    let mut long = log.to_vec();
    for number in 1..CHUNKS {
        let mut chunk = chunk.to_vec();
        for at in header.iter().chain(&records) {
            let id = u64_at(&chunk, *at).wrapping_add(APART * number as u64);
            put(&mut chunk, *at, &id.to_le_bytes());
        }
        seal_chunk(&mut chunk);
        long.extend(chunk);
    }
    let last = u64_at(&long[chunk_range(CHUNKS - 1)], chunk_header::LAST_ID);
    put(&mut long, file_header::CHUNKS, &(CHUNKS as u16).to_le_bytes());
    put(&mut long, file_header::NEXT_RECORD, &last.wrapping_add(1).to_le_bytes());
    seal_file(&mut long);
    long
}

/// Places of texts, as values and in tokens, with their size in UTF-16 units.
fn texts(chunk: &[u8], free: usize, tables: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut texts = Vec::new();
    for (table, count) in tables {
        let mut value = table + 4 * count;
        for descriptor in (*table..value).step_by(4) {
            let size = (u32_at(chunk, descriptor) & 0xFFFF) as usize;
            if chunk[descriptor + 2] & !kind::ARRAY == kind::STRING && size >= 2 && value + size <= free {
                texts.push((value, size / 2));
            }
            value += size;
        }
    }
    // A token, perhaps with more values behind it, the type, and the number of units.
    for at in chunk_header::END..free.saturating_sub(4) {
        let units = usize::from(chunk[at + 2]);
        let end = at + 4 + 2 * units;
        if matches!(chunk[at..at + 2], [0x05 | 0x45, kind::STRING]) && units > 0 && chunk[at + 3] == 0 && end <= free {
            let is_ascii = |unit: &[u8]| unit[1] == 0 && (b' '..=b'~').contains(&unit[0]);
            if chunk[at + 4..end].chunks_exact(2).all(is_ascii) {
                texts.push((at + 4, units));
            }
        }
    }
    texts
}

/// The shortest time of several readings of a log.
fn fastest(log: &[u8], selection: &Selection) -> Duration {
    let mut bench = Bench::new();
    bench.put(log);
    let read = |_| {
        let start = Instant::now();
        drop(bench.scan_again(selection));
        start.elapsed()
    };
    (0..5).map(read).min().unwrap_or_default()
}

fn is_wanted(record: &RecordValues) -> bool {
    is_catalogued(record)
}

fn written_sources() -> Vec<Source> {
    logs::written().into_iter().map(|(name, log)| Source::new(name.to_owned(), log)).collect()
}

/// Some of the corpus' chunks with wanted records, spread over all of them.
fn corpus_sources() -> Vec<Source> {
    let mut bench = Bench::new();
    let mut chunks = Vec::new();
    for path in logs::corpus_logs() {
        let log = logs::content(&path);
        for (number, chunk) in log.get(FILE_HEADER_BYTES..).unwrap_or_default().chunks_exact(CHUNK_BYTES).enumerate() {
            let alone = [&log[..FILE_HEADER_BYTES], chunk].concat();
            if !bench.scan(&alone, &Selection::wanted(windows_events::catalogue::wanted())).known.is_empty() {
                chunks.push((format!("{}, chunk {number}", path.display()), alone));
            }
        }
    }
    let step = chunks.len().div_ceil(CORPUS_CHUNKS).max(1);
    chunks.into_iter().step_by(step).map(|(name, log)| Source::new(name, log)).collect()
}

/// The chunk that the mutant with this number is made from. Chunks of the corpus are full and take longer, so they are
/// used less often.
fn source_of<'s>(number: u64, written: &'s [Source], corpus: &'s [Source]) -> &'s Source {
    let (list, number) = match number % 12 {
        0 if !corpus.is_empty() => (corpus, number / 12),
        _ => (written, number),
    };
    &list[(number % list.len() as u64) as usize]
}

/// The totals over the mutants.
#[derive(Debug, Default)]
struct Outcome {
    mutants: u64,
    /// Wanted records that the crate found.
    expected: u64,
    /// Further wanted records that only the scan found.
    more: u64,
    /// Records with a time outside of the calendar. The scan gives the time of the record's header in its place; the
    /// crate writes the last four digits of the year, which can be any.
    retimed: u64,
    wrong: Vec<String>,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.mutants += other.mutants;
        self.expected += other.expected;
        self.more += other.more;
        self.retimed += other.retimed;
        self.wrong.extend(other.wrong);
    }
}

/// Whether the time is that of a record's header.
fn has_header_time(log: &[u8], record: &RecordValues) -> bool {
    let Some(time) = record.time else { return false };
    // 100 ns from 1601 to the Unix epoch.
    let filetime = time.as_nanosecond() / 100 + 116_444_736_000_000_000;
    let header = [record.id.to_le_bytes(), (filetime as u64).to_le_bytes()].concat();
    memchr::memmem::find(log, &header).is_some()
}

/// A record as in the crate's JSON: where damage gave two fields the same name, only the last value remains.
fn names_once(record: &RecordValues) -> RecordValues {
    let mut fields: Vec<Field> = Vec::new();
    for (name, value) in &record.fields {
        match fields.iter_mut().find(|(known, _)| name.is_some() && known == name) {
            Some((_, known)) => value.clone_into(known),
            None => fields.push((name.clone(), value.clone())),
        }
    }
    RecordValues { fields, ..record.clone() }
}

fn by_key(list: impl Iterator<Item = RecordValues>) -> BTreeMap<Key, Vec<RecordValues>> {
    let mut map: BTreeMap<Key, Vec<RecordValues>> = BTreeMap::new();
    list.for_each(|record| map.entry(record.key()).or_default().push(record));
    map
}

/// The records of the log that was written last, read by a pool of threads; `None` when one panics.
fn scan_in(pool: &ThreadPool, bench: &Bench, selection: &Selection) -> Option<Scanned> {
    catch_unwind(AssertUnwindSafe(|| pool.install(|| bench.scan_again(selection)))).ok()
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// Reads the mutants with these numbers in a new thread, and half of the longer ones also in another thread in the
/// opposite order. Then reads all of them as one log, by one thread and by two.
fn try_batch<'s>(
    numbers: Range<u64>,
    source: &dyn Fn(u64) -> &'s Source,
    bench: &mut Bench,
    selections: &[Selection; 2],
) -> Outcome {
    let (forward, backward) = (pool(1), pool(1));
    let mutants: Vec<(u64, Vec<u8>)> = numbers.clone().map(|number| (number, source(number).mutant(number))).collect();
    let mut others = BTreeMap::new();
    for (number, log) in
        mutants.iter().rev().filter(|(number, log)| number % 2 == 0 && log.len() > chunk_range(1).start)
    {
        bench.put(log);
        others.insert(*number, scan_in(&backward, bench, &selections[selection_of(*number)]));
    }
    let mut total = Outcome::default();
    for (number, log) in &mutants {
        let other = others.remove(number);
        total.add(try_mutant(source(*number), *number, log, &forward, other, bench, selections));
    }
    let batch = numbers.start / BATCH;
    if batch.is_multiple_of(TOGETHER) {
        let mut whole = mutants[0].1[..FILE_HEADER_BYTES].to_vec();
        for (_, log) in &mutants {
            whole.extend_from_slice(&log[FILE_HEADER_BYTES..]);
            whole.resize(FILE_HEADER_BYTES + (whole.len() - FILE_HEADER_BYTES).next_multiple_of(CHUNK_BYTES), 0);
        }
        bench.put(&whole);
        let selection = &selections[selection_of(batch / TOGETHER)];
        let [one, two] = [1, 2].map(|threads| scan_in(&pool(threads), bench, selection));
        if one.is_none() || one != two {
            total.wrong.push(format!("mutants {numbers:?} as one log: two threads say something else than one"));
        }
    }
    total
}

/// All records of some logs, the wanted records of all.
fn selection_of(number: u64) -> usize {
    usize::from(number.is_multiple_of(4))
}

/// Reads a mutant with both readers. `other` is the result of another thread, if one read it.
fn try_mutant(
    source: &Source,
    number: u64,
    log: &[u8],
    thread: &ThreadPool,
    other: Option<Option<Scanned>>,
    bench: &mut Bench,
    selections: &[Selection; 2],
) -> Outcome {
    let selection = &selections[selection_of(number)];
    let all = selection_of(number) == 1;
    let chunks = log.len().saturating_sub(FILE_HEADER_BYTES).div_ceil(CHUNK_BYTES).max(1);
    bench.put(log);
    let start = Instant::now();
    let scanned = scan_in(thread, bench, selection);
    let took = start.elapsed();
    let mut outcome = Outcome { mutants: 1, ..Outcome::default() };
    let mut wrong = |what: String| outcome.wrong.push(format!("mutant {number} of {}: {what}", source.name));
    if other.is_some_and(|other| other != scanned) {
        wrong("a thread that read other mutants before it says something else".to_owned());
    }
    let Some(Scanned { known, recovered, records, losses, .. }) = scanned else {
        wrong("the scan panicked".to_owned());
        return outcome;
    };
    let most = chunks * MOST_RECORDS;
    if known.len() + recovered.len() > most || records > most as u64 || losses.len() > 8 * chunks {
        wrong(format!("{records} records and {} losses of {chunks} chunks", losses.len()));
    }
    let text: usize =
        known.iter().chain(&recovered).flat_map(|record| &record.fields).map(|(_, value)| value.len()).sum();
    if text > chunks * MOST_TEXT {
        wrong(format!("{text} bytes of text in {chunks} chunks"));
    }
    let most = (source.took * SLOWER + WHOLE_CHUNK) * chunks as u32;
    // A single slow reading may be chance.
    if took > most && fastest(log, selection) > most {
        wrong(format!("{took:?} instead of {:?}", source.took));
    }
    let expected = by_key(source.expected(log).into_iter().filter(|record| all || is_wanted(record)));
    let mut ours = by_key(known.into_iter().chain(recovered));
    for (key, expected) in expected {
        outcome.expected += expected.len() as u64;
        let ours = ours.remove(&key).unwrap_or_default();
        if ours.len() < expected.len() {
            wrong(format!("{key:?} is missing"));
        }
        outcome.more += ours.len().saturating_sub(expected.len()) as u64;
        let differ = |ours: &RecordValues, expected: &RecordValues| ours != expected && names_once(ours) != *expected;
        for (ours, expected) in ours.iter().zip(&expected).filter(|(ours, expected)| differ(ours, expected)) {
            let retimed = RecordValues { time: ours.time, ..expected.clone() };
            if *ours == retimed && has_header_time(log, ours) {
                outcome.retimed += 1;
            } else {
                wrong(difference(ours, expected));
            }
        }
    }
    outcome.more += ours.values().map(|list| list.len() as u64).sum::<u64>();
    outcome
}

#[test]
fn mutants_give_everything_that_a_full_decode_finds_with_the_same_values() {
    let (written, corpus) = (written_sources(), corpus_sources());
    let mutants = env::var("CRASHSIFT_MUTANTS").ok().and_then(|number| number.parse().ok()).unwrap_or(MUTANTS);
    let selections = [Selection::wanted(windows_events::catalogue::wanted()), Selection::everything()];
    let source = |number| source_of(number, &written, &corpus);
    let start = Instant::now();
    let next = AtomicU64::new(0);
    // Not with rayon, whose threads begin another batch while they wait for a pool.
    let work = || {
        let (mut bench, mut total) = (Bench::new(), Outcome::default());
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= mutants {
                return total;
            }
            total.add(try_batch(first..mutants.min(first + BATCH), &source, &mut bench, &selections));
        }
    };
    let mut total = Outcome::default();
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| total.add(worker.join().expect("the crate's panics are caught")));
    });
    println!(
        "{} mutants of {} chunks: {} records by a full decode, {} more by the scan alone, \
         {} with the header's time, {} wrong, {:?}",
        total.mutants,
        written.len() + corpus.len(),
        total.expected,
        total.more,
        total.retimed,
        total.wrong.len(),
        start.elapsed()
    );
    assert!(total.expected > mutants, "the mutants have too few wanted records: {}", total.expected);
    assert!(total.retimed * 1000 < total.expected, "{} records with the header's time", total.retimed);
    let first = &total.wrong[..total.wrong.len().min(60)];
    assert!(total.wrong.is_empty(), "{} wrong, the first:\n{}", total.wrong.len(), first.join("\n"));
}
