//! Ends of processes without crash record.

use super::super::fields::Fields;
use evidence::{EventBody, ProcessExit};

/// ProcessExitMonitor 3000, a process that ended itself, and 3001, one that another process ended, whose path is the second
/// value there. Newer systems add the process ids by name.
pub(super) fn silent_exit(id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let ended_by_other = id == 3001;
    let (code, started) = if ended_by_other { ("param3", "param4") } else { ("param2", "param3") };
    Some(EventBody::ProcessExit(Box::new(ProcessExit {
        path: fields.text("param1")?,
        pid: fields.number_u32("ExitingProcessId"),
        code: exit_code(fields.written(code)?)?,
        started: fields.hex_time(started),
        ended_by: if ended_by_other { fields.text("param2") } else { None },
    })))
}

/// Security-Auditing 4689: the end of a process. Windows logs it where the audit of processes is on.
pub(super) fn process_exit(fields: &Fields<'_>) -> Option<EventBody> {
    Some(EventBody::ProcessExit(Box::new(ProcessExit {
        path: fields.text("ProcessName")?,
        pid: fields.number_u32("ProcessId"),
        code: fields.number_u32("Status")?,
        started: None,
        ended_by: None,
    })))
}

/// An exit code in the monitor's notation: a decimal number that may be negative, or a hexadecimal one with `0x`.
fn exit_code(text: &str) -> Option<u32> {
    let text = text.trim();
    untrusted::notation::number_u32(text).or_else(|| text.parse::<i32>().ok().map(i32::cast_unsigned))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{named, positional};
    use super::*;

    const MONITOR: &str = "Microsoft-Windows-ProcessExitMonitor";
    /// 2024-05-06T07:08:09.5Z in FILETIME's units of 100 ns since 1601, hexadecimal.
    const STARTED: &str = "01da9f8426b8ddc0";

    fn exit(body: Option<EventBody>) -> ProcessExit {
        match body {
            Some(EventBody::ProcessExit(exit)) => *exit,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_process_that_ended_itself_names_its_code_and_start() {
        let data = json!({"param1": "C:\\t\\tool.exe", "param2": "3221226505", "param3": STARTED, "ExitingProcessId": "0x1ab0"});
        let found = exit(named(MONITOR, 3000, data));
        assert_eq!((&*found.path, found.code, found.pid), ("C:\\t\\tool.exe", 0xC000_0409, Some(0x1AB0)));
        assert_eq!(found.started.map(|time| time.to_string()).as_deref(), Some("2024-05-06T07:08:09.5Z"));
        assert_eq!(found.ended_by, None);
    }

    #[test]
    fn a_process_that_another_one_ended_names_it() {
        let values = ["C:\\t\\tool.exe", "C:\\w\\guard.exe", "-1073741819", STARTED];
        let found = exit(positional(MONITOR, 3001, &values));
        assert_eq!((found.code, found.ended_by.as_deref()), (0xC000_0005, Some("C:\\w\\guard.exe")));
        assert!(found.started.is_some());
    }

    #[test]
    fn an_audited_exit_tells_its_status() {
        let data = json!({
            "SubjectUserName": "x", "Status": "0xc0000409", "ProcessId": "0x1ab0", "ProcessName": "C:\\t\\tool.exe"
        });
        let found = exit(named("Microsoft-Windows-Security-Auditing", 4689, data));
        assert_eq!((&*found.path, found.code, found.pid), ("C:\\t\\tool.exe", 0xC000_0409, Some(0x1AB0)));
        assert_eq!((found.started, found.ended_by), (None, None));
    }

    #[test]
    fn a_record_without_a_code_says_no_more_than_its_text() {
        let body = positional(MONITOR, 3000, &["C:\\t\\tool.exe"]);
        assert!(matches!(body, Some(EventBody::Other { .. })), "{body:?}");
    }
}
