//! libFuzzer on the target `wer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("wer", input));
