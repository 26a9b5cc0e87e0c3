//! Windows crash dumps: user-mode minidumps and kernel-mode dumps, as evidence.

pub mod kernel_dump;
pub mod minidump;
