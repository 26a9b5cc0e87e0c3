//! Offline analysis of Windows crash evidence.

pub mod artifact;
pub mod evidence;
pub mod facts;
pub mod incident;
pub mod knowledge;
pub mod report;
pub mod rules;
pub mod yaml;
