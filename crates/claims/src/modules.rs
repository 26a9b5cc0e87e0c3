//! The modules that artifacts name, each with what it did, its version and the place in it.

use super::check::Place;
use super::claim::Role;
use evidence::{Observation, base_name};
use incident::SourcedEvidence;
use report::{Judged, Report};

/// A module as an artifact names it.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) offset: Option<u64>,
    pub(crate) role: Role,
    /// What it is there: `frame 2 of the stack`.
    pub(crate) what: String,
    pub(crate) place: Place,
}

/// What an incident says of modules.
pub(crate) fn of_incident(judged: &Judged) -> Vec<Named> {
    let incident = &judged.incident;
    let place = || Place { artifact: None, place: Some(format!("incident {}", incident.id)) };
    let mut all = Vec::new();
    if let Some(site) = &incident.fault_site {
        all.push(Named {
            name: site.module.to_string(),
            version: site.version.map(|version| version.to_string()),
            offset: site.offset.map(|offset| offset.0),
            role: Role::Faulting,
            what: "the faulting module".to_owned(),
            place: place(),
        });
    }
    if let Some(suspect) = &incident.suspect {
        all.push(Named {
            name: suspect.module.to_string(),
            version: suspect.version.map(|version| version.to_string()),
            offset: None,
            role: Role::Suspect,
            what: "the suspected module".to_owned(),
            place: place(),
        });
    }
    for (number, frame) in (0_usize..).zip(&incident.stack) {
        let Some(module) = &frame.module else { continue };
        all.push(Named {
            name: module.to_string(),
            version: frame.version.map(|version| version.to_string()),
            offset: frame.offset.map(|offset| offset.0),
            role: Role::Stack,
            what: format!("frame {number} of the stack ({})", frame.trust.word()),
            place: place(),
        });
    }
    all
}

/// The modules that a process or the kernel had loaded, by the artifacts that `wanted` chooses, and whether one of their lists
/// has no gaps.
pub(crate) fn loaded(
    report: &Report,
    evidence: &[SourcedEvidence],
    wanted: &dyn Fn(usize) -> bool,
) -> (Vec<Named>, bool) {
    let (mut all, mut is_complete) = (Vec::new(), false);
    for item in evidence.iter().filter(|item| wanted(item.artifact)) {
        let mut add = |path: &str, version: Option<String>, what: &str| {
            all.push(Named {
                name: base_name(path).to_owned(),
                version,
                offset: None,
                role: Role::Loaded,
                what: what.to_owned(),
                place: Place {
                    artifact: report.artifact_path(item.artifact).map(str::to_owned),
                    place: Some(item.place.to_string()),
                },
            });
        };
        match &item.observation {
            Observation::Process(dump) => {
                for module in dump.modules.iter().flatten() {
                    add(&module.path, module.version.map(|version| version.to_string()), "a loaded module");
                }
                dump.unloaded.iter().for_each(|module| add(&module.path, None, "a module that had been unloaded"));
                is_complete |= dump.modules.is_some() && dump.modules_complete;
            }
            Observation::Kernel(dump) => {
                dump.drivers.iter().for_each(|driver| add(&driver.name, None, "a loaded driver"));
                is_complete |= dump.drivers_complete;
            }
            Observation::Wer(report) => report.modules.iter().for_each(|path| add(path, None, "a loaded module")),
            Observation::Event(_) | Observation::Ticket(_) | Observation::Sigma(_) => {}
        }
    }
    (all, is_complete)
}
