//! CPU time and memory of the benchmark's own process.

use std::time::Instant;

/// The CPU time of this process since a moment; where it can't be read, wall time.
pub struct Cpu {
    start: f64,
    clock: Instant,
}

impl Cpu {
    /// Starts now.
    pub fn now() -> Result<Self, String> {
        Ok(Self { start: own_cpu()?.unwrap_or_default(), clock: Instant::now() })
    }

    /// Microseconds since then.
    pub fn microseconds(&self) -> Result<f64, String> {
        Ok(match own_cpu()? {
            Some(now) => (now - self.start) * 1e6,
            None => self.clock.elapsed().as_secs_f64() * 1e6,
        })
    }
}

/// CPU time of this process, seconds.
#[cfg(unix)]
fn own_cpu() -> Result<Option<f64>, String> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(|error| error.to_string())?;
    Ok(Some(seconds(usage.user_time()) + seconds(usage.system_time())))
}

#[cfg(not(unix))]
fn own_cpu() -> Result<Option<f64>, String> {
    Ok(None)
}
