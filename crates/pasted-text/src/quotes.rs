//! What a line quotes.

use std::ops::Range;

/// What is in quotation marks. An apostrophe begins a quotation only at the beginning of a word.
pub(super) fn quotes(line: &str) -> Vec<Range<usize>> {
    const PAIRS: [(char, &[char]); 6] =
        [('"', &['"']), ('\'', &['\'']), ('`', &['`']), ('“', &['”', '“']), ('„', &['“', '”']), ('«', &['»'])];
    let mut quotes = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    // A quotation that nothing ends is ended by nothing farther on, either.
    let mut endless = [false; PAIRS.len()];
    while let Some(first) = line.get(at..).and_then(|rest| rest.chars().next()) {
        let begins = !before.is_alphanumeric();
        before = first;
        let inside = at.saturating_add(first.len_utf8());
        let pair = PAIRS.iter().zip(&mut endless).find(|((opening, _), _)| *opening == first && begins);
        let end = pair.filter(|(_, endless)| !**endless).and_then(|((_, closing), endless)| {
            let closing = *closing;
            let rest = line.get(inside..)?;
            let mut ends = rest.match_indices(closing).filter(|(end, mark)| {
                let behind = rest.get(end.saturating_add(mark.len())..).and_then(|behind| behind.chars().next());
                behind.is_none_or(|behind| !behind.is_alphanumeric())
            });
            let end = ends.next().map(|(end, _)| inside.saturating_add(end));
            *endless = end.is_none();
            end
        });
        match end {
            Some(end) => {
                quotes.push(at..end);
                at = end.saturating_add(line.get(end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
            }
            None => at = inside,
        }
    }
    quotes
}
