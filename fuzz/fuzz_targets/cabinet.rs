//! libFuzzer on the target `cabinet`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("cabinet", input));
