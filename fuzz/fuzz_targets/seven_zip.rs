//! libFuzzer on the target `seven-zip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("seven-zip", input));
