//! The numbers and words of a text.

/// A number or word of a text, with the text between it and the last number before it.
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) before: &'t str,
    /// Where in the text it ends.
    pub(super) end: usize,
    /// Whether it begins with a digit, behind a minus or not.
    pub(super) is_number: bool,
}

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let part_of_token = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '`';
    let mut tokens = Vec::new();
    let mut label_start = 0_usize;
    let mut at = 0_usize;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(offset) = rest.find(part_of_token) else { break };
        let start = at.saturating_add(offset);
        let word = text.get(start..).unwrap_or_default();
        let end = start.saturating_add(word.find(|c: char| !part_of_token(c)).unwrap_or(word.len()));
        let before = text.get(..start).unwrap_or_default();
        // A minus belongs to the number after it, unless it joins two words.
        let negative = before.ends_with('-')
            && word.starts_with(|c: char| c.is_ascii_digit())
            && !before.trim_end_matches('-').ends_with(part_of_token);
        let from = if negative { start.saturating_sub(1) } else { start };
        let token = text.get(from..end).unwrap_or_default();
        let is_number = token.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        tokens.push(Token { text: token, before: text.get(label_start..from).unwrap_or_default(), end, is_number });
        if is_number {
            label_start = end;
        }
        at = end;
    }
    tokens
}
