//! Pseudo-random numbers, the same in every run.

/// A small generator (xorshift64*, Vigna 2016).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence that belongs to `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // A state of zero would stay zero for ever.
        Self(seed.max(1))
    }

    /// Any number. The lower bits are the weaker ones; see [`Random::below`].
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.any() >> 33) as usize % bound
    }
}
