//! Modules of other products, added to the module list of a minidump.
//!
//! The list is written anew behind the end of the file, with the old entries as they are, and the directory leads to it.
//! Layout: `MINIDUMP_HEADER`, `MINIDUMP_DIRECTORY` and `MINIDUMP_MODULE` of `minidumpapiset.h`.

/// `ModuleListStream`.
const MODULE_LIST: u32 = 4;
/// Size of a `MINIDUMP_MODULE`, bytes.
const MODULE: usize = 108;
/// Size of a `MINIDUMP_DIRECTORY`, bytes.
const ENTRY: usize = 12;
/// Most modules of a list that is changed.
const MOST: u32 = 4096;
/// Size of the modules that are added, bytes.
const IMAGE: u32 = 0x2_0000;
/// Where the modules are added; each behind the one before, with as much between them.
const PLACE_64: u64 = 0x7FF9_0100_0000;
const PLACE_32: u64 = 0x0110_0000;

/// What is added: overlays, a hook of a remote desktop, an input method, a window tool, and two copies of an OpenMP runtime.
pub(super) const INNOCENT: [&str; 7] = [
    r"C:\Program Files (x86)\RivaTuner Statistics Server\RTSSHooks64.dll",
    r"C:\Program Files (x86)\Steam\GameOverlayRenderer64.dll",
    r"C:\Program Files\Citrix\ICAService\ctxmui.dll",
    r"C:\Program Files (x86)\Google\Google Japanese Input\GoogleIMEJaTIP64.dll",
    r"C:\Program Files\DisplayFusion\Hooks\DisplayFusionHookx64.dll",
    r"C:\ProgramData\Anaconda3\Library\bin\libiomp5md.dll",
    r"C:\ProgramData\Anaconda3\Lib\site-packages\torch\lib\libiomp5md.dll",
];

/// The dump with more modules; `None` for files that are no minidump with modules.
pub(super) fn with_modules(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.get(..4)? != b"MDMP" {
        return None;
    }
    let (streams, directory) = (u32_at(bytes, 8)?, usize::try_from(u32_at(bytes, 12)?).ok()?);
    let entry = (0..streams.min(MOST)).find_map(|number| {
        let at = directory.checked_add(usize::try_from(number).ok()?.checked_mul(ENTRY)?)?;
        (u32_at(bytes, at)? == MODULE_LIST).then_some(at)
    })?;
    let list = usize::try_from(u32_at(bytes, entry.checked_add(8)?)?).ok()?;
    let count = u32_at(bytes, list).filter(|count| (1..=MOST).contains(count))?;
    let start = list.checked_add(4)?;
    let old = bytes.get(start..start.checked_add(usize::try_from(count).ok()?.checked_mul(MODULE)?)?)?;
    let is_64 = old.get(..8).is_some_and(|base| base.iter().skip(4).any(|byte| *byte != 0)) || places_64(old);
    let mut out = bytes.to_vec();
    let mut names = Vec::new();
    for path in INNOCENT {
        pad(&mut out);
        names.push(u32::try_from(out.len()).ok()?);
        let text: Vec<u8> = path.encode_utf16().flat_map(u16::to_le_bytes).collect();
        out.extend_from_slice(&u32::try_from(text.len()).ok()?.to_le_bytes());
        out.extend_from_slice(&text);
        out.extend_from_slice(&[0, 0]);
    }
    pad(&mut out);
    let new_list = u32::try_from(out.len()).ok()?;
    let total = count.checked_add(u32::try_from(INNOCENT.len()).ok()?)?;
    out.extend_from_slice(&total.to_le_bytes());
    out.extend_from_slice(old);
    let mut base = if is_64 { PLACE_64 } else { PLACE_32 };
    for name in names {
        let mut module = [0_u8; MODULE];
        put(&mut module, 0, &base.to_le_bytes())?;
        put(&mut module, 8, &IMAGE.to_le_bytes())?;
        put(&mut module, 16, &0x6000_0000_u32.to_le_bytes())?;
        put(&mut module, 20, &name.to_le_bytes())?;
        out.extend_from_slice(&module);
        base = base.checked_add(u64::from(IMAGE).checked_mul(2)?)?;
    }
    let size = u32::try_from(out.len()).ok()?.checked_sub(new_list)?;
    put(&mut out, entry.checked_add(4)?, &size.to_le_bytes())?;
    put(&mut out, entry.checked_add(8)?, &new_list.to_le_bytes())?;
    Some(out)
}

/// Whether a module of a list lies where only 64-bit processes have any.
fn places_64(list: &[u8]) -> bool {
    list.chunks_exact(MODULE).any(|module| u32_at(module, 4).is_some_and(|high| high != 0))
}

fn pad(out: &mut Vec<u8>) {
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) -> Option<()> {
    bytes.get_mut(at..at.checked_add(value.len())?)?.copy_from_slice(value);
    Some(())
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    field.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dump with one stream: a list of one module at an address of 64-bit processes.
    fn dump() -> Vec<u8> {
        let mut bytes = b"MDMP\x93\xA7\0\0".to_vec();
        let words = |bytes: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        // One stream, its directory behind the header of 32 bytes.
        words(&mut bytes, &[1, 32, 0, 0, 0, 0]);
        words(&mut bytes, &[MODULE_LIST, 112, 44]);
        words(&mut bytes, &[1, 0x4000_0000, 0x7FF6]);
        bytes.resize(44 + 4 + MODULE, 0);
        bytes
    }

    #[test]
    fn a_dump_gets_more_modules_behind_its_own() {
        let bytes = dump();
        let noisy = with_modules(&bytes).expect("a dump");
        let list = usize::try_from(u32_at(&noisy, 40).expect("a list")).expect("a place");
        assert_eq!(u32_at(&noisy, list), Some(8));
        assert_eq!(u32_at(&noisy, 36), Some(4 + 8 * 108), "the list's size");
        let modules = noisy.get(list..).expect("modules").get(4..).expect("modules");
        assert_eq!(modules.get(..MODULE), bytes.get(48..), "its own module");
        assert_eq!(u32_at(modules, 108 + 4), Some(0x7FF9), "an address of 64 bits");
        assert!(with_modules(&noisy).is_some_and(|twice| twice.len() > noisy.len()));
    }

    #[test]
    fn what_is_no_dump_or_is_cut_off_stays_as_it_is() {
        let bytes = dump();
        assert_eq!(with_modules(b"MDMP"), None);
        assert_eq!(with_modules(b"ElfFile\0"), None);
        for length in 0..bytes.len() {
            assert_eq!(with_modules(bytes.get(..length).expect("a part")), None, "{length}");
        }
    }
}
