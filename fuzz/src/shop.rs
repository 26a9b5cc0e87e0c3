//! The program `shop.cpp` of `crates/crash-dump/testdata/pdb`, whose script makes images and PDBs: a dump of it, and what symbol
//! stores have of it.

use samplekit::minidump::{Context, Exception, Memory, Minidump, Module, Thread};
use samplekit::{FileTime, FileVersion};

/// The image.
pub const IMAGE: &[u8] = include_bytes!("../../crates/crash-dump/testdata/pdb/shop64.dll");
/// Its PDB.
pub const PDB: &[u8] = include_bytes!("../../crates/crash-dump/testdata/pdb/shop64.pdb");
const BASE: u64 = 0x7FFB_1000_0000;
const STACK: u64 = 0x42_7FCF_E5C0;

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The module of `shop64.dll`: time stamp, size and PDB as its headers have them.
#[must_use]
pub fn shop() -> Module {
    let header = number(IMAGE, 0x3C) as usize;
    let record = IMAGE.windows(4).position(|four| four == b"RSDS").expect("a debug record");
    let end = IMAGE[record + 24..].iter().position(|byte| *byte == 0).expect("a name");
    Module {
        timestamp: number(IMAGE, header + 8),
        codeview: IMAGE[record..record + 25 + end].to_vec(),
        ..Module::windows(r"C:\shop\shop64.dll", Some(FileVersion([1, 0, 0, 0])), BASE, number(IMAGE, header + 80))
    }
}

/// The name of the folder that a symbol store has for the PDB.
fn debug_id() -> String {
    let record = shop().codeview;
    let order = [7, 6, 5, 4, 9, 8, 11, 10, 12, 13, 14, 15, 16, 17, 18, 19];
    order.iter().map(|at| format!("{:02X}", record[*at])).collect::<String>() + &format!("{:x}", record[20])
}

/// Where symbol stores have the image.
#[must_use]
pub fn stored_image() -> String {
    let shop = shop();
    format!("shop64.dll/{:08X}{:x}/shop64.dll", shop.timestamp, shop.size)
}

/// Where symbol stores have the PDB.
#[must_use]
pub fn stored_pdb() -> String {
    format!("shop64.pdb/{}/shop64.pdb", debug_id())
}

/// `Cart::add`, which was put into `add_all`, which was put into `Cart::checkout`, writes to null; `entry` has called it.
#[must_use]
pub fn dump() -> Minidump {
    let app = Module::windows(r"C:\shop\app.exe", None, 0x7FF6_1C8A_0000, 0x3000);
    let mut words = vec![BASE + 0x1058, 0, 0, 0, 0, 0, 7, 8, app.base + 0x1234];
    words.resize(64, 0);
    let stack = Memory { address: STACK, bytes: words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect() };
    let context = Context::at(BASE + 0x1032, STACK);
    let exception =
        Exception { thread: 7, code: 0xC000_0005, flags: 0, address: context.rip, parameters: vec![1, 0], context };
    let thread = Thread { id: 7, name: None, teb: 0x42_7FB3_4000, stack, context };
    Minidump {
        threads: vec![thread],
        exception: Some(exception),
        ..Minidump::crashed(FileTime::utc(2024, 6, 3, 10, 0, 0), context.rip, vec![app, shop()])
    }
}

/// What a `.sym` file records of the program.
pub const SYM_RECORDS: &str = "FILE 0 C:\\src\\shop.cpp
INLINE_ORIGIN 0 shop::add_all(shop::Cart&, int)
INLINE_ORIGIN 1 shop::Cart::add(int)
FUNC 1000 3f 0 shop::Cart::checkout(int)
INLINE 0 19 0 0 1000 3c
INLINE 1 15 0 1 1010 3 102d f
1000 2d 14 0
102d 5 6 0
1032 a 7 0
103c 3 20 0
FUNC 1040 2a 0 entry
1040 8 29 0
1048 9 30 0
1051 19 31 0
STACK CFI INIT 1000 3f .cfa: $rsp 8 + .ra: .cfa 8 - ^
";

/// The `.sym` file with these records.
#[must_use]
pub fn sym_file(records: &str) -> String {
    format!("MODULE windows x86_64 {} shop64.pdb\n{records}", debug_id())
}
