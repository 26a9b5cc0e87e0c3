//! The exception stream.

use super::pending::Pending;
use super::{Context, Minidump};
use crate::bytes::{ByteWriter, count32};

/// An exception record with the registers at the moment of the exception.
#[derive(Debug, Clone)]
pub struct Exception {
    /// The thread that raised it.
    pub thread: u32,
    /// Code.
    pub code: u32,
    /// Flags: bit 0 is "noncontinuable", bit 7 "raised by software".
    pub flags: u32,
    /// Where it was raised.
    pub address: u64,
    /// Parameters, at most 15.
    pub parameters: Vec<u64>,
    /// Registers.
    pub context: Context,
}

/// `MINIDUMP_EXCEPTION_STREAM`, 168 bytes: thread, the record (152 bytes), location of the context.
pub(super) fn write(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    let Some(exception) = &dump.exception else { return };
    out.u32(exception.thread).u32(0);
    out.u32(exception.code).u32(exception.flags).u64(0).u64(exception.address);
    out.u32(count32(exception.parameters.len())).u32(0);
    let parameters = out.len();
    for parameter in &exception.parameters {
        out.u64(*parameter);
    }
    out.zeros_to(parameters + 15 * 8);
    pending.locate(out, exception.context.to_bytes());
}
