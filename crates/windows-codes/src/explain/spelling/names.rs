//! Codes by their names.

use super::code::{Form, SpelledCode};
use crate::code_names::aliases;
use crate::explain::kind::{Kind, all_names};

/// The most characters of a text that is looked up as a name: more than any name has.
pub(super) const LONGEST_NAME: usize = 100;

/// The codes of a name in upper or lower case, with or without the prefix that it has in the headers; `None` where there
/// is no such name.
pub(super) fn by_name(text: &str) -> Option<Vec<SpelledCode>> {
    if text.len() > LONGEST_NAME || !text.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    for name in aliases(text) {
        let mut found: Vec<SpelledCode> = Vec::new();
        for (_, kind, code) in all_names().filter(|(known, _, _)| known.eq_ignore_ascii_case(&name)) {
            // Of two numbers that cuDNN gave a name, the later one is larger, and stands later.
            found.retain(|spelled| (spelled.form, kind) != (Form::Name(Kind::CudnnStatus), Kind::CudnnStatus));
            if !found.iter().any(|known| known.code == code) {
                let form = Form::Name(kind);
                found.push(SpelledCode { code, form, label: None, provider: None, parameters: Vec::new() });
            }
        }
        if !found.is_empty() {
            return Some(found);
        }
    }
    None
}
