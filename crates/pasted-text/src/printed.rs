//! Lines that a program printed, which advise and deny nothing, as against those that somebody wrote. How they begin is
//! data (`rules/data/text-words.yaml`).

use windows_codes::Knowledge;

/// Whether a program printed a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Printed {
    /// It did: the line begins with a time, a bracket, a path or a prompt, or is a field of a report.
    Whole,
    /// It may have: the line begins with an error's name or a log's level and a colon. Programs advise there.
    Message,
    /// Somebody wrote it.
    No,
}

pub(super) fn printed(line: &str) -> Printed {
    let (beginnings, levels) =
        (Knowledge::builtin().text_words("printed_start"), Knowledge::builtin().text_words("level"));
    let level = |word: &str| {
        let word = word.to_lowercase();
        levels.iter().any(|level| word.ends_with(level))
    };
    // `[2024-05-06]`, `[ERROR]`, but not `[Update]`.
    let bracketed = line.strip_prefix('[').is_some_and(|inside| {
        let word = inside.trim_start().split(|end: char| !end.is_alphanumeric()).next().unwrap_or_default();
        word.starts_with(|first: char| first.is_ascii_digit()) || level(word)
    });
    if is_said_in_a_chat(line) {
        return Printed::Message;
    }
    let begins = beginnings.iter().any(|beginning| line.starts_with(beginning));
    if bracketed || begins || is_drive(line) || is_time(line) || is_field(line) {
        return Printed::Whole;
    }
    // A log of Google's: `E0506 12:00:01.5 4312 file.cc:12]`; TensorFlow's: `E tensorflow/...`.
    if line.split(' ').take(4).any(|word| word.ends_with(']') && word.contains(".cc:")) {
        return Printed::Whole;
    }
    let first = line.split_whitespace().next().unwrap_or_default();
    let labelled = line.split_once(':').is_some_and(|(label, _)| {
        label.len() <= 60
            && !label.contains(['「', '『', '“', '„', '«'])
            && label.split_whitespace().count() == 1
            && level(label)
    });
    let shouted = level(first) && first.chars().all(|letter| letter.is_ascii_uppercase());
    if labelled || shouted { Printed::Message } else { Printed::No }
}

/// Whether a line is a person's message in a chat: `[10:13] anna: ...`. Logs write seconds, and levels.
pub(super) fn is_said_in_a_chat(line: &str) -> bool {
    let Some((time, said)) = line.strip_prefix('[').and_then(|inside| inside.split_once("] ")) else { return false };
    let digits = |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|digit| digit.is_ascii_digit());
    let to_the_minute = time.split_once(':').is_some_and(|(hour, minute)| digits(hour) && digits(minute));
    let name = said.split_once(": ").map(|(name, _)| name);
    to_the_minute && name.is_some_and(|name| !name.is_empty() && name.split_whitespace().count() <= 2)
}

/// Whether a line is a field of a debugger's report: `Arg2:`, `PROCESS_NAME:`.
fn is_field(line: &str) -> bool {
    let Some((label, _)) = line.split_once(':') else { return false };
    let label = label.trim();
    let argument = label.strip_prefix("Arg").is_some_and(|number| matches!(number, "1" | "2" | "3" | "4"));
    let capitals = label.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_');
    argument || (capitals && label.contains('_'))
}

fn is_drive(line: &str) -> bool {
    matches!(line.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Whether a text begins with a time or a date: three numbers with the same mark between them, or an hour.
fn is_time(text: &str) -> bool {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || "-/.:".contains(letter))).unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default();
    ['-', '/', '.', ':'].iter().any(|mark| {
        let parts: Vec<&str> = word.trim_end_matches(*mark).split(*mark).collect();
        let numbers = parts
            .iter()
            .all(|part| (1..=4).contains(&part.len()) && !part.contains(|letter: char| !letter.is_ascii_digit()));
        numbers && (parts.len() == 3 || (*mark == ':' && parts.len() == 2))
    })
}

/// Whether a word of the line is a time or a date.
pub(super) fn has_time(line: &str) -> bool {
    line.split([' ', '|', ',', '(']).any(is_time)
}
