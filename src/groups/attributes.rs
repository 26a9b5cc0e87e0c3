//! What an incident's surroundings had: modules, versions, drivers, system. What groups are compared by.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::evidence::{Version, base_name};
use crate::incident::{Built, OF_MACHINE};

/// Something that an incident's surroundings can have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// What kind of thing: `module`, `module-version`, or a key of the environment card.
    pub kind: &'static str,
    /// Which one, in lower case where case makes no difference.
    pub value: String,
}

/// A module by its file name.
pub const MODULE: &str = "module";
/// A module with its file version.
pub const MODULE_VERSION: &str = "module-version";

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            MODULE | MODULE_VERSION => f.write_str(&self.value),
            kind => write!(f, "{} {}", kind.replace('_', " "), self.value),
        }
    }
}

impl Attribute {
    /// Whether the program can be the reason why it is there.
    #[must_use]
    pub fn may_follow_from_program(&self) -> bool {
        !OF_MACHINE.contains(&self.kind) && self.kind != "uptime"
    }
}

/// What is known of the surroundings of one incident, by the numbers of [`Attributes`].
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The machine, by a number of its own; `None` where nothing names it.
    pub host: Option<u32>,
    /// The program's name.
    pub process: Option<u32>,
    /// Kinds of which all are known, by their numbers, sorted: without a module list nobody knows which modules were
    /// loaded.
    pub known: Box<[u32]>,
    /// What there was, sorted.
    pub has: Box<[u32]>,
}

impl Surroundings {
    /// Whether what an attribute needs is given.
    #[must_use]
    pub fn gives(&self, need: Need) -> bool {
        match need {
            Need::Kind(kind) => self.known.binary_search(&kind).is_ok(),
            Need::Attribute(attribute) => self.has(attribute),
        }
    }

    /// Whether this attribute was there.
    #[must_use]
    pub fn has(&self, attribute: u32) -> bool {
        self.has.binary_search(&attribute).is_ok()
    }
}

/// An attribute, and what must be known or there so that it could be there.
#[derive(Debug, Clone)]
struct Known {
    attribute: Attribute,
    needs: Need,
}

/// A module's name, in the case in which a dump has it, and its version.
type AsWritten = (Arc<str>, Option<Version>);

/// What must be known of surroundings to tell whether an attribute was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// All attributes of this kind.
    Kind(u32),
    /// This attribute: a module's version can be told where the module is.
    Attribute(u32),
}

/// The attributes of all incidents, each with a number.
#[derive(Debug, Default)]
pub struct Attributes {
    list: Vec<Known>,
    numbers: HashMap<Attribute, u32>,
    kinds: HashMap<&'static str, u32>,
    hosts: HashMap<String, u32>,
    processes: HashMap<String, u32>,
    /// Numbers of modules by name as written and version. Dumps share their names, and one folder holds few.
    modules: HashMap<AsWritten, Box<[u32]>>,
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
        for (key, value) in &incident.environment {
            known.push(self.kind(key));
            has.push(self.number(key, value.clone()));
        }
        let dump = built.gathered.dump().map(|(_, dump)| dump);
        if let Some(modules) = dump.filter(|dump| dump.modules_complete).and_then(|dump| dump.modules.as_ref()) {
            known.push(self.kind(MODULE));
            for module in modules {
                has.extend_from_slice(self.module(&module.name, module.version));
            }
        } else if let Some((_, report)) = built.gathered.report(|report| !report.modules.is_empty()) {
            known.push(self.kind(MODULE));
            for path in &report.modules {
                has.push(self.number(MODULE, base_name(path).to_lowercase()));
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

    /// The number of an attribute that can be told where all of its kind can.
    pub fn number(&mut self, kind: &'static str, value: String) -> u32 {
        let needs = Need::Kind(self.kind(kind));
        self.numbered(Attribute { kind, value }, needs)
    }

    fn numbered(&mut self, attribute: Attribute, needs: Need) -> u32 {
        if let Some(number) = self.numbers.get(&attribute) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(Known { attribute: attribute.clone(), needs });
        self.numbers.insert(attribute, number);
        number
    }

    /// The number of a kind.
    pub fn kind(&mut self, kind: &'static str) -> u32 {
        let next = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
        *self.kinds.entry(kind).or_insert(next)
    }

    fn module(&mut self, name: &Arc<str>, version: Option<Version>) -> &[u32] {
        let key = (Arc::clone(name), version);
        if !self.modules.contains_key(&key) {
            let lower = name.to_lowercase();
            let of_version = version.map(|version| format!("{lower} {version}"));
            let module = self.number(MODULE, lower);
            let version = of_version
                .map(|value| self.numbered(Attribute { kind: MODULE_VERSION, value }, Need::Attribute(module)));
            self.modules.insert(key.clone(), [Some(module), version].into_iter().flatten().collect());
        }
        self.modules.get(&key).map_or(&[], |numbers| numbers)
    }
}

fn numbered(numbers: &mut HashMap<String, u32>, name: &str) -> u32 {
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    *numbers.entry(name.to_lowercase()).or_insert(next)
}
