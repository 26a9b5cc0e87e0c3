//! libFuzzer on the target `rule`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("rule", input));
