//! The driver list of a triage dump.
//!
//! The list's layout is not documented, its entries changed their length over time, and a wrong list would put
//! addresses into the wrong drivers. So a list is believed only if it makes sense as a whole: it begins with the
//! kernel, whose image contains the addresses that the header says lie in it.

use evidence::{Address, KernelDriver, Names, base_name};

use super::layout::{
    DriverEntry, LONGEST_DRIVER_ENTRY, NARROW_DRIVER, WIDE_DRIVER, is_image_range, pointer_at, u32_at,
};

/// More drivers than any system loads; bounds what a hostile dump can make us read.
pub(super) const MOST_DRIVERS: u32 = 2048;

/// More UTF-16 units than a driver's path has.
const LONGEST_NAME: u32 = 1024;
/// The kernel's file names; on older 32-bit systems it depends on processors and addressing.
const KERNELS: [&str; 4] = ["ntoskrnl.exe", "ntkrnlmp.exe", "ntkrnlpa.exe", "ntkrpamp.exe"];

/// The parts of a dump that the driver list is read from.
#[derive(Debug)]
pub(super) struct DriverList<'a> {
    /// The bytes from the list's beginning to the string pool's.
    pub entries: &'a [u8],
    /// How many drivers the dump says there are; at most [`MOST_DRIVERS`].
    pub count: u32,
    /// The string pool's bytes.
    pub pool: &'a [u8],
    /// Where the string pool begins in the file.
    pub pool_offset: u32,
    /// Whether pointers have 64 bits.
    pub wide: bool,
}

/// The drivers that were read, and how many entries of the list were not sound.
#[derive(Debug)]
pub(super) struct Drivers {
    pub sound: Vec<KernelDriver>,
    pub unsound: usize,
}

impl DriverList<'_> {
    /// Reads the list. `kernel_addresses` must lie in the first driver's image.
    ///
    /// # Errors
    ///
    /// Why the list is not believed.
    pub fn read(&self, kernel_addresses: &[Address], names: &Names) -> Result<Drivers, String> {
        let mut reason = String::from("the space before the string pool does not hold that many entries");
        for length in self.entry_lengths() {
            let drivers = self.read_entries(length, names);
            match believable(&drivers, kernel_addresses) {
                Ok(()) => return Ok(drivers),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    fn layout(&self) -> DriverEntry {
        if self.wide { WIDE_DRIVER } else { NARROW_DRIVER }
    }

    /// Possible lengths of an entry: first what the distance to the string pool says, then the lengths known.
    fn entry_lengths(&self) -> impl Iterator<Item = usize> {
        let layout = self.layout();
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let available = self.entries.len();
        let derived = available.checked_div(count).unwrap_or(0);
        let plausible =
            derived.is_multiple_of(layout.alignment) && (layout.length..=LONGEST_DRIVER_ENTRY).contains(&derived);
        let known = [layout.length].into_iter().chain(layout.other_lengths.iter().copied());
        plausible
            .then_some(derived)
            .into_iter()
            .chain(known.filter(move |length| *length != derived || !plausible))
            .filter(move |length| length.checked_mul(count).is_some_and(|needed| needed <= available))
    }

    fn read_entries(&self, length: usize, names: &Names) -> Drivers {
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let mut drivers = Drivers { sound: Vec::new(), unsound: 0 };
        for entry in self.entries.chunks_exact(length).take(count) {
            match self.read_entry(entry, names) {
                Some(driver) => drivers.sound.push(driver),
                None => drivers.unsound = drivers.unsound.saturating_add(1),
            }
        }
        drivers
    }

    fn read_entry(&self, entry: &[u8], names: &Names) -> Option<KernelDriver> {
        let layout = self.layout();
        let path = self.text_at(u32_at(entry, layout.name)?)?;
        let base = pointer_at(entry, layout.base, self.wide)?;
        let size = u32_at(entry, layout.size)?;
        let timestamp = u32_at(entry, layout.timestamp)?;
        is_image_range(base, u64::from(size), self.wide).then(|| KernelDriver {
            name: names.share(base_name(&path)),
            path: names.share(&path),
            base: Address(base),
            size,
            timestamp: (timestamp != 0).then_some(timestamp),
        })
    }

    /// The string at `offset` of the file: its length in UTF-16 units, then the units.
    pub fn text_at(&self, offset: u32) -> Option<String> {
        let start = usize::try_from(offset.checked_sub(self.pool_offset)?).ok()?;
        let length = u32_at(self.pool, start).filter(|length| (1..=LONGEST_NAME).contains(length))?;
        let first = start.checked_add(4)?;
        let last = first.checked_add(usize::try_from(length).ok()?.checked_mul(2)?)?;
        let units = self.pool.get(first..last)?;
        let (pairs, _) = units.as_chunks::<2>();
        let name: String =
            char::decode_utf16(pairs.iter().map(|pair| u16::from_le_bytes(*pair))).collect::<Result<_, _>>().ok()?;
        (!name.contains(char::is_control)).then_some(name)
    }
}

/// Whether the list makes sense, or why not.
pub(super) fn believable(drivers: &Drivers, kernel_addresses: &[Address]) -> Result<(), String> {
    let Some(kernel) = drivers.sound.first() else {
        return Err("no entry has a name, an address and a size that a driver can have".into());
    };
    if !KERNELS.iter().any(|name| kernel.name.eq_ignore_ascii_case(name)) {
        return Err(format!("it begins with {} and not with the kernel", kernel.name));
    }
    for address in kernel_addresses {
        if kernel.offset_of(*address).is_none() {
            return Err(format!("the kernel's image does not contain {address}, which the header says is in it"));
        }
    }
    if drivers.unsound > drivers.sound.len() {
        return Err("most entries have no name, address and size that a driver can have".into());
    }
    let mut by_address: Vec<&KernelDriver> = drivers.sound.iter().collect();
    by_address.sort_by_key(|driver| driver.base);
    for (lower, upper) in by_address.iter().zip(by_address.iter().skip(1)) {
        if lower.offset_of(upper.base).is_some() {
            return Err(format!("the images of {} and {} overlap", lower.name, upper.name));
        }
    }
    Ok(())
}
