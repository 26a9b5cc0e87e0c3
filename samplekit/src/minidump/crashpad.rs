//! The stream that Crashpad adds to a dump.

use super::Minidump;
use super::pending::Pending;
use crate::Guid;
use crate::bytes::{ByteWriter, count32};

/// `MinidumpCrashpadInfo`, 52 bytes: version, ids of report and client, locations of the dictionary of annotations and
/// of the modules' own (none). Dictionary and texts follow at once.
pub(super) fn write(dump: &Minidump, out: &mut ByteWriter, _: &mut Pending) {
    out.u32(1).raw(&Guid::made_up("crashpad report").0).raw(&Guid::made_up("crashpad client").0);
    let location = out.len();
    out.u64(0).u64(0);
    let dictionary = out.len();
    out.u32(count32(dump.annotations.len()));
    let entries = out.len();
    for _ in &dump.annotations {
        out.u64(0);
    }
    out.patch_u32(location, count32(out.len() - dictionary));
    out.patch_u32(location + 4, count32(dictionary));
    for (index, (key, value)) in dump.annotations.iter().enumerate() {
        for (field, text) in [(entries + index * 8, key), (entries + index * 8 + 4, value)] {
            out.align(4);
            out.patch_u32(field, out.offset());
            // MinidumpUTF8String: length in bytes, text, terminator.
            out.u32(count32(text.len())).raw(text.as_bytes()).u8(0);
        }
    }
}
