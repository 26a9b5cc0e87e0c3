//! libFuzzer on the target `yaml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("yaml", input));
