//! The cost of whole programs: CPU time, wall time and peak memory of the processes that a benchmark starts.

use std::process::{Command, Stdio};
use std::time::Instant;

/// Measured rounds. A round before them warms the page cache.
pub const ROUNDS: usize = 5;
/// With this argument, a benchmark starts itself, runs the following program and prints its peak memory.
const PEAK: &str = "--peak-of";

/// The cost of one contestant in one round, seconds.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub cpu: f64,
    pub wall: f64,
}

/// Starts processes and waits for them.
pub type Contestant<'c> = &'c dyn Fn() -> Result<(), String>;

/// The cost of each contestant in each round. They take turns, so that a disturbance affects all of them.
pub fn in_turn<const N: usize>(contestants: [Contestant<'_>; N]) -> Result<[Vec<Cost>; N], String> {
    rounds_in_turn(ROUNDS, contestants)
}

/// The same with this number of measured rounds.
pub fn rounds_in_turn<const N: usize>(
    rounds: usize,
    contestants: [Contestant<'_>; N],
) -> Result<[Vec<Cost>; N], String> {
    let mut costs = [const { Vec::new() }; N];
    for round in 0..=rounds {
        for (contestant, costs) in contestants.iter().zip(&mut costs) {
            let cost = once(contestant)?;
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    Ok(costs)
}

/// CPU time of the processes that `contestant` starts and waits for, and the time it takes.
pub fn once(contestant: Contestant<'_>) -> Result<Cost, String> {
    let before = children::cpu()?;
    let start = Instant::now();
    contestant()?;
    Ok(Cost { wall: start.elapsed().as_secs_f64(), cpu: children::cpu()? - before })
}

/// How to read the figures, for the head of the output.
pub fn about() -> String {
    let build = if cfg!(debug_assertions) { "; BUILT WITHOUT OPTIMISATION: THE FIGURES MEAN NOTHING" } else { "" };
    format!(
        "{ROUNDS} rounds in turn, files in the page cache; seconds are medians, ratios are medians of the rounds' \
         ratios (least to most){build}"
    )
}

/// Prints the cost of `ours`, and the ratio of `theirs` to it in the same round: median, least and most.
pub fn print(name: &str, ours: &[Cost], theirs: &[Cost]) {
    let times = |part: fn(&Cost) -> f64| {
        let rounds = || theirs.iter().zip(ours).map(|(these, those)| part(these) / part(those));
        let (least, most) = (rounds().fold(f64::INFINITY, f64::min), rounds().fold(0.0, f64::max));
        format!("{:.2} times ({least:.2} to {most:.2})", ratio(theirs, ours, part))
    };
    println!(
        "{name}: {}; the other took {} the cpu, {} the wall",
        medians(ours),
        times(|cost| cost.cpu),
        times(|cost| cost.wall)
    );
}

/// The medians of `costs` as text.
pub fn medians(costs: &[Cost]) -> String {
    let of = |part: fn(&Cost) -> f64| median(costs.iter().map(part).collect());
    format!("cpu {:.3} s, wall {:.3} s", of(|cost| cost.cpu), of(|cost| cost.wall))
}

/// The median over the rounds of the ratio of `part` between `these` and `those`. A contestant with one round is
/// compared with the median of the other.
pub fn ratio(these: &[Cost], those: &[Cost], part: fn(&Cost) -> f64) -> f64 {
    if these.len() == those.len() {
        return median(these.iter().zip(those).map(|(this, that)| part(this) / part(that)).collect());
    }
    median(these.iter().map(part).collect()) / median(those.iter().map(part).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The peak memory of `command`, MiB.
///
/// The system reports it for all children of a process together, so a process of its own runs the command: this program
/// again, which must begin with [`was_asked_for_peak`]. The memory of that process when it starts the command is the
/// least that can be measured, 3 to 4 MiB.
pub fn peak(command: &Command) -> Result<f64, String> {
    let itself = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(itself)
        .arg(PEAK)
        .arg(command.get_program())
        .args(command.get_args())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let bytes: f64 = text.trim().parse().map_err(|_| format!("peak memory of {command:?} is not known: {text}"))?;
    Ok(bytes / f64::from(1 << 20))
}

/// Does what [`peak`] requests from this process; gives whether it was requested.
pub fn was_asked_for_peak() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != PEAK) {
        return false;
    }
    let Some(program) = arguments.next() else { return false };
    match Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status() {
        Ok(status) if !status.success() => println!("{status}"),
        Ok(_) => match children::peak() {
            Ok(bytes) => println!("{bytes}"),
            Err(reason) => println!("{reason}"),
        },
        Err(error) => println!("{error}"),
    }
    true
}

/// The system's figures about the processes that this one waited for.
#[cfg(unix)]
mod children {
    use nix::sys::resource::{Usage, UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    fn usage() -> Result<Usage, String> {
        getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())
    }

    /// Their CPU time, seconds.
    pub fn cpu() -> Result<f64, String> {
        let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        usage().map(|usage| seconds(usage.user_time()) + seconds(usage.system_time()))
    }

    /// The peak memory of one of them, bytes.
    pub fn peak() -> Result<f64, String> {
        // Apple's systems give bytes, all others KiB.
        let unit = if cfg!(target_vendor = "apple") { 1.0 } else { 1024.0 };
        usage().map(|usage| usage.max_rss() as f64 * unit)
    }
}

#[cfg(not(unix))]
mod children {
    const REASON: &str = "what other processes cost is read on Unix only";

    pub fn cpu() -> Result<f64, String> {
        Err(REASON.to_owned())
    }

    pub fn peak() -> Result<f64, String> {
        Err(REASON.to_owned())
    }
}
