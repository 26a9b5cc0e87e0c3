//! The encoding of evidence in mergeable reports.

use std::io::Read;

use data_encoding::BASE64;
use flate2::read::DeflateDecoder;

use crate::program::{list, run};

/// The CRC-32 of the evidence of all samples, decompressed and concatenated. It changes with the samples, and with the
/// types of evidence. Then `evidence::FORMAT` must change, too, so that other versions of the program do not read the
/// bytes.
const SUM: u32 = 0xD2B5_2CB1;

#[test]
fn evidence_has_the_bytes_of_its_version() {
    let report = run(["analyze", "-q", "-f", "json", "--mergeable", "samples"]).ends_with(0).json();
    assert_eq!((&report["evidence_format"], evidence::FORMAT), (&"95d374d5960ba7d6".into(), "95d374d5960ba7d6"));
    let mut sum = crc32fast::Hasher::new();
    for packed in list(&report, "artifacts").iter().filter_map(|artifact| artifact["evidence"].as_str()) {
        let packed = BASE64.decode(packed.as_bytes()).expect("Base64");
        let mut bytes = Vec::new();
        DeflateDecoder::new(&*packed).read_to_end(&mut bytes).expect("deflated");
        sum.update(&bytes);
    }
    assert_eq!(sum.finalize(), SUM, "the types of evidence changed, or the samples did");
}
