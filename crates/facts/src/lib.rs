//! Facts as rules see them: one flat set of typed values for each incident, under paths that [`schema`] lists.
//!
//! A fact that no artifact gave is absent, which is not the same as false: a rule that asks for it is *skipped*, and
//! says what was missing.

mod earlier;
mod from_incident;
mod given;
mod other_incidents;
mod quoted;
mod related_incidents;
pub mod schema;
mod set;
mod surroundings;
mod value;
mod written;

pub use earlier::{MOST_BEFORE, REACH_BEFORE};
pub use from_incident::{facts, os_build};
pub use given::FieldValue;
pub use other_incidents::{
    MOST_OTHERS, NEAREST, OF_A_MACHINE, OTHER_FIELDS, OtherIncident, OtherIncidents, Profile, Run, Shared,
};
pub use quoted::quoted;
pub use related_incidents::{NAMED, NamedIncidents, RelatedIncidents, Relation, is_zero};
pub use schema::{FactDefinition, FactType, ListDefinition};
pub use set::{FactSet, KnownFact};
pub use surroundings::{
    Around, BeforeFirst, Change, Nearby, NeededInput, Recorded, SigmaNearby, Surroundings, TIMELINE_FIELDS,
};
pub use surroundings::{MOST_OF_A_KIND, TIMELINE_AFTER as REACH_AFTER, TimelinePart, reach_seconds};
pub use value::{EvidenceRef, Record, Value};
pub use written::{write_fact, write_facts};
