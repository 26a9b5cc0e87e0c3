//! libFuzzer on the target `sigma`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("sigma", input));
