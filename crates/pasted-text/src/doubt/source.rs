//! Source text, which says what a program may print.

use super::cues::Cue;
use super::marked::Marked;
use crate::code_blocks::unquoted;
use crate::cue_words::is_one_of;
use evidence::TicketLine;
use windows_codes::Knowledge;

/// The fewest items of a release's list of changes.
const FEWEST_CHANGES: usize = 2;

/// The indices of lines of source text, which contain messages that a program may print.
pub(super) fn source(marked: &Marked) -> Vec<usize> {
    let lines = marked.lines;
    let mut found = Vec::new();
    // How many lines are left of a part of a diff, and the number of the last line of what `strings` found.
    let (mut left, mut strings) = (0_usize, None);
    for (position, line) in lines.iter().enumerate() {
        let text = unquoted(&line.text);
        let listed = strings.is_some_and(|last: u32| line.number <= last.saturating_add(1)) && !text.starts_with("$ ");
        let in_diff = left > 0 && line.text.starts_with(['+', '-', ' ']);
        let command = ["$ strings ", ">strings ", "> strings "].iter().any(|command| line.text.contains(command));
        strings = (listed || command).then_some(line.number);
        left = if in_diff { left.saturating_sub(1) } else { lines_of_hunk(text).unwrap_or(0) };
        if listed || in_diff || marked.kinds(position).has(Cue::Source) || calls_with_a_message(text) {
            found.push(position);
        }
    }
    found.extend(release_notes(lines));
    found
}

/// The fewest words of a message in a call: fewer may be the name of a file.
const FEWEST_WORDS: usize = 3;

/// Whether a line is a call of a function with a message: `log.warn("not enough memory, trying again");`. Errors print
/// themselves like calls, too: `RuntimeError('not enough memory')`.
pub(super) fn calls_with_a_message(line: &str) -> bool {
    let line = line.trim().trim_end_matches([';', ',', '{', ' ']);
    let Some(inside) = line.strip_suffix(')').and_then(|line| line.strip_suffix(['"', '\''])) else { return false };
    let opened =
        ["(\"", "('", "(L\"", ", \"", ", '"].iter().filter_map(|opening| Some((inside.find(opening)?, opening.len())));
    let Some((at, length)) = opened.min() else { return false };
    let (before, message) = inside.split_at(at);
    let message = message.get(length..).unwrap_or_default();
    let called = before.split('(').next().unwrap_or_default();
    let name = called.rsplit(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_')).next().unwrap_or_default();
    // Nothing but code is before the call: a name and its path, an assignment, a comment's mark.
    let code = called.trim_start_matches(['#', '/', '!', ' ']);
    let path = code.rsplit([' ', '=']).next().unwrap_or_default();
    let words = code.rsplit('=').next().unwrap_or_default().split_whitespace();
    let raising = Knowledge::builtin().text_words("raising");
    let words = words.filter(|word| !is_one_of(word, raising)).count();
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && !is_error(called, name)
        && !path.contains(':')
        && words <= 2
        && !code.contains(": ")
        && message.split_whitespace().count() >= FEWEST_WORDS
}

/// Whether what is called is an error that printed itself: `RuntimeError`, also with its path
/// (`torch.cuda.OutOfMemoryError`) and behind other words (`E   RuntimeError`, `raised OSError`), but not behind those
/// that raise or make one.
fn is_error(called: &str, name: &str) -> bool {
    const ENDINGS: [&str; 3] = ["error", "exception", "warning"];
    let knowledge = Knowledge::builtin();
    let lower = name.to_ascii_lowercase();
    if !ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        return false;
    }
    let in_path = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.');
    let before = called.trim_end_matches(in_path);
    let last = before.split(|sign: char| !sign.is_alphanumeric()).rfind(|word| !word.is_empty()).unwrap_or_default();
    if is_one_of(last, knowledge.text_words("raising")) {
        return false;
    }
    // Functions that log or show are no classes of errors: `log.Error`, `logger.LogError`.
    let behind_first = name.char_indices().skip(1).find(|(_, sign)| sign.is_ascii_uppercase() || *sign == '_');
    let first = lower.get(..behind_first.map_or(lower.len(), |(at, _)| at)).unwrap_or_default();
    let class = name.starts_with(|first: char| first.is_ascii_uppercase())
        && !ENDINGS.contains(&&*lower)
        && !knowledge.text_words("showing").contains(&first);
    class || called == name
}

/// The items of lists below a version that is alone: what a release changed.
fn release_notes(lines: &[TicketLine]) -> Vec<usize> {
    let mut found = Vec::new();
    for (position, _) in lines.iter().enumerate().filter(|(_, line)| is_release(unquoted(&line.text))) {
        let begins = position.saturating_add(1);
        let is_item = |line: &&TicketLine| unquoted(&line.text).starts_with(['-', '*', '•']);
        let items = lines.get(begins..).unwrap_or_default().iter().take_while(is_item).count();
        if items >= FEWEST_CHANGES {
            found.extend(begins..begins.saturating_add(items));
        }
    }
    found
}

/// Whether a line is the heading of a release: `v2.3.1`, `## 1.4.0 (2024-05-06)`, `Version 2.3:`.
pub(super) fn is_release(line: &str) -> bool {
    let line = line.trim_start_matches(['#', '*', ' ', '[', '=']);
    let labels = Knowledge::builtin().text_words("release");
    let mut words = line.split_whitespace().filter(|word| !is_one_of(word, labels));
    let is_number = |word: &str| {
        let word = word.trim_matches(|mark: char| !mark.is_ascii_digit() && mark != 'v');
        let digits = word.trim_start_matches('v');
        digits.starts_with(|first: char| first.is_ascii_digit())
            && digits.contains(['.', '-', '/'])
            && digits.chars().all(|digit| digit.is_ascii_digit() || ".-/".contains(digit))
    };
    let first = words.next().is_some_and(|word| is_number(word) && word.contains('.'));
    first && words.all(is_number)
}

/// As many lines as a part of a diff has at most, by its heading: `@@ -12,3 +12,4 @@`.
fn lines_of_hunk(line: &str) -> Option<usize> {
    let (heading, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let counts = heading
        .split(" +")
        .map(|range| range.split_once(',').map_or(Some(1), |(_, count)| count.parse::<u16>().ok().map(usize::from)));
    counts.sum::<Option<usize>>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_a_message_is_source_text() {
        for line in [
            r#"log.warn("not enough memory, trying again");"#,
            r#"    printf("part.dll was not found");"#,
            r#"expect(error).toContain("part.dll was not found")"#,
            r#"MessageBox(NULL, "part.dll was not found");"#,
            r#"# raise OSError("the paging file is too small")"#,
            r#"let text = format("not enough memory for it");"#,
            r#"raise torch.OutOfMemoryError("not enough memory for it")"#,
            r#"throw new ToolException("not enough memory for it");"#,
            r#"logger.LogError("not enough memory for it");"#,
            r#"Log.Error("not enough memory for it");"#,
        ] {
            assert!(calls_with_a_message(line), "{line}");
        }
        for line in [
            "RuntimeError('CUDA out of memory. Tried to allocate')",
            r#"torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate")"#,
            "E   RuntimeError('CUDA out of memory. Tried to allocate')",
            "raised OutOfMemoryError('CUDA out of memory. Tried to allocate')",
            r#"ERROR: open("C:\a b c.dll")"#,
            r#"it says (as "part.dll was not found")"#,
            r#"LoadLibrary("part.dll")"#,
            r#"It ends (message: "part.dll was not found")"#,
            r#"I get this error ("part.dll was not found")"#,
            "",
            "\")",
        ] {
            assert!(!calls_with_a_message(line), "{line}");
        }
    }
}
