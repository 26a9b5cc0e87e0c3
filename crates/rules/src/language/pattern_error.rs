//! Errors of regular expressions, in one line and with their place.

use std::ops::Range;

use expressions::{Pattern, check};
use regex_syntax::ParserBuilder;

/// What is wrong with an expression.
pub(crate) struct WrongPattern {
    /// The place in bytes; `None` where that is all of the expression.
    pub at: Option<Range<usize>>,
    /// The mistake in one line.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

/// The pattern of an expression, or what is wrong with it. `count` counts the states of its automaton, and is false where
/// these are too many for the rule set; without it, the expression is known to compile.
pub(crate) fn pattern(text: &str, count: Option<&dyn Fn(usize) -> bool>) -> Result<Pattern, WrongPattern> {
    if let Some(count) = count {
        let states = check(text).map_err(|error| WrongPattern::new(text, &error))?;
        if !count(states) {
            let message = "the expressions of this rule set are too large together".to_owned();
            return Err(WrongPattern { at: None, message, help: "repeat less, or use fewer expressions" });
        }
    }
    Ok(Pattern::new(text))
}

impl WrongPattern {
    fn new(text: &str, error: &regex::Error) -> Self {
        // Of an expression that is too large, that is all that is wrong; it is not read once more.
        let at = matches!(error, regex::Error::Syntax(_)).then(|| wrong_at(text)).flatten();
        // The crate draws a picture of several lines; what went wrong is in the last one.
        let error = error.to_string();
        let reason = error.lines().last().unwrap_or_default().trim_start_matches("error:");
        let reason = reason.trim().trim_end_matches('.');
        let help = if reason.contains("look-") || reason.contains("backreference") {
            "split it into several terms; look-around and backreferences don't exist here"
        } else {
            "for simple patterns `contains` and `like` need no escaping"
        };
        Self { at, message: format!("not a regular expression: {reason}"), help }
    }
}

/// Where an expression is wrong, in bytes; `None` where that is all of it.
fn wrong_at(text: &str) -> Option<Range<usize>> {
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
