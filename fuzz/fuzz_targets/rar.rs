//! libFuzzer on the target `rar`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("rar", input));
