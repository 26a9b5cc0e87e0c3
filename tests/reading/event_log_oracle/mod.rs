//! Event logs, read by the binary scan and in full by the `evtx` crate. Both must give the same records.
//!
//! - `told` has the values of a record from both readers, `decoded` takes it from the crate's JSON by rules of its own, and
//!   `compared` lays the two side by side;
//! - `logs` holds the logs of these tests: the samples, those that are written in many shapes, and all below the folder
//!   that the environment variable `CRASHSIFT_CORPUS` names;
//! - `whole_logs` compares all of them, `shapes` are the corner cases by name, `mutations` damages logs at random.

mod compared;
mod decoded;
mod logs;
mod mutations;
mod random;
mod record;
mod shapes;
mod whole_logs;
