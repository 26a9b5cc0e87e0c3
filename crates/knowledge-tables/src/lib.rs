//! The tables below `rules/data` that the build puts into the program: what each file holds, and what is wrong with it.

pub mod codes;
pub mod compatibility;
pub mod cues;
pub mod facts;
pub mod patterns;
pub mod stops;
pub mod table;
