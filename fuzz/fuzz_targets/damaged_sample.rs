//! libFuzzer on the target `damaged-sample`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("damaged-sample", input));
