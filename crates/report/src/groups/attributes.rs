//! The attributes by which groups of incidents are compared: modules, versions, drivers and the environment card of an
//! incident, each with a number, so that thousands of incidents can be compared by numbers alone.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use indexmap::IndexSet;

use evidence::{Version, base_name};
use incident::{JoinedIncident, OF_MACHINE, is_version_unsure};

/// A module, driver or environment value that an incident can have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// Its kind: `module`, `module-version`, `driver`, `driver-build`, or a key of the environment card.
    pub kind: &'static str,
    /// Its name or value, in lower case where case makes no difference.
    pub value: String,
}

/// A module by its file name.
pub const MODULE: &str = "module";
/// A module with its file version.
pub const MODULE_VERSION: &str = "module-version";
/// A driver of a kernel dump by its file name.
pub const DRIVER: &str = "driver";
/// A driver with the timestamp of its image, which stands in for the version.
pub const DRIVER_BUILD: &str = "driver-build";

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            MODULE | MODULE_VERSION | DRIVER | DRIVER_BUILD => f.write_str(&self.value),
            kind => write!(f, "{} {}", kind.replace('_', " "), self.value),
        }
    }
}

impl Attribute {
    /// Whether the crashed program itself can bring the attribute, as programs bring their modules.
    #[must_use]
    pub fn may_follow_from_program(&self) -> bool {
        !OF_MACHINE.contains(&self.kind) && !["uptime", DRIVER, DRIVER_BUILD].contains(&self.kind)
    }
}

/// The attributes of one incident, by their numbers in [`Attributes`].
#[derive(Debug, Clone, Default)]
pub struct IncidentAttributes {
    /// The number of the machine; `None` where no evidence names it.
    pub host: Option<u32>,
    /// The number of the program's name.
    pub process: Option<u32>,
    /// The kinds of attributes that the incident's evidence would show if present, sorted: without a module list, which
    /// modules were loaded is not known.
    pub known: Box<[Need]>,
    /// The attributes that the incident has, sorted.
    pub has: Box<[u32]>,
}

impl IncidentAttributes {
    /// Whether the incident's evidence shows this attribute where it is present.
    #[must_use]
    pub fn knows(&self, need: Need) -> bool {
        self.known.binary_search(&need).is_ok()
    }

    /// Whether the incident has this attribute.
    #[must_use]
    pub fn has(&self, attribute: u32) -> bool {
        self.has.binary_search(&attribute).is_ok()
    }
}

/// The numbers of a module or driver.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    itself: u32,
    /// With its version, where that is known.
    version: Option<(u32, Need)>,
}

/// The number of the knowledge without which the absence of an attribute means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need(u32);

/// The knowledge without which the absence of an attribute means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Needed {
    /// All attributes of this kind, as this sort of evidence records them.
    All(&'static str, Source),
    /// The version of the module or driver with this number: lists of modules without versions are frequent.
    VersionOf(u32),
}

/// The sort of evidence that an environment card was made of. Sorts of evidence word the same value differently: a kernel
/// dump names its display driver by file and date, a minidump by release. Values are compared within one sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Lists that are alike in all sorts of evidence.
    Any,
    /// A minidump.
    Dump,
    /// A kernel dump.
    KernelDump,
    /// Reports and logs.
    Records,
}

/// The attributes of all incidents. The number of an entry is its index in its set.
#[derive(Debug, Default)]
pub struct Attributes {
    attributes: IndexSet<(Attribute, Need)>,
    needs: IndexSet<Needed>,
    hosts: IndexSet<String>,
    processes: IndexSet<String>,
    /// The numbers of modules by name, in the case in which a dump has it, and version. Dumps share their names, and one
    /// folder holds few.
    modules: HashMap<(Arc<str>, Option<Version>), Numbered>,
}

impl Attributes {
    /// The attribute with this number, and the knowledge that it needs.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<(&Attribute, Need)> {
        self.attributes.get_index(number as usize).map(|(attribute, need)| (attribute, *need))
    }

    /// The attributes that the evidence of an incident shows; numbers those that are new.
    pub fn of_incident(&mut self, joined: &JoinedIncident<'_>) -> IncidentAttributes {
        let incident = &joined.incident;
        let (mut known, mut has) = (Vec::new(), Vec::new());
        let dump = joined.evidence.dump().map(|(_, dump)| dump);
        let kernel_dump = joined.evidence.kernel_dump().map(|(_, dump)| dump);
        let source = match (dump, kernel_dump) {
            (Some(_), _) => Source::Dump,
            (None, Some(_)) => Source::KernelDump,
            (None, None) => Source::Records,
        };
        // A value that leaves the version open, or that a person wrote, is no record of what was there.
        for (key, value) in incident.environment.iter().filter(|(_, value)| !is_version_unsure(value)) {
            let need = self.all_of(key, source);
            known.push(need);
            has.push(self.numbered(key, value.clone(), need));
        }
        if let Some(modules) = dump.filter(|dump| dump.modules_complete).and_then(|dump| dump.modules.as_ref()) {
            known.push(self.all_of(MODULE, Source::Any));
            for module in modules {
                let Numbered { itself, version } = self.module(&module.name, module.version);
                has.extend([Some(itself), version.map(|(version, _)| version)].into_iter().flatten());
                known.extend(version.map(|(_, need)| need));
            }
        } else if let Some((_, report)) = joined.evidence.report(|report| !report.modules.is_empty()) {
            known.push(self.all_of(MODULE, Source::Any));
            has.extend(report.modules.iter().map(|path| self.number(MODULE, base_name(path).to_lowercase())));
        }
        if let Some(dump) = kernel_dump.filter(|dump| dump.drivers_complete && !dump.drivers.is_empty()) {
            known.push(self.all_of(DRIVER, Source::Any));
            for driver in &dump.drivers {
                let name = driver.name.to_lowercase();
                let build = driver.timestamp.map(|timestamp| format!("{name} with timestamp {timestamp:#010x}"));
                let Numbered { itself, version } = self.with_version(DRIVER, name, DRIVER_BUILD, build);
                has.extend([Some(itself), version.map(|(version, _)| version)].into_iter().flatten());
                known.extend(version.map(|(_, need)| need));
            }
        }
        known.sort_unstable();
        known.dedup();
        has.sort_unstable();
        has.dedup();
        let name = incident.process.as_ref().and_then(|process| process.name.as_deref());
        IncidentAttributes {
            host: incident.host.as_deref().map(|host| number_in(&mut self.hosts, host.to_lowercase())),
            process: name.map(|name| number_in(&mut self.processes, name.to_lowercase())),
            known: known.into(),
            has: has.into(),
        }
    }

    /// The number of an attribute whose absence is known where all attributes of its kind are, whatever the sort of
    /// evidence.
    pub fn number(&mut self, kind: &'static str, value: String) -> u32 {
        let need = self.all_of(kind, Source::Any);
        self.numbered(kind, value, need)
    }

    /// The need for all attributes of a kind, as one sort of evidence records them.
    pub fn all_of(&mut self, kind: &'static str, source: Source) -> Need {
        Need(number_in(&mut self.needs, Needed::All(kind, source)))
    }

    fn numbered(&mut self, kind: &'static str, value: String, need: Need) -> u32 {
        number_in(&mut self.attributes, (Attribute { kind, value }, need))
    }

    fn module(&mut self, name: &Arc<str>, version: Option<Version>) -> Numbered {
        let key = (Arc::clone(name), version);
        if let Some(known) = self.modules.get(&key) {
            return *known;
        }
        let lower = name.to_lowercase();
        let versioned = version.map(|version| format!("{lower} {version}"));
        let numbered = self.with_version(MODULE, lower, MODULE_VERSION, versioned);
        self.modules.insert(key, numbered);
        numbered
    }

    /// The numbers of a file, and of the file with its version where that is known.
    fn with_version(
        &mut self,
        kind: &'static str,
        name: String,
        version_kind: &'static str,
        versioned: Option<String>,
    ) -> Numbered {
        let itself = self.number(kind, name);
        let version = versioned.map(|value| {
            let need = Need(number_in(&mut self.needs, Needed::VersionOf(itself)));
            (self.numbered(version_kind, value, need), need)
        });
        Numbered { itself, version }
    }
}

/// The number of a value: its index in the set, to which it is added.
fn number_in<T: Hash + Eq>(set: &mut IndexSet<T>, value: T) -> u32 {
    u32::try_from(set.insert_full(value).0).unwrap_or(u32::MAX)
}
