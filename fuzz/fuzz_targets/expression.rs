//! libFuzzer on the target `expression`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("expression", input));
