//! libFuzzer on the target `unwinding`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("unwinding", input));
