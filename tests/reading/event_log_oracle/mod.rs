//! Event logs, read by the binary scan and in full by the `evtx` crate. Both must give the same records.
//!
//! - `record` is the record as both readers give it, `decoded` makes it from the crate's JSON by rules of its own, and
//!   `compared` compares the two;
//! - `logs` contains the logs of these tests: the samples, generated ones of many shapes, and all below the folder in the
//!   environment variable `CRASHSIFT_CORPUS`;
//! - `whole_logs` compares all of them, `shapes` tests corner cases by name, `mutations` damages logs at random.

mod compared;
mod decoded;
mod logs;
mod mutations;
mod random;
mod record;
mod shapes;
mod whole_logs;
