//! libFuzzer on the target `gzip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("gzip", input));
