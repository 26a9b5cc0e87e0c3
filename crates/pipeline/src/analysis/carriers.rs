//! The roles of modules by the lists of rule sets: carriers, prefixes, sentinels, injected modules, drivers of Windows.

use incident::Carriers;
use rules::{ModuleList, RuleSet};

/// The roles of modules, looked up in the rule sets' lists that are named after the roles.
pub(super) fn carriers(rules: &RuleSet) -> impl Carriers + '_ {
    struct Listed<'r> {
        carriers: Vec<&'r ModuleList>,
        prefixes: Vec<&'r ModuleList>,
        sentinels: Vec<&'r ModuleList>,
        injected: Vec<&'r ModuleList>,
        windows_drivers: Vec<&'r ModuleList>,
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
    }
    let lists = |names: &'static [&'static str]| {
        rules.lists().filter(|(_, list)| names.contains(&list.name())).map(|(_, list)| list).collect()
    };
    Listed {
        carriers: lists(&["carriers"]),
        prefixes: lists(&["prefixes"]),
        sentinels: lists(&["sentinels"]),
        injected: lists(&["injected", "overlays", "security"]),
        windows_drivers: lists(&["windows-drivers"]),
    }
}
