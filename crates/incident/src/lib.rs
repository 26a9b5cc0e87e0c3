//! Joins the evidence of each crash, hang, blue screen, GPU reset, failed start, exit or power loss to an incident, finds
//! out where it failed and what surrounded it, and puts incidents into the timelines of their machines.

mod basis;
mod bugcheck;
mod build;
mod caller;
mod context;
mod contradictions;
mod crash_record;
mod dump_detail;
mod dump_state;
pub mod environment;
mod fault_site;
mod giver;
mod host_names;
mod incident;
mod join;
mod joined_evidence;
mod kernel_card;
mod kernel_sentences;
mod kernel_site;
mod kinds;
mod machine;
mod machine_environment;
mod mechanism;
mod messages;
mod needed;
mod other_software;
mod renamed;
mod same_process;
mod sentence;
mod sessions;
mod sighting;
mod signature;
mod sourced_evidence;
mod stable_name;
mod stack;
mod text_stack;
mod threads;
mod thrown;
mod timeline_incidents;
mod waits;
mod windows_files;

pub use basis::Basis;
pub use build::{JoinedIncident, incidents};
pub use crash_record::CrashRecord;
pub use dump_state::{Annotated, CrashedThread, DumpState, InnerError};
pub use environment::{build_of, is_version_unsure};
pub use fault_site::{Carriers, KnownModule, KnownPart};
pub use host_names::{short_host, use_full_host_names};
pub use incident::{
    Access, Bugcheck, EvidenceItem, ExceptionFacts, FastFail, FaultSite, Incident, IncidentKind, JoinedBy,
    ParameterMeaning, Process, Signature, Suspect,
};
pub use join::key::{JoinKey, JoinStrength};
pub use joined_evidence::JoinedEvidence;
pub use machine::{Cleared, EarlierValue, Machine, SIGMA, TimelineEntry, machines, searched_text, timeline_kind};
pub use machine_environment::{OF_MACHINE, describe_machines, started_build};
pub use mechanism::{FieldOffset, Mechanism, MechanismKind, MechanismOrigin, MechanismStep};
pub use messages::MessageReader;
pub use needed::NeededFile;
pub use other_software::{Component, OtherModule, OtherSoftware, product};
pub use renamed::{LastNames, NamedLog, last_names, under_last_name};
pub use sentence::sentence;
pub use sighting::{Family, RestartRecord, Sighting, dump_written, sightings};
pub use signature::ALGORITHM;
pub use sourced_evidence::{NumberMap, SourcedEvidence};
pub use stack::{InlineFrame, StackFrame, StackKind};
pub use threads::{Thread, threads};
pub use thrown::Thrown;
pub use timeline_incidents::{TimelineIncident, enter_incidents, timeline_incidents};
pub use windows_files::{WindowsFile, WindowsFiles};
