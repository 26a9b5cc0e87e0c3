//! Artifacts whose facts, incidents or causes are known from elsewhere.

mod cases;
mod corpus;
mod corpus_event_logs;
mod corpus_every_fact;
mod corpus_joins;
mod corpus_wer_and_kernel;
mod samples;
