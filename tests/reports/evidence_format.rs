//! The encoding of evidence in mergeable reports.

use std::io::Read;

use data_encoding::BASE64;
use flate2::read::DeflateDecoder;

use crate::program::{list, run};

/// The CRC-32 of the evidence of all samples, decompressed and concatenated, beside the version of its encoding. Another
/// sample changes the sum alone. A new variant or field of a type of evidence changes both: then `evidence::FORMAT` gets
/// any other 16 hexadecimal digits, so that other versions of the program do not read the bytes.
const VERSION_AND_SUM: (&str, u32) = ("b41d7c90e6f32a58", 0x2E79_4519);

#[test]
fn evidence_has_the_bytes_of_its_version() {
    let report = run(["analyze", "-q", "-f", "json", "--mergeable", "samples"]).ends_with(0).json();
    assert_eq!(report["evidence_format"], evidence::FORMAT);
    let mut sum = crc32fast::Hasher::new();
    for packed in list(&report, "artifacts").iter().filter_map(|artifact| artifact["evidence"].as_str()) {
        let packed = BASE64.decode(packed.as_bytes()).expect("Base64");
        let mut bytes = Vec::new();
        DeflateDecoder::new(&*packed).read_to_end(&mut bytes).expect("deflated");
        sum.update(&bytes);
    }
    let sum = sum.finalize();
    assert_eq!(
        (evidence::FORMAT, sum),
        VERSION_AND_SUM,
        "the types of evidence changed, or the samples did: the sum is {sum:#010X}"
    );
}
