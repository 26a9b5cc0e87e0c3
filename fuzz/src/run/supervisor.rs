//! Runs each target in a process of its own and watches it.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Finding, Findings, Options, Tally};
use crate::{Target, scratch};

/// How long the input of a process may stay the same: then its execution does not end.
const NO_END: Duration = Duration::from_secs(120);
/// How often the process is looked at.
const EVERY: Duration = Duration::from_millis(50);
/// How often a target is started again after its process ended by itself.
const MOST_RESTARTS: u64 = 20;

/// Runs a target in another process of this program until its time or its executions are over.
///
/// # Errors
/// When the process can't be started or files can't be written.
pub fn supervise(target: &Target, options: &Options) -> io::Result<Tally> {
    let folder = scratch::folder();
    let current = folder.path().join("current");
    let mut findings = Findings::in_folder(&options.findings);
    let mut all = Tally::default();
    for restart in 0..MOST_RESTARTS {
        let left = Options {
            time: options.time.saturating_sub(all.time),
            executions: options.executions.saturating_sub(all.executions),
            seed: options.seed.wrapping_add(restart << 32),
            ..options.clone()
        };
        if left.time.is_zero() || left.executions == 0 {
            break;
        }
        let begin = Instant::now();
        match watched(target, &left, &current)? {
            Ended::Whole(tally) => {
                all.add(&tally);
                break;
            }
            Ended::By(finding) => {
                all.time += begin.elapsed();
                let input = fs::read(&current).unwrap_or_default();
                if let Some(path) = findings.add(target.name, &input, &finding)? {
                    eprintln!("{}: {}: {}\n  {}", target.name, finding.place, finding.message, path.display());
                }
            }
        }
    }
    all.findings += findings.len();
    Ok(all)
}

/// How a process ended.
enum Ended {
    /// As it should, with what it did.
    Whole(Tally),
    /// By a finding.
    By(Finding),
}

fn watched(target: &Target, options: &Options, current: &Path) -> io::Result<Ended> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(target.name).arg("--worker").arg(current);
    command.arg("--seconds").arg(options.time.as_secs_f64().to_string());
    command.arg("--executions").arg(options.executions.to_string());
    command.arg("--seed").arg(options.seed.to_string());
    command.arg("--findings").arg(&options.findings);
    if let Some(corpus) = &options.corpus {
        command.arg("--corpus").arg(corpus);
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let Some(status) = wait(&mut child, current)? else {
        child.kill()?;
        child.wait()?;
        return Ok(Ended::By(Finding::new("no end", format!("an execution did not end within {NO_END:?}"))));
    };
    let mut said = String::new();
    child.stdout.take().map(|mut out| out.read_to_string(&mut said)).transpose()?;
    match Tally::parse(&said) {
        Some(tally) if status.success() => Ok(Ended::Whole(tally)),
        _ => Ok(Ended::By(ended_by(status))),
    }
}

fn ended_by(status: ExitStatus) -> Finding {
    match status.signal() {
        Some(signal) => Finding::new(
            format!("signal {signal}"),
            "the process was ended: more memory than is allowed (see above), or a stack overflow",
        ),
        None => Finding::new("exit", format!("the process ended with {status}")),
    }
}

/// Waits for the end of a process; `None` when its input stays the same for too long.
fn wait(child: &mut Child, current: &Path) -> io::Result<Option<ExitStatus>> {
    let mut last = (Instant::now(), None);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let written = fs::metadata(current).and_then(|about| about.modified()).ok();
        if written != last.1 {
            last = (Instant::now(), written);
        }
        if last.0.elapsed() > NO_END {
            return Ok(None);
        }
        thread::sleep(EVERY);
    }
}
