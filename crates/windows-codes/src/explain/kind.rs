//! The kinds of code.

use serde::Serialize;

use crate::codes::{
    CUBLAS_STATUSES, CUDA_DRIVER_ERRORS, CUDA_ERRORS, CUDNN_STATUSES, DEVICE_PROBLEMS, ERRNOS, EXIT_CODES, HRESULTS,
    STATUSES, WIN_ERRORS, XIDS,
};
use crate::{Knowledge, Meaning};
use evidence::{BugcheckCode, ExceptionCode, FastFailCode};
use knowledge_tables::Sorted;

/// What kind of code a number is. In the order in which equally likely readings stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A status with which an exception is raised or a process ends.
    Exception,
    /// A stop code, or the code of a live kernel report.
    Bugcheck,
    /// A system error.
    WinError,
    /// A result of COM, DirectX or .NET.
    #[serde(rename = "hresult")]
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

impl Kind {
    /// Its word in data and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Exception => "exception",
            Self::Bugcheck => "bugcheck",
            Self::WinError => "win-error",
            Self::HResult => "hresult",
            Self::ExitCode => "exit-code",
            Self::FastFail => "fast-fail",
            Self::CudaError => "cuda-error",
            Self::Event => "event",
            Self::DeviceProblem => "device-problem",
            Self::Errno => "errno",
            Self::Xid => "xid",
            Self::CublasStatus => "cublas-status",
            Self::CudnnStatus => "cudnn-status",
        }
    }

    /// What people call it.
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

    /// A code of this kind as it is written: statuses, stop codes and HRESULTs in hexadecimal, the others in decimal.
    #[must_use]
    pub fn written(self, code: u32) -> String {
        match self {
            Self::Exception | Self::Bugcheck | Self::HResult => format!("0x{code:08X}"),
            Self::ExitCode if code > 0x7FFF_FFFF => code.cast_signed().to_string(),
            _ => code.to_string(),
        }
    }

    /// Name and meaning of a code of this kind.
    pub(super) fn look_up(self, code: u32, knowledge: &Knowledge) -> Option<(&'static str, Option<&'static str>)> {
        let meaning = match self {
            Self::Exception => knowledge.exception(ExceptionCode(code)),
            Self::Bugcheck => knowledge.bugcheck(BugcheckCode(code)).filter(|_| !has_foreign_bits(code, knowledge)),
            Self::FastFail => knowledge.fast_fail(FastFailCode(code)),
            _ => None,
        };
        let row = match self {
            Self::Exception => STATUSES.get(&code),
            Self::WinError => WIN_ERRORS.get(&code),
            Self::HResult => HRESULTS.get(&code),
            Self::ExitCode => EXIT_CODES.get(&code),
            Self::CudaError => CUDA_ERRORS.get(&code),
            Self::DeviceProblem => DEVICE_PROBLEMS.get(&code),
            Self::Errno => ERRNOS.get(&code),
            Self::Xid => XIDS.get(&code),
            Self::CublasStatus => CUBLAS_STATUSES.get(&code),
            Self::CudnnStatus => CUDNN_STATUSES.get(&code),
            Self::Bugcheck | Self::FastFail | Self::Event => None,
        };
        meaning.or(row).map(|meaning| (meaning.name, meaning.means))
    }
}

/// Whether a stop code has upper bits that are neither its own nor the flag of small dumps.
fn has_foreign_bits(code: u32, knowledge: &Knowledge) -> bool {
    !matches!(code >> 28, 0 | 1) && !knowledge.bugchecks().any(|(known, _)| known.0 == code)
}

/// Every name with its kind and code.
pub(crate) fn all_names(knowledge: &Knowledge) -> impl Iterator<Item = (&str, Kind, u32)> {
    let named =
        |table: &'static Sorted<u32, Meaning>, kind: Kind| table.iter().map(move |(code, row)| (row.name, kind, *code));
    let exceptions = knowledge.exceptions().map(|(code, meaning)| (meaning.name, Kind::Exception, code.0));
    let bugchecks = knowledge.bugchecks().map(|(code, meaning)| (meaning.name, Kind::Bugcheck, code.0));
    let fast_fails = knowledge.fast_fails().map(|(code, meaning)| (meaning.name, Kind::FastFail, code.0));
    exceptions
        .chain(bugchecks)
        .chain(fast_fails)
        .chain(named(&WIN_ERRORS, Kind::WinError))
        .chain(named(&HRESULTS, Kind::HResult))
        .chain(named(&EXIT_CODES, Kind::ExitCode))
        .chain(named(&CUDA_ERRORS, Kind::CudaError))
        .chain(named(&CUDA_DRIVER_ERRORS, Kind::CudaError))
        .chain(named(&DEVICE_PROBLEMS, Kind::DeviceProblem))
        .chain(named(&ERRNOS, Kind::Errno))
        .chain(named(&XIDS, Kind::Xid))
        .chain(named(&CUBLAS_STATUSES, Kind::CublasStatus))
        .chain(named(&CUDNN_STATUSES, Kind::CudnnStatus))
        .chain(named(&STATUSES, Kind::Exception))
}
