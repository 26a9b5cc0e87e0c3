//! What an incident's surroundings had: modules, versions, drivers, system. What groups are compared by.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use evidence::{Version, base_name};
use incident::{Built, OF_MACHINE, is_version_unsure};

/// Something that an incident's surroundings can have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// What kind of thing: `module`, `module-version`, `driver`, `driver-build`, or a key of the environment card.
    pub kind: &'static str,
    /// Which one, in lower case where case makes no difference.
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
    /// Whether the program can be the reason why it is there.
    #[must_use]
    pub fn may_follow_from_program(&self) -> bool {
        !OF_MACHINE.contains(&self.kind) && !["uptime", DRIVER, DRIVER_BUILD].contains(&self.kind)
    }
}

/// What is known of the surroundings of one incident, by the numbers of [`Attributes`].
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The machine, by a number of its own; `None` where nothing names it.
    pub host: Option<u32>,
    /// The program's name.
    pub process: Option<u32>,
    /// What of it is known, sorted: without a module list nobody knows which modules were loaded.
    pub known: Box<[Need]>,
    /// What there was, sorted.
    pub has: Box<[u32]>,
}

impl Surroundings {
    /// Whether what an attribute needs is known.
    #[must_use]
    pub fn gives(&self, need: Need) -> bool {
        self.known.binary_search(&need).is_ok()
    }

    /// Whether this attribute was there.
    #[must_use]
    pub fn has(&self, attribute: u32) -> bool {
        self.has.binary_search(&attribute).is_ok()
    }
}

/// An attribute, and what must be known so that its absence says something.
#[derive(Debug, Clone)]
struct Known {
    attribute: Attribute,
    needs: Need,
}

/// A module's name, in the case in which a dump has it, and its version.
type AsWritten = (Arc<str>, Option<Version>);

/// A module or driver, by its numbers.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    itself: u32,
    /// With its version, where that is known.
    version: Option<(u32, Need)>,
}

/// What must be known of surroundings to tell whether an attribute was there, by a number of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need(u32);

/// What must be known, in words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Needed {
    /// All of this kind, as evidence of this sort tells it.
    All(&'static str, Source),
    /// The version of this module or driver, by its number: that it was there does not tell it, and lists of modules
    /// without versions are frequent.
    VersionOf(u32),
}

/// The sort of evidence that an environment card was made of. The same thing is told in other words by other sorts: a
/// kernel dump names its display driver by file and date, a minidump by release. Values are compared within one sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Lists that every sort has alike.
    Any,
    /// A minidump.
    Dump,
    /// A kernel dump.
    KernelDump,
    /// Reports and logs.
    Records,
}

/// The attributes of all incidents, each with a number.
#[derive(Debug, Default)]
pub struct Attributes {
    list: Vec<Known>,
    numbers: HashMap<(Attribute, Need), u32>,
    needs: HashMap<Needed, Need>,
    hosts: HashMap<String, u32>,
    processes: HashMap<String, u32>,
    /// Modules by name as written and version. Dumps share their names, and one folder holds few.
    modules: HashMap<AsWritten, Numbered>,
}

impl Attributes {
    /// The attribute with this number, and what it needs.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<(&Attribute, Need)> {
        self.list.get(number as usize).map(|known| (&known.attribute, known.needs))
    }

    /// What the evidence of an incident tells of its surroundings.
    pub fn of(&mut self, built: &Built<'_>) -> Surroundings {
        let incident = &built.incident;
        let (mut known, mut has) = (Vec::new(), Vec::new());
        let dump = built.gathered.dump().map(|(_, dump)| dump);
        let kernel_dump = built.gathered.kernel_dump().map(|(_, dump)| dump);
        let source = match (dump, kernel_dump) {
            (Some(_), _) => Source::Dump,
            (None, Some(_)) => Source::KernelDump,
            (None, None) => Source::Records,
        };
        // A value that leaves the version open, or that somebody wrote, says what is known and not what was there.
        for (key, value) in incident.environment.iter().filter(|(_, value)| !is_version_unsure(value)) {
            let need = self.all_of(key, source);
            known.push(need);
            has.push(self.numbered(key, value.clone(), need));
        }
        if let Some(modules) = dump.filter(|dump| dump.modules_complete).and_then(|dump| dump.modules.as_ref()) {
            known.push(self.all_of(MODULE, Source::Any));
            for module in modules {
                let Numbered { itself, version } = self.module(&module.name, module.version);
                has.push(itself);
                if let Some((version, need)) = version {
                    has.push(version);
                    known.push(need);
                }
            }
        } else if let Some((_, report)) = built.gathered.report(|report| !report.modules.is_empty()) {
            known.push(self.all_of(MODULE, Source::Any));
            for path in &report.modules {
                has.push(self.number(MODULE, base_name(path).to_lowercase()));
            }
        }
        if let Some(dump) = kernel_dump.filter(|dump| dump.drivers_complete && !dump.drivers.is_empty()) {
            known.push(self.all_of(DRIVER, Source::Any));
            for driver in &dump.drivers {
                let name = driver.name.to_lowercase();
                let build = driver.timestamp.map(|timestamp| format!("{name} with timestamp {timestamp:#010x}"));
                let itself = self.number(DRIVER, name);
                has.push(itself);
                if let Some(build) = build {
                    let need = self.need(Needed::VersionOf(itself));
                    has.push(self.numbered(DRIVER_BUILD, build, need));
                    known.push(need);
                }
            }
        }
        known.sort_unstable();
        known.dedup();
        has.sort_unstable();
        has.dedup();
        let name = incident.process.as_ref().and_then(|process| process.name.as_deref());
        Surroundings {
            host: incident.host.as_deref().map(|host| numbered(&mut self.hosts, host)),
            process: name.map(|name| numbered(&mut self.processes, name)),
            known: known.into(),
            has: has.into(),
        }
    }

    /// The number of an attribute that can be told where all of its kind can, whatever evidence tells it.
    pub fn number(&mut self, kind: &'static str, value: String) -> u32 {
        let needs = self.all_of(kind, Source::Any);
        self.numbered(kind, value, needs)
    }

    /// That all of a kind is known, as evidence of one sort tells it.
    pub fn all_of(&mut self, kind: &'static str, source: Source) -> Need {
        self.need(Needed::All(kind, source))
    }

    fn need(&mut self, needed: Needed) -> Need {
        let next = u32::try_from(self.needs.len()).unwrap_or(u32::MAX);
        *self.needs.entry(needed).or_insert(Need(next))
    }

    fn numbered(&mut self, kind: &'static str, value: String, needs: Need) -> u32 {
        let key = (Attribute { kind, value }, needs);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(Known { attribute: key.0.clone(), needs });
        self.numbers.insert(key, number);
        number
    }

    fn module(&mut self, name: &Arc<str>, version: Option<Version>) -> Numbered {
        let key = (Arc::clone(name), version);
        if let Some(known) = self.modules.get(&key) {
            return *known;
        }
        let lower = name.to_lowercase();
        let of_version = version.map(|version| format!("{lower} {version}"));
        let itself = self.number(MODULE, lower);
        let version = of_version.map(|value| {
            let need = self.need(Needed::VersionOf(itself));
            (self.numbered(MODULE_VERSION, value, need), need)
        });
        let numbered = Numbered { itself, version };
        self.modules.insert(key, numbered);
        numbered
    }
}

fn numbered(numbers: &mut HashMap<String, u32>, name: &str) -> u32 {
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    *numbers.entry(name.to_lowercase()).or_insert(next)
}
