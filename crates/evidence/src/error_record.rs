//! A record of a hardware error, in the form that firmware, dumps and event logs share.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A common platform error record, which Windows calls `WHEA_ERROR_RECORD`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRecord {
    /// How bad the worst of its sections is.
    pub severity: ErrorSeverity,
    /// When the error was recorded.
    pub time: Option<Timestamp>,
    /// Its sections, in the record's order.
    pub sections: Vec<ErrorSection>,
}

crate::words!(
    /// What became of an error.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    ErrorSeverity {
        /// Not corrected, but the system can go on.
        Recoverable => "recoverable",
        /// Not corrected, and the system can't go on.
        Fatal => "fatal",
        /// Corrected by the hardware.
        Corrected => "corrected",
        /// No error.
        Informational => "informational",
    }
);

crate::words!(
    /// The part of the machine that a section is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    ErrorComponent {
        /// A processor.
        Processor => "processor",
        /// Memory.
        Memory => "memory",
        /// PCI Express: a port or a device.
        Pcie => "pcie",
        /// An older PCI bus, or a device on it.
        Pci => "pci",
        /// A kind of section that is not known here.
        Other => "other",
    }
);

/// One section of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorSection {
    /// Whether it is marked as the one with the error itself.
    pub primary: bool,
    /// What became of this error.
    pub severity: ErrorSeverity,
    /// The part of the machine.
    pub component: ErrorComponent,
    /// The replaceable unit that firmware names, such as a memory slot (`DIMM_A1`).
    pub unit: Option<Arc<str>>,
    /// What the section holds. [`ErrorDetail::None`] where the record ends before it, or its kind is not read.
    pub detail: ErrorDetail,
}

/// What a section holds, as far as the section marks it as valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorDetail {
    /// Nothing that is read.
    None,
    /// A processor of any kind.
    Processor {
        /// What failed.
        kind: Option<ProcessorPart>,
        /// What the processor was doing.
        operation: Option<ProcessorOperation>,
        /// Level of the cache or table, 0 to 3.
        level: Option<u8>,
        /// APIC id.
        apic_id: Option<u64>,
        /// What CPUID returns in EAX for function 1.
        signature: Option<u32>,
        /// Physical address.
        address: Option<u64>,
        /// Address of the instruction.
        instruction: Option<u64>,
    },
    /// The registers of a machine-check bank.
    MachineCheck {
        /// Number of the bank.
        bank: u32,
        /// `MCi_STATUS`.
        status: u64,
        /// `MCi_ADDR`, if the status marks it as valid.
        address: Option<u64>,
        /// `MCi_MISC`, if the status marks it as valid.
        misc: Option<u64>,
        /// APIC id; older records hold 0 for all.
        apic_id: u32,
    },
    /// Memory.
    Memory {
        /// What kind of error.
        kind: Option<MemoryError>,
        /// Physical address.
        address: Option<u64>,
        /// Node of a machine with several processors.
        node: Option<u16>,
        /// Card, or the channel of the memory controller.
        card: Option<u16>,
        /// Module in it.
        module: Option<u16>,
        /// Bank of the module.
        bank: Option<u16>,
    },
    /// A port or device of PCI Express.
    Pcie {
        /// The device's numbers.
        device: Option<PciDevice>,
        /// Status of errors that were not corrected, a bit for each kind.
        uncorrected: Option<u32>,
        /// Status of errors that were corrected, a bit for each kind.
        corrected: Option<u32>,
    },
}

crate::words!(
    /// What failed in a processor.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    ProcessorPart {
        /// A cache.
        Cache => "cache",
        /// Address translation.
        Tlb => "tlb",
        /// A bus or the interconnect.
        Bus => "bus",
        /// The processor's own logic.
        Internal => "internal",
    }
);

crate::words!(
    /// What the processor was doing when it failed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    ProcessorOperation {
        /// Reading data.
        Read => "read",
        /// Writing data.
        Write => "write",
        /// Fetching or executing an instruction.
        Execute => "execute",
    }
);

crate::words!(
    /// Kinds of errors of memory.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    MemoryError {
        /// No more is known.
        Unknown => "unknown",
        /// No error.
        None => "none",
        /// One bit, corrected by its check bits.
        SingleBit => "single-bit",
        /// Several bits.
        MultiBit => "multi-bit",
        /// One symbol of four bits, corrected.
        SingleSymbol => "single-symbol",
        /// Several symbols.
        MultiSymbol => "multi-symbol",
        /// The controller aborted.
        ControllerAbort => "controller-abort",
        /// No answer in time of whom was asked.
        TargetAbort => "target-abort",
        /// Parity.
        Parity => "parity",
        /// The watchdog of the bus.
        Watchdog => "watchdog",
        /// An address that no memory has.
        InvalidAddress => "invalid-address",
        /// A broken mirror.
        MirrorBroken => "mirror-broken",
        /// Sparing.
        Sparing => "sparing",
        /// Scrubbing corrected it.
        ScrubCorrected => "scrub-corrected",
        /// Scrubbing could not correct it.
        ScrubUncorrected => "scrub-uncorrected",
        /// Physical memory was mapped out.
        MappedOut => "mapped-out",
    }
);

/// The numbers and the place of a PCI device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PciDevice {
    /// Vendor.
    pub vendor: u16,
    /// Device.
    pub device: u16,
    /// Segment of the bus.
    pub segment: u16,
    /// Bus.
    pub bus: u8,
    /// Slot on the bus.
    pub slot: u8,
    /// Function of the device.
    pub function: u8,
}

/// In the form of Windows' hardware ids: `PCI\VEN_10DE&DEV_2684`.
impl fmt::Display for PciDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PCI\\VEN_{:04X}&DEV_{:04X}", self.vendor, self.device)
    }
}

impl ErrorRecord {
    /// The section with the error itself: the one that is marked; where none is, the first.
    #[must_use]
    pub fn main_section(&self) -> Option<&ErrorSection> {
        self.sections.iter().find(|section| section.primary).or_else(|| self.sections.first())
    }

    /// The component of the error. [`ErrorComponent::Other`] when no section is of a known kind, or the sections have
    /// different components and none is marked.
    #[must_use]
    pub fn component(&self) -> ErrorComponent {
        let known = || self.sections.iter().filter(|section| section.component != ErrorComponent::Other);
        if let Some(primary) = known().find(|section| section.primary) {
            return primary.component;
        }
        let first = known().next().map(|section| section.component);
        first.filter(|first| known().all(|other| other.component == *first)).unwrap_or(ErrorComponent::Other)
    }
}
