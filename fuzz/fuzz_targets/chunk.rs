//! libFuzzer on the target `chunk`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("chunk", input));
