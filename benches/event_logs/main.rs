//! Event logs: `crashsift analyze` against programs that read the same logs, as whole processes, in turn, in one run.
//!
//!     CRASHSIFT_CORPUS=... cargo bench --bench event_logs [-- PART...]
//!
//! | part | what is compared, peers first |
//! | --- | --- |
//! | `evtx-dump` | `evtx_dump` of everything to JSON Lines: one thread, two threads, two processes at a time |
//! | `scan` | the same and `cat`, with the library, which reads the events of its catalogue into evidence |
//! | `share` | `evtx_dump` with one thread, and the library, of which 0.1 %, 1 %, 10 % or all records are wanted |
//! | `cat` | `cat` of all logs, and two threads with one |
//! | `hunt` | `chainsaw` and `hayabusa`, asked for the same events: time, and how many of the events each reports |
//! | `cache` | `evtx_dump`, with a second run over logs that did not change |
//! | `memory` | peak memory |
//!
//! What the figures include and what they don't:
//!
//! - Contestants take turns: one round to warm up, then five measured ones. In `hunt` the peers take too long for that:
//!   each has one round alone, without warm-up, which is compared with the median of our five. Only on the small logs
//!   `chainsaw search` takes turns with us, for one round to warm up and three measured ones. Peak memory is measured
//!   once.
//! - CPU time is user and system time of all processes that a contestant started, as the system counts it. Wall time
//!   is from the first start to the last end. Files are in the page cache, and output is discarded, except in `hunt` and
//!   `cache`, where answers are compared. `evtx_dump` takes one log a process: starting it costs it about 1 ms a log, a
//!   few percent of its time for 20 MiB.
//! - `crashsift analyze` finds the files, verifies all checksums, decodes the events of the catalogue, joins, judges and
//!   prints a report. `evtx_dump` decodes and prints every record; it can't be asked for less work (its `--events`
//!   filters decoded records), and verifies no checksum unless asked. `share` shows how much of the difference comes
//!   from decoding less.
//! - In `scan` the library verifies all checksums and keeps the evidence of all logs with shared names until the last
//!   log is read, as `crashsift analyze` does. It does not include finding the files, joining, judging and reporting.
//! - In `share` the library verifies all checksums, too, and gives each wanted record's provider, ids, channel,
//!   computer, time, and the names and values of its fields as UTF-8; all are looked at. The attributes and other parts
//!   of `System` are not read, and no JSON is written: the peer's figures include that, ours don't. Records are selected
//!   by record id, which costs less than by provider and event id as in `crashsift analyze`.
//! - The logs have nearly full chunks only, and many are copies: the descriptions of the sets count the distinct ones.
//!
//! What it needs:
//!
//! - `CRASHSIFT_CORPUS`: a folder below which `.evtx` files lie that Windows wrote. Their full chunks are copied into
//!   logs of 20 MiB, small logs and, when asked, a large one. Each copy has record ids and times of its own, so that it
//!   has records of other crashes; the rest of it is as Windows wrote it.
//! - Peers on `PATH` or named by `EVTX_DUMP` (`cargo install evtx --version 0.15.1 --locked --features fast-alloc`:
//!   the allocator that its makers' own binaries and figures have; without the feature it is the system's),
//!   `CHAINSAW` and `HAYABUSA`, which needs `HAYABUSA_CONFIG`, the folder `config` of its rules' repository. The rules
//!   that they are given are made here; `CHAINSAW_RULES` and `HAYABUSA_RULES` name others. What is missing is left out.
//!
//! What else can be set:
//!
//! - `CRASHSIFT_BENCH_DATA`: a folder in which the logs are kept, so that they are made once. About 3 GiB.
//! - `CRASHSIFT_BENCH_MIB`: the size of the Security logs, MiB, 512 unless set; all other sets grow and shrink with it.
//! - `CRASHSIFT_BENCH_LARGE=1`: makes the large log, 4 GiB; 6 GiB must be free.

mod chunk;
#[path = "../cost/mod.rs"]
mod cost;
mod input;
mod library;
mod parts;
mod programs;
mod wanted;

use input::Inputs;
use parts::{Bench, PARTS};
use programs::Peer;

/// Size of the Security logs, MiB.
const MIB: u64 = 512;

fn main() {
    if cost::was_asked_for_peak() || library::was_asked_to_read() {
        return;
    }
    if let Err(reason) = run() {
        println!("not measured: {reason}");
    }
}

fn run() -> Result<(), String> {
    // Cargo adds options of its own.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = chosen.iter().find(|name| PARTS.iter().all(|(part, _)| part != name)) {
        let parts = PARTS.map(|(part, _)| part).join(", ");
        return Err(format!("there is no part {unknown}; there are {parts}"));
    }
    let mib = match std::env::var("CRASHSIFT_BENCH_MIB") {
        Ok(text) => text.parse().map_err(|_| format!("CRASHSIFT_BENCH_MIB is no number: {text}"))?,
        Err(_) => MIB,
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{threads} hardware threads; {}", cost::about());
    let bench = Bench {
        evtx_dump: Peer::find("EVTX_DUMP", "evtx_dump", "--version"),
        chainsaw: Peer::find("CHAINSAW", "chainsaw", "--version"),
        hayabusa: Peer::find("HAYABUSA", "hayabusa", "help"),
        hayabusa_config: std::env::var_os("HAYABUSA_CONFIG").map(Into::into),
        inputs: Inputs::new(std::env::var_os("CRASHSIFT_BENCH_DATA"), mib)?,
        large: std::env::var_os("CRASHSIFT_BENCH_LARGE").is_some_and(|value| value == "1"),
    };
    for (name, part) in PARTS {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            println!("\n== {name}");
            if let Err(reason) = part(&bench) {
                println!("not measured: {reason}");
            }
        }
    }
    Ok(())
}
