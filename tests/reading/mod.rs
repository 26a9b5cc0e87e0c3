//! What each reader takes from a file: archives, dumps, event logs, reports of Windows Error Reporting.

mod archives;
mod dump_contradictions;
mod dump_facts;
mod dump_proofs;
mod event_log_oracle;
mod kernel_and_wer_facts;
mod locked_archives;
mod mechanism;
pub mod symbols;
mod threads;
mod unwinding;
