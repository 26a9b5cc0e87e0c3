//! The drivers that had been unloaded when a triage dump was written.
//!
//! The list's layout is not documented. It is believed only if every entry is a name and a range of kernel memory.

use super::layout::{is_image_range, unloaded_entry, wide_text};
use super::unusable_list::UnusableList;
use evidence::{Address, Names, UnloadedDriver};
use untrusted::bytes::{pointer_at, u16_at, u32_at};

/// As many bytes as the longest list has, with the count before it.
pub(super) fn longest_list(wide: bool) -> u64 {
    u64::from(unloaded_entry::MOST).saturating_mul(unloaded_entry::LENGTH.of(wide) as u64).saturating_add(8)
}

/// Reads the list at the beginning of `bytes`.
///
/// # Errors
///
/// When the list is not believed.
pub(super) fn read(bytes: &[u8], wide: bool, names: &Names) -> Result<Vec<UnloadedDriver>, UnusableList> {
    let count = u32_at(bytes, 0).ok_or(UnusableList::Cut)?;
    if count > unloaded_entry::MOST {
        return Err(UnusableList::TooManyUnloaded(count));
    }
    // A count of 64 bits in 64-bit dumps; where no 32-bit dump was at hand, both widths are tried.
    let starts: &[usize] = if wide { &[8] } else { &[4, 8] };
    let read = |start: &usize| {
        let entries = bytes.get(*start..).unwrap_or_default().chunks_exact(unloaded_entry::LENGTH.of(wide));
        let wanted = usize::try_from(count).unwrap_or_default();
        let drivers: Vec<_> = entries.take(wanted).filter_map(|entry| driver(entry, wide, names)).collect();
        (drivers.len() == wanted).then_some(drivers)
    };
    starts.iter().find_map(read).ok_or(UnusableList::UnloadedUnsound)
}

fn driver(bytes: &[u8], wide: bool, names: &Names) -> Option<UnloadedDriver> {
    let start = pointer_at(bytes, unloaded_entry::START.of(wide), wide)?;
    let size = pointer_at(bytes, unloaded_entry::END.of(wide), wide)?.checked_sub(start)?;
    // The length in bytes may be that of a name of which only the beginning is kept.
    let units = usize::from(u16_at(bytes, 0)? >> 1).min(unloaded_entry::UNITS);
    let name = wide_text(bytes.get(unloaded_entry::NAME.of(wide)..)?.get(..units.checked_mul(2)?)?)?;
    let sound = !name.is_empty() && is_image_range(start, size, wide);
    sound.then(|| UnloadedDriver { name: names.share(&name), base: Address(start), size })
}
