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
//! What the figures hold and what they don't:
//!
//! - Contestants take turns: one round that warms up, then five that count. In `hunt` the peers take longer than that
//!   is worth: each has one round alone, which nothing warms up, against the median of our five. Only on the small logs
//!   `chainsaw search` takes turns with us, for one round that warms up and three that count. Peak memory is measured
//!   once.
//! - CPU time is user and system time of all processes that a contestant started, as the system counts it. Wall time
//!   is from the first start to the last end. Files lie in the page cache, and output goes nowhere but in `hunt` and
//!   `cache`, where answers are compared. `evtx_dump` takes one log a process: starting it costs it about 1 ms a log, a
//!   few percent of what it takes for 20 MiB.
//! - `crashsift analyze` finds the files, verifies all checksums, decodes what the catalogue lists, joins, judges and
//!   prints a report. `evtx_dump` decodes every record and prints it; it can't be asked for less work (its `--events`
//!   leaves out what was decoded), and verifies no checksum unless asked. How much of the difference is from decoding
//!   less is what `share` tells.
//! - In `scan` the library verifies all checksums and keeps the evidence of all logs with shared names until the last
//!   log is read, as `crashsift analyze` does. What is left out is finding the files, joining, judging and reporting.
//! - In `share` the library verifies all checksums, too, and gives each wanted record's provider, ids, channel,
//!   computer, time, and the names and values of its fields as UTF-8; all are looked at. The attributes and other parts
//!   of `System` are not read, and no JSON is written: the peer's figures hold that, ours don't. Records are picked by
//!   record id, which costs less than by provider and event id as `crashsift analyze` does.
//! - The logs hold nearly full chunks only, and many are copies: the sets' descriptions count the distinct ones.
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
