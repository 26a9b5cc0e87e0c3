//! A small generator with a fixed start.

/// `SplitMix64` (Steele, Lea and Flood, 2014): neighbouring seeds give unrelated numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound.max(1)
    }

    pub(crate) fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    pub(crate) fn pick<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        list.get(self.below(list.len()))
    }

    /// A number as damage makes them: mostly near what was there, or at an edge.
    pub(crate) fn number(&mut self, old: u64) -> u64 {
        match self.below(9) {
            0 => 0,
            1 => u64::MAX,
            2 => old.wrapping_add(1),
            3 => old.wrapping_sub(1),
            4 => old.wrapping_add(4 * self.below(16) as u64),
            5 => old.wrapping_sub(4 * self.below(16) as u64),
            6 => old ^ (1 << self.below(16)),
            7 => self.below(65_536) as u64,
            _ => self.next(),
        }
    }
}
