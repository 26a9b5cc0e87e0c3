//! Commands in sentences: text between two backticks is shown as code, so that readers can copy it whole.

use std::fmt;

/// Writes a sentence with each command between `before` and `after`. `escape` makes the text around commands harmless,
/// `verbatim` the commands. A sentence whose backticks don't pair has no commands.
pub(super) fn write(
    sentence: &str,
    marks: &Marks,
    escape: fn(&str, &mut dyn fmt::Write) -> fmt::Result,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let parts: Vec<&str> = sentence.split('`').collect();
    let pairs = parts.len() % 2 == 1 && parts.iter().skip(1).step_by(2).all(|command| !command.trim().is_empty());
    if !pairs {
        return escape(sentence, out);
    }
    for (at, part) in parts.into_iter().enumerate() {
        if at % 2 == 0 {
            escape(part, out)?;
        } else {
            out.write_str(marks.before)?;
            (marks.verbatim)(part, out)?;
            out.write_str(marks.after)?;
        }
    }
    Ok(())
}

/// How a format shows a command.
pub(super) struct Marks {
    pub(super) before: &'static str,
    pub(super) after: &'static str,
    /// Writes the command's text between the marks, escaped as the format requires.
    pub(super) verbatim: fn(&str, &mut dyn fmt::Write) -> fmt::Result,
}

#[cfg(test)]
mod tests {
    use super::super::escape;
    use super::*;

    const HTML: Marks = Marks { before: "<code>", after: "</code>", verbatim: escape::html };
    const MARKDOWN: Marks = super::super::MARKDOWN.command;

    fn written(sentence: &str, marks: &Marks, escape: fn(&str, &mut dyn fmt::Write) -> fmt::Result) -> String {
        let mut out = String::new();
        write(sentence, marks, escape, &mut out).expect("memory");
        out
    }

    #[test]
    fn a_command_is_code_and_can_be_copied_whole() {
        let sentence = r"As administrator: `mkdir C:\CrashDumps`, then *restart* `a | b & c`.";
        assert_eq!(
            written(sentence, &HTML, escape::html),
            r"As administrator: <code>mkdir C:\CrashDumps</code>, then *restart* <code>a | b &amp; c</code>."
        );
        assert_eq!(
            written(sentence, &MARKDOWN, escape::markdown),
            r"As administrator: `mkdir C:\CrashDumps`, then \*restart\* `a | b & c`."
        );
    }

    #[test]
    fn backticks_that_do_not_pair_are_text() {
        for sentence in ["`", "a ` b ` c ` d", "``", "a `` b", "` `"] {
            assert_eq!(written(sentence, &HTML, escape::html), sentence);
            assert_eq!(written(sentence, &MARKDOWN, escape::markdown), sentence.replace('`', "\\`"));
        }
    }

    #[test]
    fn a_command_can_not_end_its_own_markup() {
        assert_eq!(written("`</code><script>`", &HTML, escape::html), "<code>&lt;/code&gt;&lt;script&gt;</code>");
    }
}
