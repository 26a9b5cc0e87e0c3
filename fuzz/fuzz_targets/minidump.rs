//! libFuzzer on the target `minidump`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("minidump", input));
