//! Errors that travel inside another exception: stowed exceptions of the Windows Runtime, and .NET's.
//!
//! Source: `STOWED_EXCEPTION_INFORMATION_V1` and `_V2` of the Windows API documentation.

use super::exception::narrow;
use super::memory::Memory;
use evidence::{Address, ExceptionCode, Names, ProcessDump, StowedException};
use untrusted::bytes::{pointer_at, u32_at};
use untrusted::text::utf16_units;

/// What .NET raises since version 4, and before.
const CLR: [ExceptionCode; 2] = [ExceptionCode::CLR_EXCEPTION, ExceptionCode::CLR_2_EXCEPTION];
/// Most errors that are read of one exception.
const MOST: u64 = 64;
/// Longest text that is read, bytes of UTF-16.
const LONGEST_TEXT: u64 = 2048;

/// The `HRESULT` of a .NET exception: the first parameter. It is negative, and on 64-bit systems extended by its sign.
pub fn managed_result(process: &ProcessDump) -> Option<ExceptionCode> {
    let exception = process.exception.as_ref().filter(|exception| CLR.contains(&exception.code))?;
    let result = u32::try_from(*exception.parameters.first()? & 0xFFFF_FFFF).ok()?;
    // A failure has the uppermost bit set.
    (result >> 31 == 1).then_some(ExceptionCode(result))
}

/// The errors inside a stowed exception: the first parameter points to an array of pointers, the second counts them.
/// Errors that the dump does not hold are left out.
pub fn read(process: &ProcessDump, memory: &mut Memory<'_, '_>, names: &Names) -> Vec<StowedException> {
    let stowed = process.exception.as_ref().filter(|exception| exception.code == ExceptionCode::STOWED_EXCEPTION);
    let Some([array, count, ..]) = stowed.map(|exception| exception.parameters.as_slice()) else { return Vec::new() };
    let wide = process.system.cpu.is_64_bit();
    let size = if wide { 8 } else { 4 };
    let array = narrow(*array, process.system.cpu);
    let error = |index: u64| {
        let pointer = memory.pointer(array.checked_add(index.checked_mul(size)?)?, wide)?;
        read_error(pointer, wide, memory, names)
    };
    (0..(*count).min(MOST)).filter_map(error).collect()
}

/// The error at an address: size, signature, `HRESULT`, form (2 bits) and thread (30 bits); then an address or a text.
fn read_error(at: u64, wide: bool, memory: &mut Memory<'_, '_>, names: &Names) -> Option<StowedException> {
    /// `SE01` and `SE02`, as compilers make numbers of them and in the order of text.
    const SIGNATURES: [u32; 4] = [0x5345_3031, 0x5345_3032, 0x3130_4553, 0x3230_4553];
    let bytes = memory.part(at, 24)?;
    let (signature, result, form_and_thread) = (u32_at(&bytes, 4)?, u32_at(&bytes, 8)?, u32_at(&bytes, 12)?);
    if !SIGNATURES.contains(&signature) {
        return None;
    }
    let pointer = pointer_at(&bytes, 16, wide).filter(|pointer| *pointer != 0);
    drop(bytes);
    let form = form_and_thread & 0b11;
    Some(StowedException {
        result: ExceptionCode(result),
        // Thread ids are multiples of four; their lower bits hold the form.
        thread: form_and_thread & !0b11,
        address: pointer.filter(|_| form == 1).map(Address),
        text: pointer.filter(|_| form == 2).and_then(|at| wide_text(at, memory)).map(|text| names.share(&text)),
    })
}

/// A text of UTF-16 up to its NUL; `None` when the dump does not hold it whole.
fn wide_text(at: u64, memory: &mut Memory<'_, '_>) -> Option<String> {
    let units: Vec<u16> = utf16_units(&memory.part(at, LONGEST_TEXT)?).collect();
    let end = units.iter().position(|unit| *unit == 0)?;
    let text = String::from_utf16_lossy(units.get(..end)?);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
