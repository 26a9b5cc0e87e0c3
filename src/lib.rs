//! Offline analysis of Windows crash evidence.

pub mod artifact;
pub mod cli;
pub mod evidence;
pub mod facts;
pub mod incident;
pub mod report;
pub mod rules;
pub mod yaml;
