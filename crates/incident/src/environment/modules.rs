//! The modules of a process, from whichever artifact shows them.

use crate::joined_evidence::JoinedEvidence;
use evidence::{Version, base_name, has_folder};

/// All modules in the evidence.
#[derive(Debug, Clone, Default)]
pub(super) struct Modules<'i> {
    /// A module list in load order, the executable first; empty when no artifact has one.
    pub(super) listed: Vec<Module<'i>>,
    /// Modules that records name one by one, such as the one at fault.
    pub(super) named: Vec<Module<'i>>,
    /// Whether the list has no gaps. Only such a list proves that a module was absent, or which was the first.
    pub(super) complete: bool,
}

/// A module as one artifact shows it.
#[derive(Debug, Clone, Copy)]
pub struct Module<'i> {
    /// File name.
    pub name: &'i str,
    /// Path, where the artifact holds one.
    pub path: Option<&'i str>,
    /// File version.
    pub version: Option<Version>,
    /// The number of the evidence, counted from 0.
    pub from: usize,
}

impl<'i> Modules<'i> {
    /// The modules of an incident's evidence: the list of a dump before that of a report.
    pub(super) fn new(evidence: &JoinedEvidence<'i>) -> Self {
        let mut all = Self::default();
        if let Some((from, dump)) = evidence.dump()
            && let Some(modules) = &dump.modules
        {
            all.complete = dump.modules_complete;
            all.listed.extend(modules.iter().map(|module| Module {
                name: module.name(),
                path: with_folder(&module.path),
                version: module.version,
                from,
            }));
        } else if let Some((from, report)) = evidence.report(|report| !report.modules.is_empty()) {
            all.complete = true;
            all.listed.extend(report.modules.iter().map(|path| Module {
                name: base_name(path),
                path: with_folder(path),
                version: None,
                from,
            }));
        }
        all.named.extend(evidence.named_modules().map(|(from, name, path, version)| Module {
            name: base_name(name),
            path: path.and_then(with_folder),
            version,
            from,
        }));
        all
    }

    /// All modules, those of the list first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Module<'i>> {
        self.listed.iter().chain(&self.named)
    }

    /// The modules of a complete list.
    pub(super) fn complete_list(&self) -> Option<&[Module<'i>]> {
        (self.complete && !self.listed.is_empty()).then_some(self.listed.as_slice())
    }
}

impl Module<'_> {
    /// Whether this is its file name, in any case.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The part of its file name between `start` and `end`, which match in any case.
    pub(super) fn between(&self, start: &str, end: &str) -> Option<&str> {
        let inner = self.name.len().checked_sub(end.len())?;
        let (head, tail) = (self.name.get(..start.len())?, self.name.get(inner..)?);
        (head.eq_ignore_ascii_case(start) && tail.eq_ignore_ascii_case(end))
            .then(|| self.name.get(start.len()..inner))
            .flatten()
    }
}

fn with_folder(path: &str) -> Option<&str> {
    has_folder(path).then_some(path)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A complete list: path and version of each module.
    pub fn listed<'i>(modules: &[(&'i str, &str)]) -> Modules<'i> {
        let listed = modules.iter().map(|(path, version)| Module {
            name: base_name(path),
            path: with_folder(path),
            version: version.parse().ok(),
            from: 0,
        });
        Modules { listed: listed.collect(), named: Vec::new(), complete: true }
    }

    #[test]
    fn parts_of_names_are_found_in_any_case() {
        let module = Module { name: "CUDART64_110.DLL", path: None, version: None, from: 0 };
        assert_eq!(module.between("cudart64_", ".dll"), Some("110"));
        assert_eq!(module.between("cudart64_110.dll", ".dll"), None);
        assert_eq!(module.between("cudnn64_", ".dll"), None);
        assert!(module.is("cudart64_110.dll"));
    }
}
