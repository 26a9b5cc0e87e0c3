//! The driver list of a triage dump.
//!
//! The list's layout is not documented, its entries changed their length over time, and a wrong list would put
//! addresses into the wrong drivers. So a list is believed only if it makes sense as a whole: it begins with the
//! kernel, whose image contains the addresses of the kernel's own data in the header.

use evidence::{Address, KernelDriver, Names, base_name};

use super::layout::{driver_entry, is_image_range, wide_text};
use super::unusable_list::UnusableList;
use untrusted::bytes::{pointer_at, u32_at};

/// The most drivers that are read, more than any system loads: bounds the work for a hostile dump.
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
    /// How many drivers the dump counts; at most [`MOST_DRIVERS`].
    pub count: u32,
    /// The string pool's bytes.
    pub pool: &'a [u8],
    /// Where the string pool begins in the file.
    pub pool_offset: u32,
    /// Whether pointers have 64 bits.
    pub wide: bool,
}

/// The drivers that were read, and how many entries of the list were not sound.
#[derive(Debug, Default)]
pub(super) struct Drivers {
    pub sound: Vec<KernelDriver>,
    pub unsound: usize,
}

impl DriverList<'_> {
    /// Reads the list. `kernel_addresses` must lie in the first driver's image.
    ///
    /// # Errors
    ///
    /// When the list is not believed.
    pub fn read(&self, kernel_addresses: &[Address], names: &Names) -> Result<Drivers, UnusableList> {
        let mut reason = UnusableList::NoRoom;
        for length in self.entry_lengths() {
            let drivers = self.read_entries(length, names);
            match check_list(&drivers, kernel_addresses) {
                Ok(()) => return Ok(drivers),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    /// Possible lengths of an entry: first by the distance to the string pool, then the lengths known.
    fn entry_lengths(&self) -> impl Iterator<Item = usize> {
        let known = driver_entry::LENGTHS.of(self.wide);
        let [shortest, ..] = known;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let available = self.entries.len();
        let derived = available.checked_div(count).unwrap_or(0);
        let plausible = derived.is_multiple_of(driver_entry::ALIGNMENT.of(self.wide))
            && (shortest..=driver_entry::LONGEST).contains(&derived);
        let derived = plausible.then_some(derived);
        let others = known.into_iter().filter(move |length| Some(*length) != derived);
        derived
            .into_iter()
            .chain(others)
            .filter(move |length| length.checked_mul(count).is_some_and(|needed| needed <= available))
    }

    fn read_entries(&self, length: usize, names: &Names) -> Drivers {
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let mut drivers = Drivers::default();
        for entry in self.entries.chunks_exact(length).take(count) {
            match self.read_entry(entry, names) {
                Some(driver) => drivers.sound.push(driver),
                None => drivers.unsound = drivers.unsound.saturating_add(1),
            }
        }
        drivers
    }

    fn read_entry(&self, entry: &[u8], names: &Names) -> Option<KernelDriver> {
        let path = self.text_at(u32_at(entry, driver_entry::NAME)?)?;
        let base = pointer_at(entry, driver_entry::BASE.of(self.wide), self.wide)?;
        let size = u32_at(entry, driver_entry::SIZE.of(self.wide))?;
        let timestamp = u32_at(entry, driver_entry::TIMESTAMP.of(self.wide))?;
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
        wide_text(self.pool.get(first..last)?)
    }
}

/// Checks that a list makes sense as a whole.
///
/// # Errors
///
/// What makes no sense.
pub(super) fn check_list(drivers: &Drivers, kernel_addresses: &[Address]) -> Result<(), UnusableList> {
    let kernel = drivers.sound.first().ok_or(UnusableList::NothingSound)?;
    if !KERNELS.iter().any(|name| kernel.name.eq_ignore_ascii_case(name)) {
        return Err(UnusableList::NoKernel(kernel.name.to_string()));
    }
    if let Some(address) = kernel_addresses.iter().find(|address| kernel.offset_of(**address).is_none()) {
        return Err(UnusableList::OutsideOfKernel(*address));
    }
    if drivers.unsound > drivers.sound.len() {
        return Err(UnusableList::MostlyUnsound);
    }
    let mut by_address: Vec<&KernelDriver> = drivers.sound.iter().collect();
    by_address.sort_by_key(|driver| driver.base);
    let mut neighbours = by_address.iter().zip(by_address.iter().skip(1));
    match neighbours.find(|(lower, upper)| lower.offset_of(upper.base).is_some()) {
        Some((lower, upper)) => Err(UnusableList::Overlap(lower.name.to_string(), upper.name.to_string())),
        None => Ok(()),
    }
}
