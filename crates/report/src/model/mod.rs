//! The values of a report: as they are made ([`Report`]), and as a document ([`Document`]), which the JSON formats write and
//! [`read`] gives back.

mod comparison;
mod coverage;
mod document;
mod group;
mod incident;
mod limits;
mod list;
mod machine;
mod part;
mod read;
mod report;
mod selected;
mod sigma;
mod text;

pub use comparison::{Comparison, GroupChange, GroupState};
pub use coverage::{CollectRequest, Coverage, Gap};
pub use document::{Document, Made, Tool};
pub use group::{BearsOn, CauseCount, ChangeBefore, Group, OverRepresented};
pub(crate) use incident::{Evidence, Incident};
pub use knowledge_tables::measured::Measured;
pub use limits::Limits;
pub(crate) use part::Part;
pub use read::{UnreadableReport, read};
pub use report::{Artifact, ArtifactStatus, GapRequest, Judged, Lead, Report, Summary, Verdict};
pub use selected::Selected;
