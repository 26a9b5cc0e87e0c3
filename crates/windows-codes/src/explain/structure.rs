//! The parts of a 32-bit code: severity, owner, number, and another code that is wrapped in it.
//!
//! Source: Microsoft's open specification MS-ERREF, sections 2.1 (HRESULT) and 2.3 (NTSTATUS).

use serde::Serialize;

use super::kind::Kind;
use crate::codes::{HRESULT_FACILITIES, STATUS_FACILITIES};

/// The bits of a code, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Structure {
    /// How they are divided.
    pub layout: Layout,
    /// How bad it is: success, information, warning or error.
    pub severity: &'static str,
    /// Whether a program or a language runtime made the code, and not Windows.
    pub customer: bool,
    /// The component to which it belongs.
    pub facility: Facility,
    /// The number within the facility.
    pub number: u16,
    /// The code that is wrapped in it: its kind and, as it is written, the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wraps: Option<(Kind, String)>,
    /// The wrapped code as a number.
    #[serde(skip)]
    pub wrapped: Option<(Kind, u32)>,
}

/// How the bits of a code are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Two bits of severity, a customer bit, 12 bits of facility, 16 bits of number.
    NtStatus,
    /// A bit of severity, a customer bit, 11 bits of facility, 16 bits of number.
    HResult,
}

/// The component to which a code belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facility {
    /// Its number.
    pub number: u16,
    /// Its name, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
}

/// Marks codes that are not of Windows; at the same place in both layouts.
const CUSTOMER: u32 = 0x2000_0000;
/// Marks an HRESULT that is a status with this bit added.
const FROM_STATUS: u32 = 0x1000_0000;
/// The facility of wrapped system errors in both layouts.
const FACILITY_WIN32: u16 = 7;
/// The facility of Visual C++, whose delay-load code wraps system errors.
const FACILITY_VISUAL_CPP: u16 = 109;

impl Structure {
    /// Takes a code apart. `None` for numbers below 0x40000000, whose upper bits mean nothing.
    #[must_use]
    pub fn of(code: u32, kind: Kind) -> Option<Self> {
        if code < 0x4000_0000 {
            return None;
        }
        // The upper bits of warnings look like those of failed HRESULTs; only statuses of the system itself have
        // facility 0.
        let is_warning = code >> 30 == 2;
        let is_hresult = kind == Kind::HResult || (is_warning && facility_of(code, 0x7FF) != 0);
        let (layout, facility) = if is_hresult {
            (Layout::HResult, facility_of(code, 0x7FF))
        } else {
            (Layout::NtStatus, facility_of(code, 0xFFF))
        };
        let severity = match (layout, code >> 30) {
            (Layout::HResult, 0 | 1) => "success",
            (Layout::NtStatus, 1) => "information",
            (Layout::NtStatus, 2) => "warning",
            _ => "error",
        };
        let customer = code & CUSTOMER != 0;
        let from_status = is_hresult && !customer && code & FROM_STATUS != 0;
        let of_win32 = facility == FACILITY_WIN32 || (!is_hresult && facility == FACILITY_VISUAL_CPP);
        let wrapped = if from_status {
            Some((Kind::Exception, code & !FROM_STATUS))
        } else {
            (of_win32 && !customer).then_some((Kind::WinError, code & 0xFFFF))
        };
        let owners = if is_hresult && !from_status { &HRESULT_FACILITIES } else { &STATUS_FACILITIES };
        let name = owners.get(&u32::from(facility)).filter(|_| !customer).map(|row| row.name);
        Some(Self {
            layout,
            severity,
            customer,
            facility: Facility { number: facility, name },
            number: u16::try_from(code & 0xFFFF).unwrap_or_default(),
            wraps: wrapped.map(|(kind, code)| (kind, kind.notation(code))),
            wrapped,
        })
    }

    /// The parts of the code as the beginning of a sentence: severity, facility and number.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { severity, customer, facility, number, .. } = self;
        if *customer {
            return format!("{severity}; the customer bit is set: a program or language runtime made it, not Windows");
        }
        let facility = match facility.name {
            Some(name) => format!("facility {} ({name})", facility.number),
            None => format!("facility {}", facility.number),
        };
        let wrapped = match &self.wraps {
            Some((Kind::WinError, code)) => format!(", which is system error {code}"),
            Some((_, code)) => format!(", which is status {code}"),
            None => String::new(),
        };
        format!("{severity}, {facility}, number {number}{wrapped}")
    }
}

fn facility_of(code: u32, mask: u32) -> u16 {
    u16::try_from(code >> 16 & mask).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(code: u32, kind: Kind) -> String {
        Structure::of(code, kind).expect("a large code").sentence()
    }

    #[test]
    fn statuses_have_severity_facility_and_number() {
        assert_eq!(sentence(0xC000_0409, Kind::Exception), "error, facility 0 (the system), number 1033");
        assert_eq!(sentence(0x4000_0015, Kind::Exception), "information, facility 0 (the system), number 21");
        assert_eq!(sentence(0x8000_0003, Kind::Exception), "warning, facility 0 (the system), number 3");
        assert_eq!(sentence(0xC01E_0100, Kind::Exception), "error, facility 30 (graphics kernel), number 256");
        assert!(sentence(0xE06D_7363, Kind::Exception).contains("customer bit"));
    }

    #[test]
    fn wrapped_errors_are_found() {
        assert_eq!(Structure::of(0xC06D_007E, Kind::Exception).and_then(|s| s.wrapped), Some((Kind::WinError, 126)));
        assert_eq!(Structure::of(0x8007_0005, Kind::HResult).and_then(|s| s.wrapped), Some((Kind::WinError, 5)));
        let status = Structure::of(0xD000_0022, Kind::HResult).and_then(|s| s.wrapped);
        assert_eq!(status, Some((Kind::Exception, 0xC000_0022)));
        assert_eq!(Structure::of(0xC000_0005, Kind::Exception).and_then(|s| s.wrapped), None);
    }

    #[test]
    fn hresults_that_end_processes_are_divided_as_such() {
        let structure = Structure::of(0x8013_1506, Kind::Exception).expect("a large code");
        assert_eq!((structure.layout, structure.facility.name), (Layout::HResult, Some(".NET")));
    }

    #[test]
    fn small_numbers_have_no_structure() {
        assert_eq!(Structure::of(126, Kind::WinError), None);
    }
}
