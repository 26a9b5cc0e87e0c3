//! What kind of outcome an input had, without the values in it.

use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use evidence::{Observation, ProcessDump, Reading};
use untrusted::{Loss, Unreadable};

/// How many letters of a message count: what follows mostly quotes the input.
const LETTERS: usize = 40;

/// The kind of an outcome as a hash. Inputs with the same shape led to the same messages and kinds of facts.
#[derive(Debug, Clone, Default)]
pub struct Shape(DefaultHasher);

impl Shape {
    /// The shape of what a reader returned.
    #[must_use]
    pub fn of_reading(outcome: Result<&Reading, &Unreadable>) -> Self {
        let mut shape = Self::default();
        match outcome {
            Ok(reading) => {
                for loss in &reading.losses {
                    shape.loss(loss);
                }
                for evidence in &reading.evidence {
                    shape.value(discriminant(&evidence.observation));
                    if let Observation::Process(dump) = &evidence.observation {
                        shape.dump(dump);
                    }
                }
                shape.size(reading.evidence.len());
            }
            Err(unreadable) => shape.message(unreadable),
        }
        shape
    }

    /// Adds how a stack was walked, and where a value came from.
    fn dump(&mut self, dump: &ProcessDump) {
        for frame in dump.thread.iter().flat_map(|thread| &thread.frames) {
            self.value((discriminant(&frame.trust), frame.module, frame.function.is_some(), frame.inlined.len()));
        }
        let detail = &dump.detail;
        self.value(detail.origin.as_ref().map(|origin| (origin.steps.len(), origin.end.word(), origin.frame)));
        self.value((detail.instruction.is_some(), detail.access.is_some(), detail.givers.len(), detail.cpp.is_some()));
    }

    /// Adds a loss, without its numbers.
    pub fn loss(&mut self, loss: &Loss) {
        self.message(&loss.place);
        self.message(&loss.reason);
    }

    /// Adds the letters of a message.
    pub fn message(&mut self, message: &impl Display) {
        let text = message.to_string();
        let letters: String = text.chars().filter(|letter| !letter.is_ascii_digit()).take(LETTERS).collect();
        letters.hash(&mut self.0);
    }

    /// Adds a size by its magnitude, as a power of two.
    pub fn size(&mut self, size: usize) {
        size.checked_ilog2().hash(&mut self.0);
    }

    /// Adds a value.
    pub fn value(&mut self, value: impl Hash) {
        value.hash(&mut self.0);
    }

    /// The hash.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.0.finish()
    }
}
