//! The parts of the benchmark, one function each.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::cost::{self, Cost};
use super::input::{Input, Inputs, Which};
use super::library::{self, Reader, SHARES};
use super::programs::{CHAINSAW_SEARCH, Peer, Question, analyze, cat, evtx_dump, evtx_dump_checked, run, run_into};

/// The inputs of the parts.
#[derive(Debug)]
pub struct Bench {
    pub inputs: Inputs,
    pub evtx_dump: Option<Peer>,
    pub chainsaw: Option<Peer>,
    pub hayabusa: Option<Peer>,
    /// The folder of Hayabusa's settings.
    pub hayabusa_config: Option<PathBuf>,
    /// Whether the large log may be generated.
    pub large: bool,
}

type Part = fn(&Bench) -> Result<(), String>;

/// The parts by name.
pub const PARTS: [(&str, Part); 7] = [
    ("evtx-dump", Bench::evtx_dump),
    ("scan", Bench::scan),
    ("share", Bench::share),
    ("cat", Bench::cat),
    ("hunt", Bench::hunt),
    ("cache", Bench::cache),
    ("memory", Bench::memory),
];

impl Bench {
    /// Compares with decoding everything.
    fn evtx_dump(&self) -> Result<(), String> {
        let peer = self.evtx_dump.as_ref().ok_or("evtx_dump is missing")?;
        for which in [Which::Security, Which::System, Which::Mixed] {
            let input = self.inputs.get(which)?;
            let own = Question::crashsift(input.folder(), &self.inputs.empty_folder("answers")?);
            own.ask()?;
            println!("crashsift analyze {}", found(&own.answer, &input)?);
            let [ours, theirs] =
                cost::in_turn([&|| run(analyze(input.folder(), Some(1))), &|| dump_all(peer, &input, 1)])?;
            println!("{DUMP}: {}", cost::medians(&theirs));
            cost::print("crashsift analyze -j 1", &ours, &theirs);
            let [ours, threads, processes] =
                cost::in_turn([&|| run(analyze(input.folder(), Some(2))), &|| dump_all(peer, &input, 2), &|| {
                    dump_side_by_side(peer, &input, 2)
                }])?;
            println!("evtx_dump -t 2 -o jsonl, a process a log: {}", cost::medians(&threads));
            println!("{DUMP}, two at a time: {}", cost::medians(&processes));
            cost::print("crashsift analyze -j 2, against -t 2", &ours, &threads);
            cost::print("crashsift analyze -j 2, against two at a time", &ours, &processes);
        }
        Ok(())
    }

    /// Compares reading alone, up to evidence, with decoding everything and with reading bytes.
    fn scan(&self) -> Result<(), String> {
        let peer = self.evtx_dump.as_ref().ok_or("evtx_dump is missing")?;
        for which in [Which::Security, Which::System, Which::Mixed] {
            let input = self.inputs.get(which)?;
            let logs = input.logs();
            let [one, two] = [1, 2].map(|threads| Reader::of_catalogue(threads, &logs));
            let [one_thread, two_threads, dump, checked, dump_by_two, cat] = cost::in_turn([
                &|| one.read(),
                &|| two.read(),
                &|| dump_all(peer, &input, 1),
                &|| logs.iter().try_for_each(|log| run(evtx_dump_checked(peer, log))),
                &|| dump_all(peer, &input, 2),
                &|| run(cat(&logs)),
            ])?;
            println!("cat: {}", cost::medians(&cat));
            println!("{DUMP}: {}", cost::medians(&dump));
            println!("the same with --validate-checksums: {}", cost::medians(&checked));
            println!("evtx_dump -t 2 -o jsonl, a process a log: {}", cost::medians(&dump_by_two));
            println!("the library reads the events of its catalogue: {}", one.amount().describe());
            cost::print("  one thread, against -t 1", &one_thread, &dump);
            cost::print("  one thread, against -t 1 with checksums", &one_thread, &checked);
            cost::print("  two threads, against -t 2", &two_threads, &dump_by_two);
            let share = 100.0 * cost::ratio(&cat, &one_thread, |cost| cost.wall);
            let gain = cost::ratio(&one_thread, &two_threads, |cost| cost.wall);
            println!("  one thread has {share:.0} % of cat's throughput; two threads take {gain:.2} times less wall");
        }
        Ok(())
    }

    /// Compares with decoding everything, for larger shares of wanted records.
    fn share(&self) -> Result<(), String> {
        let peer = self.evtx_dump.as_ref().ok_or("evtx_dump is missing")?;
        for which in [Which::Security, Which::System] {
            let input = self.inputs.get(which)?;
            let logs = input.logs();
            let readers = SHARES.map(|share| Reader::of_share(share, &logs));
            let [thousandth, hundredth, tenth, all] = &readers;
            let (dumped, bytes) = library::count_dumped(peer, &logs)?;
            all.read()?;
            if all.amount().records != dumped {
                return Err(format!("evtx_dump prints {dumped} records, but {} were read", all.amount().records));
            }
            let [ours @ .., theirs] = cost::in_turn([
                &|| thousandth.read(),
                &|| hundredth.read(),
                &|| tenth.read(),
                &|| all.read(),
                &|| dump_all(peer, &input, 1),
            ])?;
            let json = library::mebibytes(bytes);
            println!("{DUMP}: {dumped} records, {json:.1} MiB of JSON; {}", cost::medians(&theirs));
            for (reader, ours) in readers.iter().zip(&ours) {
                println!("the library reads {} %: {}", reader.percent(), reader.amount().describe());
                cost::print("  one process, one thread", ours, &theirs);
            }
        }
        Ok(())
    }

    /// Compares with reading bytes alone.
    fn cat(&self) -> Result<(), String> {
        let input = self.inputs.get(Which::Mixed)?;
        let logs = input.logs();
        let [cat, one, two] = cost::in_turn([&|| run(cat(&logs)), &|| run(analyze(input.folder(), Some(1))), &|| {
            run(analyze(input.folder(), Some(2)))
        }])?;
        println!("cat: {}", cost::medians(&cat));
        for (threads, ours) in [(1, &one), (2, &two)] {
            println!(
                "crashsift analyze -j {threads}: {}; {:.0} % of cat's throughput by wall, {:.0} % by cpu",
                cost::medians(ours),
                100.0 * cost::ratio(&cat, ours, |cost| cost.wall),
                100.0 * cost::ratio(&cat, ours, |cost| cost.cpu),
            );
        }
        println!("two threads against one: {:.2} times less wall", cost::ratio(&one, &two, |cost| cost.wall));
        Ok(())
    }

    /// Compares with programs that search the same events. They take long, so each has one round. Only the figures for
    /// wall time on small logs are from a program that takes turns.
    fn hunt(&self) -> Result<(), String> {
        for which in [Which::Mixed, Which::Small] {
            let input = self.inputs.get(which)?;
            let place = self.inputs.empty_folder("answers")?;
            let own = Question::crashsift(input.folder(), &place);
            let [ours] = cost::in_turn([&|| own.ask()])?;
            println!("{}: {}; {}", own.name, cost::medians(&ours), found(&own.answer, &input)?);
            for question in self.questions(input.folder(), &place)? {
                if which == Which::Small && question.name == CHAINSAW_SEARCH {
                    match cost::rounds_in_turn(SEARCH_ROUNDS, [&|| own.ask(), &|| question.ask()]) {
                        Ok([ours, theirs]) => print_search(&question, &theirs, &ours, &input)?,
                        Err(reason) => println!("{}: not measured: {reason}", question.name),
                    }
                    continue;
                }
                match cost::once(&|| question.ask()) {
                    Ok(theirs) => print_answer(&question, &theirs, &ours, &input)?,
                    Err(reason) => println!("{}: not measured: {reason}", question.name),
                }
            }
        }
        Ok(())
    }

    fn questions(&self, folder: &Path, place: &Path) -> Result<Vec<Question>, String> {
        let mut questions = Vec::new();
        if let Some(peer) = &self.chainsaw {
            questions.push(Question::chainsaw_search(peer, folder, place));
            questions.push(Question::chainsaw_hunt(peer, folder, place)?);
        }
        match (&self.hayabusa, &self.hayabusa_config) {
            (Some(peer), Some(config)) => questions.push(Question::hayabusa(peer, config, folder, place)?),
            (Some(_), None) => println!("hayabusa: not measured: HAYABUSA_CONFIG is not set"),
            (None, _) => {}
        }
        Ok(questions)
    }

    /// The second run over unchanged logs.
    fn cache(&self) -> Result<(), String> {
        let help = analyze(Path::new("--help"), None).output().map_err(|error| error.to_string())?;
        if !String::from_utf8_lossy(&help.stdout).contains("--cache") {
            return Err("crashsift analyze has no option --cache".to_owned());
        }
        let input = self.inputs.get(Which::Mixed)?;
        let place = self.inputs.empty_folder("answers")?;
        let cached = || {
            let mut command = analyze(input.folder(), Some(1));
            command.arg("--cache").arg(place.join("cache"));
            command
        };
        let reports = ["without", "first", "second", "other"].map(|name| place.join(format!("{name}.json")));
        let [without, first, second, other] = &reports;
        let [full, filling, filled, logs_only] = cost::in_turn([
            &|| run_into(analyze(input.folder(), Some(1)), without),
            &|| {
                remove_if_there(&place.join("cache"))?;
                run_into(cached(), first)
            },
            &|| run_into(cached(), second),
            &|| {
                remove_answers(&place.join("cache"))?;
                run_into(cached(), other)
            },
        ])?;
        println!("crashsift analyze -j 1: {}", cost::medians(&full));
        println!("the same with an empty --cache: {}", cost::medians(&filling));
        cost::print("the same with a filled --cache, against none", &filled, &full);
        cost::print("the same where something else was added, so that it knows the logs only", &logs_only, &full);
        if let Some(peer) = &self.evtx_dump {
            let [ours, theirs] = cost::in_turn([&|| run_into(cached(), second), &|| dump_all(peer, &input, 1)])?;
            println!("{DUMP}: {}", cost::medians(&theirs));
            cost::print("the same with a filled --cache, against evtx_dump", &ours, &theirs);
        }
        let texts = reports.iter().map(fs::read).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let equal = texts.iter().all(|text| Some(text) == texts.first());
        println!("the four reports are {}", if equal { "equal, byte for byte" } else { "NOT equal" });
        Ok(())
    }

    /// Peak memory.
    fn memory(&self) -> Result<(), String> {
        let security = self.inputs.get(Which::Security)?;
        let log = security.logs().into_iter().next().ok_or("there is no log")?;
        self.print_memory("one log", &log)?;
        let mixed = self.inputs.get(Which::Mixed)?;
        for threads in [1, 2] {
            let peak = cost::peak(&analyze(mixed.folder(), Some(threads)))?;
            println!("crashsift analyze -j {threads}, mixed: {peak:.1} MiB");
        }
        if !self.large {
            println!("the large log is left out: CRASHSIFT_BENCH_LARGE is not 1");
            return Ok(());
        }
        let large = self.inputs.get(Which::Large)?;
        let log = large.logs().into_iter().next().ok_or("there is no log")?;
        self.print_memory("large", &log)
    }

    fn print_memory(&self, name: &str, log: &Path) -> Result<(), String> {
        for threads in [1, 2] {
            let peak = cost::peak(&analyze(log, Some(threads)))?;
            println!("crashsift analyze -j {threads}, {name}: {peak:.1} MiB");
            if let Some(peer) = &self.evtx_dump {
                let peak = cost::peak(&evtx_dump(peer, log, threads))?;
                println!("evtx_dump -t {threads} -o jsonl, {name}: {peak:.1} MiB");
            }
        }
        Ok(())
    }
}

/// Rounds of `chainsaw search` on small logs.
const SEARCH_ROUNDS: usize = 3;

/// The most common way to run the peer.
const DUMP: &str = "evtx_dump -t 1 -o jsonl, a process a log";

/// Dumps one log after the other.
fn dump_all(peer: &Peer, input: &Input, threads: usize) -> Result<(), String> {
    input.logs().iter().try_for_each(|log| run(evtx_dump(peer, log, threads)))
}

/// Dumps this number of logs at a time, each in a process with one thread; when a process ends, the next log begins.
fn dump_side_by_side(peer: &Peer, input: &Input, processes: usize) -> Result<(), String> {
    let logs = input.logs();
    let next = AtomicUsize::new(0);
    let dump = || {
        while let Some(log) = logs.get(next.fetch_add(1, Ordering::Relaxed)) {
            run(evtx_dump(peer, log, 1))?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..processes).map(|_| scope.spawn(dump)).collect();
        lanes.into_iter().try_for_each(|lane| lane.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    })
}

fn remove_if_there(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    }
}

/// Removes the answers of a cache, but not its evidence of logs.
fn remove_answers(cache: &Path) -> Result<(), String> {
    let entries = fs::read_dir(cache).map_err(|error| format!("{}: {error}", cache.display()))?;
    let answers = entries.flatten().map(|entry| entry.path());
    for answer in answers.filter(|path| path.extension().is_some_and(|extension| extension == "crashsift-answer")) {
        fs::remove_file(&answer).map_err(|error| format!("{}: {error}", answer.display()))?;
    }
    Ok(())
}

fn print_answer(question: &Question, theirs: &Cost, ours: &[Cost], input: &Input) -> Result<(), String> {
    let theirs = [*theirs];
    println!(
        "{}, one round: {}, {:.1} times our cpu, {:.1} times our wall; {}",
        question.name,
        cost::medians(&theirs),
        cost::ratio(&theirs, ours, |cost| cost.cpu),
        cost::ratio(&theirs, ours, |cost| cost.wall),
        found(&question.answer, input)?,
    );
    Ok(())
}

fn print_search(question: &Question, theirs: &[Cost], ours: &[Cost], input: &Input) -> Result<(), String> {
    let found = found(&question.answer, input)?;
    println!("{}, {SEARCH_ROUNDS} rounds in turn: {}; {found}", question.name, cost::medians(theirs));
    cost::print("  crashsift analyze, in the same rounds", ours, theirs);
    Ok(())
}

/// The wanted events that an answer reports.
fn found(answer: &Path, input: &Input) -> Result<String, String> {
    let file = File::open(answer).map_err(|error| format!("{}: {error}", answer.display()))?;
    let mut records = BTreeSet::new();
    for value in serde_json::Deserializer::from_reader(BufReader::new(file)).into_iter::<Value>() {
        named_records(&value.map_err(|error| error.to_string())?, &mut records);
    }
    let wanted = records.iter().filter(|record| input.is_wanted(**record)).count();
    Ok(format!(
        "reports {wanted} of {} wanted events, and {} others",
        input.wanted(),
        records.len().saturating_sub(wanted)
    ))
}

/// The record ids in an answer: in the event's own field, in Hayabusa's column or in our places.
fn named_records(value: &Value, records: &mut BTreeSet<u64>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let id = match name.as_str() {
                    "EventRecordID" | "RecordID" => {
                        member.as_u64().or_else(|| member.as_str().and_then(|text| text.parse().ok()))
                    }
                    "place" => member.as_str().and_then(|place| place.strip_prefix("record ")?.parse().ok()),
                    _ => None,
                };
                records.extend(id);
                named_records(member, records);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| named_records(item, records)),
        _ => {}
    }
}
