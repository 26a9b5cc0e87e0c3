//! What rules mean, which mistakes in rules are reported, and how findings become a verdict.

mod broken;
mod engine;
mod lists;
mod mentions;
mod messages;
mod mutants;
mod overlays;
mod schema;
mod sigma;
mod verdicts;
