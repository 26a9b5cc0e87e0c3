//! Values with the evidence that they are from.

/// A value with the number of the evidence that it is from, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// The number of the evidence.
    pub from: usize,
}

impl<T> Found<T> {
    /// Another value from the same evidence.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        Found { value: change(self.value), from: self.from }
    }
}
