//! Finds artifacts: walks folders and recognizes files by their content.

mod exclude;
mod kind;
mod list;
mod walk;
mod wildcard;

pub use exclude::Exclude;
pub use kind::{
    SNIFFED, first_bytes, is_json_report, is_office_document, is_own_report, named_kind, not_pasted, sniff,
};
pub use list::read_list;
pub use walk::{Found, Unfound, find, find_but, has_wildcard_match};
