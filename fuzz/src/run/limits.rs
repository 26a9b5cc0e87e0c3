//! What an execution may take.

use std::fs;
use std::time::Duration;

use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::time::TimeValLike;

/// The memory that a target may take beyond what it has after its seeds, bytes.
pub const MOST_MEMORY: u64 = 256 << 20;

/// How long an execution may last that reads nothing: a hundred times as long as any does on a busy machine.
const ALWAYS: Duration = Duration::from_millis(1500);
/// The time for each byte of the input.
const EACH_BYTE: Duration = Duration::from_micros(10);

/// How much of the processor's time an execution may take for an input of so many bytes.
pub fn most_time(bytes: usize) -> Duration {
    let times = if cfg!(debug_assertions) { 4 } else { 1 };
    (ALWAYS + EACH_BYTE * u32::try_from(bytes).unwrap_or(u32::MAX)) * times
}

/// The processor's time that this process has used.
pub fn used_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the system counts");
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

/// The most memory that this process had at a time, KiB.
pub fn peak_memory() -> u64 {
    u64::try_from(getrusage(UsageWho::RUSAGE_SELF).expect("the system counts").max_rss()).unwrap_or_default()
}

/// Lets the process take no more than [`MOST_MEMORY`] beyond what it has now: a larger allocation ends it.
pub fn limit_memory() {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let data = status.lines().find_map(|line| line.strip_prefix("VmData:"));
    let kib = data.and_then(|data| data.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(1 << 20);
    let most = (kib << 10) + MOST_MEMORY;
    setrlimit(Resource::RLIMIT_DATA, most, most).expect("a limit can be lowered");
}
