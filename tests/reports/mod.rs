//! What reports contain: every key as it is documented, and what the given files could not show.

mod coverage;
mod evidence_format;
mod page;
mod schema;
