//! The driver list of a dump that holds the kernel's memory: the list that `PsLoadedModuleList` heads.

use std::collections::BTreeSet;

use super::drivers::{Drivers, MOST_DRIVERS, check_list};
use super::layout::{PAGE, is_image_range, loader_entry, wide_text};
use super::memory::Memory;
use super::unusable_list::UnusableList;
use evidence::{Address, KernelDriver, Names, base_name};
use untrusted::bytes::{u16_at, u32_at, u64_at};

/// More bytes than a driver's path has.
const LONGEST_PATH: u16 = 2048;

/// What walking the list gave.
#[derive(Debug)]
pub(super) struct Walked {
    pub drivers: Drivers,
    /// Why the list ended before its end.
    pub broken: Option<String>,
}

/// Walks the list whose head is at `head`. `kernel_addresses` must lie in the first driver's image.
///
/// # Errors
///
/// When the list is not believed.
pub(super) fn read(
    head: u64,
    kernel_addresses: &[Address],
    memory: &mut dyn Memory,
    names: &Names,
) -> Result<Walked, UnusableList> {
    let links = memory.read_all(head, 16).and_then(|bytes| Some((u64_at(&bytes, 0)?, u64_at(&bytes, 8)?)));
    let (mut next, last) = links.ok_or(UnusableList::NoHead)?;
    let mut before = head;
    let mut drivers = Drivers::default();
    let mut seen = BTreeSet::new();
    let mut broken = None;
    while next != head {
        if seen.len() >= usize::try_from(MOST_DRIVERS).unwrap_or_default() || !seen.insert(next) {
            broken = Some(format!("it does not come to an end after {} entries", seen.len()));
            break;
        }
        let Some(entry) = memory.read_all(next, loader_entry::LENGTH) else {
            broken = Some(format!("the page with the entry at {next:#x} is not in the dump"));
            break;
        };
        // Each entry is linked in both directions, so a damaged link does not hide a driver.
        if u64_at(&entry, loader_entry::BEFORE) != Some(before) {
            broken = Some(format!("the entry at {next:#x} does not lead back to the one before it"));
            break;
        }
        before = next;
        match driver(&entry, memory, names) {
            Some(driver) => drivers.sound.push(driver),
            None => drivers.unsound = drivers.unsound.saturating_add(1),
        }
        next = u64_at(&entry, loader_entry::NEXT).unwrap_or(head);
    }
    if broken.is_none() && before != last {
        broken = Some("it ends before the entry that its head calls the last".to_owned());
    }
    check_list(&drivers, kernel_addresses)?;
    Ok(Walked { drivers, broken })
}

fn driver(entry: &[u8], memory: &mut dyn Memory, names: &Names) -> Option<KernelDriver> {
    let base = u64_at(entry, loader_entry::BASE)?;
    let size = u32_at(entry, loader_entry::SIZE)?;
    if !is_image_range(base, u64::from(size), true) {
        return None;
    }
    // The name is in nonpaged memory as a rule, and the path often is not.
    let path = counted_text(entry, loader_entry::PATH, memory);
    let name = counted_text(entry, loader_entry::NAME, memory)
        .or_else(|| path.as_deref().map(|path| base_name(path).to_owned()))?;
    Some(KernelDriver {
        path: names.share(path.as_deref().unwrap_or(&name)),
        name: names.share(&name),
        base: Address(base),
        size,
        timestamp: timestamp(base, size, memory),
    })
}

/// The text of the counted string at `offset` of an entry.
fn counted_text(entry: &[u8], offset: usize, memory: &mut dyn Memory) -> Option<String> {
    let length = u16_at(entry, offset).filter(|length| (2..=LONGEST_PATH).contains(length))?;
    let address = u64_at(entry, offset.checked_add(8)?)?;
    wide_text(&memory.read_all(address, usize::from(length))?)
}

/// The timestamp of the image at `base`, out of its own header, if the header's page is in the dump and agrees in the
/// image's size.
///
/// Source: the PE format's documentation: the offset of the header at 0x3C; in it the signature, the timestamp at 8 and
/// `SizeOfImage` at 0x50.
fn timestamp(base: u64, size: u32, memory: &mut dyn Memory) -> Option<u32> {
    let page = memory.read_all(base, usize::try_from(PAGE).ok()?)?;
    let header = usize::try_from(u32_at(&page, 0x3C)?).ok()?;
    let header = page.get(header..)?;
    if !page.starts_with(b"MZ") || !header.starts_with(b"PE\0\0") {
        return None;
    }
    let whole_pages = |size: u32| size.checked_next_multiple_of(0x1000);
    let agrees =
        u32_at(header, 0x50).is_some_and(|own| whole_pages(own).is_some() && whole_pages(own) == whole_pages(size));
    u32_at(header, 8).filter(|_| agrees)
}
