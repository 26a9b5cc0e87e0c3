//! The kinds of code.

use serde::Serialize;

use evidence::{BugcheckCode, ExceptionCode, FastFailCode};
use windows_codes::Knowledge;
use windows_codes::codes::{row, tables};

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
        let tables = tables();
        let row = match self {
            Self::Exception => row(&tables.statuses, code),
            Self::WinError => row(&tables.win_errors, code),
            Self::HResult => row(&tables.hresults, code),
            Self::ExitCode => row(&tables.exit_codes, code),
            Self::CudaError => row(&tables.cuda_errors, code),
            Self::DeviceProblem => row(&tables.device_problems, code),
            Self::Errno => row(&tables.errnos, code),
            Self::Xid => row(&tables.xids, code),
            Self::CublasStatus => row(&tables.cublas_statuses, code),
            Self::CudnnStatus => row(&tables.cudnn_statuses, code),
            Self::Bugcheck | Self::FastFail | Self::Event => None,
        };
        meaning.map(|meaning| (meaning.name, meaning.means)).or_else(|| row.map(|row| (row.name, row.means)))
    }
}

/// Whether a stop code has upper bits that are neither its own nor the flag of small dumps.
fn has_foreign_bits(code: u32, knowledge: &Knowledge) -> bool {
    !matches!(code >> 28, 0 | 1) && !knowledge.bugchecks().any(|(known, _)| known.0 == code)
}

/// Every name with its kind and code.
pub(super) fn all_names(knowledge: &Knowledge) -> impl Iterator<Item = (&str, Kind, u32)> {
    let tables = tables();
    let named = |table: &'static [knowledge_tables::codes::CodeRow<'static>], kind: Kind| {
        table.iter().map(move |row| (row.name, kind, row.code))
    };
    let exceptions = knowledge.exceptions().map(|(code, meaning)| (meaning.name, Kind::Exception, code.0));
    let bugchecks = knowledge.bugchecks().map(|(code, meaning)| (meaning.name, Kind::Bugcheck, code.0));
    let fast_fails = knowledge.fast_fails().map(|(code, meaning)| (meaning.name, Kind::FastFail, code.0));
    exceptions
        .chain(bugchecks)
        .chain(fast_fails)
        .chain(named(&tables.win_errors, Kind::WinError))
        .chain(named(&tables.hresults, Kind::HResult))
        .chain(named(&tables.exit_codes, Kind::ExitCode))
        .chain(named(&tables.cuda_errors, Kind::CudaError))
        .chain(named(&tables.cuda_driver_errors, Kind::CudaError))
        .chain(named(&tables.device_problems, Kind::DeviceProblem))
        .chain(named(&tables.errnos, Kind::Errno))
        .chain(named(&tables.xids, Kind::Xid))
        .chain(named(&tables.cublas_statuses, Kind::CublasStatus))
        .chain(named(&tables.cudnn_statuses, Kind::CudnnStatus))
        .chain(named(&tables.statuses, Kind::Exception))
}
