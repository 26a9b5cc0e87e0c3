//! Damages bytes.

use samplekit::Random;

/// Where decisions about damage come from.
pub trait Choose {
    /// Any number.
    fn any(&mut self) -> u64;
    /// A number below `bound`, which is not zero.
    fn below(&mut self, bound: usize) -> usize;
}

impl Choose for Random {
    fn any(&mut self) -> u64 {
        Self::any(self)
    }

    fn below(&mut self, bound: usize) -> usize {
        Self::below(self, bound)
    }
}

/// Decisions that are read from bytes, so that bytes describe damage. Where they end, every decision is 0.
#[derive(Debug, Clone)]
pub struct Choices<'b>(pub &'b [u8]);

impl Choices<'_> {
    /// Whether no decision is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, bytes: usize) -> u64 {
        let (taken, rest) = self.0.split_at(bytes.min(self.0.len()));
        self.0 = rest;
        let mut number = [0; 8];
        number[..taken.len()].copy_from_slice(taken);
        u64::from_le_bytes(number)
    }
}

impl Choose for Choices<'_> {
    fn any(&mut self) -> u64 {
        self.take(8)
    }

    fn below(&mut self, bound: usize) -> usize {
        let bytes = match bound {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        self.take(bytes) as usize % bound
    }
}

/// The most bytes that one damage inserts.
const MOST_INSERTED: usize = 64;

/// What beside an input mutation takes bytes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Material<'m> {
    /// Other inputs.
    pub others: &'m [Vec<u8>],
    /// Words of the format.
    pub words: &'m [&'m str],
}

/// Damages the bytes once: a bit, a number, a block, the end, or bytes of another input. Never makes them empty.
pub fn damage(bytes: &mut Vec<u8>, material: Material<'_>, choose: &mut impl Choose) {
    if bytes.is_empty() {
        bytes.push(choose.any().to_le_bytes()[0]);
        return;
    }
    let length = bytes.len();
    // Headers, directories and lists contain the lengths and offsets.
    let near = [length, length, length.min(64), length.min(512), length.min(4096), length.min(32 << 10)];
    let until = near[choose.below(near.len())];
    let at = choose.below(until);
    match choose.below(14) {
        0 => bytes[at] ^= 1 << choose.below(8),
        1 => bytes[at] = choose.any().to_le_bytes()[0],
        2 | 3 => change_number(bytes, at, choose),
        4 | 5 => set_number(bytes, at, choose),
        6 => {
            let (start, end) = block(bytes, at, choose);
            bytes[start..end].fill(if choose.below(2) == 0 { 0 } else { 0xFF });
        }
        7 => {
            let (start, end) = block(bytes, at, choose);
            let from = choose.below(length - (end - start) + 1);
            bytes.copy_within(from..from + (end - start), start);
        }
        8 => bytes.truncate(at.max(1)),
        9 if length > 1 => {
            let end = (at + 1 + choose.below(MOST_INSERTED)).min(length);
            bytes.drain(at..end);
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
        10 => {
            let inserted: Vec<u8> = (0..=choose.below(16)).map(|_| choose.any().to_le_bytes()[0]).collect();
            bytes.splice(at..at, inserted);
        }
        11 => {
            let (start, end) = block(bytes, at, choose);
            let copied = bytes[start..end.min(start + MOST_INSERTED * 4)].to_vec();
            bytes.splice(at..at, copied);
        }
        12 if !material.others.is_empty() => splice(bytes, at, material.others, choose),
        _ if !material.words.is_empty() => {
            let word = material.words[choose.below(material.words.len())].bytes();
            let end = if choose.below(2) == 0 { at } else { (at + word.len()).min(length) };
            bytes.splice(at..end, word);
        }
        _ => bytes[at] = bytes[at].wrapping_add(1),
    }
}

/// A block that begins at `at`, mostly a short one.
fn block(bytes: &[u8], at: usize, choose: &mut impl Choose) -> (usize, usize) {
    let most = [8, 64, 512, bytes.len()][choose.below(4)];
    (at, at + (1 + choose.below(most)).min(bytes.len() - at))
}

/// Adds a small number to a number, or subtracts it.
fn change_number(bytes: &mut [u8], at: usize, choose: &mut impl Choose) {
    let size = 1 << choose.below(4);
    let Some(place) = bytes.get_mut(at..at + size) else { return };
    let mut number = [0; 8];
    number[..size].copy_from_slice(place);
    let by = 1 + choose.below(35) as u64;
    let number = u64::from_le_bytes(number);
    let number = if choose.below(2) == 0 { number.wrapping_add(by) } else { number.wrapping_sub(by) };
    place.copy_from_slice(&number.to_le_bytes()[..size]);
}

/// Writes a number that is often wrong: the largest of a type, one that is about the length, any.
fn set_number(bytes: &mut [u8], at: usize, choose: &mut impl Choose) {
    let length = bytes.len() as u64;
    let odd = [
        0,
        1,
        4,
        0x7F,
        0x80,
        0xFF,
        0x1000,
        0x7FFF,
        0x8000,
        0xFFFF,
        0x7FFF_FFFF,
        0x8000_0000,
        0xFFFF_FFF0,
        0xFFFF_FFFF,
        i64::MAX as u64,
        1 << 63,
        u64::MAX,
        length,
    ];
    let number = match choose.below(4) {
        0 => choose.any(),
        1 => length.wrapping_sub(choose.below(64) as u64),
        _ => odd[choose.below(odd.len())],
    };
    let size = 1 << choose.below(4);
    // Numbers are mostly where their size lets them be.
    let at = if choose.below(4) == 0 { at } else { at & !(size - 1).min(3) };
    if let Some(place) = bytes.get_mut(at..at + size) {
        place.copy_from_slice(&number.to_le_bytes()[..size]);
    }
}

/// Puts a block of another input at `at`, over the bytes there or between them, or continues with the other input from there.
fn splice(bytes: &mut Vec<u8>, at: usize, others: &[Vec<u8>], choose: &mut impl Choose) {
    let other = &others[choose.below(others.len())];
    if other.is_empty() {
        return;
    }
    match choose.below(3) {
        0 => {
            bytes.truncate(at);
            bytes.extend_from_slice(other.get(at..).unwrap_or_default());
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
        way => {
            let from = choose.below(other.len());
            let (from, end) = block(other, from, choose);
            let until = if way == 1 { at } else { (at + (end - from)).min(bytes.len()) };
            bytes.splice(at..until, other[from..end].iter().copied());
        }
    }
}

/// An input with one to sixteen kinds of damage, mostly few, of at most `longest` bytes.
#[must_use]
pub fn mutant(input: &[u8], material: Material<'_>, longest: usize, choose: &mut impl Choose) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let most = 1 << choose.below(5);
    for _ in 0..=choose.below(most) {
        damage(&mut bytes, material, choose);
    }
    bytes.truncate(longest);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_never_fails_and_equal_seeds_give_equal_mutants() {
        let others = [b"another input".to_vec(), Vec::new()];
        let material = Material { others: &others, words: &["word"] };
        for seed in 1..3000 {
            for input in [&b""[..], b"x", b"some bytes that are damaged"] {
                let of = |seed| mutant(input, material, 60, &mut Random::new(seed));
                assert!(of(seed).len() <= 60);
                assert_eq!(of(seed), of(seed));
            }
        }
        let described: Vec<u8> = (0..200).collect();
        let mut choices = Choices(&described);
        let mut bytes = b"some bytes".to_vec();
        while !choices.is_empty() {
            damage(&mut bytes, material, &mut choices);
        }
    }
}
