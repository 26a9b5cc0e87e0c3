//! Failures that the exception's code names.

use super::{Finding, MechanismKind as Kind, access};
use crate::incident::{ExceptionFacts, FaultSite};
use crate::kinds::NOT_STARTED;
use evidence::{CodePlace, ExceptionCode, FrameTrust, InstructionKind, ProcessDump};

/// The module of Windows in which debuggers have their breakpoints (`DbgBreakPoint`).
const OF_DEBUGGERS: &str = "ntdll.dll";
/// Modules whose breakpoint is that of `DebugBreak`, which code calls to stop itself.
const OF_DEBUG_BREAK: [&str; 2] = ["kernelbase.dll", "kernel32.dll"];
/// Fast-fail code of `abort` (`FAST_FAIL_FATAL_APP_EXIT` of `winnt.h`).
const FATAL_APP_EXIT: u32 = 7;

/// The failure that a dump's exception code and instruction show.
pub(super) fn of_dump(
    dump: &ProcessDump,
    exception: &ExceptionFacts,
    site: Option<&FaultSite>,
    managed: Option<&str>,
) -> Finding {
    let detail = &dump.detail;
    let instruction = detail.instruction.as_ref();
    let shown = instruction.map_or_else(String::new, |instruction| format!(" (`{}`)", instruction.text));
    let kind = instruction.map(|instruction| instruction.kind);
    let in_module = detail.code_place.is_none_or(|place| place == CodePlace::Module);
    let hook = detail.inside_hook || detail.hook_target.is_some();
    match exception.code {
        ExceptionCode::ILLEGAL_INSTRUCTION | ExceptionCode::PRIVILEGED_INSTRUCTION if hook => {
            let did = format!(
                "executed bytes that are no instruction of its own: a hook of other software cut one in two{shown}"
            );
            Finding::new(Kind::HookBroken, 0.75, did)
        }
        ExceptionCode::ILLEGAL_INSTRUCTION | ExceptionCode::PRIVILEGED_INSTRUCTION
            if !in_module && detail.code_place != Some(CodePlace::Generated) =>
        {
            Finding::new(Kind::DataExecution, 0.7, format!("executed data as if it were code{shown}"))
        }
        ExceptionCode::ILLEGAL_INSTRUCTION if kind == Some(InstructionKind::Undefined) => {
            let did = format!("reached a trap that compilers put where a program must not come{shown}");
            Finding::new(Kind::DeliberateCrash, 0.85, did)
        }
        ExceptionCode::ILLEGAL_INSTRUCTION
            if instruction.is_some_and(|instruction| instruction.supported == Some(false)) =>
        {
            let extension = instruction.and_then(|instruction| instruction.extension).map_or("", |known| known.word());
            let did = format!(
                "executed an instruction that the processor or the system does not support ({extension}){shown}"
            );
            Finding::new(Kind::IllegalInstruction, 0.97, did)
        }
        ExceptionCode::PRIVILEGED_INSTRUCTION if kind == Some(InstructionKind::Ordinary) && in_module => {
            let did = format!("is said to have executed an instruction for the system only, but it is none{shown}");
            Finding::new(Kind::Inconsistent, 0.6, did)
        }
        ExceptionCode::INTEGER_DIVIDE_BY_ZERO | ExceptionCode::INTEGER_OVERFLOW
            if instruction.is_some_and(|instruction| !divides(&instruction.text)) && in_module =>
        {
            let did = format!("is said to have divided, but the instruction is no division{shown}");
            Finding::new(Kind::Inconsistent, 0.5, did)
        }
        ExceptionCode::BREAKPOINT | ExceptionCode::ASSERTION_FAILURE
            if kind == Some(InstructionKind::Breakpoint) || kind.is_none() =>
        {
            breakpoint(site, Some(dump), &shown)
        }
        ExceptionCode::CPP_EXCEPTION => {
            let thrown = detail.cpp.as_ref().and_then(|cpp| cpp.types.first());
            let what = detail.cpp.as_ref().and_then(|cpp| cpp.what.as_deref());
            Finding::new(Kind::UnhandledCpp, 0.97, cpp(thrown.map(|name| &**name), what))
        }
        ExceptionCode::DELAY_LOAD_MODULE | ExceptionCode::DELAY_LOAD_PROCEDURE => {
            let load = dump.delay_load.as_ref();
            let module = load.and_then(|load| load.module.as_deref()).unwrap_or("a DLL");
            // Where the DLL itself was not found, the function that was wanted of it is not the point.
            let procedure = load.and_then(|load| load.procedure.as_deref());
            let did = match procedure.filter(|_| exception.code == ExceptionCode::DELAY_LOAD_PROCEDURE) {
                Some(procedure) => format!("could not find {procedure} in {module} when it was first needed"),
                None => format!("could not load {module} when it was first needed"),
            };
            Finding::new(Kind::DelayLoad, 0.98, did)
        }
        ExceptionCode::STOWED_EXCEPTION => {
            let inner = detail.stowed.first().map(|error| format!(": {}", error.result)).unwrap_or_default();
            Finding::new(
                Kind::FailFast,
                0.9,
                format!("was ended after an error that nobody handled (stowed exception{inner})"),
            )
        }
        _ => by_code(exception, site, managed).unwrap_or_else(|| other(exception)),
    }
}

/// What stopped a running process for a debugger.
pub(super) fn broke_in() -> Finding {
    Finding::new(Kind::Breakpoint, 0.95, "did not crash: a debugger broke into it")
}

/// The failure that a record without a dump shows; `None` for codes that do not show one.
pub(super) fn of_record(
    exception: &ExceptionFacts,
    site: Option<&FaultSite>,
    managed_type: Option<&str>,
) -> Option<Finding> {
    let code = exception.code;
    if let Some(name) = managed_type {
        return Some(managed(name, Some(code)));
    }
    if let Some(finding) = by_code(exception, site, None) {
        return Some(finding);
    }
    if access::is_violation(code) {
        let none = site.is_none_or(|site| site.module.is_empty() || site.module.eq_ignore_ascii_case("unknown"));
        let at_null = site.and_then(|site| site.offset).is_some_and(|offset| offset.0 < 0x1_0000);
        if none && at_null {
            return Some(Finding::new(Kind::NullCall, 0.7, "called a null pointer"));
        }
        return Some(Finding::new(
            Kind::Unknown,
            0.2,
            "accessed memory that it must not access; how is not in this evidence",
        ));
    }
    let by_system = code.0 >> 30 == 3 || code.0 >> 28 == 0x8;
    by_system.then(|| other(exception))
}

/// A .NET exception of a type.
pub(super) fn managed(name: &str, code: Option<ExceptionCode>) -> Finding {
    let ended = code.map_or_else(String::new, |code| format!(" ({code})"));
    Finding::new(Kind::Managed, 0.95, format!("threw a .NET exception that nobody caught: {name}{ended}"))
}

/// The failure that the code alone names.
fn by_code(exception: &ExceptionFacts, site: Option<&FaultSite>, managed_type: Option<&str>) -> Option<Finding> {
    let module = site.map_or("", |site| &*site.module).to_ascii_lowercase();
    let in_runtime = ["ucrtbase", "msvcr", "msvcrt"].iter().any(|name| module.starts_with(name));
    Some(match exception.code {
        ExceptionCode::FAST_FAIL => {
            let code = exception.fast_fail.as_ref().map(|fail| fail.code.0);
            let name = exception.fast_fail.as_ref().and_then(|fail| fail.name.as_deref());
            match (code, name) {
                (Some(FATAL_APP_EXIT), _) if in_runtime => {
                    Finding::new(Kind::Abort, 0.95, "called abort: it ended itself after an error (fast-fail code 7)")
                }
                (None, _) if in_runtime => {
                    Finding::new(Kind::Abort, 0.8, "called abort: it ended itself after an error")
                }
                (Some(code), Some(name)) => {
                    Finding::new(Kind::FailFast, 0.97, format!("ended itself by a fast fail, code {code} ({name})"))
                }
                (Some(code), None) => {
                    Finding::new(Kind::FailFast, 0.95, format!("ended itself by a fast fail, code {code}"))
                }
                (None, _) => Finding::new(
                    Kind::FailFast,
                    0.9,
                    "ended itself by a fast fail; its reason code is not in this evidence",
                ),
            }
        }
        ExceptionCode::FAIL_FAST_EXCEPTION => {
            Finding::new(Kind::FailFast, 0.95, "ended itself by RaiseFailFastException")
        }
        ExceptionCode::STOWED_EXCEPTION => {
            Finding::new(Kind::FailFast, 0.9, "was ended after an error that nobody handled (stowed exception)")
        }
        ExceptionCode::HEAP_CORRUPTION => {
            Finding::new(Kind::HeapDetected, 0.97, "found that the heap's structures are damaged")
        }
        ExceptionCode::FATAL_APP_EXIT => Finding::new(Kind::Abort, 0.95, "ended itself after a fatal error (abort)"),
        ExceptionCode::INVALID_CRUNTIME_PARAMETER => {
            Finding::new(Kind::Abort, 0.9, "was ended: a function of the C runtime got an invalid parameter")
        }
        ExceptionCode::CPP_EXCEPTION => Finding::new(Kind::UnhandledCpp, 0.95, cpp(None, None)),
        ExceptionCode::GCC_EXCEPTION => {
            Finding::new(Kind::UnhandledCpp, 0.95, "threw a C++ exception (of GCC) that nobody caught")
        }
        ExceptionCode::CLR_EXCEPTION
        | ExceptionCode::CLR_2_EXCEPTION
        | ExceptionCode::CLR_ENGINE_ERROR
        | ExceptionCode::CLR_FAIL_FAST => match managed_type {
            Some(name) => managed(name, Some(exception.code)),
            None => Finding::new(
                Kind::Managed,
                0.95,
                format!("threw a .NET exception that nobody caught ({})", exception.code),
            ),
        },
        ExceptionCode::DELAY_LOAD_MODULE => {
            Finding::new(Kind::DelayLoad, 0.97, "could not load a DLL when it was first needed")
        }
        ExceptionCode::DELAY_LOAD_PROCEDURE => {
            Finding::new(Kind::DelayLoad, 0.97, "did not find a function in a DLL when it was first needed")
        }
        ExceptionCode::INTEGER_DIVIDE_BY_ZERO => Finding::new(Kind::Division, 0.97, "divided by zero"),
        ExceptionCode::INTEGER_OVERFLOW => {
            Finding::new(Kind::Division, 0.85, "computed a whole number that has no room in its place")
        }
        ExceptionCode::FLOAT_DIVIDE_BY_ZERO => {
            Finding::new(Kind::Division, 0.9, "divided a floating-point number by zero")
        }
        ExceptionCode::ILLEGAL_INSTRUCTION => {
            Finding::new(Kind::IllegalInstruction, 0.9, "executed what is no instruction of this processor")
        }
        ExceptionCode::PRIVILEGED_INSTRUCTION => {
            Finding::new(Kind::IllegalInstruction, 0.9, "executed an instruction that is only for the system")
        }
        ExceptionCode::DATATYPE_MISALIGNMENT => {
            Finding::new(Kind::Misaligned, 0.95, "accessed data that is not aligned as the instruction needs it")
        }
        ExceptionCode::GUARD_PAGE => Finding::new(Kind::GuardPage, 0.9, "touched a guard page"),
        ExceptionCode::STACK_OVERFLOW => Finding::new(Kind::StackExhausted, 0.97, "used up the stack of its thread"),
        ExceptionCode::BREAKPOINT => breakpoint(site, None, ""),
        ExceptionCode::ASSERTION_FAILURE => {
            Finding::new(Kind::DeliberateCrash, 0.9, "failed a check of its own (assertion)")
        }
        _ => return None,
    })
}

fn breakpoint(site: Option<&FaultSite>, dump: Option<&ProcessDump>, shown: &str) -> Finding {
    let module = site.map_or(OF_DEBUGGERS, |site| &*site.module);
    let is_windows = |name: &str| {
        [&[OF_DEBUGGERS], &OF_DEBUG_BREAK[..]].concat().iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    let called_by = dump.and_then(|dump| {
        let frames = dump.thread.as_ref()?.frames.iter().filter(|frame| frame.trust != FrameTrust::Scanned);
        let modules = frames.filter_map(|frame| Some(dump.modules.as_ref()?.get(frame.module?)?.name()));
        modules.skip_while(|name| is_windows(name)).map(str::to_owned).next()
    });
    if let Some(caller) = called_by.filter(|_| is_windows(module)) {
        let did = format!(
            "was stopped by {caller}, which called DebugBreak: a check that failed, or a crash on purpose{shown}"
        );
        return Finding::new(Kind::DeliberateCrash, 0.75, did);
    }
    if OF_DEBUG_BREAK.iter().any(|name| module.eq_ignore_ascii_case(name)) {
        let did = format!("called DebugBreak: a check that failed, or a crash on purpose{shown}");
        return Finding::new(Kind::DeliberateCrash, 0.7, did);
    }
    if module.eq_ignore_ascii_case(OF_DEBUGGERS) {
        return Finding::new(Kind::Breakpoint, 0.9, format!("reached a breakpoint, as debuggers set them{shown}"));
    }
    let did = format!("reached a breakpoint in its own code: a check that failed, or a crash on purpose{shown}");
    Finding::new(Kind::DeliberateCrash, 0.7, did)
}

fn cpp(thrown: Option<&str>, what: Option<&str>) -> String {
    match (thrown, what) {
        (Some(thrown), Some(what)) => format!("threw a C++ exception that nobody caught: {thrown}, \"{what}\""),
        (Some(thrown), None) => format!("threw a C++ exception that nobody caught: {thrown}"),
        (None, _) => "threw a C++ exception that nobody caught".to_owned(),
    }
}

fn divides(instruction: &str) -> bool {
    let name = instruction.split(' ').next().unwrap_or_default();
    name.contains("div") || matches!(name, "into" | "aam" | "brk")
}

fn other(exception: &ExceptionFacts) -> Finding {
    let name = exception.name.as_deref().map_or_else(String::new, |name| format!(" ({name})"));
    // Windows ends a process with these from outside of its code, or before it runs: nothing raises them there.
    let from_outside = NOT_STARTED.contains(&exception.code.0) || exception.code == ExceptionCode::CONTROL_C_EXIT;
    let did = if from_outside { "ended with" } else { "raised the exception" };
    Finding::new(Kind::Other, 0.6, format!("{did} {}{name}", exception.code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{FastFailCode, ModuleOffset};

    use crate::incident::FastFail;

    fn exception(code: u32, fast_fail: Option<u32>) -> ExceptionFacts {
        ExceptionFacts {
            code: ExceptionCode(code),
            name: None,
            address: None,
            parameters: None,
            fast_fail: fast_fail.map(|code| FastFail { code: FastFailCode(code), name: None }),
            access: None,
            recorded_code: None,
        }
    }

    fn site(module: &str, offset: u64) -> FaultSite {
        FaultSite { module: module.into(), offset: Some(ModuleOffset(offset)), ..FaultSite::default() }
    }

    fn kind(code: u32, fast_fail: Option<u32>, site: Option<&FaultSite>) -> Option<&'static str> {
        of_record(&exception(code, fast_fail), site, None).map(|finding| finding.kind.word())
    }

    #[test]
    fn records_show_what_their_code_alone_names() {
        let (program, runtime) = (site("demo.exe", 0x1234), site("ucrtbase.dll", 0x7_286E));
        assert_eq!(kind(0xC000_0409, Some(7), Some(&runtime)), Some("abort"));
        assert_eq!(kind(0xC000_0409, Some(7), Some(&program)), Some("fail-fast"));
        assert_eq!(kind(0xC000_0409, None, Some(&runtime)), Some("abort"));
        assert_eq!(kind(0xC000_00FD, None, Some(&program)), Some("stack-exhausted"));
        assert_eq!(kind(0xE06D_7363, None, None), Some("unhandled-cpp"));
        assert_eq!(kind(0xC06D_007E, None, None), Some("delay-load"));
        assert_eq!(kind(0xC000_0264, None, Some(&program)), Some("other"));
        assert_eq!(kind(1, None, Some(&program)), None, "a program's own exit code");
    }

    #[test]
    fn an_access_violation_without_a_dump_is_a_null_call_only_where_no_module_is_at_a_small_offset() {
        assert_eq!(kind(0xC000_0005, None, Some(&site("demo.exe", 0x1234))), Some("unknown"));
        assert_eq!(kind(0xC000_0005, None, Some(&site("unknown", 0))), Some("null-call"));
        assert_eq!(kind(0xC000_0005, None, Some(&site("unknown", 0x7FFB_1234))), Some("unknown"));
        assert_eq!(kind(0xC000_0005, None, None), Some("unknown"));
    }

    #[test]
    fn a_breakpoint_is_a_debuggers_only_in_ntdll() {
        assert_eq!(kind(0x8000_0003, None, Some(&site("ntdll.dll", 0x9_0000))), Some("breakpoint"));
        assert_eq!(kind(0x8000_0003, None, Some(&site("KERNELBASE.dll", 0x9_0000))), Some("deliberate-crash"));
        assert_eq!(kind(0x8000_0003, None, Some(&site("demo.exe", 0x1234))), Some("deliberate-crash"));
    }

    #[test]
    fn a_dot_net_type_outweighs_the_code() {
        let finding = of_record(&exception(0xC000_0005, None), None, Some("System.AccessViolationException"));
        assert_eq!(finding.map(|finding| finding.kind), Some(Kind::Managed));
    }
}
