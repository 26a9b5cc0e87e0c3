//! libFuzzer on the target `report-json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("report-json", input));
