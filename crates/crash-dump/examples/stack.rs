//! Prints the stack in a minidump or a kernel dump: module and offset of each frame, and how the frame was found.
//!
//! `cargo run -p crash-dump --example stack -- FILE [SYMBOLS...]`

use std::error::Error;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::ExitCode;

use crash_dump::{
    KernelDump, Names, Observation, Options, ProcessDump, Symbols, is_kernel_dump, is_minidump, read_kernel_dump,
    read_minidump,
};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(path) = arguments.next() else {
        eprintln!("usage: stack FILE [SYMBOLS...]");
        return ExitCode::from(2);
    };
    match print(&path, &arguments.collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn print(path: &PathBuf, symbols: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err("not a file".into());
    }
    let mut first = Vec::new();
    file.by_ref().take(8).read_to_end(&mut first)?;
    file.rewind()?;
    let symbols = Symbols::open(symbols)?;
    let names = Names::default();
    let options = Options { names: &names, walk_stacks: true, symbols: Some(&symbols) };
    let reading = if is_minidump(&first) {
        read_minidump(&mut file, about.len(), &options)?
    } else if is_kernel_dump(&first) {
        read_kernel_dump(&mut file, about.len(), &options)?
    } else {
        return Err("neither a minidump (begins with MDMP) nor a kernel dump (PAGEDUMP or PAGEDU64)".into());
    };
    for evidence in &reading.evidence {
        match &evidence.observation {
            Observation::Process(process) => print_process(process),
            Observation::Kernel(kernel) => print_kernel(kernel),
            _ => {}
        }
    }
    for note in symbols.notes() {
        eprintln!("{note}");
    }
    for loss in &reading.losses {
        eprintln!("not read: {loss}");
    }
    Ok(())
}

fn print_process(process: &ProcessDump) {
    match &process.exception {
        Some(exception) => {
            let reason = exception.foreign_reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            println!("exception {}{reason} at {}", exception.code, exception.address);
        }
        None => println!("no exception"),
    }
    let Some(thread) = &process.thread else { return println!("the dump does not name the thread that crashed") };
    let no_stack = if thread.frames.is_empty() { ": no stack" } else { "" };
    println!("thread {} (the process has {}){no_stack}", thread.id, process.thread_count);
    let modules = process.modules.as_deref().unwrap_or_default();
    for frame in &thread.frames {
        let place = frame.module.and_then(|index| {
            let module = modules.get(index)?;
            Some(format!("{}+{}", module.name, module.offset_of(frame.address)?))
        });
        let place = place.unwrap_or_else(|| frame.address.to_string());
        let function = frame.function.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        let probability = frame.probability.map(|likely| format!(" {likely:.2}")).unwrap_or_default();
        println!("{:13} {place}{function}{probability}", frame.trust.word());
    }
    for found in &process.detail.givers {
        let compared = if found.compared { ", compared" } else { "" };
        println!("value of frame {}{compared}", found.start);
        for giver in &found.givers {
            let module = giver.module.and_then(|index| modules.get(index)).map_or("no module", |module| module.name());
            let on_behalf = if giver.on_behalf { " on behalf of its caller" } else { "" };
            println!("  {} by {module}, frame {}{on_behalf}", giver.how.word(), giver.frame);
        }
        println!("  end: {}", found.end.word());
    }
}

fn print_kernel(kernel: &KernelDump) {
    let parameters = kernel.parameters.map(|parameter| format!("{parameter:#x}")).join(", ");
    println!("bugcheck {} ({parameters})", kernel.code);
    if kernel.frames.is_empty() {
        println!("no stack in this dump (its kind: {})", kernel.dump_type.word());
    }
    for frame in &kernel.frames {
        let place = frame.driver.and_then(|index| {
            let driver = kernel.drivers.get(index)?;
            Some(format!("{}+{}", driver.name, driver.offset_of(frame.address)?))
        });
        println!("{:8} {}", frame.trust.word(), place.unwrap_or_else(|| frame.address.to_string()));
    }
}
