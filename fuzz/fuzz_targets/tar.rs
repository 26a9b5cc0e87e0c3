//! libFuzzer on the target `tar`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("tar", input));
