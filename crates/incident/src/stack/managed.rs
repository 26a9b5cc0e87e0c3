//! The stack that .NET prints of an exception: in event 1026 of its runtime, and on a console.
//!
//! A frame's line is indented by three blanks and begins with the word for "at" in the system's language; behind it are the
//! method with its parameters and, where its symbols were at hand, file and line:
//! `   at Shop.Cart.Add(System.String) in C:\src\Cart.cs:line 12`.

use std::sync::Arc;

use super::{StackFrame, trust_in_printed};

/// The most frames that are taken; a runtime prints as many as the stack had.
const MOST_FRAMES: usize = 64;

/// The longest method that is taken, bytes: generic methods repeat the names of all their types.
const LONGEST_METHOD: usize = 1024;

/// The longest text of an exception that is kept, characters.
const LONGEST_TEXT: usize = 2048;

/// The frames in the first stack among `lines`, innermost first. Of an exception inside another one, the frames of the inner
/// one come first.
pub(super) fn frames<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<StackFrame> {
    let mut frames = Vec::new();
    // In front of the first frame is the exception.
    let mut is_dotnet = false;
    for line in lines {
        if !is_dotnet {
            is_dotnet = names_exception(line);
            continue;
        }
        match frame(line) {
            Some(frame) if frames.len() < MOST_FRAMES => {
                frames.push(StackFrame { trust: trust_in_printed(frames.len()), ..frame });
            }
            Some(_) => break,
            // Between the stacks of an inner and an outer exception is a line of dashes.
            None if frames.is_empty() || line.trim().is_empty() || line.trim_start().starts_with("--- ") => {}
            None => break,
        }
    }
    frames
}

/// Whether a line names the type of a .NET exception: `Exception Info: System.ArgumentException: ...`.
fn names_exception(line: &str) -> bool {
    let names = |word: &str| word.contains('.') && word.ends_with("Exception") && is_identifier_path(word);
    // Most lines of a text name none.
    line.contains("Exception")
        && line.split([' ', '\t', '(', '：']).any(|word| names(word.trim_end_matches([':', ',', '.', ')'])))
}

/// Whether a text is one identifier or several with dots between them, as .NET writes namespaces, types and methods. A dot
/// is not required.
fn is_identifier_path(text: &str) -> bool {
    let is_identifier = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '<' | '$'))
            && part.chars().all(|character| character.is_alphanumeric() || "_+`[],<>$|=&*-".contains(character))
    };
    text.split('.').all(is_identifier)
}

fn frame(line: &str) -> Option<StackFrame> {
    let (at, rest) = line.trim_start().split_once(' ')?;
    // Who pastes a stack may lose its indentation.
    let is_indented = line.strip_prefix("   ").is_some_and(|rest| !rest.starts_with(' '));
    if !is_indented && at != "at" {
        return None;
    }
    let rest = rest.trim();
    // Constructors are `.ctor` and `.cctor`, and their names have two dots before that.
    let (name, _) = rest.split_once('(')?;
    let plain = name.replace("..", ".");
    let close = rest.find(')')?.checked_add(1)?;
    let (method, behind) = rest.split_at_checked(close)?;
    // Java and JavaScript have the place in the source between the brackets.
    let of_others = method.contains(':') || method.ends_with("(Native Method)") || method.ends_with("(Unknown Source)");
    if of_others || !plain.contains('.') || !is_identifier_path(&plain) || method.len() > LONGEST_METHOD {
        return None;
    }
    let (file, line) = source(behind).map_or((None, None), |(file, line)| (Some(Arc::from(file)), Some(line)));
    Some(StackFrame { function: Some(Arc::from(method)), file, line, ..StackFrame::default() })
}

/// File and line behind a method: ` in C:\src\Cart.cs:line 12`, in the system's language.
fn source(text: &str) -> Option<(&str, u32)> {
    let (_, place) = text.trim_start().split_once(' ')?;
    let (file, line) = place.rsplit_once(':')?;
    let digits = line.trim_matches(|character: char| !character.is_ascii_digit());
    (!file.is_empty()).then_some((file.trim(), digits.parse().ok()?))
}

/// The message behind the type of an exception, up to the first frame: `Exception Info: TYPE: message`.
pub fn exception_text(text: &str, exception_type: &str) -> Option<Arc<str>> {
    let (_, behind) = text.split_once(exception_type)?;
    let message = behind.strip_prefix(':')?;
    let lines = message.lines().take_while(|line| frame(line).is_none());
    let message = lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    (!message.is_empty()).then(|| message.chars().take(LONGEST_TEXT).collect::<String>().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = "Application: Shop.exe\nFramework Version: v4.0.30319\n\
        Exception Info: System.InvalidOperationException: Sequence contains\n no elements\n \
        ---> System.NullReferenceException: Object reference\n\
        \x20  at Shop.Cart.Add(System.String, Int32) in C:\\src\\my cart\\Cart.cs:line 12\n\
        \x20  --- End of inner exception stack trace ---\n\
        \x20  at Shop.Program..ctor()\n\
        \x20  at Shop.Program.<Main>d__0.MoveNext()\n\nsomething else\n   at Another.Stack.Here()";

    #[test]
    fn frames_of_the_inner_exception_come_first() {
        let frames = frames(EVENT.lines());
        let functions: Vec<_> = frames.iter().filter_map(|frame| frame.function.as_deref()).collect();
        assert_eq!(
            functions,
            ["Shop.Cart.Add(System.String, Int32)", "Shop.Program..ctor()", "Shop.Program.<Main>d__0.MoveNext()"]
        );
        assert_eq!(frames[0].file.as_deref(), Some("C:\\src\\my cart\\Cart.cs"));
        assert_eq!(frames[0].line, Some(12));
        assert_eq!(frames[1].file, None);
    }

    #[test]
    fn words_are_those_of_any_language() {
        let german = "Ausnahmeinformationen: System.FormatException\n   bei Shop.Cart.Add(System.String) in C:\\Cart.cs:Zeile 7.";
        let frames = frames(german.lines());
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].function.as_deref(), Some("Shop.Cart.Add(System.String)"));
    }

    #[test]
    fn stacks_of_other_runtimes_are_none_of_dotnet() {
        let java = "java.lang.IllegalStateException: no\n    at com.shop.Cart.add(Cart.java:12)\nat com.shop.Cart.add(Cart.java:12)";
        assert!(frames(java.lines()).is_empty());
        let script = "TypeError: x is not a function\n   at Object.run (C:\\shop.js:1:2)";
        assert!(frames(script.lines()).is_empty());
    }

    #[test]
    fn the_message_ends_where_the_stack_begins() {
        let text = exception_text(EVENT, "System.InvalidOperationException");
        let inner = "---> System.NullReferenceException: Object reference";
        assert_eq!(text.as_deref(), Some(format!("Sequence contains no elements {inner}").as_str()));
        assert_eq!(
            exception_text("Exception Info: System.FormatException\n   at A.B.C()", "System.FormatException"),
            None
        );
    }
}
