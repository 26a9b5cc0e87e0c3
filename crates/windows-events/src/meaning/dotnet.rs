//! Events that the .NET runtime logs when it ends a process: one text with prefixes in the system's language.

use std::sync::Arc;

use super::super::fields::Fields;
use super::split_extension;
use evidence::EventBody;

/// The event of an unhandled exception; the provider's other events have no exception type.
const UNHANDLED_EXCEPTION: u32 = 1026;
/// The beginning of a stack frame's line, in front of the word for "at" in the system's language.
const FRAME_INDENT: &str = "   ";

/// .NET Runtime 1022 to 1028.
pub(super) fn dotnet(id: u32, fields: &Fields<'_>) -> Option<EventBody> {
    let mut values = fields.values();
    let first = values.next()?;
    let text = if values.next().is_none() { Arc::from(first) } else { fields.joined() };
    Some(EventBody::DotNet {
        app: text.lines().next().and_then(program).map(Arc::from),
        exception_type: if id == UNHANDLED_EXCEPTION { exception_type(&text).map(Arc::from) } else { None },
        text,
    })
}

/// The program in the first line, behind its prefix.
fn program(line: &str) -> Option<&str> {
    let name = after_prefix(line)?;
    split_extension(name)?.1.eq_ignore_ascii_case(".exe").then_some(name)
}

/// The exception's type: among the lines in front of the first stack frame, the first whose value begins with a name with dots.
/// A type without namespace is only taken from the line directly in front of the frame.
fn exception_type(text: &str) -> Option<&str> {
    let mut previous = None;
    for line in text.lines().skip(1) {
        if is_frame(line) {
            return type_name(after_prefix(previous?)?);
        }
        if let Some(name) = after_prefix(line).and_then(type_name)
            && name.contains('.')
        {
            return Some(name);
        }
        previous = Some(line);
    }
    None
}

/// The rest of a line behind its prefix and colon.
fn after_prefix(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once([':', '：'])?;
    let rest = rest.trim();
    (!rest.is_empty()).then_some(rest)
}

/// The full name of a type at the beginning of `value`, followed by nothing or by the exception's message.
fn type_name(value: &str) -> Option<&str> {
    let end = value.find(|character: char| character == ':' || character.is_whitespace()).unwrap_or(value.len());
    let (name, rest) = value.split_at_checked(end)?;
    let is_identifier = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && part.chars().all(|character| character.is_alphanumeric() || "_+`[],<>".contains(character))
    };
    (name.split('.').all(is_identifier) && (rest.is_empty() || rest.starts_with(':'))).then_some(name)
}

/// Whether a line is a stack frame: indented, with the word for "at" in some language and a method with its parameters.
fn is_frame(line: &str) -> bool {
    let parts = line.strip_prefix(FRAME_INDENT).and_then(|rest| rest.split_once(' '));
    parts.is_some_and(|(word, method)| !word.is_empty() && method.contains('('))
}

#[cfg(test)]
mod tests {
    use super::super::testing::positional;
    use super::*;

    fn read(id: u32, text: &str) -> (Option<String>, Option<String>) {
        let Some(EventBody::DotNet { app, exception_type, text: kept }) = positional(".NET Runtime", id, &[text])
        else {
            panic!("a .NET event")
        };
        assert_eq!(&*kept, text, "the text is kept whole");
        (app.map(|app| app.to_string()), exception_type.map(|name| name.to_string()))
    }

    fn expected(app: &str, exception_type: &str) -> (Option<String>, Option<String>) {
        (Some(app.to_owned()), Some(exception_type.to_owned()))
    }

    #[test]
    fn the_program_and_the_exception_are_found_by_their_place() {
        let text = "Application: tool.exe\nFramework Version: v4.0.30319\nDescription: The process ended.\n\
                    Exception Info: System.OverflowException\n   at Tool.Program.Main(System.String[])\n";
        assert_eq!(read(1026, text), expected("tool.exe", "System.OverflowException"));
    }

    #[test]
    fn prefixes_may_be_in_any_language() {
        let portuguese = "Aplicativo: tool.exe\r\nVersão do Framework: v4.0.30319\r\nDescrição: O processo terminou.\r\n\
                          Informações da Exceção: System.OverflowException\r\n   em Tool.Program.Main(System.String[])\r\n";
        assert_eq!(read(1026, portuguese), expected("tool.exe", "System.OverflowException"));
        let french = "Application : tool.exe\nDescription : fin du processus.\n\
                      Informations sur l'exception : System.IO.FileNotFoundException\n   à Tool.Program.Main()\n";
        assert_eq!(read(1026, french), expected("tool.exe", "System.IO.FileNotFoundException"));
        let chinese = "应用程序：tool.exe\n说明：进程终止。\n异常信息：System.NullReferenceException\n   在 Tool.Program.Main()\n";
        assert_eq!(read(1026, chinese), expected("tool.exe", "System.NullReferenceException"));
    }

    #[test]
    fn the_exception_s_message_is_not_part_of_its_type() {
        let text = "Application: tool.exe\nCoreCLR Version: 8.0.123.4567\n.NET Version: 8.0.1\nDescription: It ended.\n\
                    Exception Info: System.InvalidOperationException: Queue empty\nsee Tool.Manual: chapter 2\n\
                    \u{20}---> Tool.InnerException: oh\n   at Tool.Queue.Take()\n";
        assert_eq!(read(1026, text), expected("tool.exe", "System.InvalidOperationException"));
    }

    #[test]
    fn a_type_without_namespace_stands_directly_before_the_first_frame() {
        let text = "Application: tool.exe\nDescription: Ended.\nException Info: OwnException\n   at Tool.Main()\n";
        assert_eq!(read(1026, text), expected("tool.exe", "OwnException"));
        let without_stack = "Application: tool.exe\nDescription: Ended.\nException Info: OwnException\n";
        assert_eq!(read(1026, without_stack), (Some("tool.exe".to_owned()), None));
    }

    #[test]
    fn a_native_exception_has_no_type() {
        let text = "Application: tool.exe\nDescription: Ended.\n\
                    Exception Info: exception code c0000005, exception address 00007FF812345678\nStack:\n   at Tool.Main()\n";
        assert_eq!(read(1026, text), (Some("tool.exe".to_owned()), None));
    }

    #[test]
    fn only_an_unhandled_exception_has_a_type() {
        let text = "Application: tool.exe\nDescription: Fail fast.\nMessage: System.Thing\nStack:\n   at Tool.Main()\n";
        assert_eq!(read(1025, text), (Some("tool.exe".to_owned()), None));
    }

    #[test]
    fn a_first_line_without_program_names_none() {
        let text = ".NET Runtime version 4.0.30319.0 - A profiler was loaded. Profiler CLSID: '{0}'";
        assert_eq!(read(1022, text), (None, None));
        assert_eq!(read(1026, "x"), (None, None));
    }
}
