//! libFuzzer on the target `data-flow`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("data-flow", input));
