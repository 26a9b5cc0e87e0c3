//! libFuzzer on the target `ticket`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("ticket", input));
