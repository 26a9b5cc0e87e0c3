//! The roles of modules by the lists of rule sets: carriers, prefixes, sentinels, injected modules, drivers of Windows.

use std::sync::OnceLock;

use incident::{Carriers, KnownModule};
use rules::{ModuleIndex, ModuleList, RuleSet};

/// The roles of modules, looked up in the rule sets' lists that are named after the roles.
pub(super) fn carriers(rules: &RuleSet) -> impl Carriers + '_ {
    struct Listed<'r> {
        carriers: Vec<&'r ModuleList>,
        prefixes: Vec<&'r ModuleList>,
        sentinels: Vec<&'r ModuleList>,
        injected: Vec<&'r ModuleList>,
        windows_drivers: Vec<&'r ModuleList>,
        rules: &'r RuleSet,
        /// All lists of products. It is made for the first incident with modules that are not Windows' own.
        products: OnceLock<ModuleIndex<'r>>,
    }
    impl Carriers for Listed<'_> {
        fn is_carrier(&self, module: &str) -> bool {
            self.carriers.iter().any(|list| list.has(module))
        }

        fn is_windows_driver(&self, module: &str) -> bool {
            self.windows_drivers.iter().any(|list| list.has(module))
        }

        fn is_prefix(&self, module: &str) -> bool {
            self.prefixes.iter().any(|list| list.has(module))
        }

        fn is_sentinel(&self, module: &str) -> bool {
            self.sentinels.iter().any(|list| list.has(module))
        }

        fn is_injected(&self, module: &str) -> bool {
            self.injected.iter().any(|list| list.has(module))
        }

        fn known(&self, module: &str) -> Option<KnownModule<'_>> {
            let products = self.products.get_or_init(|| {
                let lists = self.rules.lists().map(|(_, list)| list);
                ModuleIndex::new(lists.filter(|list| list.part().is_some()))
            });
            let listed = products.find(module)?;
            Some(KnownModule { list: listed.list, what: listed.why, part: listed.part? })
        }
    }
    let lists = |names: &'static [&'static str]| names.iter().flat_map(|name| rules.lists_named(name)).collect();
    Listed {
        carriers: lists(&["carriers"]),
        prefixes: lists(&["prefixes"]),
        sentinels: lists(&["sentinels"]),
        injected: lists(&["injected", "overlays", "security"]),
        windows_drivers: lists(&["windows-drivers"]),
        rules,
        products: OnceLock::new(),
    }
}
