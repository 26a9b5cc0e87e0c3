//! Crash dumps of Windows: what a process or the whole system was doing when it stopped.
//!
//! A **minidump** is of one process. Programs, their crash handlers and Windows Error Reporting write it, on other
//! systems Breakpad and Crashpad. It is a directory of streams: the exception, the processor's registers, the lists of
//! modules and threads, and as much of the memory as its writer was asked for, from a stack to many gigabytes. A **kernel
//! dump** is of the whole system: what Windows writes when it stops with a blue screen (`MEMORY.DMP`, the small dumps in
//! `C:\Windows\Minidump`), and for kernel errors that it survived. It begins with the bugcheck's code and parameters.
//!
//! Both come from machines that crashed, so they are cut, damaged, and sometimes made to mislead. Nothing in them is
//! believed before it was checked against the file: whatever is missing is a [`Loss`] with its place, and the rest is
//! still read. Only a file of which nothing can be read is an [`Error`].
//!
//! ```
//! use std::io::Write;
//!
//! use crash_dump::{ErrorKind, Names, Options, is_minidump, read_minidump};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The header of a minidump: signature, version, one stream, which is listed at byte 32.
//! let header = [*b"MDMP", [0x93, 0xA7, 0, 0], [1, 0, 0, 0], [32, 0, 0, 0], [0; 4], [0; 4], [0; 4], [0; 4]].concat();
//! assert!(is_minidump(&header));
//! let mut file = tempfile::tempfile()?;
//! file.write_all(&header)?;
//!
//! let names = Names::default();
//! let options = Options { names: &names, walk_stacks: true, symbols: None };
//! let error = read_minidump(&mut file, 32, &options).expect_err("the file ends before its streams");
//! assert!(matches!(error.kind, ErrorKind::NoDirectory { count: 1, at: 32, present: 32 }));
//! assert_eq!(error.to_string(), "stream directory: 1 streams are listed at byte 32, and the file has 32 bytes");
//! # Ok(())
//! # }
//! ```
//!
//! `examples/stack.rs` prints the stack in a dump.
//!
//! # Structure
//!
//! [`read_minidump`] checks header and directory, copies the wanted streams into a small dump whose offsets are right,
//! and lets the `minidump` crate read that one. Large lists and memory are read in place. [`read_kernel_dump`] reads the
//! header, then the lists of drivers and the stack by a triage dump's offsets or through the page tables.
//!
//! Stacks of 64-bit Windows code are unwound by the tables of its images (`.pdata`), from the dump itself or from
//! [`Symbols`]; other code by PDBs, Breakpad's `.sym` files or frame pointers. Where none of these are at hand the stack is
//! scanned: [`Frame::trust`] is how each frame was found.
//!
//! The types of the result ([`ProcessDump`], [`KernelDump`] and theirs) are those of the `evidence` crate.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod call;
mod context;
mod error;
mod kernel_dump;
mod minidump;
mod options;

pub use error::{Error, ErrorKind};
pub use kernel_dump::{is_kernel_dump, read_kernel_dump};
pub use minidump::{Symbols, SymbolsError, is_minidump, read_minidump};
pub use options::Options;

pub use evidence::{
    Address, BugcheckCode, CrashThread, Evidence, Exception, ExceptionCode, Frame, FrameTrust, KernelDriver,
    KernelDump, KernelFrame, LoadedModule, ModuleOffset, Names, Observation, Place, ProcessDump, Reading, System,
    UnloadedDriver, UnloadedModule,
};
pub use untrusted::Loss;
