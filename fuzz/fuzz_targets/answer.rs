//! libFuzzer on the target `answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("answer", input));
