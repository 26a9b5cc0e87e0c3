//! Tries mutants of inputs on the fuzz targets, each in a process of its own.
//!
//! ```text
//! cargo run -p fuzz --profile fuzz -- all --seconds 60
//! cargo run -p fuzz --profile fuzz -- event-logs minidump --executions 1000000 --seed 7 --corpus FOLDER
//! cargo run -p fuzz -- chunk --input fuzz/findings/chunk-0123456789abcdef
//! ```

#![allow(clippy::expect_used, reason = "the program ends where the system fails")]

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    command_line::main()
}

#[cfg(not(unix))]
fn main() {
    eprintln!("the runner needs a Unix system");
}

#[cfg(unix)]
mod command_line {
    use std::env;
    use std::fs::{self, OpenOptions};
    use std::io::{self, Write};
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;
    use std::time::Duration;

    use fuzz::run::{Options, Tally, repeat, supervise, work};
    use fuzz::{Group, Target};

    const USAGE: &str = "usage: fuzz list
       fuzz all|GROUP|TARGET... [--seconds N] [--executions N] [--seed N] [--corpus FOLDER] [--findings FOLDER] [--log FILE]
       fuzz TARGET --input FILE

Tries mutants on each target for N seconds (60) or N executions. Inputs that lead to something new go to the corpus and
broken promises to the folder of findings (fuzz/findings). --log adds a line for each target to a table: date, target, seed,
executions, seconds, inputs, slowest in microseconds, peak memory in KiB, findings. Exit code 1: there are findings.";

    /// How long each target is tried, seconds.
    const SECONDS: f64 = 60.0;

    struct Arguments {
        targets: Vec<Target>,
        options: Options,
        input: Option<PathBuf>,
        worker: Option<PathBuf>,
        log: Option<PathBuf>,
    }

    pub fn main() -> ExitCode {
        let outcome =
            parse(env::args().skip(1)).and_then(|arguments| run(&arguments).map_err(|error| error.to_string()));
        outcome.unwrap_or_else(|why| {
            eprintln!("{why}");
            ExitCode::from(2)
        })
    }

    fn parse(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut targets: Vec<Target> = Vec::new();
        let mut options = Options {
            time: Duration::from_secs_f64(SECONDS),
            executions: u64::MAX,
            seed: 1,
            corpus: None,
            findings: PathBuf::from("fuzz/findings"),
        };
        let (mut input, mut worker, mut log) = (None, None, None);
        while let Some(argument) = given.next() {
            let Some(option) = argument.strip_prefix("--") else {
                targets.extend(named(&argument).ok_or_else(|| format!("no target {argument:?}\n{USAGE}"))?);
                continue;
            };
            let value = given.next().ok_or_else(|| format!("--{option} needs a value\n{USAGE}"))?;
            let number = || value.parse::<u64>().map_err(|error| format!("--{option} {value}: {error}"));
            match option {
                "seconds" => {
                    let seconds: f64 = value.parse().map_err(|error| format!("--seconds {value}: {error}"))?;
                    options.time =
                        Duration::try_from_secs_f64(seconds).map_err(|error| format!("--seconds {value}: {error}"))?;
                }
                "executions" => options.executions = number()?,
                "seed" => options.seed = number()?,
                "corpus" => options.corpus = Some(value.into()),
                "findings" => options.findings = value.into(),
                "input" => input = Some(value.into()),
                "worker" => worker = Some(value.into()),
                "log" => log = Some(value.into()),
                _ => return Err(USAGE.to_owned()),
            }
        }
        if targets.is_empty() { Err(USAGE.to_owned()) } else { Ok(Arguments { targets, options, input, worker, log }) }
    }

    /// The targets that a word names; `list` prints all.
    fn named(word: &str) -> Option<Vec<Target>> {
        let all = fuzz::all();
        let of_group = |target: &Target| Group::ALL.iter().any(|group| group.name() == word && target.group == *group);
        let found: Vec<Target> =
            all.into_iter().filter(|target| word == "all" || target.name == word || of_group(target)).collect();
        if word == "list" {
            for target in fuzz::all() {
                println!("{:<18} {:<12} {}", target.name, target.group.name(), target.about);
            }
            std::process::exit(0);
        }
        (!found.is_empty()).then_some(found)
    }

    fn run(arguments: &Arguments) -> io::Result<ExitCode> {
        let Arguments { targets, options, input, worker, log } = arguments;
        if let Some(input) = input {
            return repeated(targets, &fs::read(input)?);
        }
        if let (Some(current), [target]) = (worker, targets.as_slice()) {
            println!("{}", work(target, options, current)?);
            return Ok(ExitCode::SUCCESS);
        }
        let mut all = Tally::default();
        println!("target\tseed\texecutions\tseconds\tinputs\tslowest us\tpeak KiB\tfindings");
        for target in targets {
            let tally = supervise(target, options)?;
            println!("{}\t{}\t{tally}", target.name, options.seed);
            log.iter().try_for_each(|log| note(log, target, options.seed, &tally))?;
            all.add(&tally);
        }
        println!("all\t\t{all}");
        Ok(if all.findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Adds a line to the table of runs.
    fn note(log: &Path, target: &Target, seed: u64, tally: &Tally) -> io::Result<()> {
        let mut log = OpenOptions::new().append(true).create(true).open(log)?;
        let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
        writeln!(log, "{date}\t{}\t{seed}\t{tally}", target.name)
    }

    fn repeated(targets: &[Target], input: &[u8]) -> io::Result<ExitCode> {
        let mut code = ExitCode::SUCCESS;
        for target in targets {
            match repeat(target, input) {
                Ok(shape) => println!("{}: fine, shape {shape:016x}", target.name),
                Err(finding) => {
                    println!("{}: {}: {}", target.name, finding.place, finding.message);
                    code = ExitCode::FAILURE;
                }
            }
        }
        Ok(code)
    }
}
