//! The parameters of a stop, as Windows' records have them behind its code.

use std::ops::Range;

/// Four numbers in parentheses behind a stop code: its parameters.
pub(super) struct Parameters {
    /// The offset at which the stop code before them ends.
    pub(super) owner: usize,
    /// The range of the parameters in the text.
    pub(super) place: Range<usize>,
    pub(super) values: Vec<u64>,
}

/// The first such list of a text.
pub(super) fn parameters(text: &str) -> Option<Parameters> {
    let value = |part: &str| {
        let part = part.trim().replace('`', "");
        let prefixed = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
        let digits = prefixed.or_else(|| Some(part.as_str()).filter(|part| matches!(part.len(), 8 | 16)))?;
        u64::from_str_radix(digits, 16).ok()
    };
    text.match_indices('(').find_map(|(open, _)| {
        let length = text.get(open..)?.find(')')?;
        let close = open.saturating_add(length);
        let list = text.get(open.saturating_add(1)..close)?;
        let values: Vec<u64> = list.split(',').map(value).collect::<Option<_>>()?;
        let owner = text.get(..open)?.trim_end().len();
        (values.len() == 4).then_some(Parameters { owner, place: open..close.saturating_add(1), values })
    })
}
