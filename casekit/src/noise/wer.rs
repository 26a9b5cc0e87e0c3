//! Modules of other products, added to the modules that a `Report.wer` lists.

use super::dump::INNOCENT;

/// What a line of a module begins with: `LoadedModule[12]=C:\Windows\System32\ntdll.dll`.
const MODULE: &str = "LoadedModule[";

/// The report with more modules; `None` for files that are no report in UTF-16 with modules.
pub(super) fn with_modules(bytes: &[u8]) -> Option<Vec<u8>> {
    let (units, rest) = bytes.strip_prefix(&[0xFF, 0xFE])?.as_chunks::<2>();
    let text: String =
        char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit))).collect::<Result<_, _>>().ok()?;
    let number = |line: &str| line.strip_prefix(MODULE)?.split(']').next()?.parse::<usize>().ok();
    let last = text.lines().enumerate().filter(|(_, line)| rest.is_empty() && number(line).is_some()).last()?.0;
    let first_free = text.lines().filter_map(number).max()?.checked_add(1)?;
    let mut out = vec![0xFF, 0xFE];
    let mut write = |line: &str| {
        let units = line.encode_utf16().chain("\r\n".encode_utf16());
        out.extend(units.flat_map(u16::to_le_bytes));
    };
    for (at, line) in text.lines().enumerate() {
        write(line);
        if at == last {
            (first_free..).zip(INNOCENT).for_each(|(number, path)| write(&format!("{MODULE}{number}]={path}")));
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn modules_are_added_behind_the_last_one() {
        let report = utf16("Version=1\r\nLoadedModule[0]=a.exe\r\nLoadedModule[1]=b.dll\r\nAppName=a\r\n");
        let noisy = with_modules(&report).expect("a report");
        let expected = INNOCENT.iter().zip(2..).map(|(path, number)| format!("LoadedModule[{number}]={path}\r\n"));
        let added: String = expected.collect();
        let whole = format!("Version=1\r\nLoadedModule[0]=a.exe\r\nLoadedModule[1]=b.dll\r\n{added}AppName=a\r\n");
        assert_eq!(noisy, utf16(&whole));
    }

    #[test]
    fn what_lists_no_modules_stays_as_it_is() {
        assert_eq!(with_modules(&utf16("Version=1\r\n")), None);
        assert_eq!(with_modules(b"Version=1\r\nLoadedModule[0]=a.exe\r\n"), None);
    }
}
