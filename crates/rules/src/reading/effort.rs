//! What reading a rule set may cost.

use std::cell::Cell;

/// The most bytes of texts with facts that are written on trial for one rule set. The built-in set takes a hundredth of it.
const MOST_WRITTEN: usize = 256 << 20;

/// The most states that the automata of a rule set's expressions may have together; a state takes up to
/// 50 bytes. The built-in set has some millions.
const MOST_STATES: usize = 16_000_000;

/// How much of its limits the reading of a rule set has used up.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    written: Cell<usize>,
    states: Cell<usize>,
}

impl Effort {
    /// Counts texts that are written on trial; false if these are too many.
    pub fn write(&self, bytes: usize) -> bool {
        add(&self.written, bytes) <= MOST_WRITTEN
    }

    /// Counts the states of an expression; false if these are too many.
    pub fn compile(&self, states: usize) -> bool {
        add(&self.states, states) <= MOST_STATES
    }
}

fn add(sum: &Cell<usize>, more: usize) -> usize {
    sum.set(sum.get().saturating_add(more));
    sum.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_together_is_refused() {
        let effort = Effort::default();
        assert!(effort.write(MOST_WRITTEN) && !effort.write(1));
        assert!(effort.compile(MOST_STATES - 1) && effort.compile(1) && !effort.compile(usize::MAX));
    }
}
