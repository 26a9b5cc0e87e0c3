//! libFuzzer on the target `binary-xml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("binary-xml", input));
