//! Takes out of evidence what a report must not pass on: names of users, computers and domains, addresses and numbers get
//! pseudonyms; passwords, keys and tokens are deleted.
//!
//! Evidence is redacted when everything is read and nothing is concluded yet. So no later stage knows a name: what is joined,
//! judged, grouped, kept for merging and printed in any format has the pseudonyms alone. Equal names have equal pseudonyms, also
//! in another run with the same [`Key`], so that joins, groups and merged reports are the same.
//!
//! [`Learning`] first collects the names that paths, fields and sentences of all artifacts show, because a name that one file shows
//! as such can be anywhere in another; [`Redactor`] then replaces them. `rules/data/private.yaml` has the patterns; `docs/privacy.md`
//! describes the result.

mod checks;
mod evidence;
mod key;
mod learning;
mod patterns;
mod redactor;
mod rewrite;

pub use key::{Key, KeyError};
pub use learning::Learning;
pub use patterns::{Private, find};
pub use redactor::{Redactor, is_redacted};

pub use knowledge_tables::private::PrivateClass;
