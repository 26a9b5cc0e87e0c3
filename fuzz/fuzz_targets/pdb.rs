//! libFuzzer on the target `pdb`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::try_input("pdb", input));
