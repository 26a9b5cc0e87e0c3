//! Codes by their names.

use super::{Form, Written};
use crate::Knowledge;
use crate::code_names::aliases;
use crate::explain::kind::{Kind, all_names};

/// More characters than a name has.
pub(super) const LONGEST_NAME: usize = 100;

/// The codes of a name, whatever its case, with or without what stands before it in the headers.
pub(super) fn by_name(text: &str, knowledge: &Knowledge) -> Option<Vec<Written>> {
    if text.len() > LONGEST_NAME || !text.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    for name in aliases(text) {
        let mut found: Vec<Written> = Vec::new();
        for (_, kind, code) in all_names(knowledge).filter(|(known, _, _)| known.eq_ignore_ascii_case(&name)) {
            // Of two numbers that cuDNN gave a name, the later one is larger, and stands later.
            found.retain(|written| (written.form, kind) != (Form::Name(Kind::CudnnStatus), Kind::CudnnStatus));
            if !found.iter().any(|written| written.code == code) {
                found.push(Written {
                    code,
                    form: Form::Name(kind),
                    label: None,
                    provider: None,
                    parameters: Vec::new(),
                });
            }
        }
        if !found.is_empty() {
            return Some(found);
        }
    }
    None
}
