//! libFuzzer on the target `bzip2`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("bzip2", input));
