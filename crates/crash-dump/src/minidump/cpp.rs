//! The C++ exception of MSVC that a thread threw: its types, the image it comes from, and its text.
//!
//! Parameters of `0xE06D7363`: a magic number, the object, its `ThrowInfo`, and on 64-bit systems the base of the image
//! that the offsets in `ThrowInfo` count from. From `ThrowInfo` the way goes to the `CatchableTypeArray`, to each
//! `CatchableType` and to its `TypeDescriptor`, whose name is decorated (`.?AVruntime_error@std@@`).
//!
//! Source: the structures of `ehdata.h` in the MSVC runtime, as "Decoding the parameters of a thrown C++ exception" of
//! The Old New Thing describes them.

use std::borrow::Cow;

use super::memory::Memory;
use evidence::{Address, CppException, ExceptionCode, Names, ProcessDump};

/// The magic numbers of its parameters: `EH_MAGIC_NUMBER1` to `3`, and `EH_PURE_MAGIC_NUMBER1` of managed code.
const MAGIC: [u64; 4] = [0x1993_0520, 0x1993_0521, 0x1993_0522, 0x0199_4000];
/// The most types of one exception that are read, more than any written exception has: each base class is one.
const MOST_TYPES: u32 = 32;
/// Longest decorated name that is read, bytes; those of templates are long.
const LONGEST_NAME: u64 = 512;
/// Longest text of an exception that is read, bytes.
const LONGEST_TEXT: u64 = 2048;
/// The decorated name of the class whose layout is known.
const STD_EXCEPTION: &str = ".?AVexception@std@@";

/// Reads the exception as far as the dump holds it; `None` for other exceptions.
pub fn read(process: &ProcessDump, memory: &mut Memory<'_, '_>, names: &Names) -> Option<CppException> {
    let exception = process.exception.as_ref().filter(|exception| exception.code == ExceptionCode::CPP_EXCEPTION)?;
    let wide = process.system.cpu.is_64_bit();
    let [magic, object, throw_info, rest @ ..] = exception.parameters.as_slice() else { return None };
    // What is rethrown by `throw;` has neither object nor ThrowInfo.
    if !MAGIC.contains(magic) || *throw_info == 0 {
        return None;
    }
    let base = if wide { *rest.first()? } else { 0 };
    let mask = if wide { u64::MAX } else { u64::from(u32::MAX) };
    let throw_info = throw_info & mask;
    let image = process.module_at(Address(throw_info)).map(|(_, module)| module.base);
    let mut reader = Reader { memory, base, wide };
    let types = reader.types(throw_info).unwrap_or_default();
    let what = types
        .iter()
        .find(|caught| caught.name == STD_EXCEPTION)
        .and_then(|caught| caught.offset)
        .and_then(|offset| reader.what((object & mask).checked_add(offset)?));
    Some(CppException {
        types: types.iter().map(|caught| names.share(&undecorated(&caught.name))).collect(),
        what: what.map(|text| names.share(&text)),
        image,
    })
}

/// A type that would catch the exception.
struct Caught {
    name: String,
    /// Where in the object its part lies, bytes; `None` below a virtual base, where more would have to be read.
    offset: Option<u64>,
}

/// Reads the structures that describe a thrown object.
struct Reader<'r, 'm, 'f> {
    memory: &'r mut Memory<'m, 'f>,
    /// The address that is added to offsets; 0 in 32-bit programs, whose records contain addresses.
    base: u64,
    wide: bool,
}

impl Reader<'_, '_, '_> {
    /// The types in the order in which catch clauses are tried: the thrown one, then its bases.
    fn types(&mut self, throw_info: u64) -> Option<Vec<Caught>> {
        // Attributes, destructor, forwarder, types: four bytes each.
        let array = self.pointer(throw_info.checked_add(12)?)?;
        let count = self.memory.u32(array)?;
        if count == 0 || count > MOST_TYPES {
            return None;
        }
        let mut types = Vec::new();
        for index in 0..u64::from(count) {
            let entry = array.checked_add(index.checked_mul(4)?)?.checked_add(4)?;
            let Some(caught) = self.pointer(entry).and_then(|catchable| self.caught(catchable)) else {
                // Without the first, the others would pass for the thrown type.
                if types.is_empty() {
                    return None;
                }
                continue;
            };
            types.push(caught);
        }
        Some(types)
    }

    /// A `CatchableType`: properties, type, and where the object's part lies: an offset, and for virtual bases two more
    /// numbers of which the first is -1 otherwise.
    fn caught(&mut self, catchable: u64) -> Option<Caught> {
        const NO_VIRTUAL_BASE: u32 = u32::MAX;
        let descriptor = self.pointer(catchable.checked_add(4)?)?;
        let (offset, virtual_base) =
            (self.memory.u32(catchable.checked_add(8)?)?, self.memory.u32(catchable.checked_add(12)?)?);
        // A `TypeDescriptor`: two pointers, then the name.
        let name = self.text(descriptor.checked_add(if self.wide { 16 } else { 8 })?, LONGEST_NAME)?;
        let plain = name.starts_with('.') && name.bytes().all(|byte| byte.is_ascii_graphic());
        let offset = (virtual_base == NO_VIRTUAL_BASE).then_some(u64::from(offset));
        plain.then_some(Caught { name, offset })
    }

    /// The text of a `std::exception`: its second member, behind the pointer to the functions.
    fn what(&mut self, exception: u64) -> Option<String> {
        let second = exception.checked_add(if self.wide { 8 } else { 4 })?;
        let pointer = self.memory.pointer(second, self.wide)?;
        let text = self.text(pointer, LONGEST_TEXT)?;
        let text = text.trim();
        let readable = !text.is_empty() && text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'));
        readable.then(|| text.to_owned())
    }

    /// An offset in the image on 64-bit systems, an address on others.
    fn pointer(&mut self, at: u64) -> Option<u64> {
        let value = self.memory.u32(at).filter(|value| *value != 0)?;
        self.base.checked_add(u64::from(value))
    }

    /// A text of one-byte characters up to its NUL; `None` when the dump does not hold it whole.
    fn text(&mut self, at: u64, longest: u64) -> Option<String> {
        Some(String::from_utf8_lossy(&self.memory.until_nul(at, longest)?).into_owned())
    }
}

/// A type's name without decoration, for classes, structures and enumerations in plain namespaces, and for the simple
/// types; others stay as they are.
fn undecorated(name: &str) -> Cow<'_, str> {
    let simple = match name {
        ".H" => Some("int"),
        ".I" => Some("unsigned int"),
        ".J" => Some("long"),
        ".K" => Some("unsigned long"),
        ".N" => Some("double"),
        ".M" => Some("float"),
        ".D" => Some("char"),
        ".E" => Some("unsigned char"),
        ".F" => Some("short"),
        ".G" => Some("unsigned short"),
        "._N" => Some("bool"),
        "._J" => Some("__int64"),
        "._K" => Some("unsigned __int64"),
        ".PEAD" | ".PAD" => Some("char *"),
        ".PEBD" | ".PBD" => Some("char const *"),
        ".PEA_W" | ".PA_W" => Some("wchar_t *"),
        ".PEB_W" | ".PB_W" => Some("wchar_t const *"),
        ".PEAX" | ".PAX" => Some("void *"),
        _ => None,
    };
    if let Some(simple) = simple {
        return Cow::Borrowed(simple);
    }
    // `V` is a class, `U` a structure, `W4` an enumeration; a pointer to one has `PEA` (64 bits) or `PA` before it.
    let pointer = [".PEAV", ".PEAU", ".PAV", ".PAU"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    let object = || [".?AV", ".?AU", ".?AW4"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    let Some(parts) = pointer.or_else(object).and_then(|parts| parts.strip_suffix("@@")) else {
        return Cow::Borrowed(name);
    };
    let mut plain = Vec::new();
    for part in parts.split('@') {
        let is_name = !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
        // Digits refer to parts that came before, and `?` begins templates and other special names.
        match part {
            _ if is_name => plain.push(part),
            _ if part.starts_with("?A0x") => plain.push("(anonymous namespace)"),
            _ => return Cow::Borrowed(name),
        }
    }
    plain.reverse();
    let joined = plain.join("::");
    Cow::Owned(if pointer.is_some() { format!("{joined} *") } else { joined })
}

#[cfg(test)]
mod tests {
    use super::undecorated;

    #[test]
    fn plain_names_lose_their_decoration_and_others_stay() {
        assert_eq!(undecorated(".?AVruntime_error@std@@"), "std::runtime_error");
        assert_eq!(undecorated(".?AUError@c10@@"), "c10::Error");
        assert_eq!(undecorated(".?AVbad_alloc@std@@"), "std::bad_alloc");
        assert_eq!(undecorated(".PEAVCException@@"), "CException *");
        assert_eq!(undecorated(".?AVfailure@?A0x12345678@app@@"), "app::(anonymous namespace)::failure");
        assert_eq!(undecorated(".?AVfailure@0std@@"), ".?AVfailure@0std@@");
        assert_eq!(undecorated(".?AV?$box@H@app@@"), ".?AV?$box@H@app@@");
        assert_eq!(undecorated(".H"), "int");
        assert_eq!(undecorated(".PEBD"), "char const *");
        assert_eq!(undecorated(".?AV@@"), ".?AV@@");
        assert_eq!(undecorated(""), "");
    }
}
