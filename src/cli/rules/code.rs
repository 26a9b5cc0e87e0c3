//! `crashsift rules check --explain CODE`: what a code of a mistake means, why it is one, and an example.

use std::io;

use anstyle::Style;

use super::template::wrapped;
use super::{Exit, Output};
use crate::cli::stream;
use spanned_yaml::Code;

/// Columns before the lines of an example.
const EXAMPLE_INDENT: &str = "    ";

/// Prints the entry of a code; where there is none, a note with the nearest codes.
pub(super) fn explain(written: &str, output: &mut Output<'_>) -> io::Result<Exit> {
    let Some(code) = Code::find(written) else { return Ok(unknown(written)) };
    let heading = output.style(Style::new().bold());
    writeln!(output.out, "{heading}{code}{heading:#} ({}): {}\n", code.level.word(), code.title)?;
    writeln!(output.out, "{}", wrapped(code.explanation, 0))?;
    for (title, lines) in [("Wrong:", code.wrong), ("Right:", code.right)] {
        writeln!(output.out, "\n{heading}{title}{heading:#}")?;
        lines.iter().try_for_each(|line| writeln!(output.out, "{EXAMPLE_INDENT}{line}"))?;
    }
    Ok(Exit::Success)
}

fn unknown(written: &str) -> Exit {
    let nearest: Vec<String> =
        Code::nearest(written).into_iter().map(|code| format!("{code} ({})", code.title)).collect();
    let help = if nearest.is_empty() {
        "`rules check` prints codes in brackets, such as error[R019]".to_owned()
    } else {
        format!("the nearest codes are {}", nearest.join(", "))
    };
    stream::note(&format!("there is no code `{written}`; {help}"));
    Exit::Usage
}
