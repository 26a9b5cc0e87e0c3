//! `crashsift rules check --explain CODE`: what a code of a mistake means, why it is one, and an example.

use std::io;

use anstyle::Style;

use super::facts::paragraph;
use super::{Outcome, Streams};
use spanned_yaml::Code;

/// Columns before the lines of an example.
const EXAMPLE_INDENT: &str = "    ";

/// Prints the entry of a code; where there is none, a note with the nearest codes.
pub(super) fn explain(written: &str, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let Some(code) = Code::find(written) else { return unknown(written, streams) };
    let heading = streams.style(Style::new().bold());
    writeln!(streams.out, "{heading}{code}{heading:#} ({}): {}\n", code.level().word(), code.title())?;
    paragraph(streams.out, 0, code.explanation())?;
    for (title, lines) in [("Wrong:", code.wrong()), ("Right:", code.right())] {
        writeln!(streams.out, "\n{heading}{title}{heading:#}")?;
        lines.iter().try_for_each(|line| writeln!(streams.out, "{EXAMPLE_INDENT}{line}"))?;
    }
    Ok(Outcome::Fine)
}

fn unknown(written: &str, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    let nearest: Vec<String> =
        Code::nearest(written).into_iter().map(|code| format!("{code} ({})", code.title())).collect();
    let help = if nearest.is_empty() {
        "`rules check` prints codes in brackets, such as error[R019]".to_owned()
    } else {
        format!("the nearest codes are {}", nearest.join(", "))
    };
    streams.note(&format!("there is no code `{written}`; {help}"))?;
    Ok(Outcome::Unusable)
}
