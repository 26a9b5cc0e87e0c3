//! Bytes that may be anything.

use super::*;

/// A small generator with a fixed start (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }
}

/// Reads bytes that may be anything: no reader panics, and the decoder does not either.
fn must_not_panic(bytes: &[u8], what: &str) {
    if let Ok(reading) = read_bytes(bytes) {
        assert!(!reading.losses.iter().any(|loss| loss.reason.contains("the decoder failed")), "{what}");
    }
}

#[test]
fn random_chunks_behind_a_header_written_by_hand_do_not_panic() {
    let mut random = Random(7);
    for round in 0..40 {
        let mut bytes = b"ElfFile\0".to_vec();
        bytes.resize(FILE_HEADER_BYTES, 0);
        bytes.extend(b"ElfChnk\0");
        let length = random.below(2 * CHUNK_BYTES);
        bytes.extend((0..length).map(|_| random.next().to_le_bytes()[7]));
        // Half of them with a header that leads to records, and records that lead on.
        if round % 2 == 0 && length > 600 {
            bytes[FILE_HEADER_BYTES + 8..FILE_HEADER_BYTES + chunk_header::END].fill(0);
            put(&mut bytes, FILE_HEADER_BYTES + chunk_header::FREE_SPACE, &65_536_u32.to_le_bytes());
            put(&mut bytes, FILE_HEADER_BYTES + chunk_header::END, &0x2A2A_u32.to_le_bytes());
            let size = 28 + random.below(300) as u32;
            put(&mut bytes, FILE_HEADER_BYTES + chunk_header::END + 4, &size.to_le_bytes());
        }
        must_not_panic(&bytes, &format!("round {round}"));
    }
}

#[test]
fn cut_and_flipped_logs_do_not_panic_and_say_what_they_lost() {
    let whole = small_log();
    let said = |reading: &Reading| format!("{:?} {:?}", reading.records, reading.evidence);
    let original = said(&reading(&whole));
    let mut random = Random(11);
    for _ in 0..300 {
        let cut = &whole[..random.below(whole.len())];
        must_not_panic(cut, &format!("cut to {}", cut.len()));
        if let Ok(reading) = read_bytes(cut) {
            assert!(!reading.losses.is_empty(), "cut to {} bytes", cut.len());
        }
        let mut flipped = whole.clone();
        // Most of a chunk is free space; the flips go where something stands.
        let at = if random.below(4) == 0 { random.below(128) } else { chunk_range(0).start + random.below(3000) };
        flipped[at] ^= 1 << random.below(8);
        must_not_panic(&flipped, &format!("byte {at} flipped"));
        if let Ok(reading) = read_bytes(&flipped) {
            assert!(!reading.losses.is_empty() || said(&reading) == original, "byte {at} flipped and nothing is said");
        }
    }
}
