//! What MSVC's delay-load helper could not load.
//!
//! For `0xC06D007E` and `0xC06D007F` the exception's first parameter points to a `DelayLoadInfo` on the stack. Its
//! members are those of `delayimp.h`: `cb` (u32), `pidd`, `ppfn`, `szDll`, `dlp` (`fImportByName`, then name or
//! ordinal), `hmodCur`, `pfnCur`, `dwLastError`; pointers have the process's width.

use std::sync::Arc;

use super::memory::MemoryMap;
use super::narrow;
use evidence::{Address, DelayLoad, ExceptionCode, Names, ProcessDump};
use untrusted::bytes::{Source, u32_at, u64_at};

/// Longest name that is read, bytes. `MAX_PATH` is 260; export names of C++ functions can be longer.
const LONGEST_NAME: u64 = 1024;

/// Reads the structure as far as the dump holds it; `None` for other exceptions.
pub fn read(process: &ProcessDump, memory: &MemoryMap, source: &mut Source<'_>, names: &Names) -> Option<DelayLoad> {
    let exception = process.exception.as_ref()?;
    if !matches!(exception.code, ExceptionCode::DELAY_LOAD_MODULE | ExceptionCode::DELAY_LOAD_PROCEDURE) {
        return None;
    }
    let info_at = Address(narrow(*exception.parameters.first()?, process.system.cpu));
    let wide = process.system.cpu.is_64_bit();
    let info = memory.bytes(source, info_at, 72)?.into_owned();
    let pointer = |narrow_at: usize, wide_at: usize| {
        let value = if wide { u64_at(&info, wide_at)? } else { u64::from(u32_at(&info, narrow_at)?) };
        (value != 0).then_some(Address(value))
    };
    let by_name = u32_at(&info, if wide { 0x20 } else { 0x10 }).is_some_and(|flag| flag != 0);
    let module = pointer(0x0C, 0x18).and_then(|at| text(memory, source, at, names));
    let procedure = if by_name {
        pointer(0x14, 0x28).and_then(|at| text(memory, source, at, names))
    } else {
        u32_at(&info, if wide { 0x28 } else { 0x14 })
            .filter(|ordinal| *ordinal != 0)
            .map(|ordinal| names.share(&format!("ordinal {ordinal}")))
    };
    let error = u32_at(&info, if wide { 0x40 } else { 0x20 }).filter(|error| *error != 0);
    Some(DelayLoad { module, procedure, error })
}

/// A NUL-terminated text of one-byte characters; `None` when it is not captured whole or is no plain text.
fn text(memory: &MemoryMap, source: &mut Source<'_>, at: Address, names: &Names) -> Option<Arc<str>> {
    let bytes = memory.bytes(source, at, LONGEST_NAME)?;
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    plain.then(|| names.share(text))
}
