//! libFuzzer on the target `condition`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("condition", input));
