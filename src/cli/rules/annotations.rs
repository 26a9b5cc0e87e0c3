//! `crashsift rules check -f github`: mistakes as annotations of GitHub Actions, which shows them beside the lines of a
//! pull request.
//!
//! The form, and what has to be escaped in it:
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>

use std::io::{self, Write};

use spanned_yaml::Diagnostic;
use untrusted::sanitise;

/// Prints each mistake as a workflow command on a line of its own.
pub(super) fn print(out: &mut dyn Write, diagnostics: &[Diagnostic]) -> io::Result<()> {
    diagnostics.iter().try_for_each(|diagnostic| writeln!(out, "{}", annotation(diagnostic)))
}

/// `::error file=FILE,line=LINE,col=COLUMN,title=CODE::MESSAGE`, with the help in a second line of the message.
fn annotation(diagnostic: &Diagnostic) -> String {
    let Diagnostic { code, level, file, span, message, help, .. } = diagnostic;
    let (level, file) = (level.word(), property(&file.name));
    let help = help.as_deref().map_or_else(String::new, |help| format!("%0A{}", escaped(help)));
    let message = escaped(message);
    format!("::{level} file={file},line={},col={},title={code}::{message}{help}", span.line, span.column)
}

/// A text in a message: `%` begins escapes. A file can have any content, so other characters that act are shown as escapes.
fn escaped(text: &str) -> String {
    sanitise(text).replace('%', "%25")
}

/// A text in the value of a property, which ends at a comma or colon.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use spanned_yaml::{Code, YamlText};

    #[test]
    fn a_mistake_is_one_line_whatever_its_file_is_called_and_contains() {
        let file = YamlText::new("a,b:c%.yaml", "a: 1\nb: wrong\n".to_owned());
        let mistake = Diagnostic::error(Code::R012, &file, file.span(8..13), "50 % is wrong\n::error::")
            .with_help("write `right`, not: wrong");
        let expected = "::error file=a%2Cb%3Ac%25.yaml,line=2,col=4,title=R012::50 %25 is wrong\\n::error::%0Awrite \
                        `right`, not: wrong";
        assert_eq!(annotation(&mistake), expected);
        let warning = Diagnostic::warning(Code::R095, &file, file.span(0..1), "unfinished");
        assert_eq!(annotation(&warning), "::warning file=a%2Cb%3Ac%25.yaml,line=1,col=1,title=R095::unfinished");
    }
}
