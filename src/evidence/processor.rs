//! What an artifact says of the processor.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Which processor it is, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Processor {
    /// Its maker's name as CPUID writes it (`GenuineIntel`). Windows' dumps of 64-bit processes do not hold it.
    pub vendor: Option<Arc<str>>,
    /// Family; on x86 the displayed one, extended bits included.
    pub family: Option<u16>,
    /// Model.
    pub model: Option<u8>,
    /// Stepping.
    pub stepping: Option<u8>,
}
