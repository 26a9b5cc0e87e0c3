//! libFuzzer on the target `event-log`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("event-log", input));
