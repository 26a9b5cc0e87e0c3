//! Errors of regular expressions, in one line and with their place.

use std::ops::Range;

use regex_syntax::ParserBuilder;

/// What an error of [`super::pattern::check`] says in one line, and what to do about it.
pub(super) fn says(error: &regex::Error) -> (String, &'static str) {
    // The crate draws a picture of several lines; what went wrong is in the last one.
    let error = error.to_string();
    let reason = error.lines().last().unwrap_or_default().trim_start_matches("error:");
    let reason = reason.trim().trim_end_matches('.');
    let help = if reason.contains("look-") || reason.contains("backreference") {
        "split it into several terms; look-around and backreferences don't exist here"
    } else {
        "for simple patterns `contains` and `like` need no escaping"
    };
    (reason.to_owned(), help)
}

/// Where an expression is wrong, in bytes; `None` where that is all of it.
pub(super) fn wrong_at(text: &str) -> Option<Range<usize>> {
    let at = match ParserBuilder::new().case_insensitive(true).build().parse(text).err()? {
        regex_syntax::Error::Parse(error) => *error.span(),
        regex_syntax::Error::Translate(error) => *error.span(),
        _ => return None,
    };
    let (start, end) = (at.start.offset, at.end.offset);
    if start < end {
        return Some(start..end);
    }
    // At the end of the text nothing is there to point at but what stands before it.
    let after = |start: usize| Some(start.saturating_add(text.get(start..)?.chars().next()?.len_utf8()));
    let last = || text.char_indices().next_back().map(|(last, _)| last);
    let start = if start < text.len() { start } else { last()? };
    Some(start..after(start)?)
}
