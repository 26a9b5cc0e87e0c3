//! The kinds of code, and the tables in which the codes of a kind are.

use std::sync::LazyLock;

use serde::Serialize;
use strum::{EnumIter, IntoStaticStr};

use crate::codes::{self, Codes};
use evidence::BugcheckCode;
use knowledge_tables::codes::Meaning;

/// The kind of code that a number is. In the order in which equally likely readings are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, IntoStaticStr, EnumIter)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// A status with which an exception is raised or a process ends.
    Exception,
    /// The code of a blue screen or of a live kernel report.
    Bugcheck,
    /// A system error.
    WinError,
    /// A result of COM, DirectX or .NET.
    #[serde(rename = "hresult")]
    #[strum(serialize = "hresult")]
    HResult,
    /// An exit code that is no status.
    ExitCode,
    /// The sub-code of a fast fail.
    FastFail,
    /// An error of CUDA.
    CudaError,
    /// An event of a log, by its id.
    Event,
    /// A problem code of a device.
    DeviceProblem,
    /// An error of the C runtime.
    Errno,
    /// An Xid error of NVIDIA's driver.
    Xid,
    /// A status of cuBLAS.
    CublasStatus,
    /// A status of cuDNN.
    CudnnStatus,
}

/// All tables of codes, in the order in which a name is looked for. Of two tables of one kind that have the same number,
/// the first has its name.
static TABLES: [(Kind, &LazyLock<Codes>); 14] = [
    (Kind::Exception, &codes::EXCEPTIONS),
    (Kind::Bugcheck, &codes::BUGCHECKS),
    (Kind::FastFail, &codes::FAST_FAILS),
    (Kind::WinError, &codes::WIN_ERRORS),
    (Kind::HResult, &codes::HRESULTS),
    (Kind::ExitCode, &codes::EXIT_CODES),
    (Kind::CudaError, &codes::CUDA_ERRORS),
    (Kind::CudaError, &codes::CUDA_DRIVER_ERRORS),
    (Kind::DeviceProblem, &codes::DEVICE_PROBLEMS),
    (Kind::Errno, &codes::ERRNOS),
    (Kind::Xid, &codes::XIDS),
    (Kind::CublasStatus, &codes::CUBLAS_STATUSES),
    (Kind::CudnnStatus, &codes::CUDNN_STATUSES),
    (Kind::Exception, &codes::STATUSES),
];

impl Kind {
    /// Its word in data and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// What people call a code of this kind.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Exception => "exception or exit code (NTSTATUS)",
            Self::Bugcheck => "stop code (bugcheck)",
            Self::WinError => "system error (WinError)",
            Self::HResult => "HRESULT",
            Self::ExitCode => "exit code by convention",
            Self::FastFail => "fast-fail sub-code",
            Self::CudaError => "error of CUDA",
            Self::Event => "event of a log, by its id",
            Self::DeviceProblem => "problem code of a device (Device Manager)",
            Self::Errno => "error of the C runtime (errno)",
            Self::Xid => "Xid error of NVIDIA's driver",
            Self::CublasStatus => "status of cuBLAS",
            Self::CudnnStatus => "status of cuDNN",
        }
    }

    /// A code of this kind in its usual notation: statuses, stop codes and HRESULTs in hexadecimal with eight digits, the
    /// others in decimal.
    #[must_use]
    pub fn notation(self, code: u32) -> String {
        match self {
            Self::Exception | Self::Bugcheck | Self::HResult => format!("0x{code:08X}"),
            Self::ExitCode if code > 0x7FFF_FFFF => code.cast_signed().to_string(),
            _ => code.to_string(),
        }
    }

    /// The tables with codes of this kind; none for events, whose ids mean something only together with their source.
    pub(crate) fn tables(self) -> impl Iterator<Item = &'static Codes> {
        TABLES.iter().filter(move |(kind, _)| *kind == self).map(|(_, table)| &***table)
    }

    /// Name and meaning of a code of this kind. A stop code may have the flag of small dumps.
    pub(super) fn look_up(self, code: u32) -> Option<&'static Meaning> {
        // Statuses are stop codes, too, and their upper bits are no such flag.
        let plain = if self == Self::Bugcheck && code >> 28 == 1 { BugcheckCode(code).plain() } else { code };
        self.tables().find_map(|table| table.get(&code).or_else(|| table.get(&plain)))
    }
}

/// Every name with its kind and code.
pub(super) fn all_names() -> impl Iterator<Item = (&'static str, Kind, u32)> {
    TABLES.iter().flat_map(|(kind, table)| table.iter().map(|(code, row)| (row.name, *kind, *code)))
}
