//! libFuzzer on the target `evidence`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("evidence", input));
