//! Chunks damaged at random: the scan never panics, never has fewer wanted records than the `evtx` crate, and never
//! says something else of one that both read.
//!
//! Every mutant is made from its number alone, which a failure names.

use std::collections::BTreeMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crashsift::artifact::event_log::{Selection, catalogue};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use samplekit::event_log::{CHUNK_BYTES, FILE_HEADER_BYTES};

use crate::compared::{Reference, difference};
use crate::logs::{self, chunk_header, chunk_range, make_dirty, put, record_offsets, seal_chunk, u32_at, u64_at};
use crate::random::Random;
use crate::told::{Bench, Key, Scanned, Told};

/// How many mutants are tried, unless `CRASHSIFT_MUTANTS` says another number.
const MUTANTS: u64 = 24_000;
/// Chunks of the corpus beside those that are written.
const CORPUS_CHUNKS: usize = 96;
/// Records of a chunk: 64 KiB without its header, in the smallest that there are (28 bytes).
const MOST_RECORDS: usize = (CHUNK_BYTES - chunk_header::END) / 28;
/// How long all texts of a chunk's records may be, bytes: several times what a chunk holds, since records share their
/// templates' texts.
const MOST_TEXT: usize = 16 * CHUNK_BYTES;
/// How many times the time of the undamaged log a mutant may take, beside what it takes to decode a chunk twice that is
/// filled to its end, in a debug build.
const SLOWER: u32 = 50;
const WHOLE_CHUNK: Duration = Duration::from_millis(500);

/// A log of one chunk, and where in it there is something to damage.
struct Source {
    name: String,
    log: Vec<u8>,
    /// Where the records begin.
    records: Vec<usize>,
    /// Where numbers stand that lead to others: their place and size in bytes.
    numbers: Vec<(usize, usize)>,
    /// Where tables of values stand.
    tables: Vec<(usize, usize)>,
    /// How long it takes to read it undamaged.
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
        let mut source = Self { name, log, records, numbers, tables, took: Duration::MAX };
        source.took = fastest(&source.log, &Selection::everything());
        source
    }

    /// The mutant with this number.
    fn mutant(&self, number: u64) -> Vec<u8> {
        let mut random = Random::new(number);
        let mut log = self.log.clone();
        if random.one_in(4) {
            make_dirty(&mut log);
        }
        let chunk = &mut log[chunk_range(0)];
        for _ in 0..=random.below(3) {
            self.damage(chunk, &mut random);
        }
        if random.one_in(2) {
            seal_chunk(chunk);
        }
        if random.one_in(16) {
            log.truncate(FILE_HEADER_BYTES + random.below(self.end() + 64));
        }
        log
    }

    /// Where the records end.
    fn end(&self) -> usize {
        let free = u32_at(&self.log[chunk_range(0)], chunk_header::FREE_SPACE) as usize;
        free.clamp(chunk_header::END, CHUNK_BYTES)
    }

    fn damage(&self, chunk: &mut [u8], random: &mut Random) {
        let end = (self.end() + 64).min(chunk.len());
        let place = |random: &mut Random| chunk_header::END + random.below(end - chunk_header::END);
        match random.below(20) {
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
            // Records that are in two places, or in the wrong one.
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
            // The halves of the records change places.
            18 => {
                let middle = (end - chunk_header::END) / 2;
                chunk[chunk_header::END..end].rotate_left(middle);
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

/// The least time that several readings of a log take.
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

fn is_wanted(told: &Told) -> bool {
    catalogue::find(&told.provider, told.event_id).is_some()
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
            if !bench.scan(&alone, &Selection::catalogue()).known.is_empty() {
                chunks.push((format!("{}, chunk {number}", path.display()), alone));
            }
        }
    }
    let step = chunks.len().div_ceil(CORPUS_CHUNKS).max(1);
    chunks.into_iter().step_by(step).map(|(name, log)| Source::new(name, log)).collect()
}

/// What the mutant with this number is made of. Chunks of the corpus are full, and take their time.
fn source_of<'s>(number: u64, written: &'s [Source], corpus: &'s [Source]) -> &'s Source {
    let (list, number) = match number % 12 {
        0 if !corpus.is_empty() => (corpus, number / 12),
        _ => (written, number),
    };
    &list[(number % list.len() as u64) as usize]
}

/// What came of the mutants.
#[derive(Debug, Default)]
struct Outcome {
    mutants: u64,
    /// Wanted records that the crate found.
    expected: u64,
    /// Wanted records that the scan found beside those.
    more: u64,
    /// Records with a time that no calendar holds, for which the scan tells the time of the record's header. The crate
    /// writes the last four digits of the year, which may be any.
    retimed: u64,
    wrong: Vec<String>,
}

/// Whether the time is that of a record's header.
fn has_header_time(log: &[u8], told: &Told) -> bool {
    let Some(time) = told.time else { return false };
    // 100 ns from 1601 to the Unix epoch.
    let filetime = time.as_nanosecond() / 100 + 116_444_736_000_000_000;
    let header = [told.id.to_le_bytes(), (filetime as u64).to_le_bytes()].concat();
    memchr::memmem::find(log, &header).is_some()
}

fn by_key(list: impl Iterator<Item = Told>) -> BTreeMap<Key, Vec<Told>> {
    let mut map: BTreeMap<Key, Vec<Told>> = BTreeMap::new();
    list.for_each(|told| map.entry(told.key()).or_default().push(told));
    map
}

/// Reads a mutant both ways.
fn try_mutant(source: &Source, number: u64, bench: &mut Bench, selections: &[Selection; 2]) -> Outcome {
    let log = source.mutant(number);
    let [catalogued, everything] = selections;
    // All records of some, the wanted ones of all.
    let all = number.is_multiple_of(4);
    let selection = if all { everything } else { catalogued };
    let start = Instant::now();
    let scanned = catch_unwind(AssertUnwindSafe(|| bench.scan(&log, selection)));
    let took = start.elapsed();
    let mut outcome = Outcome { mutants: 1, ..Outcome::default() };
    let mut wrong = |what: String| outcome.wrong.push(format!("mutant {number} of {}: {what}", source.name));
    let Ok(Scanned { known, recovered, records, losses, .. }) = scanned else {
        wrong("the scan panicked".to_owned());
        return outcome;
    };
    if known.len() + recovered.len() > MOST_RECORDS || records > MOST_RECORDS as u64 || losses.len() > 8 {
        wrong(format!("{records} records and {} losses of one chunk", losses.len()));
    }
    let text: usize = known.iter().chain(&recovered).flat_map(|told| &told.fields).map(|(_, value)| value.len()).sum();
    if text > MOST_TEXT {
        wrong(format!("{text} bytes of text in one chunk"));
    }
    let most = source.took * SLOWER + WHOLE_CHUNK;
    // Once may be chance.
    if took > most && fastest(&log, selection) > most {
        wrong(format!("{took:?} instead of {:?}", source.took));
    }
    let reference = Reference::of(&log);
    let expected = by_key(reference.known().filter(|told| all || is_wanted(told)).cloned());
    let mut ours = by_key(known.into_iter().chain(recovered));
    for (key, expected) in expected {
        outcome.expected += expected.len() as u64;
        let ours = ours.remove(&key).unwrap_or_default();
        if ours.len() < expected.len() {
            wrong(format!("{key:?} is missing"));
        }
        outcome.more += ours.len().saturating_sub(expected.len()) as u64;
        for (ours, expected) in ours.iter().zip(&expected) {
            let retimed = Told { time: ours.time, ..expected.clone() };
            if *ours == retimed && has_header_time(&log, ours) {
                // The same but for the time: see below.
                outcome.retimed += u64::from(ours != expected);
            } else if ours != expected {
                wrong(difference(ours, expected));
            }
        }
    }
    outcome.more += ours.values().map(|list| list.len() as u64).sum::<u64>();
    outcome
}

#[test]
fn mutants_lose_nothing_that_a_full_decode_finds_and_say_the_same() {
    let (written, corpus) = (written_sources(), corpus_sources());
    let mutants = env::var("CRASHSIFT_MUTANTS").ok().and_then(|number| number.parse().ok()).unwrap_or(MUTANTS);
    let selections = [Selection::catalogue(), Selection::everything()];
    // Panics of either side are caught and told once, by the number of the mutant.
    let start = Instant::now();
    let outcomes: Vec<Outcome> = (0..mutants)
        .into_par_iter()
        .map_init(Bench::new, |bench, number| {
            let source = source_of(number, &written, &corpus);
            try_mutant(source, number, bench, &selections)
        })
        .collect();
    let mut total = Outcome::default();
    for outcome in outcomes {
        total.mutants += outcome.mutants;
        total.expected += outcome.expected;
        total.more += outcome.more;
        total.retimed += outcome.retimed;
        total.wrong.extend(outcome.wrong);
    }
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
