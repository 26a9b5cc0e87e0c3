//! Loaded modules at addresses that don't overlap.

use samplekit::FileVersion;
use samplekit::minidump::{Module, Protection, Region};

/// The modules of a process, in load order.
#[derive(Debug, Clone)]
pub struct Images {
    modules: Vec<Module>,
    /// The address below which the next DLL is placed.
    ceiling: u64,
}

/// DLLs and executables are aligned to this (the allocation granularity of Windows).
const GRANULARITY: u64 = 0x1_0000;

impl Images {
    /// A process with its executable; DLLs are placed below an address near the end of user space.
    pub fn new(executable: &str, version: Option<FileVersion>, size: u32) -> Self {
        let modules = vec![Module::windows(executable, version, 0x7FF6_1C8A_0000, size)];
        Self { modules, ceiling: 0x7FFB_9C40_0000 }
    }

    /// Loads a DLL of a version.
    pub fn load(&mut self, path: &str, version: [u16; 4], size: u32) -> &mut Self {
        self.place(path, Some(FileVersion(version)), size)
    }

    /// Loads a DLL that has no version resource.
    pub fn load_plain(&mut self, path: &str, size: u32) -> &mut Self {
        self.place(path, None, size)
    }

    fn place(&mut self, path: &str, version: Option<FileVersion>, size: u32) -> &mut Self {
        // Room between modules as address space randomisation leaves it, a whole number of units.
        let room = GRANULARITY * (1 + samplekit::bytes::stable_hash(path.as_bytes()) % 24);
        let base = (self.ceiling - room - u64::from(size)) / GRANULARITY * GRANULARITY;
        self.modules.push(Module::windows(path, version, base, size));
        self.ceiling = base;
        self
    }

    /// Removes a DLL from the list, as if it had never been loaded.
    pub fn without(mut self, name: &str) -> Self {
        self.modules.retain(|module| module.name() != name);
        self
    }

    /// All modules.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The executable.
    pub fn executable(&self) -> &Module {
        &self.modules[0]
    }

    /// A module by its file name, or by the last parts of its path where two have the same name.
    ///
    /// # Panics
    ///
    /// When it is not loaded: then the sample is wrong.
    pub fn get(&self, name: &str) -> &Module {
        let end = format!("\\{name}");
        let found = self.modules.iter().find(|module| module.path.ends_with(&end));
        found.unwrap_or_else(|| panic!("{name} is not among the loaded modules"))
    }

    /// The address of an offset in a module.
    ///
    /// # Panics
    ///
    /// When the offset is not in the module: then the sample is wrong.
    pub fn address(&self, name: &str, offset: u64) -> u64 {
        let module = self.get(name);
        assert!(offset < u64::from(module.size), "{name} has no offset {offset:#x}");
        module.base + offset
    }

    /// The regions of the images: header, code, and the rest.
    pub fn regions(&self) -> Vec<Region> {
        let mut regions = vec![];
        for module in &self.modules {
            let size = u64::from(module.size);
            let code = (size * 7 / 10) / 0x1000 * 0x1000;
            let parts = [
                (0, 0x1000, Protection::ReadOnly),
                (0x1000, code - 0x1000, Protection::ExecuteRead),
                (code, size - code, Protection::ReadOnly),
            ];
            regions.extend(parts.map(|(offset, size, protection)| Region {
                base: module.base + offset,
                allocation: module.base,
                size,
                protection: Some(protection),
                image: true,
            }));
        }
        regions
    }
}
