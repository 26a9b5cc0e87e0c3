//! What depends on the width of a dump's pointers.

/// A value of dumps with pointers of 64 bits, and of those with pointers of 32 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByWidth<T = usize> {
    wide: T,
    narrow: T,
}

impl<T: Copy> ByWidth<T> {
    /// The value of dumps whose pointers have 64 bits (`wide`), or 32.
    pub fn of(self, wide: bool) -> T {
        if wide { self.wide } else { self.narrow }
    }
}

pub(super) const fn both<T>(wide: T, narrow: T) -> ByWidth<T> {
    ByWidth { wide, narrow }
}

/// The same value for both widths.
pub(super) const fn same<T: Copy>(value: T) -> ByWidth<T> {
    both(value, value)
}
