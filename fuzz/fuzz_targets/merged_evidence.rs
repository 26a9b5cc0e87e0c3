//! libFuzzer on the target `merged-evidence`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("merged-evidence", input));
