//! Reads logs with the library, in a process of its own: this program again.

use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use evidence::{Names, Reading};
use evtx_scan::{Record, Selection, read_records};
use rayon::prelude::*;
use windows_events as event_log;
use windows_events::{Contents, Context};

use super::programs::{Peer, evtx_dump};

/// With this argument the benchmark starts itself. The selection, the number of threads and the paths of logs follow.
const READ: &str = "--read";
/// Stands for the events of the catalogue, in the place of a share.
const CATALOGUE: &str = "catalogue";
/// The measured shares, of 100,000 records.
pub const SHARES: [u32; 4] = [100, 1_000, 10_000, 100_000];

/// Totals of what was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    pub records: u64,
    fields: u64,
    /// Bytes of all texts: providers, channels, computers, names and values of fields.
    text: u64,
    /// Ids and times, added up without regard to overflow.
    sum: u64,
    /// Losses that the library reports, wrong checksums among them.
    losses: u64,
}

impl Amount {
    fn of(record: &Record<'_>) -> Self {
        let length = |text: Option<&str>| text.map_or(0, |text| text.len() as u64);
        let seconds = record.time.map_or(0, |time| time.as_second().cast_unsigned());
        let nanoseconds = record.time.map_or(0, |time| i64::from(time.subsec_nanosecond()).cast_unsigned());
        let mut amount = Self {
            records: 1,
            text: [Some(record.provider), record.channel, record.computer].map(length).iter().sum(),
            sum: [u64::from(record.event_id), seconds, nanoseconds].into_iter().fold(record.id, u64::wrapping_add),
            ..Self::default()
        };
        for (name, value) in record.fields.iter() {
            amount.fields = amount.fields.saturating_add(1);
            amount.text = amount.text.saturating_add(length(name)).saturating_add(length(Some(value)));
        }
        amount
    }

    fn and(self, other: Self) -> Self {
        Self {
            records: self.records.saturating_add(other.records),
            fields: self.fields.saturating_add(other.fields),
            text: self.text.saturating_add(other.text),
            sum: self.sum.wrapping_add(other.sum),
            losses: self.losses.saturating_add(other.losses),
        }
    }

    /// As one process sends it to the other.
    fn line(self) -> String {
        [self.records, self.fields, self.text, self.sum, self.losses].map(|number| number.to_string()).join(" ")
    }

    fn parse(line: &str) -> Option<Self> {
        let numbers: Vec<u64> = line.split_whitespace().map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let [records, fields, text, sum, losses] = *numbers.as_slice() else { return None };
        Some(Self { records, fields, text, sum, losses })
    }

    /// As text.
    pub fn describe(self) -> String {
        let text = mebibytes(self.text);
        let losses = if self.losses == 0 { String::new() } else { format!(", {} losses", self.losses) };
        format!(
            "{} records, {} fields, {text:.1} MiB of text, sum {:016x}{losses}",
            self.records, self.fields, self.sum
        )
    }
}

pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Reads some logs, each time in a new process.
#[derive(Debug)]
pub struct Reader {
    /// The selection: so many of 100,000 records, or those of the catalogue.
    share: Option<u32>,
    threads: usize,
    logs: Vec<PathBuf>,
    /// The totals, which are the same in every round.
    amount: Cell<Option<Amount>>,
}

impl Reader {
    /// Reads a share of the records, with one thread.
    pub fn of_share(share: u32, logs: &[PathBuf]) -> Self {
        Self { share: Some(share), threads: 1, logs: logs.to_vec(), amount: Cell::new(None) }
    }

    /// Reads the events of the catalogue as evidence.
    pub fn of_catalogue(threads: usize, logs: &[PathBuf]) -> Self {
        Self { share: None, threads, logs: logs.to_vec(), amount: Cell::new(None) }
    }

    pub fn percent(&self) -> f64 {
        f64::from(self.share.unwrap_or_default()) / 1000.0
    }

    /// The totals; `None` before the first round.
    pub fn amount(&self) -> Amount {
        self.amount.get().unwrap_or_default()
    }

    pub fn read(&self) -> Result<(), String> {
        let itself = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(itself);
        let wanted = self.share.map_or_else(|| CATALOGUE.to_owned(), |share| share.to_string());
        command.arg(READ).arg(wanted).arg(self.threads.to_string()).args(&self.logs);
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let text = String::from_utf8_lossy(&output.map_err(|error| error.to_string())?.stdout).into_owned();
        let amount = Amount::parse(&text).ok_or_else(|| format!("the logs were not read: {text}"))?;
        match self.amount.replace(Some(amount)) {
            Some(before) if before != amount => Err(format!("read once: {before:?}, and then: {amount:?}")),
            _ => Ok(()),
        }
    }
}

/// Does what [`Reader::read`] requests from this process; gives whether it was requested.
pub fn was_asked_to_read() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != READ) {
        return false;
    }
    let wanted = arguments.next().unwrap_or_default();
    let share = wanted.to_str().and_then(|share| share.parse().ok());
    let threads = arguments.next().and_then(|threads| threads.to_str()?.parse().ok()).unwrap_or(1);
    let logs: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let amount = match share {
        _ if wanted == CATALOGUE => read_evidence(&logs, threads),
        Some(share) => read_share(&logs, threads, share),
        None => Err("no share was given".to_owned()),
    };
    match amount {
        Ok(amount) => println!("{}", amount.line()),
        Err(reason) => println!("{reason}"),
    }
    true
}

/// Reads logs in parallel, as `crashsift analyze` does.
fn read_logs<T: Send, E: Display>(
    logs: &[PathBuf],
    threads: usize,
    read: &(dyn Fn(&File, u64) -> Result<T, E> + Sync),
) -> Result<Vec<T>, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    let one = |log: &PathBuf| -> Result<T, String> {
        let wrong = |reason: String| format!("{}: {reason}", log.display());
        let file = File::open(log).map_err(|error| wrong(error.to_string()))?;
        let bytes = file.metadata().map_err(|error| wrong(error.to_string()))?.len();
        read(&file, bytes).map_err(|unreadable| wrong(unreadable.to_string()))
    };
    pool.install(|| logs.par_iter().map(one).collect())
}

fn read_share(logs: &[PathBuf], threads: usize, share: u32) -> Result<Amount, String> {
    let selection = Selection::share(share);
    let amounts = read_logs(logs, threads, &|file, bytes| {
        let read = read_records(file, bytes, &selection, &|record| Some(Amount::of(record)))?;
        let losses = Amount { losses: read.losses.len() as u64, ..Amount::default() };
        Ok::<_, evtx_scan::Error>(read.extracted.into_iter().fold(losses, Amount::and))
    })?;
    Ok(amounts.into_iter().fold(Amount::default(), Amount::and))
}

/// Reads evidence as `crashsift analyze` does: the evidence of all logs shares names, and is kept until the last log is
/// read.
fn read_evidence(logs: &[PathBuf], threads: usize) -> Result<Amount, String> {
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    let readings = read_logs(logs, threads, &|file, bytes| event_log::read(file, bytes, &context))?;
    let amount = |reading: &Reading| Amount {
        records: reading.evidence.len() as u64,
        losses: reading.losses.len() as u64,
        ..Amount::default()
    };
    Ok(readings.iter().map(amount).fold(Amount::default(), Amount::and))
}

/// The number of records (lines) and bytes that `evtx_dump` prints.
pub fn count_dumped(peer: &Peer, logs: &[PathBuf]) -> Result<(u64, u64), String> {
    let (mut lines, mut bytes) = (0_u64, 0_u64);
    let mut buffer = vec![0; 1 << 20];
    for log in logs {
        let mut command = evtx_dump(peer, log, 1);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut dump = command.spawn().map_err(|error| error.to_string())?;
        let mut output = dump.stdout.take().ok_or("evtx_dump has no output")?;
        loop {
            let read = output.read(&mut buffer).map_err(|error| error.to_string())?;
            if read == 0 {
                break;
            }
            let new = memchr::memchr_iter(b'\n', buffer.get(..read).unwrap_or_default()).count();
            lines = lines.saturating_add(new as u64);
            bytes = bytes.saturating_add(read as u64);
        }
        let status = dump.wait().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("evtx_dump: {status}"));
        }
    }
    Ok((lines, bytes))
}
