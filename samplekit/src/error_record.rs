//! Records of hardware errors (CPER), as Windows keeps them in memory and writes them into events.

use crate::bytes::{ByteWriter, count32};
use crate::guid::Guid;

const HEADER: usize = 128;
const DESCRIPTOR: usize = 72;

/// A record, made on 2024-08-09 at 03:17:55.
#[derive(Debug, Clone)]
pub struct ErrorRecordBytes {
    /// 0 recoverable, 1 fatal, 2 corrected, 3 informational.
    pub severity: u32,
    /// The sections; the first is marked as the one with the error itself.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Debug, Clone)]
pub enum Section {
    /// A processor of any kind.
    Processor {
        /// 1 cache, 2 address translation, 4 bus, 8 internal.
        kind: u8,
        /// 1 read, 2 write, 3 execute.
        operation: u8,
        /// Level of the cache.
        level: u8,
        /// APIC id.
        apic_id: u64,
        /// EAX of CPUID function 1.
        signature: u32,
    },
    /// A machine-check bank.
    MachineCheck {
        /// Number of the bank.
        bank: u32,
        /// `MCi_STATUS`.
        status: u64,
        /// `MCi_ADDR`.
        address: u64,
        /// `MCi_MISC`.
        misc: u64,
        /// APIC id.
        apic_id: u32,
    },
    /// Memory.
    Memory {
        /// 2 one bit, 3 several bits.
        kind: u8,
        /// Physical address.
        address: u64,
        /// Number of the module.
        module: u16,
        /// The slot's name.
        unit: String,
    },
    /// PCI Express.
    Pcie {
        /// Vendor.
        vendor: u16,
        /// Device.
        device: u16,
        /// Bus.
        bus: u8,
        /// Status of errors that were not corrected.
        uncorrected: u32,
    },
}

impl Section {
    fn kind(&self) -> Guid {
        match self {
            Self::Processor { .. } => Guid::new(0x9876_CCAD, 0x47B4, 0x4BDB, 0xB65E, 0x16F1_93C4_F3DB),
            Self::MachineCheck { .. } => Guid::new(0x8A1E_1D01, 0x42F9, 0x4557, 0x9C33, 0x565E_5CC3_F7E8),
            Self::Memory { .. } => Guid::new(0xA5BC_1114, 0x6F64, 0x4EDE, 0xB863, 0x3E83_ED7C_83B1),
            Self::Pcie { .. } => Guid::new(0xD995_E954, 0xBBC1, 0x430F, 0xAD91, 0xB44D_CB3C_6F35),
        }
    }

    fn unit(&self) -> &str {
        if let Self::Memory { unit, .. } = self { unit } else { "" }
    }

    fn content(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        match *self {
            Self::Processor { kind, operation, level, apic_id, signature } => {
                // Type, instruction set, kind, operation, level, version and id are set.
                out.u64(0x16F).u8(0).u8(2).u8(kind).u8(operation).u8(0).u8(level).u16(0).u64(u64::from(signature));
                out.zeros_to(152).u64(apic_id).zeros_to(192);
            }
            Self::MachineCheck { bank, status, address, misc, apic_id } => {
                // Version, maker, time, processor, global status, instruction pointer.
                out.u32(2).u32(1).u64(0).u32(apic_id).u64(5).u64(0);
                out.u32(bank).u64(status).u64(address).u64(misc).u32(0).u32(apic_id).zeros_to(264);
            }
            Self::Memory { kind, address, module, .. } => {
                out.u64(1 << 14 | 1 << 5 | 1 << 1).u64(0).u64(address).zeros_to(36).u16(module);
                out.zeros_to(72).u8(kind).zeros_to(80);
            }
            Self::Pcie { vendor, device, bus, uncorrected } => {
                out.u64(1 << 7 | 1 << 3).u32(4).zeros_to(24).u16(vendor).u16(device).zeros_to(35).u8(bus);
                out.zeros_to(116).u32(uncorrected).zeros_to(208);
            }
        }
        out.into_bytes()
    }
}

impl ErrorRecordBytes {
    /// The record.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let contents: Vec<Vec<u8>> = self.sections.iter().map(Section::content).collect();
        let mut offset = HEADER + self.sections.len() * DESCRIPTOR;
        let length = offset + contents.iter().map(Vec::len).sum::<usize>();
        let mut out = ByteWriter::new();
        out.raw(b"CPER").u16(0x210).u32(u32::MAX).u16(self.sections.len() as u16).u32(self.severity);
        // The time is set: second, minute, hour, flags, day, month, year, century.
        out.u32(2).u32(count32(length)).raw(&[55, 17, 3, 0, 9, 8, 24, 20]).zeros_to(HEADER);
        for (index, (section, content)) in self.sections.iter().zip(&contents).enumerate() {
            let begin = out.len();
            let named = if section.unit().is_empty() { 0 } else { 2 };
            out.u32(count32(offset)).u32(count32(content.len())).u16(0x300).u8(named).u8(0).u32(u32::from(index == 0));
            out.raw(&section.kind().0).zeros_to(begin + 48).u32(self.severity).raw(section.unit().as_bytes());
            out.zeros_to(begin + DESCRIPTOR);
            offset += content.len();
        }
        for content in contents {
            out.raw(&content);
        }
        out.into_bytes()
    }
}
