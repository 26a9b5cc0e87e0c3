//! Which evidence becomes one incident, and what an incident contains about the logs, the machine and the incidents
//! around it.

mod copies;
mod environment;
mod fleet;
mod generated_fleets;
mod incidents;
mod joins;
mod other_incidents;
mod parties;
mod patterns;
mod records;
mod remarks;
mod tickets;
mod timeline;
