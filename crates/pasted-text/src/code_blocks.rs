//! Code blocks between fences, as Markdown has them.

use evidence::TicketLine;

/// The character of a fence and how often it is repeated.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: usize,
    length: usize,
}

/// The characters that make fences.
const MARKS: [char; 2] = ['`', '~'];
/// The fewest of these characters in a fence.
const SHORTEST: usize = 3;

/// For each line, whether it is in a code block or is one of its fences. A block without a closing fence is none.
pub(super) fn in_code(lines: &[TicketLine]) -> Vec<bool> {
    // How long the longest fence is that may close, here or below, of each mark.
    let mut longest = [0_usize; MARKS.len()];
    let mut below: Vec<[usize; MARKS.len()]> = lines
        .iter()
        .rev()
        .map(|line| {
            let after = longest;
            if let Some((fence, "")) = fence(&line.text)
                && let Some(longest) = longest.get_mut(fence.mark)
            {
                *longest = fence.length.max(*longest);
            }
            after
        })
        .collect();
    below.reverse();
    let mut open: Option<Fence> = None;
    let mut in_code = Vec::with_capacity(lines.len());
    for (line, below) in lines.iter().zip(below) {
        let found = fence(&line.text);
        match open {
            Some(opening) => {
                in_code.push(true);
                let closes = |(fence, rest): (Fence, &str)| {
                    fence.mark == opening.mark && fence.length >= opening.length && rest.is_empty()
                };
                if found.is_some_and(closes) {
                    open = None;
                }
            }
            None => {
                open = found
                    .filter(|(fence, rest)| MARKS.get(fence.mark).is_some_and(|mark| !rest.contains(*mark)))
                    .map(|(fence, _)| fence)
                    .filter(|fence| below.get(fence.mark).is_some_and(|longest| *longest >= fence.length));
                in_code.push(open.is_some());
            }
        }
    }
    in_code
}

/// A line without the marks of a mail's quotation.
pub(super) fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|first: char| first == '>' || first.is_whitespace())
}

/// The fence that a line begins with, and the part behind it.
fn fence(line: &str) -> Option<(Fence, &str)> {
    let text = unquoted(line).trim_end();
    let (mark, character) = MARKS.iter().enumerate().find(|(_, mark)| text.starts_with(**mark))?;
    let rest = text.trim_start_matches(*character);
    let length = text.len().saturating_sub(rest.len());
    (length >= SHORTEST).then_some((Fence { mark, length }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let lines: Vec<TicketLine> =
            (1..).zip(text.lines()).map(|(number, text)| TicketLine { number, text: text.into() }).collect();
        in_code(&lines).into_iter().map(|code| if code { 'x' } else { '.' }).collect()
    }

    #[test]
    fn a_block_ends_with_a_fence_of_the_same_mark_that_is_as_long() {
        assert_eq!(code("a\n```text\nb\n```\nc"), ".xxx.");
        assert_eq!(code("````\n```\nb\n````\nc"), "xxxx.");
        assert_eq!(code("~~~\n```\nb\n~~~~\nc"), "xxxx.");
        assert_eq!(code("> ```\n> b\n> ```\nc"), "xxx.");
    }

    #[test]
    fn a_fence_that_closes_in_its_line_or_never_opens_no_block() {
        assert_eq!(code("```one line```\nb\n```\nc\n```"), "..xxx");
        assert_eq!(code("```\nb\nc"), "...");
        assert_eq!(code("```\nb\n```python\nc"), "....");
        assert_eq!(code("````\nb\n```\nc\n```"), "..xxx");
    }
}
