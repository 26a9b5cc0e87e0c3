//! libFuzzer on the target `kernel-dump`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("kernel-dump", input));
