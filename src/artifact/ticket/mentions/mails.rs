//! Mails that stand below the one that answers them.

use crate::artifact::ticket::fences::unquoted;
use crate::evidence::TicketLine;

/// The fields of a mail's heading stand in so many lines.
const HEADING: usize = 4;
/// What the heading of a mail that is answered begins with, in lower case, and what stands below it.
const FROM: [&str; 9] = ["from:", "von:", "de :", "de:", "da:", "od:", "от:", "发件人", "差出人"];
const SENT: [&str; 15] = [
    "sent:",
    "date:",
    "gesendet:",
    "datum:",
    "envoyé :",
    "envoyé:",
    "enviado:",
    "enviada:",
    "inviato:",
    "data:",
    "wysłano:",
    "отправлено:",
    "发送时间",
    "日時",
    "送信日時",
];
/// How a line ends that names who wrote what comes below, with the day.
const WROTE: [&str; 7] =
    [" wrote:", " schrieb:", " a écrit :", " a écrit:", " escribió:", " ha scritto:", " escreveu:"];

/// Where the mails begin that the first one answers, by the position of their first line.
pub(super) fn older_mails(lines: &[TicketLine]) -> Option<usize> {
    let begins = |line: &TicketLine, labels: &[&str]| {
        let lower = unquoted(&line.text).to_lowercase();
        labels.iter().any(|label| lower.starts_with(label))
    };
    let is_heading = |at: usize| {
        let Some((first, rest)) = lines.get(at..).and_then(<[TicketLine]>::split_first) else { return false };
        let fields = begins(first, &FROM) && rest.iter().take(HEADING).any(|line| begins(line, &SENT));
        fields || names_who_wrote(&first.text)
    };
    // The first mail may have a heading, too.
    (1..lines.len()).find(|at| is_heading(*at))
}

/// `On Mon, Mar 11, 2024 at 4:02 PM Maria Keller wrote:`: a day with its year, as mail programs write it. In a forum no
/// year stands there, and answers stand below.
fn names_who_wrote(line: &str) -> bool {
    let line = unquoted(line).trim_end();
    WROTE.iter().any(|wrote| line.ends_with(wrote))
        && line.split(|letter: char| !letter.is_ascii_digit()).any(|word| word.len() == 4 && word.starts_with("20"))
}
