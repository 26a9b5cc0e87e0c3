//! libFuzzer on the target `zstandard`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("zstandard", input));
