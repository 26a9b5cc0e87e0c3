//! Records of hardware errors: the common platform error record (CPER) of UEFI, which Windows calls
//! `WHEA_ERROR_RECORD`. Event logs hold such records as bytes in hexadecimal digits, and dumps of stop 0x124 in memory.
//!
//! A record is a header, a descriptor for each section, and the sections. Each kind of section has a layout of its own, with
//! a field of bits that tell which of its values are set.
//!
//! Source of layouts and identifiers: UEFI specification, appendix N; of the machine-check section, which is Windows' own,
//! Microsoft's documentation of `WHEA_XPF_MCA_SECTION`.

mod header;
mod sections;

pub use header::{HEADER, LONGEST, SIGNATURE, length, read};
