//! The process whose thread ran when the system stopped, by the kernel's description of it (`EPROCESS`).
//!
//! Where the description holds name and id differs between builds, and the debugger's data block does not tell. It tells
//! where the parent's id is: in all builds of 64 bits the own id is some 0x100 bytes before it, with the links of the list
//! of processes behind it, and the name shortly after it. What is found there must look like it, and only once.

use std::ops::Range;

use super::layout::KERNEL_SPACE;
use evidence::{KernelProcess, Names};
use untrusted::bytes::{u32_at, u64_at};

/// The kernel keeps this many bytes of a name, the last of which is 0.
const NAME: usize = 15;
/// How far the name is behind the parent's id, bytes. Windows 7 to 11: 0x50 to 0x70.
const NAME_BEHIND: Range<usize> = 0x08..0x100;
/// How far the own id is before the parent's, bytes. Windows 7 to 11: 0xF8 to 0x110.
const ID_BEFORE: Range<usize> = 0xE0..0x140;
/// No process id is larger than is here; they are multiples of 4.
const LARGEST_ID: u64 = 1 << 26;
/// Processes without a file, by the names that the kernel gives them.
const WITHOUT_FILE: [&str; 8] =
    ["System", "Idle", "Registry", "MemCompression", "Secure System", "vmmem", "vmmemWSL", "Memory Compres"];

/// The process of the description in `bytes`, which has the parent's id at `parent`.
pub(super) fn read(bytes: &[u8], parent: usize, names: &Names) -> Option<KernelProcess> {
    let mut found = NAME_BEHIND.filter_map(|behind| name(bytes, parent.checked_add(behind)?));
    let name = found.next().filter(|_| found.next().is_none())?;
    let mut ids = ID_BEFORE.step_by(8).filter_map(|before| id(bytes, parent.checked_sub(before)?));
    let id = ids.next().filter(|_| ids.next().is_none());
    Some(KernelProcess { name: names.share(&name), id })
}

/// The name at `offset`: printable characters, then zeros. A name does not begin within another text.
fn name(bytes: &[u8], offset: usize) -> Option<String> {
    let before = *bytes.get(offset.checked_sub(1)?)?;
    let field = bytes.get(offset..offset.checked_add(NAME)?)?;
    let length = field.iter().position(|byte| *byte == 0)?;
    let (text, rest) = field.split_at_checked(length)?;
    let printable = text.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    if before.is_ascii_graphic() || !printable || rest.iter().any(|byte| *byte != 0) {
        return None;
    }
    let name = String::from_utf8(text.to_vec()).ok()?;
    let whole = length.checked_add(1) == Some(NAME);
    let is_file = name.len() > 4 && name.contains('.') && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_file || whole || WITHOUT_FILE.contains(&name.as_str())).then_some(name)
}

/// The id at `offset`, if the links of a list follow it.
fn id(bytes: &[u8], offset: usize) -> Option<u32> {
    let id = u64_at(bytes, offset).filter(|id| (4..LARGEST_ID).contains(id) && id.is_multiple_of(4))?;
    let link = |skipped| u64_at(bytes, offset.checked_add(skipped)?);
    let is_link = |address: u64| address >= KERNEL_SPACE.of(true) && address.is_multiple_of(8);
    (is_link(link(8)?) && is_link(link(16)?))
        .then(|| u32_at(bytes, offset))
        .flatten()
        .filter(|own| u64::from(*own) == id)
}
