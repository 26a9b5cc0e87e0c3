//! What a dump shows around its exception, as the end of a sentence.

use evidence::{AddressKind, CodePlace, CrashDetail, InstructionKind, Page, ProcessDump, Wanted};

/// The most characters that are quoted of an exception's text.
const QUOTED: usize = 200;

/// The details of a dump for the end of its sentence, each after a semicolon; empty if it has none.
pub(super) fn dump_details(dump: &ProcessDump) -> String {
    let detail = &dump.detail;
    let mut parts = Vec::new();
    parts.extend(detail.wanted.as_ref().and_then(wanted));
    parts.extend(detail.code_place.and_then(code_place).map(str::to_owned));
    parts.extend(instruction(detail));
    parts.extend(stack(detail));
    parts.extend(cpp(detail));
    parts.extend(inner(detail));
    parts.iter().map(|part| format!("; {part}")).collect()
}

fn wanted(wanted: &Wanted) -> Option<String> {
    let module = wanted.module.as_deref().unwrap_or("a module");
    let page = wanted.page.map_or("", Page::word);
    let computed = wanted.computed.map_or_else(String::new, |address| format!(" ({address} by the registers)"));
    Some(match wanted.kind? {
        AddressKind::NullPage => "the address is in the first 64 KiB, where nothing is ever mapped".to_owned(),
        AddressKind::NotReported => "the processor reported no address: the pointer is not canonical, or -1".to_owned(),
        AddressKind::NonCanonical => format!("the pointer is not canonical{computed}"),
        AddressKind::Misaligned => format!("the address is not aligned as the instruction needs it{computed}"),
        AddressKind::FillPattern => {
            let pattern = wanted.pattern.map(|pattern| format!(" 0x{pattern:08X}")).unwrap_or_default();
            format!("the pointer is the pattern{pattern} with which heaps fill memory{computed}")
        }
        AddressKind::StackEnd => "the address is at the end of the thread's stack".to_owned(),
        AddressKind::Stack => "the address is on the thread's stack".to_owned(),
        AddressKind::Module => format!("the address is in {module}"),
        AddressKind::UnloadedModule => format!("the address is where {module} was before it was unloaded"),
        AddressKind::GuardPage => "the address is in a guard page".to_owned(),
        AddressKind::Protected => format!("the page there is {page}"),
        AddressKind::Committed => format!("the page there is {page}, which allows it"),
        AddressKind::Reserved => "the address is only reserved".to_owned(),
        AddressKind::Free => "the address is free".to_owned(),
        AddressKind::Kernel => "the address belongs to the system".to_owned(),
    })
}

fn code_place(place: CodePlace) -> Option<&'static str> {
    Some(match place {
        CodePlace::NullPage => "a null pointer was called",
        CodePlace::Stack => "it ran on the stack",
        CodePlace::Generated => "it ran in code that was made at run time",
        CodePlace::NotExecutable => "it ran in memory that is not executable",
        CodePlace::Free => "it ran where no memory is",
        CodePlace::UnloadedModule => "it ran where a module was before it was unloaded",
        CodePlace::Module | CodePlace::NoModule => return None,
    })
}

fn instruction(detail: &CrashDetail) -> Option<String> {
    let instruction = detail.instruction.as_ref()?;
    if instruction.kind == InstructionKind::Invalid {
        return Some("the bytes there are no instruction".to_owned());
    }
    let extension = instruction.extension.map_or("", |extension| extension.word());
    let lacks = match instruction.supported {
        Some(false) => format!(", which needs {extension}, and the processor or the system has it not"),
        _ => String::new(),
    };
    Some(format!("instruction {}{lacks}", instruction.text))
}

fn stack(detail: &CrashDetail) -> Option<String> {
    let stack = detail.stack.filter(|stack| stack.exhausted == Some(true))?;
    let size = stack.base.0.saturating_sub(stack.bottom.0) >> 10;
    Some(format!("the thread's stack of {size} KiB is used up"))
}

fn cpp(detail: &CrashDetail) -> Option<String> {
    let cpp = detail.cpp.as_ref()?;
    let thrown = cpp.types.first()?;
    let text = cpp.what.as_deref().map(|text| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = text.chars().take(QUOTED).collect();
        let more = if cut.len() < text.len() { "..." } else { "" };
        format!(", \"{cut}{more}\"")
    });
    Some(format!("thrown was {thrown}{}", text.unwrap_or_default()))
}

fn inner(detail: &CrashDetail) -> Option<String> {
    let managed = detail.managed_result.map(|result| vec![result.to_string()]);
    let codes = managed.unwrap_or_else(|| detail.stowed.iter().map(|error| error.result.to_string()).collect());
    (!codes.is_empty()).then(|| format!("inside is {}", codes.join(", ")))
}
