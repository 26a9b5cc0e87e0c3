//! `--redact`: what is private survives in no output, and what is judged stays the same.

mod artifacts;
mod bundle;
mod outputs;
mod planted;
mod verdicts;
