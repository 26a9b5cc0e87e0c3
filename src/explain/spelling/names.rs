//! Codes by their names.

use super::{Form, Written};
use crate::explain::kind::{Kind, all_names};
use crate::knowledge::Knowledge;

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

/// A name, and what the same code is called elsewhere: programs see `STATUS_ACCESS_VIOLATION` as
/// `EXCEPTION_ACCESS_VIOLATION`, and people leave out what stands before the name proper.
fn aliases(text: &str) -> Vec<String> {
    let upper = text.to_ascii_uppercase();
    let mut names = vec![text.to_owned()];
    if let Some(rest) = upper.strip_prefix("EXCEPTION_") {
        let long = [("FLT_", "FLOAT_"), ("INT_", "INTEGER_"), ("PRIV_", "PRIVILEGED_")]
            .iter()
            .find_map(|(short, long)| rest.strip_prefix(short).map(|rest| format!("STATUS_{long}{rest}")));
        names.push(long.unwrap_or_else(|| format!("STATUS_{rest}")));
    }
    if upper.contains('_') && !upper.contains(' ') {
        names.extend(["STATUS_", "FAST_FAIL_", "ERROR_"].map(|prefix| format!("{prefix}{upper}")));
    }
    names
}
