//! What MSVC's delay-load helper could not load.
//!
//! For `0xC06D007E` and `0xC06D007F` the exception's first parameter points to a `DelayLoadInfo` on the stack. Its
//! members are those of `delayimp.h`: `cb` (u32), `pidd`, `ppfn`, `szDll`, `dlp` (`fImportByName`, then name or
//! ordinal), `hmodCur`, `pfnCur`, `dwLastError`; pointers have the process's width.

use std::sync::Arc;

use super::exception::narrow;
use super::memory::Memory;
use evidence::{DelayLoad, ExceptionCode, Names, ProcessDump};
use untrusted::bytes::{pointer_at, u32_at};

/// Longest name that is read, bytes. `MAX_PATH` is 260; export names of C++ functions can be longer.
const LONGEST_NAME: u64 = 1024;

/// Reads the structure as far as the dump holds it; `None` for other exceptions.
pub fn read(process: &ProcessDump, memory: &mut Memory<'_, '_>, names: &Names) -> Option<DelayLoad> {
    let exception = process.exception.as_ref()?;
    if !matches!(exception.code, ExceptionCode::DELAY_LOAD_MODULE | ExceptionCode::DELAY_LOAD_PROCEDURE) {
        return None;
    }
    let info_at = narrow(*exception.parameters.first()?, process.system.cpu);
    let wide = process.system.cpu.is_64_bit();
    let info = memory.part(info_at, 72)?.into_owned();
    // Where members are whose offset depends on the width of pointers.
    let number = |narrow_at: usize, wide_at: usize| {
        u32_at(&info, if wide { wide_at } else { narrow_at }).filter(|number| *number != 0)
    };
    let mut text = |narrow_at: usize, wide_at: usize| {
        let pointer = pointer_at(&info, if wide { wide_at } else { narrow_at }, wide)?;
        plain_text(memory, pointer, names)
    };
    let module = text(0x0C, 0x18);
    let by_name = number(0x10, 0x20).is_some();
    let procedure = if by_name {
        text(0x14, 0x28)
    } else {
        number(0x14, 0x28).map(|ordinal| names.share(&format!("ordinal {ordinal}")))
    };
    Some(DelayLoad { module, procedure, error: number(0x20, 0x40) })
}

/// A NUL-terminated text of one-byte characters; `None` when it is not captured whole or is no plain text.
fn plain_text(memory: &mut Memory<'_, '_>, address: u64, names: &Names) -> Option<Arc<str>> {
    let text = memory.until_nul(address, LONGEST_NAME).filter(|_| address != 0)?;
    let text = str::from_utf8(&text).ok()?;
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    plain.then(|| names.share(text))
}
