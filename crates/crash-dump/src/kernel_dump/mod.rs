//! Kernel-mode dumps: `MEMORY.DMP`, the small dumps in `Minidump`, and live kernel reports.
//!
//! Every kernel dump begins with a header that holds the bugcheck code with its parameters. A triage dump (the small
//! kind) goes on with a block of offsets, which lead to the lists of loaded and unloaded drivers and to the stack. Full
//! and bitmap dumps of 64-bit PCs hold the kernel's memory page by page, from which the same is read through the page
//! tables. Dumps can be as large as the machine's memory, so a few places are read by position and the rest is never
//! touched. Of other kinds only the header is read.

mod black_box;
mod debugger_data;
mod drivers;
mod header;
mod layout;
mod loaded_list;
mod memory;
mod page_tables;
mod pages;
mod power;
mod process;
mod processor;
mod saved_events;
mod secondary_data;
mod source;
mod stack;
mod state;
mod unloaded;
mod unusable_list;
mod width;

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;

use drivers::{DriverList, Drivers, MOST_DRIVERS};
use header::Header;
use layout::{driver_entry, header as field, triage};
use memory::{Memory, TriageMemory};
use page_tables::PagedMemory;
use pages::Pages;
use source::Source;
use stack::Registers;
use unusable_list::UnusableList;

use crate::error::{Error, ErrorKind};
use crate::options::Options;
use evidence::Reading;
use evidence::{
    Address, BugcheckCode, CpuArchitecture, Evidence, KernelDriver, KernelDump, KernelDumpType, KernelFrame,
    KernelState, Names, Observation, Place, UnloadedDriver, base_name,
};
use untrusted::Loss;
use untrusted::bytes::u32_at;
use untrusted::notation::filetime;

/// The largest string pool that is read, bytes; real ones have some ten thousand.
const LARGEST_STRING_POOL: u32 = 4 << 20;

/// Whether a file that begins with `first_bytes` is a kernel dump: `PAGEDU64` or `PAGEDUMP`.
#[must_use]
pub fn is_kernel_dump(first_bytes: &[u8]) -> bool {
    Header::announced_width(first_bytes).is_some()
}

/// Reads the kernel dump in `file`, which has `bytes` bytes.
///
/// # Errors
///
/// When the file is not a kernel dump, or can't be read at all.
pub fn read_kernel_dump(file: &mut File, bytes: u64, options: &Options<'_>) -> Result<Reading, Error> {
    read_dump(Source { file, bytes }, options.names, options.walk_stacks)
}

/// What a dump holds beyond its header.
#[derive(Debug, Default)]
struct Contents {
    drivers: Vec<KernelDriver>,
    /// Whether the driver list has no gaps.
    complete: bool,
    unloaded: Option<Vec<UnloadedDriver>>,
    named_driver: Option<Arc<str>>,
    frames: Vec<KernelFrame>,
    state: KernelState,
}

fn read_dump<F: Read + Seek>(mut source: Source<F>, names: &Names, walk_stack: bool) -> Result<Reading, Error> {
    let mut losses = Vec::new();
    let header = read_header(&mut source, &mut losses).map_err(|kind| kind.at("header"))?;
    let contents = if header.dump_type() == Some(KernelDumpType::Triage) {
        read_triage(&mut source, &header, names, walk_stack, &mut losses)
    } else {
        if let Some(needed) = header.long(field::REQUIRED_SPACE).filter(|needed| *needed > source.bytes) {
            losses.push(cut("dump", source.bytes, needed));
        }
        read_pages(&mut source, &header, names, walk_stack, &mut losses)
    };
    let evidence = observation(&header, contents, &mut losses)
        .map(|dump| Evidence { place: Place::Header, observation: Observation::Kernel(Box::new(dump)) });
    Ok(Reading { evidence: evidence.into_iter().collect(), losses, ..Reading::default() })
}

fn read_header<F: Read + Seek>(source: &mut Source<F>, losses: &mut Vec<Loss>) -> Result<Header, ErrorKind> {
    let magic = source.read(0, source.bytes.min(8))?;
    let wide = Header::announced_width(&magic).ok_or(ErrorKind::NoKernelDump)?;
    let needed = field::LENGTH.of(wide);
    let present = source.bytes.min(needed);
    let header = Header::new(source.read(0, present)?, wide);
    if present < needed {
        losses.push(cut("header", present, needed));
    }
    Ok(header)
}

/// The dump as evidence; `None` if its header does not even hold a bugcheck code.
fn observation(header: &Header, contents: Contents, losses: &mut Vec<Loss>) -> Option<KernelDump> {
    let Some(code) = header.number(field::CODE) else {
        losses.push(Loss::new("header", "the bugcheck code was never set or is cut off"));
        return None;
    };
    let parameters = field::PARAMETERS.map(|parameter| header.pointer(parameter));
    let (build, dump_type) = (header.number(field::BUILD), header.dump_type());
    let mut missing = |what: &str| losses.push(Loss::new("header", format!("{what} was never set or is cut off")));
    for (number, parameter) in (1_u8..).zip(&parameters) {
        if parameter.is_none() {
            missing(&format!("parameter {number} of the bugcheck"));
        }
    }
    if build.is_none() {
        missing("the build number");
    }
    if dump_type.is_none() {
        missing("the kind of dump");
    }
    Some(KernelDump {
        dump_type: dump_type.unwrap_or(KernelDumpType::Other(0)),
        all_memory: header.holds_all_memory(),
        code: BugcheckCode(code),
        parameters: parameters.map(Option::unwrap_or_default),
        build: build.unwrap_or_default(),
        cpu: header.cpu().unwrap_or(CpuArchitecture::Other),
        cpu_count: header.number(field::PROCESSORS).unwrap_or_default(),
        time: header.long(field::SYSTEM_TIME).and_then(filetime),
        uptime: header.uptime(),
        exception_address: header.exception_address(),
        instruction_pointer: header.context().map(|(instruction, _)| Address(instruction)),
        comment: header.comment().map(Arc::from),
        drivers: contents.drivers,
        drivers_complete: contents.complete,
        unloaded: contents.unloaded,
        named_driver: contents.named_driver,
        frames: contents.frames,
        state: contents.state,
    })
}

/// What a triage dump holds: the block behind the header has the offset of each part.
fn read_triage<F: Read + Seek>(
    source: &mut Source<F>,
    header: &Header,
    names: &Names,
    walk_stack: bool,
    losses: &mut Vec<Loss>,
) -> Contents {
    let wide = header.wide;
    let block = match read_triage_block(source, header) {
        Ok(block) => block,
        Err(loss) => {
            losses.push(loss);
            return Contents::default();
        }
    };
    check_end_of_triage(source, &block, losses);
    let mut contents = Contents::default();
    match read_drivers(source, &block, header, names) {
        Ok((list, named)) => {
            let options = u32_at(&block, triage::OPTIONS).unwrap_or_default();
            // All bits set is what dumps without any restriction hold.
            let overflowed = options != u32::MAX && options & triage::OVERFLOWED != 0;
            if overflowed {
                losses.push(Loss::new("driver list", "Windows left drivers out when it wrote the dump"));
            }
            contents = with_drivers(list, losses);
            contents.complete &= !overflowed;
            contents.named_driver = named;
        }
        Err(reason) => losses.push(Loss::new("driver list", format!("not used: {reason}"))),
    }
    if let Some(offset) = u32_at(&block, triage::UNLOADED_DRIVERS).filter(|offset| *offset != 0) {
        let bytes = source.read_up_to(u64::from(offset), unloaded::longest_list(wide));
        match bytes.map_err(UnusableList::from).and_then(|bytes| unloaded::read(&bytes, wide, names)) {
            Ok(drivers) => contents.unloaded = Some(drivers),
            Err(reason) => losses.push(Loss::new("unloaded drivers", format!("not used: {reason}"))),
        }
    }
    let mut memory = TriageMemory::new(source, &block, wide, losses);
    if walk_stack {
        // The context may be one whose stack the dump does not hold.
        let pointer = header.context().map(|(_, stack)| stack);
        let held = pointer.filter(|pointer| !memory.read(*pointer, 1).is_empty());
        let begin = held.or_else(|| TriageMemory::<F>::top_of_stack(&block, wide));
        contents.frames = stack::frames(registers(header, begin), &contents.drivers, &mut memory);
    }
    contents.state = state::by_parameters(header, &contents.drivers, &mut memory, losses);
    state::add_copies(source, &block, header, names, &mut contents.state);
    if let Some(end) = u32_at(&block, triage::SIZE_OF_DUMP) {
        state::add_secondary_data(source, u64::from(end), names, &mut contents.state, losses);
    }
    contents
}

/// What a dump holds that keeps the kernel's memory in pages.
fn read_pages<F: Read + Seek>(
    source: &mut Source<F>,
    header: &Header,
    names: &Names,
    walk_stack: bool,
    losses: &mut Vec<Loss>,
) -> Contents {
    let nothing = Contents::default();
    // A header alone is what many people send.
    if source.bytes <= header.length() {
        return nothing;
    }
    if let Some(KernelDumpType::Other(number)) = header.dump_type() {
        losses.push(Loss::new(
            "header",
            format!("{number} is no kind of dump that is known, so only the header is read"),
        ));
    }
    if matches!(header.cpu(), None | Some(CpuArchitecture::Other)) {
        losses.push(Loss::new("header", "the processor is of no kind that is known, so only the header is read"));
    }
    let (Some(CpuArchitecture::X64), true) = (header.cpu(), header.wide) else { return nothing };
    let (head, root) = (header.address(field::MODULE_LIST), header.address(field::DIRECTORY_TABLE));
    let (Some(head), Some(root)) = (head, root) else { return nothing };
    let (pages, place) = match header.dump_type() {
        Some(KernelDumpType::Full) => (Pages::from_runs(header), Some("list of pages")),
        Some(KernelDumpType::Bitmap) => (Pages::from_bitmap(source, header.length()), Some("bitmap")),
        // Not all of these have a bitmap.
        Some(KernelDumpType::Automatic | KernelDumpType::Kernel) => (Pages::from_bitmap(source, header.length()), None),
        _ => (None, None),
    };
    let Some(pages) = pages else {
        losses.extend(place.map(|place| Loss::new(place, "makes no sense, so only the header is read")));
        return nothing;
    };
    let end = pages.end();
    let mut memory = PagedMemory::new(source, pages, root);
    let walked = match loaded_list::read(head, &header.kernel_addresses(), &mut memory, names) {
        Ok(walked) => walked,
        Err(reason) => {
            losses.push(Loss::new("driver list", format!("not used: {reason}")));
            return nothing;
        }
    };
    let mut contents = with_drivers(walked.drivers, losses);
    if let Some(reason) = walked.broken {
        losses.push(Loss::new("driver list", reason));
        contents.complete = false;
    }
    if walk_stack {
        contents.frames =
            stack::frames(registers(header, header.context().map(|(_, stack)| stack)), &contents.drivers, &mut memory);
    }
    contents.state = state::by_parameters(header, &contents.drivers, &mut memory, losses);
    state::add_from_memory(header, &mut memory, names, &mut contents.state);
    if let Some(end) = end {
        state::add_secondary_data(source, end, names, &mut contents.state, losses);
    }
    contents
}

fn with_drivers(list: Drivers, losses: &mut Vec<Loss>) -> Contents {
    if list.unsound > 0 {
        let reason = format!("{} entries make no sense and are left out", list.unsound);
        losses.push(Loss::new("driver list", reason));
    }
    Contents { complete: list.unsound == 0, drivers: list.sound, ..Contents::default() }
}

fn registers(header: &Header, stack_pointer: Option<u64>) -> Registers {
    Registers {
        instruction_pointer: header.context().map(|(instruction, _)| instruction),
        stack_pointer,
        wide: header.wide,
        intel: matches!(header.cpu(), Some(CpuArchitecture::X64 | CpuArchitecture::X86)),
    }
}

/// Reports a triage dump that is shorter than its own length, or that was not written to its end.
///
/// `RequiredDumpSpace` is no measure here: whole triage dumps are shorter.
fn check_end_of_triage<F: Read + Seek>(source: &mut Source<F>, block: &[u8], losses: &mut Vec<Loss>) {
    let (Some(size), Some(end)) = (u32_at(block, triage::SIZE_OF_DUMP), u32_at(block, triage::END_MARK)) else {
        return;
    };
    if u64::from(size) > source.bytes {
        losses.push(cut("dump", source.bytes, u64::from(size)));
    } else if source.read(u64::from(end), 4).ok().as_deref() != Some(triage::END.as_slice()) {
        losses.push(Loss::new("triage block", format!("the end mark is not at offset {end:#x}, where it should be")));
    }
}

/// The driver list, and the driver that the kernel itself named.
fn read_drivers<F: Read + Seek>(
    source: &mut Source<F>,
    block: &[u8],
    header: &Header,
    names: &Names,
) -> Result<(Drivers, Option<Arc<str>>), UnusableList> {
    let number = |offset| u32_at(block, offset).ok_or(UnusableList::BlockCut);
    let (list, count) = (number(triage::DRIVER_LIST)?, number(triage::DRIVER_COUNT)?);
    let (pool_offset, pool_size) = (number(triage::STRING_POOL)?, number(triage::STRING_POOL_SIZE)?);
    if list == 0 || count == 0 {
        return Err(UnusableList::None);
    }
    if count > MOST_DRIVERS {
        return Err(UnusableList::TooMany(count));
    }
    if pool_size > LARGEST_STRING_POOL {
        return Err(UnusableList::PoolTooLarge(pool_size));
    }
    let space = pool_offset.checked_sub(list).ok_or(UnusableList::PoolBeforeList { pool: pool_offset, list })?;
    let longest = u64::from(count).saturating_mul(driver_entry::LONGEST as u64);
    let entries = source.read(u64::from(list), u64::from(space).min(longest))?;
    let pool = source.read(u64::from(pool_offset), u64::from(pool_size))?;
    let list = DriverList { entries: &entries, count, pool: &pool, pool_offset, wide: header.wide };
    let drivers = list.read(&header.kernel_addresses(), names)?;
    // Believed only if it is the name of a driver that was loaded.
    let named = number(triage::NAMED_DRIVER).ok().and_then(|offset| list.text_at(offset)).and_then(|text| {
        let name = base_name(&text);
        let named = drivers.sound.iter().find(|driver| driver.name.eq_ignore_ascii_case(name));
        named.map(|driver| Arc::clone(&driver.name))
    });
    Ok((drivers, named))
}

/// The triage block: the fields that both widths share, and as much of the rest as the file has.
fn read_triage_block<F: Read + Seek>(source: &mut Source<F>, header: &Header) -> Result<Vec<u8>, Loss> {
    let lost = |error: ErrorKind| Loss::new("triage block", error.to_string());
    source.read(header.length(), triage::LENGTH).map_err(lost)?;
    source.read_up_to(header.length(), triage::WHOLE_LENGTH.of(header.wide)).map_err(lost)
}

fn cut(place: &str, present: u64, needed: u64) -> Loss {
    Loss::new(place, format!("the file ends after {present} of {needed} bytes"))
}

#[cfg(test)]
mod tests;
