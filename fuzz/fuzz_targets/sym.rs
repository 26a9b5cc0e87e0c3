//! libFuzzer on the target `sym`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("sym", input));
