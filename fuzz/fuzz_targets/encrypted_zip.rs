//! libFuzzer on the target `encrypted-zip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("encrypted-zip", input));
