//! System and processor.

use super::Minidump;
use super::pending::{Pending, string};
use crate::bytes::ByteWriter;

/// The processor, 64-bit x86.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// Family.
    pub family: u16,
    /// Model.
    pub model: u8,
    /// Stepping.
    pub stepping: u8,
    /// Logical processors.
    pub count: u8,
    /// Frequency, MHz.
    pub mhz: u32,
    /// Windows' processor features, a bit for each `PF_*` constant.
    pub features: u64,
}

/// Features of any 64-bit processor that Windows 10 runs on, as its dumps show them: SSE to SSE3, NX;
/// without `PF_XSAVE_ENABLED`.
const BASE_FEATURES: u64 = 0x0000_0000_10C0_774C;
/// `PF_SSSE3` (36), `PF_SSE4_1` (37), `PF_SSE4_2` (38).
const SSE4: u64 = 0b111 << 36;
/// `PF_XSAVE_ENABLED` (17), `PF_AVX` (39), `PF_AVX2` (40).
const AVX2: u64 = (1 << 17) | (0b11 << 39);

impl Processor {
    /// An Intel Core i7-8700: AVX2, no AVX-512.
    #[must_use]
    pub fn coffee_lake() -> Self {
        Self { family: 6, model: 158, stepping: 10, count: 12, mhz: 3192, features: BASE_FEATURES | SSE4 | AVX2 }
    }

    /// An Intel Core i7-920 of 2008: SSE4.2, no AVX.
    #[must_use]
    pub fn nehalem() -> Self {
        Self { family: 6, model: 26, stepping: 5, count: 8, mhz: 2668, features: BASE_FEATURES | SSE4 }
    }
}

/// The system that the process ran on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// The processor.
    pub processor: Processor,
    /// Major, minor and build number.
    pub version: (u32, u32, u32),
    /// Platform number of the format: 2 is Windows NT.
    pub platform: u32,
    /// Service pack, or another kernel's own description.
    pub detail: String,
}

const WINDOWS_NT: u32 = 2;
/// Breakpad's number for Linux.
const LINUX: u32 = 0x8201;

impl System {
    /// Windows of a build: 10 has builds below 22000.
    #[must_use]
    pub fn windows(build: u32, processor: Processor) -> Self {
        Self { processor, version: (10, 0, build), platform: WINDOWS_NT, detail: String::new() }
    }

    /// Linux, with the text of `uname`.
    #[must_use]
    pub fn linux(detail: &str, processor: Processor) -> Self {
        Self { processor, version: (0, 0, 0), platform: LINUX, detail: detail.to_owned() }
    }

    pub(super) fn is_windows(&self) -> bool {
        self.platform == WINDOWS_NT
    }

    /// The build string, which names the build that the release is an update of.
    pub(super) fn build_string(&self) -> &'static str {
        match self.version.2 {
            0..22000 => "19041.1.amd64fre.vb_release.191206-1406",
            _ => "22621.1.amd64fre.ni_release.220506-1250",
        }
    }

    /// The component that wrote the dump.
    pub(super) fn writer(&self) -> String {
        match self.version.2 {
            0..22000 => "dbgcore.amd64,10.0.19041.3636".to_owned(),
            _ => "dbgcore.amd64,10.0.22621.2506".to_owned(),
        }
    }
}

/// `MINIDUMP_SYSTEM_INFO`, 56 bytes.
pub(super) fn write(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    const AMD64: u16 = 9;
    const WORKSTATION: u8 = 1;
    /// Suite "single user terminal services", which every client edition has.
    const SINGLE_USER: u16 = 0x100;
    let System { processor, version, platform, detail } = &dump.system;
    let windows = dump.system.is_windows();
    out.u16(AMD64).u16(processor.family).u16((u16::from(processor.model) << 8) | u16::from(processor.stepping));
    out.u8(processor.count).u8(if windows { WORKSTATION } else { 0 });
    out.u32(version.0).u32(version.1).u32(version.2).u32(*platform);
    pending.point_to(out, string(detail));
    out.u16(if windows { SINGLE_USER } else { 0 }).u16(0);
    // CPU_INFORMATION, 24 bytes: on AMD64 two words of features. Breakpad puts the vendor there.
    if windows {
        out.u64(processor.features).u64(0).u64(0);
    } else {
        out.raw(b"GenuineIntel").zeros(12);
    }
}
