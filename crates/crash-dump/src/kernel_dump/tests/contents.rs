//! What dumps hold beyond their header: drivers, unloaded drivers, stacks.

use samplekit::error_record::{ErrorRecordBytes, Section};
use samplekit::kernel_dump::{BitmapDump, Driver, Moment, ProcessorImage, Stop, Storage, TriageDump, cpuid};
use samplekit::minidump::Context;
use samplekit::{FileTime, Guid};

use super::*;
use evidence::{ErrorDetail, FrameTrust};

const NT: u64 = 0xFFFF_F800_1000_0000;
const NET: u64 = 0xFFFF_F800_2000_0000;
const STACK: u64 = 0xFFFF_8504_2989_0E80;

const NARROW_NT: u64 = 0x8200_0000;
const NARROW_NET: u64 = 0x8C00_0000;
const NARROW_STACK: u64 = 0x9A3F_2B00;

fn stop(rip: u64, rsp: u64) -> Stop {
    Stop {
        build: 22621,
        processors: 8,
        code: 0xD1,
        parameters: [0x10, 2, 0, NET + 0x2345],
        time: FileTime::utc(2024, 5, 1, 12, 0, 0),
        uptime_seconds: 90,
        context: Context::at(rip, rsp),
        comment: Some("made for a test".to_owned()),
    }
}

fn loaded() -> Vec<Driver> {
    vec![
        Driver::new(r"\SystemRoot\system32\ntoskrnl.exe", NT, 0x104_6000),
        Driver::new(r"\SystemRoot\System32\drivers\net.sys", NET, 0x5_0000).linked(FileTime::utc(2021, 3, 4, 5, 6, 7)),
    ]
}

fn triage() -> TriageDump {
    let mut stack = Vec::new();
    // A return address, a number, an address in an image's header, a return address into nowhere.
    for value in [NT + 0x40_F4E1, 7, NET, NET + 0x2345, 0xFFFF_F800_7000_1234] {
        stack.extend(u64::to_le_bytes(value));
    }
    TriageDump {
        stop: stop(NT + 0x3F_D5E0, STACK),
        narrow: false,
        stack,
        drivers: loaded(),
        unloaded: vec![Driver::new("old.sys", 0xFFFF_F800_3000_0000, 0x9000)],
        named_driver: Some(1),
        moment: None,
        secondary: vec![],
        memory: vec![],
    }
}

fn narrow_triage() -> TriageDump {
    let mut stack = Vec::new();
    for value in [NARROW_NT + 0x8_1234, 7, NARROW_NET + 0x2345] {
        stack.extend(u32::to_le_bytes(u32::try_from(value).expect("32 bits")));
    }
    TriageDump {
        stop: stop(NARROW_NT + 0x7_0000, NARROW_STACK),
        narrow: true,
        stack,
        drivers: vec![
            Driver::new(r"\SystemRoot\system32\ntkrnlpa.exe", NARROW_NT, 0x41_2000),
            Driver::new(r"\SystemRoot\system32\DRIVERS\net.sys", NARROW_NET, 0x3_0000),
        ],
        unloaded: vec![Driver::new("crashdmp.sys", 0x8D00_0000, 0xD000), Driver::new("old.sys", 0x8E00_0000, 0x9000)],
        named_driver: None,
        moment: None,
        secondary: vec![],
        memory: vec![],
    }
}

/// A dump with pages; the code before the first return address ends with a call, that before the second does not.
fn paged(storage: Storage) -> BitmapDump {
    let stack: Vec<u8> = [NT + 0x1100, NT + 0x1200, NET + 0x2345].into_iter().flat_map(u64::to_le_bytes).collect();
    let code = |length: usize, call: &[u8]| [vec![0x90; length - call.len()], call.to_vec()].concat();
    BitmapDump {
        stop: stop(NT + 0x1000, STACK),
        storage,
        drivers: loaded(),
        memory: vec![
            (STACK, stack),
            (NT + 0x1000, code(0x100, &[0xE8, 1, 2, 3, 4])),
            (NT + 0x1100, code(0x100, &[0x48, 0x8B, 0xC8])),
        ],
        loop_at: None,
    }
}

fn read(bytes: &[u8]) -> (KernelDump, Vec<String>) {
    let reading = read_bytes(bytes).expect("readable");
    let losses = reading.losses.iter().map(ToString::to_string).collect();
    let Some(Evidence { observation: Observation::Kernel(dump), .. }) = reading.evidence.into_iter().next() else {
        panic!("no kernel dump");
    };
    (*dump, losses)
}

fn names(dump: &KernelDump) -> Vec<&str> {
    dump.drivers.iter().map(|driver| &*driver.name).collect()
}

fn frames(dump: &KernelDump) -> Vec<(&str, u64, FrameTrust)> {
    let of = |frame: &KernelFrame| {
        let driver = dump.drivers.get(frame.driver?)?;
        Some((&*driver.name, frame.address.0 - driver.base.0, frame.trust))
    };
    dump.frames.iter().filter_map(of).collect()
}

#[test]
fn a_triage_dump_has_drivers_unloaded_drivers_and_a_stack() {
    let (dump, losses) = read(&triage().to_bytes());
    assert_eq!(losses, [""; 0]);
    assert_eq!(names(&dump), ["ntoskrnl.exe", "net.sys"]);
    assert_eq!(dump.comment.as_deref(), Some("made for a test"));
    assert_eq!(dump.named_driver.as_deref(), Some("net.sys"));
    let unloaded = dump.unloaded.as_deref().expect("a list");
    assert_eq!((unloaded.len(), &*unloaded[0].name, unloaded[0].size), (1, "old.sys", 0x9000));
    assert_eq!(dump.unloaded_at(Address(0xFFFF_F800_3000_0123)).map(|(_, offset)| offset.0), Some(0x123));
    assert_eq!(
        frames(&dump),
        [
            ("ntoskrnl.exe", 0x3F_D5E0, FrameTrust::Exact),
            ("ntoskrnl.exe", 0x40_F4E1, FrameTrust::Scanned),
            ("net.sys", 0x2345, FrameTrust::Scanned),
        ],
        "numbers, headers of images and addresses of no driver are no frames"
    );
}

#[test]
fn a_date_is_told_from_a_hash() {
    let (dump, _) = read(&triage().to_bytes());
    let dumped = dump.time.expect("a time");
    let built: Vec<_> = dump.drivers.iter().map(|driver| driver.built(dumped).map(|time| time.to_string())).collect();
    assert_eq!(built, [None, Some("2021-03-04T05:06:07Z".to_owned())]);
}

#[test]
fn a_32_bit_triage_dump_is_read_like_one_of_64_bits() {
    let (dump, losses) = read(&narrow_triage().to_bytes());
    assert_eq!(losses, [""; 0]);
    assert_eq!(dump.cpu, CpuArchitecture::X86);
    assert_eq!(names(&dump), ["ntkrnlpa.exe", "net.sys"]);
    assert_eq!(dump.comment.as_deref(), Some("made for a test"));
    let unloaded: Vec<_> = dump.unloaded.iter().flatten().map(|driver| (&*driver.name, driver.base.0)).collect();
    assert_eq!(unloaded, [("crashdmp.sys", 0x8D00_0000), ("old.sys", 0x8E00_0000)]);
    assert_eq!(
        frames(&dump),
        [
            ("ntkrnlpa.exe", 0x7_0000, FrameTrust::Exact),
            ("ntkrnlpa.exe", 0x8_1234, FrameTrust::Scanned),
            ("net.sys", 0x2345, FrameTrust::Scanned),
        ]
    );
}

#[test]
fn code_that_a_triage_dump_holds_tells_return_addresses_from_other_values() {
    let mut dump = triage();
    // What stands before the first return address is no call; of the second nothing is known.
    dump.memory = vec![(NT + 0x40_F000, vec![0x90; 0x600])];
    let (dump, _) = read(&dump.to_bytes());
    let scanned: Vec<_> = frames(&dump).into_iter().skip(1).collect();
    assert_eq!(scanned, [("net.sys", 0x2345, FrameTrust::Scanned)]);
}

#[test]
fn without_stack_walks_there_are_no_frames() {
    let bytes = triage().to_bytes();
    let source = Source { file: Cursor::new(&bytes), bytes: bytes.len() as u64 };
    let reading = read_dump(source, &Names::default(), false).expect("readable");
    let Observation::Kernel(dump) = &reading.evidence[0].observation else { panic!("no kernel dump") };
    assert_eq!((dump.drivers.len(), dump.frames.len()), (2, 0));
}

#[test]
fn unloaded_drivers_that_make_no_sense_are_not_used() {
    let bytes = triage().to_bytes();
    let list = usize::try_from(u32_at(&bytes, 0x2018).expect("an offset")).expect("small");
    for (offset, value, reason) in [
        (list, 51, "51 drivers are more than the kernel keeps"),
        (list, 2, "entries have no name and range that a driver can have"),
        (list + 8 + 0x28, 0x1234, "entries have no name and range that a driver can have"),
    ] {
        let mut broken = bytes.clone();
        broken[offset..offset + 4].copy_from_slice(&u32::to_le_bytes(value));
        let (dump, losses) = read(&broken);
        assert_eq!(dump.unloaded, None);
        assert_eq!(losses, [format!("unloaded drivers: not used: {reason}")]);
    }
}

#[test]
fn unloaded_drivers_behind_the_end_of_the_file_are_not_used() {
    let mut bytes = triage().to_bytes();
    bytes[0x2018..0x201C].copy_from_slice(&u32::MAX.to_le_bytes());
    let (dump, losses) = read(&bytes);
    assert_eq!(dump.unloaded, None);
    assert!(losses[0].starts_with("unloaded drivers: not used: the file ends at "), "{losses:?}");
}

#[test]
fn a_dump_with_pages_gives_the_kernels_own_list_and_stack() {
    for storage in [Storage::Bitmap(5), Storage::Bitmap(6), Storage::Runs] {
        let (dump, losses) = read(&paged(storage).to_bytes());
        assert_eq!(losses, [""; 0], "{storage:?}");
        assert_eq!(names(&dump), ["ntoskrnl.exe", "net.sys"]);
        assert!(dump.drivers_complete);
        assert_eq!(&*dump.drivers[1].path, r"\SystemRoot\System32\drivers\net.sys");
        assert_eq!(dump.drivers[1].timestamp, Some(FileTime::utc(2021, 3, 4, 5, 6, 7).unix_seconds()));
        assert_eq!(dump.unloaded, None, "such a dump has no list that is read");
        assert_eq!(
            frames(&dump),
            [
                ("ntoskrnl.exe", 0x1000, FrameTrust::Exact),
                ("ntoskrnl.exe", 0x1100, FrameTrust::Scanned),
                ("net.sys", 0x2345, FrameTrust::Scanned),
            ],
            "no call stands before the second return address"
        );
    }
}

#[test]
fn a_driver_list_with_a_loop_ends() {
    let mut dump = paged(Storage::Bitmap(6));
    dump.loop_at = Some(1);
    let (dump, losses) = read(&dump.to_bytes());
    assert_eq!(names(&dump), ["ntoskrnl.exe", "net.sys"]);
    assert!(!dump.drivers_complete);
    assert_eq!(losses, ["driver list: it does not come to an end after 2 entries"]);
}

#[test]
fn a_dump_whose_pages_are_cut_off_keeps_its_bugcheck() {
    let bytes = paged(Storage::Bitmap(6)).to_bytes();
    let (dump, losses) = read(&bytes[..0x4800]);
    assert_eq!((dump.code, dump.drivers.len()), (BugcheckCode(0xD1), 0));
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert!(losses[1].starts_with("driver list: not used: the page with the list's head is not in the dump"));
}

#[test]
fn a_list_of_runs_that_lies_costs_nothing() {
    let mut bytes = paged(Storage::Runs).to_bytes();
    // The first run is said to be longer than any memory.
    bytes[0xA0..0xA8].copy_from_slice(&(u64::MAX >> 12).to_le_bytes());
    assert!(read(&bytes).0.drivers.is_empty());
    bytes[0x88..0x8C].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read(&bytes).0.drivers.is_empty());
}

#[test]
fn damaged_fields_are_survived() {
    for (bytes, behind_header) in [
        (triage().to_bytes(), 0x2000),
        (narrow_triage().to_bytes(), 0x1000),
        (paged(Storage::Bitmap(5)).to_bytes(), 0x2000),
    ] {
        let fields = (0..0x100).chain(behind_header..behind_header + 0x400).step_by(4);
        for (offset, value) in fields.flat_map(|offset| [(offset, 0_u32), (offset, u32::MAX)]) {
            let mut broken = bytes.clone();
            if let Some(field) = broken.get_mut(offset..offset + 4) {
                field.copy_from_slice(&value.to_le_bytes());
                let _ = read_bytes(&broken);
            }
        }
    }
}

fn moment() -> Moment {
    let processor = ProcessorImage {
        vendor: "GenuineIntel",
        kind: (6, 183, 1),
        megahertz: 3187,
        microcode: 0x12B << 32,
        number: 3,
    };
    Moment { process: "notmyfault64.exe".to_owned(), process_id: 4312, processor }
}

#[test]
fn a_small_dump_names_process_and_processor() {
    let (dump, losses) = read(&TriageDump { moment: Some(moment()), ..triage() }.to_bytes());
    assert_eq!(losses, Vec::<String>::new());
    let process = dump.state.process.expect("a process");
    assert_eq!((&*process.name, process.id), ("notmyfault64.e", Some(4312)));
    let [processor] = &*dump.state.processors else { panic!("one processor: {:?}", dump.state.processors) };
    assert_eq!((processor.kind.family, processor.kind.model, processor.kind.stepping), (Some(6), Some(183), Some(1)));
    assert_eq!((processor.microcode, processor.megahertz, processor.number), (Some(0x12B), Some(3187), Some(3)));
}

#[test]
fn secondary_data_is_listed_and_where_the_file_ends_within_it_the_rest_stays() {
    let blocks = vec![cpuid("Example CPU"), (Guid::made_up("other"), vec![7; 100])];
    let whole = TriageDump { moment: Some(moment()), secondary: blocks, ..triage() }.to_bytes();
    let (dump, losses) = read(&whole);
    assert_eq!(losses, Vec::<String>::new());
    let lengths: Vec<u32> = dump.state.blocks.iter().map(|block| block.bytes).collect();
    assert_eq!(lengths, [120, 100]);
    assert_eq!(dump.state.processors[0].name.as_deref(), Some("Example CPU"));
    let (cut, losses) = read(&whole[..whole.len() - 50]);
    let [loss] = &*losses else { panic!("one loss: {losses:?}") };
    assert!(loss.starts_with("secondary data: the file ends in the block"), "{loss}");
    assert_eq!((cut.state.blocks.len(), names(&cut)), (1, names(&dump)));
}

#[test]
fn memory_beyond_the_end_of_the_file_is_a_loss() {
    let mut bytes = TriageDump { memory: vec![(NT + 0x5000, vec![1; 64])], ..triage() }.to_bytes();
    let list = u32::from_le_bytes(bytes[0x2078..0x207C].try_into().expect("four bytes"));
    let offset = usize::try_from(list).expect("small") + 8;
    bytes[offset..offset + 4].copy_from_slice(&0x7FFF_0000_u32.to_le_bytes());
    let (_, losses) = read(&bytes);
    assert_eq!(losses, ["memory: 1 of 2 pieces lie beyond the file's end"]);
    bytes[0x207C..0x2080].copy_from_slice(&0x8000_u32.to_le_bytes());
    let (_, losses) = read(&bytes);
    assert!(losses.iter().any(|loss| loss.starts_with("list of memory: not used")), "{losses:?}");
}

#[test]
fn the_record_of_a_hardware_error_is_where_the_second_parameter_says() {
    let record = ErrorRecordBytes {
        severity: 1,
        sections: vec![Section::MachineCheck { bank: 4, status: 1 << 63, address: 0, misc: 0, apic_id: 2 }],
    };
    let place = 0xFFFF_C000_1234_5010;
    let bytes = record.to_bytes();
    // In two pieces.
    let (first, second) = bytes.split_at(150);
    let memory = vec![(place, first.to_vec()), (place + 150, second.to_vec())];
    let made = |memory| {
        let mut dump = TriageDump { memory, ..triage() };
        dump.stop.code = 0x124;
        dump.stop.parameters = [0, place, 0, 0];
        dump
    };
    let (dump, losses) = read(&made(memory).to_bytes());
    assert_eq!(losses, Vec::<String>::new());
    let found = dump.state.error_record.expect("a record");
    assert!(matches!(found.sections[0].detail, ErrorDetail::MachineCheck { bank: 4, .. }), "{found:?}");
    let (cut, losses) = read(&made(vec![(place, first.to_vec())]).to_bytes());
    assert_eq!(losses, ["record of the hardware error: the dump holds 150 of its 464 bytes"]);
    assert!(cut.state.error_record.is_some_and(|record| record.sections.len() <= 1));
    let (without, losses) = read(&made(vec![]).to_bytes());
    assert!(without.state.error_record.is_none() && losses.is_empty(), "{losses:?}");
}

#[test]
fn a_dump_with_pages_names_the_process_of_the_thread_around_the_stack() {
    let [list, processor, thread, process] =
        [NT + 0x6000, 0xFFFF_F800_5000_0000, 0xFFFF_C000_0001_0000, 0xFFFF_C000_0002_0000];
    let mut dump = paged(Storage::Bitmap(6));
    let moment = moment();
    let mut data = samplekit::kernel_dump::debugger_data();
    data[0x218..0x220].copy_from_slice(&list.to_le_bytes());
    let mut of_processor = moment.processor();
    of_processor[8..16].copy_from_slice(&thread.to_le_bytes());
    let mut of_thread = vec![0_u8; 0x200];
    of_thread[0x28..0x30].copy_from_slice(&(STACK + 0x1000).to_le_bytes());
    of_thread[0xB8..0xC0].copy_from_slice(&process.to_le_bytes());
    dump.stop.processors = 1;
    dump.memory.extend([
        (NT + 0x00C0_0B20, data),
        (list, processor.to_le_bytes().to_vec()),
        (processor, of_processor),
        (thread, of_thread),
        (process, moment.process()),
    ]);
    let (read, losses) = read(&dump.to_bytes());
    assert_eq!(losses, Vec::<String>::new());
    assert_eq!(read.state.process.map(|process| process.id), Some(Some(4312)));
    assert_eq!(read.state.processors.len(), 1);
}
