//! Windows Error Reporting: `Report.wer` files, the metadata beside them, and the signatures in both.

pub mod report;
pub mod signature;

pub use report::{is_wer_report, read};
pub use signature::*;
