//! libFuzzer on the target `whole-program`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("whole-program", input));
