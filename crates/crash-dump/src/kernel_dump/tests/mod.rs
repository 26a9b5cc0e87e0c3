//! The dumps here are made up: names, addresses and times belong to no machine.

#![expect(clippy::arithmetic_side_effects, reason = "a dump under construction is small")]

mod contents;

use std::io::Cursor;

use super::*;
use evidence::{Address, BugcheckCode};

const KERNEL: u64 = 0xFFFF_F800_1000_0000;
const LIST: u32 = 0x2100;
const STRIDE: usize = 0x90;

/// A driver's path, base and size.
type Driver = (&'static str, u64, u32);

/// Writes a dump field by field.
struct Dump(Vec<u8>);

impl Dump {
    /// A 64-bit header of the given type in which nothing but the bugcheck is set.
    fn wide(dump_type: u32) -> Self {
        let mut dump = Self(b"PAGE".repeat(0x2000 / 4));
        dump.put(4, b"DU64");
        dump.put_u32(0x0C, 22621);
        dump.put_u32(0x30, 0x8664);
        dump.put_u32(0x34, 12);
        dump.put_u32(0x38, 0x1000_007E);
        for (index, parameter) in [0xFFFF_FFFF_C000_0005, 0xFFFF_F800_2000_1234, 3, 0].into_iter().enumerate() {
            dump.put_u64(0x40 + index * 8, parameter);
        }
        dump.put_u32(0xF98, dump_type);
        dump
    }

    /// A triage dump with these drivers.
    fn triage(drivers: &[Driver], stride: usize) -> Self {
        let mut dump = Self::wide(4);
        dump.put_u64(0x20, KERNEL + 0x1000);
        dump.put_u64(0x80, KERNEL + 0x2000);
        let pool = LIST as usize + drivers.len() * stride;
        let mut names = Vec::new();
        for (index, (path, base, size)) in drivers.iter().enumerate() {
            let entry = LIST as usize + index * stride;
            dump.put_u32(entry, u32::try_from(pool + names.len()).expect("small"));
            dump.put_u64(entry + 0x38, *base);
            dump.put_u32(entry + 0x48, *size);
            dump.put_u32(entry + 0x88, 0x6400_0000 + u32::try_from(index).expect("small"));
            let units: Vec<u16> = path.encode_utf16().collect();
            names.extend(u32::try_from(units.len()).expect("small").to_le_bytes());
            names.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
            names.resize((names.len() + 2).next_multiple_of(8), 0);
        }
        dump.put(pool, &names);
        let end = dump.0.len();
        dump.put(end, b"TRGD");
        dump.put_u32(0x2004, u32::try_from(end + 4).expect("small"));
        dump.put_u32(0x2008, u32::try_from(end).expect("small"));
        dump.put_u32(0x2030, LIST);
        dump.put_u32(0x2034, u32::try_from(drivers.len()).expect("small"));
        dump.put_u32(0x2038, u32::try_from(pool).expect("small"));
        dump.put_u32(0x203C, u32::try_from(names.len()).expect("small"));
        dump
    }

    fn put(&mut self, offset: usize, bytes: &[u8]) -> &mut Self {
        if self.0.len() < offset + bytes.len() {
            self.0.resize(offset + bytes.len(), 0);
        }
        self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn put_u32(&mut self, offset: usize, value: u32) -> &mut Self {
        self.put(offset, &value.to_le_bytes())
    }

    fn put_u64(&mut self, offset: usize, value: u64) -> &mut Self {
        self.put(offset, &value.to_le_bytes())
    }

    fn read(&self) -> (KernelDump, Vec<String>) {
        let reading = read_bytes(&self.0).expect("readable");
        let losses = reading.losses.iter().map(ToString::to_string).collect();
        let Some(Evidence { observation: Observation::Kernel(dump), .. }) = reading.evidence.into_iter().next() else {
            panic!("no kernel dump");
        };
        (*dump, losses)
    }
}

fn read_bytes(bytes: &[u8]) -> Result<Reading, Error> {
    read_dump(Source { file: Cursor::new(bytes), bytes: bytes.len() as u64 }, &Names::default(), true)
}

fn two_drivers() -> [Driver; 2] {
    [
        (r"\SystemRoot\system32\ntoskrnl.exe", KERNEL, 0x100_0000),
        (r"\SystemRoot\System32\drivers\böse.sys", KERNEL + 0x200_0000, 0x5000),
    ]
}

#[test]
fn dumps_are_known_by_their_first_eight_bytes() {
    assert!(is_kernel_dump(b"PAGEDU64 and more"));
    assert!(is_kernel_dump(b"PAGEDUMP"));
    for bytes in [&b"PAGEDU6"[..], b"PAGEPAGE", b"MDMP\x93\xa7\x00\x00", b""] {
        assert!(!is_kernel_dump(bytes), "{bytes:?}");
    }
}

#[test]
fn the_header_of_a_64_bit_dump() {
    let mut dump = Dump::wide(5);
    dump.put_u64(0xFA0, 0x2000).put_u64(0xFA8, 133_000_000_000_000_000).put_u64(0x1030, 36_000_000_005);
    dump.put_u32(0xF00, 0xC000_0005).put_u64(0xF10, KERNEL + 0x10);
    let (dump, losses) = dump.read();
    assert_eq!(losses, [""; 0]);
    assert_eq!(dump.dump_type, KernelDumpType::Bitmap);
    assert_eq!(dump.code, BugcheckCode(0x1000_007E));
    assert_eq!(dump.parameters, [0xFFFF_FFFF_C000_0005, 0xFFFF_F800_2000_1234, 3, 0]);
    assert_eq!((dump.build, dump.cpu, dump.cpu_count), (22621, CpuArchitecture::X64, 12));
    assert_eq!(dump.time.map(|time| time.to_string()).as_deref(), Some("2022-06-18T04:26:40Z"));
    assert_eq!(dump.uptime.map(|uptime| (uptime.as_secs(), uptime.subsec_nanos())), Some((3600, 500)));
    assert_eq!(dump.exception_address, Some(Address(KERNEL + 0x10)));
    assert!(dump.drivers.is_empty());
}

#[test]
fn the_header_of_a_32_bit_dump() {
    let mut dump = Dump(vec![0; 0x1000]);
    dump.put(0, b"PAGEDUMP").put_u32(0x0C, 7601).put_u32(0x20, 0x14C).put_u32(0x24, 2).put_u32(0x28, 0x0A);
    for (index, parameter) in [0x10, 2, 1, 0x8212_3456].into_iter().enumerate() {
        dump.put_u32(0x2C + index * 4, parameter);
    }
    dump.put_u32(0x7D0, 0x8000_0003).put_u32(0x7DC, 0x8255_0000);
    dump.put_u32(0xF88, 2).put_u64(0xFB8, 600_000_000).put_u64(0xFC0, 133_000_000_000_000_000);
    let (dump, losses) = dump.read();
    assert_eq!(losses, [""; 0]);
    assert_eq!(dump.dump_type, KernelDumpType::Kernel);
    assert_eq!((dump.code, dump.parameters), (BugcheckCode(0x0A), [0x10, 2, 1, 0x8212_3456]));
    assert_eq!((dump.build, dump.cpu, dump.cpu_count), (7601, CpuArchitecture::X86, 2));
    assert_eq!(dump.uptime.map(|uptime| uptime.as_secs()), Some(60));
    assert_eq!(dump.exception_address, Some(Address(0x8255_0000)));
}

#[test]
fn fields_filled_with_the_word_page_are_not_set() {
    let (dump, losses) = Dump::wide(1).read();
    assert_eq!((dump.time, dump.uptime, dump.exception_address), (None, None, None));
    assert_eq!(losses, [""; 0], "optional fields are no loss");

    let mut bare = Dump::wide(1);
    bare.put(0x50, b"PAGEPAGE").put(0x0C, b"PAGE");
    let (dump, losses) = bare.read();
    assert_eq!((dump.parameters[2], dump.build), (0, 0));
    assert_eq!(
        losses,
        [
            "header: parameter 3 of the bugcheck was never set or is cut off",
            "header: the build number was never set or is cut off"
        ]
    );
}

#[test]
fn a_header_without_bugcheck_code_says_nothing() {
    let mut dump = Dump::wide(1);
    dump.put(0x38, b"PAGE");
    let reading = read_bytes(&dump.0).expect("readable");
    assert!(reading.evidence.is_empty());
    assert_eq!(reading.losses[0].to_string(), "header: the bugcheck code was never set or is cut off");
}

#[test]
fn a_cut_header_gives_what_it_still_holds() {
    let mut dump = Dump::wide(1);
    dump.0.truncate(0x60);
    let (dump, losses) = dump.read();
    assert_eq!(dump.code, BugcheckCode(0x1000_007E));
    assert_eq!(losses[0], "header: the file ends after 96 of 8192 bytes");
}

#[test]
fn a_file_shorter_than_the_dump_needs_is_cut() {
    let mut dump = Dump::wide(1);
    dump.put_u64(0xFA0, 0x4000);
    assert_eq!(dump.read().1, ["dump: the file ends after 8192 of 16384 bytes"]);
}

#[test]
fn the_drivers_of_a_triage_dump() {
    let (dump, losses) = Dump::triage(&two_drivers(), STRIDE).read();
    assert_eq!(losses, [""; 0]);
    assert_eq!(dump.drivers.len(), 2);
    let driver = &dump.drivers[1];
    assert_eq!(&*driver.name, "böse.sys");
    assert_eq!((driver.base, driver.size), (Address(KERNEL + 0x200_0000), 0x5000));
    assert_eq!(driver.timestamp, Some(0x6400_0001));
    assert_eq!(&*driver.path, r"\SystemRoot\System32\drivers\böse.sys");
    assert!(dump.drivers_complete);
}

#[test]
fn longer_entries_of_older_systems_are_understood() {
    for stride in [0x98, 0xA8] {
        let (dump, losses) = Dump::triage(&two_drivers(), stride).read();
        assert_eq!((dump.drivers.len(), losses.len()), (2, 0), "{stride:#x}");
    }
}

#[test]
fn a_triage_dump_may_be_shorter_than_required_space_says() {
    let mut dump = Dump::triage(&two_drivers(), STRIDE);
    dump.put_u64(0xFA0, 0x10_0000);
    assert_eq!(dump.read().1, [""; 0]);
}

#[test]
fn a_triage_dump_that_was_cut_keeps_its_bugcheck() {
    let mut dump = Dump::triage(&two_drivers(), STRIDE);
    dump.0.truncate(0x2180);
    let (dump, losses) = dump.read();
    assert_eq!(dump.code, BugcheckCode(0x1000_007E));
    assert!(dump.drivers.is_empty());
    assert_eq!(losses[0], "dump: the file ends after 8576 of 8892 bytes");
    assert_eq!(losses[1], "driver list: not used: the file ends at 0x2180, before the end of the 288 bytes at 0x2100");
}

#[test]
fn a_triage_dump_that_ends_with_its_header() {
    let (dump, losses) = Dump::wide(4).read();
    assert!(dump.drivers.is_empty());
    assert_eq!(losses, ["triage block: the file ends at 0x2000, before the end of the 72 bytes at 0x2000"]);
}

#[test]
fn a_dump_without_its_end_mark_was_not_written_to_the_end() {
    let mut dump = Dump::triage(&two_drivers(), STRIDE);
    let end = dump.0.len() - 4;
    dump.put(end, b"\0\0\0\0");
    assert_eq!(dump.read().1, [format!("triage block: the end mark is not at offset {end:#x}, where it should be")]);
}

#[test]
fn a_list_that_makes_no_sense_is_not_used() {
    let kernel = two_drivers()[0];
    let lists: [(&[Driver], &str); 4] = [
        (&[two_drivers()[1], kernel], "it begins with böse.sys and not with the kernel"),
        (
            &[(kernel.0, KERNEL + 0x100_0000, 0x1000)],
            "the kernel's image does not contain 0xfffff80010001000, which the header says is in it",
        ),
        (
            &[kernel, ("a.sys", KERNEL + 0x200_0000, 0x3000), ("b.sys", KERNEL + 0x200_2000, 0x3000)],
            "the images of a.sys and b.sys overlap",
        ),
        (
            &[("ntoskrnl.exe", 0x7FF6_0000_0000, 0x1000)],
            "no entry has a name, an address and a size that a driver can have",
        ),
    ];
    for (drivers, reason) in lists {
        let (dump, losses) = Dump::triage(drivers, STRIDE).read();
        assert!(dump.drivers.is_empty(), "{reason}");
        assert_eq!(losses, [format!("driver list: not used: {reason}")]);
    }
}

#[test]
fn an_entry_that_makes_no_sense_is_left_out_and_said() {
    let [kernel, driver] = two_drivers();
    for broken in [("a.sys", KERNEL + 0x300_0010, 0x1000), ("b.sys", KERNEL + 0x300_0000, 0x10), ("", KERNEL, 0x1000)] {
        let (dump, losses) = Dump::triage(&[kernel, driver, broken], STRIDE).read();
        assert_eq!(dump.drivers.len(), 2, "{broken:?}");
        assert_eq!(losses, ["driver list: 1 entries make no sense and are left out"]);
    }
}

#[test]
fn offsets_and_counts_that_lie_are_refused() {
    let cases: [(usize, u32, &str); 5] = [
        (0x2034, u32::MAX, "4294967295 drivers are more than a system loads"),
        (0x2034, 2048, "the space before the string pool does not hold that many entries"),
        (0x2034, 0, "the dump says that it has none"),
        (0x2038, 0x10, "the string pool at 0x10 lies before the list at 0x2100"),
        (0x203C, u32::MAX, "a string pool of 4294967295 bytes is larger than the names of drivers need"),
    ];
    for (offset, value, reason) in cases {
        let mut dump = Dump::triage(&two_drivers(), STRIDE);
        dump.put_u32(offset, value);
        assert_eq!(dump.read().1, [format!("driver list: not used: {reason}")]);
    }
}

#[test]
fn a_list_that_did_not_fit_is_said_to_be_short() {
    let mut dump = Dump::triage(&two_drivers(), STRIDE);
    dump.put_u32(0x2044, 0x100);
    assert_eq!(dump.read().1, ["driver list: Windows left drivers out when it wrote the dump"]);
    dump.put_u32(0x2044, u32::MAX);
    assert_eq!(dump.read().1, [""; 0]);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let refusal = read_bytes(b"MDMP....").expect_err("not a kernel dump");
    assert_eq!(refusal.to_string(), "header: the file does not begin with PAGEDU64 or PAGEDUMP, as kernel dumps do");
}

#[test]
fn every_prefix_of_a_dump_is_survived() {
    let dump = Dump::triage(&two_drivers(), STRIDE);
    for length in 0..dump.0.len() {
        if let Ok(reading) = read_bytes(&dump.0[..length]) {
            assert!(!reading.losses.is_empty(), "{length} bytes");
        }
    }
}
