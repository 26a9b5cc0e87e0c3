//! libFuzzer on the target `zip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("zip", input));
