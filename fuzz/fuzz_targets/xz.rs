//! libFuzzer on the target `xz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("xz", input));
