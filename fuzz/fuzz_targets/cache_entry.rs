//! libFuzzer on the target `cache-entry`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("cache-entry", input));
