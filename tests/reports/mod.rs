//! The contents of reports: every key as it is documented, and the gaps of the given files.

mod browser;
mod coverage;
mod evidence_format;
mod report_page;
mod schema;
