//! Kernel-mode dumps: `MEMORY.DMP`, the small dumps in `Minidump`, and live kernel reports.
//!
//! Every kernel dump begins with a header that holds the bugcheck code with its parameters. A triage dump (the small
//! kind) goes on with a block of offsets, one of which leads to the list of loaded drivers. Dumps can be as large as
//! the machine's memory, so a few places are read by position and the rest is never touched.
//!
//! Only 64-bit triage dumps have a driver list that is read; other kinds hold theirs in pages of kernel memory.

mod drivers;
mod header;
mod layout;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use drivers::{DriverList, Drivers, MOST_DRIVERS};
use header::{Header, layout_of};
use layout::{driver, triage, u32_at};

use super::{Loss, ReadContext, Reading, Unreadable};
use crate::evidence::{CpuArchitecture, Evidence, KernelDriver, KernelDump, KernelDumpType, Names, Observation, Place};

/// The largest string pool that is read, bytes; real ones have some ten thousand.
const LARGEST_STRING_POOL: u32 = 4 << 20;

/// Whether a file that begins with `first_bytes` is a kernel dump: `PAGEDU64` or `PAGEDUMP`.
#[must_use]
pub fn is_kernel_dump(first_bytes: &[u8]) -> bool {
    layout_of(first_bytes).is_some()
}

/// Reads the kernel dump in `file`, which has `bytes` bytes.
///
/// # Errors
///
/// When the file is not a kernel dump, or can't be read at all.
pub fn read(file: &mut File, bytes: u64, context: &ReadContext) -> Result<Reading, Unreadable> {
    read_dump(Source { file, bytes }, &context.names)
}

fn read_dump<F: Read + Seek>(mut source: Source<F>, names: &Names) -> Result<Reading, Unreadable> {
    let mut losses = Vec::new();
    let header = read_header(&mut source, &mut losses)?;
    if header.dump_type == Some(KernelDumpType::Triage) {
        check_end_of_triage(&mut source, &header, &mut losses);
    } else if let Some(needed) = header.required_space.filter(|needed| *needed > source.bytes) {
        losses.push(cut("dump", source.bytes, needed));
    }
    let drivers = if header.dump_type == Some(KernelDumpType::Triage) && header.layout.wide {
        read_drivers(&mut source, &header, names, &mut losses)
    } else {
        Vec::new()
    };
    let evidence = observation(&header, drivers, &mut losses)
        .map(|dump| Evidence { place: Place::Header, observation: Observation::Kernel(Box::new(dump)) });
    Ok(Reading { evidence: evidence.into_iter().collect(), losses, ..Reading::default() })
}

fn read_header<F: Read + Seek>(source: &mut Source<F>, losses: &mut Vec<Loss>) -> Result<Header, Unreadable> {
    let unreadable = |reason| Unreadable::at("header", reason);
    let magic = source.read(0, source.bytes.min(8)).map_err(unreadable)?;
    let layout = layout_of(&magic)
        .ok_or_else(|| unreadable("the file does not begin with PAGEDU64 or PAGEDUMP, as kernel dumps do".into()))?;
    let present = source.bytes.min(layout.length);
    let header = Header::read(&source.read(0, present).map_err(unreadable)?, layout);
    if present < layout.length {
        losses.push(cut("header", present, layout.length));
    }
    Ok(header)
}

/// The dump as evidence; `None` if its header does not even hold a bugcheck code.
fn observation(header: &Header, drivers: Vec<KernelDriver>, losses: &mut Vec<Loss>) -> Option<KernelDump> {
    let Some(code) = header.code else {
        losses.push(Loss::new("header", "the bugcheck code was never set or is cut off"));
        return None;
    };
    let mut missing = |field: &str| losses.push(Loss::new("header", format!("{field} was never set or is cut off")));
    for (number, parameter) in (1_u8..).zip(&header.parameters) {
        if parameter.is_none() {
            missing(&format!("parameter {number} of the bugcheck"));
        }
    }
    if header.build.is_none() {
        missing("the build number");
    }
    if header.dump_type.is_none() {
        missing("the kind of dump");
    }
    Some(KernelDump {
        dump_type: header.dump_type.unwrap_or(KernelDumpType::Other(0)),
        code,
        parameters: header.parameters.map(Option::unwrap_or_default),
        build: header.build.unwrap_or_default(),
        cpu: header.cpu.unwrap_or(CpuArchitecture::Other),
        cpu_count: header.cpu_count.unwrap_or_default(),
        time: header.time,
        uptime: header.uptime,
        exception_address: header.exception_address,
        drivers,
    })
}

/// Reports a triage dump that is shorter than it says, or that was not written to its end.
///
/// `RequiredDumpSpace` is no measure here: whole triage dumps are shorter than it says.
fn check_end_of_triage<F: Read + Seek>(source: &mut Source<F>, header: &Header, losses: &mut Vec<Loss>) {
    let block = match read_triage_block(source, header) {
        Ok(block) => block,
        Err(loss) => return losses.push(loss),
    };
    let (Some(size), Some(end)) = (u32_at(&block, triage::SIZE_OF_DUMP), u32_at(&block, triage::END_MARK)) else {
        return;
    };
    if u64::from(size) > source.bytes {
        losses.push(cut("dump", source.bytes, u64::from(size)));
    } else if source.read(u64::from(end), 4).as_deref() != Ok(triage::END.as_slice()) {
        losses.push(Loss::new("triage block", format!("the end mark is not at offset {end:#x}, where it should be")));
    }
}

fn read_drivers<F: Read + Seek>(
    source: &mut Source<F>,
    header: &Header,
    names: &Names,
    losses: &mut Vec<Loss>,
) -> Vec<KernelDriver> {
    // A block that can't be read has been reported when the dump's end was checked.
    let Ok(block) = read_triage_block(source, header) else {
        return Vec::new();
    };
    let lost = |reason: String| Loss::new("driver list", reason);
    match driver_list(source, &block, header, names) {
        Ok(Drivers { sound, unsound }) => {
            if unsound > 0 {
                losses.push(lost(format!("{unsound} entries make no sense and are left out")));
            }
            let options = u32_at(&block, triage::OPTIONS).unwrap_or_default();
            // All bits set is what dumps without any restriction hold.
            if options != u32::MAX && options & triage::OVERFLOWED != 0 {
                losses.push(lost("Windows left drivers out when it wrote the dump".into()));
            }
            sound
        }
        Err(reason) => {
            losses.push(lost(format!("not used: {reason}")));
            Vec::new()
        }
    }
}

fn driver_list<F: Read + Seek>(
    source: &mut Source<F>,
    block: &[u8],
    header: &Header,
    names: &Names,
) -> Result<Drivers, String> {
    let field = |offset| u32_at(block, offset).ok_or("the triage block is cut");
    let (list, count) = (field(triage::DRIVER_LIST)?, field(triage::DRIVER_COUNT)?);
    let (pool_offset, pool_size) = (field(triage::STRING_POOL)?, field(triage::STRING_POOL_SIZE)?);
    if list == 0 || count == 0 {
        return Err("the dump says that it has none".into());
    }
    if count > MOST_DRIVERS {
        return Err(format!("{count} drivers are more than a system loads"));
    }
    if pool_size > LARGEST_STRING_POOL {
        return Err(format!("a string pool of {pool_size} bytes is larger than the names of drivers need"));
    }
    let space = pool_offset
        .checked_sub(list)
        .ok_or_else(|| format!("the string pool at {pool_offset:#x} lies before the list at {list:#x}"))?;
    let longest = count.saturating_mul(u32::try_from(driver::LONGEST).unwrap_or(u32::MAX));
    let entries = source.read(u64::from(list), u64::from(space.min(longest)))?;
    let pool = source.read(u64::from(pool_offset), u64::from(pool_size))?;
    DriverList { entries: &entries, count, pool: &pool, pool_offset }.read(&header.kernel_addresses, names)
}

fn read_triage_block<F: Read + Seek>(source: &mut Source<F>, header: &Header) -> Result<Vec<u8>, Loss> {
    let length = u64::try_from(triage::LENGTH).unwrap_or(u64::MAX);
    source.read(header.layout.length, length).map_err(|reason| Loss::new("triage block", reason))
}

fn cut(place: &str, present: u64, needed: u64) -> Loss {
    Loss::new(place, format!("the file ends after {present} of {needed} bytes"))
}

/// A file that is read in a few places.
struct Source<F> {
    file: F,
    /// The file's length.
    bytes: u64,
}

impl<F: Read + Seek> Source<F> {
    /// The `length` bytes at `offset`, or why there are not that many. Nothing is allocated for bytes that the file
    /// does not have.
    fn read(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, String> {
        let within = offset.checked_add(length).is_some_and(|end| end <= self.bytes);
        let length = usize::try_from(length).ok().filter(|_| within).ok_or_else(|| {
            format!("the file ends at {:#x}, before the end of the {length} bytes at {offset:#x}", self.bytes)
        })?;
        let mut bytes = vec![0; length];
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|error| format!("reading {length} bytes at {offset:#x} failed: {error}"))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
