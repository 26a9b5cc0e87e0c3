//! libFuzzer on the target `powershell-zip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("powershell-zip", input));
